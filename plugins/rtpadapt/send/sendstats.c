/* rtpadaptsend: statistics and messages, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendstats.h"

#include "parts/herald.h"

const Field send_stats_fields[] = {
  { "controller", "", "rate controller in use", "property",
      FIELD_TEXT (SendStats, controller) },
  { "lda", "",
      "loss differentiation of this side; with feedback=tfrc the receiver's "
      "judges, see peer",
      "property", FIELD_TEXT (SendStats, lda) },
  { "estimated-bitrate", "bit/s",
      "what may be sent now, RTP packets with header; 0 behind an open breaker",
      "controller, bounded by the guard", FIELD_UINT (SendStats, rate) },
  { "fec", "", "rule for the FEC level in use", "property",
      FIELD_TEXT (SendStats, fec) },
  { "encoder-bitrate", "bit/s",
      "what the encoders should make, together; 0 where none is driven",
      "split of the rate", FIELD_UINT (SendStats, encoder_rate) },
  { "not-rtp", "buffers", "not RTP, dropped", "element",
      FIELD_UINT64 (SendStats, not_rtp) },
  { "ceased", "packets", "dropped because a circuit breaker was open",
      "RFC 8083 4.5", FIELD_UINT64 (SendStats, ceased) },
  { "probes", "packets", "sent while a breaker was open, to try the path",
      "RFC 8083 4.5", FIELD_UINT64 (SendStats, probes) },
  { "key-requests-held", "requests",
      "for a key frame, held back because the one before was too recent",
      "element", FIELD_UINT64 (SendStats, keys_held) },
  { "messages-dropped", "messages",
      "of losses, or with statistics, that were not posted, since 1,024 waited",
      "element", FIELD_UINT64 (SendStats, unposted) },
  { "feedback-unmapped", "rows",
      "of feedback about packets that are not known here: sent before the start, "
      "or too long ago",
      "ear", FIELD_UINT64 (SendStats, heard.unmapped) },
  { "feedback-doubtful", "reports",
      "left out because rtpsession may have read them wrongly (twcc)", "ear",
      FIELD_UINT64 (SendStats, heard.doubtful) },
  { "realigned", "times",
      "rtpsession's transport-wide numbers differed from ours and were matched "
      "again",
      "ear", FIELD_UINT64 (SendStats, heard.realigned) },
  { "known-congestion", "packets",
      "lost, and a link model or a test says that it was congestion",
      "event RTPAdaptLoss", FIELD_UINT64 (SendStats, heard.known_congestion) },
  { "known-wireless", "packets", "the same, and it was the radio",
      "event RTPAdaptLoss", FIELD_UINT64 (SendStats, heard.known_wireless) },
  { "misread-congestion", "packets",
      "of known-congestion, those that the LDA took for radio losses", "LDA",
      FIELD_UINT64 (SendStats, heard.misread_congestion) },
  { "misread-wireless", "packets",
      "of known-wireless, those that the LDA took for congestion", "LDA",
      FIELD_UINT64 (SendStats, heard.misread_wireless) },
  { "feedback-mode", "", "kind of feedback that counts now: twcc, tfrc, ccfb",
      "what comes from the receiver", FIELD_TEXT (SendStats, mode) },
  { "receiver-judges", "",
      "with that kind the receiver runs the LDA: its verdicts are in peer",
      "feedback-mode", FIELD_BOOLEAN (SendStats, receiver_judges) },
  { "feedback-wanted", "", "kind that is set", "property",
      FIELD_TEXT (SendStats, wanted) },
  { "reports-foreign", "reports", "about others than our streams", "ear",
      FIELD_UINT64 (SendStats, heard.foreign) },
  { "reports-unasked", "reports",
      "of another kind than feedback-mode; if it grows, the two sides are set "
      "differently",
      "ear", FIELD_UINT64 (SendStats, heard.unasked) },
  { "extensions-malformed", "packets",
      "whose header extensions could not be read; sent unchanged", "RFC 8285",
      FIELD_UINT64 (SendStats, malformed) },
  { "reports-ok", "reports", "believed", "ear",
      FIELD_UINT64 (SendStats, heard.heard[RA_HEARD_OK]) },
  { "reports-malformed", "reports", "refused: the bytes are wrong", "ear",
      FIELD_UINT64 (SendStats, heard.heard[RA_HEARD_MALFORMED]) },
  { "reports-old", "reports", "refused: repeated or overtaken", "ear",
      FIELD_UINT64 (SendStats, heard.heard[RA_HEARD_OLD]) },
  { "reports-unsent", "reports", "refused: about what was never sent", "ear",
      FIELD_UINT64 (SendStats, heard.heard[RA_HEARD_UNSENT]) },
  { "reports-fast", "reports", "refused: too many in too short a time", "ear",
      FIELD_UINT64 (SendStats, heard.heard[RA_HEARD_FAST]) },
  { "reports-contrary", "reports",
      "refused: they contradict themselves, or time", "ear",
      FIELD_UINT64 (SendStats, heard.heard[RA_HEARD_CONTRARY]) },
  { "colour", "", "colouring in use", "property",
      FIELD_TEXT (SendStats, colour) },
  { "green-packets", "packets", "sent green: to be dropped last", "RFC 2597",
      FIELD_UINT64 (SendStats, mark_packets[RA_MARK_GREEN]) },
  { "green-bytes", "bytes", "sent green", "RFC 2597",
      FIELD_UINT64 (SendStats, mark_bytes[RA_MARK_GREEN]) },
  { "yellow-packets", "packets", "sent yellow", "RFC 2597",
      FIELD_UINT64 (SendStats, mark_packets[RA_MARK_YELLOW]) },
  { "yellow-bytes", "bytes", "sent yellow", "RFC 2597",
      FIELD_UINT64 (SendStats, mark_bytes[RA_MARK_YELLOW]) },
  { "red-packets", "packets", "sent red: to be dropped first", "RFC 2597",
      FIELD_UINT64 (SendStats, mark_packets[RA_MARK_RED]) },
  { "red-bytes", "bytes", "sent red", "RFC 2597",
      FIELD_UINT64 (SendStats, mark_bytes[RA_MARK_RED]) },
  { "encoders", "elements", "that are driven", "search upstream",
      FIELD_UINT (SendStats, encoders) },
  { "fec-made", "", "an element upstream makes the repair packets",
      "search upstream", FIELD_BOOLEAN (SendStats, fec_made) },
  { "ecn-state", "", "off, testing, capable or failed", "RFC 6679 7.2",
      FIELD_TEXT (SendStats, ecn_state) },
  { "ecn-fault", "",
      "why ECN failed last: none, bleached, remarked, ce-hidden, all-ce or "
      "dropped",
      "RFC 6679 7.4", FIELD_TEXT (SendStats, ecn_fault) },
  { "ecn-failed", "times", "ECN was given up", "RFC 6679 7.4",
      FIELD_UINT (SendStats, heard.ecn_failed) },
  { "ecn-sent", "packets", "sent as ECN-capable, or marked CE as a test",
      "RFC 3168", FIELD_UINT64 (SendStats, heard.ecn_sent) },
  { "ecn-ce", "packets", "that the network marked CE", "RFC 8888 3.1",
      FIELD_UINT64 (SendStats, heard.ecn_ce) },
  { NULL },
};

const Field send_stats_running_fields[] = {
  { "streams", "", "what passes, an entry for each SSRC", "element",
      FIELD_LIST ("stream") },
  { "fec-percentage", "repair packets per 100 media packets",
      "what the FEC rule wants now", "FEC rule",
      FIELD_UINT (SendStats, fec_percentage) },
  { "beside-bitrate", "bit/s",
      "of streams that no encoder of ours makes, as audio; taken off the rate",
      "element", FIELD_UINT64 (SendStats, other_rate) },
  { "packets-sent", "packets",
      "RTP that left, with FEC and what was sent again", "ledger",
      FIELD_UINT64 (SendStats, sender.packets_sent) },
  { "bytes-sent", "bytes", "the same with RTP headers, without UDP's and IP's",
      "ledger", FIELD_UINT64 (SendStats, sender.bytes_sent) },
  { "limit", "",
      "what holds estimated-bitrate where it is: docs/use.md has the words, and "
      "what to do",
      "controller, guard", FIELD_TEXT (SendStats, limit) },
  { "heard-ago", "ns",
      "since feedback or a report about our streams was believed last; -1 before "
      "the first",
      "ear", FIELD_SPAN (SendStats, heard_ago) },
  { "rtt", "ns", "round trip, smoothed; -1 before the first report",
      "RFC 5348 4.3", FIELD_SPAN (SendStats, sender.rtt) },
  { "queue", "ns",
      "how much longer the latest packets took than the fastest ones; -1 where "
      "the feedback has no times",
      "feedback", FIELD_SPAN (SendStats, sender.queue) },
  { "recv-bitrate", "bit/s", "what arrives, as last reported (X_recv)",
      "RFC 5348 3.2.2", FIELD_UINT64 (SendStats, sender.recv_rate) },
  { "p", "0 to 1", "loss event rate, of losses by congestion", "RFC 5348 5.4",
      FIELD_DOUBLE (SendStats, sender.p) },
  { "feedback", "reports", "taken", "sender",
      FIELD_UINT64 (SendStats, sender.feedback) },
  { "feedback-bad", "reports", "or rows of them, refused", "sender",
      FIELD_UINT64 (SendStats, sender.feedback_bad) },
  { "congestion-losses", "packets",
      "lost, by the LDA's verdict to congestion; see receiver-judges", "LDA",
      FIELD_UINT64 (SendStats, sender.loss.congestion) },
  { "wireless-losses", "packets",
      "lost, by the LDA's verdict to the radio; see receiver-judges", "LDA",
      FIELD_UINT64 (SendStats, sender.loss.wireless) },
  { "loss-events", "events", "round trips with a loss by congestion",
      "RFC 5348 5.2", FIELD_UINT (SendStats, sender.loss.events) },
  { "recovered", "packets",
      "that came though three later ones came first: late, not lost",
      "RFC 5348 5.1", FIELD_UINT64 (SendStats, sender.loss.recovered) },
  { "lies", "times", "the receiver claimed packets that were never sent",
      "guard", FIELD_UINT (SendStats, sender.lies) },
  { "liar", "",
      "it did so lately: nothing that it says counts, and the rate is "
      "min-bitrate",
      "guard", FIELD_BOOLEAN (SendStats, sender.liar) },
  { "competes", "",
      "other flows keep the queue full; the latency is theirs to decide",
      "controller", FIELD_BOOLEAN (SendStats, sender.competes) },
  { "friendly-bitrate", "bit/s",
      "what a TCP would get with these losses, without those that are shown to "
      "be the radio's; friendliness-cap multiplies it; 2^64 - 1 while nothing "
      "was lost",
      "RFC 5348 3.1", FIELD_UINT64 (SendStats, sender.friendly) },
  { "radio-loss", "0 to 1",
      "share of all packets that are shown to be lost to the radio, whatever the "
      "LDA says",
      "guard", FIELD_DOUBLE (SendStats, sender.radio_loss) },
  { "breaker", "",
      "what opened a circuit breaker last: none, rtcp-timeout, media-timeout, "
      "congestion, usability",
      "RFC 8083 4", FIELD_TEXT (SendStats, trip) },
  { "breaker-state", "",
      "closed; fallback: a tenth of the rate is tried; open: no media leave",
      "RFC 8083 4.5", FIELD_TEXT (SendStats, breaker) },
  { "observe", "", "inner values of the algorithms, by their papers' letters",
      "algorithms", FIELD_STRUCTURE ("observe") },
  { "repeat-requests", "requests", "for a packet, by the receiver (NACK)",
      "RFC 4585 6.2.1", FIELD_UINT64 (SendStats, repair.nacks) },
  { "repeat-refused", "requests",
      "of these too late or too many, or with retransmission off", "repair",
      FIELD_UINT64 (SendStats, repair.refused) },
  { "repeats-own", "packets", "sent again without being asked for, by feedback",
      "repair", FIELD_UINT64 (SendStats, repair.own) },
  { "repeats-plain", "packets",
      "sent again as they were, to a receiver that is not rtpadaptsrc",
      "repair", FIELD_UINT64 (SendStats, plain) },
  { "repeats-mended", "packets", "lost, and a repetition arrived", "repair",
      FIELD_UINT64 (SendStats, repair.mended) },
  { "repeats-late", "packets", "lost too late for a repetition", "repair",
      FIELD_UINT64 (SendStats, repair.late) },
  { "repeats-over-budget", "packets",
      "not sent again, because a quarter of the rate is the most for that, .4 where .15 are lost",
      "repair", FIELD_UINT64 (SendStats, repair.over) },
  { "repeats-expired", "packets",
      "to be sent again, but dropped here, as they waited until it was too late",
      "repair", FIELD_UINT64 (SendStats, late) },
  { "time", "ns", "when this was written, on the pipeline's clock", "clock",
      FIELD_UINT64 (SendStats, time) },
  { "backlog", "ns", "time that the packets in the pacer's queue take", "pacer",
      FIELD_SPAN (SendStats, backlog) },
  { "dropped", "packets",
      "of frames that were dropped, see max-backlog, too late after an outage, or "
      "left over at the end or where downstream takes no more",
      "pacer", FIELD_UINT64 (SendStats, dropped) },
  { "dropped-frames", "frames",
      "coded frames dropped, see max-backlog, or too late after an outage",
      "pacer", FIELD_UINT64 (SendStats, dropped_frames) },
  { "frames-skipped", "frames", "raw frames kept from encoders, see frame-skip",
      "element", FIELD_UINT64 (SendStats, frames_skipped) },
  { "skipped", "numbers",
      "of our streams that never left: left out, see skip-interval, of packets "
      "dropped here, or missing in what comes in",
      "ledger", FIELD_UINT64 (SendStats, skipped) },
  { NULL },
};

const Field send_stats_heard_fields[] = {
  { "peer-latency", "ns",
      "how long the receiver holds packets now, if it says so", "RTCP APP RADP",
      FIELD_SPAN (RaRadpHold, now) },
  { "peer-max-latency", "ns", "the most that this may come to", "RTCP APP RADP",
      FIELD_SPAN (RaRadpHold, most) },
  { "peer-min-latency", "ns", "the least that this may come down to",
      "RTCP APP RADP", FIELD_SPAN (RaRadpHold, least) },
  { NULL },
};

/* --- a circuit breaker ------------------------------------------------------- */

typedef struct
{
  const gchar *breaker, *state;
} BreakerNews;

const Field send_breaker_fields[] = {
  { "breaker", "", "which: rtcp-timeout, media-timeout, congestion, usability",
      "RFC 8083 4", FIELD_TEXT (BreakerNews, breaker) },
  { "state", "", "closed, fallback or open, as breaker-state of the statistics",
      "RFC 8083 4.5", FIELD_TEXT (BreakerNews, state) },
  { NULL },
};

GstStructure *
send_breaker_news (const RaSenderStats *stats)
{
  return fields_new ("rtpadapt-breaker", send_breaker_fields,
      &(BreakerNews){ ra_breaker_nick (stats->trip),
          ra_breaker_state_nick (stats->breaker) });
}

/* --- the receiver's own words (RADP) --------------------------------------- */

typedef struct
{
  RaRadp radp;
  const gchar *lda;
} PeerStats;

const Field send_stats_peer_fields[] = {
  { "lda", "", "loss differentiation that the receiver uses", "RTCP APP RADP",
      FIELD_TEXT (PeerStats, lda) },
  { "w", "0 to 1", "loss ratio of the radio", "RTCP APP RADP",
      FIELD_DOUBLE (PeerStats, radp.w) },
  { "p-c", "0 to 1", "loss ratio of congestion; wled smooths it, but not w",
      "RTCP APP RADP", FIELD_DOUBLE (PeerStats, radp.p_c) },
  { "delayed", "0 to 1", "share of packets that came late", "RTCP APP RADP",
      FIELD_DOUBLE (PeerStats, radp.delayed) },
  { "burst", "packets", "mean length of a run of radio losses; 0: unknown",
      "RTCP APP RADP", FIELD_DOUBLE (PeerStats, radp.burst) },
  { "queue", "ns", "of the latest packet; -1: unknown", "RTCP APP RADP",
      FIELD_SPAN (PeerStats, radp.queue) },
  { "expected", "packets", "that should have come", "RTCP APP RADP",
      FIELD_UINT (PeerStats, radp.expected) },
  { "arrived", "packets", "that came", "RTCP APP RADP",
      FIELD_UINT (PeerStats, radp.arrived) },
  { "congestion-losses", "packets", "lost to congestion", "RTCP APP RADP",
      FIELD_UINT (PeerStats, radp.lost_congestion) },
  { "wireless-losses", "packets", "lost to the radio", "RTCP APP RADP",
      FIELD_UINT (PeerStats, radp.lost_wireless) },
  { "wireless-runs", "runs", "of radio losses without a packet between",
      "RTCP APP RADP", FIELD_UINT (PeerStats, radp.wireless_runs) },
  { "loss-events", "events", "round trips with a loss by congestion",
      "RTCP APP RADP", FIELD_UINT (PeerStats, radp.n_events) },
  { NULL },
};

static void
heard_set (GstStructure *s, const RaEar *ear)
{
  const RaRadp *radp = ra_ear_radp (ear);

  if (ra_ear_hold (ear))
    fields_set (s, send_stats_heard_fields, ra_ear_hold (ear));
  if (radp) {
    PeerStats said = { *radp, radp->lda };
    g_autoptr (GstStructure) peer
        = fields_new ("peer", send_stats_peer_fields, &said);

    gst_structure_set (s, "peer", GST_TYPE_STRUCTURE, peer, NULL);
  }
}

/* --- all ------------------------------------------------------------------- */

static void
running_set (GstStructure *s, SendStats *stats, const RaSender *sender,
    const Streams *streams, RaTime now)
{
  g_autoptr (GstStructure) values = gst_structure_new_empty ("observe");
  GValue value = G_VALUE_INIT;

  ra_sender_get_stats (sender, &stats->sender);
  stats->trip = ra_breaker_nick (stats->sender.trip);
  stats->breaker = ra_breaker_state_nick (stats->sender.breaker);
  stats->limit = ra_rate_limit_nick (stats->sender.limit);
  stats->fec_percentage = ra_sender_fec (sender);
  stats->other_rate = streams_other_bitrate (streams, now);
  fields_set (s, send_stats_running_fields, stats);
  streams_describe (streams, now, &value);
  gst_structure_take_value (s, "streams", &value);
  ra_sender_observe (sender, herald_observe, values);
  gst_structure_set (s, "observe", GST_TYPE_STRUCTURE, values, NULL);
}

GstStructure *
send_stats_new (SendStats *stats, const RaSender *sender, const RaEar *ear,
    const Streams *streams, RaTime now)
{
  GstStructure *s;

  stats->ecn_state = ra_ecn_state_nick (stats->heard.ecn_state);
  stats->ecn_fault = ra_ecn_fault_nick (stats->heard.ecn_fault);
  s = fields_new ("application/x-rtpadaptsend-stats", send_stats_fields, stats);
  if (ear)
    heard_set (s, ear);
  if (sender)
    running_set (s, stats, sender, streams, now);
  return s;
}
