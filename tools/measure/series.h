/* The result of a run over time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "result.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* "series": {...}, in bins of half a second from the start on. */
void result_series (const Result *x, JsonBuilder *b);

G_END_DECLS
