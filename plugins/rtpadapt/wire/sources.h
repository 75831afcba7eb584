/* How many SSRCs rtpsession gets to hear of, and how often each may report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession (1.22) keeps a source of every SSRC that a report, an SDES chunk or
 * a list of CSRCs names, for 25 s or more (RFC 3550 6.3.5), and each compound
 * costs it, and the rate control behind it, some time with their locks held.
 * Without a key anybody who writes the peer's address on his packets could make
 * it keep millions.  So there are places for SOURCES_MAX; a new one gets that of
 * one that was silent for PEER_STALE, or none.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* More than the streams of a peer, and than the receivers that one sender can
 * answer to. */
#define SOURCES_MAX 64
/* Compounds of one SSRC.  rtpadaptsrc's RTCP bandwidth lets a report go each
 * 8 ms, 126 a second. */
#define SOURCES_RATE 200
/* As many at once: what waits while a process is held up for half a second. */
#define SOURCES_BURST 100
/* Transport-wide feedback about so many packets counts as one compound more: a
 * run of 8,191 takes two bytes in it, and rtpsession makes a GstStructure of
 * each.  At 20 Mbit/s 2,000 packets are sent a second. */
#define SOURCES_TWCC 64
/* The same of packets that are asked for again: rtpsession makes an event of each. */
#define SOURCES_NACK 16

typedef struct _Sources Sources;

/* (transfer full): sources_free(), which takes NULL, too. */
Sources *sources_new (void);
void sources_free (Sources *sources);

/* Judges a compound that is RTP_MUX_RTCP.  FALSE: drop it.  `sent` is 1 more than
 * the last transport-wide number that left; 0: none did.  Transport-wide feedback
 * is dropped, too, if it reports numbers that have not left yet, or none that is
 * newer than the newest one reported: rtpsession keeps a row for each number that
 * feedback reports, until feedback about numbers that it did send comes. */
gboolean sources_rtcp_may_pass (
    Sources *sources, const guint8 *data, gsize size, guint64 sent, RaTime now);
/* The same for the CSRCs of what is RTP_MUX_RTP. */
gboolean sources_rtp_may_pass (
    Sources *sources, const guint8 *data, gsize size, RaTime now);
/* Packets that were not let pass. */
guint64 sources_dropped (const Sources *sources);

G_END_DECLS
