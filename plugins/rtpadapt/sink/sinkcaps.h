/* rtpadaptsink: what its pads want of a payloader.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/feedback.h>

G_BEGIN_DECLS

/* Ids of header extensions where nothing else is said. */
#define SINK_EXT_TWCC 1
#define SINK_EXT_SEND_TS 2
#define SINK_EXT_COLOUR 3

typedef struct
{
  const RaFeedbackOps *feedback;
  guint ext_twcc; /* the id of transport-wide numbers that the session has */
  gboolean coloured;
} SinkCapsSettings;

/* What a stream may be: with our header extensions, or else as it is.  `filter` may
 * be NULL.  (transfer full) */
GstCaps *sink_caps_offer (
    const SinkCapsSettings *settings, const GstCaps *filter);

/* Sets the `mtu` of the payloader upstream of `pad`, if it is GStreamer's default, so
 * that tunnels and bearers of 1280 bytes take the packets whole. */
void sink_caps_lower_mtu (GstPad *pad);

G_END_DECLS
