/* TCP of ns-3, and TCP-DCR: one that responds to congestion a round trip late.
 * S. Bhandarkar, N. E. Sadry, A. L. N. Reddy, N. H. Vaidya, "TCP-DCR: A Novel
 * Protocol for Tolerating Wireless Channel Errors", IEEE TMC 4(5), 2005, 3.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This is the timer form (3.3).  What ns-3 3.37 allows, and what not:
 * - DupAck() and EnterRecovery() cannot be overridden, only called.  So the
 *   thresholds on dupacks (the socket's, and that of the send buffer, which
 *   marks losses by SACK) are out of reach while a response may be delayed, and
 *   the timer calls EnterRecovery().
 * - ns-3 knows a dupack with SACK by new SACK information (RFC 6675), not by the
 *   acknowledgement number.  One that does both, a hole filled and another one
 *   seen, is the first dupack of the other one.
 * - ns-3 halves what is in flight, here as in its TCP-SACK, and not the window.
 *   If the receiver's window held new data back during the delay, it is what was
 *   in flight at the first dupack.
 * - ns-3 counts time in nanoseconds; the paper's clock ticks each 10 ms (4).
 */
#include "tcpdcr.h"

#include <algorithm>

using namespace ns3;

#define DUPACKS 3        /* RFC 5681 3.2 */
#define NEVER (1u << 30) /* dupacks */

/* ns-3's, but for this: where what was sent and not acknowledged fills the
 * receiver's window to the last byte, TcpTxBuffer::NextSeg() offers a segment of
 * no bytes, and ns-3 3.37 falls over it.  It asks in two places: before it sends
 * what is pending, and when a partial acknowledgement makes it send again. */
class TcpMended : public TcpSocketBase {
public:
  static TypeId
  GetTypeId ()
  {
    static TypeId id
        = TypeId ("rtpadapt::TcpMended").SetParent<TcpSocketBase> ();
    return id;
  }
  TypeId
  GetInstanceTypeId () const override
  {
    return GetTypeId ();
  }
  void abort ();

protected:
  uint32_t AvailableWindow () const override;
  uint32_t SendDataPacket (
      SequenceNumber32 seq, uint32_t size, bool with_ack) override;
};

uint32_t
TcpMended::AvailableWindow () const
{
  bool recovers = m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
  SequenceNumber32 from, to;

  if (UnAckDataCount () + m_tcb->m_segmentSize > m_rWnd
      && m_txBuffer->NextSeg (&from, &to, m_sackEnabled && recovers)
      && to < from + m_tcb->m_segmentSize)
    return 0;
  return TcpSocketBase::AvailableWindow ();
}

/* ns-3 sends the head again where NextSeg() has nothing to offer. */
uint32_t
TcpMended::SendDataPacket (SequenceNumber32 seq, uint32_t size, bool with_ack)
{
  if (size > 0)
    return TcpSocketBase::SendDataPacket (seq, size, with_ack);
  m_tcb->m_nextTxSequence = m_txBuffer->HeadSequence ();
  return TcpSocketBase::SendDataPacket (
      m_txBuffer->HeadSequence (), m_tcb->m_segmentSize, with_ack);
}

void
TcpMended::abort ()
{
  if (m_state == CLOSED)
    return;
  SendRST ();
  CloseAndNotify ();
}

class TcpDcr : public TcpMended {
public:
  static TypeId
  GetTypeId ()
  {
    static TypeId id = TypeId ("rtpadapt::TcpDcr").SetParent<TcpMended> ();
    return id;
  }
  TypeId
  GetInstanceTypeId () const override
  {
    return GetTypeId ();
  }
  ~TcpDcr () override
  {
    m_delay.Cancel ();
  }

protected:
  void ReceivedAck (Ptr<Packet> p, const TcpHeader &header) override;

private:
  bool may_wait () const;
  void thresholds_set (uint32_t dupacks);
  void window_grow ();
  void on_expired ();

  EventId m_delay;          /* tau */
  uint32_t m_held_back = 0; /* dupacks since it began */
  uint32_t m_flight = 0;    /* bytes, when it began */
};

static bool
is_disordered (Ptr<TcpSocketState> s)
{
  return s->m_congState == TcpSocketState::CA_DISORDER;
}

/* 3.3: "only during the congestion avoidance phase"; in recovery, other holes
 * are SACK's business. */
bool
TcpDcr::may_wait () const
{
  return m_tcb->m_cWnd >= m_tcb->m_ssThresh
      && (m_tcb->m_congState == TcpSocketState::CA_OPEN
          || is_disordered (m_tcb));
}

void
TcpDcr::thresholds_set (uint32_t dupacks)
{
  m_retxThresh = dupacks;
  m_txBuffer->SetDupAckThresh (dupacks);
}

/* 3.3: in the delay the window evolves by congestion avoidance, but a dupack
 * lets one new packet out, not more: so the increase comes at the end. */
void
TcpDcr::window_grow ()
{
  for (; m_held_back > 0; m_held_back--)
    m_congestionControl->IncreaseWindow (m_tcb, 1);
}

void
TcpDcr::ReceivedAck (Ptr<Packet> p, const TcpHeader &header)
{
  SequenceNumber32 head = m_txBuffer->HeadSequence ();
  uint32_t dupacks = m_dupAckCount;
  bool waits = m_delay.IsRunning () || may_wait ();

  thresholds_set (waits ? NEVER : DUPACKS);
  if (m_delay.IsRunning () && header.GetAckNumber () > head) {
    m_delay.Cancel (); /* 3.1: the packet came after all */
    window_grow ();
  }
  TcpMended::ReceivedAck (p, header);
  if (!waits || !is_disordered (m_tcb)) {
    m_delay.Cancel ();
    return;
  }
  /* 3.2: one smoothed RTT, from the first dupack on */
  if (!m_delay.IsRunning ()) {
    m_held_back = 0;
    m_flight = BytesInFlight ();
    m_delay = Simulator::Schedule (
        m_rtt->GetEstimate (), &TcpDcr::on_expired, this);
  }
  if (m_dupAckCount > dupacks)
    m_held_back++;
}

/* "then it is treated as a packet lost due to congestion" */
void
TcpDcr::on_expired ()
{
  if (!is_disordered (m_tcb))
    return; /* a timeout was first */
  window_grow ();
  thresholds_set (DUPACKS);
  /* 3.2: no timeout before the packet that is sent now can be acknowledged;
   * Sack1 of ns-2 begins it anew, too.  It runs since before the delay. */
  m_retxEvent.Cancel ();
  EnterRecovery (0);
  m_tcb->m_ssThresh = std::max (m_tcb->m_ssThresh.Get (), m_flight / 2);
  SendPendingData (m_connected);
}

/* As TcpL4Protocol::CreateSocket(), which makes no other class. */
Ptr<TcpSocketBase>
tcp_new (Ptr<Node> node, TypeId recovery, bool dcr)
{
  Ptr<TcpL4Protocol> tcp = node->GetObject<TcpL4Protocol> ();
  Ptr<TcpSocketBase> socket;
  ObjectFactory factory;
  TypeIdValue rtt;

  if (dcr)
    socket = CreateObject<TcpDcr> ();
  else
    socket = CreateObject<TcpMended> ();
  tcp->GetAttribute ("RttEstimatorType", rtt);
  factory.SetTypeId (rtt.Get ());
  socket->SetNode (node);
  socket->SetTcp (tcp);
  socket->SetRtt (factory.Create<RttEstimator> ());
  factory.SetTypeId (recovery);
  socket->SetRecoveryAlgorithm (factory.Create<TcpRecoveryOps> ());
  tcp->AddSocket (socket);
  return socket;
}

void
tcp_abort (Ptr<Socket> socket)
{
  DynamicCast<TcpMended> (socket)->abort ();
}
