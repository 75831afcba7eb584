/* rtpadaptsrc: warnings that no packet comes, that anybody may send some, and that
 * nothing comes of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srchints.h"

#include "srcpads.h"
#include "parts/walk.h"
#include "wire/address.h"
#include "wire/hint.h"

#include <gst/rtp/rtp.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

static const gchar *
where (const gchar *address)
{
  return address && *address ? address : "this host";
}

/* FALSE if only programs on this machine can reach the socket. */
static gboolean
is_open_to_others (GSocket *socket)
{
  GSocketAddress *address = g_socket_get_local_address (socket, NULL);
  gboolean open = FALSE;

  if (is_inet (address))
    open = !g_inet_address_get_is_loopback (host_of (address));
  g_clear_object (&address);
  return open;
}

void
src_hint_open (
    GstElement *bin, GSocket *socket, const gchar *address, guint port)
{
  if (!is_open_to_others (socket))
    return;
  GST_ELEMENT_WARNING (bin, RESOURCE, SETTINGS,
      ("Anybody who reaches UDP port %u of %s can send pictures to it: set "
       "key-file=, or dtls=true and fingerprint=, here and at the sender.",
          port, where (address)),
      ("SECURITY.md says what somebody without the key can do"));
}

gboolean
src_hint_silence (GstElement *bin, GstElement *udpsrc)
{
  g_autofree gchar *address = NULL;
  GstStructure *stats;
  guint64 packets = 0;
  gint port;

  g_object_get (udpsrc, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets", &packets);
  gst_structure_free (stats);
  if (packets > 0)
    return FALSE;
  g_object_get (bin, "address", &address, "port", &port, NULL);
  GST_ELEMENT_WARNING (bin, RESOURCE, READ,
      ("No packet has come to UDP port %d of %s for " HINT_SECONDS
       ": check the sender's address and the firewall.",
          port, where (address)),
      ("rtpadaptsrc goes on waiting"));
  return TRUE;
}

/* SRC_HINT_LOOK apart: 10 s.  What was there at the first look may have come in a
 * moment. */
#define LOOKS 2

/* --- pads that nothing is linked to ----------------------------------------- */

/* Of all source pads. */
typedef struct
{
  GstPad *pad; /* the first that dropped packets, or NULL */
  guint dropped;
  gboolean linked; /* one is */
} Pads;

static gboolean
pads_add (GstElement *bin, GstPad *pad, gpointer data)
{
  Pads *pads = data;
  guint dropped = src_stream_dropped (pad);

  pads->dropped += dropped;
  pads->linked |= gst_pad_is_linked (pad);
  if (dropped > 0 && !pads->pad)
    pads->pad = gst_object_ref (pad);
  return TRUE;
}

static void
warn_unlinked (GstElement *bin, GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, NULL);
  GstCaps *current = gst_pad_get_current_caps (pad);
  const gchar *encoding = gst_structure_get_string (
      gst_caps_get_structure (caps, 0), "encoding-name");
  gint pt = -1;

  if (current)
    gst_structure_get_int (gst_caps_get_structure (current, 0), "payload", &pt);
  gst_clear_caps (&current);
  GST_ELEMENT_WARNING (bin, CORE, PAD,
      ("%s (payload type %d, %s) is not linked: its packets are dropped.  Link each "
       "pad when \"pad-added\" gives it; gst_parse_launch() links once, and only what "
       "takes these packets.",
          GST_PAD_NAME (pad), pt, encoding ? encoding : "no encoding-name"),
      ("no source pad was linked for 10 s"));
}

void
src_hint_unlinked (GstElement *bin, SrcUnlinked *u)
{
  Pads pads = { NULL };

  /* The pads are others, which count from 0. */
  if (g_atomic_int_compare_and_exchange (&u->restarted, TRUE, FALSE))
    u->dropped = u->looks = 0;
  gst_element_foreach_src_pad (bin, pads_add, &pads);
  if (u->looks <= LOOKS) {
    gboolean more = pads.pad && pads.dropped > u->dropped;

    u->looks = more && !pads.linked ? u->looks + 1 : 0;
    if (u->looks > LOOKS)
      warn_unlinked (bin, pads.pad);
  }
  u->dropped = pads.dropped;
  gst_clear_object (&pads.pad);
}

/* --- depayloaders that make nothing ---------------------------------------- */

/* What was seen of a depayloader that has made nothing. */
typedef struct
{
  guint seq;   /* of the last packet that it got */
  guint looks; /* in a row that found later packets */
} Unmade;

static gboolean
is_depayloader (GstElement *element)
{
  return GST_IS_RTP_BASE_DEPAYLOAD (element);
}

/* TRUE, once: packets have come to it for long enough.  What it got before the first
 * look may have come in a moment. */
static gboolean
is_due (GstPad *pad, GstElement *depayloader)
{
  Unmade *u = g_object_get_data (G_OBJECT (pad), "unmade");
  GstStructure *stats;
  guint seq = 0;

  g_object_get (depayloader, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "seqnum", &seq);
  gst_structure_free (stats);
  if (!u) {
    u = g_new0 (Unmade, 1);
    u->seq = seq;
    g_object_set_data_full (G_OBJECT (pad), "unmade", u, g_free);
  }
  if (u->looks == LOOKS)
    return FALSE;
  u->looks = seq == u->seq ? 0 : u->looks + 1;
  u->seq = seq;
  return u->looks == LOOKS;
}

static void
warn_unmade (GstElement *bin, GstElement *depayloader, const GstStructure *s)
{
  const gchar *encoding = gst_structure_get_string (s, "encoding-name");
  gint pt = -1;

  if (!encoding || !gst_structure_get_int (s, "payload", &pt))
    return;
  GST_ELEMENT_WARNING (bin, STREAM, WRONG_TYPE,
      ("%s has made nothing of the packets of payload type %d for 10 s.  Their "
       "encoding-name here is %s: is it what the sender sends?  Its payloader's caps say "
       "encoding-name.  If it is, no key frame has come.",
          GST_OBJECT_NAME (depayloader), pt, encoding),
      ("its source pad has no caps"));
}

gboolean
src_hint_unmade (GstElement *bin, GstPad *pad, gpointer data)
{
  GstElement *found = walk_find (pad, is_depayloader);
  GstRTPBaseDepayload *depayloader = (GstRTPBaseDepayload *) found;
  GstCaps *caps = NULL;

  if (!found)
    return TRUE;
  if (gst_pad_has_current_caps (depayloader->srcpad))
    g_object_set_data (G_OBJECT (pad), "unmade", NULL);
  else if (is_due (pad, found))
    caps = gst_pad_get_current_caps (depayloader->sinkpad);
  if (caps)
    warn_unmade (bin, found, gst_caps_get_structure (caps, 0));
  gst_clear_caps (&caps);
  gst_object_unref (found);
  return TRUE;
}
