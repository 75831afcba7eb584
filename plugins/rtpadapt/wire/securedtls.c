/* DTLS-SRTP of both bins: passes on to the bin what the manager of the
 * connections reports.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securepriv.h"
#include "parts/systime.h"

#include <string.h>

#define GST_CAT_DEFAULT rtpadaptsecure_debug

/* --- the hub -------------------------------------------------------------- */

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

static void
connection_full (Secure *s)
{
  DtlsHub *hub = ref_hub (s);

  if (hub)
    dtls_hub_set_full (hub);
  gst_clear_object (&hub);
}

/* --- before and after srtpdec --------------------------------------------- */

static GstPadProbeReturn
comes_to_srtpdec (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Secure *s = data;
  guint32 ssrc;
  gboolean valid = ssrc_gate_find (GST_PAD_PROBE_INFO_BUFFER (info), &ssrc);
  gboolean pass, full;

  g_mutex_lock (&s->lock);
  pass = ssrc_gate_before (&s->gate, valid ? &ssrc : NULL, system_now ());
  full = valid && !pass && ssrc_gate_is_full (&s->gate);
  g_mutex_unlock (&s->lock);
  if (full)
    connection_full (s);
  return pass ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
leaves_srtpdec (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Secure *s = data;
  guint32 ssrc;

  if (!ssrc_gate_find (GST_PAD_PROBE_INFO_BUFFER (info), &ssrc))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&s->lock);
  ssrc_gate_after (&s->gate, ssrc);
  g_mutex_unlock (&s->lock);
  return GST_PAD_PROBE_OK;
}

static void
watch_srtpdec (Secure *s, GstElement *srtpdec)
{
  static const gchar *const sinks[] = { "rtp_sink", "rtcp_sink" };
  static const gchar *const srcs[] = { "rtp_src", "rtcp_src" };

  for (guint i = 0; i < SECURE_N_KINDS; i++) {
    GstPad *sink = gst_element_get_static_pad (srtpdec, sinks[i]);
    GstPad *src = gst_element_get_static_pad (srtpdec, srcs[i]);

    gst_pad_add_probe (
        sink, GST_PAD_PROBE_TYPE_BUFFER, comes_to_srtpdec, s, NULL);
    gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, leaves_srtpdec, s, NULL);
    gst_object_unref (sink);
    gst_object_unref (src);
  }
}

/* --- the connection ------------------------------------------------------- */

/* The manager's thread calls these one after the other. */

static void
connection_opens (gpointer data, GstElement *srtpdec, const gchar *fingerprint)
{
  Secure *s = data;
  gboolean again, wanted;

  g_mutex_lock (&s->lock);
  again = s->peer_fingerprint
      && g_strcmp0 (s->peer_fingerprint, fingerprint) == 0;
  wanted = s->use.checks;
  g_free (s->peer_fingerprint);
  s->peer_fingerprint = g_strdup (fingerprint);
  s->srtpdec = gst_object_ref (srtpdec);
  ssrc_gate_open (&s->gate, system_now ());
  g_mutex_unlock (&s->lock);
  watch_srtpdec (s, srtpdec);
  if (!again && !wanted)
    GST_ELEMENT_WARNING (s->bin, RESOURCE, NOT_AUTHORIZED,
        ("The peer is not authenticated: compare its certificate's fingerprint "
         "(SHA-256) and set the property fingerprint=%s; without a pem-file it "
         "has another one after each start",
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

  g_mutex_lock (&s->lock);
  ssrc_gate_close (&s->gate);
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

/* This is not an error, because a stranger may have sent the certificate, and
 * the true peer can still come. */
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

/* --- open and close -------------------------------------------------------- */

static gboolean
have_elements (Secure *s)
{
  static const gchar *const names[]
      = { "dtlssrtpdec", "dtlssrtpenc", "srtpdec", "srtpenc" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElementFactory *factory = gst_element_factory_find (names[i]);

    if (!factory) {
      GST_ELEMENT_ERROR (s->bin, CORE, MISSING_PLUGIN,
          ("No element \"%s\": is the package gstreamer1.0-plugins-bad there?",
              names[i]),
          (NULL));
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

/* openssl prints a word before the digits, with which no certificate would fit. */
static gboolean
check_fingerprint (Secure *s, const gchar *fingerprint)
{
  if (!fingerprint || secure_fingerprint_is_valid (fingerprint))
    return TRUE;
  GST_ELEMENT_ERROR (s->bin, RESOURCE, SETTINGS,
      ("fingerprint=\"%s\" is not 32 pairs of hex digits: of what openssl "
       "prints, take what is behind the =.",
          fingerprint),
      (NULL));
  return FALSE;
}

/* For secure_text_forget().  NULL, having posted an error: dtlsdec would only log that
 * it cannot use it. */
static gchar *
load_pem (Secure *s, const gchar *path)
{
  g_autofree gchar *fingerprint = NULL;
  g_autoptr (GError) error = NULL;
  gchar *pem = NULL;

  if (!g_file_get_contents (path, &pem, NULL, &error)) {
    GST_ELEMENT_ERROR (s->bin, RESOURCE, OPEN_READ,
        ("No certificate: %s.", error->message), (NULL));
    return NULL;
  }
  fingerprint = secure_fingerprint (pem);
  if (!fingerprint || !strstr (pem, "PRIVATE KEY-----")) {
    GST_ELEMENT_ERROR (s->bin, RESOURCE, SETTINGS,
        ("The file \"%s\" has no %s in PEM form: a pem-file has a certificate and "
         "its key.",
            path, fingerprint ? "private key" : "certificate"),
        (NULL));
    secure_text_forget (pem);
    return NULL;
  }
  if (secure_file_is_open (path))
    GST_ELEMENT_WARNING (s->bin, RESOURCE, SETTINGS,
        ("Others than its owner can read the PEM file \"%s\" (chmod 600).",
            path),
        (NULL));
  return pem;
}

gboolean
secure_dtls_open (Secure *s, const SecureConfig *cfg)
{
  const DtlsHubFuncs funcs = { .opens = connection_opens,
    .ready = connection_ready,
    .closed = connection_closed,
    .wrong = certificate_wrong,
    .data = s };
  DtlsHubConfig hub = { .client = cfg->dtls_client,
    .calls = !cfg->dtls_client && !s->receiver,
    .fingerprint = cfg->fingerprint };
  gchar *pem = NULL;

  if (cfg->key || cfg->key_file) {
    GST_ELEMENT_ERROR (s->bin, RESOURCE, SETTINGS,
        ("DTLS makes its own key: a key cannot be set beside dtls."), (NULL));
    return FALSE;
  }
  if (!check_fingerprint (s, cfg->fingerprint) || !have_elements (s))
    return FALSE;
  if (cfg->pem_file) {
    pem = load_pem (s, cfg->pem_file);
    if (!pem)
      return FALSE;
  }
  hub.pem = pem;
  g_mutex_lock (&s->lock);
  s->hub = gst_object_ref_sink (dtls_hub_new (&hub, &funcs));
  g_mutex_unlock (&s->lock);
  secure_text_forget (pem);
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

/* --- from outside ---------------------------------------------------------- */

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
