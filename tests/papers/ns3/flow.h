/* A flow of packets from one node to another, and how it fared.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "scenario.h"
#include "tag.h"
#include "util.h"

#include <tools/sim/run.h>

#include <ns3/internet-module.h>
#include <ns3/network-module.h>

/* Where and when. */
struct Place
{
  guint index; /* of the flow, over all groups */
  guint nth;   /* in its group */
  guint64 seed;
  RaTime start, stop, warmup, end;
  gdouble series; /* s; 0: none */
  ns3::Ptr<ns3::Node> sender, receiver;
  ns3::Ipv4Address from, to;
};

class Flow {
public:
  Flow (const FlowGroup &group, const Place &place);
  virtual ~Flow ();
  Flow (const Flow &) = delete;

  /* A packet with its tag reached the receiver, of `size` bytes; `ce`: a queue on
   * its way marked it (ECN). */
  void arrived (const FlowTag &tag, guint size, bool ce);
  virtual void lost (const FlowTag &tag, guint size, RaCause cause) = 0;
  std::string json ();

protected:
  /* For the series of what is sent. */
  void sent (guint size);
  virtual void on_arrived (
      const FlowTag &tag, guint size, RaSpan queued, bool ce)
      = 0;
  virtual void result (RaRun *run) = 0;
  /* More of the JSON: ", \"key\": value". */
  virtual std::string more ();

  const FlowGroup m_group;
  const Place m_place;

private:
  RaSpan m_least; /* shortest way so far */
  void count (std::vector<gdouble> &bits, guint size) const;
  std::string series_json (
      const char *key, const std::vector<gdouble> &bits) const;

  std::vector<gdouble> m_bits, m_sent; /* per bin of the series */
};

Flow *ra_flow_new (const FlowGroup &group, const Place &place);
Flow *tcp_flow_new (const FlowGroup &group, const Place &place);
Flow *udp_flow_new (const FlowGroup &group, const Place &place);
