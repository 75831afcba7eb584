/* A chain of routers, and flows that enter and leave it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "flow.h"
#include "wire.h"

class Network {
public:
  /* Throws std::exception if something in it is wrong. */
  explicit Network (const Scenario &scenario);
  ~Network ();
  Network (const Network &) = delete;

  void run ();
  std::string json ();

private:
  struct Access
  {
    ns3::Ptr<ns3::Node> node;
    ns3::Ipv4Address address;
  };

  void hops_make ();
  Access access_make (guint router, const Duplex &duplex);
  void flow_make (const FlowGroup &group, guint nth);
  guint connect (ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b,
      const Duplex &duplex, ns3::Ipv4Address net);
  void on_deliver (const ns3::Ipv4Header &header, ns3::Ptr<const ns3::Packet> p,
      guint32 interface);
  void on_lost (const FlowTag &tag, guint size, RaCause cause);

  const Scenario m_scenario;
  RaTime m_warmup, m_end;
  gint64 m_began; /* us of real time */
  ns3::Ptr<ns3::UniformRandomVariable> m_starts;
  std::vector<ns3::Ptr<ns3::Node> > m_routers;
  std::vector<guint> m_accesses; /* of each router */
  std::vector<ns3::Ptr<WireChannel> > m_wires, m_hops;
  std::vector<std::unique_ptr<Flow> > m_flows;
};
