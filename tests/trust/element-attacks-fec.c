/* FEC packets that lie, from the address of the peer, into rtpadaptsrc: row 16 of
 * the threat table.  rtpulpfecdec and rtpstorage are GStreamer's; here is shown
 * what the whole does.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "src-fixture.h"
#include "flood-fixture.h"
#include "trust.h"

#include <gst/rtpadapt/util/bytes.h>

#define FEC_TYPE 122 /* of rtpadaptsrc */
#define MEDIA 400
#define SSRC 5

/* RFC 3550 5.1. */
static guint
put_header (guint8 *data, guint pt, guint16 seq, guint32 timestamp)
{
  data[0] = 0x80;
  data[1] = (guint8) pt;
  ra_put_u16 (data + 2, seq);
  ra_put_u32 (data + 4, timestamp);
  ra_put_u32 (data + 8, SSRC);
  return 12;
}

/* RFC 5109 7.3 and 7.4: E, L, P, X, CC; M, PT; SN base; TS; length; then of level
 * 0 the protection length and the mask. */
typedef struct
{
  guint first;
  gint base; /* from its own number */
  guint length, protection;
  guint64 mask;  /* 48 bits */
  guint payload; /* bytes there are */
} Lie;

static const Lie lies[] = {
  { 0x40, 100, 40, 40, 0xffffffffffff, 40 }, /* covers what was not sent yet */
  { 0x40, -30000, 40, 40, 0xffffffffffff, 40 }, /* covers what is long gone */
  { 0x40, 0, 40, 40, 0xffffffffffff, 40 },      /* covers itself */
  { 0x40, -48, 40, 40, 0xffffffffffff, 40 },    /* covers the last 48 */
  { 0x00, -1, 40, 40, 0x800000000000, 40 },     /* covers one, which came */
  { 0x00, -3, 0xffff, 40, 0x800000000000,
      40 }, /* covers the one missing, length 65,535 */
  { 0x00, -3, 40, 0xffff, 0x800000000000,
      40 },                                 /* protects 65,535 bytes of 40 */
  { 0x40, -10, 40, 40, 0, 40 },             /* covers nothing */
  { 0x40, -10, 40, 40, 0xffffffffffff, 0 }, /* has no payload */
  { 0x3f, -3, 0, 40, 0x800000000000, 40 },  /* recovers P, X and 15 CSRCs */
  { 0x80, -3, 40, 40, 0x800000000000, 40 }, /* is an extended header */
};

static void
say_fec (gint fd, gint port, guint16 seq, guint32 timestamp, const Lie *lie)
{
  guint8 data[128] = { 0 };
  guint n = put_header (data, FEC_TYPE, seq, timestamp);

  data[n] = (guint8) lie->first;
  data[n + 1] = 0x80;
  ra_put_u16 (data + n + 2, (guint16) (seq + lie->base));
  ra_put_u16 (data + n + 8, (guint16) lie->length);
  n += 10;
  ra_put_u16 (data + n, (guint16) lie->protection);
  ra_put_u16 (data + n + 2, (guint16) (lie->mask >> 32));
  n += 4;
  if (lie->first & 0x40) {
    ra_put_u32 (data + n, (guint32) lie->mask);
    n += 4;
  }
  memset (data + n, 0xff, lie->payload);
  udp_say (fd, "127.0.0.1", (guint) port, 0, data, n + lie->payload);
}

/* Of any bytes, and any size from none. */
static void
say_noise (gint fd, gint port, guint16 seq, guint32 timestamp, GRand *dice)
{
  guint8 data[128];
  guint n = put_header (data, FEC_TYPE, seq, timestamp);
  guint end = n + (guint) g_rand_int_range (dice, 0, 60);

  while (n < end)
    data[n++] = (guint8) g_rand_int (dice);
  udp_say (fd, "127.0.0.1", (guint) port, 0, data, n);
}

/* One packet in eight is missing, so that there is something to recover.  Behind
 * each comes a lie, one after the other, or noise. */
static guint
stream (Receiver *t, gint fd, GRand *dice)
{
  guint16 seq = 0;
  guint sent = 0;

  for (guint32 i = 0; i < MEDIA; i++) {
    guint8 data[52] = { 0 };
    guint n = put_header (data, 96, seq++, i * 450); /* 5 ms */

    if (i % 8 != 7 || i < 16) {
      udp_say (fd, "127.0.0.1", (guint) t->port, 0, data, n + 40);
      sent++;
    }
    if (dice)
      say_noise (fd, t->port, seq++, i * 450, dice);
    else
      say_fec (fd, t->port, seq++, i * 450, &lies[i % G_N_ELEMENTS (lies)]);
    g_usleep (2000);
  }
  return sent;
}

static void
test_fec (gconstpointer name)
{
  gboolean noise = g_str_equal (name, "noise");
  GRand *dice = noise ? g_rand_new_with_seed (16) : NULL;
  g_auto (Receiver) t;
  guint port, sent;
  gint fd = udp_socket ("127.0.0.1", &port);
  gdouble before, grown; /* MB */

  receiver_open (
      &t, "latency=50 pt-map=96=H264/90000", "identity" RECEIVER_OUT);
  before = flood_rss ();
  sent = stream (&t, fd, dice);
  WAIT_UNTIL (t.bus, g_atomic_int_get (&t.frames[0]) >= (gint) sent * 9 / 10);
  grown = flood_rss () - before;
  trust_row ("attack",
      noise ? "16 FEC that is noise" : "16 FEC that lies, in eleven ways",
      "the stream plays on, no error; memory grows by 64 MiB at most, which is "
      "the pipeline",
      stat_of (t.src, "fec") > MEDIA / 2 && grown < 67.1,
      "%u FEC packets, %d of %u packets played at least, %.1f MB",
      (guint) stat_of (t.src, "fec"), g_atomic_int_get (&t.frames[0]), sent,
      grown);
  close (fd);
  g_clear_pointer (&dice, g_rand_free);
}

void
tests_add (void)
{
  g_test_add_data_func ("/attacks-fec/lies", "lies", test_fec);
  g_test_add_data_func ("/attacks-fec/noise", "noise", test_fec);
}
