/* Fuzz target: sender, receiver and all that may happen between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input begins with controller, LDA, FEC, the receiver's LDA (their
 * numbers in the registry), flags (talk.c) and 2 bytes of the first packet's
 * number.  Then comes one step after the other: a byte whose lower half says
 * what, and the upper one how many, or how.  After each all laws hold (laws.h,
 * talk.c): the rate is within its limits, nothing is NaN, counters add up,
 * timers lie in the future, memory does not grow.
 */
#include "talk.h"

#define STEPS_MAX 400
#define WIRE_SSRCS 4

/* 1 us to 4.7 h: a mantissa of 3 bits, an exponent of 5. */
static RaSpan
span_take (FuzzBytes *b)
{
  guint x = (guint) fuzz_take (b, 1);

  return (RaSpan) (1 + (x >> 5)) * RA_USECOND << (x & 31);
}

static void
step_send (Talk *t, guint how, FuzzBytes *b)
{
  guint size = (guint) fuzz_take (b, 1) * 8, flags = (guint) fuzz_take (b, 1);

  for (guint i = 0; i <= how; i++) {
    RaTime at = ra_sender_next_send (t->sender, t->now);

    /* The pacer's time, unless that is very far away. */
    if (at != RA_TIME_NONE && ra_diff (at, t->now) <= RA_SECOND)
      talk_pass (t, ra_diff (at, t->now));
    talk_send (t, size, flags);
  }
}

static void
step_deliver (Talk *t, guint how, FuzzBytes *b)
{
  RaSpan apart = span_take (b) % RA_SECOND;

  for (guint i = 0; i <= how; i++) {
    talk_pass (t, apart);
    talk_deliver (t, 0, FALSE);
  }
}

/* Out of order, or twice. */
static void
step_deliver_one (Talk *t, guint how, FuzzBytes *b)
{
  talk_deliver (t, (guint) fuzz_take (b, 1), (how & 1) != 0);
}

static void
step_lose (Talk *t, guint how, FuzzBytes *b)
{
  talk_lose (t, how + 1);
}

/* How bit 3: by 2^16 as much, years. */
static void
step_forward (Talk *t, guint how, FuzzBytes *b)
{
  talk_pass (t, span_take (b) << (how & 8 ? 16 : 0));
}

/* How bit 0: the sender's clock, bit 1: the receiver's. */
static void
step_back (Talk *t, guint how, FuzzBytes *b)
{
  RaSpan span = span_take (b);

  if (how & 1)
    t->now = ra_later (t->now, -span);
  if (how & 2)
    t->peer = ra_later (t->peer, -span);
}

static void
mutate (TalkReport *r, FuzzBytes *b)
{
  guint where = (guint) fuzz_take (b, 1), what = (guint) fuzz_take (b, 1);

  if (where & 0x80 && r->radp_size > 0)
    r->radp[(where & 0x7f) % r->radp_size] ^= (guint8) what;
  else if (r->size > 0)
    r->fci[where % r->size] ^= (guint8) what;
  else if (r->n > 0 && what & 1)
    r->rows[where % r->n].arrival = RA_TIME_NONE;
  else if (r->n > 0)
    r->rows[where % r->n].arrival
        = ra_later (r->rows[where % r->n].arrival, span_take (b));
}

/* How bits 0 to 1: so many changes of what an honest receiver says; bit 2:
 * that is lost; bit 3: it comes late. */
static void
step_report (Talk *t, guint how, FuzzBytes *b)
{
  TalkReport r;

  if (!talk_report (t, &r))
    return;
  for (guint i = 0; i < (how & 3); i++)
    mutate (&r, b);
  t->last = r;
  if (how & 8)
    talk_pass (t, span_take (b) % RA_SECOND);
  if (!(how & 4))
    talk_hear (t, &r);
}

/* How many rows, each a number counted back from the latest, and when. */
static void
forge_rows (const Talk *t, TalkReport *r, guint n, FuzzBytes *b)
{
  for (r->n = 0; r->n < n; r->n++) {
    guint64 back = fuzz_take (b, 1);
    gboolean lost = fuzz_take (b, 1) % 2;

    r->rows[r->n] = (RaFeedbackPacket){ .seq = t->next - MIN (back, t->next),
      .arrival = lost ? RA_TIME_NONE : fuzz_take (b, 8) >> 2,
      .ce = back % 2 };
  }
}

/* How bit 0: about a packet that was just sent, as who guesses well would. */
static void
step_forge (Talk *t, guint how, FuzzBytes *b)
{
  g_autofree TalkReport *r = g_new0 (TalkReport, 1);
  guint32 t_i = GUINT32_TO_BE (ra_stamp_us (t->now));
  const guint8 *bytes;

  if (t->mode == TALK_ROWWISE) {
    forge_rows (t, r, how + 1, b);
  } else {
    bytes = fuzz_span (b, (gsize) fuzz_take (b, 1), &r->size);
    if (r->size > 0)
      memcpy (r->fci, bytes, r->size);
    if (t->mode == TALK_TFRC) {
      bytes = fuzz_span (b, sizeof r->radp, &r->radp_size);
      if (r->radp_size > 0)
        memcpy (r->radp, bytes, r->radp_size);
    }
    if (how & 1 && r->size >= 4)
      memcpy (r->fci, &t_i, 4);
    if (how & 1 && r->radp_size >= 8)
      memcpy (r->radp + 4, &t_i, 4);
    r->media = (guint32) how;
  }
  talk_pass (t, RA_MSECOND);
  talk_hear (t, r);
}

static void
step_replay (Talk *t, guint how, FuzzBytes *b)
{
  for (guint i = 0; i <= how; i++)
    talk_hear (t, &t->last);
}

/* 0 to 2^31 bit/s, in whatever order. */
static void
step_limits (Talk *t, guint how, FuzzBytes *b)
{
  guint x[3];

  for (guint i = 0; i < 3; i++)
    x[i] = (guint) fuzz_take (b, 1) & 31;
  t->limits = (RaRateConfig){ .min = (guint64) (how & 7) << x[0],
    .start = (guint64) (how >> 1) << x[1],
    .max = (guint64) 1 << x[2],
    .mss = how * 100 };
  ra_sender_set_limits (t->sender, &t->limits);
}

/* What users and others may do to it while it runs.  How bit 0: with the
 * paper's parameters, or breakers; the others: what. */
static void
step_settings (Talk *t, guint how, FuzzBytes *b)
{
  const gchar *params = how & 1 ? "paper" : NULL;
  guint which = (guint) fuzz_take (b, 1);

  switch (how >> 1) {
    case 0:
      ra_sender_set_controller (
          t->sender, TALK_PICK (ra_rates, which), params, t->now, NULL);
      break;
    case 1:
      ra_sender_set_lda (t->sender, TALK_PICK (ra_ldas, which), params, NULL);
      break;
    case 2:
      ra_reporter_set_lda (
          t->reporter, TALK_PICK (ra_ldas, which), params, NULL);
      break;
    case 3:
      ra_sender_set_fec (t->sender, TALK_PICK (ra_fecs, which), params, NULL);
      break;
    case 4:
      t->cap = which / 8.;
      ra_sender_set_safety (t->sender, t->cap, how & 1);
      break;
    case 5:
      ra_sender_set_fec_made (t->sender, how & 1);
      ra_sender_set_fec_others (t->sender, which);
      break;
    case 6:
      ra_sender_on_lie (t->sender, t->now);
      break;
    default:
      ra_sender_restart (t->sender);
  }
}

/* A report block that anybody may have sent. */
static void
step_receiver_report (Talk *t, guint how, FuzzBytes *b)
{
  RaBlock block = { .ssrc = how, .lsr = (RaLsr) (how % 3) };

  block.ext_highest_seq = (guint32) fuzz_take (b, 4);
  block.fraction_lost = (gdouble) fuzz_take (b, 1) / 256;
  block.rtt = how & 1 ? span_take (b) : -span_take (b);
  ra_sender_on_receiver_report (t->sender, &block, 1, t->now);
  ra_sender_on_rtcp (t->sender, t->now);
}

/* A packet that anybody may have sent to the receiver. */
static void
step_wire (Talk *t, guint how, FuzzBytes *b)
{
  RaSendTs ts
      = { (RaSpan) fuzz_take (b, 3) * RA_USECOND, (guint32) fuzz_take (b, 4) };
  RaColourExt colour = { (RaMark) (how & 3), (guint16) fuzz_take (b, 2) };

  t->taken++;
  ra_reporter_on_packet (t->reporter,
      &(RaWirePacket){ .ssrc = (guint32) fuzz_take (b, 1) % WIRE_SSRCS,
          .seq = (guint16) fuzz_take (b, 2),
          .size = (guint) fuzz_take (b, 2),
          .arrival = t->peer,
          .grain = how & 1 ? RA_MSECOND : 0,
          .number = how & 2 ? (gint) fuzz_take (b, 2) : -1,
          .send_ts = how & 4 ? &ts : NULL,
          .colour = how & 8 ? &colour : NULL,
          .tos = (gint) fuzz_take (b, 1) - 1 });
}

static void (*const steps[]) (Talk *t, guint how, FuzzBytes *b) = {
  step_send,
  step_deliver,
  step_report,
  step_lose,
  step_forward,
  step_send,
  step_deliver,
  step_report,
  step_deliver_one,
  step_back,
  step_forge,
  step_replay,
  step_limits,
  step_settings,
  step_receiver_report,
  step_wire,
};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  g_autofree Talk *t = g_new (Talk, 1);

  talk_init (t, &b);
  talk_check (t);
  for (guint i = 0; i < STEPS_MAX && b.left > 0; i++) {
    guint step = (guint) fuzz_take (&b, 1);

    steps[step & 15](t, step >> 4, &b);
    talk_check (t);
  }
  talk_clear (t);
  return 0;
}
