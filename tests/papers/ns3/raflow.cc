/* A flow of ours: RaSender and RaReceiver at the two ends of an ns-3 network.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

#include <tools/sim/flow.h>
#include <tools/sim/options.h>

#include <map>
#include <stdexcept>

using namespace ns3;

#define RA_PORT 5004
#define RA_HEADERS (20 + 8) /* IP, UDP */
#define OBSERVED_EACH (100 * RA_MSECOND)
#define ECT_0 2    /* RFC 3168 5, in the TOS byte */
#define DISTINCT 4 /* values that are counted one by one */

class RaFlow : public Flow {
public:
  RaFlow (const FlowGroup &group, const Place &place);
  ~RaFlow () override;

  void lost (const FlowTag &tag, guint size, RaCause cause) override;

protected:
  void on_arrived (
      const FlowTag &tag, guint size, RaSpan queued, bool ce) override;
  void result (RaRun *run) override;
  std::string more () override;

private:
  struct Seen
  {
    gdouble sum = 0;
    guint n = 0;
    std::map<gdouble, guint> values;
  };

  static void packet_send (const RaLinkPacket *lp, RaTime t, gpointer self);
  static void feedback_send (guint64 id, guint size, RaTime t, gpointer self);
  static void observed (const gchar *name, gdouble value, gpointer self);
  void setup ();
  void send (Ptr<Socket> socket, FlowTag tag, guint size);
  void run ();
  void wait ();
  void observe ();

  SimSetup m_setup;
  SimFlow *m_flow;
  Ptr<Socket> m_there, m_back;
  EventId m_event;
  std::map<std::string, gdouble> m_seeing; /* now */
  std::map<std::string, Seen> m_seen;
};

static Ptr<Socket>
socket_new (Ptr<Node> node, Ipv4Address own, Ipv4Address peer)
{
  Ptr<Socket> socket
      = Socket::CreateSocket (node, UdpSocketFactory::GetTypeId ());

  socket->Bind (InetSocketAddress (own, RA_PORT));
  socket->Connect (InetSocketAddress (peer, RA_PORT));
  return socket;
}

void
RaFlow::setup ()
{
  g_autoptr (GError) error = nullptr;
  SimOptions options;
  RaSimConfig *cfg = &m_setup.cfg;

  sim_options_init (&options);
  options.friendliness_cap = options.breakers = 0; /* as in the papers */
  for (const auto &option : m_group.options) {
    if (!sim_options_set (
            &options, option.first.c_str (), option.second.c_str (), &error))
      throw std::runtime_error (option.first + ": " + error->message);
  }
  options.packet_size = m_group.packet_size;
  options.seconds = ra_seconds ((RaSpan) m_place.end);
  options.warmup = ra_seconds ((RaSpan) m_place.warmup);
  options.seed = (gdouble) m_place.seed;
  if (!sim_setup_init (&m_setup, &options, &error))
    throw std::runtime_error (error->message);
  cfg->flow.start = (RaSpan) m_place.start;
  cfg->flow.stop = (RaSpan) m_place.stop;
  cfg->idle_from = ra_span (m_group.pause);
  cfg->idle_until = ra_span (m_group.resume);
  if (cfg->per_packet)
    cfg->grain = ra_span (m_group.grain);
}

RaFlow::RaFlow (const FlowGroup &group, const Place &place)
    : Flow (group, place)
{
  g_autoptr (GError) error = nullptr;
  SimPath path = { packet_send, feedback_send, nullptr, this };

  setup ();
  m_there = socket_new (place.sender, place.from, place.to);
  m_back = socket_new (place.receiver, place.to, place.from);
  if (group.ecn > 0)
    m_there->SetIpTos (ECT_0);
  m_flow = sim_flow_new (&m_setup.cfg, place.index, &path, &error);
  if (!m_flow)
    throw std::runtime_error (error->message);
  Simulator::Schedule (NanoSeconds (place.start), &RaFlow::run, this);
  Simulator::Schedule (
      NanoSeconds (MAX (place.start, place.warmup)), &RaFlow::observe, this);
}

RaFlow::~RaFlow ()
{
  sim_flow_free (m_flow);
  sim_setup_clear (&m_setup);
}

void
RaFlow::send (Ptr<Socket> socket, FlowTag tag, guint size)
{
  Ptr<Packet> p = Create<Packet> (MAX (size, RA_HEADERS + 1u) - RA_HEADERS);

  tag.flow = m_place.index;
  tag.sent = now ();
  p->AddPacketTag (tag);
  if (!tag.back)
    sent (size);
  socket->Send (p);
}

void
RaFlow::packet_send (const RaLinkPacket *lp, RaTime, gpointer data)
{
  RaFlow *self = static_cast<RaFlow *> (data);
  FlowTag tag;

  tag.seq = lp->seq;
  tag.mark = lp->mark;
  self->send (self->m_there, tag, lp->size);
}

void
RaFlow::feedback_send (guint64 id, guint size, RaTime, gpointer data)
{
  RaFlow *self = static_cast<RaFlow *> (data);
  FlowTag tag;

  tag.seq = id;
  tag.back = 1;
  /* RFC 7657 5.4: feedback is the last to be dropped. */
  tag.mark = RA_MARK_GREEN;
  self->send (self->m_back, tag, size);
}

void
RaFlow::on_arrived (const FlowTag &tag, guint size, RaSpan queued, bool ce)
{
  RaLinkPacket lp = {};

  lp.seq = tag.seq;
  lp.size = size;
  lp.queued = queued;
  if (ce && !tag.back)
    sim_flow_mark (m_flow, tag.seq);
  if (tag.back)
    sim_flow_feedback (m_flow, tag.seq, now ());
  else
    sim_flow_deliver (m_flow, &lp, now ());
  wait ();
}

void
RaFlow::lost (const FlowTag &tag, guint size, RaCause cause)
{
  RaLinkPacket lp = {};

  lp.seq = tag.seq;
  lp.size = size;
  if (!tag.back)
    sim_flow_drop (m_flow, &lp, cause, now ());
}

void
RaFlow::run ()
{
  sim_flow_run (m_flow, now ());
  wait ();
}

void
RaFlow::wait ()
{
  RaTime next = sim_flow_next (m_flow, now ());

  Simulator::Cancel (m_event);
  if (next < m_place.end)
    m_event = Simulator::Schedule (
        NanoSeconds (next > now () ? next - now () : 0), &RaFlow::run, this);
}

void
RaFlow::observed (const gchar *name, gdouble value, gpointer data)
{
  static_cast<RaFlow *> (data)->m_seeing[name] = value;
}

void
RaFlow::observe ()
{
  RaSimView view = sim_flow_view (m_flow);

  /* Both ends have an LDA; where the receiver's works, its word comes last. */
  ra_sim_observe (&view, observed, this);
  for (const auto &row : m_seeing) {
    Seen &seen = m_seen[row.first];

    if (!std::isfinite (row.second))
      continue;
    seen.sum += row.second;
    seen.n++;
    if (seen.values.size () <= DISTINCT)
      seen.values[row.second]++;
  }
  m_seeing.clear ();
  if (now () + OBSERVED_EACH < m_place.stop)
    Simulator::Schedule (NanoSeconds (OBSERVED_EACH), &RaFlow::observe, this);
}

void
RaFlow::result (RaRun *run)
{
  sim_flow_result (m_flow, now (), run);
}

/* Means over time; of what has few values, a scheme for one, its shares. */
std::string
RaFlow::more ()
{
  std::ostringstream out;
  const char *comma = "";

  out << ", \"observed\": {";
  for (const auto &row : m_seen) {
    const Seen &seen = row.second;

    if (!seen.n)
      continue;
    out << comma << "\"" << row.first << "\": " << seen.sum / seen.n;
    comma = ", ";
    if (seen.values.size () > DISTINCT)
      continue;
    for (const auto &value : seen.values)
      out << ", \"" << row.first << "=" << value.first
          << "\": " << (gdouble) value.second / seen.n;
  }
  out << "}";
  return out.str ();
}

Flow *
ra_flow_new (const FlowGroup &group, const Place &place)
{
  return new RaFlow (group, place);
}
