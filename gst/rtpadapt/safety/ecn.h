/* Whether the path and the receiver bear ECN, by what feedback says of each
 * packet (RFC 8888).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender may send ECT only while congestion marks can reach it (RFC 6679 7.2),
 * and stops where what it hears contradicts what it sent (7.4).  Packet by
 * packet the rule is short: what left as ECT comes as the same ECT or as CE, or
 * is lost.  To stop is always safe: routers then drop what they would have marked
 * (RFC 3168 5).
 *
 * - Testing: one packet in ten is ECT, as RFC 6679 7.2.1 and RFC 9000 13.4.2 want
 *   a few first; the others show whether ECT alone is lost.
 * - Capable: all are.
 * - Failed: none is.  After a minute there is another test, twice as late each
 *   time up to 16 min.
 *
 * A sender cannot see that a receiver hides a mark, as RFC 8311 3 took the nonce
 * away.  So some packets, at random, leave as CE already, as
 * draft-ietf-tcpm-accurate-ecn-34 5.3 proposes: the receiver cannot distinguish them
 * from those that the network marked, and they do not count as congestion.  A
 * receiver that hides half of all marks is found within some thousand packets, and
 * one that hides a tenth of them only by luck.
 */
#pragma once

#include <gst/rtpadapt/safety/skips.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* The values of the field, RFC 3168 5. */
typedef enum
{
  RA_ECN_NOT_ECT,
  RA_ECN_ECT_1,
  RA_ECN_ECT_0,
  RA_ECN_CE,
  RA_ECN_UNSAID, /* none of them: ECN is not ours to decide */
} RaEcnField;

typedef enum
{
  RA_ECN_OFF, /* not wanted, or feedback does not say how packets came */
  RA_ECN_TESTING,
  RA_ECN_CAPABLE,
  RA_ECN_FAILED,
} RaEcnState;

typedef enum
{
  RA_ECN_SOUND,
  RA_ECN_BLEACHED, /* ECT or CE came as not-ECT */
  RA_ECN_REMARKED, /* one ECT as the other, or not-ECT as anything else */
  RA_ECN_HIDDEN,   /* CE that we sent came as ECT */
  RA_ECN_ALL_CE,   /* nothing comes without a mark */
  RA_ECN_DROPPED,  /* ECT is lost, not-ECT is not */
} RaEcnFault;

/* Packets that were judged, and how many of them do not fit: the last `size` to
 * twice as many. */
typedef struct
{
  guint n, bad, before;
} RaEcnTally;

typedef struct
{
  RaEcnField wanted;   /* RA_ECN_NOT_ECT: ECN is not used */
  gboolean per_packet; /* feedback says with which field each packet came */
  RaEcnState state;
  RaEcnFault fault; /* the last one found */
  guint failed;     /* times */
  RaTime again;     /* when it failed: the next test */
  RaSkipDraw draw;  /* of the packets sent as CE */
  /* since the test began */
  guint sent, sound, clean, kept; /* sent; came as they were or CE; as ECT that
                                     left so; as CE that left so */
  RaEcnTally ect, marks;
  guint lost, plain;   /* ECT lost on end, not-ECT that came meanwhile */
  guint all_ce;        /* ECT that came as CE on end */
  RaTime all_ce_since; /* the first of them was reported */
  RaTime arrived;      /* when something was last said to have come */
  guint silent;        /* ECT sent since then */
  /* ever */
  guint64 n_ect, n_ce; /* sent as ECT or CE; came marked by the network */
} RaEcn;

/* Whoever guesses `seed` knows which packets are sent as CE. */
void ra_ecn_init (RaEcn *e, guint64 seed);
/* `wanted`: RA_ECN_ECT_0 or RA_ECN_ECT_1; any other value turns ECN off.
 * `per_packet`: feedback says how each packet came.  Another value of either starts
 * a new test. */
void ra_ecn_set (RaEcn *e, RaEcnField wanted, gboolean per_packet, RaTime now);
/* Returns the ECN field of the next packet.  The caller must send it so. */
RaEcnField ra_ecn_on_send (RaEcn *e, RaTime now);
/* News of a packet that left as `sent`, in order of sending: it came, with the
 * field `came`, or is lost so far.  TRUE: it came with a mark of the network's,
 * which is congestion.  A mark on what left as not-ECT is none (RFC 3168 5). */
gboolean ra_ecn_on_answer (
    RaEcn *e, RaEcnField sent, gboolean arrived, RaEcnField came, RaTime now);

/* "off", "testing", "capable", "failed". */
const gchar *ra_ecn_state_nick (RaEcnState state);
/* "none", "bleached", "remarked", "ce-hidden", "all-ce", "dropped". */
const gchar *ra_ecn_fault_nick (RaEcnFault fault);

G_END_DECLS
