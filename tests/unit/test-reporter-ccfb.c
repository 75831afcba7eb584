/* RFC 8888 feedback: what is told, when, and that nothing is told wrongly or
 * forgotten.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "reporter-fixture.h"

#include <gst/rtpadapt/feedback/ccfblog.h>
#include <gst/rtpadapt/util/rng.h>

#define INTERVAL 50 /* ms, of a reporter that was told none */

/* --- bytes --- */

static void
add (RaReporter *r, guint32 ssrc, guint16 seq, guint ms, gint tos)
{
  RaWirePacket p = wire_packet (seq, MS (ms));

  p.ssrc = ssrc;
  p.tos = tos;
  ra_reporter_on_packet (r, &p);
}

/* RFC 8888 3.1, figure 1 from begin_seq on.  ATO in 1/1024 s: 1 s is 0x400. */
/* clang-format off */
static const guint8 first[] = {
  0xff, 0xfe, 0x00, 0x04, /* 65534, four of them */
  0xc4, 0x00, 0x82, 0x00, /* 1 10 1 s, ECT(0); 1 00 .5 s */
  0x00, 0x00, 0xe1, 0x00, /* 0 is missing; 1 11 .25 s, CE */
  0x00, 0x01, 0x00, 0x00, /* RTS 1 s */
};
static const guint8 second[] = {
  0xff, 0xfe, 0x00, 0x05, /* again, and 2 */
  0xc8, 0x00, 0x86, 0x00, /* 2 s, 1.5 s */
  0x00, 0x00, 0xe5, 0x00, /* 1.25 s */
  0x82, 0x00, 0x00, 0x00, /* 2, .5 s; padding */
  0x55, 0x66, 0x77, 0x88, /* another SSRC */
  0x00, 0x07, 0x00, 0x01, /* 7 */
  0xa2, 0x80, 0x00, 0x00, /* 1 01 .625 s, ECT(1); padding */
  0x00, 0x02, 0x00, 0x00,
};
static const guint8 third[] = {
  0x00, 0x00, 0x00, 0x03, /* 0, which came late; 1 again, as it is before 2 */
  0x81, 0x00, 0xe9, 0x00, /* .25 s; 2.25 s */
  0x86, 0x00, 0x00, 0x00, /* 2 for the second time, 1.5 s */
  0x55, 0x66, 0x77, 0x88, /* 7 for the second time */
  0x00, 0x07, 0x00, 0x01, /* 1.625 s */
  0xa6, 0x80, 0x00, 0x00,
  0x00, 0x03, 0x00, 0x00,
};
static const guint8 fourth[] = {
  0x00, 0x00, 0x00, 0x03, /* 0 for the second time */
  0x85, 0x00, 0xed, 0x00,
  0x8a, 0x00, 0x00, 0x00,
  0x00, 0x04, 0x00, 0x00,
};
/* clang-format on */

static void
expect (RaReporter *r, guint ms, const guint8 *bytes, guint8 len)
{
  guint8 fci[256];
  guint32 ssrc = 0;

  g_assert_cmpuint (
      ra_reporter_ccfb (r, MS (ms), MS (ms), &ssrc, fci, sizeof fci), ==, len);
  g_assert_cmpmem (fci, len, bytes, len);
  g_assert_cmphex (ssrc, ==, len > 0 ? 0x11223344 : 0);
}

static void
test_golden (void)
{
  g_autoptr (RaReporter) r
      = reporter_new (&ra_feedback_ccfb, ra_lda_find ("none"));

  add (r, 0x11223344, 65534, 0, 2);
  add (r, 0x11223344, 65535, 500, -1);
  add (r, 0x11223344, 1, 750, 3);
  expect (r, 1000, first, sizeof first);
  add (r, 0x55667788, 7, 1375, 1);
  add (r, 0x11223344, 2, 1500, 0);
  expect (r, 2000, second, sizeof second);
  add (r, 0x11223344, 0, 2750, 0);
  expect (r, 3000, third, sizeof third);
  expect (r, 4000, fourth, sizeof fourth);
  expect (r, 5000, NULL, 0); /* all is told twice */
  g_assert_cmpuint (reporter_stats (r).reports, ==, 4);
}

/* --- what is told --- */

/* "SSRC:SEQ..." of all blocks; "-" before what is missing, "!" before CE. */
static void
report_text (GString *s, guint32 ssrc, const guint8 *fci, gsize len)
{
  RaCcfbReader reader;

  if (s->len > 0)
    g_string_append (s, " | ");
  g_assert_true (ra_ccfb_read (&reader, ssrc, fci, len));
  for (gboolean begins = TRUE; ra_ccfb_next (&reader); begins = FALSE) {
    g_string_append_printf (s, "%s%c:", begins ? "" : " ", reader.ssrc);
    for (guint i = 0; i < reader.n; i++) {
      RaCcfbPacket p = ra_ccfb_get (&reader, i);

      g_string_append_printf (s, "%s%s%u", i > 0 ? "," : "",
          !p.received      ? "-"
              : p.ecn == 3 ? "!"
                           : "",
          (guint16) (reader.begin_seq + i));
    }
  }
}

/* Words: A5 packet 5 of SSRC A, A5-9 five of them, with "!" behind marked CE;
 * "r" a report an interval later, "rLEN" one of at most LEN bytes, "+LEN" one
 * more at once; "q" one that is left out of `told`. */
static const struct
{
  const gchar *script, *told, *why;
} told_rows[] = {
  { "A1 A2 r", "A:1,2", "" },
  { "A1 A3 r", "A:1,-2,3", "missing, so far" },
  { "A1 r A2 r A3 r", "A:1 | A:1,2 | A:2,3", "the interval before, too" },
  { "A1 r A2 r r r", "A:1 | A:1,2 | A:2", "each one twice, then no more" },
  { "A1 A3 r A2 r", "A:1,-2,3 | A:1,2,3", "late, the interval after" },
  { "A1 A3 r r A2 r r", "A:1,-2,3 | A:1,-2,3 | A:2,3 | A:2,3",
      "later: from there on" },
  { "A1 A4 r A5 r A6 r A2 r",
      "A:1,-2,-3,4 | A:1,-2,-3,4,5 | A:5,6 | "
      "A:2,-3,4,5,6",
      "however old" },
  { "A5 A4 r", "A:4,5", "sent before the first that came" },
  { "A5 r A3 r", "A:5 | A:3,-4,5", "and later" },
  { "A1 A1 r", "A:1", "copies" },
  { "A1 A1! r", "A:!1", "3.1: CE if any copy has it" },
  { "A1 r r A1! r r", "A:1 | A:1 | A:!1 | A:!1", "even when it was told" },
  { "A1! A1 r", "A:!1", "the first one had it" },
  { "A1 B7 A2 r B8 r r", "A:1,2 B:7 | A:1,2 B:7,8 | B:8", "two SSRCs" },
  { "A1 r A5000 A5001 A5002 r", "A:1 | A:5001,5002", "it restarted" },
  { "A1-49 A52-300 q A50 A51 r16", "A:50,51,52,53",
      "late by 250 or more, which RFC 3550 A.1 takes for a jump" },
  { "A1-300 q A50 A51 r", "A:51", "they came already: it restarted" },
  { "A1 A5000 A2 r", "A:1,2", "a stray packet" },
  { "A65535 A0 r", "A:65535,0", "the wrap" },

  { "A1-6 r14 +99", "A:1,2 | A:3,4,5,6", "8 bytes and 2 for each but the end" },
  { "A1-6 r14 +99 r99", "A:1,2 | A:3,4,5,6 | A:1,2,3,4,5,6", "both again" },
  { "A1-6 r12 +12 +12 +12", "A:1,2 | A:3,4 | A:5,6", "two of them at a time" },
  { "A1-6 r11 r99", "A:1,2,3,4,5,6", "none" },
  { "A1-4 r99 A5-6 r99 A7 r99", "A:1,2,3,4 | A:1,2,3,4,5,6 | A:5,6,7",
      "room for both" },
  { "A1-4 r99 A5-6 r16 A7 r99", "A:1,2,3,4 | A:5,6 | A:5,6,7",
      "first the news, and 1 to 4 are too old the next time" },
  { "A1-4 B1-4 r16 +16 +99 +99", "A:1,2,3,4 | B:1,2,3,4",
      "in turns; the second telling is not at once" },
  { "A1-6 B1-2 r12 +12 +12 +12 +12", "A:1,2 | B:1,2 | A:3,4 | A:5,6",
      "nobody waits for all of another's" },
};

static void
told_word (RaReporter *r, const ScriptWord *w, guint *now, GString *told)
{
  gboolean at_once = w->letter == '+';
  guint8 fci[1500];
  guint32 ssrc;
  gsize len = w->has_number ? w->number : sizeof fci;

  if (w->letter != 'r' && w->letter != 'q' && !at_once) {
    for (guint64 seq = w->number; seq <= w->last; seq++)
      add (r, (guint32) w->letter, (guint16) seq, *now,
          script_has (w, '!') ? 3 : -1);
    return;
  }
  *now += at_once ? 0 : INTERVAL;
  len = ra_reporter_ccfb (r, MS (*now), MS (*now), &ssrc, fci, len);
  if (len > 0 && w->letter != 'q')
    report_text (told, ssrc, fci, len);
}

static void
test_told (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (told_rows); i++) {
    const gchar *script = told_rows[i].script;
    g_autoptr (GString) told = g_string_new (NULL);
    g_autoptr (RaReporter) r
        = reporter_new (&ra_feedback_ccfb, ra_lda_find ("none"));
    guint now = 0;

    for (ScriptWord w; script_next (&script, &w);)
      told_word (r, &w, &now, told);
    g_test_message ("%s: %s", told_rows[i].script, told_rows[i].why);
    g_assert_cmpstr (told->str, ==, told_rows[i].told);
  }
}

/* --- when --- */

static void
test_times (void)
{
  g_autoptr (RaReporter) r
      = reporter_new (&ra_feedback_ccfb, ra_lda_find ("none"));
  RaWirePacket p = wire_packet (1, MS (1000));
  guint8 fci[64];
  guint32 ssrc;

  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, RA_TIME_NONE);
  g_assert_false (ra_reporter_on_packet (r, &p));
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, MS (1050));
  ra_reporter_ccfb (r, MS (1051), 0, &ssrc, fci, sizeof fci);
  /* for the second time */
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, MS (1101));
  ra_reporter_ccfb (r, MS (1101), 0, &ssrc, fci, sizeof fci);
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, RA_TIME_NONE);
  /* a timer that is late */
  p = wire_packet (2, MS (2000));
  g_assert_true (ra_reporter_on_packet (r, &p));
  ra_reporter_ccfb (r, MS (2000), 0, &ssrc, fci, sizeof fci);
  p = wire_packet (3, MS (2010));
  g_assert_false (ra_reporter_on_packet (r, &p));
  p = wire_packet (34, MS (2020));
  ra_reporter_on_packet (r, &p);
  /* no room for all: the rest at once; for none: later */
  g_assert_cmpuint (
      ra_reporter_ccfb (r, MS (2050), 0, &ssrc, fci, sizeof fci), ==, 64);
  g_assert_cmpuint (ra_reporter_next_timeout (r), <=, MS (2050));
  g_assert_cmpuint (ra_reporter_ccfb (r, MS (2050), 0, &ssrc, fci, 11), ==, 0);
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, MS (2100));
  ra_reporter_ccfb (r, MS (2100), 0, &ssrc, fci, sizeof fci);
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, MS (2150));
  /* no room for all of what was told once: it is left */
  g_assert_cmpuint (
      ra_reporter_ccfb (r, MS (2150), 0, &ssrc, fci, sizeof fci), ==, 0);
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, RA_TIME_NONE);
  /* the clock went back */
  p = wire_packet (35, MS (5));
  ra_reporter_on_packet (r, &p);
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, MS (55));
}

/* --- laws --- */

#define N 75000 /* packets of each of two SSRCs: beyond 2^16 */

/* Packet `i` of SSRC `s` + 1, a millisecond per packet of both. */
typedef struct
{
  gdouble at; /* ms */
  guint s, i;
} Event;

typedef struct
{
  RaReporter *r;
  guint8 arrived[2][N], told[2][N];
  guint latest[2];
  guint n_reports;
} World;

static gint
by_time (gconstpointer a, gconstpointer b)
{
  gdouble d = ((const Event *) a)->at - ((const Event *) b)->at;

  return d < 0 ? -1 : d > 0;
}

/* The sender hears: nothing that did not come. */
static void
hear (World *w, guint32 ssrc, const guint8 *fci, gsize len)
{
  RaCcfbReader reader;

  g_assert_true (ra_ccfb_read (&reader, ssrc, fci, len));
  while (ra_ccfb_next (&reader)) {
    guint s = reader.ssrc - 1;

    for (guint k = 0; k < reader.n; k++) {
      /* the nearest to the latest */
      gint off = (gint16) (reader.begin_seq + k - w->latest[s]);
      gint i = (gint) w->latest[s] + off;

      if (!ra_ccfb_get (&reader, k).received)
        continue;
      g_assert_cmpint (i, >=, 0);
      g_assert_cmpint (i, <, N);
      g_assert_cmpuint (w->arrived[s][i], ==, 1);
      w->told[s][i] = 1;
    }
  }
}

/* What is due up to `now`: each third report gets lost, or none, but with room
 * for a few packets only. */
static void
reports (World *w, RaTime now, RaRng *rng)
{
  RaTime due;

  while ((due = ra_reporter_next_timeout (w->r)) <= now) {
    guint8 fci[1200];
    gsize len = rng ? 16 + (gsize) (ra_rng_uniform (rng) * 40) : sizeof fci;
    guint32 ssrc;

    len = ra_reporter_ccfb (w->r, MAX (due, now), now, &ssrc, fci, len);
    if (len > 0 && (rng || w->n_reports++ % 3 != 1))
      hear (w, ssrc, fci, len);
  }
}

/* 5 of 100 packets are lost, 10 come up to 150 ms late, 1 of 100 twice.  In the
 * end all that arrived was told. */
static void
law (guint64 seed, gboolean small)
{
  g_autofree World *w = g_new0 (World, 1);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (Event));
  RaRng rng;

  w->r = reporter_new (&ra_feedback_ccfb, ra_lda_find ("none"));
  ra_rng_init (&rng, seed, 0);
  for (guint i = 0; i < 2 * N; i++) {
    Event e = { i, i % 2, i / 2 };

    if (ra_rng_chance (&rng, .05))
      continue;
    if (ra_rng_chance (&rng, .1))
      e.at += ra_rng_uniform (&rng) * 150;
    g_array_append_val (events, e);
    e.at += 20;
    if (ra_rng_chance (&rng, .01))
      g_array_append_val (events, e);
  }
  g_array_sort (events, by_time);
  for (guint k = 0; k < events->len; k++) {
    const Event *e = &g_array_index (events, Event, k);

    reports (w, ra_span (e->at / 1000), small ? &rng : NULL);
    w->arrived[e->s][e->i] = 1;
    w->latest[e->s] = MAX (w->latest[e->s], e->i);
    add (w->r, e->s + 1, (guint16) e->i, (guint) e->at, -1);
  }
  reports (w, MS (2 * N + 1000), NULL);
  for (guint s = 0; s < 2; s++)
    g_assert_cmpmem (w->told[s], N, w->arrived[s], N);
  ra_reporter_free (w->r);
}

static void
test_law (void)
{
  for (guint64 seed = 1; seed <= 3; seed++) {
    law (seed, FALSE);
    law (seed, TRUE);
  }
}

/* Nobody asks for long: what is no longer remembered is not told, and what is
 * told is right. */
static void
test_overrun (void)
{
  RaCcfbLog *log = ra_ccfb_log_new ();
  static guint8 fci[RA_CCFB_SIZE_MAX];
  RaCcfbReader reader;
  guint32 ssrc;
  gsize len;

  for (guint i = 0; i < 100000; i++)
    ra_ccfb_log_add (log, 7, (guint16) i, MS (i), 0);
  len = ra_ccfb_log_write (log, TRUE, MS (100000), 0, &ssrc, fci, sizeof fci);
  g_assert_true (ra_ccfb_read (&reader, ssrc, fci, len));
  g_assert_true (ra_ccfb_next (&reader));
  g_assert_cmpuint (reader.n, ==, RA_CCFB_LOG_MAX);
  g_assert_cmpuint (
      (guint16) (reader.begin_seq + reader.n - 1), ==, (guint16) 99999);
  for (guint i = 0; i < reader.n; i++)
    g_assert_true (ra_ccfb_get (&reader, i).received);
  /* Section 3.1: 8189/1024 s, 7.997 s, is the most; these are the last 4.1. */
  g_assert_cmpuint (ra_ccfb_get (&reader, reader.n - 1).ato, ==, 1);
  ra_ccfb_log_free (log);
  ra_ccfb_log_free (NULL);
}

void
tests_add (void)
{
  g_test_add_func ("/reporter-ccfb/golden", test_golden);
  g_test_add_func ("/reporter-ccfb/told", test_told);
  g_test_add_func ("/reporter-ccfb/times", test_times);
  g_test_add_func ("/reporter-ccfb/law", test_law);
  g_test_add_func ("/reporter-ccfb/overrun", test_overrun);
}
