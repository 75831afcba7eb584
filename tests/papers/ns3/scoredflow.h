/* A flow that has no score of its own, as those of ns-3: its packets are scored
 * as they are seen in the network.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "flow.h"

class ScoredFlow : public Flow {
public:
  ScoredFlow (
      const FlowGroup &group, const Place &place, const std::string &name);
  ~ScoredFlow () override;

  void lost (const FlowTag &tag, guint size, RaCause cause) override;

protected:
  void on_arrived (
      const FlowTag &tag, guint size, RaSpan queued, bool ce) override;
  void result (RaRun *run) override;

  RaScore *const m_score;

private:
  const std::string m_name;
};
