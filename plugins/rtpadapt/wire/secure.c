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
  s->ready = TRUE;
  return s;
}

void
secure_free (Secure *s)
{
  g_free (s->cfg.key);
  g_free (s->cfg.key_file);
  g_free (s->cfg.pem_file);
  g_free (s->cfg.fingerprint);
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
secure_is_dtls_client (Secure *s)
{
  gboolean client;

  g_mutex_lock (&s->lock);
  client = s->cfg.dtls_client;
  g_mutex_unlock (&s->lock);
  return client;
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

void
secure_post_missing (Secure *s, const gchar *factory)
{
  GST_ELEMENT_ERROR (s->bin, CORE, MISSING_PLUGIN,
      ("No element \"%s\": is the package gstreamer1.0-plugins-bad there?",
          factory),
      (NULL));
}

static GstElement *
make_child (Secure *s, const gchar *factory)
{
  GstElement *child = gst_element_factory_make (factory, factory);

  if (!child) {
    secure_post_missing (s, factory);
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

/* srtpdec asks for each SSRC, with its lock held. */
static GstCaps *
request_key (GstElement *dec, guint ssrc, gpointer data)
{
  Secure *s = data;

  return gst_caps_ref (s->key_caps);
}

static gboolean
srtp_open (Secure *s, const SecureConfig *cfg)
{
  const gchar *cipher = secure_cipher_nick (cfg->cipher);
  /* GCM authenticates by itself (RFC 7714 1). */
  const gchar *auth
      = g_str_has_suffix (cipher, "gcm") ? "null" : "hmac-sha1-80";
  GBytes *key = find_key (s, cfg);
  GstBuffer *buffer;

  if (!key)
    return FALSE;
  buffer = gst_buffer_new_wrapped_bytes (key);
  g_bytes_unref (key);
  s->enc = make_child (s, "srtpenc");
  s->dec = s->enc ? make_child (s, "srtpdec") : NULL;
  if (s->dec) {
    s->srtpdec = gst_object_ref (s->dec);
    s->key_caps = gst_caps_new_simple ("application/x-srtp", "srtp-key",
        GST_TYPE_BUFFER, buffer, "srtp-cipher", G_TYPE_STRING, cipher,
        "srtcp-cipher", G_TYPE_STRING, cipher, "srtp-auth", G_TYPE_STRING, auth,
        "srtcp-auth", G_TYPE_STRING, auth, NULL);
    g_object_set (s->enc, "key", buffer, "random-key", FALSE, NULL);
    gst_util_set_object_arg (G_OBJECT (s->enc), "rtp-cipher", cipher);
    gst_util_set_object_arg (G_OBJECT (s->enc), "rtcp-cipher", cipher);
    gst_util_set_object_arg (G_OBJECT (s->enc), "rtp-auth", auth);
    gst_util_set_object_arg (G_OBJECT (s->enc), "rtcp-auth", auth);
    g_signal_connect (s->dec, "request-key", G_CALLBACK (request_key), s);
  }
  gst_buffer_unref (buffer);
  return s->dec != NULL;
}

/* --- open and close ------------------------------------------------------ */

static void
config_clear (SecureConfig *cfg)
{
  g_free (cfg->key);
  g_free (cfg->key_file);
  g_free (cfg->pem_file);
  g_free (cfg->fingerprint);
}

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
  s->count = (SecureCounters){ 0 };
  s->dropped_before = 0;
  g_clear_pointer (&s->peer_fingerprint, g_free);
  g_mutex_unlock (&s->lock);

  if (cfg.dtls)
    good = secure_dtls_open (s, &cfg);
  else if (cfg.key || cfg.key_file)
    good = srtp_open (s, &cfg);
  else
    good = TRUE;
  config_clear (&cfg);
  if (good && s->dec)
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
  close_child (s, &s->enc);
  close_child (s, &s->dec);
  secure_dtls_close (s);
  secure_gate_close (s);
  gst_clear_object (&s->srtpdec);
  gst_clear_caps (&s->key_caps);
}

/* --- links --------------------------------------------------------------- */

static gboolean
link_pads (GstPad *src, GstPad *sink)
{
  return GST_PAD_LINK_SUCCESSFUL (gst_pad_link (src, sink));
}

/* srtpenc (1.22) writes the key into the caps of what it makes, which
 * gst-launch-1.0 -v would print, as would any log of them. */
static GstPadProbeReturn
hide_key (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info), *without;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  caps = gst_caps_copy (caps);
  gst_structure_remove_field (gst_caps_get_structure (caps, 0), "srtp-key");
  without = gst_event_new_caps (caps);
  gst_event_set_seqnum (without, gst_event_get_seqnum (event));
  GST_PAD_PROBE_INFO_DATA (info) = without;
  gst_event_unref (event);
  gst_caps_unref (caps);
  return GST_PAD_PROBE_OK;
}

/* For as long as there is that pad of srtpenc. */
static void
keep_secret (GstPad *pad)
{
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, hide_key, NULL, NULL);
  g_object_freeze_notify (G_OBJECT (pad)); /* of its own caps */
}

/* Links to pads of the hub, of which `out` may be linked already. */
static gboolean
link_hub_out (Secure *s, SecureKind kind, GstPad *src, GstPad *sink)
{
  GstElement *hub = dtls_hub_get_out (s->hub);
  GstPad *in = gst_element_get_static_pad (
      hub, kind == SECURE_RTP ? "rtp_sink" : "rtcp_sink");
  GstPad *out = gst_element_get_static_pad (hub, "src");
  gboolean good = link_pads (src, in)
      && (gst_pad_is_linked (out) || link_pads (out, sink));

  gst_object_unref (in);
  gst_object_unref (out);
  return good;
}

gboolean
secure_link_out (Secure *s, SecureKind kind, GstPad *src, GstPad *sink)
{
  const gchar *in = kind == SECURE_RTP ? "rtp_sink_0" : "rtcp_sink_0";
  const gchar *out = kind == SECURE_RTP ? "rtp_src_0" : "rtcp_src_0";
  GstPad *enc_sink, *enc_src;
  gboolean good;

  if (s->hub)
    return link_hub_out (s, kind, src, sink);
  if (!s->enc)
    return link_pads (src, sink);
  enc_sink = gst_element_request_pad_simple (s->enc, in);
  enc_src = gst_element_get_static_pad (s->enc, out);
  if (enc_src)
    keep_secret (enc_src);
  good = enc_sink && enc_src && link_pads (src, enc_sink)
      && link_pads (enc_src, sink);
  gst_clear_object (&enc_sink);
  gst_clear_object (&enc_src);
  return good;
}

gboolean
secure_link_in (Secure *s, SecureKind kind, GstPad *src)
{
  GstElement *dec = s->hub ? GST_ELEMENT (s->hub) : s->dec;
  const gchar *name = s->hub ? "sink"
      : kind == SECURE_RTP   ? "rtp_sink"
                             : "rtcp_sink";
  GstPad *sink;
  gboolean good;

  if (!dec)
    return TRUE;
  sink = gst_element_get_static_pad (dec, name);
  good = link_pads (src, sink);
  gst_object_unref (sink);
  return good;
}

GstPad *
secure_in_pad (Secure *s, SecureKind kind)
{
  GstElement *dec = s->hub ? GST_ELEMENT (s->hub) : s->dec;

  return dec ? gst_element_get_static_pad (
             dec, kind == SECURE_RTP ? "rtp_src" : "rtcp_src")
             : NULL;
}
