/* Sender and receiver of one run: two pipelines over UDP loopback, the
 * emulated link between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "frames.h"
#include "record.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *clip, *dir, *controller, *controller_params, *lda, *lda_params, *link;
  gchar *fec; /* rule; NULL or "none": without repair */
  gint64 seed;
  gdouble seconds, warmup;
  gint port; /* of RTP; 0: any that is free */
  gint max_bitrate;
} Options;

typedef struct _Stream Stream;

/* NULL and one clear sentence if an element, a port or the link's text is
 * wrong.  Takes nothing over; all must outlive it. */
Stream *stream_new (const Options *o, const Clip *clip, Frames *frames,
    Record *record, GError **error);
void stream_free (Stream *s);

/* Streams until `loop` quits; FALSE and `error` if a pipeline failed.  The
 * source falls silent at `seconds`. */
gboolean stream_play (Stream *s, GMainLoop *loop, GError **error);
/* The source falls silent now; the main loop ends when the last packets are
 * through. */
void stream_finish (Stream *s);
/* When the source fell silent. */
RaTime stream_end (Stream *s);

G_END_DECLS
