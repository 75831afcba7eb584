/* Cross traffic that does not listen: on and off.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

#include <ns3/applications-module.h>
#include <ns3/core-module.h>

using namespace ns3;

#define PORT 9
#define HEADERS (20 + 8) /* IP, UDP */

class UdpFlow : public Flow {
public:
  UdpFlow (const FlowGroup &group, const Place &place);
  ~UdpFlow () override;

protected:
  void on_arrived (const FlowTag &tag, guint size, RaSpan queued) override;
  void on_lost (const FlowTag &tag, guint size, RaCause cause) override;
  void result (RaRun *run) override;

private:
  void on_outgoing (const Ipv4Header &header, Ptr<const Packet> p, guint32);

  RaScore *m_score;
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
    : Flow (group, place),
      m_score (ra_score_new (0, (RaSpan) MAX (place.warmup, place.start)))
{
  InetSocketAddress peer (place.to, PORT);
  OnOffHelper source ("ns3::UdpSocketFactory", peer);
  PacketSinkHelper sink ("ns3::UdpSocketFactory", peer);
  ApplicationContainer apps;

  /* OnOffApplication counts without headers. */
  source.SetAttribute ("DataRate",
      DataRateValue (DataRate ((guint64) (group.rate
          * (group.packet_size - HEADERS) / group.packet_size))));
  source.SetAttribute (
      "PacketSize", UintegerValue ((guint) group.packet_size - HEADERS));
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

UdpFlow::~UdpFlow ()
{
  ra_score_free (m_score);
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

void
UdpFlow::on_arrived (const FlowTag &, guint size, RaSpan queued)
{
  ra_score_arrived (m_score, size, queued, now ());
}

void
UdpFlow::on_lost (const FlowTag &, guint size, RaCause cause)
{
  ra_score_lost (m_score, size, cause, now ());
}

void
UdpFlow::result (RaRun *run)
{
  RaScoreResult score;

  ra_run_init (run, "udp", "");
  ra_score_get (m_score, MIN (now (), m_place.stop), &score);
  ra_run_set_score (run, &score);
  run->start = ra_seconds ((RaSpan) m_place.start);
}

Flow *
udp_flow_new (const FlowGroup &group, const Place &place)
{
  return new UdpFlow (group, place);
}
