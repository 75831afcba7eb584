/* Links between two nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire.h"

#include "util.h"

#include <gio/gio.h>

#include <algorithm>
#include <stdexcept>

using namespace ns3;

/* On its way through a chain. */
struct Wire::Item
{
  Ptr<Packet> packet;
  guint16 protocol;
  Mac48Address to, from;
};

Wire::Wire (const Link &link, Ptr<SimpleNetDevice> from,
    Ptr<SimpleNetDevice> to, guint64 seed, RaTime warmup, const OnLost &lost)
    : m_link (link), m_from (from), m_to (to), m_lost (lost), m_chain (nullptr),
      m_warmup (warmup), m_rate (0)
{
  static const RaLinkSink sink
      = { chain_deliver, chain_drop, chain_discard, g_file_get_contents };
  const std::string &text = link.link.empty () ? link.loss : link.link;
  Ptr<Queue<Packet> > queue = from->GetQueue ();
  g_autoptr (GError) error = nullptr;

  m_chain = ra_link_parse (text.c_str (), seed, &sink, this, &error);
  if (!m_chain)
    throw std::runtime_error (text + ": " + error->message);
  Simulator::Schedule (NanoSeconds (warmup), &Wire::start_measuring, this);
  queue->TraceConnectWithoutContext (
      "Drop", MakeCallback (&Wire::on_drop, this));
  queue->TraceConnectWithoutContext (
      "Enqueue", MakeCallback (&Wire::on_enqueue, this));
  if (!link.link.empty ())
    return; /* the device passes everything on at once */
  queue->SetMaxSize (link.queue_bytes > 0
          ? QueueSize (QueueSizeUnit::BYTES, (guint32) link.queue_bytes)
          : QueueSize (QueueSizeUnit::PACKETS, (guint32) link.queue));
  rate_set (link.rate.value[0]);
  for (guint i = 1; i < link.rate.n; i++)
    Simulator::Schedule (NanoSeconds (link.rate.at[i]), &Wire::rate_set, this,
        link.rate.value[i]);
  if (!link.aqm.empty ())
    aqm_install (link.aqm);
}

Wire::~Wire ()
{
  ra_link_free (m_chain);
}

void
Wire::rate_set (gdouble bps)
{
  m_rate = bps;
  m_from->SetAttribute ("DataRate", DataRateValue (DataRate ((guint64) bps)));
}

/* ns-3's queue discs stand before the device, whose own queue is then short. */
void
Wire::aqm_install (const std::string &text)
{
  Ptr<NetDeviceQueueInterface>
      interface = CreateObject<NetDeviceQueueInterface> ();
  Ptr<TrafficControlLayer> tc
      = m_from->GetNode ()->GetObject<TrafficControlLayer> ();
  m_from->GetQueue ()->SetMaxSize (QueueSize (QueueSizeUnit::PACKETS, 1));
  interface->GetTxQueue (0)->ConnectQueueTraces (m_from->GetQueue ());
  m_from->AggregateObject (interface);
  m_aqm = factory_create<QueueDisc> (factory_parse (text));
  m_aqm->TraceConnectWithoutContext (
      "Drop", MakeCallback (&Wire::on_disc_drop, this));
  m_aqm->TraceConnectWithoutContext (
      "Mark", MakeCallback (&Wire::on_mark, this));
  tc->SetRootQueueDiscOnDevice (m_from, m_aqm);
}

void
Wire::start_measuring ()
{
  m_bytes = m_arrivals = m_drops = m_marks = 0;
  m_queue.clear ();
}

void
Wire::queue_seen (gdouble seconds)
{
  m_arrivals++;
  m_queue.push_back ((gfloat) (seconds * 1000));
}

gdouble
Wire::queue_now () const
{
  guint64 bytes = m_from->GetQueue ()->GetNBytes ();

  if (m_aqm)
    bytes += m_aqm->GetNBytes ();
  return m_rate > 0 ? (gdouble) bytes * 8 / m_rate : 0;
}

void
Wire::on_enqueue (Ptr<const Packet> p)
{
  if (m_link.link.empty ())
    queue_seen (queue_now () - (m_rate > 0 ? p->GetSize () * 8 / m_rate : 0));
}

void
Wire::on_drop (Ptr<const Packet> p)
{
  FlowTag tag;

  m_drops++;
  if (p->PeekPacketTag (tag))
    m_lost (tag, p->GetSize (), RA_CAUSE_CONGESTION);
}

void
Wire::on_disc_drop (Ptr<const QueueDiscItem> item)
{
  on_drop (item->GetPacket ());
}

void
Wire::on_mark (Ptr<const QueueDiscItem>, const char *)
{
  m_marks++;
}

void
Wire::send (Ptr<Packet> p, guint16 protocol, Mac48Address to, Mac48Address from)
{
  RaLinkPacket lp = {};
  FlowTag tag;

  if (p->PeekPacketTag (tag)) {
    lp.flow = tag.flow;
    lp.seq = tag.seq;
    lp.mark = (RaMark) tag.mark;
  }
  lp.size = p->GetSize ();
  lp.data = new Item{ p, protocol, to, from };
  if (m_link.link.empty ())
    m_bytes += lp.size;
  ra_link_push (m_chain, &lp, now ());
  chain_wait ();
}

void
Wire::chain_deliver (const RaLinkPacket *lp, RaTime, gpointer data)
{
  Wire *self = static_cast<Wire *> (data);
  std::unique_ptr<Item> item (static_cast<Item *> (lp->data));
  gdouble delay = 0;

  if (self->m_link.link.empty ()) {
    delay = self->m_link.delay;
  } else {
    self->m_bytes += lp->size;
    self->queue_seen (ra_seconds (lp->queued));
  }
  Simulator::ScheduleWithContext (self->m_to->GetNode ()->GetId (),
      Seconds (delay), &SimpleNetDevice::Receive, self->m_to, item->packet,
      item->protocol, item->to, item->from);
}

void
Wire::chain_drop (
    const RaLinkPacket *lp, RaCause cause, const gchar *, RaTime, gpointer data)
{
  Wire *self = static_cast<Wire *> (data);
  std::unique_ptr<Item> item (static_cast<Item *> (lp->data));
  FlowTag tag;

  self->m_drops += cause == RA_CAUSE_CONGESTION;
  if (cause != RA_CAUSE_CONGESTION && !self->m_link.link.empty ())
    self->m_bytes += lp->size; /* it crossed the bottleneck (000 IV) */
  if (item->packet->PeekPacketTag (tag))
    self->m_lost (tag, lp->size, cause);
}

void
Wire::chain_discard (const RaLinkPacket *lp, gpointer)
{
  delete static_cast<Item *> (lp->data);
}

void
Wire::chain_run ()
{
  ra_link_run (m_chain, now ());
  chain_wait ();
}

void
Wire::chain_wait ()
{
  RaTime next = ra_link_next (m_chain);

  Simulator::Cancel (m_event);
  if (next != RA_TIME_NONE)
    m_event
        = Simulator::Schedule (NanoSeconds (next > now () ? next - now () : 0),
            &Wire::chain_run, this);
}

/* Mean over (warmup, end]; of a chain the value at the end, for it knows no
 * other. */
gdouble
Wire::capacity (RaTime end) const
{
  const RaSchedule &rate = m_link.rate;
  gdouble bits = 0;

  if (!m_link.link.empty ())
    return (gdouble) ra_link_capacity (m_chain, end);
  for (guint i = 0; i < rate.n; i++) {
    RaTime from = std::max ((RaTime) rate.at[i], m_warmup);
    RaTime to = i + 1 < rate.n ? std::min ((RaTime) rate.at[i + 1], end) : end;

    if (to > from)
      bits += rate.value[i] * ra_seconds ((RaSpan) (to - from));
  }
  return bits / ra_seconds ((RaSpan) (end - m_warmup));
}

std::string
Wire::json (RaTime end)
{
  gdouble seconds = ra_seconds ((RaSpan) (end - m_warmup)), sum = 0;
  gdouble bps = capacity (end), used = (gdouble) m_bytes * 8 / seconds;
  gsize p95 = m_queue.size () * 95 / 100;
  std::ostringstream out;

  for (gfloat ms : m_queue)
    sum += ms;
  if (!m_queue.empty ())
    std::nth_element (m_queue.begin (), m_queue.begin () + p95, m_queue.end ());
  out << "{\"capacity_bps\": " << bps << ", \"throughput_bps\": " << used
      << ", \"utilisation\": " << (bps > 0 ? used / bps : 0)
      << ", \"queue_ms_mean\": "
      << (m_queue.empty () ? 0 : sum / (gdouble) m_queue.size ())
      << ", \"queue_ms_p95\": " << (m_queue.empty () ? 0 : m_queue[p95])
      << ", \"drops\": " << m_drops << ", \"marks\": " << m_marks
      << ", \"arrivals\": " << m_arrivals + m_drops << "}";
  return out.str ();
}

void
WireChannel::Send (Ptr<Packet> p, guint16 protocol, Mac48Address to,
    Mac48Address from, Ptr<SimpleNetDevice> sender)
{
  wire[sender == device[1]]->send (p, protocol, to, from);
}

Ptr<WireChannel>
wire_connect (const Duplex &duplex, Ptr<Node> a, Ptr<Node> b, guint64 seed,
    RaTime warmup, const OnLost &lost)
{
  Ptr<WireChannel> channel = Create<WireChannel> ();
  Ptr<Node> nodes[] = { a, b };

  for (guint i = 0; i < 2; i++) {
    Ptr<SimpleNetDevice> device = CreateObject<SimpleNetDevice> ();

    device->SetAttribute ("PointToPointMode", BooleanValue (true));
    device->SetAddress (Mac48Address::Allocate ());
    device->SetQueue (CreateObject<DropTailQueue<Packet> > ());
    device->SetChannel (channel);
    nodes[i]->AddDevice (device);
    channel->device[i] = device;
  }
  for (guint i = 0; i < 2; i++)
    channel->wire[i].reset (new Wire (i ? duplex.back : duplex.there,
        channel->device[i], channel->device[!i], seed * 2 + i, warmup, lost));
  return channel;
}
