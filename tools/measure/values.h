/* What the result and its series are made of.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "records.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Mean rate of what the encoder made; NaN: not known. */
gdouble result_encoder_bps (const Records *r, gint64 from, gint64 until);

/* `value`, or null if it is NaN. */
void result_number (JsonBuilder *b, const gchar *name, gdouble value);

G_END_DECLS
