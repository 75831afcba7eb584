/* Laws of all wire formats: what was written is read, whatever else comes does
 * no harm.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/radp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>
#include <string.h>

#include "../main.h"

#define ROOM 512
#define MEDIA_SSRC 0xcafe

/* A format: random contents there and back, and what it makes of any bytes. */
typedef struct
{
  const gchar *name;
  /* Writes random contents to `bytes`, checks that they are read as they were
   * written; how many bytes. */
  gsize (*round_trip) (RaRng *rng, guint8 *bytes);
  /* Reads.  0 if refused, after a look that nothing was touched; else writes
   * what was read, which may differ in what a reader ignores. */
  gsize (*again) (const guint8 *bytes, gsize len, guint8 *out);
  gboolean fixed; /* no prefix is good */
} Format;

static guint32
any (RaRng *rng)
{
  return ra_rng_next (rng) >> ra_rng_next (rng) % 32;
}

static RaSpan
any_usec (RaRng *rng, guint32 mask)
{
  return (RaSpan) (any (rng) & mask) * RA_USECOND
      + (RaSpan) (ra_rng_next (rng) % 1000);
}

static gboolean
is_poison (gconstpointer x, gsize n)
{
  const guint8 *b = x;

  for (gsize i = 0; i < n; i++)
    if (b[i] != 0xa5)
      return FALSE;
  return TRUE;
}

/* --- rtt-sendts --- */

static gsize
send_ts_round_trip (RaRng *rng, guint8 *bytes)
{
  RaSendTs x = { any_usec (rng, 0xffffff), any (rng) }, y;

  g_assert_cmpuint (ra_send_ts_write (&x, bytes, ROOM), ==, RA_SEND_TS_SIZE);
  g_assert_true (ra_send_ts_read (&y, bytes, RA_SEND_TS_SIZE));
  g_assert_cmpint (ABS (x.rtt - y.rtt), <, RA_USECOND);
  g_assert_cmpuint (x.t_i, ==, y.t_i);
  return RA_SEND_TS_SIZE;
}

static gsize
send_ts_again (const guint8 *bytes, gsize len, guint8 *out)
{
  RaSendTs x;

  memset (&x, 0xa5, sizeof x);
  if (ra_send_ts_read (&x, bytes, len))
    return ra_send_ts_write (&x, out, ROOM);
  g_assert_true (is_poison (&x, sizeof x));
  return 0;
}

/* --- TFRC-FB --- */

static gsize
fb_round_trip (RaRng *rng, guint8 *bytes)
{
  RaTfrcFb y,
      x = { .t_i = any (rng),
        .t_delay = any_usec (rng, G_MAXUINT32),
        .x_recv = (guint64) any (rng) * 8,
        .p = ra_rng_uniform (rng) };

  g_assert_cmpuint (ra_tfrc_fb_write (&x, bytes, ROOM), ==, RA_TFRC_FB_SIZE);
  g_assert_true (ra_tfrc_fb_read (&y, bytes, RA_TFRC_FB_SIZE));
  g_assert_cmpuint (x.t_i, ==, y.t_i);
  g_assert_cmpint (x.t_delay - y.t_delay, >=, 0);
  g_assert_cmpint (x.t_delay - y.t_delay, <, RA_USECOND);
  g_assert_cmpuint (x.x_recv, ==, y.x_recv);
  g_assert_cmpfloat_with_epsilon (x.p, y.p, 0x1p-32);
  return RA_TFRC_FB_SIZE;
}

static gsize
fb_again (const guint8 *bytes, gsize len, guint8 *out)
{
  RaTfrcFb x;

  memset (&x, 0xa5, sizeof x);
  if (ra_tfrc_fb_read (&x, bytes, len)) {
    g_assert_true (x.p >= 0 && x.p < 1 && x.t_delay >= 0);
    return ra_tfrc_fb_write (&x, out, ROOM);
  }
  g_assert_true (is_poison (&x, sizeof x));
  return 0;
}

/* --- colour --- */

static gsize
colour_round_trip (RaRng *rng, guint8 *bytes)
{
  RaColourExt x = { (RaMark) (ra_rng_next (rng) % RA_N_MARKS), 0 }, y;

  if (x.mark != RA_MARK_NONE)
    x.n = ra_rng_next (rng) % 16384;
  g_assert_cmpuint (
      ra_colour_ext_write (&x, bytes, ROOM), ==, RA_COLOUR_EXT_SIZE);
  g_assert_true (ra_colour_ext_read (&y, bytes, RA_COLOUR_EXT_SIZE));
  g_assert_true (x.mark == y.mark && x.n == y.n);
  return RA_COLOUR_EXT_SIZE;
}

static gsize
colour_again (const guint8 *bytes, gsize len, guint8 *out)
{
  RaColourExt x;

  memset (&x, 0xa5, sizeof x);
  if (ra_colour_ext_read (&x, bytes, len))
    return ra_colour_ext_write (&x, out, ROOM);
  g_assert_true (is_poison (&x, sizeof x));
  return 0;
}

/* --- RADP --- */

static RaSpan
any_queue (RaRng *rng)
{
  return ra_rng_chance (rng, .1) ? RA_SPAN_NONE : any_usec (rng, 0x7fffffff);
}

static void
same_queue (RaSpan written, RaSpan read)
{
  if (written == RA_SPAN_NONE)
    g_assert_cmpint (read, ==, RA_SPAN_NONE);
  else
    g_assert_cmpint (ABS (written - read), <, RA_USECOND);
}

static gsize
radp_round_trip (RaRng *rng, guint8 *bytes)
{
  guint name = ra_rng_next (rng) % (RA_RADP_LDA_MAX + 1);
  RaRadp y,
      x = { .t_i = any (rng),
        .expected = any (rng),
        .arrived = any (rng),
        .lost_congestion = any (rng),
        .lost_wireless = any (rng),
        .wireless_runs = any (rng),
        .n_events = any (rng),
        .t_lost = any (rng),
        .queue = any_queue (rng),
        .queue_min = any_queue (rng),
        .queue_max = any_queue (rng),
        .w = ra_rng_uniform (rng),
        .p_c = ra_rng_uniform (rng),
        .delayed = ra_rng_uniform (rng),
        .burst = ra_rng_uniform (rng) * 255 };
  gsize size;

  for (guint i = 0; i < name; i++)
    x.lda[i] = (gchar) (0x21 + ra_rng_next (rng) % 94);
  size = ra_radp_write (&x, bytes, ROOM);
  g_assert_cmpuint (size, <=, RA_RADP_SIZE_MAX);
  g_assert_true (ra_radp_read (&y, bytes, size));
  g_assert_true (x.t_i == y.t_i && x.t_lost == y.t_lost);
  g_assert_true (x.expected == y.expected && x.arrived == y.arrived);
  g_assert_true (x.lost_congestion == y.lost_congestion
      && x.lost_wireless == y.lost_wireless
      && x.wireless_runs == y.wireless_runs && x.n_events == y.n_events);
  same_queue (x.queue, y.queue);
  same_queue (x.queue_min, y.queue_min);
  same_queue (x.queue_max, y.queue_max);
  g_assert_cmpfloat_with_epsilon (x.w, y.w, 0x1p-32);
  g_assert_cmpfloat_with_epsilon (x.p_c, y.p_c, 0x1p-32);
  g_assert_cmpfloat_with_epsilon (x.delayed, y.delayed, 0x1p-32);
  g_assert_cmpfloat_with_epsilon (x.burst, y.burst, 1 / 500.);
  g_assert_cmpstr (x.lda, ==, y.lda);
  return size;
}

static gsize
radp_again (const guint8 *bytes, gsize len, guint8 *out)
{
  RaReport report = { 0 };
  RaRadp x;

  memset (&x, 0xa5, sizeof x);
  if (!ra_radp_read (&x, bytes, len)) {
    g_assert_true (is_poison (&x, sizeof x));
    return 0;
  }
  g_assert_true (x.w >= 0 && x.w < 1 && x.p_c >= 0 && x.p_c < 1);
  g_assert_true (x.delayed >= 0 && x.delayed < 1 && x.burst >= 0);
  g_assert_true (x.queue >= 0 || x.queue == RA_SPAN_NONE);
  g_assert_cmpuint (strlen (x.lda), <=, RA_RADP_LDA_MAX);
  if (ra_radp_since (&x, NULL, &report)) {
    g_assert_cmpuint (report.wireless_runs, <=, report.lost_wireless);
    g_assert_cmpint (report.loss_age, >=, 0);
  }
  return ra_radp_write (&x, out, ROOM);
}

/* --- RFC 8888 --- */

#define BLOCKS 64
#define PACKETS 256

static gsize
ccfb_round_trip (RaRng *rng, guint8 *bytes)
{
  RaCcfbPacket packets[PACKETS];
  RaCcfbBlock blocks[4];
  guint n_blocks = 1 + ra_rng_next (rng) % 4, n = 0;
  guint32 ssrc, rts = any (rng);
  RaCcfbReader r;
  gsize size;

  for (guint i = 0; i < n_blocks; i++) {
    blocks[i] = (RaCcfbBlock){ any (rng), (guint16) any (rng),
      ra_rng_next (rng) % 40, packets + n };
    for (guint k = 0; k < blocks[i].n; k++)
      packets[n++] = ra_rng_chance (rng, .3)
          ? (RaCcfbPacket){ 0 }
          : (RaCcfbPacket){ TRUE, ra_rng_next (rng) % 4, any (rng) % 8192 };
  }
  size = ra_ccfb_write (rts, blocks, n_blocks, &ssrc, bytes, ROOM);
  g_assert_cmpuint (size, ==, ra_ccfb_size (blocks, n_blocks));
  g_assert_true (ra_ccfb_read (&r, ssrc, bytes, size));
  g_assert_cmpuint (r.rts, ==, rts);
  for (guint i = 0; i < n_blocks; i++) {
    g_assert_true (ra_ccfb_next (&r));
    g_assert_cmphex (r.ssrc, ==, blocks[i].ssrc);
    g_assert_true (r.begin_seq == blocks[i].begin_seq && r.n == blocks[i].n);
    for (guint k = 0; k < r.n; k++) {
      RaCcfbPacket p = ra_ccfb_get (&r, k);
      const RaCcfbPacket *q = &blocks[i].packets[k];

      g_assert_true (
          p.received == q->received && p.ecn == q->ecn && p.ato == q->ato);
    }
  }
  g_assert_false (ra_ccfb_next (&r));
  return size;
}

static gsize
ccfb_again (const guint8 *bytes, gsize len, guint8 *out)
{
  RaCcfbPacket packets[PACKETS];
  RaCcfbBlock blocks[BLOCKS];
  guint n_blocks = 0, n = 0;
  guint32 ssrc = 0;
  RaCcfbReader r;
  gsize size;

  memset (&r, 0xa5, sizeof r);
  if (!ra_ccfb_read (&r, MEDIA_SSRC, bytes, len)) {
    g_assert_true (is_poison (&r, sizeof r));
    return 0;
  }
  while (ra_ccfb_next (&r)) {
    g_assert_cmpuint (n_blocks, <, BLOCKS);
    g_assert_cmpuint (n + r.n, <=, PACKETS);
    blocks[n_blocks++] = (RaCcfbBlock){ r.ssrc, r.begin_seq, r.n, packets + n };
    for (guint k = 0; k < r.n; k++)
      packets[n++] = ra_ccfb_get (&r, k);
  }
  if (n_blocks == 0) {
    g_assert_cmpuint (len, ==, 0);
    return 0;
  }
  size = ra_ccfb_write (r.rts, blocks, n_blocks, &ssrc, out, ROOM);
  g_assert_cmpuint (ssrc, ==, MEDIA_SSRC);
  g_assert_cmpuint (size, ==, len);
  return size;
}

/* --- the laws --- */

static const Format formats[] = {
  { "rtt-sendts", send_ts_round_trip, send_ts_again, TRUE },
  { "tfrc-fb", fb_round_trip, fb_again, TRUE },
  { "colour", colour_round_trip, colour_again, TRUE },
  { "radp", radp_round_trip, radp_again, FALSE }, /* it may end early */
  { "ccfb", ccfb_round_trip, ccfb_again, FALSE },
};

/* read (write (x)) = x */
static void
test_round_trip (gconstpointer data)
{
  const Format *f = data;
  guint8 bytes[ROOM], out[ROOM];
  RaRng rng;

  ra_rng_init (&rng, 1, 0);
  for (guint i = 0; i < 20000; i++) {
    gsize len = f->round_trip (&rng, bytes);

    if (len > 0 && f->again != ccfb_again) {
      g_assert_cmpuint (f->again (bytes, len, out), ==, len);
      g_assert_true (memcmp (out, bytes, len) == 0);
    }
  }
}

/* Nothing is read behind what is there, which ASan sees. */
static gsize
again_exactly (const Format *f, const guint8 *bytes, gsize len, guint8 *out)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, len);

  return f->again (copy, len, out);
}

static void
test_prefixes (gconstpointer data)
{
  const Format *f = data;
  guint8 bytes[ROOM], out[ROOM];
  RaRng rng;

  ra_rng_init (&rng, 2, 0);
  for (guint i = 0; i < 200; i++) {
    gsize len = f->round_trip (&rng, bytes);

    for (gsize n = 0; n < len; n++)
      if (again_exactly (f, bytes, n, out) > 0)
        g_assert_false (f->fixed);
  }
}

/* What is read can be written, and is then read as the same.  Half of the
 * strings are good ones that were damaged. */
static void
test_random (gconstpointer data)
{
  const Format *f = data;
  guint8 bytes[ROOM], out[ROOM], twice[ROOM];
  guint taken = 0;
  RaRng rng;

  ra_rng_init (&rng, 3, 0);
  for (guint i = 0; i < 200000; i++) {
    gsize len, size;

    if (i % 2) {
      len = ra_rng_next (&rng) % (i % 3 ? 24 : 100);
      for (gsize k = 0; k < len; k++)
        bytes[k] = (guint8) (any (&rng) >> any (&rng) % 8);
    } else {
      len = f->round_trip (&rng, bytes);
      for (guint k = ra_rng_next (&rng) % 4; k > 0; k--)
        bytes[ra_rng_next (&rng) % len] ^= (guint8) (1 << any (&rng) % 8);
      if (ra_rng_chance (&rng, .2))
        len = ra_rng_next (&rng) % (len + 1);
    }
    size = again_exactly (f, bytes, len, out);
    if (size == 0)
      continue;
    taken++;
    g_assert_cmpuint (again_exactly (f, out, size, twice), ==, size);
    g_assert_true (memcmp (out, twice, size) == 0);
  }
  g_assert_cmpuint (taken, >, 1000);
  g_assert_cmpuint (taken, <, 200000);
}

static void
add (const gchar *law, const Format *f, GTestDataFunc test)
{
  g_autofree gchar *path = g_strdup_printf ("/feedback/%s/%s", law, f->name);

  g_test_add_data_func (path, f, test);
}

void
tests_add (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    add ("round-trip", &formats[i], test_round_trip);
    add ("prefix", &formats[i], test_prefixes);
    add ("random", &formats[i], test_random);
  }
}
