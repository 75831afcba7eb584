/* rtpadaptsink: what its pads want of a payloader.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A payloader makes room for the header extensions that the caps after it name.
 * What has its own names for them keeps those; what knows none, and RTP that is
 * ready-made, passes as it is.
 */
#include "sinkcaps.h"

#include "parts/extmap.h"
#include "parts/walk.h"

#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtp/gstrtpbasepayload.h>

/* Bytes of a media packet.  A repair packet of it, with FEC's header, header extensions,
 * the tag of SRTP, UDP and IPv6 stays below 1280, which each link for IPv6 carries (RFC
 * 8200 5). */
#define MTU 1152

/* RFC 8285 4.2: one-byte headers have ids 1 to 14. */
#define EXT_ID_MAX 14

typedef struct
{
  const gchar *uri;
  guint id;
} Wish;

/* How many there are of `wishes`. */
static guint
wishes_find (const SinkCapsSettings *settings, Wish wishes[3])
{
  guint n = 0;

  if (!settings->feedback->by_number)
    wishes[n++] = (Wish){ EXTMAP_TWCC_URI, settings->ext_twcc };
  if (ra_feedback_send_times (settings->feedback))
    wishes[n++] = (Wish){ RA_SEND_TS_URI, SINK_EXT_SEND_TS };
  if (settings->coloured)
    wishes[n++] = (Wish){ RA_COLOUR_EXT_URI, SINK_EXT_COLOUR };
  return n;
}

static gboolean
id_is_taken (const GstStructure *s, guint id)
{
  g_autofree gchar *field = g_strdup_printf ("extmap-%u", id);

  return gst_structure_has_field (s, field);
}

/* `theirs` with what it lacks of the wishes; it may be NULL. */
static GstStructure *
structure_offer (const GstStructure *theirs, const Wish *wishes, guint n)
{
  GstStructure *s = theirs ? gst_structure_copy (theirs)
                           : gst_structure_new_empty ("application/x-rtp");

  for (guint i = 0; i < n; i++) {
    g_autofree gchar *field = NULL;
    guint id = wishes[i].id;

    if (extmap_id (s, wishes[i].uri) > 0)
      continue;
    for (guint tried = 0; id_is_taken (s, id) && tried < EXT_ID_MAX; tried++)
      id = id % EXT_ID_MAX + 1;
    field = g_strdup_printf ("extmap-%u", id);
    if (!gst_structure_has_field (s, field))
      gst_structure_set (s, field, G_TYPE_STRING, wishes[i].uri, NULL);
  }
  return s;
}

GstCaps *
sink_caps_offer (const SinkCapsSettings *settings, const GstCaps *filter)
{
  GstCaps *offer = gst_caps_new_empty (), *plain;
  GstCaps *rtp = gst_caps_new_empty_simple ("application/x-rtp");
  Wish wishes[3];
  guint n = wishes_find (settings, wishes);

  if (!filter || gst_caps_is_any (filter)) {
    gst_caps_append_structure (offer, structure_offer (NULL, wishes, n));
    plain = gst_caps_ref (rtp);
  } else {
    plain = gst_caps_intersect_full (
        (GstCaps *) filter, rtp, GST_CAPS_INTERSECT_FIRST);
    for (guint i = 0; i < gst_caps_get_size (plain); i++)
      gst_caps_append_structure (offer,
          structure_offer (gst_caps_get_structure (plain, i), wishes, n));
  }
  gst_caps_append (offer, plain);
  gst_caps_unref (rtp);
  return offer;
}

static gboolean
is_payloader (GstElement *element)
{
  return GST_IS_RTP_BASE_PAYLOAD (element);
}

void
sink_caps_lower_mtu (GstPad *pad)
{
  g_autoptr (GstElement) payloader = walk_find (pad, is_payloader);
  GParamSpec *pspec;
  guint mtu;

  if (!payloader)
    return;
  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (payloader), "mtu");
  g_object_get (payloader, "mtu", &mtu, NULL);
  if (mtu > MTU && mtu == G_PARAM_SPEC_UINT (pspec)->default_value)
    g_object_set (payloader, "mtu", MTU, NULL);
}
