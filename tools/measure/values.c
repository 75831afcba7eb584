/* What the result and its series are made of.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "values.h"

#include <math.h>

void
result_number (JsonBuilder *b, const gchar *name, gdouble value)
{
  if (name)
    json_builder_set_member_name (b, name);
  if (isfinite (value))
    json_builder_add_double_value (b, value);
  else
    json_builder_add_null_value (b);
}

/* Bytes that the encoder had made at `t`: of the last sample before. */
static gdouble
encoded_at (const Records *r, gint64 t)
{
  gdouble bytes = 0;

  for (guint i = 0; i < r->rates->len; i++) {
    const RateSample *s = &g_array_index (r->rates, RateSample, i);

    if (s->t > t)
      break;
    bytes = (gdouble) s->bytes;
  }
  return bytes;
}

gdouble
result_encoder_bps (const Records *r, gint64 from, gint64 until)
{
  if (r->rates->len == 0 || r->realtime)
    return (gdouble) NAN;
  return (encoded_at (r, until) - encoded_at (r, from)) * 8
      / ra_seconds (until - from);
}
