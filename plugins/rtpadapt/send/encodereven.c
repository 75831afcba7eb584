/* Frames of one size, where the receiver waits no longer than the path takes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encodereven.h"

/* A frame's time at 25 Hz, ms, where caps do not say it. */
#define FRAME 40

/* ms, rounded up: x264 takes up to 1.1 frames for one. */
static guint
frame_time (GstElement *encoder)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "sink");
  g_autoptr (GstCaps) caps = pad ? gst_pad_get_current_caps (pad) : NULL;
  gint n = 0, d = 1;

  if (caps)
    gst_structure_get_fraction (
        gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  return n > 0 && d > 0 ? (guint) gst_util_uint64_scale_int_ceil (1000, d, n)
                        : FRAME;
}

void
encoder_even (GstElement *encoder, const EncoderRow *row, EncoderEven *state,
    gboolean even)
{
  guint now, wanted;

  if (!row->even || (!even && state->set == 0))
    return;
  g_object_get (encoder, row->even, &now, NULL);
  if (state->set == 0 || now != state->set)
    state->before = now; /* not ours */
  wanted = even ? MIN (frame_time (encoder), state->before) : state->before;
  if (wanted != now)
    g_object_set (encoder, row->even, wanted, NULL);
  state->set = wanted != state->before ? wanted : 0;
}
