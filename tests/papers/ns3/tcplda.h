/* A NewReno of ns-3 that asks one of our LDAs before it halves its window.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda.h>

#include <ns3/internet-module.h>

#include <functional>
#include <map>
#include <string>

class TcpLda : public ns3::TcpNewReno {
public:
  /* Told of each verdict on the segment that begins at `seq`. */
  typedef std::function<void (guint32 seq, RaCause)> OnVerdict;

  static ns3::TypeId GetTypeId ();
  /* `params` as ra_lda_new(); throws std::runtime_error if they are wrong.
   * With `timeouts` those are labelled, too, by `ll` alone.
   * `truth` knows a segment by its sequence number. */
  TcpLda (const std::string &name, const std::string &params, guint64 seed,
      bool timeouts, RaTruth truth, gpointer truth_data,
      const OnVerdict &verdict);
  ~TcpLda () override;

  /* Of the socket that has not connected yet: takes its congestion control and
   * its recovery. */
  static void install (
      ns3::Ptr<TcpLda> lda, ns3::Ptr<ns3::TcpSocketBase> socket);
  /* Paper 001, figure 9: packets by which the window grows each round trip. */
  void set_alpha (gdouble alpha);
  /* A segment leaves, maybe again. */
  void sent (guint32 seq, RaTime now);
  /* The last loss was; its recovery leaves the window alone. */
  bool was_wireless () const;

  std::string GetName () const override;
  uint32_t GetSsThresh (
      ns3::Ptr<const ns3::TcpSocketState> s, uint32_t in_flight) override;
  void CongestionStateSet (ns3::Ptr<ns3::TcpSocketState> s,
      const ns3::TcpSocketState::TcpCongState_t state) override;
  void IncreaseWindow (
      ns3::Ptr<ns3::TcpSocketState> s, uint32_t segments) override;
  void PktsAcked (ns3::Ptr<ns3::TcpSocketState> s, uint32_t segments,
      const ns3::Time &rtt) override;

protected:
  void CongestionAvoidance (
      ns3::Ptr<ns3::TcpSocketState> s, uint32_t segments) override;

private:
  RaCause judge (guint32 seq);

  RaLda *m_lda;
  gdouble m_alpha = 1;
  OnVerdict m_on_verdict;
  std::map<guint32, RaTime> m_sent; /* when last, what is not acknowledged */
  RaArrival m_latest = {};          /* the latest sample, asked about a hole */
  RaCause m_answer = RA_CAUSE_CONGESTION; /* and what was said */
  guint32 m_acked = 0;
  bool m_judges_timeouts, m_by_dupacks = false, m_wireless = false;
  uint32_t m_window = 0; /* to be restored after a timeout; 0: none */
};
