/* A NewReno of ns-3 that asks one of our LDAs before it halves its window.
 * D. Barman, I. Matta, "Effectiveness of loss labeling in improving TCP
 * performance in wired/wireless networks", ICNP 2002, 2: NewReno-FF is the LDA
 * `flipflop`, NewReno-LL `ll`, NewReno-PL `ll` with both probabilities 1.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What ns-3 3.37 allows, and what not:
 * - GetSsThresh() must return a threshold, so "no change" returns the old one.
 *   The socket sets the window to it as recovery ends, just before it calls
 *   ExitRecovery(): our recovery puts the window back there.
 * - RFC 6582's inflation is a number for traces only: ns-3 counts what dupacks
 *   took off the network as not in flight.  So after a wireless verdict each
 *   dupack lets one new segment out below the same window, as in ns-2.
 * - One verdict for each recovery, on the segment at its head.  What else is
 *   missing in that window, partial acknowledgements repair without asking.
 * - PktsAcked() brings the smoothed RTT, and a dupack brings it once more.  The
 *   paper's filter is parallel to the smoothing and fed "on every new ACK" (2.2),
 *   so samples are our own: since the first segment of what is new was last
 *   sent, as RFC 7323 4.3 would echo it, without its clock's steps of 1 ms.
 * - GetSsThresh() is not told why: CongestionStateSet() comes before it if it was
 *   dupacks.  A timeout finds any state, CA_RECOVERY if what was sent again is
 *   lost again.
 * - For NewReno-FF all timeouts are congestion; their effects "we account for
 *   through our variant with perfect loss labeling" (2.2), and NewReno-LL labels
 *   "a loss event" (2.1).  So the truth is asked about timeouts, too.  The socket
 *   then has a window of 1 all the same; ours is back with the next new ACK.
 *   "Timeouts do not contribute to our loss classification process, only duplicate
 *   ACKs" (footnote 5): without label-timeouts they are congestion for all.
 */
#include "tcplda.h"

#include "util.h"

#include <stdexcept>

using namespace ns3;

/* RFC 6582, unless the loss was wireless: then the window stays. */
class Recovery : public TcpClassicRecovery {
public:
  static TypeId
  GetTypeId ()
  {
    static TypeId id
        = TypeId ("rtpadapt::Recovery").SetParent<TcpClassicRecovery> ();
    return id;
  }
  TypeId
  GetInstanceTypeId () const override
  {
    return GetTypeId ();
  }
  explicit Recovery (Ptr<TcpLda> lda) : m_lda (lda), m_window (0)
  {
  }

  void
  EnterRecovery (Ptr<TcpSocketState> s, uint32_t dupacks, uint32_t unacked,
      uint32_t delivered) override
  {
    m_window = s->m_cWnd;
    if (!m_lda->was_wireless ())
      TcpClassicRecovery::EnterRecovery (s, dupacks, unacked, delivered);
  }
  void
  ExitRecovery (Ptr<TcpSocketState> s) override
  {
    TcpClassicRecovery::ExitRecovery (s);
    if (m_lda->was_wireless ())
      s->m_cWnd = s->m_cWndInfl = m_window;
  }
  Ptr<TcpRecoveryOps>
  Fork () override
  {
    return CopyObject<Recovery> (Ptr<Recovery> (this));
  }

private:
  Ptr<TcpLda> m_lda;
  uint32_t m_window;
};

TypeId
TcpLda::GetTypeId ()
{
  static TypeId id = TypeId ("rtpadapt::TcpLda").SetParent<TcpNewReno> ();
  return id;
}

TcpLda::TcpLda (const std::string &name, const std::string &params,
    guint64 seed, bool timeouts, RaTruth truth, gpointer truth_data,
    const OnVerdict &verdict)
    : m_lda (nullptr), m_on_verdict (verdict),
      m_judges_timeouts (timeouts && name == "ll")
{
  const RaLdaOps *ops = ra_lda_find (name.c_str ());
  g_autoptr (GError) error = nullptr;

  if (!ops)
    throw std::runtime_error ("there is no lda '" + name + "'");
  m_lda = ra_lda_new (ops, params.c_str (), &error);
  if (!m_lda)
    throw std::runtime_error ("lda-params: " + std::string (error->message));
  ra_lda_set_truth (m_lda, truth, truth_data);
  ra_lda_set_seed (m_lda, seed);
  m_latest.n_lost = 1;
}

TcpLda::~TcpLda ()
{
  ra_lda_free (m_lda);
}

void
TcpLda::install (Ptr<TcpLda> lda, Ptr<TcpSocketBase> socket)
{
  socket->SetCongestionControlAlgorithm (lda);
  socket->SetRecoveryAlgorithm (Create<Recovery> (lda));
}

std::string
TcpLda::GetName () const
{
  return "TcpLda";
}

bool
TcpLda::was_wireless () const
{
  return m_wireless;
}

void
TcpLda::set_alpha (gdouble alpha)
{
  m_alpha = alpha;
}

void
TcpLda::sent (guint32 seq, RaTime now)
{
  m_sent[seq] = now;
}

/* Each sample is asked about a hole before it; the answer is kept for the next
 * dupack, which has no sample of its own (figure 2: the vector as it is). */
void
TcpLda::PktsAcked (Ptr<TcpSocketState> s, uint32_t, const Time &rtt)
{
  guint32 acked = s->m_lastAckedSeq.GetValue ();
  auto first = m_sent.lower_bound (m_acked), end = m_sent.lower_bound (acked);

  if (acked <= m_acked)
    return; /* a dupack */
  m_acked = acked;
  if (first == end)
    return;
  m_latest.seq++;
  m_latest.iat
      = m_latest.arrival ? ra_diff (now (), m_latest.arrival) : RA_SPAN_NONE;
  m_latest.arrival = now ();
  m_latest.rtt_sample = m_latest.rott = ra_diff (now (), first->second);
  m_latest.rtt = rtt.GetNanoSeconds ();
  m_latest.size = m_latest.bytes_lost = s->m_segmentSize;
  m_answer = ra_lda_on_packet (m_lda, &m_latest);
  m_sent.erase (m_sent.begin (), end);
}

/* Figure 2. */
RaCause
TcpLda::judge (guint32 seq)
{
  RaCause cause = ra_lda_on_missing (m_lda, &m_latest, seq, m_answer);

  m_on_verdict (seq, cause);
  return cause;
}

void
TcpLda::CongestionStateSet (
    Ptr<TcpSocketState> s, const TcpSocketState::TcpCongState_t state)
{
  m_by_dupacks = state == TcpSocketState::CA_RECOVERY;
  TcpNewReno::CongestionStateSet (s, state);
}

uint32_t
TcpLda::GetSsThresh (Ptr<const TcpSocketState> s, uint32_t in_flight)
{
  bool by_timeout = !m_by_dupacks;

  m_by_dupacks = false;
  m_wireless = (!by_timeout || m_judges_timeouts)
      && judge (s->m_lastAckedSeq.GetValue ()) == RA_CAUSE_WIRELESS;
  if (!m_wireless) {
    m_window = 0;
    return TcpNewReno::GetSsThresh (s, in_flight);
  }
  /* Again before the window was back: it is still that of then. */
  if (by_timeout && !m_window)
    m_window = s->m_cWnd;
  return s->m_ssThresh;
}

void
TcpLda::IncreaseWindow (Ptr<TcpSocketState> s, uint32_t segments)
{
  if (m_window > 0)
    s->m_cWnd = m_window;
  m_window = 0;
  TcpNewReno::IncreaseWindow (s, segments);
}

/* As TcpNewReno's, which has an alpha of 1. */
void
TcpLda::CongestionAvoidance (Ptr<TcpSocketState> s, uint32_t segments)
{
  gdouble segment = s->m_segmentSize, window = s->m_cWnd;

  if (m_alpha == 1)
    TcpNewReno::CongestionAvoidance (s, segments);
  else if (segments > 0)
    s->m_cWnd += (uint32_t) MAX (m_alpha * segment * segment / window, 1);
}
