/* A TCP of ns-3 that always has data, or a number of bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "scoredflow.h"
#include "tcplda.h"

#include <gst/rtpadapt/colour.h>

#include <map>

class TcpFlow : public ScoredFlow {
public:
  TcpFlow (const FlowGroup &group, const Place &place);
  ~TcpFlow () override;

  void lost (const FlowTag &tag, guint size, RaCause cause) override;

protected:
  void on_arrived (
      const FlowTag &tag, guint size, RaSpan queued, bool ce) override;
  std::string more () override;

private:
  /* A segment that has not come yet. */
  struct Sent
  {
    RaTime first;
    bool again;
  };

  ns3::Ptr<ns3::Socket> socket_new (ns3::Ptr<ns3::Node> node);
  void listen ();
  void connect ();
  void lda_install ();
  void colour_install ();
  static RaCause truth (guint64 seq, gpointer self);
  void on_verdict (guint32 seq, RaCause verdict);
  void next_transfer ();
  void close ();
  void stop ();
  void on_accept (ns3::Ptr<ns3::Socket> socket, const ns3::Address &from);
  void on_readable (ns3::Ptr<ns3::Socket> socket);
  void on_writable (ns3::Ptr<ns3::Socket> socket, guint32 room);
  void on_tx (ns3::Ptr<const ns3::Packet> p, const ns3::TcpHeader &header,
      ns3::Ptr<const ns3::TcpSocketBase> socket);
  void on_rtt (ns3::Time before, ns3::Time rtt);

  ns3::ObjectFactory m_congestion;
  ns3::Ptr<ns3::Socket> m_listener, m_socket;
  ns3::Ptr<TcpLda> m_lda; /* NULL: none */
  RaColour *m_colour;     /* NULL: none */
  guint64 m_delivered;    /* bytes */
  gdouble m_left;         /* bytes to send, if there is an end */
  gdouble m_missing;      /* bytes of this transfer that have not come */
  guint m_transfers;      /* that are complete */
  ns3::Ptr<ns3::UniformRandomVariable> m_size; /* NULL: one transfer */
  ns3::Ptr<ns3::ExponentialRandomVariable> m_idle;
  std::map<guint32, RaCause> m_truth; /* by sequence number */
  guint m_verdicts[2][2] = {};        /* [truly wireless][said to be] */
  std::map<guint32, Sent> m_sent;     /* by sequence number */
  std::vector<gdouble> m_repeated; /* ms from the first time to the receiver */
  std::vector<gdouble> m_rtts;     /* ms */
};
