/* A flow that has no score of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scoredflow.h"

ScoredFlow::ScoredFlow (
    const FlowGroup &group, const Place &place, const std::string &name)
    : Flow (group, place),
      m_score (ra_score_new (0, (RaSpan) MAX (place.warmup, place.start))),
      m_name (name)
{
}

ScoredFlow::~ScoredFlow ()
{
  ra_score_free (m_score);
}

void
ScoredFlow::on_arrived (const FlowTag &, guint size, RaSpan queued, bool)
{
  ra_score_arrived (m_score, size, queued, now ());
}

void
ScoredFlow::lost (const FlowTag &, guint size, RaCause cause)
{
  ra_score_lost (m_score, size, cause, now ());
}

void
ScoredFlow::result (RaRun *run)
{
  RaScoreResult score;

  ra_run_init (run, m_name.c_str (), m_group.lda.c_str ());
  ra_score_get (m_score, MIN (now (), m_place.stop), &score);
  ra_run_set_score (run, &score);
  run->start = ra_seconds ((RaSpan) m_place.start);
}
