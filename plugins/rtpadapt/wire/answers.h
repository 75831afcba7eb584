/* How much RTCP goes back, and to whom.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whoever forges an address could have us send there.  So
 *   - ANSWERS_RATE packets leave in a second, and ANSWERS_BURST more at once: no
 *     second has more than 100.  A quarter of the burst is for those that have
 *     feedback in them;
 *   - a host gets no more bytes than came from it, with the headers of IP and UDP,
 *     unless an authentic packet came from it within ANSWERS_PROVEN.  A stream is
 *     always far bigger than the reports about it.  Bytes are kept up to
 *     ANSWERS_KEEP, which is some minutes of reports into silence.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gio/gio.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A report for each of 60 frames, and 20 beside. */
#define ANSWERS_RATE 80
#define ANSWERS_BURST 20
#define ANSWERS_RESERVE (ANSWERS_BURST / 4)
#define ANSWERS_KEEP 65536
#define ANSWERS_PROVEN (60 * RA_SECOND)
/* Hosts that are kept; the one that is silent for longest leaves. */
#define ANSWERS_HOSTS 16
/* IPv6 and UDP. */
#define ANSWERS_HEADERS 48

typedef struct _Answers Answers;

/* (transfer full): answers_free(), which takes NULL, too. */
Answers *answers_new (void);
void answers_free (Answers *a);

/* A packet of `size` bytes came. */
void answers_heard (Answers *a, GSocketAddress *from, gsize size,
    gboolean authentic, RaTime now);
/* FALSE: drop what would leave for `to`, which is NULL where nobody is known.
 * `feedback`: it is more than reports and descriptions. */
gboolean answers_may_leave (
    Answers *a, GSocketAddress *to, gsize size, gboolean feedback, RaTime now);
/* Packets that might not leave. */
guint64 answers_dropped (const Answers *a);

G_END_DECLS
