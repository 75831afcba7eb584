/* What an encoder is asked for while its bitrate moves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/lead.h>

#include "../rows.h"

#define FRAME (40 * RA_MSECOND)

/* Each frame, after 1 s of 1 Mb/s that were made: 40000 bits a frame. */
typedef struct
{
  gdouble bps; /* that is wanted */
  guint bytes; /* of the picture that comes; 0: none does */
  gdouble asked;
  gboolean moves, lags;
  const gchar *why;
} Frame;

/* With k = exp (-.04 / .2) = .818731 the sums stand at 40000 / (1 - k) = 220666 bits.  The
 * mean goes by m = 1 - exp (-.04 / .5) = .076884 of the difference.
 * Up, sums of what was wanted and made: k 220666 + 80000 = 260666 and 220666, 1.181269;
 * 293415 and k 220666 + 20000 = 200666, 1.462206; 320228 and 184292, 1.738; 342181 and
 * k 184292 + 160000 = 310885, 1.100666; 360154 and 414531. */
static const Frame up[] = {
  { 2e6, 5000, 2362538, TRUE, TRUE, "it made too little, of the new bitrate" },
  { 2e6, 2500, 2924413, TRUE, TRUE, "even less" },
  { 2e6, 2500, 3000000, TRUE, TRUE, "half as much more at most" },
  { 2e6, 20000, 2201332, TRUE, TRUE, "nearly there" },
  { 2e6, 20000, 2000000, TRUE, TRUE,
      "it is ahead, which a rise does not mind" },
  { 0 },
};

/* The mean is 1e6 - m 5e5 = 961558 bit/s, sqrt (500000 / 961558) = .721103; the sums are
 * 200666 and 220666.  Then 926072, .734789.  Then the sums are 170885 and k 220666 + 100000
 * = 280666, .608856, and after 240000 bits .340. */
static const Frame down[] = {
  { 5e5, 5000, 360551, TRUE, TRUE, "a fall does not wait to be seen" },
  { 5e5, 5000, 367395, TRUE, TRUE, "it goes with the mean" },
  { 5e5, 12500, 304428, TRUE, TRUE, "and with what came too much" },
  { 5e5, 30000, 250000, TRUE, TRUE, "half of it at least" },
  { 0 },
};

static const Frame quick[] = {
  { 5e5, 5000, 454683, TRUE, FALSE, "by as much as came too much" },
  { 0 },
};

static const Frame still[] = {
  { 1e6, 100, 1000000, FALSE, TRUE, "a still picture needs little" },
  { 1.04e6, 100, 1040000, FALSE, TRUE, "4 % are no change" },
  { 2e6, 0, 2976010, TRUE, TRUE, "no picture came: what is known counts" },
  { 0 },
};

static const struct
{
  const gchar *name;
  const Frame *frames;
} rows[] = { { "up", up }, { "down", down }, { "quick", quick },
  { "still", still } };

static void
test_frames (gconstpointer data)
{
  RaLead lead = { 0 };
  RaMade made = { 1, 5000 };
  RaTime now = RA_SECOND;

  for (guint i = 0; i < 25;
       i++, now += FRAME, made.frames++, made.bytes += 5000)
    g_assert_cmpfloat (ra_lead_for (&lead, 1e6, &made, TRUE, now), ==, 1e6);
  made.frames--;
  made.bytes -= 5000;
  for (const Frame *f = rows[GPOINTER_TO_UINT (data)].frames; f->why; f++) {
    gdouble asked;

    made.frames += f->bytes > 0;
    made.bytes += f->bytes;
    asked = ra_lead_for (&lead, f->bps, &made, f->lags, now);
    now += FRAME;
    g_test_message ("%s: %.0f", f->why, asked);
    g_assert_cmpfloat_with_epsilon (asked, f->asked, 2e-3 * f->asked);
    g_assert_cmpint (lead.moves, ==, f->moves);
  }
}

/* One that has made nothing is asked for what is wanted. */
static void
test_nothing (void)
{
  RaLead lead = { 0 };
  RaMade made = { 0 };

  for (guint i = 0; i < 10; i++)
    g_assert_cmpfloat (
        ra_lead_for (&lead, 1e6 * (i % 3 + 1), &made, TRUE, (i + 1) * FRAME),
        ==, 1e6 * (i % 3 + 1));
}

/* Two pictures a second are not late: with k = exp (-.5 / .2) the sums stand at
 * 500000 / (1 - k) = 544715, and become k 544715 + 1000000, and 544715: 1.92. */
static void
test_slow (void)
{
  RaLead lead = { 0 };
  RaMade made = { 0 };
  gdouble asked = 0;

  for (guint i = 0; i < 10; i++, made.frames++, made.bytes += 62500)
    asked = ra_lead_for (
        &lead, i < 9 ? 1e6 : 2e6, &made, TRUE, (i + 1) * RA_SECOND / 2);
  g_assert_cmpfloat (asked, ==, 3e6);
}

/* Each second an encoder makes what it should, till half of that is wanted.  Without a
 * sum to go by that is asked for.  With k = exp (-1 / .2) = .006738 the sums stand at
 * 1e6 / (1 - k) = 1006784; what was wanted of 25 pictures becomes k 1006784 + 24 40000 +
 * 20000 = 986784: .980135. */
static const struct
{
  const gchar *name;
  guint pictures; /* a second */
  gdouble asked;
  const gchar *why;
} seconds[] = {
  { "slow", 1, 500000, "one picture a second is not too much" },
  { "seldom", 25, 490067, "nor are 25, asked for once a second" },
};

static void
test_second (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), n = seconds[row].pictures;
  RaLead lead = { 0 };
  RaMade made = { 0 };
  gdouble asked = 0;

  g_test_message ("%s", seconds[row].why);
  for (guint i = 0; i < 10; i++, made.frames += n, made.bytes += 125000)
    asked = ra_lead_for (
        &lead, i < 9 ? 1e6 : 5e5, &made, FALSE, (i + 1) * RA_SECOND);
  g_assert_cmpfloat_with_epsilon (asked, seconds[row].asked, 1);
}

void
tests_add (void)
{
  rows_add_by ("/lead", rows, name, test_frames);
  g_test_add_func ("/lead/nothing", test_nothing);
  g_test_add_func ("/lead/slow", test_slow);
  rows_add_by ("/lead/second", seconds, name, test_second);
}
