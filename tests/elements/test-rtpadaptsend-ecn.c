/* rtpadaptsend's ECN bits, and forged RFC 8888 reports about them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "parts/ecnmeta.h"
#include "session-fixture.h"
#include "../rows.h"

#define BATCH 10

/* Packets that leave at once; a report follows 50 ms later, the next ten 50 ms
 * after it. */
typedef struct
{
  Pair pair;
  RaEcnField sent[BATCH];
  guint seq; /* of the first of them */
  guint n[RA_ECN_UNSAID + 1];
} World;

/* With 5 Mbit/s the pacer lets them go, whatever comes back. */
static World
world_new (const gchar *properties)
{
  g_autofree gchar *all = g_strdup_printf (
      "lda=none controller=fixed start-bitrate=5000000 burst=1000000000 "
      "friendliness-cap=0 circuit-breakers=false %s",
      properties);

  return (World){ .pair = pair_new (all, "avpf", CAPS EXT_TWCC EXT_SEND_TS) };
}

static void
batch_send (World *w)
{
  Send *s = &w->pair.send;

  w->seq = s->seq;
  push_frame (s, 0, BATCH);
  for (guint i = 0; i < BATCH; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (s->h);

    g_assert_nonnull (buffer);
    w->sent[i] = rtp_adapt_buffer_get_ecn (buffer);
    w->n[w->sent[i]]++;
  }
  gst_test_clock_advance_time (s->clock, 50 * GST_MSECOND);
}

/* What the receiver says of a packet that left so. */
typedef RaEcnField (*Claim) (RaEcnField sent);

/* RFC 8888 3.1: R, ECN, and 8/1024 s before the report; RTS in 1/65536 s. */
static void
batch_report (World *w, Claim claim)
{
  Rtcp r = { 0 };

  put_head (&r, 11, 205, 20 + 2 * BATCH);
  put (&r, 4, PEER);
  put (&r, 4, SSRC);
  put (&r, 2, w->seq);
  put (&r, 2, BATCH);
  for (guint i = 0; i < BATCH; i++)
    put (&r, 2, 0x8000 | (guint) claim (w->sent[i]) << 13 | 8);
  put (&r, 4, 0x12345678 + w->seq / BATCH * 6554);
  rtcp_push (w->pair.rtcp, &r);
  gst_test_clock_advance_time (w->pair.send.clock, 50 * GST_MSECOND);
}

static gchar *
text_stat (const World *w, const gchar *field)
{
  return stats_text (w->pair.send.element, field);
}

/* Warnings about ECN since the last call; there is another, as nothing here has an
 * encoder. */
static guint
ecn_warnings (World *w)
{
  GstMessage *message;
  guint n = 0;

  while ((
      message = gst_bus_pop_filtered (w->pair.send.bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    n += g_str_has_prefix (error->message, "Packets are sent without ECN: ");
    gst_message_unref (message);
  }
  return n;
}

/* --- ccfb ------------------------------------------------------------------ */

static RaEcnField
claim_truth (RaEcnField sent)
{
  return sent;
}

static RaEcnField
claim_bleached (RaEcnField sent)
{
  return RA_ECN_NOT_ECT;
}

static RaEcnField
claim_swapped (RaEcnField sent)
{
  return sent == RA_ECN_ECT_0 ? RA_ECN_ECT_1 : sent;
}

static RaEcnField
claim_all_ce (RaEcnField sent)
{
  return sent == RA_ECN_NOT_ECT ? sent : RA_ECN_CE;
}

static RaEcnField
claim_no_ce (RaEcnField sent)
{
  return sent == RA_ECN_CE ? RA_ECN_ECT_0 : sent;
}

/* Ten packets each 100 ms, one of ten of them ECT: the bounds of test-ecn-paths.c
 * are 30 packets and their report; 3.6 s; 3 s from the first mark on, which is one
 * of the first twelve. */
static const struct
{
  const gchar *name, *state, *fault;
  Claim claim;
  guint batches;
} claims[] = {
  { "an honest receiver", "capable", "none", claim_truth, 36 },
  { "receiver says not-ECT", "failed", "bleached", claim_bleached, 3 },
  { "receiver says ECT(1)", "failed", "remarked", claim_swapped, 15 },
  { "receiver says CE of all", "failed", "all-ce", claim_all_ce, 12 + 31 },
  { "receiver never says CE", "failed", "ce-hidden", claim_no_ce, 36 },
};

static void
test_claim (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *name
      = g_strdup_printf ("14 ECN, rtpadaptsend: %s", claims[row].name);
  g_autofree gchar *promise = g_strdup_printf ("%s (%s) within %u packets",
      claims[row].state, claims[row].fault, claims[row].batches * BATCH);
  World w = world_new ("feedback=ccfb ecn=ect-0");
  gboolean failed = g_str_equal (claims[row].state, "failed");
  g_autofree gchar *state = NULL, *fault = NULL;
  guint before, warned = 0;

  for (guint i = 0; i < claims[row].batches; i++) {
    batch_send (&w);
    batch_report (&w, claims[row].claim);
  }
  state = text_stat (&w, "ecn-state");
  fault = text_stat (&w, "ecn-fault");
  before = w.n[RA_ECN_NOT_ECT];
  for (guint i = 0; i < 10; i++) {
    batch_send (&w);
    batch_report (&w, claims[row].claim);
  }
  wait_until ((warned += ecn_warnings (&w)) >= (guint) failed);
  trust_row ("attack", name, promise,
      g_str_equal (state, claims[row].state)
          && g_str_equal (fault, claims[row].fault)
          && w.n[RA_ECN_NOT_ECT] - before == (failed ? 10 * BATCH : 0)
          && w.n[RA_ECN_UNSAID] == 0 && warned == (guint) failed
          && stat (&w.pair.send, "ecn-failed") == failed,
      "%s (%s), %u warnings; then %u of %u packets not-ECT", state, fault,
      warned, w.n[RA_ECN_NOT_ECT] - before, 10 * BATCH);
  g_assert_cmpint (
      stat (&w.pair.send, "ecn-sent"), ==, w.n[RA_ECN_ECT_0] + w.n[RA_ECN_CE]);
  pair_free (&w.pair);
}

/* What left as CE is no congestion; what left as ECT and came as CE is. */
static void
test_own_marks (void)
{
  World w = world_new ("feedback=ccfb ecn=ect-1");
  guint marked = 0;

  for (guint i = 0; i < 200; i++) {
    batch_send (&w);
    batch_report (&w, claim_truth);
  }
  g_assert_cmpuint (w.n[RA_ECN_CE], >=, 3);
  g_assert_cmpuint (w.n[RA_ECN_ECT_0], ==, 0);
  g_assert_cmpint (stat (&w.pair.send, "ecn-ce"), ==, 0);
  g_assert_cmpint (stat (&w.pair.send, "loss-events"), ==, 0);
  batch_send (&w);
  for (guint i = 0; i < BATCH; i++)
    marked += w.sent[i] == RA_ECN_ECT_1;
  batch_report (&w, claim_all_ce);
  g_assert_cmpint (stat (&w.pair.send, "ecn-ce"), ==, marked);
  g_assert_cmpint (stat (&w.pair.send, "loss-events"), ==, 1);
  g_assert_cmpint (stat (&w.pair.send, "ecn-failed"), ==, 0);
  pair_free (&w.pair);
}

/* --- others ----------------------------------------------------------------- */

static const struct
{
  const gchar *properties;
  RaEcnField field;
  guint warnings;
  const gchar *why;
} off_rows[] = {
  { "feedback=twcc ecn=ect-0", RA_ECN_NOT_ECT, 1, "no mark comes back" },
  { "feedback=tfrc ecn=ect-0", RA_ECN_NOT_ECT, 1,
      "nothing tells how each packet came" },
  { "feedback=ccfb", RA_ECN_UNSAID, 0, "nobody asked for it" },
  { "feedback=twcc", RA_ECN_UNSAID, 0, "the same" },
};

static void
test_off (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  World w = world_new (off_rows[row].properties);
  g_autofree gchar *state = NULL;
  guint warned = 0;

  g_test_message ("%s: %s", off_rows[row].properties, off_rows[row].why);
  for (guint i = 0; i < 5; i++) {
    batch_send (&w);
    batch_report (&w, claim_truth);
  }
  wait_until ((warned += ecn_warnings (&w)) >= off_rows[row].warnings);
  g_assert_cmpuint (warned, ==, off_rows[row].warnings);
  g_assert_cmpuint (w.n[off_rows[row].field], ==, 5 * BATCH);
  state = text_stat (&w, "ecn-state");
  g_assert_cmpstr (state, ==, "off");
  pair_free (&w.pair);
}

/* In between: off at once, and begun again. */
static void
test_exchange (void)
{
  World w = world_new ("feedback=ccfb ecn=ect-0");
  g_autofree gchar *state = NULL;

  for (guint i = 0; i < 5; i++) {
    batch_send (&w);
    batch_report (&w, claim_bleached);
  }
  g_assert_cmpint (stat (&w.pair.send, "ecn-failed"), ==, 1);
  gst_util_set_object_arg (G_OBJECT (w.pair.send.element), "ecn", "not-ect");
  batch_send (&w);
  g_assert_cmpuint (w.n[RA_ECN_UNSAID], ==, BATCH);
  batch_report (&w, claim_bleached);
  gst_util_set_object_arg (G_OBJECT (w.pair.send.element), "ecn", "ect-1");
  batch_send (&w);
  state = text_stat (&w, "ecn-state");
  g_assert_cmpstr (state, ==, "testing");
  g_assert_cmpuint (
      w.n[RA_ECN_NOT_ECT] + w.n[RA_ECN_ECT_0] + w.n[RA_ECN_CE], >=, 59);
  pair_free (&w.pair);
}

void
tests_add (void)
{
  rows_add ("/rtpadaptsend/ecn/claim", claims, test_claim);
  rows_add ("/rtpadaptsend/ecn/off", off_rows, test_off);
  g_test_add_func ("/rtpadaptsend/ecn/own-marks", test_own_marks);
  g_test_add_func ("/rtpadaptsend/ecn/exchange", test_exchange);
}
