/* How much RTCP goes back, and to whom.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An attacker who forges an address could make us send packets there.  So
 *   - a host gets one packet for each two that came from it, and ANSWERS_SAVED at
 *     once: a stream of some size has a request for each loss and a report for each
 *     frame.  Beyond that ANSWERS_RATE packets leave per second, and ANSWERS_BURST
 *     more at once, so that no second has more than 110 and half of what came.  A
 *     quarter of the burst and half of what is saved are only for what says what came:
 *     a request is made again, but of packets in a report that did not leave the sender
 *     never learns that they were lost;
 *   - a host gets no more bytes than came from it, with the headers of IP and UDP,
 *     unless an authentic packet came from it within ANSWERS_PROVEN.  A stream is
 *     always far bigger than the reports about it.  A host's credit is at most
 *     ANSWERS_KEEP bytes, which lasts for some minutes of reports while it is
 *     silent.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gio/gio.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A report for each of 60 frames, and 20 more. */
#define ANSWERS_RATE 80
#define ANSWERS_BURST 20
#define ANSWERS_RESERVE (ANSWERS_BURST / 4)
#define ANSWERS_SAVED 10
#define ANSWERS_KEEP 65536
#define ANSWERS_PROVEN (60 * RA_SECOND)
/* Hosts that are remembered.  A new one takes the place of the one that has been
 * silent for longest, but not of the one that the last answer was for. */
#define ANSWERS_HOSTS 16
/* The headers of IPv6 and UDP. */
#define ANSWERS_HEADERS 48

typedef struct _Answers Answers;

/* (transfer full): answers_free(), which takes NULL, too. */
Answers *answers_new (void);
void answers_free (Answers *a);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Answers, answers_free)

/* A packet of `size` bytes came from `from`. */
void answers_heard (Answers *a, GSocketAddress *from, gsize size,
    gboolean authentic, RaTime now);
/* FALSE: a packet of `size` bytes may not leave for `to`, which is NULL where no
 * address is known.  `feedback`: it has more than reports, descriptions and requests. */
gboolean answers_may_leave (
    Answers *a, GSocketAddress *to, gsize size, gboolean feedback, RaTime now);
/* How many packets were not allowed to leave. */
guint64 answers_dropped (const Answers *a);

G_END_DECLS
