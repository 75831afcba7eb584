/* SRTP with a key, without elements, in virtual time: late joiners and floods
 * of SSRCs.  libsrtp itself makes the packets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"

#include "../../plugins/rtpadapt/wire/protect.h"
#include "../../plugins/rtpadapt/wire/srtpkey.h"
#include "../../plugins/rtpadapt/wire/unprotect.h"

#include <gst/rtpadapt/util/bytes.h>
#include <stdio.h>
#include <string.h>

#define SSRC 0x01020304
#define START (1000 * RA_SECOND)
#define ROOM 256

/* ASan keeps freed memory for a while, and takes minutes for what else takes two
 * seconds. */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY_MAX (1000 * 1000 * 1000)
#define MORE_SSRCS 4000
#else
#define MEMORY_MAX (10 * 1000 * 1000)
#define MORE_SSRCS 88000
#endif

static GBytes *
a_key (guint cipher)
{
  guint8 bytes[64];

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) (i * 7 + 1);
  return g_bytes_new (bytes, secure_key_size ((GstRtpAdaptCipher) cipher));
}

/* --- a sender ------------------------------------------------------------ */

typedef struct
{
  srtp_t session;
  guint64 sent; /* packets; the first has the number `first` */
  guint16 first;
  guint32 ssrc;
} Sender;

static void
sender_new (Sender *s, guint cipher, guint32 ssrc, guint16 first)
{
  g_autoptr (GBytes) key = a_key (cipher);

  *s = (Sender){ .ssrc = ssrc, .first = first };
  s->session
      = srtp_key_session (key, (GstRtpAdaptCipher) cipher, ssrc_specific, ssrc);
  g_assert_nonnull (s->session);
}

static void
write_rtp (guint8 *data, guint32 ssrc, guint16 seq)
{
  memset (data, 0x55, 60);
  data[0] = 0x80;
  data[1] = 96;
  ra_put_u16 (data + 2, seq);
  ra_put_u32 (data + 4, 0);
  ra_put_u32 (data + 8, ssrc);
}

/* The next packet.  Its size. */
static gsize
sender_rtp (Sender *s, guint8 data[ROOM])
{
  gint len = 60;

  write_rtp (data, s->ssrc, (guint16) (s->first + s->sent++));
  g_assert_cmpint (
      srtp_protect (s->session, data, &len), ==, srtp_err_status_ok);
  return (gsize) len;
}

/* It goes on as if `n` packets had been sent, a few at each wrap. */
static void
sender_skip (Sender *s, guint64 n)
{
  guint8 data[ROOM];
  guint64 to = s->sent + n;

  while (s->sent + 30000 < to) {
    s->sent += 30000;
    sender_rtp (s, data);
  }
  s->sent = to;
  sender_rtp (s, data);
}

/* A sender report without blocks, RFC 3550 6.4.1. */
static gsize
sender_sr (Sender *s, guint32 packets, guint8 data[ROOM])
{
  gint len = 28;

  memset (data, 0, 28);
  data[0] = 0x80;
  data[1] = 200;
  ra_put_u16 (data + 2, 6);
  ra_put_u32 (data + 4, s->ssrc);
  ra_put_u32 (data + 20, packets);
  g_assert_cmpint (
      srtp_protect_rtcp (s->session, data, &len), ==, srtp_err_status_ok);
  return (gsize) len;
}

static Unprotect *
receiver_new (guint cipher)
{
  g_autoptr (GBytes) key = a_key (cipher);
  Unprotect *u = unprotect_new (key, (GstRtpAdaptCipher) cipher);

  g_assert_nonnull (u);
  return u;
}

static UnprotectResult
hear (Unprotect *u, const guint8 *data, gsize size, RaTime now)
{
  guint8 copy[ROOM];
  UnprotectResult result;
  gsize len = size;

  memcpy (copy, data, size);
  result = unprotect_packet (u, copy, &len, now);
  if (result == UNPROTECT_OK && copy[1] == 96) {
    g_assert_cmpuint (len, ==, 60);
    g_assert_cmphex (copy[59], ==, 0x55);
  }
  if (result != UNPROTECT_OK)
    g_assert_true (len == size && memcmp (copy, data, size) == 0);
  return result;
}

/* --- the roll-over counter ----------------------------------------------- */

/* Packets that a receiver needs which starts after `sent` packets. */
static const struct
{
  guint64 sent;
  gboolean report; /* it heard a sender report before */
  guint32 count;   /* the packet count of that report; 0: the true one */
  guint most;      /* packets till one is decrypted */
  const gchar *why;
} joiners[] = {
  { 0, FALSE, 0, 1, "from the start" },
  { 40000, FALSE, 0, 1, "in the middle of the first round" },
  { 65536, FALSE, 0, 1, "after one wrap" },
  { 3 * 65536 + 5, FALSE, 0, 1, "after three wraps" },
  { 7 * 65536 + 60000, FALSE, 0, 1, "after seven, the last without a report" },
  { 40 * 65536, TRUE, 0, 1, "after forty, told by a report" },
  { 1000 * 65536 + 9, TRUE, 0, 1, "after a thousand: 2.5 days at 300/s" },
  /* The hint is 0 and the packet has 40.  0 and 1 are tried each time, and then 14
   * more: 2 to 15, 16 to 29, 30 to 43, so the third packet is decrypted. */
  { 40 * 65536, TRUE, 1, 3, "the report knows less than the numbers say" },
  /* (1000 - 2) / 14 = 71.3 */
  { 1000 * 65536, TRUE, 1, 72, "the same after a thousand wraps" },
};

static void
test_joiners (gconstpointer data)
{
  guint cipher = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < G_N_ELEMENTS (joiners); i++) {
    Unprotect *u = receiver_new (cipher);
    RaTime now = START;
    guint8 packet[ROOM];
    guint tries = 0;
    Sender s;
    gsize size;

    g_test_message ("%s", joiners[i].why);
    sender_new (&s, cipher, SSRC, 0);
    if (joiners[i].sent > 0)
      sender_skip (&s, joiners[i].sent - 1);
    if (joiners[i].report) {
      size = sender_sr (
          &s, joiners[i].count ? joiners[i].count : (guint32) s.sent, packet);
      g_assert_cmpint (hear (u, packet, size, now), ==, UNPROTECT_OK);
    }
    do {
      size = sender_rtp (&s, packet);
      now = ra_later (now, 10 * RA_MSECOND);
      g_assert_cmpuint (++tries, <=, joiners[i].most);
    } while (hear (u, packet, size, now) != UNPROTECT_OK);
    g_assert_cmpuint (tries, ==, joiners[i].most);
    /* and goes on, over the next wrap */
    sender_skip (&s, 20000);
    for (guint k = 0; k < 3; k++) {
      size = sender_rtp (&s, packet);
      g_assert_cmpint (hear (u, packet, size, now), ==, UNPROTECT_OK);
      g_assert_cmpint (hear (u, packet, size, now), ==, UNPROTECT_REPLAYED);
      sender_skip (&s, 25000);
    }
    unprotect_free (u);
    srtp_dealloc (s.session);
  }
}

/* --- gaps ---------------------------------------------------------------- */

static const struct
{
  guint64 missing;
  guint64 before;
} gaps[] = {
  { 1000, 10 },
  { 32000, 10 },
  { 40000, 10 },
  { 40000, 60000 },
  { 65536, 500 },
  { 65535, 500 },
  { 200000, 30000 },
  { 800000, 65530 },
};

/* 2 s of silence, in which so many packets are lost. */
static void
test_gaps (gconstpointer data)
{
  guint cipher = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < G_N_ELEMENTS (gaps); i++) {
    Unprotect *u = receiver_new (cipher);
    RaTime now = START;
    guint8 old[ROOM], packet[ROOM];
    gsize old_size, size;
    guint lost = 0;
    Sender s;

    g_test_message ("%u packets missing", (guint) gaps[i].missing);
    sender_new (&s, cipher, SSRC, 0);
    s.sent = gaps[i].before;
    old_size = sender_rtp (&s, old);
    g_assert_cmpint (hear (u, old, old_size, now), ==, UNPROTECT_OK);
    sender_skip (&s, gaps[i].missing);
    now = ra_later (now, 2 * RA_SECOND);
    for (;; lost++) {
      size = sender_rtp (&s, packet);
      if (hear (u, packet, size, now) == UNPROTECT_OK)
        break;
      g_assert_cmpuint (lost, <, 2);
      now = ra_later (now, 3 * RA_MSECOND);
    }
    /* Packets from before the gap stay too old. */
    now = ra_later (now, 5 * RA_SECOND);
    g_assert_cmpint (hear (u, old, old_size, now), !=, UNPROTECT_OK);
    size = sender_rtp (&s, packet);
    g_assert_cmpint (hear (u, packet, size, now), ==, UNPROTECT_OK);
    unprotect_free (u);
    srtp_dealloc (s.session);
  }
}

/* --- floods -------------------------------------------------------------- */

static guint64
resident (void)
{
  g_autofree gchar *text = NULL;
  guint64 pages = 0;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (sscanf (text, "%*u %" G_GUINT64_FORMAT, &pages), ==, 1);
  return pages * 4096;
}

/* `n` made-up packets in `span`, none of them authentic. */
static RaTime
flood (Unprotect *u, guint n, RaSpan span, guint32 ssrc, RaTime now)
{
  guint8 packet[ROOM];

  for (guint i = 0; i < n; i++) {
    write_rtp (packet, ssrc + i, (guint16) i);
    g_assert_cmpint (hear (u, packet, 60, now), ==, UNPROTECT_FORGED);
    now = ra_later (now, span / n);
  }
  return now;
}

/* The first good packet passes, at the start, and after a restart. */
static void
test_flood (void)
{
  Unprotect *u = receiver_new (0);
  guint8 packet[ROOM];
  RaTime now = START;
  guint64 before;
  Sender s;
  guint first = 0;

  now = flood (u, 1000, RA_SECOND / 2, 0x10000, now);
  before = resident ();
  for (guint life = 0; life < 3; life++) {
    now = flood (u, 4000, 2 * RA_SECOND, 0x20000 + life * 4000, now);
    sender_new (&s, 0, SSRC + life, 0);
    first += hear (u, packet, sender_rtp (&s, packet), now) == UNPROTECT_OK;
    srtp_dealloc (s.session);
  }
  now = flood (u, MORE_SSRCS, 44 * RA_SECOND, 0x800000, now);
  sender_new (&s, 0, SSRC + 3, 0);
  first += hear (u, packet, sender_rtp (&s, packet), now) == UNPROTECT_OK;
  srtp_dealloc (s.session);
  trust_row ("flood", "12 SSRCs before the stream, SRTP",
      "2,000 made-up SSRCs per second, 100,000 in all: a sender that starts, or "
      "starts again, in the midst passes with its first packet; memory grows by "
      "less than 10 MB",
      first == 4 && unprotect_n_streams (u) == 4
          && resident () < before + MEMORY_MAX,
      "%u of 4 first packets, %+.1f MB", first,
      ((gdouble) resident () - (gdouble) before) / 1e6);
  unprotect_free (u);
}

/* The tries for counters above 0 are limited.  An attacker who forges the SSRC of a
 * stream that is to be found only delays it. */
static void
test_forged_ssrc (void)
{
  Unprotect *u = receiver_new (0);
  guint8 packet[ROOM];
  RaTime now = START;
  guint tries = 0;
  Sender s;
  gsize size;

  sender_new (&s, 0, SSRC, 0);
  sender_skip (&s, 30 * 65536);
  size = sender_sr (&s, (guint32) s.sent, packet);
  g_assert_cmpint (hear (u, packet, size, now), ==, UNPROTECT_OK);
  do {
    for (guint i = 0; i < 10; i++) { /* 1,000/s */
      write_rtp (packet, SSRC, (guint16) (i * 999));
      g_assert_cmpint (hear (u, packet, 60, now), ==, UNPROTECT_FORGED);
      now = ra_later (now, RA_MSECOND);
    }
    size = sender_rtp (&s, packet);
    g_assert_cmpuint (++tries, <, 100); /* 1 s of the stream */
  } while (hear (u, packet, size, now) != UNPROTECT_OK);
  unprotect_free (u);
  srtp_dealloc (s.session);
}

/* There are places for 64 streams.  The one that has been silent for longest goes
 * first, and those that are kept go last. */
static void
test_places (void)
{
  Unprotect *u = receiver_new (0);
  guint8 packet[ROOM], kept[ROOM];
  gsize size, kept_size = 0;
  RaTime now = START;
  Sender s;

  for (guint i = 0; i < 3 * UNPROTECT_STREAMS; i++) {
    sender_new (&s, 0, SSRC + i, 0);
    size = sender_rtp (&s, packet);
    now = ra_later (now, RA_MSECOND);
    g_assert_cmpint (hear (u, packet, size, now), ==, UNPROTECT_OK);
    g_assert_cmpuint (
        unprotect_n_streams (u), ==, MIN (i + 1, UNPROTECT_STREAMS));
    if (i == 0) {
      unprotect_keep (u, SSRC);
      kept_size = size;
      memcpy (kept, packet, size);
    }
    srtp_dealloc (s.session);
  }
  g_assert_cmpint (hear (u, kept, kept_size, now), ==, UNPROTECT_REPLAYED);
  unprotect_free (u);
}

/* --- what is no SRTP ----------------------------------------------------- */

static void
test_any_bytes (gconstpointer data)
{
  Unprotect *u = receiver_new (GPOINTER_TO_UINT (data));
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 20000; i++) {
    guint8 packet[ROOM];
    gsize size = (gsize) g_rand_int_range (rand, 0, 100);

    for (guint k = 0; k < size; k++)
      packet[k] = (guint8) g_rand_int (rand);
    if (i % 2)
      packet[0] = (packet[0] & 0x3f) | 0x80;
    g_assert_cmpint (
        hear (u, packet, size, START + i * RA_MSECOND), !=, UNPROTECT_OK);
  }
  g_assert_cmpuint (unprotect_n_streams (u), ==, 0);
  unprotect_free (u);
}

/* Each kind of packet that one side makes is read by the other. */
static void
test_protect (gconstpointer data)
{
  g_autoptr (GBytes) key = a_key (GPOINTER_TO_UINT (data));
  Protect *p = protect_new (key, (GstRtpAdaptCipher) GPOINTER_TO_UINT (data));
  Unprotect *u = receiver_new (GPOINTER_TO_UINT (data));
  const guint32 *ssrcs;
  guint n;

  for (guint i = 0; i < 100; i++) {
    guint8 packet[ROOM];
    gsize size = 60;

    write_rtp (packet, SSRC + i % 50, (guint16) i);
    g_assert_true (protect_packet (p, packet, &size));
    g_assert_cmpuint (size, <=, 60 + PROTECT_TRAILER);
    g_assert_cmpint (hear (u, packet, size, START), ==, UNPROTECT_OK);
    size = 60;
    write_rtp (packet, SSRC + i % 50, (guint16) i);
    g_assert_false (protect_packet (p, packet, &size)); /* its number again */
  }
  for (guint i = 0; i < 2; i++) { /* an empty receiver report */
    guint8 packet[ROOM] = { 0x80, 201, 0, 1, 0, 0, 0, 9 };
    gsize size = 8;

    g_assert_true (protect_packet (p, packet, &size));
    g_assert_cmpuint (size, <=, 8 + PROTECT_TRAILER);
    g_assert_cmpint (hear (u, packet, size, START), ==, UNPROTECT_OK);
  }
  ssrcs = protect_ssrcs (p, &n);
  g_assert_cmpuint (n, ==, PROTECT_SSRCS);
  for (guint i = 0; i < n; i++)
    g_assert_true (ssrcs[i] - SSRC < 50 || ssrcs[i] == 9);
  protect_free (p);
  unprotect_free (u);
}

/* A second run with the same key, of a payloader that goes on or is new: a receiver that
 * heard the first one takes nothing for a repetition. */
static void
test_runs (gconstpointer data)
{
  static const struct
  {
    guint16 last, next;
    const gchar *why;
  } runs[] = { { 5, 6, "it goes on" }, { 60000, 40000, "an earlier number" },
    { 10, 60000, "far ahead" }, { 60000, 10, "around" } };
  static const struct
  {
    guint16 seq;
    UnprotectResult heard;
    const gchar *why;
  } returns[]
      = { { 5, UNPROTECT_REPLAYED, "away for six runs, the same number" },
          { 30000, UNPROTECT_OK, "it goes on" },
          { 20000, UNPROTECT_OK, "another payloader in the same run" } };
  const GstRtpAdaptCipher cipher = (GstRtpAdaptCipher) GPOINTER_TO_UINT (data);
  g_autoptr (GBytes) key = a_key (cipher), other = g_bytes_new ("", 1);
  Protect *p = protect_new (key, cipher);
  Unprotect *u = receiver_new (cipher);
  RaTime now = START;
  guint8 first[ROOM];
  guint n;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (runs); i++, now += 10 * RA_SECOND) {
    guint8 rtp[ROOM],
        rtcp[ROOM] = { 0x80, 201, 0, 1, 1, 2, 3, (guint8) (i / 2) };
    gsize size = 60, rtcp_size = 8;

    g_test_message ("%s", runs[i / 2].why);
    write_rtp (rtp, SSRC + i / 2, i % 2 ? runs[i / 2].next : runs[i / 2].last);
    g_assert_true (protect_packet (p, rtp, &size));
    if (i == 0)
      memcpy (first, rtp, size);
    g_assert_cmpint (hear (u, rtp, size, now), ==, UNPROTECT_OK);
    g_assert_true (protect_packet (p, rtcp, &rtcp_size));
    g_assert_cmpint (hear (u, rtcp, rtcp_size, now), ==, UNPROTECT_OK);
    g_assert_true (protect_goes_on (p, key, cipher));
    protect_ssrcs (p, &n);
    g_assert_cmpuint (n, ==, 0);
  }
  for (guint i = 0; i < G_N_ELEMENTS (returns); i++, now += 10 * RA_SECOND) {
    guint8 rtp[ROOM];
    gsize size = 60;

    g_test_message ("%s", returns[i].why);
    write_rtp (rtp, SSRC, returns[i].seq);
    g_assert_true (protect_packet (p, rtp, &size));
    g_assert_cmpint (memcmp (rtp, first, size), !=, 0); /* RFC 3711 9.1 */
    g_assert_cmpint (hear (u, rtp, size, now), ==, returns[i].heard);
  }
  g_assert_false (protect_goes_on (p, other, cipher));
  protect_free (p);
  unprotect_free (u);
}

void
tests_add (void)
{
  static const gchar *const names[]
      = { "aes-128-icm", "aes-256-icm", "aes-128-gcm", "aes-256-gcm" };
  static const struct
  {
    const gchar *name;
    GTestDataFunc func;
  } each[] = {
    { "joiners", test_joiners },
    { "gaps", test_gaps },
    { "any-bytes", test_any_bytes },
    { "protect", test_protect },
    { "runs", test_runs },
  };

  for (guint i = 0; i < G_N_ELEMENTS (each); i++) {
    for (guint c = 0; c < G_N_ELEMENTS (names); c++) {
      g_autofree gchar *path
          = g_strdup_printf ("/secure-parts/%s/%s", each[i].name, names[c]);

      g_test_add_data_func (path, GUINT_TO_POINTER (c), each[i].func);
    }
  }
  g_test_add_func ("/secure-parts/flood", test_flood);
  g_test_add_func ("/secure-parts/forged-ssrc", test_forged_ssrc);
  g_test_add_func ("/secure-parts/places", test_places);
}
