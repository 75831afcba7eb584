/* A chain of routers, and flows that enter and leave it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "network.h"

#include <ns3/core-module.h>

using namespace ns3;

/* Hop h is 172.16.h.0; what is joined to router r has 10.r.0.0/16, so that a
 * router needs one route per other router. */
#define HOP_NET(h) Ipv4Address (0xac100000u | (h) << 8)
#define ACCESS_NET(r, i) Ipv4Address (0x0a000000u | (r) << 16 | (i) << 2)
#define ROUTER_NET(r) Ipv4Address (0x0a000000u | (r) << 16)

static Ptr<Ipv4StaticRouting>
routes_of (Ptr<Node> node)
{
  return Ipv4RoutingHelper::GetRouting<Ipv4StaticRouting> (
      node->GetObject<Ipv4> ()->GetRoutingProtocol ());
}

static Ptr<Node>
node_new ()
{
  Ptr<Node> node = CreateObject<Node> ();
  InternetStackHelper stack;
  Ipv4StaticRoutingHelper routing;

  stack.SetRoutingHelper (routing);
  stack.SetIpv6StackInstall (false);
  stack.Install (node);
  return node;
}

Network::Network (const Scenario &scenario)
    : m_scenario (scenario), m_warmup ((RaTime) ra_span (scenario.warmup)),
      m_end ((RaTime) ra_span (scenario.seconds)),
      m_began (g_get_monotonic_time ())
{
  RngSeedManager::SetSeed (1);
  RngSeedManager::SetRun ((guint64) scenario.seed);
  m_starts = CreateObject<UniformRandomVariable> ();
  hops_make ();
  for (const FlowGroup &group : m_scenario.flows) {
    for (guint nth = 0; nth < group.count; nth++)
      flow_make (group, nth);
  }
}

Network::~Network ()
{
  m_flows.clear ();
  m_wires.clear ();
  m_hops.clear ();
  Simulator::Destroy ();
}

/* Returns the interface at `a`; the one of `b` has net + 2. */
guint
Network::connect (
    Ptr<Node> a, Ptr<Node> b, const Duplex &duplex, Ipv4Address net)
{
  Ptr<WireChannel> wire = wire_connect (duplex, a, b,
      (guint64) m_scenario.seed * 100000 + m_wires.size (), m_warmup,
      [this] (const FlowTag &tag, guint size, RaCause cause) {
        on_lost (tag, size, cause);
      });
  Ptr<Node> nodes[] = { a, b };
  guint at_a = 0;

  for (guint i = 0; i < 2; i++) {
    Ptr<Ipv4> ip = nodes[i]->GetObject<Ipv4> ();
    guint interface = ip->AddInterface (wire->device[i]);

    ip->AddAddress (interface,
        Ipv4InterfaceAddress (
            Ipv4Address (net.Get () + 1 + i), Ipv4Mask ("255.255.255.252")));
    ip->SetUp (interface);
    if (i == 0)
      at_a = interface;
  }
  m_wires.push_back (wire);
  return at_a;
}

void
Network::hops_make ()
{
  guint n = (guint) m_scenario.hops.size ();

  for (guint r = 0; r <= n; r++)
    m_routers.push_back (node_new ());
  m_accesses.resize (n + 1);
  for (guint h = 0; h < n; h++) {
    guint left = connect (
        m_routers[h], m_routers[h + 1], m_scenario.hops[h], HOP_NET (h));
    guint right = m_routers[h + 1]->GetObject<Ipv4> ()->GetNInterfaces () - 1;

    m_hops.push_back (m_wires.back ());
    for (guint r = 0; r <= n; r++) {
      Ptr<Node> router = m_routers[r > h ? h : h + 1];
      Ipv4Address peer (HOP_NET (h).Get () + (r > h ? 2 : 1));

      routes_of (router)->AddNetworkRouteTo (
          ROUTER_NET (r), "255.255.0.0", peer, r > h ? left : right);
    }
  }
}

Network::Access
Network::access_make (guint router, const Duplex &duplex)
{
  Ipv4Address net = ACCESS_NET (router, m_accesses[router]++);
  Ptr<Node> node = node_new ();

  connect (node, m_routers[router], duplex, net);
  routes_of (node)->SetDefaultRoute (Ipv4Address (net.Get () + 2), 1);
  return { node, Ipv4Address (net.Get () + 1) };
}

void
Network::flow_make (const FlowGroup &group, guint nth)
{
  /* The receiver's link is laid from its end, too. */
  Duplex out = { group.out.back, group.out.there };
  Access sender = access_make ((guint) group.from, group.in);
  Access receiver = access_make ((guint) group.to, out);
  Place place = {};
  Flow *flow;

  place.index = (guint) m_flows.size ();
  place.nth = nth;
  place.seed = (guint64) m_scenario.seed;
  place.start = (RaTime) ra_span (
      group.start + m_starts->GetValue (0, 1) * group.spread);
  place.stop
      = group.stop > 0 ? MIN ((RaTime) ra_span (group.stop), m_end) : m_end;
  place.warmup = m_warmup;
  place.end = m_end;
  place.series = m_scenario.series;
  place.sender = sender.node;
  place.receiver = receiver.node;
  place.from = sender.address;
  place.to = receiver.address;
  for (Ptr<Node> node : { sender.node, receiver.node })
    node->GetObject<Ipv4L3Protocol> ()->TraceConnectWithoutContext (
        "LocalDeliver", MakeCallback (&Network::on_deliver, this));
  flow = group.kind == "ra" ? ra_flow_new (group, place)
      : group.kind == "tcp" ? tcp_flow_new (group, place)
                            : udp_flow_new (group, place);
  m_flows.emplace_back (flow);
}

void
Network::on_deliver (const Ipv4Header &header, Ptr<const Packet> p, guint32)
{
  FlowTag tag;

  if (p->PeekPacketTag (tag))
    m_flows[tag.flow]->arrived (tag,
        p->GetSize () + header.GetSerializedSize (),
        header.GetEcn () == Ipv4Header::ECN_CE);
}

void
Network::on_lost (const FlowTag &tag, guint size, RaCause cause)
{
  m_flows[tag.flow]->lost (tag, size, cause);
}

void
Network::run ()
{
  Simulator::Stop (NanoSeconds (m_end));
  Simulator::Run ();
}

std::string
Network::json ()
{
  std::ostringstream out;
  const char *comma = "";

  out << "{\"seconds\": " << m_scenario.seconds - m_scenario.warmup
      << ", \"wall_s\": "
      << (gdouble) (g_get_monotonic_time () - m_began) / G_USEC_PER_SEC
      << ",\n\"flows\": [";
  for (const auto &flow : m_flows) {
    out << comma << "\n  " << flow->json ();
    comma = ",";
  }
  out << "],\n\"hops\": [";
  comma = "";
  for (const auto &hop : m_hops) {
    out << comma << "\n  "
        << json_add (hop->wire[0]->json (m_end),
               ", \"back\": " + hop->wire[1]->json (m_end));
    comma = ",";
  }
  out << "]}";
  return out.str ();
}
