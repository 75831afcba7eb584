/* Links between two nodes: ns-3's devices and queues, and from the library what
 * ns-3 lacks: losses of the radio, and whole chains of link models.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "scenario.h"
#include "tag.h"

#include <gst/rtpadapt/link.h>

#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>

#include <functional>
#include <memory>

/* Somebody who is told of every loss, with its true cause. */
typedef std::function<void (const FlowTag &, guint size, RaCause)> OnLost;

/* One direction: from a device that queues to the device at the other end. */
class Wire {
public:
  /* Throws std::runtime_error if a chain is wrong.  Measures what happens after
   * `warmup`. */
  Wire (const Link &link, ns3::Ptr<ns3::SimpleNetDevice> from,
      ns3::Ptr<ns3::SimpleNetDevice> to, guint64 seed, RaTime warmup,
      const OnLost &lost);
  ~Wire ();
  Wire (const Wire &) = delete;

  /* A packet leaves the device `from`. */
  void send (ns3::Ptr<ns3::Packet> p, guint16 protocol, ns3::Mac48Address to,
      ns3::Mac48Address from);
  /* {"capacity_bps": ...} of (warmup, now]; the capacity of a chain is that of
   * now. */
  std::string json (RaTime now);

private:
  struct Item;
  static void chain_deliver (const RaLinkPacket *lp, RaTime, gpointer self);
  static void chain_drop (const RaLinkPacket *lp, RaCause cause, const gchar *,
      RaTime, gpointer self);
  static void chain_discard (const RaLinkPacket *lp, gpointer);
  void chain_run ();
  void chain_wait ();
  void start_measuring ();
  void on_enqueue (ns3::Ptr<const ns3::Packet> p);
  void on_drop (ns3::Ptr<const ns3::Packet> p);
  void on_mark (ns3::Ptr<const ns3::QueueDiscItem> item, const char *reason);
  void on_disc_drop (ns3::Ptr<const ns3::QueueDiscItem> item);
  void queue_seen (gdouble seconds);
  gdouble queue_now () const;
  void rate_set (gdouble bps);
  void aqm_install (const std::string &text);
  gdouble capacity (RaTime now) const;

  Link m_link;
  ns3::Ptr<ns3::SimpleNetDevice> m_from, m_to;
  ns3::Ptr<ns3::QueueDisc> m_aqm; /* NULL: none */
  OnLost m_lost;
  RaLink *m_chain;
  ns3::EventId m_event;
  RaTime m_warmup;
  gdouble m_rate;
  /* Measured. */
  guint64 m_bytes = 0, m_arrivals = 0, m_drops = 0, m_marks = 0;
  std::vector<gfloat> m_queue; /* ms, as each packet found it */
};

/* A link there and back; ns-3 calls Send(). */
class WireChannel : public ns3::SimpleChannel {
public:
  void Send (ns3::Ptr<ns3::Packet> p, guint16 protocol, ns3::Mac48Address to,
      ns3::Mac48Address from, ns3::Ptr<ns3::SimpleNetDevice> sender) override;

  ns3::Ptr<ns3::SimpleNetDevice> device[2];
  std::unique_ptr<Wire> wire[2]; /* that starts at that device */
};

ns3::Ptr<WireChannel> wire_connect (const Duplex &duplex, ns3::Ptr<ns3::Node> a,
    ns3::Ptr<ns3::Node> b, guint64 seed, RaTime warmup, const OnLost &lost);
