/* What an attacker can do to delays so that congestion looks like the radio.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On the path he can only hold packets up, at the receiver (or in its feedback)
 * say of each whatever he likes.
 */
#pragma once

#include "harm-world.h"

#define HARM_PAD (150 * RA_MSECOND) /* more than any queue of these links */
#define HARM_STALL_EACH (5 * RA_SECOND)
#define HARM_STALL (600 * RA_MSECOND) /* half of it is more than any queue */
#define HARM_NOISE .06                /* s */
#define HARM_DRIFT 500                /* 2 ms in a second */

static inline RaTime
harm_hold_pad (Harm *h, const RaLinkPacket *p, RaTime now)
{
  return ra_later (p->entered, HARM_BACK + HARM_PAD);
}

static inline RaTime
harm_hold_stall (Harm *h, const RaLinkPacket *p, RaTime now)
{
  RaSpan into = (RaSpan) (now % (RaTime) HARM_STALL_EACH);

  return into < HARM_STALL ? ra_later (now, HARM_STALL - into) : now;
}

static inline RaTime
harm_hold_noise (Harm *h, const RaLinkPacket *p, RaTime now)
{
  return ra_later (now, ra_span (HARM_NOISE * ra_rng_uniform (&h->rng)));
}

static inline RaTime
harm_stamp_flat (Harm *h, const RaLinkPacket *p, RaTime now, guint64 lost)
{
  return ra_later (p->entered, h->least);
}

static inline RaTime
harm_stamp_minimum (Harm *h, const RaLinkPacket *p, RaTime now, guint64 lost)
{
  return lost > 0 ? ra_later (p->entered, h->least) : now;
}

/* What Biaz's scheme wants to see: the missing ones crossed the line. */
static inline RaTime
harm_stamp_gaps (Harm *h, const RaLinkPacket *p, RaTime now, guint64 lost)
{
  RaSpan each = ra_send_span (p->size, (guint64) h->cfg->rate);
  RaTime stamp = lost > 0
      ? ra_later (h->last_stamp, each * (RaSpan) (MIN (lost, 1000) + 1))
      : now;

  return h->last_stamp = MAX (stamp, h->last_stamp);
}

static inline RaTime
harm_stamp_noise (Harm *h, const RaLinkPacket *p, RaTime now, guint64 lost)
{
  return harm_hold_noise (h, p, now);
}

static inline RaTime
harm_stamp_drift (Harm *h, const RaLinkPacket *p, RaTime now, guint64 lost)
{
  return now - now / HARM_DRIFT;
}

static const HarmAttack harm_attacks[] = {
  { "honest", NULL, NULL, "nobody tampers" },
  { "padded", harm_hold_pad, NULL,
      "on the path: each packet held until all took equally long" },
  { "stalls", harm_hold_stall, NULL,
      "on the path: .6 s of nothing each 5 s, beside which a queue is short" },
  { "jitter", harm_hold_noise, NULL,
      "on the path: up to 60 ms more, so that spikes are everywhere" },
  { "flat", NULL, harm_stamp_flat,
      "at the receiver: all packets took as long as the fastest" },
  { "minimum", NULL, harm_stamp_minimum,
      "at the receiver: what follows a loss was as fast as the fastest" },
  { "gaps", NULL, harm_stamp_gaps,
      "at the receiver: a gap before it as if the lost ones had crossed" },
  { "noise", NULL, harm_stamp_noise,
      "at the receiver: up to 60 ms added to each time" },
  { "drift", NULL, harm_stamp_drift,
      "at the receiver: each packet faster than the mean of those before" },
};
