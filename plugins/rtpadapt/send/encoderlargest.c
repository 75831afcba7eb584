/* How large the encoder's largest frame may be.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoderlargest.h"

#include <math.h>

/* A frame's time at 25 Hz, ms, where caps do not say it. */
#define FRAME 40

/* ms, rounded up: x264 takes up to 1.1 frames for one. */
static guint
frames_time (GstElement *encoder, gdouble frames)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "sink");
  g_autoptr (GstCaps) caps = pad ? gst_pad_get_current_caps (pad) : NULL;
  gint n = 0, d = 1;

  if (caps)
    gst_structure_get_fraction (
        gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  return (guint) ceil (frames * (n > 0 && d > 0 ? 1000. * d / n : FRAME));
}

void
encoder_largest (GstElement *encoder, const EncoderRow *row,
    EncoderLargest *state, gdouble frames)
{
  guint now, wanted;

  if (!row->largest || (frames <= 0 && state->set == 0))
    return;
  g_object_get (encoder, row->largest, &now, NULL);
  if (state->set == 0 || now != state->set)
    state->before = now; /* not ours */
  wanted = frames > 0 ? MIN (frames_time (encoder, frames), state->before)
                      : state->before;
  if (wanted != now)
    g_object_set (encoder, row->largest, wanted, NULL);
  state->set = wanted != state->before ? wanted : 0;
}
