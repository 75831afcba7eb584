/* A line of recorded capacity behind a droptail queue: mahimahi's traces
 * (Netravali, Sivaraman, Das, Goyal, Winstein, Mickens, Balakrishnan, 2015,
 * Mahimahi: Accurate Record-and-Replay for HTTP, USENIX ATC; mm-link(1)).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each line of the file is a whole number of ms, never falling: at that time
 * after the start, 1504 bytes may leave.  After the last line the file starts
 * again.  What is queued shares an opportunity, and a packet may need several;
 * it leaves with its last byte.  What an empty queue leaves of an opportunity
 * is lost; a packet that comes at the very time misses it.
 *
 * Unlike in mm-link the packet being sent counts as queued.
 */
#include <gst/rtpadapt/link/fifo.h>
#include <gst/rtpadapt/link/schedule.h>

#define OPPORTUNITY 1504 /* bytes, as in mm-link */
#define MS_MAX 1000000000

typedef struct
{
  RaNode node;
  gdouble queue, packets, bytes; /* limits; queue in s */

  guint32 *ms; /* the file's lines */
  guint n;

  RaLinkFifo fifo;
  guint64 inside; /* bytes in fifo */
  guint64 tail;   /* the opportunity that sends the last byte of fifo */
  guint left;     /* bytes of that opportunity nobody has taken */
} Trace;

/* The line at *p, which moves on behind it. */
static gboolean
line_parse (const gchar **p, guint32 last, guint32 *ms)
{
  gchar *end;
  guint64 value = g_ascii_strtoull (*p, &end, 10);

  if (!g_ascii_isdigit (**p) || value < last || value > MS_MAX)
    return FALSE;
  *ms = (guint32) value;
  end += *end == '\r';
  *p = end + (*end == '\n');
  return *end == '\n' || *end == '\0';
}

static gboolean
trace_load (RaNode *n, const gchar *text, gsize length, GError **error)
{
  Trace *t = (Trace *) n;
  const gchar *end = text + length;
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 ms = 0;

  while (text < end && line_parse (&text, ms, &ms))
    g_array_append_val (lines, ms);
  if (text < end || ms == 0) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_FILE,
        "line %u: expected whole ms, not falling, above 0 at the end, up to %d",
        lines->len + (text < end || !lines->len), MS_MAX);
    g_array_free (lines, TRUE);
    return FALSE;
  }
  g_free (t->ms);
  t->n = lines->len;
  t->ms = (guint32 *) (gpointer) g_array_free (lines, FALSE);
  return TRUE;
}

static gboolean
trace_init (RaNode *n, GError **error)
{
  if (!((Trace *) n)->ms) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "file= is missing");
    return FALSE;
  }
  return TRUE;
}

/* When opportunity i is. */
static RaTime
opportunity_time (const Trace *t, guint64 i)
{
  guint64 ms = i / t->n * t->ms[t->n - 1] + t->ms[i % t->n];

  return ra_later (
      t->node.start, (RaSpan) MIN (ms, G_MAXINT64 / RA_MSECOND) * RA_MSECOND);
}

/* How many opportunities there are until `since` the start, included. */
static guint64
opportunities (const Trace *t, RaTime since)
{
  guint64 ms = since / RA_MSECOND, rest = ms % t->ms[t->n - 1];
  guint low = 0, high = t->n;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (t->ms[middle] <= rest)
      low = middle + 1;
    else
      high = middle;
  }
  return ms / t->ms[t->n - 1] * t->n + low;
}

static gboolean
fits (const Trace *t, guint size)
{
  gdouble bytes = (gdouble) (t->inside + size);
  gdouble mean = t->n * (OPPORTUNITY * 1e3) / t->ms[t->n - 1];

  return t->fifo.n == 0
      || ((t->queue <= 0 || bytes <= t->queue * mean)
          && (t->packets <= 0 || t->fifo.n + 1 <= t->packets)
          && (t->bytes <= 0 || bytes <= t->bytes));
}

static void
trace_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Trace *t = (Trace *) n;
  guint64 next = opportunities (t, (RaTime) ra_node_since_start (n, now));
  guint64 size = MAX (p->size, 1); /* also nothing waits for its turn */
  RaLinkPacket inside = *p;
  RaTime at;

  if (!fits (t, p->size)) {
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
    return;
  }
  if (t->fifo.n == 0 || t->tail < next) {
    t->tail = next;
    t->left = OPPORTUNITY;
  }
  if (size > t->left) {
    guint64 more = (size - t->left + OPPORTUNITY - 1) / OPPORTUNITY;

    t->tail += more;
    t->left += (guint) (more * OPPORTUNITY);
  }
  t->left -= (guint) size;
  at = opportunity_time (t, t->tail);
  inside.queued += ra_diff (at, now);
  t->inside += p->size;
  ra_link_fifo_push (&t->fifo, &inside, at);
}

static RaTime
trace_next (const RaNode *n)
{
  return ra_link_fifo_next (&((const Trace *) n)->fifo);
}

static void
trace_run (RaNode *n, RaTime now)
{
  Trace *t = (Trace *) n;

  while (ra_link_fifo_next (&t->fifo) <= now && t->fifo.n) {
    RaLinkItem item = ra_link_fifo_pop (&t->fifo);

    t->inside -= item.p.size;
    ra_node_forward (n, &item.p, now);
  }
}

static void
trace_clear (RaNode *n)
{
  Trace *t = (Trace *) n;

  ra_link_fifo_clear (&t->fifo, n);
  t->inside = 0;
}

static void
trace_free (RaNode *n)
{
  g_free (((Trace *) n)->ms);
}

static guint
trace_held (const RaNode *n)
{
  return ((const Trace *) n)->fifo.n;
}

/* No single opportunity is a rate: the mean over the second to come. */
static guint64
trace_capacity (const RaNode *n, RaTime now)
{
  const Trace *t = (const Trace *) n;
  RaTime from = (RaTime) ra_node_since_start (n, now),
         to = ra_later (from, RA_SECOND);

  return (opportunities (t, to) - opportunities (t, from)) * OPPORTUNITY * 8;
}

static void
trace_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const Trace *t = (const Trace *) n;
  RaTime now = ra_node_now (n);
  RaTime last = t->fifo.n ? opportunity_time (t, t->tail) : now;

  emit ("queue", ra_seconds (ra_diff (last, now)), data); /* until empty */
  emit ("packets", t->fifo.n, data);
  emit ("bytes", (gdouble) t->inside, data);
  emit ("rate", (gdouble) trace_capacity (n, now), data);
}

static const RaParam trace_params[] = {
  /* RFC 8867 4.2: 300 ms; mm-link: no limit */
  { "queue", RA_AT (Trace, queue), .def = 0.3, RA_PAPER (0), .max = 3600,
      .unit = "s",
      .text = "longest queue in time at the file's "
              "mean rate; 0: not limited by this" },
  { "packets", RA_AT (Trace, packets), .def = 0, .max = 1e9, .unit = "packets",
      .text = "most inside; 0: no limit" },
  { "bytes", RA_AT (Trace, bytes), .def = 0, .max = 1e12, .unit = "bytes",
      .text = "most inside; 0: no limit" },
  { NULL },
};

const RaNodeOps ra_link_trace = {
  .name = "trace",
  .cite = "Netravali et al. 2015; mm-link(1)",
  .needs = "file=, in mahimahi's format",
  .use = "a bottleneck whose rate is read from a file, e.g. of a cellular line",
  .size = sizeof (Trace),
  .params = trace_params,
  .positional = "file",
  .load = trace_load,
  .init = trace_init,
  .push = trace_push,
  .next = trace_next,
  .run = trace_run,
  .clear = trace_clear,
  .free = trace_free,
  .held = trace_held,
  .capacity = trace_capacity,
  .observe = trace_observe,
};
