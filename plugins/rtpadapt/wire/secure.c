/* SRTP and DTLS-SRTP of both bins: keys, encryption, decryption, counters.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All streams of both directions use one master key: SSRCs keep them apart, in
 * counter mode as in GCM (RFC 3711 9.1, RFC 7714 9.1).  They are random; who
 * sets one by hand must take a new key, too.
 */
#include "securepriv.h"

#include <sys/stat.h>

GST_DEBUG_CATEGORY (rtpadaptsecure_debug);
#define GST_CAT_DEFAULT rtpadaptsecure_debug

Secure *
secure_new (GstBin *bin, gboolean dtls_client)
{
  static gsize once = 0;
  Secure *s = g_new0 (Secure, 1);

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (
        rtpadaptsecure_debug, "rtpadaptsecure", 0, "SRTP and DTLS-SRTP");
    g_once_init_leave (&once, 1);
  }
  g_mutex_init (&s->lock);
  s->bin = bin;
  s->cfg.dtls_client = dtls_client;
  s->cfg.replay_guard = s->receiver = !dtls_client;
  s->ready = TRUE;
  return s;
}

static void
config_clear (SecureConfig *cfg)
{
  secure_text_forget (cfg->key);
  g_free (cfg->key_file);
  g_free (cfg->pem_file);
  g_free (cfg->fingerprint);
}

void
secure_free (Secure *s)
{
  config_clear (&s->cfg);
  g_free (s->peer_fingerprint);
  g_mutex_clear (&s->lock);
  g_free (s);
}

gboolean
secure_wanted (Secure *s)
{
  gboolean wanted;

  g_mutex_lock (&s->lock);
  wanted = s->cfg.key || s->cfg.key_file || s->cfg.dtls;
  g_mutex_unlock (&s->lock);
  return wanted;
}

gboolean
secure_wants_dtls (Secure *s)
{
  gboolean wanted;

  g_mutex_lock (&s->lock);
  wanted = s->cfg.dtls;
  g_mutex_unlock (&s->lock);
  return wanted;
}

gboolean
secure_is_ready (Secure *s)
{
  gboolean ready;

  g_mutex_lock (&s->lock);
  ready = s->ready;
  g_mutex_unlock (&s->lock);
  return ready;
}

void
secure_set_ready (Secure *s, SecureReady func, gpointer data)
{
  g_mutex_lock (&s->lock);
  s->ready_func = func;
  s->ready_data = data;
  g_mutex_unlock (&s->lock);
}

/* --- elements ------------------------------------------------------------ */

static GstElement *
make_child (Secure *s, const gchar *factory)
{
  GstElement *child = gst_element_factory_make (factory, factory);

  if (!child) {
    GST_ELEMENT_ERROR (s->bin, CORE, MISSING_PLUGIN,
        ("No element \"%s\": is the package gstreamer1.0-plugins-bad there?",
            factory),
        (NULL));
    return NULL;
  }
  gst_bin_add (s->bin, child);
  return child;
}

/* The key that is set, or NULL, having posted an error. */
static GBytes *
find_key (Secure *s, const SecureConfig *cfg)
{
  GError *error = NULL;
  struct stat info;
  GBytes *key;

  if (cfg->key && cfg->key_file) {
    GST_ELEMENT_ERROR (
        s->bin, RESOURCE, SETTINGS, ("Both key and key-file are set."), (NULL));
    return NULL;
  }
  key = cfg->key ? secure_key_parse (cfg->key, cfg->cipher, &error)
                 : secure_key_load (cfg->key_file, cfg->cipher, &error);
  if (!key) {
    GST_ELEMENT_ERROR (s->bin, RESOURCE, SETTINGS,
        ("No SRTP key: %s.", error->message), (NULL));
    g_error_free (error);
    return NULL;
  }
  if (cfg->key_file && stat (cfg->key_file, &info) == 0
      && (info.st_mode & (S_IRWXG | S_IRWXO)))
    GST_ELEMENT_WARNING (s->bin, RESOURCE, SETTINGS,
        ("Others than its owner can read the key file \"%s\" (chmod 600).",
            cfg->key_file),
        (NULL));
  return key;
}

static gboolean
srtp_open (Secure *s, const SecureConfig *cfg)
{
  GBytes *key = find_key (s, cfg);
  SecureSrtp *srtp;

  if (!key)
    return FALSE;
  srtp = secure_srtp_new (
      GST_ELEMENT (s->bin), key, cfg->cipher, s->receiver, cfg->replay_guard);
  g_bytes_unref (key);
  if (!srtp) {
    GST_ELEMENT_ERROR (s->bin, LIBRARY, INIT,
        ("This libsrtp does not know %s.", secure_cipher_nick (cfg->cipher)),
        (NULL));
    return FALSE;
  }
  g_mutex_lock (&s->lock);
  s->srtp = srtp;
  g_mutex_unlock (&s->lock);
  return TRUE;
}

/* --- DTLS ---------------------------------------------------------------- */

/* The same hex digits, however written. */
static gboolean
fingerprint_equal (const gchar *a, const gchar *b)
{
  for (;; a++, b++) {
    while (*a == ':' || *a == ' ')
      a++;
    while (*b == ':' || *b == ' ')
      b++;
    if (g_ascii_toupper (*a) != g_ascii_toupper (*b))
      return FALSE;
    if (!*a)
      return TRUE;
  }
}

/* In the handshake, before there are keys.  The DTLS elements take every
 * certificate: what is wrong is stopped here and in secure_is_ready(). */
static void
peer_certificate (GObject *dec, GParamSpec *pspec, gpointer data)
{
  Secure *s = data;
  g_autofree gchar *pem = NULL, *found = NULL, *wanted = NULL;
  gboolean refused, again;

  g_object_get (dec, "peer-pem", &pem, NULL);
  found = secure_fingerprint (pem);
  g_mutex_lock (&s->lock);
  wanted = g_strdup (s->cfg.fingerprint);
  /* It comes once for each thing that OpenSSL does not like about it. */
  again = s->peer_fingerprint && g_strcmp0 (s->peer_fingerprint, found) == 0;
  g_free (s->peer_fingerprint);
  s->peer_fingerprint = g_strdup (found);
  refused = wanted && (!found || !fingerprint_equal (wanted, found));
  s->refused = s->refused || refused;
  g_mutex_unlock (&s->lock);
  if (again)
    return;
  if (!wanted)
    GST_ELEMENT_WARNING (s->bin, RESOURCE, NOT_AUTHORIZED,
        ("The peer is not authenticated: compare its certificate's fingerprint "
         "(SHA-256) and set the property fingerprint=%s",
            found ? found : "(none)"),
        (NULL));
  else if (refused)
    GST_ELEMENT_ERROR (s->bin, RESOURCE, NOT_AUTHORIZED,
        ("The peer's certificate is another one than expected: its fingerprint "
         "(SHA-256) is %s",
            found ? found : "(none)"),
        (NULL));
}

static void
keys_set (GstElement *enc, gpointer data)
{
  Secure *s = data;
  SecureReady func = NULL;
  gpointer func_data;

  g_mutex_lock (&s->lock);
  if (!s->refused) {
    s->ready = TRUE;
    func = s->ready_func;
    func_data = s->ready_data;
  }
  g_mutex_unlock (&s->lock);
  if (func)
    func (func_data);
}

/* The srtpdec inside dtlssrtpdec. */
static GstElement *
inner_srtpdec (GstElement *dec)
{
  GstIterator *children = gst_bin_iterate_elements (GST_BIN (dec));
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;

  while (!found && gst_iterator_next (children, &item) == GST_ITERATOR_OK) {
    GstElement *child = g_value_get_object (&item);
    GstElementFactory *factory = gst_element_get_factory (child);

    if (factory && g_str_equal (GST_OBJECT_NAME (factory), "srtpdec"))
      found = gst_object_ref (child);
    g_value_reset (&item);
  }
  gst_iterator_free (children);
  return found;
}

static gboolean
dtls_open (Secure *s, const SecureConfig *cfg)
{
  g_autofree gchar *pem = NULL, *id = NULL;
  GError *error = NULL;

  if (cfg->key || cfg->key_file) {
    GST_ELEMENT_ERROR (s->bin, RESOURCE, SETTINGS,
        ("DTLS makes its own key: a key cannot be set beside dtls."), (NULL));
    return FALSE;
  }
  if (cfg->pem_file
      && !g_file_get_contents (cfg->pem_file, &pem, NULL, &error)) {
    GST_ELEMENT_ERROR (s->bin, RESOURCE, OPEN_READ,
        ("No certificate: %s.", error->message), (NULL));
    g_error_free (error);
    return FALSE;
  }
  s->dec = make_child (s, "dtlssrtpdec");
  s->enc = s->dec ? make_child (s, "dtlssrtpenc") : NULL;
  s->srtpdec = s->dec ? inner_srtpdec (s->dec) : NULL;
  if (!s->enc || !s->srtpdec)
    return FALSE;
  /* It names the pair of elements, process-wide. */
  id = g_strdup_printf ("%s-%08x%08x", GST_OBJECT_NAME (s->bin),
      g_random_int (), g_random_int ());
  if (pem)
    g_object_set (s->dec, "pem", pem, NULL);
  g_object_set (s->dec, "connection-id", id, NULL);
  g_object_set (
      s->enc, "connection-id", id, "is-client", cfg->dtls_client, NULL);
  g_signal_connect (
      s->dec, "notify::peer-pem", G_CALLBACK (peer_certificate), s);
  g_signal_connect (s->enc, "on-key-set", G_CALLBACK (keys_set), s);
  /* dtlsenc wants to find dtlsdec's connection when it becomes READY. */
  return gst_element_set_state (s->dec, GST_STATE_READY)
      != GST_STATE_CHANGE_FAILURE;
}

/* --- open and close ------------------------------------------------------ */

gboolean
secure_open (Secure *s)
{
  SecureConfig cfg;
  gboolean good;

  g_mutex_lock (&s->lock);
  cfg = s->cfg;
  cfg.key = g_strdup (cfg.key);
  cfg.key_file = g_strdup (cfg.key_file);
  cfg.pem_file = g_strdup (cfg.pem_file);
  cfg.fingerprint = g_strdup (cfg.fingerprint);
  s->refused = FALSE;
  s->ready = !cfg.dtls;
  g_clear_pointer (&s->peer_fingerprint, g_free);
  g_mutex_unlock (&s->lock);

  if (cfg.dtls)
    good = dtls_open (s, &cfg);
  else if (cfg.key || cfg.key_file)
    good = srtp_open (s, &cfg);
  else
    good = TRUE;
  config_clear (&cfg);
  if (good && s->srtpdec)
    secure_gate_open (s);
  return good;
}

static void
close_child (Secure *s, GstElement **child)
{
  GstElement *element = g_steal_pointer (child);

  if (!element)
    return;
  g_signal_handlers_disconnect_by_data (element, s);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (s->bin, element);
}

void
secure_close (Secure *s)
{
  SecureSrtp *srtp;

  g_mutex_lock (&s->lock);
  srtp = g_steal_pointer (&s->srtp);
  g_mutex_unlock (&s->lock);
  if (srtp)
    secure_srtp_free (srtp);
  close_child (s, &s->enc);
  close_child (s, &s->dec);
  secure_gate_close (s);
  gst_clear_object (&s->srtpdec);
}

/* --- links --------------------------------------------------------------- */

static gboolean
link_pads (GstPad *src, GstPad *sink)
{
  return GST_PAD_LINK_SUCCESSFUL (gst_pad_link (src, sink));
}

gboolean
secure_link_out (Secure *s, SecureKind kind, GstPad *src, GstPad *sink)
{
  GstPad *enc_sink, *enc_src;
  gboolean good;

  if (s->srtp)
    secure_srtp_out (s->srtp, sink);
  if (!s->enc)
    return link_pads (src, sink);
  enc_sink = gst_element_request_pad_simple (
      s->enc, kind == SECURE_RTP ? "rtp_sink_0" : "rtcp_sink_0");
  enc_src = gst_element_get_static_pad (s->enc, "src");
  good = enc_sink && enc_src && link_pads (src, enc_sink)
      && (gst_pad_is_linked (enc_src) || link_pads (enc_src, sink));
  gst_clear_object (&enc_sink);
  gst_clear_object (&enc_src);
  return good;
}

gboolean
secure_link_in (Secure *s, SecureKind kind, GstPad *src)
{
  GstPad *sink;
  gboolean good;

  if (s->srtp)
    secure_srtp_in (s->srtp, src);
  if (!s->dec)
    return TRUE;
  sink = gst_element_get_static_pad (s->dec, "sink");
  good = link_pads (src, sink);
  gst_object_unref (sink);
  return good;
}

GstPad *
secure_in_pad (Secure *s, SecureKind kind)
{
  return s->dec ? gst_element_get_static_pad (
             s->dec, kind == SECURE_RTP ? "rtp_src" : "rtcp_src")
                : NULL;
}

void
secure_answer_by (
    Secure *s, GSocket *socket, gboolean rtcp_port_next, GSocketAddress *group)
{
  if (s->srtp)
    secure_srtp_answer_by (s->srtp, socket, rtcp_port_next, group);
}
