/* A hold on the RTPSession that an element feeds: found, connected to, asked for
 * RTCP, let go.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An RTPSession calls back the rtpsession around it, so it must not be used longer
 * than that element lives: what is kept is the element, weakly.
 *
 * A search may block.  It is three calls: tap_plan() with the owner's lock,
 * tap_find() without it, tap_take() with it; tap_end() follows without it.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define TAP_HANDLERS_MAX 2

/* A handler of a signal of RTPSession.  Its data is a GWeakRef of the owner. */
typedef struct
{
  const gchar *signal;
  GCallback handler;
} TapHandler;

typedef struct
{
  GWeakRef element;             /* the rtpsession */
  gulong ids[TAP_HANDLERS_MAX]; /* of handlers; all 0: none are connected */
  gboolean stale;               /* it may be another session: search */
  guint n_drops;
} SessionTap;

/* An rtpsession and handlers in it, held by one thread. */
typedef struct
{
  GstElement *element; /* (transfer full), or NULL */
  gulong ids[TAP_HANDLERS_MAX];
} TapLink;

typedef struct
{
  TapLink before, found;
  gboolean avpf; /* the profile of what was found is AVPF or SAVPF */
  guint n_drops;
} TapSearch;

/* What a search came to. */
typedef enum
{
  TAP_LATE,  /* tap_drop() came meanwhile: nothing is taken */
  TAP_NONE,  /* nothing is there; what was connected stays, and is stale */
  TAP_SAME,  /* the one that was known */
  TAP_OTHER, /* the tap holds another one */
} TapResult;

void tap_init (SessionTap *tap);
/* tap_drop() came before, or the owner goes. */
void tap_clear (SessionTap *tap);

/* The lock is held.  It may be another session: a search is due. */
void tap_lose (SessionTap *tap);
/* The lock is held.  A search begins, so it is not stale any more. */
TapSearch tap_plan (SessionTap *tap);
/* The lock is not held.  Looks downstream of `srcpad`; connects `n` handlers of
 * `owner` to a session that is new. */
void tap_find (TapSearch *s, GstPad *srcpad, const TapHandler *handlers,
    guint n, gpointer owner);
/* The lock is held. */
TapResult tap_take (SessionTap *tap, TapSearch *s);
/* The lock is not held.  Disconnects what is left over. */
void tap_end (TapSearch *s);

/* The lock is held.  Lets the session go; tap_link_cut() does the rest. */
TapLink tap_drop (SessionTap *tap);
/* The lock is not held. */
void tap_link_cut (TapLink *link);

/* The lock is held.  TRUE as long as handlers are connected. */
gboolean tap_is_on (const SessionTap *tap);
/* The rtpsession (transfer full), or NULL. */
GstElement *tap_element (SessionTap *tap);

/* The lock is not held.  Asks the session in `element` (transfer full) for an RTCP
 * packet within `delay`.  FALSE: RFC 4585 3.5.2 does not allow one. */
gboolean tap_ask_rtcp (GstElement *element, RaSpan delay);
/* The lock is not held.  Has the session in `element` answer with transport-wide
 * feedback so often (twcc-feedback-interval); RA_SPAN_NONE: at the end of a frame.
 * `ours`: what this returned before, RA_SPAN_NONE at first; what the application has
 * set stays.  Returns the interval that is ours now, RA_SPAN_NONE if none is. */
RaSpan tap_set_twcc_interval (
    GstElement *element, RaSpan interval, RaSpan ours);

G_END_DECLS
