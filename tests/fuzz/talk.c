/* Sender and receiver of the stateful fuzz target, and the way between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "talk.h"

#include "../heldrows.h"

#include <malloc.h>

#define START (1000 * RA_SECOND)
/* Timers that are run on the way to a later time; the others come late. */
#define TIMERS_MAX 64
/* All tables are made at the beginning; what arrived during the last R is
 * remembered, and here that is not more than 10,000 packets. */
#define GROWTH_MAX (2 << 20)

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALLOCATOR_IS_ASAN
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define ALLOCATOR_IS_ASAN
#endif

/* Bytes in use; ASan's allocator does not tell, and finds leaks itself. */
static gsize
memory_used (void)
{
#ifdef ALLOCATOR_IS_ASAN
  return 0;
#else
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
#endif
}

gconstpointer
talk_pick (gconstpointer const *list, guint64 i)
{
  guint n = 0;

  while (list[n])
    n++;
  return list[i % n];
}

void
talk_init (Talk *t, FuzzBytes *b)
{
  static const gdouble caps[] = { 9, 0, 1, .5 };
  RaSenderConfig cfg = { .controller = TALK_PICK (ra_rates, fuzz_take (b, 1)),
    .lda = TALK_PICK (ra_ldas, fuzz_take (b, 1)),
    .fec = TALK_PICK (ra_fecs, fuzz_take (b, 1)),
    .burst = 5 * RA_MSECOND,
    .seed = 1,
    .rate = { .min = 1000, .start = 500000, .max = 20000000, .mss = 1200 } };
  RaReporterConfig reporter
      = { .lda = TALK_PICK (ra_ldas, fuzz_take (b, 1)), .seed = 1 };
  guint flags = (guint) fuzz_take (b, 1);

  memset (t, 0, sizeof *t);
  t->mode = (TalkMode) (flags % TALK_N_MODES);
  t->cap = cfg.friendliness_cap = caps[flags >> 4 & 3];
  cfg.breakers = !(flags & 0x80);
  t->limits = cfg.rate;
  t->now = t->peer = START;
  t->next = t->told = fuzz_take (b, 2);
  reporter.reports = t->mode == TALK_TFRC ? &ra_feedback_tfrc
      : t->mode == TALK_CCFB              ? &ra_feedback_ccfb
                                          : NULL;
  t->sender = ra_sender_new (&cfg, t->now, NULL);
  t->tfrc_ear = ra_tfrc_ear_new (ra_sender_ledger (t->sender));
  t->reporter = ra_reporter_new (&reporter, NULL);
  for (guint i = 0; i < TALK_ROWS; i++)
    t->came[i] = RA_TIME_NONE;
  t->memory = memory_used ();
}

void
talk_clear (Talk *t)
{
  ra_sender_free (t->sender);
  ra_tfrc_ear_free (t->tfrc_ear);
  ra_reporter_free (t->reporter);
}

static void
check_reporter (const Talk *t)
{
  RaReporterStats s;

  ra_reporter_get_stats (t->reporter, &s);
  g_assert_cmpuint (s.packets, ==, t->taken);
  law_losses (&s.loss, s.expected);
  g_assert_cmpuint (s.loss.arrived + s.loss.duplicates, <=, s.packets);
  g_assert_true (s.p >= 0 && s.p <= 1);
  g_assert_cmpuint (s.delayed, <=, s.packets);
  g_assert_true (s.delayed_ratio >= 0 && s.delayed_ratio <= 1);
  g_assert_true (s.queue == RA_SPAN_NONE || s.queue >= 0);
  g_assert_cmpint (s.rtt, >=, 0);
  ra_reporter_observe (t->reporter, law_no_nan, NULL);
  law_note_losses (&s.loss);
  fuzz_note ("packets %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
             " p %.17g delayed %" G_GUINT64_FORMAT " queue %" G_GINT64_FORMAT
             " reports %" G_GUINT64_FORMAT " timeout %" G_GUINT64_FORMAT,
      s.packets, s.expected, s.p, s.delayed, s.queue, s.reports,
      ra_reporter_next_timeout (t->reporter));
}

void
talk_check (Talk *t)
{
  gsize used = memory_used ();

  law_sender (t->sender, &t->limits, t->cap, t->now);
  check_reporter (t);
  g_assert_cmpuint (used, <=, t->memory + GROWTH_MAX);
}

/* --- the way there ------------------------------------------------------ */

/* What the breaker holds back does not leave. */
void
talk_send (Talk *t, guint size, guint flags)
{
  RaMark mark = (RaMark) (flags >> 6);
  TalkPacket *p;
  RaSenderStats s;

  if (ra_sender_rate (t->sender) == 0)
    return;
  if (t->n_flying == TALK_FLYING)
    talk_lose (t, 1);
  ra_sender_get_stats (t->sender, &s);
  p = &t->flying[t->n_flying++];
  *p = (TalkPacket){ .seq = t->next++,
    .size = size,
    .ts = { s.rtt, ra_stamp_us (t->now) },
    .colour = { mark, t->colours[mark]++ & 0x3fff } };
  ra_sender_on_sent (t->sender,
      &(RaOutgoing){ .seq = p->seq,
          .size = size,
          .media = size - MIN (size, 20),
          .mark = mark,
          .flags = (RaSentFlags) (flags & 0x3f) },
      t->now);
}

void
talk_lose (Talk *t, guint n)
{
  n = MIN (n, t->n_flying);
  t->n_flying -= n;
  memmove (t->flying, t->flying + n, t->n_flying * sizeof t->flying[0]);
}

static void
came (Talk *t, guint64 seq)
{
  if (seq >= t->told && t->came[seq % TALK_ROWS] == RA_TIME_NONE)
    t->came[seq % TALK_ROWS] = t->peer;
  t->highest = MAX (t->highest, seq + 1);
}

void
talk_deliver (Talk *t, guint i, gboolean stays)
{
  TalkPacket p;

  if (i >= t->n_flying)
    return;
  p = t->flying[i];
  if (!stays) {
    t->n_flying--;
    memmove (t->flying + i, t->flying + i + 1,
        (t->n_flying - i) * sizeof t->flying[0]);
  }
  t->taken++;
  came (t, p.seq);
  ra_reporter_on_packet (t->reporter,
      &(RaWirePacket){ .ssrc = 1,
          .seq = (guint16) p.seq,
          .size = p.size,
          .arrival = t->peer,
          .number = (gint) (p.seq & 0xffff),
          .send_ts = &p.ts,
          .colour = &p.colour,
          .tos = (gint) p.colour.mark });
}

/* A timer that ran is not due any more. */
static void
timer_run (Talk *t)
{
  ra_sender_on_timeout (t->sender, t->now);
  g_assert_cmpuint (ra_sender_next_timeout (t->sender), >, t->now);
}

void
talk_pass (Talk *t, RaSpan span)
{
  RaTime until = MIN (ra_later (t->now, span), TALK_NOW_MAX);

  for (guint i = 0; i < TIMERS_MAX; i++) {
    RaTime due = ra_sender_next_timeout (t->sender);

    if (due > until)
      break;
    t->now = MAX (t->now, due);
    timer_run (t);
    law_rate (t->sender, &t->limits, t->cap);
  }
  t->now = MAX (t->now, until);
  if (ra_sender_next_timeout (t->sender) <= t->now)
    timer_run (t);
  t->peer = MIN (ra_later (t->peer, span), TALK_NOW_MAX);
}

/* --- the way back ------------------------------------------------------- */

static gboolean
report_tfrc (Talk *t, TalkReport *r)
{
  RaTfrcFb fb;
  RaRadp radp;
  guint32 ssrc;

  if (!ra_reporter_tfrc (t->reporter, t->peer, &fb, &radp, &ssrc))
    return FALSE;
  g_assert_true (fb.p >= 0 && fb.p <= 1);
  g_assert_cmpint (fb.t_delay, >=, 0);
  g_assert_cmpuint (radp.arrived, <=, radp.expected);
  g_assert_cmpuint (radp.wireless_runs, <=, radp.lost_wireless);
  g_assert_cmpuint (ra_reporter_next_timeout (t->reporter), >, t->peer);
  r->size = ra_tfrc_fb_write (&fb, r->fci, sizeof r->fci);
  r->radp_size = ra_radp_write (&radp, r->radp, sizeof r->radp);
  g_assert_cmpuint (r->radp_size, >, 0);
  return TRUE;
}

static gboolean
report_rows (Talk *t, TalkReport *r)
{
  guint64 from = MAX (t->told, t->highest - MIN (t->highest, TALK_ROWS));

  for (guint64 seq = from; seq < t->highest; seq++) {
    RaTime *at = &t->came[seq % TALK_ROWS];

    r->rows[r->n++] = (RaFeedbackPacket){ .seq = seq, .arrival = *at };
    *at = RA_TIME_NONE;
  }
  t->told = MAX (t->told, t->highest);
  return r->n > 0;
}

gboolean
talk_report (Talk *t, TalkReport *r)
{
  memset (r, 0, sizeof *r);
  switch (t->mode) {
    case TALK_TFRC:
      return report_tfrc (t, r);
    case TALK_CCFB:
      r->size = ra_reporter_ccfb (
          t->reporter, t->peer, t->peer, &r->media, r->fci, sizeof r->fci);
      g_assert_cmpuint (r->size, <=, sizeof r->fci);
      return r->size > 0;
    default:
      return report_rows (t, r);
  }
}

static void
hear_tfrc (Talk *t, const TalkReport *r)
{
  RaSenderStats s;
  RaReport report;
  RaSpan t_delay;
  RaHeard heard;

  if (r->radp_size > 0)
    ra_tfrc_ear_on_radp (t->tfrc_ear, r->radp, r->radp_size, t->now);
  heard = ra_tfrc_ear_on_tfrc (
      t->tfrc_ear, r->fci, r->size, t->now, &report, &t_delay);
  if (heard != RA_HEARD_OK)
    return;
  ra_sender_get_stats (t->sender, &s);
  law_report (&report, t_delay, t->now, s.packets_sent);
  g_assert_true (ra_sender_on_report (t->sender, &report, t_delay, t->now));
}

/* As the element does: the youngest packet of that number. */
static void
hear_ccfb (Talk *t, const TalkReport *r)
{
  RaFeedbackPacket rows[TALK_ROWS];
  guint16 least = RA_CCFB_ATO_MAX;
  RaCcfbReader reader;
  RaTime rts;
  guint n = 0;

  if (!ra_ccfb_read (&reader, r->media, r->fci, r->size))
    return;
  rts = ra_stamp_ntp_time (reader.rts, 2 * (RaTime) RA_STAMP_NTP_WRAP);
  while (ra_ccfb_next (&reader)) {
    for (guint i = 0; i < reader.n && n < TALK_ROWS; i++) {
      RaCcfbPacket p = ra_ccfb_get (&reader, i);
      guint16 back = (guint16) (t->next - (reader.begin_seq + i));

      if (back > t->next || (p.received && p.ato > RA_CCFB_ATO_MAX))
        continue;
      if (p.received)
        least = MIN (least, p.ato);
      rows[n++] = (RaFeedbackPacket){ .seq = t->next - back,
        .arrival = p.received ? ra_ccfb_arrival (rts, p.ato) : RA_TIME_NONE,
        .ce = p.ecn == 3 };
    }
  }
  held_rows_hear (
      t->sender, rows, n, RA_SECOND / 1024, least * RA_SECOND / 1024, t->now);
}

void
talk_hear (Talk *t, const TalkReport *r)
{
  fuzz_note_bytes ("radp", r->radp, r->radp_size);
  fuzz_note_bytes ("fci", r->fci, r->size);
  if (t->mode == TALK_TFRC)
    hear_tfrc (t, r);
  else if (t->mode == TALK_CCFB)
    hear_ccfb (t, r);
  else
    ra_sender_on_feedback (t->sender, r->rows, r->n, 250 * RA_USECOND, t->now);
}
