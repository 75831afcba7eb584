/* rtpadaptsink's ECN bits on the wire, and RFC 8888 reports about them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "sink-fixture.h"
#include "../rows.h"

#include <gst/rtpadapt/safety/ecn.h>

#define BATCH 10

/* Nothing but ECN changes what leaves. */
#define STEADY                                                   \
  "fec=none colour=none controller=fixed start-bitrate=5000000 " \
  "burst=1000000000 friendliness-cap=0 circuit-breakers=false ecn=ect-0 "

typedef struct
{
  GstElement *pipeline, *sink;
  gint ear;
  guint seq;
  guint port; /* of the sink */
  RaEcnField came[BATCH];
  guint n[4];      /* packets by field */
  guint rtcp, ect; /* packets of RTCP, and those of them that were ECT */
} World;

static World
world_new (const gchar *options)
{
  g_autofree gchar *all = g_strconcat (STEADY, options, NULL);
  World w = { 0 };
  guint port = 0;

  w.ear = udp_socket ("127.0.0.1", &port);
  w.pipeline = sink_pipeline (port, all, &w.sink);
  sink_play (w.pipeline);
  return w;
}

static void
world_free (World *w)
{
  sink_stop (w->pipeline, w->sink);
  close (w->ear);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_free)

/* Ten packets. */
static void
batch_hear (World *w)
{
  for (guint i = 0; i < BATCH; i++)
    sink_push (w->pipeline, w->seq + i);
  for (guint i = 0; i < BATCH;) {
    UdpHeard heard;

    udp_hear (w->ear, &heard);
    g_assert_cmpint (heard.size, >=, 12);
    g_assert_cmpint (heard.tos, >=, 0);
    if (sink_heard_rtcp (&heard)) {
      w->rtcp++;
      w->ect += (heard.tos & 3) != 0;
      continue;
    }
    w->port = heard.from_port;
    w->came[i] = (RaEcnField) (heard.tos & 3);
    w->n[w->came[i++]]++;
  }
  w->seq += BATCH;
}

/* A report about each batch. */
static gboolean
is_heard (const World *w)
{
  return sink_stat (w->sink, "sender/reports-ok") >= w->seq / BATCH;
}

/* RFC 3550 6.4.2, RFC 8888 3.1: they arrived when the report was sent; RTS in
 * 1/65536 s. */
static void
batch_report (World *w, gboolean bleached)
{
  guint8 r[SINK_RR_SIZE + 20 + 2 * BATCH], *p = r + SINK_RR_SIZE;
  guint64 now = (guint64) g_get_monotonic_time ();

  sink_rr (r, SINK_THEIRS, SINK_SSRC);
  GST_WRITE_UINT32_BE (p, 0x8bcd0000 | ((20 + 2 * BATCH) / 4 - 1));
  GST_WRITE_UINT32_BE (p + 4, SINK_THEIRS);
  GST_WRITE_UINT32_BE (p + 8, SINK_SSRC);
  GST_WRITE_UINT16_BE (p + 12, (guint16) (w->seq - BATCH));
  GST_WRITE_UINT16_BE (p + 14, BATCH);
  for (guint i = 0; i < BATCH; i++) {
    guint field = bleached ? RA_ECN_NOT_ECT : w->came[i];

    GST_WRITE_UINT16_BE (p + 16 + 2 * i, (guint16) (0x8000 | field << 13));
  }
  GST_WRITE_UINT32_BE (
      p + 16 + 2 * BATCH, (guint32) ((now << 16) / G_USEC_PER_SEC));
  /* The sender finds its session in another thread, and hears none before; said
   * again it is old. */
  for (guint i = 0; i < 300 && !is_heard (w); i++) {
    if (i % 10 == 0)
      udp_say (w->ear, "127.0.0.1", w->port, 0, r, sizeof r);
    for (guint ms = 0; ms < 100 && !is_heard (w); ms++)
      g_usleep (1000);
  }
  g_assert_true (is_heard (w));
}

/* The first warning about ECN, or NULL. */
static gchar *
warning (World *w)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (w->pipeline);
  gchar *text;

  while ((text = udp_said (bus, GST_MESSAGE_WARNING))
      && !strstr (text, "without ECN"))
    g_free (text);
  return text;
}

static gboolean
is_warned (gpointer data)
{
  gchar **text = ((gpointer *) data)[1];

  *text = warning (((gpointer *) data)[0]);
  return *text != NULL;
}

/* --- tests ------------------------------------------------------------------ */

/* One packet in ten tries the path, and three that do not fit are enough. */
static void
test_bleached (void)
{
  g_auto (World) w = world_new ("feedback=ccfb");
  g_autofree gchar *text = NULL, *more = NULL;
  guint before, after;

  for (guint i = 0; i < 3; i++) {
    batch_hear (&w);
    batch_report (&w, TRUE);
  }
  before = w.n[RA_ECN_ECT_0] + w.n[RA_ECN_CE];
  for (guint i = 0; i < 10; i++) {
    batch_hear (&w);
    batch_report (&w, TRUE);
  }
  after = w.n[RA_ECN_ECT_0] + w.n[RA_ECN_CE] - before;
  g_assert_true (sink_wait (is_warned, (gpointer[]){ &w, &text }));
  more = warning (&w);
  trust_row ("attack", "14 ECN, rtpadaptsink: receiver says not-ECT",
      "after 3 of 30 packets none on the wire is ECT; one warning",
      before == 3 && after == 0 && w.ect == 0 && !more
          && sink_stat (w.sink, "sender/ecn-failed") == 1,
      "%u of 30, then %u of 100; of %u RTCP packets %u; \"%s\"", before, after,
      w.rtcp, w.ect, text);
}

/* A test that takes up to 360 packets (unit/test-ecn-paths.c). */
static void
test_honest (void)
{
  g_auto (World) w = world_new ("feedback=ccfb");
  g_autofree gchar *more = NULL;
  guint before;

  for (guint i = 0; i < 36; i++) {
    batch_hear (&w);
    batch_report (&w, FALSE);
  }
  before = w.n[RA_ECN_NOT_ECT];
  for (guint i = 0; i < 5; i++) {
    batch_hear (&w);
    batch_report (&w, FALSE);
  }
  more = warning (&w);
  g_assert_cmpuint (w.n[RA_ECN_NOT_ECT], ==, before);
  g_assert_cmpuint (w.n[RA_ECN_ECT_1], ==, 0);
  g_assert_cmpuint (w.n[RA_ECN_CE], >=, 3);
  g_assert_cmpuint (w.ect, ==, 0);
  g_assert_cmpuint (sink_stat (w.sink, "sender/ecn-failed"), ==, 0);
  g_assert_cmpuint (sink_stat (w.sink, "sender/ecn-sent"), ==,
      w.n[RA_ECN_ECT_0] + w.n[RA_ECN_CE]);
  g_assert_null (more);
}

/* Other feedback, and SRTP: the tenth packet and the twentieth are ECT, or none. */
static const struct
{
  const gchar *options;
  guint ect;
  const gchar *why;
} rows[] = {
  { "feedback=twcc", 0, "no mark comes back" },
  { "feedback=tfrc", 0, "nothing tells how each packet came" },
  { "feedback=ccfb", 2, "the test begins before anything comes back" },
  { "feedback=ccfb key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b"
    "1c1d",
      2, "encryption leaves it" },
};

static void
test_wire (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (World) w = world_new (rows[row].options);

  g_test_message ("%s: %s", rows[row].options, rows[row].why);
  batch_hear (&w);
  batch_hear (&w);
  g_assert_cmpuint (w.n[RA_ECN_ECT_0] + w.n[RA_ECN_CE], ==, rows[row].ect);
  g_assert_cmpuint (w.n[RA_ECN_ECT_1], ==, 0);
  g_assert_cmpuint (w.ect, ==, 0);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsink/ecn/bleached", test_bleached);
  g_test_add_func ("/rtpadaptsink/ecn/honest", test_honest);
  rows_add ("/rtpadaptsink/ecn/wire", rows, test_wire);
}
