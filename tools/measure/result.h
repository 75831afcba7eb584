/* The result of a run: the only place that knows its keys.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "path.h"
#include "picture.h"
#include "shown.h"

G_BEGIN_DECLS

typedef struct
{
  Records *records;
  gdouble warmup;
  Shown shown;
  gdouble residual_loss; /* NaN: no RTP */
  Path *path;            /* or NULL */
  PathScore path_score;
  PathSettle path_settle;
  Pictures pictures;
} Result;

/* (transfer full) */
gchar *result_to_json (const Result *x);

G_END_DECLS
