/* The result of a run: the only place that knows its keys.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "path.h"
#include "picture.h"
#include "view.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  Records *records;
  gdouble warmup;
  View view;
  gdouble residual_loss; /* NaN: no RTP */
  Path *path;            /* or NULL */
  PathScore path_score;
  PathSettle path_settle;
  Pictures pictures;
} Result;

/* (transfer full) */
gchar *result_to_json (const Result *x);

/* "series": {...}, in bins of half a second from the start on. */
void result_series (const Result *x, JsonBuilder *b);

/* Mean rate of what the encoder made; NaN: not known. */
gdouble result_encoder_bps (const Records *r, gint64 from, gint64 until);

/* `value`, or null if it is NaN. */
void result_number (JsonBuilder *b, const gchar *name, gdouble value);

G_END_DECLS
