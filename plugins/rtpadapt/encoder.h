/* The encoder upstream: finding it and setting its bitrate in its own unit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What is known about an encoder; those whose bitrate really changes while
 * they run are in the table of encoder.c. */
typedef struct
{
  const gchar *factory;
  const gchar *property;
  guint unit;       /* bit/s */
  guint step;       /* bit/s that the encoder tells apart */
  guint min_change; /* percent below which it is left alone */
} EncoderRow;

/* NULL if the factory is not in the table. */
const EncoderRow *encoder_row (GstElement *element);

/* The first known encoder upstream of `sinkpad`, through payloaders, parsers,
 * filters, queues and bins.  (transfer full), or NULL. */
GstElement *encoder_find_upstream (GstPad *sinkpad);
/* The element of that name in the same top-level bin as `element`.
 * (transfer full), or NULL. */
GstElement *encoder_find_named (GstElement *element, const gchar *name);

/* Sets `bps` unless it is within min_change of `last` (bit/s, 0: never set).
 * Returns what the encoder has now, bit/s.  May block for a frame. */
guint64 encoder_set (GstElement *encoder, guint64 bps, guint64 last);

G_END_DECLS
