/* The RTCP that rtpadaptrecv and its rtpsession send, when, and what it counts,
 * for each kind of feedback, for tests/tools/golden.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "golden.h"

#include "recv-fixture.h"

#define LENGTH (4 * GST_SECOND)
#define GAP (5 * MS)

static const struct
{
  const gchar *name, *properties, *caps;
  gboolean waits; /* the element has a timer of its own */
} rows[] = {
  { "tfrc-zbs", "feedback=tfrc lda=zbs", CAPS_ALL, TRUE },
  { "tfrc-wled", "feedback=tfrc lda=wled", CAPS_ALL, TRUE },
  { "tfrc-ld", "feedback=tfrc lda=ld", CAPS_ALL, TRUE },
  { "tfrc-unnumbered", "feedback=tfrc lda=fused",
      CAPS_PLAIN ",extmap-2=" RA_SEND_TS_URI, TRUE },
  { "ccfb", "feedback=ccfb", CAPS_TWCC, TRUE },
  { "ccfb-20ms", "feedback=ccfb feedback-interval=20000000", CAPS_ALL, TRUE },
  { "twcc", "feedback=twcc", CAPS_TWCC, FALSE },
  { "auto", "", CAPS_ALL, FALSE },
};

static void
take (Recv *r)
{
  GstBuffer *buffer;

  while ((buffer = rtcp_try (r))) {
    golden_buffer (buffer, time_now (r), G_MAXSIZE);
    gst_buffer_unref (buffer);
  }
}

static void
advance (Recv *r, GstClockTime t)
{
  while (golden_step (r->clock, r->timers, t))
    take (r);
  gst_test_clock_set_time (r->clock, t);
  golden_settle (r->clock, r->timers);
  take (r);
}

/* Each 23rd is lost, with a run of four now and then; each 50th comes two
 * later, each 61st twice.  A queue comes and goes. */
static void
pass (Recv *r, guint i)
{
  guint seq = i % 50 == 30 ? i + 2 : i % 50 == 32 ? i - 2 : i;
  Packet p = { .seq = (guint16) (65000 + seq),
    .rtt = R + seq % 7 * MS,
    .owd = 20 * MS + (RaSpan) (i % 200 / 8) * MS,
    .numbered = TRUE,
    .number = (guint16) (65100 + seq),
    .mark = (RaMark) (1 + seq % 3),
    .n = (guint16) (1 + seq / 3),
    .has_tos = TRUE,
    .tos = (guint8) (0x88 | (i % 37 == 5 ? 3 : 2)) };

  if (i % 23 == 11 || i % 300 >= 296)
    return;
  push (r, p);
  if (i % 61 == 3)
    push (r, p);
  take (r);
}

static void
play (guint row)
{
  g_auto (Recv) r;
  GstClockTime begin;

  g_random_set_seed (1);
  r = recv_new (rows[row].properties, SESSION, rows[row].caps);
  golden_begin (rows[row].name, r.clock);
  r.timers = rows[row].waits ? 2 : 1;
  gst_util_set_object_arg (
      G_OBJECT (r.session), "sdes", "application/x-rtp-source-sdes,cname=me");
  g_object_set (r.internal, "internal-ssrc", 0x0a0b0c0d, NULL);
  pass (&r, 0); /* rtpsession waits from now on */
  begin = time_now (&r);
  for (guint i = 1; i * GAP < LENGTH; i++) {
    advance (&r, begin + i * GAP);
    pass (&r, i);
    if (i % 200 == 199)
      golden_stats (r.element);
  }
  golden_end ();
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (argc < 2 || g_str_equal (argv[1], rows[i].name))
      play (i);
  }
  return 0;
}
