/* What a TCP would get here, were every loss congestion that is not shown to be the
 * radio's (safety/evidence.h): the bound that no verdict of an LDA can lift.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RFC 8083 4.3: the mean fraction lost p over the last CB_INTERVAL reports and
 * the simplified equation, X = s / (Tr * sqrt (2 p / 3)).  Its breaker trips
 * above 10 X.  Here both it and the bound take the X at what of p is neither shown to
 * be the radio's nor its noise, which is more than the RFC's; a rate held below `cap`
 * times that X with cap < 10 cannot trip this breaker.
 *
 * What keeps a queue full loses fewer packets than that X allows, so that a cap
 * near 10 would leave a TCP in that queue nothing.  The losses there are ours to
 * answer, whatever an LDA says: as the RTT shows that a queue stands, the cap
 * falls to RA_FRIENDLY_STANDING.  A peer can take 8 % off an RTT (peerdelay.h).  A path
 * or a peer that delays all packets alike hides a queue, and so does a queue that stood
 * before we began.  Behind less than some 50 ms a TCP gains little
 * (tests/trust/harm.csv).
 *
 * RFC 8083 thinks of receiver reports.  Ours are many per RTT; they are taken
 * together to one report per second (Tdr, or the interval of the reports if
 * that is longer), and the current second counts as far as it is known.
 */
#pragma once

#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

#define RA_FRIENDLY_INTERVALS 16 /* CB_INTERVAL is 3 to 15 */
/* With one TCP that is two thirds of the line, which leaves the TCP two thirds of
 * its fair share. */
#define RA_FRIENDLY_STANDING 2

typedef struct
{
  RaTime start;
  RaSpan length; /* up to the latest report in it, without a pause */
  guint64 expected, lost, ce;
  guint64 events; /* what is lost or marked in one round trip is one */
} RaFriendlyInterval;

typedef struct
{
  RaFriendlyInterval ring[RA_FRIENDLY_INTERVALS];
  guint n;            /* in use, the last of them is the current one */
  guint head;         /* the oldest */
  guint n_ended;      /* since the beginning */
  RaSpan tr;          /* smoothed, 0 unknown */
  RaSpan tdr;         /* length of an interval */
  RaSpan silent;      /* of the current one the source sent nothing */
  RaWinMin base;      /* RTT, s */
  gdouble queue;      /* Tr above the shortest of late, s */
  gboolean met_queue; /* one that stands, if for a moment */
  guint cb_interval;
  gdouble p;          /* mean fraction lost or marked */
  gdouble gone;       /* mean fraction lost */
  gdouble full;       /* a full packet over the mean one, at least 1 */
  gdouble radio;      /* of p, shown to be the radio's */
  gdouble dispersion; /* of its losses, 1: single ones; 0: we are not alone */
  gdouble x_raw;      /* bytes/s, at p; Infinity without loss */
  gdouble x;          /* bytes/s, at p - radio */
  gdouble x_cubics;   /* bytes/s, of four CUBICs at the loss events */
  RaTime t_event;     /* the last of these */
  gdouble x_known;    /* the largest X in force in the current interval, */
  gdouble x_ended;    /* and in the one before */
} RaFriendly;

/* X in bytes/s for packets of `s` bytes if the share `p` of them is lost.  It is
 * infinite if none is lost or `tr` is not known. */
gdouble ra_friendly_x (gdouble s, RaSpan tr, gdouble p);
void ra_friendly_init (RaFriendly *f);
/* Forgets the losses, which say nothing after a silence.  The shortest round trip
 * and `full` are kept. */
void ra_friendly_forget (RaFriendly *f);
/* A full packet is `full` times as large as the mean one; 1 at first, and for what is
 * less. */
void ra_friendly_set_full (RaFriendly *f, gdouble full);
/* The route is longer: the shortest round trip begins again. */
void ra_friendly_rebase (RaFriendly *f);
/* Of p, the share `radio` is shown to be the radio's.  `dispersion` of its losses: 1 for
 * single ones, more for bursts; 0: others share the path. */
void ra_friendly_set_radio (RaFriendly *f, gdouble radio, gdouble dispersion);
/* `s` is the mean packet size in bytes, `tf` the frames' interval (0: none).
 * TRUE if an interval ended with this report. */
gboolean ra_friendly_on_report (
    RaFriendly *f, const RaReport *report, gdouble s, RaSpan tf, RaTime now);
/* Between `from` and `now` the source sent nothing, though it might have. */
void ra_friendly_on_silence (RaFriendly *f, RaTime from, RaTime now);
/* How much longer `rtt` is than the shortest one of late, s; Infinity if it is
 * not known. */
gdouble ra_friendly_waited (const RaFriendly *f, RaSpan rtt, RaTime now);
/* The bound in bit/s if every loss were congestion: as ra_friendly_cap(), but of
 * the X of all losses. */
guint64 ra_friendly_raw (const RaFriendly *f, gdouble cap);
/* The bound in bit/s: `cap` times X.  Where a queue stands and `cap` is more than
 * RA_FRIENDLY_STANDING, it is that many times the X of full packets.  G_MAXUINT64
 * without loss, or for cap 0 (no bound). */
guint64 ra_friendly_cap (const RaFriendly *f, gdouble cap);
/* The bound in bit/s for a controller that wants `wanted` bit/s: ra_friendly_cap(),
 * or where a queue stands what four CUBICs that saw the same loss events would have,
 * if that is more.  A controller that asks for more than twice of that does not answer
 * such events as a TCP does, and has what all its losses leave. */
guint64 ra_friendly_bound (const RaFriendly *f, gdouble cap, guint64 wanted);
/* TRUE if a rate of `bps`, sent in the interval that just ended, exceeds 10 X:
 * breaker 3.  X is the largest that the sender could know of in that time.
 * Never before more than CB_INTERVAL intervals are known. */
gboolean ra_friendly_exceeded (const RaFriendly *f, guint64 bps);

G_END_DECLS
