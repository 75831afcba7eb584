/* The parts of SRTP that have no pads, without elements, in virtual time: a receiver
 * and a sender that speak to each other, and the gate before srtpdec.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "../rows.h"
#include "../../plugins/rtpadapt/wire/securesrtpin.h"
#include "../../plugins/rtpadapt/wire/securesrtpout.h"
#include "../../plugins/rtpadapt/wire/ssrcgate.h"

#include <gst/rtpadapt/util/bytes.h>
#include <string.h>

#define SSRC 0x01020304
#define T0 (1000 * RA_SECOND)
#define RTP 60 /* bytes */

/* --- a receiver and a sender ----------------------------------------------- */

typedef struct
{
  SrtpIn in;
  SrtpOut out;
  guint32 ssrc;
} Side;

static guint64
chance (void)
{
  return 0x1122334455667788;
}

static void
side_open (Side *side, guint8 first, gboolean receiver)
{
  guint8 bytes[30];
  g_autoptr (GBytes) key = NULL;

  memset (bytes, first, sizeof bytes);
  key = g_bytes_new (bytes, sizeof bytes);
  *side = (Side){ .ssrc = SSRC,
    .out.protect = protect_new (key, GST_RTP_ADAPT_CIPHER_AES_128_ICM) };
  srtp_in_init (&side->in,
      unprotect_new (key, GST_RTP_ADAPT_CIPHER_AES_128_ICM),
      receiver ? replay_guard_new (7) : NULL, receiver, chance);
}

static void
side_close (Side *side)
{
  srtp_in_clear (&side->in);
  srtp_out_clear (&side->out);
}

static gsize
write_rtp (Side *side, guint16 seq, guint8 *data)
{
  gsize size = RTP;

  memset (data, 0x55, RTP);
  data[0] = 0x80;
  data[1] = 96;
  ra_put_u16 (data + 2, seq);
  ra_put_u32 (data + 8, side->ssrc);
  g_assert_true (srtp_out_encrypt (&side->out, data, &size));
  return size;
}

static SrtpComing
take (Side *side, guint8 *data, gsize size, RaTime now)
{
  SrtpComing c = { .from_known = TRUE, .data = data, .size = size, .now = now };

  srtp_in_take (&side->in, &c);
  return c;
}

/* Both have sockets and are at the same address, which nothing looks at here. */
static void
test_exchange (void)
{
  GSocketAddress *at = g_inet_socket_address_new_from_string ("192.0.2.1", 9),
                 *to;
  GstPad *pad = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  guint8 rtp[RTP + PROTECT_TRAILER], rtcp[SRTP_OUT_SAYING];
  Side sender, receiver;
  GstBuffer *buffer;
  SrtpComing c;
  GList *left;
  gsize size;

  side_open (&sender, 1, FALSE);
  side_open (&receiver, 1, TRUE);

  /* The packet of an unknown sender waits, and its sender is asked. */
  c = take (&receiver, rtp, write_rtp (&sender, 1, rtp), T0);
  g_assert_true (c.drop && c.hold && c.asks && !c.is_asked && !c.rtcp);
  g_assert_cmphex (c.ssrc, ==, SSRC);
  buffer = gst_buffer_new_memdup (c.data, c.size);
  srtp_in_hold (&receiver.in, &c, pad, buffer);
  g_assert_null (srtp_in_release (&receiver.in, &c, pad));

  /* The sender answers, and the question goes no farther. */
  memcpy (rtcp, c.question.data, size = sizeof c.question.data);
  g_assert_true (srtp_out_encrypt (&receiver.out, rtcp, &size));
  c = take (&sender, rtcp, size, T0);
  g_assert_true (c.drop && !c.hold && c.is_asked && c.rtcp);
  to = srtp_out_answer (&sender.out, at, &c.asked, rtcp, &size);
  g_assert_true (to == at);
  g_object_unref (to);
  g_assert_true (srtp_out_encrypt (&sender.out, rtcp, &size));

  /* The answer lets go of the packet, and later ones pass. */
  c = take (&receiver, rtcp, size, T0 + 1);
  g_assert_true (c.drop && !c.hold && !c.asks);
  left = srtp_in_release (&receiver.in, &c, pad);
  g_assert_true (left && left->data == buffer && !left->next);
  c = take (&receiver, rtp, write_rtp (&sender, 2, rtp), T0 + 2);
  g_assert_true (!c.drop && !c.hold);
  g_assert_cmpuint (receiver.in.dropped, ==, 0);

  g_list_free (left);
  gst_buffer_unref (buffer);
  gst_buffer_unref (buffer); /* the part's */
  gst_object_unref (pad);
  g_object_unref (at);
  side_close (&sender);
  side_close (&receiver);
}

/* A sender with another key is warned about once, after 2 s, and asked once a
 * second from then on; another one again, where one had the right key between. */
static void
test_wrong_key (void)
{
  guint8 rtp[RTP + PROTECT_TRAILER];
  Side sender, receiver;
  guint warned = 0, asked = 0;

  side_open (&receiver, 2, TRUE);
  for (guint16 i = 0; i < 3 * 51; i++) {
    const gboolean right = i / 51 == 1;
    SrtpComing c;

    if (i % 51 == 0)
      side_open (&sender, right ? 2 : 1, FALSE);
    sender.ssrc = SSRC + right;
    c = take (
        &receiver, rtp, write_rtp (&sender, i, rtp), T0 + i * 100 * RA_MSECOND);
    g_assert_true (c.drop && (right || !c.hold));
    g_assert_true (!c.warn_key || i % 51 == 20);
    warned += c.warn_key;
    asked += c.asks && !right;
    if (i % 51 == 50)
      side_close (&sender);
  }
  g_assert_cmpuint (warned, ==, 2);
  g_assert_cmpuint (asked, ==, 2 * 4); /* at 2, 3, 4 and 5 s */
  side_close (&receiver);
}

static const struct
{
  guint16 first, again;
  gboolean stuck;
  const gchar *why;
} restarts[] = {
  { 30000, 20000, TRUE, "with numbers that came before" },
  { 60000, 20000, TRUE, "with some that look like those after the wrap" },
  { 1000, 41000, FALSE, "2^15 or more ahead: found after 1 s" },
};

/* A sender that is started again with the same key and SSRC counts from 0: a warning
 * says once why its packets are refused, and none that the key is another. */
static void
test_restart (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), warned = 0;
  guint8 rtp[RTP + PROTECT_TRAILER];
  Side sender, receiver;

  side_open (&receiver, 1, TRUE);
  for (guint16 k = 0; k < 2; k++) {
    side_open (&sender, 1, FALSE);
    for (guint16 i = 0; i < 51; i++) {
      guint from = k ? restarts[row].again : restarts[row].first;
      gsize size = write_rtp (&sender, (guint16) (from + i), rtp);
      SrtpComing c
          = take (&receiver, rtp, size, T0 + (k * 51 + i) * 100 * RA_MSECOND);

      g_assert_false (c.warn_key);
      g_assert_false (c.warn_stuck && (k == 0 || i < 19 || c.ssrc != SSRC));
      warned += c.warn_stuck;
    }
    side_close (&sender);
  }
  g_assert_cmpuint (warned, ==, restarts[row].stuck);
  side_close (&receiver);
}

/* RFC 3550 11: RTCP has the port after that of RTP, where it has one of its own.  The
 * zone of a link-local address stays (RFC 4007 6). */
static void
test_asked_at (void)
{
  static const struct
  {
    gboolean next, rtcp;
    guint port;
  } rows[] = { { FALSE, FALSE, 5004 }, { FALSE, TRUE, 5004 },
    { TRUE, FALSE, 5005 }, { TRUE, TRUE, 5004 } };
  g_autoptr (GSocketAddress) from
      = g_inet_socket_address_new_from_string ("fe80::1%1", 5004);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const SrtpOut out = { .rtcp_port_next = rows[i].next };
    g_autoptr (GSocketAddress) to = srtp_out_ask_at (&out, from, rows[i].rtcp);

    g_assert_cmpuint (
        g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (to)), ==,
        rows[i].port);
    g_assert_cmpuint (
        g_inet_socket_address_get_scope_id (G_INET_SOCKET_ADDRESS (to)), ==, 1);
  }
}

/* --- the gate before srtpdec ------------------------------------------------ */

/* 100 new SSRCs come at `at` (s); so many of them pass. */
static void
test_gate (void)
{
  static const struct
  {
    gdouble at;
    gboolean authentic;
    guint pass;
    const gchar *why;
  } rows[] = {
    { 0, FALSE, SSRC_GATE_TRIES, "as many as a peer has that starts" },
    { .9, FALSE, 0, "no second has passed" },
    { 3.5, FALSE, 3, "one for each second" },
    { 3.9, FALSE, 0, "the rest of a second counts for the next one" },
    { 4, FALSE, 1, "that is over" },
    { 1000, TRUE, 100, "a try that was authentic is given back" },
    { 1000, FALSE, SSRC_GATE_TRIES, "and no more than that" },
  };
  SsrcGate gate = { 0 };
  guint32 ssrc = 1;
  guint passed = 0;

  ssrc_gate_open (&gate, T0);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    RaTime now = T0 + (RaTime) (rows[r].at * RA_SECOND);
    guint n = 0;

    for (guint i = 0; i < 100; i++, ssrc++) {
      if (!ssrc_gate_before (&gate, &ssrc, now))
        continue;
      n++;
      g_assert_true (ssrc_gate_before (&gate, &ssrc, now)); /* it is known */
      if (rows[r].authentic)
        ssrc_gate_after (&gate, ssrc);
    }
    if (n != rows[r].pass)
      g_test_fail_printf ("%s: %u", rows[r].why, n);
    passed += n;
  }
  g_assert_false (ssrc_gate_is_full (&gate));
  g_assert_false (ssrc_gate_before (&gate, NULL, T0));
  g_assert_cmpuint (gate.malformed, ==, 1);
  g_assert_cmpuint (gate.crowded, ==, 100 * G_N_ELEMENTS (rows) - passed);
  g_assert_cmpuint (gate.received, ==, 2 * passed + gate.crowded + 1);
  ssrc_gate_close (&gate);
}

/* A new SSRC each second. */
static void
test_full (void)
{
  SsrcGate gate = { 0 };
  guint32 n = 0;

  ssrc_gate_open (&gate, T0);
  while (ssrc_gate_before (&gate, &n, T0 + n * RA_SECOND))
    g_assert_cmpint (ssrc_gate_is_full (&gate), ==, ++n == SSRC_GATE_MAX);
  g_assert_cmpuint (n, ==, SSRC_GATE_MAX);
  ssrc_gate_close (&gate);
  g_assert_false (ssrc_gate_is_full (&gate));
}

void
tests_add (void)
{
  g_test_add_func ("/secure-rooms/exchange", test_exchange);
  g_test_add_func ("/secure-rooms/wrong-key", test_wrong_key);
  rows_add ("/secure-rooms/restart", restarts, test_restart);
  g_test_add_func ("/secure-rooms/asked-at", test_asked_at);
  g_test_add_func ("/secure-rooms/gate", test_gate);
  g_test_add_func ("/secure-rooms/full", test_full);
}
