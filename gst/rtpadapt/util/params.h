/* Parameters of an algorithm: one table, from which properties, tools and
 * documentation are derived.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_PARAM_ERROR (ra_param_error_quark ())
GQuark ra_param_error_quark (void);

typedef enum
{
  RA_PARAM_ERROR_UNKNOWN, /* no such parameter */
  RA_PARAM_ERROR_VALUE,   /* not a number, wrong unit or out of range */
} RaParamError;

/* A word as an error message shows it: valid UTF-8, and the beginning of a long
 * one.  (transfer full) */
gchar *ra_word_shown (const gchar *word);

/* One row; a table ends with a row whose name is NULL.  The value is a gdouble
 * at `offset` of the instance, or an RaSchedule if `is_schedule`. */
typedef struct
{
  const gchar *name;
  gsize offset;
  gdouble def; /* what we run on real video */
  gdouble
      paper; /* what the paper printed; equals def where video is no issue */
  gdouble min, max;
  const gchar *unit; /* "", "s", "bit/s", "bytes", "packets", "pkt/s", "Hz" */
  const gchar *text;
  gboolean
      is_schedule; /* "3M,20s:1.5M,40s:3M": a value and its later changes */
} RaParam;

/* A value that changes at given times after the start; plain data. */
#define RA_SCHEDULE_MAX 64
typedef struct
{
  guint n; /* at least 1 */
  RaSpan at[RA_SCHEDULE_MAX];
  gdouble value[RA_SCHEDULE_MAX];
} RaSchedule;

/* The value at `since_start` (>= 0). */
gdouble ra_schedule_at (const RaSchedule *s, RaSpan since_start);
/* When the value changes next after `since_start`, or RA_SPAN_NONE. */
RaSpan ra_schedule_next (const RaSchedule *s, RaSpan since_start);

/* Writes every default into `instance`.  `params` may be NULL (no parameters),
 * here and below. */
void ra_params_init (gpointer instance, const RaParam *params);
/* Writes the paper's own values. */
void ra_params_paper (gpointer instance, const RaParam *params);

/* Sets one from text: a number with an optional decimal prefix (k, M, G) and
 * an optional unit; times take ns, us, ms, s (bare: s), rates k, M, G (bare:
 * bit/s), probabilities also "5%".  On error nothing changes. */
gboolean ra_params_set (gpointer instance, const RaParam *params,
    const gchar *name, const gchar *value, GError **error);

/* "alpha=0.5,window=10s"; the word "paper" sets every parameter to the paper's
 * value.  Words are separated by commas or blanks.  NULL and "" do nothing.
 * All or nothing: `size` bytes of `instance` are restored on error. */
gboolean ra_params_parse (gpointer instance, gsize size, const RaParam *params,
    const gchar *text, GError **error);

/* The current values as "name=value,..." that ra_params_parse() takes back.
 * (transfer full) */
gchar *ra_params_to_string (gconstpointer instance, const RaParam *params);

G_END_DECLS
