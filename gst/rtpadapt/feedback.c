/* The kinds of feedback, which both sides choose from.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtpadapt/feedback-list.inc>

#include <string.h>

const RaFeedbackOps *const ra_feedbacks[] = { RA_LIST };

#define N_KINDS ((gint) G_N_ELEMENTS (ra_feedbacks) - 1)

gboolean
ra_feedback_send_times (const RaFeedbackOps *kind)
{
  return kind && g_strcmp0 (kind->extension, RA_SEND_TS_URI) == 0;
}

const RaFeedbackOps *
ra_feedback_at (gint place)
{
  return place >= 0 && place < N_KINDS ? ra_feedbacks[place] : NULL;
}

gint
ra_feedback_place (const RaFeedbackOps *kind)
{
  for (gint i = 0; kind && i < N_KINDS; i++) {
    if (ra_feedbacks[i] == kind)
      return i;
  }
  return -1;
}

const RaFeedbackOps *
ra_feedback_named (const guint8 *letters, gsize len)
{
  for (gint i = 0; i < N_KINDS; i++) {
    const gchar *name = ra_feedbacks[i]->name;

    if (strlen (name) == len && memcmp (name, letters, len) == 0)
      return ra_feedbacks[i];
  }
  return NULL;
}

const gchar *
ra_feedback_name (const RaFeedbackOps *kind)
{
  return kind ? kind->name : "none";
}
