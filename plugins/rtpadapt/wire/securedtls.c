/* DTLS-SRTP of both bins: the handshake that makes the keys.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securepriv.h"

#define GST_CAT_DEFAULT rtpadaptsecure_debug

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

gboolean
secure_dtls_open (Secure *s, const SecureConfig *cfg)
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
  s->dec = secure_make_child (s, "dtlssrtpdec");
  s->enc = s->dec ? secure_make_child (s, "dtlssrtpenc") : NULL;
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
