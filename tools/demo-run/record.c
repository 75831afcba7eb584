/* What happened in a run.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "record.h"

#include <math.h>

#define BIN (100 * RA_MSECOND)    /* of the series */
#define AGREEMENT (5 * RA_SECOND) /* encoder against wire, over any of these */
/* After the warm-up and after each change of capacity. */
#define SETTLING (5 * RA_SECOND)

typedef enum
{
  SENT,
  ARRIVED,
  LOST,
  VERDICT,
  RATES
} Kind;

typedef struct
{
  Kind kind;
  RaTime t;
  guint16 seqnum;
  guint size, media;
  RaSpan owd; /* of ARRIVED */
  RaCause truth, verdict;
  guint64 capacity, estimated, encoder;
  guint fec;
} Event;

/* Media packets with one RTP timestamp. */
typedef struct
{
  RaTime sent_at; /* the first */
  guint sent, came;
} Frame;

struct _Record
{
  GMutex lock;
  RaTime start;
  RaSpan warmup;
  GArray *events;
  GHashTable *frames; /* RTP timestamp -> Frame */
  struct
  {
    RaTime sent;
    guint size;
  } packets[65536]; /* by seqnum */
};

Record *
record_new (RaTime start, RaSpan warmup)
{
  Record *r = g_new0 (Record, 1);

  g_mutex_init (&r->lock);
  r->start = start;
  r->warmup = warmup;
  r->events = g_array_new (FALSE, FALSE, sizeof (Event));
  r->frames = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return r;
}

void
record_free (Record *r)
{
  g_array_unref (r->events);
  g_hash_table_unref (r->frames);
  g_mutex_clear (&r->lock);
  g_free (r);
}

static void
record_add (Record *r, Event event)
{
  g_mutex_lock (&r->lock);
  if (event.kind == SENT) {
    r->packets[event.seqnum].sent = event.t;
    r->packets[event.seqnum].size = event.size;
  } else if (event.kind == ARRIVED) {
    event.owd = ra_diff (event.t, r->packets[event.seqnum].sent);
  } else if (event.kind == LOST) {
    event.size = r->packets[event.seqnum].size;
  }
  g_array_append_val (r->events, event);
  g_mutex_unlock (&r->lock);
}

/* The lock is held. */
static Frame *
record_frame (Record *r, guint32 rtptime)
{
  Frame *frame = g_hash_table_lookup (r->frames, GUINT_TO_POINTER (rtptime));

  if (!frame) {
    frame = g_new0 (Frame, 1);
    frame->sent_at = RA_TIME_NONE;
    g_hash_table_insert (r->frames, GUINT_TO_POINTER (rtptime), frame);
  }
  return frame;
}

void
record_sent (Record *r, guint16 seqnum, guint32 rtptime, guint size,
    guint media, RaTime now)
{
  if (media > 0) {
    Frame *frame;

    g_mutex_lock (&r->lock);
    frame = record_frame (r, rtptime);
    frame->sent++;
    frame->sent_at = MIN (frame->sent_at, now);
    g_mutex_unlock (&r->lock);
  }
  record_add (r,
      (Event){ .kind = SENT,
          .t = now,
          .seqnum = seqnum,
          .size = size,
          .media = media });
}

void
record_came (Record *r, guint32 rtptime)
{
  g_mutex_lock (&r->lock);
  record_frame (r, rtptime)->came++;
  g_mutex_unlock (&r->lock);
}

void
record_arrived (Record *r, guint16 seqnum, guint size, RaTime now)
{
  record_add (
      r, (Event){ .kind = ARRIVED, .t = now, .seqnum = seqnum, .size = size });
}

void
record_lost (Record *r, guint16 seqnum, RaCause cause, RaTime now)
{
  record_add (
      r, (Event){ .kind = LOST, .t = now, .seqnum = seqnum, .truth = cause });
}

void
record_verdict (
    Record *r, guint16 seqnum, RaCause verdict, RaCause truth, RaTime now)
{
  record_add (r,
      (Event){ .kind = VERDICT,
          .t = now,
          .seqnum = seqnum,
          .verdict = verdict,
          .truth = truth });
}

void
record_rates (Record *r, guint64 capacity, guint64 estimated, guint64 encoder,
    guint fec, RaTime now)
{
  record_add (r,
      (Event){ .kind = RATES,
          .t = now,
          .capacity = capacity,
          .estimated = estimated,
          .encoder = encoder,
          .fec = fec });
}

static gint
event_compare (gconstpointer a, gconstpointer b)
{
  RaTime ta = ((const Event *) a)->t, tb = ((const Event *) b)->t;

  return ta < tb ? -1 : ta > tb;
}

/* The delay of an empty path: what comes on top is the queue, and jitter, which
 * the ends cannot know from it. */
static RaSpan
owd_min (const Record *r)
{
  RaSpan min = G_MAXINT64;

  for (guint i = 0; i < r->events->len; i++) {
    const Event *e = &g_array_index (r->events, Event, i);

    if (e->kind == ARRIVED)
      min = MIN (min, e->owd);
  }
  return min;
}

static void
replay (const Event *e, RaSpan base, RaScore *score)
{
  switch (e->kind) {
    case SENT:
      ra_score_sent (score, e->size, e->t);
      break;
    case ARRIVED:
      ra_score_arrived (score, e->size, e->owd - base, e->t);
      break;
    case LOST:
      ra_score_lost (score, e->size, e->truth, e->t);
      break;
    case VERDICT:
      ra_score_verdict (score, e->verdict, e->truth, e->t);
      break;
    case RATES:
      ra_score_capacity (score, e->capacity, e->t);
      break;
  }
}

typedef struct
{
  guint n;
  gdouble *capacity, *estimated, *encoder, *media, *queue, *fec;
} Bins;

static void
bins_clear (Bins *b)
{
  g_free (b->capacity);
  g_free (b->estimated);
  g_free (b->encoder);
  g_free (b->media);
  g_free (b->queue);
  g_free (b->fec);
}

/* Rates hold until the next sample; queue is the longest of the bin, NaN where
 * nothing arrived: an outage is not an empty queue. */
static Bins
bins_fill (const Record *r, RaTime end)
{
  guint n = (guint) (ra_diff (end, r->start) / BIN);
  RaSpan base = owd_min (r);
  Bins b = { n, g_new0 (gdouble, n + 1), g_new0 (gdouble, n + 1),
    g_new0 (gdouble, n + 1), g_new0 (gdouble, n + 1), g_new0 (gdouble, n + 1),
    g_new0 (gdouble, n + 1) };

  for (guint i = 0; i < n; i++)
    b.queue[i] = (gdouble) NAN;
  for (guint i = 0; i < r->events->len; i++) {
    const Event *e = &g_array_index (r->events, Event, i);
    gint64 bin = ra_diff (e->t, r->start) / BIN;

    if (bin < 0 || bin >= n)
      continue;
    if (e->kind == RATES) {
      b.capacity[bin] = (gdouble) e->capacity;
      b.estimated[bin] = (gdouble) e->estimated;
      b.encoder[bin] = (gdouble) e->encoder;
      b.fec[bin] = e->fec;
    } else if (e->kind == SENT) {
      b.media[bin] += e->media * 8 / ra_seconds (BIN);
    } else if (e->kind == ARRIVED) {
      b.queue[bin] = fmax (b.queue[bin], ra_seconds (e->owd - base) * 1e3);
    }
  }
  for (guint i = 1; i < n; i++) {
    if (b.estimated[i] <= 0) /* no sample: a level of 0 is one */
      b.fec[i] = b.fec[i - 1];
    b.capacity[i] = b.capacity[i] > 0 ? b.capacity[i] : b.capacity[i - 1];
    b.estimated[i] = b.estimated[i] > 0 ? b.estimated[i] : b.estimated[i - 1];
    b.encoder[i] = b.encoder[i] > 0 ? b.encoder[i] : b.encoder[i - 1];
  }
  return b;
}

/* The bitrate the encoder was given against what of it reached the wire. */
static void
encoder_agreement (const Record *r, const Bins *b, RaRun *run)
{
  guint warm = (guint) (r->warmup / BIN), settled = warm;
  guint settling = (guint) (SETTLING / BIN);
  guint window = (guint) (AGREEMENT / BIN);
  gdouble target = 0, wire = 0, total = 0, worst = -1, worst_any = -1;

  for (guint i = warm; i < b->n; i++) {
    if (i > warm && b->capacity[i] != b->capacity[i - 1])
      settled = i;
    target += b->encoder[i];
    total += b->encoder[i];
    wire += b->media[i];
    if (i >= warm + window) {
      target -= b->encoder[i - window];
      wire -= b->media[i - window];
    }
    if (i + 1 < warm + settling + window || target <= 0)
      continue;
    worst_any = MAX (worst_any, fabs (wire / target - 1));
    if (i + 1 >= settled + settling + window)
      worst = MAX (worst, fabs (wire / target - 1));
  }
  if (b->n > warm)
    run->encoder_bps = total / (b->n - warm);
  if (worst >= 0)
    run->encoder_error = worst;
  if (worst_any >= 0)
    run->encoder_error_any = worst_any;
}

/* What was sent for repair, and what was missing all the same; of all media
 * packets after the warm-up. */
static void
repair_score (const Record *r, RaRun *run)
{
  RaTime from = r->start + (RaTime) r->warmup;
  guint64 media = 0, repair = 0, came = 0;
  GHashTableIter i;
  gpointer value;

  for (guint k = 0; k < r->events->len; k++) {
    const Event *e = &g_array_index (r->events, Event, k);

    repair += e->kind == SENT && e->t >= from && e->media == 0;
  }
  g_hash_table_iter_init (&i, r->frames);
  while (g_hash_table_iter_next (&i, NULL, &value)) {
    const Frame *frame = value;

    if (frame->sent_at == RA_TIME_NONE || frame->sent_at < from)
      continue;
    media += frame->sent;
    came += MIN (frame->came, frame->sent);
  }
  if (media == 0)
    return;
  run->fec_overhead = (gdouble) repair / (gdouble) media;
  run->residual_loss = (gdouble) (media - came) / (gdouble) media;
}

void
record_score (Record *r, RaTime end, RaRun *run)
{
  RaScore *score = ra_score_new (r->start, r->warmup);
  RaScoreResult result;
  RaSpan base;
  Bins bins;

  g_mutex_lock (&r->lock);
  g_array_sort (r->events, event_compare);
  base = owd_min (r);
  for (guint i = 0; i < r->events->len; i++)
    replay (&g_array_index (r->events, Event, i), base, score);
  bins = bins_fill (r, end);
  repair_score (r, run);
  g_mutex_unlock (&r->lock);

  ra_score_get (score, end, &result);
  ra_run_set_score (run, &result);
  encoder_agreement (r, &bins, run);
  bins_clear (&bins);
  ra_score_free (score);
}

static void
series_write (GString *out, const gchar *name, const gdouble *value, guint n)
{
  g_string_append_printf (out, "\"%s\": [", name);
  for (guint i = 0; i < n; i++) {
    g_string_append (out, i ? "," : "");
    if (isnan (value[i]))
      g_string_append (out, "null");
    else
      g_string_append_printf (out, "%.0f", value[i]);
  }
  g_string_append (out, "]");
}

void
record_write (Record *r, RaTime end, GString *out)
{
  Bins b;
  gboolean first = TRUE;

  g_mutex_lock (&r->lock);
  b = bins_fill (r, end);
  g_string_append_printf (
      out, "\"series\": {\"bin_s\": %.3f, ", ra_seconds (BIN));
  series_write (out, "capacity_bps", b.capacity, b.n);
  g_string_append (out, ", ");
  series_write (out, "estimated_bps", b.estimated, b.n);
  g_string_append (out, ", ");
  series_write (out, "encoder_bps", b.encoder, b.n);
  g_string_append (out, ", ");
  series_write (out, "media_bps", b.media, b.n);
  g_string_append (out, ", ");
  series_write (out, "queue_ms", b.queue, b.n);
  g_string_append (out, ", ");
  series_write (out, "fec_percentage", b.fec, b.n);
  g_string_append (out, "}, \"losses\": [");
  for (guint i = 0; i < r->events->len; i++) {
    const Event *e = &g_array_index (r->events, Event, i);

    if (e->kind != VERDICT)
      continue;
    g_string_append_printf (out, "%s[%.3f,\"%s\",\"%s\"]", first ? "" : ",",
        ra_seconds (ra_diff (e->t, r->start)), ra_cause_nick (e->truth),
        ra_cause_nick (e->verdict));
    first = FALSE;
  }
  g_string_append (out, "]");
  g_mutex_unlock (&r->lock);
  bins_clear (&b);
}
