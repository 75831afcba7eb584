/* What keeps recordings of an earlier session out, without elements, in virtual
 * time: the questions to each sender, and the packets that wait for an answer.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "../../plugins/rtpadapt/wire/heldpackets.h"
#include "../../plugins/rtpadapt/wire/replayguard.h"

#define SSRC 0x01020304
#define START (1000 * RA_SECOND)

/* --- the replay guard ---------------------------------------------------- */

#define ASKER 0x0a0b0c0d

static RaXrItem
question_read (const ReplayGuardQuestion *q)
{
  RaXrReader r;
  RaXrItem item = { 0 };

  g_assert_true (ra_xr_read (&r, q->data + 8, sizeof q->data - 8));
  g_assert_true (ra_xr_next (&r, &item));
  g_assert_cmpint (item.kind, ==, RA_XR_RRTR);
  g_assert_cmphex (item.ssrc, ==, ASKER);
  return item;
}

static RaXrItem
dlrr (guint32 ssrc, const RaXrItem *question)
{
  return (RaXrItem){ .kind = RA_XR_DLRR,
    .ssrc = ssrc,
    .dlrr = { question->ssrc, ra_xr_lrr (question->ntp), 0 } };
}

static void
test_guard (void)
{
  ReplayGuard *g = replay_guard_new (ASKER);
  RaTime now = START;
  ReplayGuardQuestion q;
  RaXrItem asked, said;

  g_assert_cmpint (replay_guard_hear (g, SSRC, now), ==, REPLAY_GUARD_HOLD);
  g_assert_true (replay_guard_ask (g, SSRC, 0, 0x1122334455667788, now, &q));
  asked = question_read (&q);
  g_assert_cmphex (asked.ntp, ==, 0x1122334455667788);
  /* it asks every 100 ms at most, each port for itself */
  g_assert_false (replay_guard_ask (g, SSRC, 0, 1, now + 99 * RA_MSECOND, &q));
  g_assert_true (replay_guard_ask (g, SSRC, 1, 1, now + 99 * RA_MSECOND, &q));
  g_assert_true (replay_guard_ask (g, SSRC, 0, 1, now + 100 * RA_MSECOND, &q));

  said = dlrr (SSRC, &asked);
  said.dlrr.lrr ^= 1; /* the answer to another question */
  g_assert_false (replay_guard_answer (g, &said, now));
  said = dlrr (SSRC, &asked);
  said.dlrr.receiver ^= 1; /* to another receiver */
  g_assert_false (replay_guard_answer (g, &said, now));
  g_assert_false (replay_guard_answer (g, &asked, now)); /* no answer */
  g_assert_cmpint (replay_guard_hear (g, SSRC, now), ==, REPLAY_GUARD_HOLD);
  now = ra_later (now, REPLAY_GUARD_PATIENCE);
  g_assert_cmpint (replay_guard_hear (g, SSRC, now), ==, REPLAY_GUARD_REFUSE);
  said = dlrr (SSRC, &asked); /* late, but an answer */
  g_assert_true (replay_guard_answer (g, &said, now));
  g_assert_cmpint (replay_guard_hear (g, SSRC, now), ==, REPLAY_GUARD_PASS);
  g_assert_false (
      replay_guard_ask (g, SSRC, 0, 1, now + RA_SECOND, &q)); /* no need */
  g_assert_cmpint (replay_guard_hear (g, SSRC + 1, now), ==, REPLAY_GUARD_HOLD);
  replay_guard_free (g);
}

/* Questions from more than 8 s ago are forgotten, and at most 50 of 200 SSRCs are
 * asked in a second. */
static void
test_guard_bounds (void)
{
  ReplayGuard *g = replay_guard_new (ASKER);
  RaTime now = START;
  ReplayGuardQuestion q;
  RaXrItem first, said;
  guint asked = 0;

  replay_guard_hear (g, SSRC, now);
  g_assert_true (replay_guard_ask (g, SSRC, 0, 0x1122334455667788, now, &q));
  first = question_read (&q);
  said = dlrr (SSRC, &first);
  g_assert_true (replay_guard_answer (g, &said, now));
  for (guint i = 0; i < 200; i++) {
    replay_guard_hear (g, 0x20000 + i, now);
    asked += replay_guard_ask (g, 0x20000 + i, 0, i + 77777777, now, &q);
  }
  g_assert_cmpuint (asked, ==, REPLAY_GUARD_ASKS - 1);
  g_assert_true (replay_guard_is_proven (g, SSRC)); /* it keeps its place */
  for (guint64 i = 1; i <= REPLAY_GUARD_QUESTIONS; i++) {
    now = ra_later (now, REPLAY_GUARD_NEW);
    replay_guard_hear (g, 0x30000, now);
    g_assert_true (replay_guard_ask (g, 0x30000, 0, i << 20, now, &q));
  }
  said = dlrr (0x30000, &first);
  g_assert_false (replay_guard_answer (g, &said, now));
  first = question_read (&q);
  said = dlrr (0x30000, &first);
  g_assert_true (replay_guard_answer (g, &said, now));
  replay_guard_free (g);
}

/* Recordings that go on and on leave half of the questions to those that begin. */
static void
test_guard_share (void)
{
  ReplayGuard *g = replay_guard_new (ASKER);
  RaTime now = START;
  ReplayGuardQuestion q;
  guint late = 0, asked = 0;

  for (guint32 ssrc = 1; ssrc <= 60; ssrc++)
    replay_guard_hear (g, ssrc, now);
  now = ra_later (now, REPLAY_GUARD_PATIENCE);
  for (guint32 ssrc = 1; ssrc <= 60; ssrc++) {
    g_assert_cmpint (replay_guard_hear (g, ssrc, now), ==, REPLAY_GUARD_REFUSE);
    late += replay_guard_ask (g, ssrc, 0, ssrc, now, &q);
  }
  g_assert_cmpuint (late, ==, REPLAY_GUARD_ASKS / 2);
  replay_guard_hear (g, SSRC, now);
  for (guint i = 0; i < 5; i++)
    asked += replay_guard_ask (g, SSRC, 0, i, now + i * REPLAY_GUARD_ASK, &q);
  g_assert_cmpuint (asked, ==, 5);
  replay_guard_free (g);
}

/* All our SSRCs answer at once, as one compound. */
static void
test_answer (void)
{
  const RaXrItem asked
      = { .kind = RA_XR_RRTR, .ssrc = ASKER, .ntp = 0x1122334455667788 };
  const guint32 ssrcs[] = { 1, 2, 3 };
  guint8 data[200];
  RaXrReader r;
  RaXrItem item;

  g_assert_cmpuint (
      replay_guard_write_answer (data, sizeof data, ssrcs, 0, &asked), ==, 0);
  g_assert_cmpuint (replay_guard_write_answer (data, 79, ssrcs, 3, &asked), ==,
      0); /* 8 + 3 * 24 */
  g_assert_cmpuint (
      replay_guard_write_answer (data, sizeof data, ssrcs, 3, &asked), ==, 80);
  for (guint i = 0; i < 3; i++) {
    g_assert_true (ra_xr_read (&r, data + 8 + 24 * i, 24));
    g_assert_true (ra_xr_next (&r, &item));
    g_assert_cmphex (item.ssrc, ==, ssrcs[i]);
    g_assert_cmphex (item.dlrr.receiver, ==, ASKER);
    g_assert_cmphex (item.dlrr.lrr, ==, 0x33445566); /* RFC 3611 4.5 */
    g_assert_false (ra_xr_next (&r, &item));
  }
}

/* --- packets that are held ----------------------------------------------- */

static HeldFate
by_ssrc (guint32 ssrc, RaTime since, gpointer data)
{
  return ssrc == GPOINTER_TO_UINT (data) ? HELD_LEAVES
      : since < START + RA_SECOND        ? HELD_DROPPED
                                         : HELD_STAYS;
}

static void
test_held (void)
{
  g_autoptr (GstPad) pad = gst_pad_new (NULL, GST_PAD_SRC);
  HeldPackets held = { 0 };
  guint64 dropped = 0;
  GList *leave;
  guint n = 0;

  for (guint i = 0; i < HELD_PACKETS_MAX + 10; i++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 10 + i, NULL);
    gboolean room = held_packets_add (
        &held, pad, buffer, i % 3, START + i % 2 * RA_SECOND);

    g_assert_cmpint (room, ==, i < HELD_PACKETS_MAX);
  }
  g_assert_null (
      held_packets_take (&held, NULL, by_ssrc, GUINT_TO_POINTER (1), &dropped));
  leave
      = held_packets_take (&held, pad, by_ssrc, GUINT_TO_POINTER (1), &dropped);
  for (GList *l = leave; l; l = l->next, n++) /* 1, 4, 7, ... */
    g_assert_cmpuint (gst_buffer_get_size (l->data), ==, 11 + 3 * n);
  g_assert_cmpuint (n, ==, 341);
  /* 683 are left, the even ones of them old: of i = 0, 2, 3, 5, 6, 8, ... */
  g_assert_cmpuint (dropped + held.list.length, ==, 683);
  g_assert_cmpuint (dropped, ==, 342);
  g_list_free_full (leave, (GDestroyNotify) gst_buffer_unref);
  held_packets_clear (&held);
  g_assert_cmpuint (held.bytes, ==, 0);
}

void
tests_add (void)
{
  g_test_add_func ("/replay-parts/guard", test_guard);
  g_test_add_func ("/replay-parts/guard-bounds", test_guard_bounds);
  g_test_add_func ("/replay-parts/guard-share", test_guard_share);
  g_test_add_func ("/replay-parts/answer", test_answer);
  g_test_add_func ("/replay-parts/held", test_held);
}
