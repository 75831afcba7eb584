/* Packets with ECN fields over a path that treats them as a test likes, and RFC
 * 8888's words about them, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/safety/ecn.h>

/* ms: a packet each, a report each, from sending to hearing of it at least. */
#define EVERY 10
#define REPORT 50
#define RTT 100
#define SECOND 1000
#define KEPT 4096 /* packets that are remembered */

typedef struct
{
  guint64 n; /* of the packets, from 0 */
  guint ms;  /* it was sent at */
  RaEcnField sent;
  RaEcnField came; /* what the path and the receiver make of it */
  gboolean lost;
} EcnPacket;

/* Changes `came` and `lost`, which are `sent` and FALSE. */
typedef void (*EcnPath) (EcnPacket *p, RaRng *dice);

typedef struct
{
  RaEcn ecn;
  RaRng dice;
  EcnPath path;
  guint ms;
  guint64 sent, told; /* packets: sent; of which reports spoke */
  EcnPacket ring[KEPT];
  gboolean deaf;       /* no report comes */
  guint64 ect;         /* sent as ECT or CE */
  guint64 ect_failed;  /* the same while it had failed */
  guint64 congestion;  /* marks that count */
  guint failed_at;     /* ms, the first time; 0: it did not */
  guint64 ect_at_fail; /* sent as ECT or CE until then */
} EcnRun;

static inline RaTime
ecn_time (const EcnRun *r)
{
  return RA_SECOND + r->ms * (RaTime) RA_MSECOND;
}

static inline EcnRun *
ecn_run_new (EcnPath path, RaEcnField wanted, gboolean told, guint64 seed)
{
  EcnRun *r = g_new0 (EcnRun, 1);

  r->path = path;
  ra_ecn_init (&r->ecn, seed);
  ra_rng_init (&r->dice, seed, 7);
  ra_ecn_set (&r->ecn, wanted, told, ecn_time (r));
  return r;
}

static inline void
ecn_send (EcnRun *r)
{
  EcnPacket *p = &r->ring[r->sent % KEPT];

  *p = (EcnPacket){
    .n = r->sent++, .ms = r->ms, .sent = ra_ecn_on_send (&r->ecn, ecn_time (r))
  };
  p->came = p->sent == RA_ECN_UNSAID ? RA_ECN_ECT_0 : p->sent;
  if (p->sent != RA_ECN_NOT_ECT) {
    r->ect++;
    r->ect_failed += r->ecn.state == RA_ECN_FAILED;
  }
  if (r->path)
    r->path (p, &r->dice);
}

/* A report ends with the latest packet that came (RFC 8888 3.1). */
static inline void
ecn_hear (EcnRun *r)
{
  guint64 end = r->told;

  for (guint64 i = r->told; i < r->sent; i++) {
    const EcnPacket *p = &r->ring[i % KEPT];

    if (p->ms + RTT > r->ms)
      break;
    if (!p->lost)
      end = i + 1;
  }
  for (; r->told < end; r->told++) {
    const EcnPacket *p = &r->ring[r->told % KEPT];

    r->congestion
        += ra_ecn_on_answer (&r->ecn, p->sent, !p->lost, p->came, ecn_time (r));
  }
}

static inline void
ecn_run (EcnRun *r, guint ms)
{
  for (; r->ms < ms; r->ms += EVERY) {
    g_assert_cmpuint (r->sent - r->told, <, KEPT);
    ecn_send (r);
    if (r->ms % REPORT == 0 && !r->deaf)
      ecn_hear (r);
    if (r->ecn.failed > 0 && r->failed_at == 0) {
      r->failed_at = r->ms;
      r->ect_at_fail = r->ect;
    }
  }
}

/* --- paths ----------------------------------------------------------------- */

static inline gboolean
ecn_chance (RaRng *dice, gdouble p)
{
  return ra_rng_uniform (dice) < p;
}

static inline gboolean
ecn_is_ect (RaEcnField field)
{
  return field == RA_ECN_ECT_0 || field == RA_ECN_ECT_1;
}

static inline void
ecn_mark (EcnPacket *p, RaRng *dice, gdouble share)
{
  if (ecn_is_ect (p->sent) && ecn_chance (dice, share))
    p->came = RA_ECN_CE;
}

static inline void
ecn_path_usual (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, .01);
  p->lost = ecn_chance (dice, .01);
}

static inline void
ecn_path_bleach (EcnPacket *p, RaRng *dice)
{
  p->came = RA_ECN_NOT_ECT;
}
