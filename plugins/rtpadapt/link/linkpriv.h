/* rtpadaptlink's own: the element's struct, shared by its two files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstrtpadaptlink.h"
#include "linkpath.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptlink_debug);

struct _GstRtpAdaptLink
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  GMutex lock; /* all below; never held while anything is pushed */
  GCond cond;  /* something below changed */

  gchar *text;       /* the last good one */
  gchar *text_error; /* what is wrong with the latest: refuse to start */
  guint64 seed;
  guint overhead;

  GstClock *clock;
  gboolean started, playing; /* in PAUSED or PLAYING; in PLAYING */
  GstClockID wait;           /* what the task sleeps on */
  RaTime wait_until;
  GstFlowReturn flow; /* of the src pad; FLUSHING: nothing may run */
  gboolean eos;

  LinkPath path; /* open from READY to PAUSED on */
};

/* linkpads.c */
void gst_rtp_adapt_link_add_templates (GstElementClass *klass);
void gst_rtp_adapt_link_add_pads (GstRtpAdaptLink *self);
/* Both with the lock held.  Does all that is due; FALSE if time does not
 * run. */
gboolean gst_rtp_adapt_link_advance (GstRtpAdaptLink *self);
/* Something changed: wakes the task if it would sleep too long. */
void gst_rtp_adapt_link_wake (GstRtpAdaptLink *self);

G_END_DECLS
