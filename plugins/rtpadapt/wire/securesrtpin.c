/* Decrypts the packets that come with a key, and decides which of them go on.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securesrtpin.h"

#include "rtpmux.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/util/bytes.h>

/* Answers per second.  All receivers of a multicast group may ask. */
#define ANSWERS 100
/* The key is wrong if nothing authentic came for this long, and so many other
 * packets did. */
#define WRONG_KEY_TIME (2 * RA_SECOND)
#define WRONG_KEY_PACKETS 3
#define WRONG_KEY_ASK RA_SECOND

void
srtp_in_init (SrtpIn *in, Unprotect *unprotect, ReplayGuard *guard,
    gboolean receiver, guint64 (*chance) (void))
{
  *in = (SrtpIn){ .receiver = receiver,
    .chance = chance,
    .unprotect = unprotect,
    .guard = guard,
    .failing = RA_TIME_NONE,
    .good = RA_TIME_NONE,
    .answers.since = RA_TIME_NONE };
}

void
srtp_in_clear (SrtpIn *in)
{
  held_packets_clear (&in->held);
  unprotect_free (in->unprotect);
  replay_guard_free (in->guard);
}

/* --- a packet that comes ------------------------------------------------- */

/* TRUE if the compound has only extended reports, and an empty receiver report
 * before them.  Then it is for us alone, and does not go on to rtpsession. */
static gboolean
hear_reports (SrtpIn *in, SrtpComing *c)
{
  gboolean ours = FALSE, others = FALSE;
  RaXrReader reader;
  RaXrItem item;
  gsize part;

  for (gsize at = 0; at < c->size; at += part) {
    const guint8 *data = c->data + at;

    part = 4 + 4 * (gsize) ra_get_u16 (data + 2);
    if (!ra_xr_read (&reader, data, part)) {
      others |= data[1] != GST_RTCP_TYPE_RR || (data[0] & 0x1f) != 0;
      continue;
    }
    ours = TRUE;
    while (ra_xr_next (&reader, &item)) {
      if (item.kind == RA_XR_RRTR) {
        c->is_asked = TRUE;
        c->asked = item;
      } else if (in->guard && replay_guard_answer (in->guard, &item, c->now)) {
        unprotect_keep (in->unprotect, item.ssrc);
      }
    }
  }
  return ours && !others;
}

/* An authentic packet. */
static void
judge (SrtpIn *in, SrtpComing *c)
{
  ReplayGuardVerdict verdict;

  if (c->rtcp && rtp_mux_kind (c->data, c->size, NULL) == RTP_MUX_RTCP) {
    c->drop = hear_reports (in, c);
    c->is_asked = c->is_asked && !in->receiver
        && bucket_second_has_room (&in->answers, ANSWERS, c->now);
    in->answers.n += c->is_asked;
  }
  if (!in->guard || c->drop)
    return;
  verdict = replay_guard_hear (in->guard, c->ssrc, c->now);
  if (verdict == REPLAY_GUARD_PASS)
    return;
  c->drop = TRUE;
  c->hold = verdict == REPLAY_GUARD_HOLD;
  c->asks = c->from_known
      && replay_guard_ask (
          in->guard, c->ssrc, c->rtcp, in->chance (), c->now, &c->question);
  if (c->hold)
    return;
  in->dropped++;
  in->unproven++;
  c->warn_replay = !in->warned_replay;
  in->warned_replay = TRUE;
}

/* Counts a packet that does not authenticate.  Its sender may have another key.  It
 * gets a question per second that it cannot read, so that it finds out, too. */
static void
count_failure (SrtpIn *in, SrtpComing *c)
{
  in->good = RA_TIME_NONE;
  if (in->failing == RA_TIME_NONE) {
    in->failing = in->wondered = c->now;
    in->failed = 0;
  }
  if (++in->failed < WRONG_KEY_PACKETS || !c->from_known
      || ra_diff (c->now, in->failing) < WRONG_KEY_TIME)
    return;
  c->warn_key = !in->warned_key;
  in->warned_key = TRUE;
  if (!in->guard || ra_diff (c->now, in->wondered) < WRONG_KEY_ASK)
    return;
  in->wondered = c->now;
  c->asks = TRUE;
  replay_guard_ask_anyway (in->guard, in->chance (), c->now, &c->question);
}

/* A sender with the right key goes on: should another one have a wrong key, a warning
 * says so again. */
static void
count_good (SrtpIn *in, RaTime now)
{
  in->failing = RA_TIME_NONE;
  if (in->good == RA_TIME_NONE)
    in->good = now;
  else if (ra_diff (now, in->good) >= WRONG_KEY_TIME)
    in->warned_key = FALSE;
}

/* TRUE: that is why it was refused.  A warning says so once. */
static gboolean
is_stuck (SrtpIn *in, SrtpComing *c)
{
  if (c->rtcp
      || !unprotect_is_stuck (in->unprotect, ra_get_u32 (c->data + 8), c->now))
    return FALSE;
  c->ssrc = ra_get_u32 (c->data + 8);
  c->warn_stuck = !in->warned_stuck;
  in->warned_stuck = TRUE;
  return TRUE;
}

void
srtp_in_take (SrtpIn *in, SrtpComing *c)
{
  UnprotectResult result;

  in->received++;
  c->rtcp = c->size >= 2 && rtp_mux_has_rtcp_type (c->data);
  result = unprotect_packet (in->unprotect, c->data, &c->size, c->now);
  if (result == UNPROTECT_OK) {
    count_good (in, c->now);
    c->ssrc = ra_get_u32 (c->data + (c->rtcp ? 4 : 8));
    judge (in, c);
    return;
  }
  c->drop = TRUE;
  in->dropped++;
  if (result == UNPROTECT_MALFORMED || is_stuck (in, c))
    return;
  if (result == UNPROTECT_FORGED)
    count_failure (in, c);
}

/* --- packets that are held back ------------------------------------------ */

typedef struct
{
  const ReplayGuard *guard;
  RaTime now;
} FateOf;

static HeldFate
fate (guint32 ssrc, RaTime since, gpointer data)
{
  const FateOf *of = data;

  if (replay_guard_is_proven (of->guard, ssrc))
    return HELD_LEAVES;
  return ra_diff (of->now, since) < REPLAY_GUARD_PATIENCE ? HELD_STAYS
                                                          : HELD_DROPPED;
}

GList *
srtp_in_release (SrtpIn *in, const SrtpComing *c, GstPad *pad)
{
  FateOf of = { in->guard, c->now };
  guint64 n_dropped = 0;
  GList *leave;

  if (in->held.list.length == 0)
    return NULL;
  leave = held_packets_take (&in->held, pad, fate, &of, &n_dropped);
  in->dropped += n_dropped;
  in->unproven += n_dropped;
  return leave;
}

void
srtp_in_hold (SrtpIn *in, const SrtpComing *c, GstPad *pad, GstBuffer *buffer)
{
  if (held_packets_add (&in->held, pad, buffer, c->ssrc, c->now))
    return;
  in->dropped++;
  in->unproven++;
}
