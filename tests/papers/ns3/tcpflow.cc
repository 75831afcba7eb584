/* A TCP of ns-3 that always has data, or a number of bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tcpflow.h"
#include "tcpdcr.h"

#include <stdexcept>

using namespace ns3;

#define TCP_PORT 5001
#define TCP_HEADERS (20 + 20 + 12) /* IP, TCP, its timestamps */
#define BUFFER (8 << 20)

TcpFlow::TcpFlow (const FlowGroup &group, const Place &place)
    : ScoredFlow (group, place, "tcp " + group.tcp), m_colour (nullptr),
      m_delivered (0), m_left (group.bytes), m_missing (0), m_transfers (0)
{
  m_congestion = factory_parse ("ns3::Tcp" + group.tcp);
  if (!group.lda.empty ())
    lda_install ();
  if (!group.colour.empty ())
    colour_install ();
  if (group.idle > 0) {
    m_size = CreateObject<UniformRandomVariable> ();
    m_idle = CreateObject<ExponentialRandomVariable> ();
  }
  listen ();
  Simulator::Schedule (
      NanoSeconds (place.start), &TcpFlow::next_transfer, this);
  if (place.stop < place.end)
    Simulator::Schedule (NanoSeconds (place.stop), &TcpFlow::stop, this);
}

TcpFlow::~TcpFlow ()
{
  ra_colour_free (m_colour);
}

Ptr<Socket>
TcpFlow::socket_new (Ptr<Node> node)
{
  /* RFC 6675 and 6937 need SACK; what the papers call NewReno has neither. */
  TypeId recovery = TypeId::LookupByName (
      m_group.sack > 0 ? "ns3::TcpPrrRecovery" : "ns3::TcpClassicRecovery");
  Ptr<TcpSocketBase> socket = tcp_new (node, recovery, m_group.dcr > 0);

  socket->SetCongestionControlAlgorithm (
      factory_create<TcpCongestionOps> (m_congestion));
  socket->SetAttribute ("Sack", BooleanValue (m_group.sack > 0));
  /* With RFC 3042 and no SACK, ns-3 3.37 loses count of what is in flight: under
   * 5 % loss it sends 12 % again and delivers 2.5 times what RFC 5348 3.1 says,
   * without it 5 % and 1.06 times. */
  socket->SetAttribute ("LimitedTransmit", BooleanValue (m_group.sack > 0));
  socket->SetAttribute (
      "SegmentSize", UintegerValue ((guint) m_group.packet_size - TCP_HEADERS));
  socket->SetAttribute ("SndBufSize", UintegerValue (BUFFER));
  socket->SetAttribute ("RcvBufSize", UintegerValue ((guint) m_group.window));
  socket->SetMinRto (Seconds (m_group.min_rto));
  socket->SetClockGranularity (Seconds (m_group.rto_margin));
  socket->SetAttribute ("DelAckCount", UintegerValue ((guint) m_group.delack));
  socket->SetAttribute (
      "InitialCwnd", UintegerValue ((guint) m_group.initial_window));
  return socket;
}

void
TcpFlow::listen ()
{
  m_listener = socket_new (m_place.receiver);
  m_listener->Bind (InetSocketAddress (m_place.to, TCP_PORT));
  m_listener->Listen ();
  m_listener->SetAcceptCallback (
      MakeNullCallback<bool, Ptr<Socket>, const Address &> (),
      MakeCallback (&TcpFlow::on_accept, this));
}

void
TcpFlow::on_accept (Ptr<Socket> socket, const Address &)
{
  socket->SetRecvCallback (MakeCallback (&TcpFlow::on_readable, this));
}

void
TcpFlow::on_readable (Ptr<Socket> socket)
{
  Ptr<Packet> p;

  while ((p = socket->Recv ()) && p->GetSize () > 0) {
    if (now () >= m_place.warmup)
      m_delivered += p->GetSize ();
    m_missing -= p->GetSize ();
    if (m_idle && m_missing <= 0) {
      m_transfers++;
      Simulator::Schedule (Seconds (m_idle->GetValue (m_group.idle, 0)),
          &TcpFlow::next_transfer, this);
    }
  }
}

/* What became of the segment that begins at `seq`, the last time. */
RaCause
TcpFlow::truth (guint64 seq, gpointer data)
{
  TcpFlow *self = static_cast<TcpFlow *> (data);
  auto it = self->m_truth.find ((guint32) seq);

  return it == self->m_truth.end () ? RA_CAUSE_NONE : it->second;
}

/* Paper 001: NewReno-FF, -LL and -PL. */
void
TcpFlow::lda_install ()
{
  if (m_group.tcp != "NewReno" || m_group.dcr > 0)
    throw std::runtime_error ("only tcp NewReno can have an lda");
  m_lda = Create<TcpLda> (m_group.lda, m_group.lda_params,
      m_place.seed * 1000 + m_place.index, m_group.label_timeouts > 0, truth,
      this,
      [this] (guint32 seq, RaCause verdict) { on_verdict (seq, verdict); });
  m_lda->set_alpha (m_group.alpha);
}

/* Counted, too: shares of few verdicts cannot be averaged over flows. */
void
TcpFlow::on_verdict (guint32 seq, RaCause verdict)
{
  RaCause cause = truth (seq, this);

  ra_score_verdict (m_score, verdict, cause, now ());
  if (cause != RA_CAUSE_NONE && now () >= m_place.warmup)
    m_verdicts[cause == RA_CAUSE_WIRELESS][verdict == RA_CAUSE_WIRELESS]++;
}

/* Paper 004, 2: "packet marking may be done by edge routers, based on
 * rate-metering". */
void
TcpFlow::colour_install ()
{
  const RaColourOps *ops = ra_colour_find (m_group.colour.c_str ());
  g_autoptr (GError) error = nullptr;

  if (!ops)
    throw std::runtime_error ("no colour '" + m_group.colour + "'");
  m_colour = ra_colour_new (ops, m_group.colour_params.c_str (), &error);
  if (!m_colour)
    throw std::runtime_error ("colour-params: " + std::string (error->message));
  ra_colour_set_rate (m_colour, (guint64) m_group.assured);
}

/* RFC 8868 5.1: downloads interleaved with idle periods, each on a connection
 * of its own. */
void
TcpFlow::next_transfer ()
{
  if (now () >= m_place.stop)
    return;
  m_left = m_group.bytes;
  if (m_idle && m_group.bytes_to > m_group.bytes)
    m_left = floor (m_size->GetValue (m_group.bytes, m_group.bytes_to));
  m_missing = m_left;
  connect ();
}

void
TcpFlow::connect ()
{
  m_socket = socket_new (m_place.sender);
  if (m_lda)
    TcpLda::install (m_lda, DynamicCast<TcpSocketBase> (m_socket));
  m_socket->TraceConnectWithoutContext (
      "Tx", MakeCallback (&TcpFlow::on_tx, this));
  m_socket->TraceConnectWithoutContext (
      "RTT", MakeCallback (&TcpFlow::on_rtt, this));
  m_socket->SetSendCallback (MakeCallback (&TcpFlow::on_writable, this));
  m_socket->Bind (InetSocketAddress (m_place.from, 0));
  m_socket->Connect (InetSocketAddress (m_place.to, TCP_PORT));
}

/* As much as its buffer takes. */
void
TcpFlow::on_writable (Ptr<Socket> socket, guint32)
{
  while (m_group.bytes <= 0 || m_left > 0) {
    guint32 room = socket->GetTxAvailable ();
    guint32 n = m_group.bytes > 0 ? (guint32) MIN (room, m_left) : room;

    if (n == 0 || socket->Send (Create<Packet> (n)) <= 0)
      return;
    m_left -= n;
  }
  close ();
}

void
TcpFlow::close ()
{
  m_left = 0;
  if (m_socket)
    m_socket->Close ();
}

/* A transfer that has begun is completed.  What has no end fills BUFFER, which
 * would be sent for long. */
void
TcpFlow::stop ()
{
  if (m_group.bytes > 0)
    close ();
  else if (m_socket)
    tcp_abort (m_socket);
}

/* Data is tagged as it leaves, again if it is sent again. */
void
TcpFlow::on_tx (
    Ptr<const Packet> p, const TcpHeader &header, Ptr<const TcpSocketBase>)
{
  Ptr<Packet> packet = ConstCast<Packet> (p);
  FlowTag tag;

  if (p->GetSize () == 0)
    return;
  packet->RemovePacketTag (tag);
  tag.flow = m_place.index;
  tag.seq = header.GetSequenceNumber ().GetValue ();
  tag.sent = now ();
  if (m_colour) {
    RaColourPacket cp
        = { p->GetSize () + TCP_HEADERS, RA_IMPORTANCE_UNKNOWN, FALSE };

    tag.mark = ra_colour_mark (m_colour, &cp, now ());
  }
  p->AddPacketTag (tag);
  auto segment = m_sent.insert ({ (guint32) tag.seq, { now (), false } });
  segment.first->second.again = !segment.second;
  if (m_lda)
    m_lda->sent ((guint32) tag.seq, now ());
  ra_score_sent (m_score, p->GetSize () + TCP_HEADERS, now ());
}

/* Paper 002, 4.2.4: how long a segment takes that had to be sent again. */
void
TcpFlow::on_arrived (const FlowTag &tag, guint size, RaSpan queued, bool ce)
{
  auto it = m_sent.find ((guint32) tag.seq);

  if (it != m_sent.end ()) {
    if (it->second.again && now () >= m_place.warmup)
      m_repeated.push_back (
          ra_seconds (ra_diff (now (), it->second.first)) * 1000);
    m_sent.erase (it);
  }
  ScoredFlow::on_arrived (tag, size, queued, ce);
}

void
TcpFlow::on_rtt (Time, Time rtt)
{
  if (now () >= m_place.warmup)
    m_rtts.push_back (rtt.GetSeconds () * 1000);
}

static void
spread_add (std::ostringstream &out, const char *name,
    const std::vector<gdouble> &values)
{
  gdouble n = (gdouble) values.size (), sum = 0, squares = 0;

  if (n < 1)
    return;
  for (gdouble value : values)
    sum += value;
  for (gdouble value : values)
    squares += (value - sum / n) * (value - sum / n);
  out << ", \"" << name << "_ms\": " << sum / n << ", \"" << name
      << "_sd_ms\": " << sqrt (squares / n);
}

void
TcpFlow::lost (const FlowTag &tag, guint size, RaCause cause)
{
  m_truth[(guint32) tag.seq] = cause;
  ScoredFlow::lost (tag, size, cause);
}

/* What the application got, without what came twice. */
std::string
TcpFlow::more ()
{
  RaTime from = MAX (m_place.start, m_place.warmup);
  gdouble seconds = ra_seconds (ra_diff (MIN (now (), m_place.stop), from));

  std::ostringstream out;

  out << std::fixed
      << ", \"delivered_bps\": " << (gdouble) m_delivered * 8 / seconds
      << ", \"transfers\": " << m_transfers;
  spread_add (out, "repeated", m_repeated);
  spread_add (out, "rtt", m_rtts);
  if (m_lda)
    out << ", \"n_cc\": " << m_verdicts[0][0]
        << ", \"n_wc\": " << m_verdicts[0][1]
        << ", \"n_cw\": " << m_verdicts[1][0]
        << ", \"n_ww\": " << m_verdicts[1][1];
  return out.str ();
}

Flow *
tcp_flow_new (const FlowGroup &group, const Place &place)
{
  return new TcpFlow (group, place);
}
