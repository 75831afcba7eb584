/* The payloaders upstream of rtpadaptsend that leave RTP numbers out.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A search may block.  It is three calls: plan with the owner's lock, do without
 * it, take with it; end follows without the lock.  The lock is held for all other
 * calls.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zeroed memory is ready. */
typedef struct
{
  gboolean stale;      /* other elements may stand around us: search */
  gboolean renumbered; /* behind us: what arrives has other numbers */
  GPtrArray *driven;   /* of Skipper, or NULL */
  guint n_stops;
} Skippers;

typedef struct
{
  gboolean wanted;     /* numbers are to be left out */
  gboolean renumbered; /* as in Skippers */
  GPtrArray *driven;   /* before do those before, then those found, or NULL */
  guint n_stops;
} SkippersJob;

/* Leaves out no more; what is planned and not yet taken is dropped.
 * (transfer full): to be unreferenced without the lock, or NULL. */
GPtrArray *skippers_stop (Skippers *s);

/* Other elements may stand upstream: a search is due. */
void skippers_on_upstream_changed (Skippers *s);
/* FALSE: no search is due. */
gboolean skippers_plan (Skippers *s, gboolean wanted, SkippersJob *job);
/* `sinkpad` and `srcpad` are the owner's. */
void skippers_do (SkippersJob *job, GstPad *sinkpad, GstPad *srcpad);
void skippers_take (Skippers *s, SkippersJob *job);
void skippers_end (SkippersJob *job);

/* One number is left out in `interval` packets; 0: none. */
void skippers_set (const Skippers *s, guint interval);

G_END_DECLS
