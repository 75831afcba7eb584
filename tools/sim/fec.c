/* Repair packets as GStreamer's rtpulpfecenc makes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fec.h"

#include "ulpfec.h"

void
sim_fec_clear (SimFec *fec)
{
  g_queue_clear_full (&fec->live, g_free);
}

SimFrame *
sim_frame_new (SimFec *fec, guint n, guint percentage, RaTime now)
{
  guint f = ulpfec_spend (&fec->budget, n, percentage);
  SimFrame *frame = g_malloc0 (sizeof (SimFrame) + (n + f) * sizeof (gboolean));

  *frame = (SimFrame){ fec, now, n, f, n + f };
  g_queue_push_tail (&fec->live, frame);
  return frame;
}

static void
frame_over (const SimFrame *frame)
{
  SimFec *fec = frame->fec;
  /* The encoder remembers the last ULPFEC_MAX of a frame. */
  guint bare = MAX (frame->n_media, ULPFEC_MAX) - ULPFEC_MAX;

  if (frame->time < fec->from)
    return;
  fec->media += frame->n_media;
  fec->repair += frame->n_repair;
  for (guint i = 0; i < frame->n_media; i++)
    fec->lost += !frame->arrived[i];
  for (guint i = 0; i < bare; i++)
    fec->missing += !frame->arrived[i];
  fec->missing += ulpfec_missing (frame->arrived + bare, frame->n_media - bare,
      frame->arrived + frame->n_media, frame->n_repair);
}

void
sim_frame_outcome (SimFrame *frame, guint i, gboolean arrived)
{
  if (!frame)
    return;
  frame->arrived[i] = arrived;
  if (--frame->left > 0)
    return;
  frame_over (frame);
  g_queue_remove (&frame->fec->live, frame);
  g_free (frame);
}
