/* How long a receiver holds packets: repair/playout.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/repair/playout.h>

#define MS RA_MSECOND
#define FRAME (40 * MS) /* 25 frames/s */

static const RaPlayoutLimits limits
    = { .least = 20 * MS, .most = 200 * MS, .repeats = TRUE };
static const RaPlayoutLimits no_repeats
    = { .least = 20 * MS, .most = 200 * MS, .repeats = FALSE };
static const RaPlayoutLimits graced
    = { .least = 20 * MS, .most = 200 * MS, .repeats = TRUE, .grace = 60 * MS };
static const RaPlayoutLimits far
    = { .least = 20 * MS, .most = 2000 * MS, .repeats = TRUE };

static RaPlayout *
playout_new (void)
{
  RaPlayout *p = g_new (RaPlayout, 1);

  ra_playout_init (p);
  return p;
}

/* `n` frames from `now` on, of which each `each`th is `odd` late and the others
 * `late`; each has 10 packets. */
static RaTime
frames (RaPlayout *p, guint n, RaSpan late, guint each, RaSpan odd, RaTime now)
{
  for (guint i = 0; i < n; i++, now += FRAME) {
    ra_playout_on_frame (p, each > 0 && i % each == each - 1 ? odd : late, now);
    ra_playout_on_packets (p, 10, 0, now);
  }
  return now;
}

/* --- what is wanted -------------------------------------------------------------- */

/* 25 frames of the first second and two repeats, which do not count, and then 200. */
static const struct
{
  RaSpan late, odd; /* each `each`th frame, 0: none */
  guint each;
  guint lost;        /* packets in all, of 2250 */
  gdouble repeat[4]; /* latenesses of repeats, ms, 10 of each; 0: no more */
  const RaPlayoutLimits *limits;
  gdouble wanted; /* ms */
  const gchar *why;
} wanted_rows[] = {
  { 30, 0, 0, 0, { 0 }, &limits, 30,
      "late by 30; the sink has time to decode" },
  { 30, 120, 25, 0, { 0 }, &limits, 30, "4 % late: shown when they come" },
  { 30, 120, 16, 0, { 0 }, &limits, 120, "12 of 200, 6 %: waited for" },
  { -5, 0, 0, 0, { 0 }, &limits, 20, "early; min-latency" },
  { 350, 0, 0, 0, { 0 }, &limits, 200, "never more than latency" },
  { 30, 0, 0, 2, { 0 }, &limits, 30, "2 of 2252 lost, .09 %: not waited for" },
  { 30, 0, 0, 3, { 90 }, &limits, 100,
      ".13 %: repeats took 90, and 10 to decode" },
  { 30, 0, 0, 3, { 0 }, &limits, 200, "lost, but nothing came again yet" },
  { 30, 0, 0, 100, { 0 }, &no_repeats, 30, "nothing is ever repeated" },
  /* q = 1 - 2e-4 / p, of 40 repeats, in tens. */
  { 30, 0, 0, 118, { 60, 70, 80, 90 }, &limits, 100,
      "118 of 2368, 5 %: 99.6 % of the repeats" },
  { 30, 0, 0, 3, { 60, 70, 80, 130 }, &limits, 140,
      "3 of 2253, .13 %: 85 % of them, which needs one of the last ten" },
  { 30, 0, 0, 3, { 60, 70, 80, 80 }, &limits, 90, "the same" },
  { 150, 0, 0, 118, { 60, 60, 60, 60 }, &limits, 150, "frames are later" },
  { 30, 0, 0, 118, { 60, 70, 80, 90 }, &graced, 90,
      "95 % of them, as others are waited for" },
  { 30, 0, 0, 118, { 0 }, &graced, 200, "nothing to wait for is known yet" },
  { 510, 0, 0, 0, { 0 }, &far, 510, "the latest that is known" },
  { 700, 0, 0, 0, { 0 }, &far, 2000, "511 ms or more: nobody knows" },
  { 30, 0, 0, 3, { 700 }, &far, 2000, "so late come the repeats" },
};

static void
test_wanted (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree RaPlayout *p = playout_new ();
  RaTime now = 0;

  g_test_message ("%s", wanted_rows[row].why);
  /* Before the first frame, and in the second second. */
  ra_playout_on_repair (p, 190 * MS, now);
  now = frames (p, 25, 400 * MS, 0, 0, now);
  ra_playout_on_repair (p, 190 * MS, now);
  now = frames (p, 200, wanted_rows[row].late * MS, wanted_rows[row].each,
      wanted_rows[row].odd * MS, now);
  ra_playout_on_packets (p, 0, (gint) wanted_rows[row].lost, now);
  for (guint k = 0; k < 4 && wanted_rows[row].repeat[k] > 0; k++)
    for (guint i = 0; i < 10; i++)
      ra_playout_on_repair (p, ra_span (wanted_rows[row].repeat[k] / 1e3), now);
  g_assert_cmpint (ra_playout_wanted (p, wanted_rows[row].limits, now), ==,
      ra_span (wanted_rows[row].wanted / 1e3));
}

/* At 2 frames/s the window of 12 s never has 25. */
static void
test_few (void)
{
  g_autofree RaPlayout *p = playout_new ();

  for (RaTime now = 0; now < 20 * RA_SECOND; now += 500 * MS) {
    ra_playout_on_frame (p, 30 * MS, now);
    ra_playout_on_packets (p, 10, 0, now);
    g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==,
        now < RA_PLAYOUT_WINDOW ? 200 * MS : 30 * MS);
  }
}

/* Of 1002 packets 2 are lost, .2 %: as soon as both have come again it is known how long
 * that takes. */
static void
test_few_lost (void)
{
  g_autofree RaPlayout *p = playout_new ();
  RaTime now = 0;

  now = frames (p, 100, 30 * MS, 0, 0, now);
  ra_playout_on_packets (p, 0, 2, now);
  ra_playout_on_repair (p, 80 * MS, now);
  g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 200 * MS);
  ra_playout_on_repair (p, 80 * MS, now);
  g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 90 * MS);
}

/* 5 % are lost, and of 100 repeats 99 take 80 ms and one takes 190, which is among the
 * 99.6 %.  A grace of 60 ms is for that one, with 10 to decode. */
static void
test_wanted_last (void)
{
  g_autofree RaPlayout *p = playout_new ();
  RaTime now = 0;

  now = frames (p, 225, 30 * MS, 0, 0, now);
  ra_playout_on_packets (p, 0, 118, now);
  for (guint i = 0; i < 100; i++)
    ra_playout_on_repair (p, (i == 50 ? 190 : 80) * MS, now);
  g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 200 * MS);
  g_assert_cmpint (ra_playout_wanted (p, &graced, now), ==, 140 * MS);
}

/* Of 250 packets a second one is lost, or six at a time, and none is repeated.  The first
 * two seconds and a window of 12 s, with losses in all slots of 1.5 s, say that nobody
 * repeats any, and a repeat says that somebody does; two slots with losses say nothing. */
static void
test_unrepeated (void)
{
  for (guint each = 1; each <= 6; each += 5) {
    g_autofree RaPlayout *p = playout_new ();
    RaTime now = 0;

    for (guint s = 0; s < 20; s++) {
      ra_playout_on_packets (p, 0, s % each == 0 ? (gint) each : 0, now);
      now = frames (p, 25, 30 * MS, 0, 0, now);
      g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==,
          each > 1 || now < 14 * RA_SECOND ? 200 * MS : 30 * MS);
    }
    ra_playout_on_repair (p, 80 * MS, now);
    g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 200 * MS);
  }
}

/* 12 s after the last that was late nothing is left of it. */
static void
test_forget (void)
{
  g_autofree RaPlayout *p = playout_new ();
  RaTime now = 0;

  now = frames (p, 75, 150 * MS, 0, 0, now);
  g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 150 * MS);
  now = frames (p, 302, 30 * MS, 0, 0, now);
  g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 30 * MS);
}

/* The first second does not count, and then one more has to be known. */
static void
test_begin (void)
{
  g_autofree RaPlayout *p = playout_new ();
  RaTime now = 0;

  g_assert_cmpint (ra_playout_wanted (p, &limits, 0), ==, 200 * MS);
  now = frames (p, 49, 30 * MS, 0, 0, now);
  g_assert_false (ra_playout_knows (p, &limits, now));
  g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 200 * MS);
  now = frames (p, 1, 30 * MS, 0, 0, now);
  g_assert_true (ra_playout_knows (p, &limits, now));
  g_assert_cmpint (ra_playout_wanted (p, &limits, now), ==, 30 * MS);
}

/* A packet that was thought lost and comes late is no loss. */
static void
test_loss (void)
{
  g_autofree RaPlayout *p = playout_new ();

  g_assert_cmpfloat (ra_playout_loss (p, 0), ==, 0);
  ra_playout_on_packets (p, 6, 2, 0);
  g_assert_cmpfloat (ra_playout_loss (p, 0), ==, .25);
  ra_playout_on_packets (p, 1, -1, 0);
  g_assert_cmpfloat (ra_playout_loss (p, 0), ==, .125);
  ra_playout_on_packets (p, 0, -5, 0);
  g_assert_cmpfloat (ra_playout_loss (p, 0), ==, 0);
}

/* --- frames that are late in a row ------------------------------------------------- */

static const struct
{
  RaSpan late[4]; /* ms, of the last frames; RA_SPAN_NONE: no more */
  RaSpan expected;
  const gchar *why;
} streak_rows[] = {
  { { 150, 150, RA_SPAN_NONE }, RA_SPAN_NONE, "two are none" },
  { { 150, 120, 130, RA_SPAN_NONE }, 130 * MS, "the least of three, 120" },
  { { 150, 90, 130, RA_SPAN_NONE }, RA_SPAN_NONE, "one was in time" },
  { { 90, 150, 120, 130 }, 130 * MS, "the last three" },
  { { 400, 400, 400, 400 }, 200 * MS, "never more than latency" },
};

static void
test_streak (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree RaPlayout *p = playout_new ();

  g_test_message ("%s", streak_rows[row].why);
  for (guint i = 0; i < 4 && streak_rows[row].late[i] != RA_SPAN_NONE; i++)
    ra_playout_on_frame (p, streak_rows[row].late[i] * MS, i * FRAME);
  g_assert_cmpint (
      ra_playout_streak (p, 100 * MS, 200 * MS), ==, streak_rows[row].expected);
}

/* --- how L moves --------------------------------------------------------------------- */

static const struct
{
  RaSpan now, wanted, late, expected; /* ms; late -1: none are */
  gint passed;                        /* ms since the last frame */
  const gchar *why;
} hold_rows[] = {
  { 200, 100, -1, 198, 40, "down by 2 ms" },
  { 100, 100, -1, 100, 40, "it stays" },
  { 100, 104, -1, 104, 40, "up" },
  { 100, 180, -1, 110, 40, "up by 10 ms" },
  { 100, 180, -1, 110, 500, "and no more" },
  { 100, 180, -1, 105, 20, "a quarter of the time since any stream's frame" },
  { 100, 180, -1, 100, -15, "one of another stream was ahead" },
  { 100, 180, 160, 160, 40, "frames are late: up at once" },
  { 100, 80, 99, 99, 40, "what is late already is no reason to fall further" },
};

static void
test_hold (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaSpan late = hold_rows[row].late;
  RaHold h;

  g_test_message ("%s", hold_rows[row].why);
  ra_hold_init (&h, hold_rows[row].now * MS);
  h.risen = RA_SECOND;
  g_assert_cmpint (ra_hold_on_frame (&h, hold_rows[row].wanted * MS,
                       late < 0 ? RA_SPAN_NONE : late * MS,
                       ra_later (RA_SECOND, hold_rows[row].passed * MS)),
      ==, hold_rows[row].expected * MS);
  g_assert_cmpint (
      h.up - h.down, ==, (hold_rows[row].expected - hold_rows[row].now) * MS);
}

/* --- laws --------------------------------------------------------------------------- */

/* A frame's last packet: what it takes to be sent, up to `jitter` more, and the
 * queue. */
typedef struct
{
  guint n;       /* frames */
  RaSpan jitter; /* ms */
  RaSpan queue;
} Phase;

static const struct
{
  Phase phase[3];   /* one after the other */
  RaSpan low, high; /* ms: L at the end is between */
  gdouble late; /* of all frames behind the second that it learns, at most */
  const gchar *why;
} law_rows[] = {
  { { { 1500, 10, 0 } }, 32, 42, .08, "a quiet path: 30 + 10" },
  { { { 1500, 30, 0 } }, 50, 62, .08, "jitter" },
  { { { 500, 10, 0 }, { 50, 10, 150 }, { 1500, 10, 0 } }, 32, 42, .08,
      "the line is short for 2 s, and L comes back" },
  { { { 500, 10, 0 }, { 500, 10, 100 } }, 132, 142, .08,
      "another route, 100 ms longer" },
};

static void
test_laws (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree RaPlayout *p = playout_new ();
  guint n = 0, n_late = 0, draw = 1;
  RaTime now = 0;
  RaHold h;

  g_test_message ("%s", law_rows[row].why);
  ra_hold_init (&h, limits.most);
  for (guint k = 0; k < G_N_ELEMENTS (law_rows[row].phase); k++) {
    const Phase *phase = &law_rows[row].phase[k];

    for (guint i = 0; i < phase->n; i++, now += FRAME, n++) {
      RaSpan before = h.now, late;

      draw = draw * 1103515245 + 12345; /* C90 7.20.2 */
      late = 30 * MS + phase->queue * MS
          + (RaSpan) ((draw >> 16) % (guint) (phase->jitter * MS / 1000))
              * 1000;
      n_late += late > h.now;
      ra_playout_on_frame (p, late, now);
      ra_hold_on_frame (&h, ra_playout_wanted (p, &limits, now),
          ra_playout_streak (p, h.now, limits.most), now);
      g_assert_cmpint (before - h.now, <=, RA_PLAYOUT_DOWN);
      g_assert_true (h.now - before <= RA_PLAYOUT_UP || late > before);
      g_assert_cmpint (h.now, <=, limits.most);
    }
  }
  g_test_message ("L %" G_GINT64_FORMAT ", late %u of %u", h.now, n_late, n);
  g_assert_cmpint (h.now, >=, law_rows[row].low * MS);
  g_assert_cmpint (h.now, <=, law_rows[row].high * MS);
  g_assert_cmpfloat ((gdouble) n_late / n, <=, law_rows[row].late);
}

/* In ms.  A frame takes 40, of which a twentieth comes off what is shown earlier. */
static const struct
{
  struct
  {
    gint moved, hold,
        late; /* late: so much more is the same packet, 0: it is not */
  } packet[3];
  gint ahead; /* in the end */
  const gchar *why;
} catch_rows[] = {
  { { { 500, 200, 0 } }, 198, "200 of the 500 would be L once more" },
  { { { 150, 200, 0 } }, 148, "what the clock did not move is not taken off" },
  { { { 99, 200, 0 } }, 0, "less than half of the most is drift" },
  { { { -500, 200, 0 } }, 0, "the clock came back for a reason of its own" },
  { { { 500, 60, 0 } }, 58, "packets are held for 60" },
  { { { 500, 200, 0 }, { 0, 200, 0 }, { 0, 200, 0 } }, 194, "2 ms a frame" },
  { { { 500, 200, 0 }, { -450, 200, 0 } }, 48, "the clock comes back" },
  { { { 500, 200, 0 }, { -600, 200, 0 }, { 50, 200, 0 } }, 0,
      "and then moves without a cause" },
  { { { 500, 200, 0 }, { 0, 100, 0 } }, 98, "L falls" },
  { { { 500, 200, 30 } }, 128, "30 late, and a frame's 40" },
  { { { 500, 200, -30 } }, 198, "in time" },
  { { { 500, 200, 300 } }, 0, "no later than the clock says" },
  { { { 500, 200, 300 }, { 250, 200, 0 } }, 198, "too late once more" },
};

static void
test_catch_up (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaCatchUp c = { 0 };

  g_test_message ("%s", catch_rows[row].why);
  for (guint i = 0; i < 3 && catch_rows[row].packet[i].hold > 0; i++) {
    ra_catch_up_on_packet (&c, FRAME, catch_rows[row].packet[i].moved * MS,
        catch_rows[row].packet[i].hold * MS, limits.most);
    ra_catch_up_on_late (&c, catch_rows[row].packet[i].late * MS, FRAME);
  }
  g_assert_cmpint (c.ahead, ==, catch_rows[row].ahead * MS);
}

/* Packets every `apart` ms, so many ms late; L is 200, of which 5 are left free. */
static const struct
{
  gint late[4], apart, taken; /* the last one, for so late */
  const gchar *why;
} lull_rows[] = {
  { { 195 }, 10, 195, "in time" },
  { { 196 }, 10, 195, "the clock may have moved by then" },
  { { 400 }, 10, 195, "twice L" },
  { { 401 }, 10, 401, "the path is another one" },
  { { 300, 300, 300 }, 250, 195, "for half a second" },
  { { 300, 300, 300 }, 251, 300, "and no longer" },
  { { 300, 300, 195, 300 }, 400, 195, "one between them was in time" },
  { { 401, 300 }, 10, 195, "one that is far too late begins the row, too" },
  { { -20 }, 10, -20, "earlier than any before" },
};

static void
test_lull (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaLull l = { 0 };
  RaSpan taken = 0;

  g_test_message ("%s", lull_rows[row].why);
  for (guint i = 0; i < 4 && lull_rows[row].late[i] != 0; i++)
    taken = ra_lull_on_packet (&l, lull_rows[row].late[i] * MS, 200 * MS,
        RA_SECOND + i * (guint) lull_rows[row].apart * MS);
  g_assert_cmpint (taken, ==, lull_rows[row].taken * MS);
}

/* h: a hole is given up; r: a repeat comes, `late` ms after it was due; l: the path is
 * longer.  `after` that a wait is asked about. */
static const struct
{
  const gchar *seen;
  gint late, after;
  gboolean worth;
  const gchar *why;
} grace_rows[] = {
  { "", 0, 0, TRUE, "nothing is known" },
  { "hhh", 0, 0, TRUE, "three waits in vain say nothing yet" },
  { "hhhh", 0, 0, FALSE, "a fourth does" },
  { "hhhhhhhr", 30, 0, TRUE, "one that paid outweighs four more" },
  { "hhhhhhhhr", 30, 0, FALSE, "and no five" },
  { "hhhhr", 60, 0, TRUE, "as late as a wait is long" },
  { "hhhhr", 61, 0, FALSE, "later: it would have been in vain" },
  { "hhhhr", 0, 0, FALSE, "it was in time without a wait" },
  { "hhhhhh", 0, 7999, FALSE, "after 8 s half of six is left" },
  { "hhhhhh", 0, 8000, TRUE, "which are three" },
  { "l", 0, 999, FALSE, "a jitterbuffer finds its clock again" },
  { "l", 0, 1000, TRUE, "and has found it" },
};

static void
test_grace (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaGrace g = { 0 };

  g_test_message ("%s", grace_rows[row].why);
  for (const gchar *c = grace_rows[row].seen; *c; c++)
    if (*c == 'h')
      ra_grace_on_hole (&g, RA_SECOND);
    else if (*c == 'r')
      ra_grace_on_repeat (&g, grace_rows[row].late * MS, RA_SECOND);
    else
      ra_grace_on_longer (&g, RA_SECOND);
  g_assert_cmpint (
      ra_grace_is_worth (&g, RA_SECOND + (guint) grace_rows[row].after * MS),
      ==, grace_rows[row].worth);
}

void
tests_add (void)
{
  rows_add ("/playout/wanted", wanted_rows, test_wanted);
  g_test_add_func ("/playout/few", test_few);
  g_test_add_func ("/playout/few-lost", test_few_lost);
  g_test_add_func ("/playout/wanted/last", test_wanted_last);
  g_test_add_func ("/playout/unrepeated", test_unrepeated);
  g_test_add_func ("/playout/forget", test_forget);
  g_test_add_func ("/playout/begin", test_begin);
  g_test_add_func ("/playout/loss", test_loss);
  rows_add ("/playout/streak", streak_rows, test_streak);
  rows_add ("/playout/hold", hold_rows, test_hold);
  rows_add ("/playout/laws", law_rows, test_laws);
  rows_add ("/playout/catch-up", catch_rows, test_catch_up);
  rows_add ("/playout/lull", lull_rows, test_lull);
  rows_add ("/playout/grace", grace_rows, test_grace);
}
