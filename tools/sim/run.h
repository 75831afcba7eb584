/* One run, reported: the only place that knows the keys of a result.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/score/score.h>

G_BEGIN_DECLS

/* Unknown numbers are NaN and become null. */
typedef struct
{
  const gchar *controller, *lda;
  gdouble start; /* s */
  RaScoreResult score;
  gdouble let_through;   /* goodput / (capacity * (1 - wireless loss ratio)) */
  gdouble fec_overhead;  /* repair packets / media packets */
  gdouble residual_loss; /* media packets missing after repair / sent */
  gdouble frames_sent, frames_decoded;
  gdouble frozen_s, longest_freeze_s;
  gdouble ssim;        /* of what was shown, missing frames as frozen */
  gdouble encoder_bps; /* mean target the encoder was given */
  /* Largest |wire / target - 1| over any 5 s: settled, that is 5 s after the
   * warm-up and after each change of capacity; and with those changes in. */
  gdouble encoder_error, encoder_error_any;
} RaRun;

/* All numbers NaN. */
void ra_run_init (RaRun *run, const gchar *controller, const gchar *lda);
/* Takes the score and what follows from it. */
void ra_run_set_score (RaRun *run, const RaScoreResult *score);
/* One line, an object.  (transfer full) */
gchar *ra_run_to_json (const RaRun *run);
/* "key unit meaning" per line: the keys of a line, and those of a run in it.
 * (transfer full) */
gchar *ra_run_describe (void);
/* FALSE: not all that was printed could be written. */
gboolean ra_stdout_flush (GError **error);
/* `text` as a JSON string with its quotes.  (transfer full) */
gchar *ra_json_string (const gchar *text);

G_END_DECLS
