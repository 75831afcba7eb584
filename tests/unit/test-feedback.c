/* The wire of feedback=tfrc and of the colour: draft-ietf-avt-tfrc-profile-10,
 * and stamps that wrap.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/disorder.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>

/* --- stamps --- */

static const struct
{
  RaTime t;
  guint32 us, ntp;
  const gchar *why;
} stamp_rows[] = {
  { 0, 0, 0, "zero" },
  { 999, 0, 0, "rounded down" },
  { 1000, 1, 0, "a microsecond" },
  { 15258, 15, 0, "1/65536 s is 15258.8 ns" },
  { 15259, 15, 1, "just above" },
  { 1500 * RA_MSECOND, 1500000, 0x00018000, "RFC 3550 4: 16 bits of fraction" },
  /* 4294 = 0x10c6; .967296 * 65536 = 63392.7, 0xf7a0 */
  { 4294967295999, 0xffffffff, 0x10c6f7a0, "2^32 us less 1 ns" },
  { 4294967296000, 0, 0x10c6f7a0, "us wrap after 71.6 min" },
  /* 65536e6 = 0xf42400000 */
  { 65536 * RA_SECOND - 1, 0x423fffff, 0xffffffff, "2^16 s less 1 ns" },
  { 65536 * RA_SECOND, 0x42400000, 0, "NTP's middle wraps after 18.2 h" },
  /* RFC 868: 2208988800 s = 0x83aa7e80; 2208988800e6 = 0x7d91048bca000 */
  { 2208988800 * RA_SECOND, 0x48bca000, 0x7e800000, "1 January 1970" },
};

static void
test_stamp (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  g_test_message ("%s", stamp_rows[i].why);
  g_assert_cmphex (ra_stamp_us (stamp_rows[i].t), ==, stamp_rows[i].us);
  g_assert_cmphex (ra_stamp_ntp (stamp_rows[i].t), ==, stamp_rows[i].ntp);
}

typedef struct
{
  const gchar *name;
  RaSpan wrap, unit; /* unit rounded up */
  guint32 (*stamp) (RaTime t);
  RaTime (*time) (guint32 stamp, RaTime latest);
} Kind;

static const Kind us
    = { "us", RA_STAMP_US_WRAP, 1000, ra_stamp_us, ra_stamp_us_time };
static const Kind ntp
    = { "ntp", RA_STAMP_NTP_WRAP, 15259, ra_stamp_ntp, ra_stamp_ntp_time };

#define US_WRAP 4294967296000 /* 2^32 us */
#define NTP_WRAP 65536000000000

static const struct
{
  const Kind *kind;
  guint32 stamp;
  RaTime latest, want;
  const gchar *why;
} time_rows[] = {
  { &us, 0, 0, 0, "the beginning" },
  { &us, 1, 0, RA_TIME_NONE, "in the future" },
  { &us, 1, 999, RA_TIME_NONE, "in the future by 1 ns" },
  { &us, 1, 1000, 1000, "now" },
  { &us, 1, 1999, 1000, "within this microsecond" },
  { &us, 1, US_WRAP + 999, 1000, "a wrap ago" },
  { &us, 1, US_WRAP + 1000, US_WRAP + 1000, "now, after a wrap" },
  { &us, 0xffffffff, US_WRAP + 1000, US_WRAP - 1000, "2 us ago, over it" },
  { &us, 0, US_WRAP - 1, 0, "just before it" },
  { &us, 0, 3 * US_WRAP, 3 * US_WRAP, "the third" },
  { &ntp, 0, 0, 0, "the beginning" },
  { &ntp, 1, 15258, RA_TIME_NONE, "in the future by 1 ns" },
  { &ntp, 1, 15259, 15259, "1/65536 s, rounded up" },
  { &ntp, 0x18000, 2 * RA_SECOND, 1500 * RA_MSECOND, "half a second ago" },
  { &ntp, 0xffffffff, NTP_WRAP, NTP_WRAP - 15258, "1/65536 s ago, over it" },
  { &ntp, 0, NTP_WRAP - 1, 0, "just before it" },
  { &ntp, 0, NTP_WRAP, NTP_WRAP, "the wrap itself" },
  { &ntp, 0x7e800000, 2208988801 * RA_SECOND, 2208988800 * RA_SECOND,
      "a time of day" },
};

static void
test_time (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const Kind *kind = time_rows[i].kind;

  g_test_message ("%s: %s", kind->name, time_rows[i].why);
  g_assert_cmpuint (kind->time (time_rows[i].stamp, time_rows[i].latest), ==,
      time_rows[i].want);
}

static RaSpan
below (RaRng *rng, RaSpan n)
{
  return (RaSpan) (ra_rng_uniform (rng) * (gdouble) n);
}

/* A day, and ten wraps: a stamp that comes back within a second, and a peer's,
 * on any clock, of packets that overtake each other by a second. */
static void
test_stamp_law (gconstpointer data)
{
  const Kind *kind = data;
  RaTime now = 0, peer = 0, latest = kind->wrap;
  RaRng rng;

  ra_rng_init (&rng, 1, 0);
  for (guint i = 0; i < 20000; i++) {
    RaTime sent, back;
    RaSpan step;

    now += below (&rng, i % 100 ? 20 * RA_SECOND : kind->wrap / 3);
    sent = ra_later (now, -below (&rng, RA_SECOND));
    back = kind->time (kind->stamp (sent), now);
    g_assert_cmpuint (back, <=, sent);
    g_assert_cmpuint (sent - back, <, kind->unit);
    g_assert_cmphex (kind->stamp (back), ==, kind->stamp (sent));

    step = below (&rng, i % 100 ? 20 * RA_SECOND : kind->wrap / 3) - RA_SECOND;
    back = kind->time (
        kind->stamp (ra_later (peer, step)), latest + kind->wrap / 2);
    if (i > 0 && ra_later (peer, step) > 0) {
      g_assert_cmpint (ABS (ra_diff (back, latest) - step), <, 2 * kind->unit);
    }
    peer = ra_later (peer, step);
    latest = back;
  }
  g_assert_cmpuint (now, >, 10 * kind->wrap);
  g_assert_cmpuint (now, >, 24 * 3600 * RA_SECOND);
}

/* Whatever comes, and whatever time it is: never later than asked. */
static void
test_stamp_noise (gconstpointer data)
{
  const Kind *kind = data;
  RaRng rng;

  ra_rng_init (&rng, 2, 0);
  for (guint i = 0; i < 100000; i++) {
    guint32 stamp = ra_rng_next (&rng);
    RaTime latest = (guint64) ra_rng_next (&rng) << 32 | ra_rng_next (&rng);
    RaTime t;

    latest >>= ra_rng_next (&rng) % 64;
    t = kind->time (stamp, latest);
    if (t == RA_TIME_NONE)
      continue;
    g_assert_cmpuint (t, <=, latest);
    g_assert_cmpuint (latest - t, <, kind->wrap + kind->unit);
    g_assert_cmphex (kind->stamp (t), ==, stamp);
  }
  g_assert_cmpuint (kind->time (7, RA_TIME_NONE), <, RA_TIME_NONE);
}

/* --- rtt-sendts, draft section 5 --- */

static const struct
{
  RaSpan rtt;
  guint32 t_i;
  guint8 bytes[RA_SEND_TS_SIZE];
  RaSpan read; /* of bytes */
  const gchar *why;
} send_ts_rows[] = {
  { 100 * RA_MSECOND, 0x12345678,
      { 0x01, 0x86, 0xa0,           /* RTT, 100000 us */
          0x12, 0x34, 0x56, 0x78 }, /* t_i */
      100 * RA_MSECOND, "figure 1" },
  { 0, 1, { 0, 0, 0, 0, 0, 0, 1 }, 0, "R unknown" },
  { -RA_SECOND, 1, { 0, 0, 0, 0, 0, 0, 1 }, 0, "R < 0 is none" },
  { RA_SPAN_NONE, 1, { 0, 0, 0, 0, 0, 0, 1 }, 0, "nor is this" },
  { 1, 0, { 0, 0, 1 }, RA_USECOND, "known, and 1 ns: not 0" },
  { 2999, 0, { 0, 0, 2 }, 2 * RA_USECOND, "rounded down" },
  { 16777215 * RA_USECOND, 0xffffffff,
      { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 16777215 * RA_USECOND,
      "the longest" },
  { 17 * RA_SECOND, 0, { 0xff, 0xff, 0xff }, 16777215 * RA_USECOND,
      "more saturates" },
  { G_MAXINT64, 0, { 0xff, 0xff, 0xff }, 16777215 * RA_USECOND, "for ever" },
};

static void
test_send_ts (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSendTs x = { send_ts_rows[i].rtt, send_ts_rows[i].t_i };
  guint8 got[RA_SEND_TS_SIZE + 1] = { 0 };

  g_test_message ("%s", send_ts_rows[i].why);
  g_assert_cmpuint (ra_send_ts_write (&x, got, RA_SEND_TS_SIZE - 1), ==, 0);
  g_assert_cmpuint (ra_send_ts_write (&x, got, sizeof got), ==, 7);
  g_assert_cmpmem (got, 7, send_ts_rows[i].bytes, 7);
  x = (RaSendTs){ 5, 6 };
  g_assert_false (ra_send_ts_read (&x, got, 6));
  g_assert_false (ra_send_ts_read (&x, got, 8));
  g_assert_cmpint (x.rtt, ==, 5);
  g_assert_cmpuint (x.t_i, ==, 6);
  g_assert_true (ra_send_ts_read (&x, got, 7));
  g_assert_cmpint (x.rtt, ==, send_ts_rows[i].read);
  g_assert_cmpuint (x.t_i, ==, send_ts_rows[i].t_i);
}

/* --- TFRC-FB, draft section 6 --- */

#define P_1_PERCENT (42949672 / 4294967296.) /* floor (.01 2^32) / 2^32 */
#define P_MAX (4294967295 / 4294967296.)
#define HOURS_2 (7200 * RA_SECOND)
#define DELAY_MAX (4294967295 * RA_USECOND)

static const struct
{
  RaTfrcFb x;
  guint32 words[4];
  RaTfrcFb read; /* of words */
  const gchar *why;
} fb_rows[] = {
  { { 0x12345678, 2 * RA_MSECOND, 1000000, 0.01 },
      { 0x12345678,     /* t_i */
          0x000007d0,   /* t_delay, 2000 us */
          0x0001e848,   /* X_recv, 125000 bytes/s */
          0x028f5c28 }, /* p, floor (.01 2^32) = 42949672 */
      { 0x12345678, 2 * RA_MSECOND, 1000000, P_1_PERCENT }, "figure 2" },
  { { 0 }, { 0 }, { 0 }, "no loss, at once" },
  { { 0, 1999, 0, 0 }, { 0, 1, 0, 0 }, { 0, 1000, 0, 0 },
      "t_delay is rounded down" },
  { { 0, -1, 0, 0 }, { 0 }, { 0 }, "the clock went back" },
  { { 0, RA_SPAN_NONE, 0, 0 }, { 0 }, { 0 }, "t_delay unknown" },
  { { 0, DELAY_MAX, 0, 0 }, { 0, 0xffffffff }, { 0, DELAY_MAX, 0, 0 },
      "the longest t_delay" },
  { { 0, HOURS_2, 0, 0 }, { 0, 0xffffffff }, { 0, DELAY_MAX, 0, 0 },
      "more saturates" },
  { { 0, 0, 11, 0 }, { 0, 0, 1 }, { 0, 0, 8, 0 }, "11 bit/s: 1.4 bytes/s" },
  { { 0, 0, 12, 0 }, { 0, 0, 2 }, { 0, 0, 16, 0 }, "12 bit/s: 1.5 bytes/s" },
  { { 0, 0, 34359738360, 0 }, { 0, 0, 0xffffffff }, { 0, 0, 34359738360, 0 },
      "the highest X_recv" },
  { { 0, 0, 34359738364, 0 }, { 0, 0, 0xffffffff }, { 0, 0, 34359738360, 0 },
      "more saturates" },
  { { 0, 0, G_MAXUINT64, 0 }, { 0, 0, 0xffffffff }, { 0, 0, 34359738360, 0 },
      "and does not wrap" },
  { { 0, 0, 0, 0.5 }, { 0, 0, 0, 0x80000000 }, { 0, 0, 0, 0.5 }, "p 1/2" },
  { { 0, 0, 0, 1 }, { 0, 0, 0, 0xffffffff }, { 0, 0, 0, P_MAX },
      "p = 1 does not fit" },
  { { 0, 0, 0, 7 }, { 0, 0, 0, 0xffffffff }, { 0, 0, 0, P_MAX }, "p > 1" },
  { { 0, 0, 0, INFINITY }, { 0, 0, 0, 0xffffffff }, { 0, 0, 0, P_MAX },
      "p infinite" },
  { { 0, 0, 0, -0.01 }, { 0 }, { 0 }, "p < 0" },
  { { 0, 0, 0, NAN }, { 0 }, { 0 }, "p not a number" },
  { { 0, 0, 0, 2.4e-10 }, { 0, 0, 0, 1 }, { 0, 0, 0, 1 / 4294967296. },
      "p just above 2^-32 = 2.33e-10" },
  { { 0, 0, 0, 2.2e-10 }, { 0 }, { 0 }, "p just below it" },
};

static void
test_fb (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaTfrcFb *want = &fb_rows[i].read;
  guint8 got[RA_TFRC_FB_SIZE + 4] = { 0 }, bytes[RA_TFRC_FB_SIZE];
  RaTfrcFb x = fb_rows[i].x;

  g_test_message ("%s", fb_rows[i].why);
  for (guint k = 0; k < sizeof bytes; k++)
    bytes[k] = (guint8) (fb_rows[i].words[k / 4] >> (24 - 8 * (k % 4)));
  g_assert_cmpuint (ra_tfrc_fb_write (&x, got, 15), ==, 0);
  g_assert_cmpuint (ra_tfrc_fb_write (&x, got, sizeof got), ==, 16);
  g_assert_cmpmem (got, 16, bytes, 16);

  x = (RaTfrcFb){ 1, 2, 3, 4 };
  g_assert_false (ra_tfrc_fb_read (&x, got, 12));
  g_assert_false (ra_tfrc_fb_read (&x, got, 20));
  g_assert_true (x.t_i == 1 && x.t_delay == 2 && x.x_recv == 3 && x.p == 4);
  g_assert_true (ra_tfrc_fb_read (&x, got, 16));
  g_assert_cmphex (x.t_i, ==, want->t_i);
  g_assert_cmpint (x.t_delay, ==, want->t_delay);
  g_assert_cmpuint (x.x_recv, ==, want->x_recv);
  g_assert_cmpfloat (x.p, ==, want->p);
}

/* --- colour and N_j --- */

static const struct
{
  RaColourExt x;
  guint8 bytes[RA_COLOUR_EXT_SIZE];
  RaColourExt read;
  const gchar *why;
} colour_rows[] = {
  { { RA_MARK_GREEN, 1 }, { 0x40, 0x01 }, { RA_MARK_GREEN, 1 }, "01, then 1" },
  { { RA_MARK_YELLOW, 0x1234 }, { 0x92, 0x34 }, { RA_MARK_YELLOW, 0x1234 },
      "10, then 01 0010 0011 0100" },
  { { RA_MARK_RED, 16383 }, { 0xff, 0xff }, { RA_MARK_RED, 16383 },
      "11, and the last number" },
  { { RA_MARK_RED, 0 }, { 0xc0, 0x00 }, { RA_MARK_RED, 0 }, "the next" },
  { { RA_MARK_GREEN, 16389 }, { 0x40, 0x05 }, { RA_MARK_GREEN, 5 },
      "modulo 2^14" },
  { { RA_MARK_NONE, 5 }, { 0, 0 }, { RA_MARK_NONE, 0 },
      "no colour, no number" },
  { { (RaMark) 200, 5 }, { 0, 0 }, { RA_MARK_NONE, 0 }, "a colour unheard of" },
};

static void
test_colour (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaColourExt x = colour_rows[i].x;
  guint8 got[3] = { 0 };

  g_test_message ("%s", colour_rows[i].why);
  g_assert_cmpuint (ra_colour_ext_write (&x, got, 1), ==, 0);
  g_assert_cmpuint (ra_colour_ext_write (&x, got, 3), ==, 2);
  g_assert_cmpmem (got, 2, colour_rows[i].bytes, 2);
  x = (RaColourExt){ RA_MARK_YELLOW, 7 };
  g_assert_false (ra_colour_ext_read (&x, got, 1));
  g_assert_false (ra_colour_ext_read (&x, got, 3));
  g_assert_true (x.mark == RA_MARK_YELLOW && x.n == 7);
  g_assert_true (ra_colour_ext_read (&x, got, 2));
  g_assert_cmpint (x.mark, ==, colour_rows[i].read.mark);
  g_assert_cmpuint (x.n, ==, colour_rows[i].read.n);
}

static void
test_colour_none_read (void)
{
  const guint8 bytes[] = { 0x12, 0x34 };
  RaColourExt x;

  g_assert_true (ra_colour_ext_read (&x, bytes, 2));
  g_assert_cmpint (x.mark, ==, RA_MARK_NONE);
  g_assert_cmpuint (x.n, ==, 0);
}

/* --- packets that are overtaken --- */

/* Numbers, 10 ms apart; how late the latest was, in ms. */
static const struct
{
  guint16 numbers[6];
  guint n, late;
  const gchar *why;
} disorder_rows[] = {
  { { 65534, 65535, 0, 1 }, 4, 0, "in order" },
  { { 7, 9, 10, 8 }, 4, 20, "overtaken when 9 came" },
  { { 65534, 0, 65535 }, 3, 10, "and where numbers begin again" },
  { { 100, 99, 101 }, 3, 0, "nobody knows when the first two swapped" },
  { { 7, 9, 7, 5, 8 }, 5, 30,
      "nor of a copy of the first, or what was before" },
  { { 7, 9, 600, 599, 8, 602 }, 6, 0, "they began again at 600" },
  { { 7, 8, 9, 8 }, 4, 0, "a copy of what came in order" },
  { { 7, 9, 8, 10, 8 }, 5, 10, "and of what was overtaken" },
};

static void
test_disorder (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaTime now = 1000 * RA_SECOND;
  RaDisorder d = { 0 };

  ra_disorder_init (&d);
  for (guint i = 0; i < disorder_rows[row].n; i++, now += 10 * RA_MSECOND)
    ra_disorder_on_packet (&d, disorder_rows[row].numbers[i], now);
  g_assert_cmpint (
      ra_disorder_get (&d, now), ==, disorder_rows[row].late * RA_MSECOND);
}

void
tests_add (void)
{
  rows_add ("/feedback/stamp", stamp_rows, test_stamp);
  rows_add ("/feedback/time", time_rows, test_time);
  g_test_add_data_func ("/feedback/stamp/law/us", &us, test_stamp_law);
  g_test_add_data_func ("/feedback/stamp/law/ntp", &ntp, test_stamp_law);
  g_test_add_data_func ("/feedback/stamp/noise/us", &us, test_stamp_noise);
  g_test_add_data_func ("/feedback/stamp/noise/ntp", &ntp, test_stamp_noise);
  rows_add ("/feedback/rtt-sendts", send_ts_rows, test_send_ts);
  rows_add ("/feedback/tfrc-fb", fb_rows, test_fb);
  rows_add ("/feedback/colour", colour_rows, test_colour);
  g_test_add_func ("/feedback/colour/none", test_colour_none_read);
  rows_add_by ("/feedback/disorder", disorder_rows, why, test_disorder);
}
