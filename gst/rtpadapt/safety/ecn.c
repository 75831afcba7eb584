/* Whether the path and the receiver bear ECN, by what feedback says of each
 * packet (RFC 8888).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/ecn.h>

/* RFC 9000 13.4.2: ten packets try a path.  During the test one packet in SPACING is
 * sent as ECT; PROBES of them must arrive unchanged. */
#define SPACING 10
#define PROBES 10
/* Of these some with each kind of mark, so that neither "all CE" nor "never CE"
 * passes. */
#define PROBES_EACH 3
/* One packet in so many leaves as CE. */
#define MARK_TESTING 3
#define MARK_CAPABLE 500
/* A path or receiver that breaks the rule does so again; a single contradiction
 * may be a forged report. */
#define FAULTS 3
#define TALLY_ECT 128
#define TALLY_MARKS 8
/* RFC 3168 7: a router whose queue is full drops, so marks on everything pass when
 * the sender has slowed down, in some round trips. */
#define ALL_CE_PACKETS 10
#define ALL_CE_SPAN (3 * RA_SECOND)
/* If PROBES ECT packets in a row are lost while at least this many others arrive, half
 * of those that leave between them, ECT is being dropped. */
#define PLAIN (PROBES * (SPACING - 1) / 2)
/* Where no packet was reported as received for so long, ECT may be dropped now:
 * packets sent as not-ECT show it.  A test waits then, too (RFC 9000 13.4.2). */
#define SILENT_PACKETS 32
#define SILENT_SPAN (2 * RA_SECOND)
/* RFC 6679 7.4.1 is about falling back; how soon to try again is ours.  As with a
 * liar (safety/guard.h): twice as late each time, up to 16 min. */
#define AGAIN (60 * RA_SECOND)
#define AGAIN_DOUBLINGS 4

void
ra_ecn_init (RaEcn *e, guint64 seed)
{
  *e = (RaEcn){ 0 };
  ra_skip_draw_init (&e->draw, seed);
}

static gboolean
is_ect (RaEcnField field)
{
  return field == RA_ECN_ECT_0 || field == RA_ECN_ECT_1;
}

static void
test_begin (RaEcn *e, RaTime now)
{
  e->state = RA_ECN_TESTING;
  e->sent = e->sound = e->clean = e->kept = 0;
  e->ect = e->marks = (RaEcnTally){ 0 };
  e->lost = e->plain = e->all_ce = e->silent = 0;
  e->arrived = now;
}

void
ra_ecn_set (RaEcn *e, RaEcnField wanted, gboolean per_packet, RaTime now)
{
  if (!is_ect (wanted))
    wanted = RA_ECN_NOT_ECT;
  if (wanted == e->wanted && per_packet == e->per_packet)
    return;
  e->wanted = wanted;
  e->per_packet = per_packet;
  e->fault = RA_ECN_SOUND;
  if (is_ect (wanted) && per_packet)
    test_begin (e, now);
  else
    e->state = RA_ECN_OFF;
}

/* TRUE: the next packet leaves as ECT, or as CE. */
static gboolean
is_chosen (RaEcn *e)
{
  if (e->state != RA_ECN_TESTING)
    return e->state == RA_ECN_CAPABLE;
  /* The last of ten: what opens a stream is not what tries the path. */
  return e->sent++ % SPACING == SPACING - 1 && e->silent < SILENT_PACKETS;
}

RaEcnField
ra_ecn_on_send (RaEcn *e, RaTime now)
{
  guint mean;

  if (!is_ect (e->wanted))
    return RA_ECN_UNSAID;
  if ((e->state == RA_ECN_FAILED && now >= e->again)
      || (e->state == RA_ECN_CAPABLE && e->silent >= SILENT_PACKETS
          && ra_diff (now, e->arrived) >= SILENT_SPAN))
    test_begin (e, now);
  if (!is_chosen (e))
    return RA_ECN_NOT_ECT;
  e->n_ect++;
  e->silent++;
  mean = e->state == RA_ECN_CAPABLE ? MARK_CAPABLE : MARK_TESTING;
  return ra_skip_draw_next (&e->draw, mean, TRUE) ? RA_ECN_CE : e->wanted;
}

/* --- what came of it ------------------------------------------------------ */

static void
fail (RaEcn *e, RaEcnFault fault, RaTime now)
{
  guint doublings = MIN (e->failed, AGAIN_DOUBLINGS);

  e->state = RA_ECN_FAILED;
  e->fault = fault;
  e->failed++;
  e->again = ra_later (now, AGAIN << doublings);
}

static void
tally_add (RaEcnTally *t, guint size, gboolean bad)
{
  if (t->n == size)
    *t = (RaEcnTally){ .before = t->bad };
  t->n++;
  if (bad)
    t->bad++;
}

/* TRUE: too much did not fit lately. */
static gboolean
fault_take (RaEcn *e, RaEcnField sent, RaEcnFault fault)
{
  gboolean bad = fault != RA_ECN_SOUND;

  if (sent == RA_ECN_CE)
    tally_add (&e->marks, TALLY_MARKS, bad);
  else if (sent != RA_ECN_NOT_ECT || bad)
    tally_add (&e->ect, TALLY_ECT, bad);
  return bad
      && e->marks.before + e->marks.bad + e->ect.before + e->ect.bad >= FAULTS;
}

static RaEcnFault
fault_of (RaEcnField sent, RaEcnField came)
{
  if (sent == came || (is_ect (sent) && came == RA_ECN_CE))
    return RA_ECN_SOUND;
  if (came == RA_ECN_NOT_ECT)
    return RA_ECN_BLEACHED;
  return sent == RA_ECN_CE ? RA_ECN_HIDDEN : RA_ECN_REMARKED;
}

static void
lost_take (RaEcn *e, RaEcnField sent, RaTime now)
{
  if (sent == RA_ECN_NOT_ECT)
    return;
  e->lost++;
  if (e->lost >= PROBES && e->plain >= PLAIN)
    fail (e, RA_ECN_DROPPED, now);
}

/* Of ECT, TRUE: long enough that everything is marked. */
static gboolean
all_ce_take (RaEcn *e, RaEcnField came, RaTime now)
{
  if (came != RA_ECN_CE) {
    e->all_ce = 0;
    return FALSE;
  }
  if (e->all_ce++ == 0)
    e->all_ce_since = now;
  return e->all_ce >= ALL_CE_PACKETS
      && ra_diff (now, e->all_ce_since) >= ALL_CE_SPAN;
}

static void
arrived_take (RaEcn *e, RaEcnField sent, RaEcnField came, RaTime now)
{
  RaEcnFault fault = fault_of (sent, came);

  e->silent = 0;
  e->arrived = now;
  if (sent == RA_ECN_NOT_ECT) {
    e->plain += e->lost > 0;
  } else {
    e->lost = e->plain = 0;
    e->sound += fault == RA_ECN_SOUND;
    e->clean += is_ect (sent) && came == sent;
    e->kept += sent == RA_ECN_CE && came == sent;
  }
  if (fault_take (e, sent, fault))
    fail (e, fault, now);
  else if (is_ect (sent) && all_ce_take (e, came, now))
    fail (e, RA_ECN_ALL_CE, now);
  else if (e->state == RA_ECN_TESTING && e->sound >= PROBES
      && MIN (e->clean, e->kept) >= PROBES_EACH)
    e->state = RA_ECN_CAPABLE;
}

gboolean
ra_ecn_on_answer (
    RaEcn *e, RaEcnField sent, gboolean arrived, RaEcnField came, RaTime now)
{
  gboolean marked = arrived && came == RA_ECN_CE
      && (is_ect (sent) || sent == RA_ECN_UNSAID);

  if (marked)
    e->n_ce++;
  if (sent != RA_ECN_UNSAID
      && (e->state == RA_ECN_TESTING || e->state == RA_ECN_CAPABLE)) {
    if (arrived)
      arrived_take (e, sent, came, now);
    else
      lost_take (e, sent, now);
  }
  return marked;
}

const gchar *
ra_ecn_state_nick (RaEcnState state)
{
  static const gchar *const nicks[] = { "off", "testing", "capable", "failed" };

  return nicks[state];
}

const gchar *
ra_ecn_fault_nick (RaEcnFault fault)
{
  static const gchar *const nicks[]
      = { "none", "bleached", "remarked", "ce-hidden", "all-ce", "dropped" };

  return nicks[fault];
}
