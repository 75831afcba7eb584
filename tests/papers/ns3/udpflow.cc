/* Cross traffic that does not listen: on and off.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scoredflow.h"

#include <ns3/applications-module.h>
#include <ns3/core-module.h>

using namespace ns3;

#define UDP_PORT 9
#define UDP_HEADERS (20 + 8) /* IP, UDP */

class UdpFlow : public ScoredFlow {
public:
  UdpFlow (const FlowGroup &group, const Place &place);

private:
  void on_outgoing (const Ipv4Header &header, Ptr<const Packet> p, guint32);
};

/* Pareto of that mean with a shape, else exponential; 0: none at all. */
static std::string
span (gdouble mean, gdouble shape)
{
  std::ostringstream text;

  if (mean <= 0)
    text << "ns3::ConstantRandomVariable[Constant=0]";
  else if (shape > 1)
    text << "ns3::ParetoRandomVariable[Shape=" << shape
         << "|Scale=" << mean * (shape - 1) / shape << "]";
  else
    text << "ns3::ExponentialRandomVariable[Mean=" << mean << "]";
  return text.str ();
}

UdpFlow::UdpFlow (const FlowGroup &group, const Place &place)
    : ScoredFlow (group, place, "udp")
{
  InetSocketAddress peer (place.to, UDP_PORT);
  OnOffHelper source ("ns3::UdpSocketFactory", peer);
  PacketSinkHelper sink ("ns3::UdpSocketFactory", peer);
  ApplicationContainer apps;

  /* OnOffApplication counts without headers. */
  source.SetAttribute ("DataRate",
      DataRateValue (DataRate ((guint64) (group.rate
          * (group.packet_size - UDP_HEADERS) / group.packet_size))));
  source.SetAttribute (
      "PacketSize", UintegerValue ((guint) group.packet_size - UDP_HEADERS));
  source.SetAttribute ("OnTime", StringValue (span (group.on, group.shape)));
  source.SetAttribute ("OffTime", StringValue (span (group.off, group.shape)));
  apps = source.Install (place.sender);
  apps.Start (NanoSeconds (place.start));
  apps.Stop (NanoSeconds (place.stop));
  /* OnOffApplication tells of a packet when it is gone. */
  place.sender->GetObject<Ipv4L3Protocol> ()->TraceConnectWithoutContext (
      "SendOutgoing", MakeCallback (&UdpFlow::on_outgoing, this));
  sink.Install (place.receiver);
}

void
UdpFlow::on_outgoing (const Ipv4Header &header, Ptr<const Packet> p, guint32)
{
  FlowTag tag;

  tag.flow = m_place.index;
  tag.sent = now ();
  p->AddPacketTag (tag);
  ra_score_sent (m_score, p->GetSize () + header.GetSerializedSize (), now ());
}

Flow *
udp_flow_new (const FlowGroup &group, const Place &place)
{
  return new UdpFlow (group, place);
}
