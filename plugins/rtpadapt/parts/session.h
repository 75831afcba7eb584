/* The RTPSession inside the rtpsession or rtpbin that one of our pads feeds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The rtpsession downstream of `srcpad`, through all that has pads and into bins.
 * Its property internal-session is the object whose signals announce RTCP
 * (on-feedback-rtcp, on-app-rtcp, on-sending-rtcp, ...).  That object calls the
 * element back, so it must not be used longer than the element lives.  (transfer
 * full), or NULL if there is none yet. */
GstElement *session_element_downstream (GstPad *srcpad);

/* TRUE if it answers in time: profile AVPF or SAVPF (RFC 4585). */
gboolean session_is_avpf (GObject *session);

/* For rtpsession a peer that moves, and moves back, is two with the same SSRC,
 * and it drops the packets of one of them (RFC 3550 8.2).  Takes the sender's
 * address off, for where somebody else has decided who may speak.
 * (transfer full) both. */
GstBuffer *session_forget_sender (GstBuffer *buffer);

/* Has it keep no feedback that came.  By default rtpsession (1.22) keeps that of
 * 2 s and more, and looks through all of it for each that comes: a flood takes
 * minutes.  All it is good for is to keep back a PLI that another receiver just
 * sent. */
void session_keep_no_feedback (GObject *session);

/* Connects `f` to a signal of a session, which may outlive `owner` and be in
 * the midst of the signal when that goes: the data of `f` is a GWeakRef of
 * it. */
gulong session_connect (
    GObject *session, const gchar *signal, GCallback f, gpointer owner);

G_END_DECLS
