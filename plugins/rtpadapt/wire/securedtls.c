/* DTLS-SRTP of both bins: passes on to the bin what the manager of the connections
 * tells.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securepriv.h"

#define GST_CAT_DEFAULT rtpadaptsecure_debug

/* The manager's thread calls these one after the other. */

static void
connection_opens (gpointer data, GstElement *srtpdec, const gchar *fingerprint)
{
  Secure *s = data;
  gboolean again, wanted;

  g_mutex_lock (&s->lock);
  again = s->peer_fingerprint
      && g_strcmp0 (s->peer_fingerprint, fingerprint) == 0;
  wanted = s->cfg.fingerprint != NULL;
  g_free (s->peer_fingerprint);
  s->peer_fingerprint = g_strdup (fingerprint);
  s->srtpdec = gst_object_ref (srtpdec);
  g_mutex_unlock (&s->lock);
  secure_gate_open (s);
  if (!again && !wanted)
    GST_ELEMENT_WARNING (s->bin, RESOURCE, NOT_AUTHORIZED,
        ("The peer is not authenticated: compare its certificate's fingerprint "
         "(SHA-256) and set the property fingerprint=%s",
            fingerprint ? fingerprint : "(none)"),
        (NULL));
}

static void
connection_ready (gpointer data, GSocketAddress *peer)
{
  Secure *s = data;
  SecureReady func;
  gpointer func_data;

  g_mutex_lock (&s->lock);
  s->ready = TRUE;
  func = s->ready_func;
  func_data = s->ready_data;
  g_mutex_unlock (&s->lock);
  if (func)
    func (func_data, peer);
}

/* Keeps the drop count of the connection's srtpdec, which goes with it. */
static void
connection_closed (gpointer data)
{
  Secure *s = data;
  GstStructure *stats;
  GstElement *srtpdec;
  guint dropped = 0;

  secure_gate_close (s);
  g_mutex_lock (&s->lock);
  s->ready = FALSE;
  srtpdec = g_steal_pointer (&s->srtpdec);
  g_mutex_unlock (&s->lock);
  g_object_get (srtpdec, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "recv-drop-count", &dropped);
  gst_structure_free (stats);
  gst_object_unref (srtpdec);
  g_mutex_lock (&s->lock);
  s->dropped_before += dropped;
  g_mutex_unlock (&s->lock);
}

/* This is no error, because a stranger may have sent the certificate, and the true
 * peer can still come. */
static void
certificate_wrong (gpointer data, const gchar *fingerprint)
{
  Secure *s = data;

  GST_ELEMENT_WARNING (s->bin, RESOURCE, NOT_AUTHORIZED,
      ("A certificate was refused because it is not the expected one: its "
       "fingerprint (SHA-256) is %s",
          fingerprint),
      (NULL));
}

static gboolean
have_elements (Secure *s)
{
  static const gchar *const names[]
      = { "dtlssrtpdec", "dtlssrtpenc", "srtpdec", "srtpenc" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElementFactory *factory = gst_element_factory_find (names[i]);

    if (!factory) {
      secure_post_missing (s, names[i]);
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

gboolean
secure_dtls_open (Secure *s, const SecureConfig *cfg)
{
  const DtlsHubFuncs funcs = { .opens = connection_opens,
    .ready = connection_ready,
    .closed = connection_closed,
    .wrong = certificate_wrong,
    .data = s };
  DtlsHubConfig hub
      = { .client = cfg->dtls_client, .fingerprint = cfg->fingerprint };
  g_autofree gchar *pem = NULL;
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
  if (!have_elements (s))
    return FALSE;
  hub.pem = pem;
  g_mutex_lock (&s->lock);
  s->hub = gst_object_ref_sink (dtls_hub_new (&hub, &funcs));
  g_mutex_unlock (&s->lock);
  gst_bin_add_many (
      s->bin, GST_ELEMENT (s->hub), dtls_hub_get_out (s->hub), NULL);
  return TRUE;
}

void
secure_dtls_close (Secure *s)
{
  DtlsHub *hub;

  g_mutex_lock (&s->lock);
  hub = g_steal_pointer (&s->hub);
  g_mutex_unlock (&s->lock);
  if (!hub)
    return;
  gst_element_set_state (dtls_hub_get_out (hub), GST_STATE_NULL);
  gst_element_set_state (GST_ELEMENT (hub), GST_STATE_NULL);
  gst_bin_remove_many (s->bin, dtls_hub_get_out (hub), GST_ELEMENT (hub), NULL);
  gst_object_unref (hub);
}

/* The bin's properties may be set while it closes. */
static DtlsHub *
ref_hub (Secure *s)
{
  DtlsHub *hub;

  g_mutex_lock (&s->lock);
  hub = s->hub ? gst_object_ref (s->hub) : NULL;
  g_mutex_unlock (&s->lock);
  return hub;
}

void
secure_dtls_from (Secure *s, GSocketAddress *to)
{
  DtlsHub *hub = ref_hub (s);

  if (hub)
    dtls_hub_set_destination (hub, to);
  gst_clear_object (&hub);
}

void
secure_dtls_socket (Secure *s, GSocket *socket)
{
  DtlsHub *hub = ref_hub (s);

  if (hub)
    dtls_hub_set_socket (hub, socket);
  gst_clear_object (&hub);
}
