/* SRTP and DTLS-SRTP of both bins: keys, encryption, decryption, counters.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All streams of both directions use one master key: SSRCs keep them apart, in
 * counter mode as in GCM (RFC 3711 9.1, RFC 7714 9.1).  They are random; who
 * sets one by hand must take a new key, too.
 */
#include "securepriv.h"

#include "binmessage.h"
#include "securestats.h"

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
  *cfg = (SecureConfig){ NULL };
}

/* The texts are copies: config_clear(). */
static SecureConfig
config_copy (const SecureConfig *cfg)
{
  SecureConfig copy = *cfg;

  copy.key = g_strdup (cfg->key);
  copy.key_file = g_strdup (cfg->key_file);
  copy.pem_file = g_strdup (cfg->pem_file);
  copy.fingerprint = g_strdup (cfg->fingerprint);
  return copy;
}

void
secure_free (Secure *s)
{
  config_clear (&s->cfg);
  config_clear (&s->used);
  g_free (s->peer_fingerprint);
  if (s->before)
    secure_srtp_free (s->before);
  g_mutex_clear (&s->lock);
  g_free (s);
}

static SecureUse
use_of (const SecureConfig *cfg)
{
  return (SecureUse){ .open = TRUE,
    .key = cfg->key || cfg->key_file,
    .dtls = cfg->dtls,
    .client = cfg->dtls_client,
    .checks = cfg->fingerprint != NULL };
}

/* What is in use, or while it is closed what is set; the lock is held. */
static SecureUse
use_locked (const Secure *s)
{
  return s->use.open ? s->use : use_of (&s->cfg);
}

static SecureUse
use_now (Secure *s)
{
  SecureUse use;

  g_mutex_lock (&s->lock);
  use = use_locked (s);
  g_mutex_unlock (&s->lock);
  return use;
}

gboolean
secure_wanted (Secure *s)
{
  const SecureUse use = use_now (s);

  return use.key || use.dtls;
}

gboolean
secure_wants_dtls (Secure *s)
{
  return use_now (s).dtls;
}

gboolean
secure_is_dtls_client (Secure *s)
{
  return use_now (s).client;
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

/* --- properties and statistics -------------------------------------------- */

/* All rows are texts, switches and enumerations. */
static gboolean
is_new (const SecureConfig *cfg, const PropRow *row, const GValue *value)
{
  gconstpointer at = (const guint8 *) cfg + row->offset;
  const gchar *text;

  switch (row->type) {
    case G_TYPE_STRING:
      text = g_value_get_string (value);
      return g_strcmp0 (*(gchar *const *) at, text && *text ? text : NULL) != 0;
    case G_TYPE_ENUM:
      return *(const gint *) at != g_value_get_enum (value);
    default:
      return *(const gboolean *) at != g_value_get_boolean (value);
  }
}

gboolean
secure_set_property (Secure *s, GParamSpec *pspec, const GValue *value)
{
  const PropRow *row = props_row (secure_props, pspec->name);
  gboolean late;

  if (!row)
    return FALSE;
  g_mutex_lock (&s->lock);
  late = s->use.open && is_new (&s->used, row, value);
  props_set (&s->cfg, row, value, NULL, NULL);
  g_mutex_unlock (&s->lock);
  if (late)
    bin_warn_late (GST_ELEMENT (s->bin), row->name);
  return TRUE;
}

gboolean
secure_get_property (Secure *s, GParamSpec *pspec, GValue *value)
{
  const PropRow *row = props_row (secure_props, pspec->name);

  if (row)
    props_get (s, &s->lock, &s->cfg, row, value);
  return row != NULL;
}

GstStructure *
secure_stats (Secure *s)
{
  GstElement *dec = NULL;
  GstStructure *dec_stats = NULL, *stats;
  SecureStats x = { NULL };
  SecureUse use;
  gboolean keyed;
  guint dropped = 0;

  g_mutex_lock (&s->lock);
  if (s->gate.ssrcs && s->srtpdec)
    dec = gst_object_ref (s->srtpdec);
  g_mutex_unlock (&s->lock);
  if (dec) {
    g_object_get (dec, "stats", &dec_stats, NULL);
    gst_structure_get_uint (dec_stats, "recv-drop-count", &dropped);
    gst_structure_free (dec_stats);
    gst_object_unref (dec);
  }
  g_mutex_lock (&s->lock);
  keyed = s->srtp != NULL;
  if (keyed)
    secure_srtp_get_stats (s->srtp, &x.srtp);
  if (s->hub)
    dtls_hub_get_stats (s->hub, &x.hub);
  use = use_locked (s);
  x.mode = use.dtls ? "dtls" : use.key ? "srtp" : "none";
  x.ready = s->ready;
  x.received = s->gate.received + x.srtp.received;
  x.dropped = s->gate.malformed + s->gate.crowded + s->dropped_before + dropped
      + x.srtp.dropped;
  x.peer_fingerprint = s->peer_fingerprint;
  stats = secure_stats_new (&x, use.dtls, keyed);
  g_mutex_unlock (&s->lock);
  return stats;
}

/* --- elements ------------------------------------------------------------ */

/* The key that is set, or NULL, having posted an error. */
static GBytes *
find_key (Secure *s, const SecureConfig *cfg)
{
  GError *error = NULL;
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
  if (cfg->key_file && secure_file_is_open (cfg->key_file))
    GST_ELEMENT_WARNING (s->bin, RESOURCE, SETTINGS,
        ("Others than its owner can read the key file \"%s\" (chmod 600).",
            cfg->key_file),
        (NULL));
  return key;
}

static gboolean
srtp_open (Secure *s, const SecureConfig *cfg)
{
  SecureSrtp *srtp;
  GBytes *key;

  if (!secure_srtp_is_built ()) {
    GST_ELEMENT_ERROR (s->bin, LIBRARY, INIT,
        ("This build has no SRTP with a key: set dtls, or build with libsrtp2 and "
         "-Dsrtp=enabled."),
        (NULL));
    return FALSE;
  }
  key = find_key (s, cfg);
  if (!key)
    return FALSE;
  srtp = secure_srtp_new (GST_ELEMENT (s->bin), key, cfg->cipher, s->receiver,
      cfg->replay_guard, g_steal_pointer (&s->before));
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

/* --- open and close ------------------------------------------------------ */

gboolean
secure_open (Secure *s, gboolean mux)
{
  SecureConfig cfg;
  gboolean good;

  g_mutex_lock (&s->lock);
  cfg = config_copy (&s->cfg);
  config_clear (&s->used);
  s->used = config_copy (&cfg);
  s->use = use_of (&cfg);
  s->ready = !cfg.dtls;
  s->gate = (SsrcGate){ 0 };
  s->dropped_before = 0;
  g_clear_pointer (&s->peer_fingerprint, g_free);
  g_mutex_unlock (&s->lock);

  if (cfg.dtls && !mux) {
    GST_ELEMENT_ERROR (
        s->bin, RESOURCE, SETTINGS, ("dtls needs rtcp-mux."), (NULL));
    good = FALSE;
  } else if (cfg.dtls)
    good = secure_dtls_open (s, &cfg);
  else if (cfg.key || cfg.key_file)
    good = srtp_open (s, &cfg);
  else
    good = TRUE;
  config_clear (&cfg);
  return good;
}

void
secure_close (Secure *s)
{
  SecureSrtp *srtp;

  g_mutex_lock (&s->lock);
  srtp = g_steal_pointer (&s->srtp);
  s->use = (SecureUse){ .open = FALSE };
  config_clear (&s->used);
  g_mutex_unlock (&s->lock);
  if (srtp) {
    secure_srtp_stop (srtp);
    s->before = srtp;
  }
  secure_dtls_close (s);
}

/* --- links --------------------------------------------------------------- */

static gboolean
link_pads (GstPad *src, GstPad *sink)
{
  return GST_PAD_LINK_SUCCESSFUL (gst_pad_link (src, sink));
}

/* Links RTP or RTCP to the hub.  The first of them also links the hub to `sink`. */
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
  if (s->hub)
    return link_hub_out (s, kind, src, sink);
  if (s->srtp)
    secure_srtp_out (s->srtp, sink);
  return link_pads (src, sink);
}

gboolean
secure_link_in (Secure *s, SecureKind kind, GstPad *src)
{
  GstPad *sink;
  gboolean good;

  if (s->srtp)
    secure_srtp_in (s->srtp, src);
  if (!s->hub)
    return TRUE;
  sink = gst_element_get_static_pad (GST_ELEMENT (s->hub), "sink");
  good = link_pads (src, sink);
  gst_object_unref (sink);
  return good;
}

GstPad *
secure_in_pad (Secure *s, SecureKind kind)
{
  return s->hub ? gst_element_get_static_pad (
             GST_ELEMENT (s->hub), kind == SECURE_RTP ? "rtp_src" : "rtcp_src")
                : NULL;
}

void
secure_answer_by (
    Secure *s, GSocket *socket, gboolean rtcp_port_next, GSocketAddress *group)
{
  g_mutex_lock (&s->lock);
  if (s->srtp)
    secure_srtp_answer_by (s->srtp, socket, rtcp_port_next, group);
  g_mutex_unlock (&s->lock);
}
