/* What is sent again, and when: by the sender's own feedback and by request.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/repair/repair.h>

#include <gst/rtpadapt/repair/block.h>
#include <gst/rtpadapt/repair/playout.h>
#include <gst/rtpadapt/util/noise.h>

#include <math.h>
#include <string.h>

/* Packets over which the loss is averaged: at 5 % it is known to a fifth. */
#define LOSS_PACKETS 500
/* The worse of two of these is what the copies are planned for: in 5 s of 300 packets/s
 * 5 % are known to a ninth. */
#define BUCKET (5 * RA_SECOND)
#define WORST_WINDOW (10 * RA_SECOND)
/* RFC 3550 A.8 smooths the jitter by as much. */
#define JITTER_REPORTS 16
/* 95 % of normal noise lies below 1.64 standard deviations above its middle. */
#define P95 1.64
/* Media packets over which their wait is averaged: a second at 3 Mbit/s. */
#define WAIT_PACKETS 250
/* The mean absolute deviation of normal noise, in deviations: sqrt (2 / pi). */
#define MEAN_DEVIATION .8
/* Where reports come once per round trip, frames come as video's do. */
#define FRAME (40 * RA_MSECOND)
/* rtpjitterbuffer's requests wait that long for their turn in RTCP. */
#define NACK_WAIT (20 * RA_MSECOND)
/* RFC 8985 6.2: the window for what comes out of order begins with a quarter of the
 * round trip, and is never longer than that; how long the sight of disorder lasts is
 * ours. */
#define DISORDER_PART 4
#define DISORDER_MEMORY (30 * RA_SECOND)
/* The budget that may be saved, and the least of it, in packets. */
#define SAVED RA_SECOND
#define SAVED_PACKETS 8
/* A request within this part of the round trip is too early.  The smoothed round
 * trip is longer than the last one when a queue has just emptied. */
#define SOONEST 2
/* Packets over which ra_repair_surprised() is averaged: 10 s at 3 Mbit/s. */
#define SURPRISED_PACKETS 2500
/* Losses over which the time is averaged until they are known. */
#define DETECT_LOSSES 16
/* A round that just fits does not switch FEC off and on: it must fit by a tenth
 * more before it counts, and miss by a tenth before it does not. */
#define HYSTERESIS 10
/* A path's times are bounded, so that no sum of them overflows whatever a report says.
 * RFC 6298 2.5 allows a timeout to be bounded by this, and by nothing less. */
#define LONGEST (60 * RA_SECOND)
/* A frame of 12 packets that leaves too late for a round is broken in one of four cases
 * where so much is lost.  That is seen for longer than a frame that is left out. */
#define SLACK_LOSS .025
/* Where the radio loses this share, the largest frame may take so many frames' times.  With
 * a VBV of 200 ms x264 made key frames of five frames' size where 20 % was lost.  The end of
 * one left too late to be sent again, and each loss there led to another key frame.  With a
 * VBV of three frames x264 stays near its bitrate, with two it is a fifth below.  Of 40 s,
 * three runs: with 20 % lost 1.9 s were frozen, 1.2 with three frames, .4 with 2.5; with 10 %
 * lost .6 s, and .15 with three.  With 5 % lost three frames raise VMAF by .7, but 95 % of
 * the packets queue for .5 to 1 ms longer. */
#define LARGEST_LOSS .075
#define LARGEST 3
#define LARGEST_HEAVY 2.5
/* Where a frame's first packets are reported with its last, and the radio loses this share,
 * a frame may take the time that a round leaves, behind WHOLE_REPORT for the report.  It
 * changes by more than WHOLE_STEP, as the encoder hears of it each time.  A stock receiver
 * behind 50 ms and 5 % lost, three runs: VMAF 64 without, 74 with three frames, 93 with 2.5,
 * 94 with 2.25 and 2, 91 with 1.5. */
#define WHOLE_LOSS .002
#define WHOLE_REPORT (30 * RA_MSECOND)
#define WHOLE_STEP .3
#define WHOLE_FRAMES 32   /* the mean time of one is of so many */
#define WHOLE_LONGEST .25 /* s: a longer one is a pause */
/* Nobody answers so many requests: nobody sends again. */
#define UNANSWERED 50

void
ra_repair_init (RaRepair *r)
{
  *r = (RaRepair){
    .path = { .decode = RA_REPAIR_DECODE,
        .latency = RA_REPAIR_LATENCY,
        .frame = FRAME,
        .left = RA_REPAIR_LEFT,
        .spoils = RA_REPAIR_SPOILS,
        .most = RA_REPAIR_MOST },
  };
  r->cfg.disorder = r->detect = RA_SPAN_NONE;
  ra_winmin_init (&r->worst);
  ra_winmin_init (&r->disorder);
}

/* --- the path --------------------------------------------------------------- */

static void
plan_update (RaRepair *r)
{
  RaRepairPath near = r->path;

  near.latency = MAX (r->cfg.latency_most, r->path.latency);
  ra_repair_plan (ra_repair_rounds (&r->path) > 0 ? &r->path : &near, &r->plan);
  /* A latency that is a tenth longer or shorter. */
  near.latency += (r->fits ? 1 : -1) * near.latency / HYSTERESIS;
  r->fits = r->measured && ra_repair_rounds (&near) > 0;
}

void
ra_repair_set (RaRepair *r, const RaRepairConfig *cfg)
{
  RaSpan latency = cfg->latency > 0 ? cfg->latency : RA_REPAIR_LATENCY;
  RaSpan feedback = cfg->rows ? 0 : NACK_WAIT;
  gboolean same = latency == r->path.latency && feedback == r->path.feedback
      && cfg->latency_most == r->cfg.latency_most
      && cfg->follows == r->cfg.follows;

  r->cfg = *cfg;
  r->path.latency = latency;
  r->path.feedback = feedback;
  r->path.soon = cfg->follows;
  if (!same && r->measured)
    plan_update (r);
}

/* The lowest queue of each report would lie on a line if nothing but the queue
 * changed it. */
static void
jitter_update (RaRepair *r, const RaReport *report)
{
  gdouble now, slope;

  if (report->queue_min == RA_SPAN_NONE)
    return;
  now = ra_seconds (report->queue_min);
  slope = now - r->queue_min;
  if (r->n_queues >= 2)
    r->dev += (ra_noise_deviation (slope - r->queue_slope) - r->dev)
        / JITTER_REPORTS;
  r->n_queues = MIN (r->n_queues + 1, 2);
  r->queue_slope = slope;
  r->queue_min = now;
  r->path.jitter = MIN (ra_span (P95 * r->dev), LONGEST);
}

/* Of frames of 12 packets that leave too late for a round six of seven are broken then. */
static gboolean
is_heavy (const RaRepair *r)
{
  return r->path.worst >= RA_REPAIR_HEAVY;
}

static void
loss_update (RaRepair *r, const RaReport *report, RaTime now)
{
  guint lost
      = MIN (report->lost_wireless + report->lost_congestion, report->expected);
  guint radio = MIN (report->lost_wireless, lost);
  gdouble gain, worst;

  if (report->expected == 0)
    return;
  gain = 1 - exp (-(gdouble) report->expected / LOSS_PACKETS);
  r->path.loss += gain * ((gdouble) lost / report->expected - r->path.loss);
  r->radio += gain * ((gdouble) radio / report->expected - r->radio);
  r->lost += lost;
  r->expected += report->expected;
  if (ra_diff (now, r->bucket) >= BUCKET) {
    ra_winmin_add (&r->worst, -r->lost / r->expected, now, WORST_WINDOW);
    r->lost = r->expected = 0;
    r->bucket = now;
  }
  worst = ra_winmin_get (&r->worst, now, WORST_WINDOW);
  r->path.worst = worst < G_MAXDOUBLE ? -worst : r->path.loss;
  r->path.most = is_heavy (r) ? RA_REPAIR_MOST_HEAVY : RA_REPAIR_MOST;
}

/* How much later a packet must have left that came, for one to be lost. */
static RaSpan
disorder_window (const RaRepair *r, RaTime now)
{
  RaSpan rtt = r->path.rtt + r->path.queue;
  gdouble least = ra_winmin_get (&r->disorder, now, DISORDER_MEMORY);
  RaSpan extent = MAX (least < G_MAXDOUBLE ? (RaSpan) -least : 0,
      r->cfg.disorder == RA_SPAN_NONE ? 0 : r->cfg.disorder);

  if (extent == 0)
    return r->cfg.disorder == RA_SPAN_NONE ? rtt / DISORDER_PART : 0;
  extent = MIN (extent, rtt);
  return MIN (extent + extent / DISORDER_PART, rtt);
}

/* A packet is sent again behind a queue as long as the one it was lost behind.  A packet
 * is surprised that left before the sender could know of that queue, which takes a round
 * trip. */
static void
surprise_update (RaRepair *r, const RaReport *report, RaTime now)
{
  RaSpan left = ra_repair_time_left (&r->path, ra_span (r->wait));
  gboolean was = r->too_long, surprised;

  r->too_long = left < ra_repair_round (&r->path);
  if (r->too_long && !was)
    r->too_long_since = now;
  surprised = r->too_long
      && ra_diff (now, r->too_long_since) <= r->path.rtt + r->path.queue;
  r->surprised += (1 - exp (-(gdouble) report->expected / SURPRISED_PACKETS))
      * (surprised - r->surprised);
}

static void
whole_update (RaRepair *r)
{
  const RaRepairPath *path = &r->path;
  RaSpan rtt = path->rtt + path->queue;
  gdouble left = ra_seconds (
      path->latency - path->decode - WHOLE_REPORT - rtt - rtt / DISORDER_PART);
  gdouble frames = left > 0 && r->frame > 0 ? MAX (left / r->frame, 1) : 0;

  if (fabs (frames - r->whole_frames) > WHOLE_STEP)
    r->whole_frames = frames;
}

/* What was lost when a silence of L began is too late for a round when a report shows it.
 * Three packets have to come first, which may take some reports; of a long run of losses no
 * report speaks (ra_twcc_is_doubtful()). */
void
ra_repair_on_answer (RaRepair *r, const RaReport *report, RaTime now)
{
  gboolean lost
      = report->lost_wireless + report->lost_congestion + report->skipped > 0;

  if (now < r->reported)
    r->busy = now; /* the clock went back */
  if (r->reported > 0
      && ra_diff (now, r->reported) >= r->path.latency + r->path.frame)
    r->returned = now;
  r->reported = now;
  if (lost && r->returned > 0 && ra_diff (now, r->returned) <= r->path.latency)
    r->broken = now;
}

void
ra_repair_on_report (RaRepair *r, const RaReport *report, RaSpan rtt,
    RaSpan interval, RaTime now)
{
  RaSpan queue
      = report->queue == RA_SPAN_NONE ? 0 : CLAMP (report->queue, 0, LONGEST);

  rtt = MIN (rtt, LONGEST);
  interval = MIN (interval, LONGEST);
  if (!r->measured)
    r->bucket = now;
  r->measured = TRUE;
  jitter_update (r, report);
  loss_update (r, report, now);
  r->path.rtt = MAX (rtt - queue, rtt / 4);
  r->path.queue = queue;
  r->path.frame = interval > 0 ? interval : FRAME;
  if (r->detect == RA_SPAN_NONE)
    r->detect = (interval > 0 ? interval : rtt) / 2;
  r->path.detect = r->detect + r->detect_dev + disorder_window (r, now);
  surprise_update (r, report, now);
  whole_update (r);
  plan_update (r);
}

gboolean
ra_repair_is_answered (const RaRepair *r)
{
  return r->n_asked - r->n_answered < UNANSWERED;
}

gboolean
ra_repair_mends (const RaRepair *r)
{
  return r->cfg.on && r->fits && ra_repair_is_answered (r);
}

guint
ra_repair_percentage (const RaRepair *r)
{
  return ra_repair_mends (r) ? (guint) ceil (100 * r->plan.overhead) : 0;
}

/* --- what leaves ------------------------------------------------------------ */

static void
wait_update (RaRepair *r, gdouble wait)
{
  r->wait += (wait - r->wait) / WAIT_PACKETS;
  r->wait_dev += (fabs (wait - r->wait) - r->wait_dev) / WAIT_PACKETS;
}

RaSpan
ra_repair_wait (const RaRepair *r)
{
  return ra_span (r->wait + P95 * r->wait_dev / MEAN_DEVIATION);
}

RaSpan
ra_repair_block_span (const RaRepair *r)
{
  return ra_block_span (MAX (r->cfg.latency_most, r->path.latency),
      r->path.jitter + r->path.queue, ra_repair_wait (r), r->path.frame);
}

gdouble
ra_repair_late_radio (const RaRepair *r)
{
  return ra_repair_mends (r) && !r->cfg.follows ? r->radio : 0;
}

RaSpan
ra_repair_timely (const RaRepair *r)
{
  return ra_repair_mends (r) ? ra_repair_time_left (&r->path, 0)
          - ra_repair_margin (&r->path) - ra_repair_round (&r->path)
                             : RA_SPAN_NONE;
}

gdouble
ra_repair_surprised (const RaRepair *r)
{
  return r->surprised;
}

RaSpan
ra_repair_slack (const RaRepair *r)
{
  RaSpan frame = r->path.frame, timely = ra_repair_timely (r);

  return timely != RA_SPAN_NONE && r->path.worst >= SLACK_LOSS
          && timely - frame >= frame
      ? timely - frame
      : RA_SPAN_NONE;
}

gdouble
ra_repair_largest (const RaRepair *r)
{
  if (!ra_repair_mends (r))
    return 0;
  if (r->cfg.whole)
    return r->radio >= WHOLE_LOSS ? r->whole_frames : 0;
  if (r->radio < LARGEST_LOSS)
    return 0;
  return r->radio >= RA_REPAIR_HEAVY ? LARGEST_HEAVY : LARGEST;
}

RaSpan
ra_repair_drain (const RaRepair *r)
{
  return is_heavy (r) ? ra_repair_slack (r) : RA_SPAN_NONE;
}

void
ra_repair_on_sent (RaRepair *r, RaLedgerEntry *e, guint64 rate)
{
  gdouble most = r->path.most, saved;

  r->rate = rate;
  if (e->is_repair)
    return;
  wait_update (r, ra_seconds (e->age * RA_USECOND));
  saved = MAX (most * ra_bytes (rate) * ra_seconds (SAVED),
      SAVED_PACKETS * (gdouble) e->size);
  r->credit = MIN (r->credit + e->size * most / (1 - most), saved);
}

void
ra_repair_on_frame (RaRepair *r, RaTime now)
{
  gdouble took = r->framed > 0 ? ra_seconds (ra_diff (now, r->framed)) : 0;

  r->framed = now;
  if (took > 0 && took <= WHOLE_LONGEST)
    r->frame += (took - r->frame) / (r->frame > 0 ? WHOLE_FRAMES : 1);
}

RaLedgerEntry *
ra_repair_original (const RaRepair *r, RaLedger *l, guint16 original)
{
  guint64 n = MIN (r->n_asked, RA_REPAIR_QUEUE);
  RaLedgerEntry *found = NULL;

  for (guint64 i = 1; i <= n; i++) {
    guint64 index = r->asked[(r->n_asked - i) % RA_REPAIR_QUEUE];
    RaLedgerEntry *e = ra_ledger_at (l, index);

    if (!e || e->seq != original)
      continue;
    if (found && found->ssrc != e->ssrc)
      return NULL;
    if (!found)
      found = e;
  }
  return found;
}

static RaSpan
send_span (const RaRepair *r, const RaLedgerEntry *e)
{
  return r->rate > 0 ? ra_send_span (e->size, r->rate) : 0;
}

void
ra_repair_on_dropped (RaRepair *r, RaLedger *l, guint16 original)
{
  RaLedgerEntry *first = ra_repair_original (r, l, original);

  r->n_answered = r->n_asked;
  if (!first || first->under_way == 0)
    return;
  first->under_way--;
  r->credit += first->size;
  r->busy = ra_later (r->busy, -send_span (r, first));
}

void
ra_repair_on_repeat (
    RaRepair *r, RaLedger *l, RaLedgerEntry *e, guint16 original, RaTime now)
{
  RaLedgerEntry *first = ra_repair_original (r, l, original);

  r->n_answered = r->n_asked;
  if (!first)
    return;
  e->repeats = (guint16) (e->index - first->index);
  first->asked_again = now;
}

/* --- losses ------------------------------------------------------------------ */

/* It was asked for at `now`, which the budget allowed. */
static void
asked_note (RaRepair *r, RaLedgerEntry *e, RaTime now)
{
  r->asked[r->n_asked++ % RA_REPAIR_QUEUE] = e->index;
  r->credit -= e->size;
  r->busy = ra_later (MAX (r->busy, now), send_span (r, e));
  e->asked_again = now;
}

/* FALSE: the queue is full. */
static gboolean
copy_add (RaRepair *r, guint64 index, RaTime due)
{
  guint at = r->n_copies;

  if (at == RA_REPAIR_QUEUE)
    return FALSE;
  while (at > 0 && r->copies[at - 1].due > due)
    at--;
  memmove (&r->copies[at + 1], &r->copies[at],
      (r->n_copies - at) * sizeof *r->copies);
  r->copies[at] = (RaRepairCopy){ index, due };
  r->n_copies++;
  return TRUE;
}

/* How long before `now` the packet's frame came in. */
static RaSpan
age_at (const RaLedgerEntry *e, RaTime now)
{
  return MAX (ra_diff (now, e->sent), 0) + e->age * RA_USECOND;
}

/* How long a repetition that is asked for now waits for those that were asked for before.
 * A wait beyond LONGEST shows that the clock went back. */
static RaSpan
ahead (const RaRepair *r, RaTime now)
{
  RaSpan span = ra_diff (r->busy, now);

  return span <= LONGEST ? MAX (span, 0) : 0;
}

/* For a repetition that leaves at `now`. */
static RaSpan
time_left_at (const RaRepair *r, const RaLedgerEntry *e, RaTime now)
{
  return ra_repair_time_left (&r->path, age_at (e, now));
}

/* For one that is asked for now. */
static RaSpan
time_left (const RaRepair *r, const RaLedgerEntry *e, RaTime now)
{
  return time_left_at (r, e, now) - ahead (r, now);
}

/* It is missing in a report for the first time.  A report that stands does not say
 * later that it came after all: if it is too near to what came last, only the receiver
 * knows. */
static void
miss (RaRepair *r, RaLedgerEntry *e, RaSpan window)
{
  if (!e->missed && r->cfg.stands && ra_diff (r->newest, e->sent) < window)
    e->hopeless = TRUE;
  e->missed = TRUE;
}

/* The receiver may come to hold packets for so much longer. */
static RaSpan
longer (const RaRepair *r)
{
  return MAX (r->cfg.latency_most - r->path.latency, 0);
}

/* TRUE: what leaves at that age cannot be played.  A jitter buffer guesses when what it
 * misses was due, and after an outage asks for more than it can play.  The queue does not
 * count: behind a long one all is late, and is shown late. */
static gboolean
is_useless (const RaRepair *r, RaSpan age)
{
  return r->cfg.said && age > r->path.latency + longer (r) + RA_GRACE;
}

gboolean
ra_repair_is_late (
    RaRepair *r, RaLedger *l, guint16 original, RaTime taken, RaTime now)
{
  const RaLedgerEntry *e = ra_repair_original (r, l, original);
  RaSpan more = longer (r);

  if (!e || time_left_at (r, e, now) + more >= 0)
    return FALSE;
  return time_left_at (r, e, taken) + more >= 0
      || is_useless (r, age_at (e, now));
}

gboolean
ra_repair_is_stale (const RaRepair *r, RaTime taken, RaTime now)
{
  return r->broken > 0 && taken <= r->broken
      && is_useless (r, ra_diff (now, taken));
}

/* The copies from `first` to `n` of a packet for which there is the time `left`.
 * Bursts take neighbours: copies are a frame apart, as far as there is time, or an eighth
 * of that where the receiver would wait for them. */
static void
copies_add (RaRepair *r, RaLedgerEntry *e, guint first, guint n, RaSpan left,
    RaTime now)
{
  RaSpan apart = MIN (r->path.frame / (r->path.soon ? 8 : 1), left / n);

  for (guint i = first; i < n; i++) {
    if (!copy_add (r, e->index, ra_later (now, apart * i)))
      return;
    e->under_way++;
  }
}

/* A receiver may report at the end of a frame, or as soon as it sees a gap: what it
 * does is measured, once for each loss. */
static void
detect_update (RaRepair *r, RaLedgerEntry *e, RaSpan window, RaTime now)
{
  RaSpan took = ra_diff (now, e->sent) - r->path.rtt - r->path.queue - window;

  if (e->copies > 0 || e->found)
    return;
  e->found = TRUE;
  took = CLAMP (took, 0, LONGEST);
  r->detect_dev += (ABS (took - r->detect) - r->detect_dev) / DETECT_LOSSES;
  r->detect += (took - r->detect) / DETECT_LOSSES;
}

/* A loss, of which no repetition is under way. */
static void
loss_take (RaRepair *r, RaLedgerEntry *e, RaTime now)
{
  RaSpan left = time_left (r, e, now);
  guint n = ra_repair_now (&r->path, &r->plan, left, e->copies);

  /* A receiver that can hold packets for longer will, once some come late. */
  if (n == 0 && left + longer (r) >= 0) {
    n = 1;
    left = 0;
  }
  if (n == 0) {
    e->hopeless = TRUE;
    r->stats.late++;
    return;
  }
  copies_add (r, e, 0, n, left, now);
}

/* The fate of a retransmission is known.  It may be overtaken as other packets are, and
 * come after all. */
static void
repeat_take (RaRepair *r, RaLedger *l, RaLedgerEntry *e, RaSpan window)
{
  RaLedgerEntry *first
      = e->repeats > 0 ? ra_ledger_at (l, e->index - e->repeats) : NULL;

  if (!first || e->fate == RA_FATE_NOTHING)
    return;
  if (e->fate == RA_FATE_ARRIVED && !first->mended) {
    first->mended = TRUE;
    r->stats.mended++;
  }
  if (e->judged
      || (e->fate == RA_FATE_LOST && ra_diff (r->newest, e->sent) < window))
    return;
  e->judged = TRUE;
  if (first->under_way > 0)
    first->under_way--;
}

/* `before`: what `newest` was when the packet was still missed. */
static void
arrival_take (RaRepair *r, RaLedgerEntry *e, RaTime before, RaTime now)
{
  if (e->missed)
    ra_winmin_add (&r->disorder, -(gdouble) MAX (ra_diff (before, e->sent), 1),
        now, DISORDER_MEMORY);
  e->missed = FALSE;
  if (!r->has_newest || e->sent > r->newest)
    r->newest = e->sent;
  r->has_newest = TRUE;
}

static void
first_move (RaRepair *r, RaLedger *l, RaTime now)
{
  RaTime since = ra_later (now, -MAX (r->cfg.latency_most, r->path.latency));
  guint64 known = l->next - MIN (l->next, RA_LEDGER_SIZE);
  const RaLedgerEntry *e;

  r->low = MAX (r->low, MAX (known, l->begin));
  for (; r->low < l->next; r->low++) {
    e = ra_ledger_at (l, r->low);
    if (e && e->sent >= since)
      return;
  }
}

/* A repetition that was asked for so long ago never left, or the report about it was
 * lost: it is under way no more.  The next report is a frame later at most. */
static void
under_way_look (const RaRepair *r, RaLedgerEntry *e, RaTime now)
{
  if (e->under_way > 0 && e->asked_again > 0
      && ra_diff (now, e->asked_again)
          > ra_repair_round (&r->path) + ra_repair_wait (r) + r->path.frame)
    e->under_way = 0;
}

static gboolean
is_lost (const RaRepair *r, const RaLedgerEntry *e, RaSpan window)
{
  return e->fate == RA_FATE_LOST && !e->once && !e->mended && !e->hopeless
      && e->under_way == 0 && ra_diff (r->newest, e->sent) >= window;
}

void
ra_repair_look (RaRepair *r, RaLedger *l, RaTime now)
{
  gboolean acts = r->cfg.on && r->cfg.rows && r->measured;
  RaTime before = r->newest;
  RaSpan window;

  first_move (r, l, now);
  for (guint64 i = r->low; i < l->next; i++) {
    RaLedgerEntry *e = ra_ledger_at (l, i);

    if (e && e->fate == RA_FATE_ARRIVED)
      arrival_take (r, e, before, now);
  }
  window = disorder_window (r, now);
  for (guint64 i = r->low; i < l->next; i++) {
    RaLedgerEntry *e = ra_ledger_at (l, i);

    if (e)
      repeat_take (r, l, e, window);
  }
  for (guint64 i = r->low; i < l->next; i++) {
    RaLedgerEntry *e = ra_ledger_at (l, i);

    if (!e)
      continue;
    if (e->fate == RA_FATE_LOST && !e->once)
      miss (r, e, window);
    under_way_look (r, e, now);
    if (!acts || !is_lost (r, e, window))
      continue;
    detect_update (r, e, window, now);
    loss_take (r, e, now);
  }
}

/* --- what is asked for -------------------------------------------------------- */

/* A copy is due: FALSE if it is wanted no more. */
static gboolean
copy_is_wanted (RaRepair *r, RaLedgerEntry *e, RaTime now)
{
  if (e->fate == RA_FATE_ARRIVED || e->mended
      || time_left (r, e, now) + longer (r) < 0)
    return FALSE;
  if (r->credit >= e->size)
    return TRUE;
  e->hopeless = e->under_way <= 1; /* else another copy may still come */
  r->stats.over++;
  return FALSE;
}

RaLedgerEntry *
ra_repair_next (RaRepair *r, RaLedger *l, RaTime now)
{
  while (r->n_copies > 0 && r->copies[0].due <= now) {
    RaLedgerEntry *e = ra_ledger_at (l, r->copies[0].index);

    r->n_copies--;
    memmove (&r->copies[0], &r->copies[1], r->n_copies * sizeof *r->copies);
    if (!e)
      continue;
    if (copy_is_wanted (r, e, now)) {
      e->copies++;
      r->stats.own++;
      asked_note (r, e, now);
      return e;
    }
    if (e->under_way > 0)
      e->under_way--;
  }
  return NULL;
}

RaTime
ra_repair_due (const RaRepair *r)
{
  return r->n_copies > 0 ? r->copies[0].due : RA_TIME_NONE;
}

/* A receiver that asks for a packet half a round trip after it could have seen the
 * repetition come has dropped that: rtprtxreceive 1.22 drops all before its first NACK. */
static gboolean
is_wanted (const RaRepair *r, const RaLedgerEntry *e, RaSpan rtt, RaTime now)
{
  RaSpan again = e && e->mended ? rtt + rtt / 2 : rtt;

  if (!e || e->once || e->fate == RA_FATE_ARRIVED || r->credit < e->size
      || is_useless (r, age_at (e, now) + ahead (r, now)))
    return FALSE;
  return ra_diff (now, e->sent) >= rtt / SOONEST
      && (e->asked_again == 0 || ra_diff (now, e->asked_again) >= again);
}

gboolean
ra_repair_refuse (RaRepair *r)
{
  r->stats.nacks++;
  r->stats.refused++;
  return FALSE;
}

RaRepairVerdict
ra_repair_ask (RaRepair *r, RaLedgerEntry *e, RaSpan rtt, RaTime now)
{
  RaRepairVerdict verdict;

  if (!is_wanted (r, e, rtt, now)) {
    ra_repair_refuse (r);
    return RA_REPAIR_REFUSED;
  }
  r->stats.nacks++;
  verdict = e->copies == 0 ? RA_REPAIR_FIRST : RA_REPAIR_AGAIN;
  /* In the last round that fits the request stands for all copies. */
  if (r->cfg.on && r->measured && time_left (r, e, now) >= 0)
    copies_add (r, e, 1,
        ra_repair_now (&r->path, &r->plan, time_left (r, e, now), e->copies),
        time_left (r, e, now), now);
  e->copies = (guint8) MIN (e->copies + 1u, G_MAXUINT8);
  e->under_way = (guint8) MIN (e->under_way + 1u, G_MAXUINT8);
  asked_note (r, e, now);
  return verdict;
}

void
ra_repair_observe (const RaRepair *r, RaObserve emit, gpointer data)
{
  emit ("repair.rounds", r->plan.rounds, data);
  emit ("repair.copies", r->plan.copies, data);
  emit ("repair.overhead", r->plan.overhead, data);
  emit ("repair.residual", r->plan.residual, data);
  emit ("repair.jitter", ra_seconds (r->path.jitter), data);
  emit ("repair.round",
      r->measured ? ra_seconds (ra_repair_round (&r->path)) : 0, data);
  emit ("repair.disorder",
      r->cfg.disorder == RA_SPAN_NONE ? -1 : ra_seconds (r->cfg.disorder),
      data);
}
