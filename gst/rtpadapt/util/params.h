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

/* One row of a table; a row whose name is NULL ends it.  The value is a gdouble
 * at `offset` of the instance, or an RaSchedule if `is_schedule`.
 *
 *   { "min-range", RA_AT (RaSpike, min_range), .def = .02, RA_PAPER (0),
 *       .max = 10, .unit = "s", .text = "the range counts as at least this" },
 *
 * A row may stand for the table of a part of the instance.  The rows of that
 * table then count as if they stood here, with `name` before their names:
 *
 *   { "spike-", RA_TABLE (Zbs, spike, ra_spike_params) },
 */
typedef struct _RaParam RaParam;
struct _RaParam
{
  const gchar *name;
  gsize offset;
  gboolean is_schedule; /* "3M,20s:1.5M": a value and its later changes */
  gdouble def;          /* what we run on real video */
  gdouble paper;        /* what the paper printed, if that is not `def` */
  gboolean has_paper;
  gdouble min, max;
  const gchar *unit; /* "s", "bit/s", "bytes", "packets", "pkt/s", "Hz"; NULL
                        and "": none */
  const gchar *text;
  const gchar *example; /* of a link model: a value to run it with, of a
                           parameter without a default.  NULL: none is needed */
  const RaParam *table; /* NULL: a parameter */
};

/* Sets `offset` and `is_schedule`; a field of another type does not compile. */
#define RA_AT(Type, field)                 \
  .offset = G_STRUCT_OFFSET (Type, field), \
  .is_schedule = _Generic(((Type *) NULL)->field, gdouble : 0, RaSchedule : 1)
/* The paper's value; a row without it has that of `def`. */
#define RA_PAPER(value) .paper = (value), .has_paper = TRUE
/* The part at `field` has the parameters of `rows`. */
#define RA_TABLE(Type, field, rows) \
  .offset = G_STRUCT_OFFSET (Type, field), .table = (rows)

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

/* Steps through a table and the tables inside it. */
#define RA_PARAM_DEPTH 4
#define RA_PARAM_NAME_MAX 64
typedef struct
{
  const RaParam *rows[RA_PARAM_DEPTH]; /* next of each table that is open */
  gsize offset[RA_PARAM_DEPTH];        /* of its part */
  gsize prefix[RA_PARAM_DEPTH];        /* length, in `name` */
  guint depth;
  gchar name[RA_PARAM_NAME_MAX];
  RaParam row;
} RaParamWalk;

/* Starts at the first row of `params`.  Here and below, `params` may be NULL:
 * there are no parameters. */
RaParamWalk ra_params_walk (const RaParam *params);
/* The next parameter, with its whole name, its offset in the instance, its
 * paper's value and its unit; valid until the next call.  NULL at the end. */
const RaParam *ra_params_next (RaParamWalk *walk);

/* Writes every default into `instance`. */
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
