/* What sender and receiver wrote down.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "records.h"

#include "jsonlines.h"

#include <gio/gio.h>
#include <math.h>

/* What is known while a file is read. */
typedef struct
{
  Records *r;
  gboolean sender, begun, ended;
  gint64 shift; /* of the sender's monotonic clock to the one that counts */
} Reading;

static gint64
time_get (const Records *r, JsonObject *o)
{
  return json_lines_int (o, r->realtime ? "real" : "mono", 0);
}

static gboolean
on_send (Reading *g, JsonObject *o)
{
  Records *r = g->r;
  gint64 fps_n = json_lines_int (o, "fps_n", 0),
         fps_d = json_lines_int (o, "fps_d", 0);

  g->begun = TRUE;
  g_free (r->system);
  g_free (r->options);
  r->system = g_strdup (json_lines_string (o, "system"));
  r->options = g_strdup (json_lines_string (o, "options"));
  r->port = json_lines_int (o, "port", 0);
  r->width = json_lines_int (o, "width", 0);
  r->height = json_lines_int (o, "height", 0);
  r->fps = fps_d > 0 ? (gdouble) fps_n / (gdouble) fps_d : 0;
  r->seconds = (gdouble) json_lines_int (o, "milliseconds", 0) * 1e-3;
  r->start = json_lines_int (o, r->realtime ? "start_real_ns" : "start_ns", 0);
  g->shift = r->start - json_lines_int (o, "start_ns", 0);
  return r->system && r->fps > 0 && r->fps <= 1000 && r->seconds > 0
      && r->seconds <= 86400 && r->width > 0 && r->width <= 16384
      && r->height > 0 && r->height <= 16384;
}

static gboolean
on_receive (Reading *g, JsonObject *o)
{
  g->begun = TRUE;
  return TRUE;
}

static gboolean
on_frame (Reading *g, JsonObject *o)
{
  GArray *frames = g->r->frames;
  FrameSent f = { json_lines_int (o, "n", -1), time_get (g->r, o),
    json_lines_int (o, "pts", 0) };

  if (f.n < 0
      || (frames->len > 0
          && (g_array_index (frames, FrameSent, frames->len - 1).n >= f.n
              || g_array_index (frames, FrameSent, frames->len - 1).t > f.t)))
    return FALSE;
  g_array_append_val (frames, f);
  return TRUE;
}

static gboolean
on_shown (Reading *g, JsonObject *o)
{
  GArray *shown = g->r->shown;
  FrameShown f = { time_get (g->r, o), json_lines_int (o, "n", -1),
    json_lines_int (o, "at", -1), json_lines_int (o, "pts", 0) };

  if (f.at > G_MAXINT32
      || (shown->len > 0
          && g_array_index (shown, FrameShown, shown->len - 1).t > f.t))
    return FALSE;
  g_array_append_val (shown, f);
  return TRUE;
}

static gboolean
on_rate (Reading *g, JsonObject *o)
{
  RateSample s = { json_lines_int (o, "mono", 0),
    json_lines_number (o, "estimated_bps", (gdouble) NAN),
    json_lines_int (o, "encoded_bytes", 0) };

  g_array_append_val (g->r->rates, s);
  return TRUE;
}

static gboolean
on_loss (Reading *g, JsonObject *o)
{
  const gchar *text = json_lines_string (o, "verdict");
  Verdict v = { json_lines_int (o, "mono", 0),
    (guint32) json_lines_int (o, "ssrc", 0),
    (guint16) json_lines_int (o, "seq", 0), RA_CAUSE_NONE };

  for (RaCause c = RA_CAUSE_CONGESTION; c <= RA_CAUSE_WIRELESS; c++) {
    if (g_strcmp0 (text, ra_cause_nick (c)) == 0)
      v.verdict = c;
  }
  g_array_append_val (g->r->verdicts, v);
  return TRUE;
}

static gboolean
on_rtp (Reading *g, JsonObject *o)
{
  RtpCount c = { json_lines_int (o, "mono", 0) + g->shift,
    (guint32) json_lines_int (o, "ts", 0),
    (guint) CLAMP (json_lines_int (o, "n", 0), 0, G_MAXUINT16),
    json_lines_int (o, "pts", 0) };

  g_array_append_val (g->sender ? g->r->sent : g->r->came, c);
  return TRUE;
}

static gboolean
on_video (Reading *g, JsonObject *o)
{
  g->r->shown_width = json_lines_int (o, "width", 0);
  g->r->shown_height = json_lines_int (o, "height", 0);
  return TRUE;
}

static gboolean
on_packets (Reading *g, JsonObject *o)
{
  g->r->rtp = json_lines_int (o, "rtp", -1);
  g->r->fec = json_lines_int (o, "fec", -1);
  g->r->retransmitted = json_lines_int (o, "retransmitted", -1);
  return TRUE;
}

static gboolean
on_end (Reading *g, JsonObject *o)
{
  g->ended = TRUE;
  if (g->sender) {
    g->r->sender_cpu = json_lines_int (o, "cpu_ns", 0);
    g->r->skipped = json_lines_int (o, "skipped", 0);
  } else {
    g->r->receiver_cpu = json_lines_int (o, "cpu_ns", 0);
    g->r->unreadable = json_lines_int (o, "unreadable", 0);
  }
  return TRUE;
}

/* In which file a line belongs. */
enum
{
  SENDER = 1,
  RECEIVER = 2
};

static const struct
{
  const gchar *name;
  gint files;
  gboolean (*take) (Reading *g, JsonObject *o);
} kinds[] = {
  { "send", SENDER, on_send },
  { "frame", SENDER, on_frame },
  { "rate", SENDER, on_rate },
  { "loss", SENDER, on_loss },
  { "receive", RECEIVER, on_receive },
  { "video", RECEIVER, on_video },
  { "shown", RECEIVER, on_shown },
  { "packets", RECEIVER, on_packets },
  { "rtp", SENDER | RECEIVER, on_rtp },
  { "end", SENDER | RECEIVER, on_end },
};

static gboolean
on_line (JsonObject *line, gpointer data, GError **error)
{
  Reading *g = data;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    JsonObject *o = json_lines_object (line, kinds[i].name);

    if (!o)
      continue;
    if (kinds[i].files & (g->sender ? SENDER : RECEIVER)
        && kinds[i].take (g, o))
      return TRUE;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "this \"%s\" is not what %s writes", kinds[i].name,
        g->sender ? "send" : "receive");
    return FALSE;
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
      "neither send nor receive writes this");
  return FALSE;
}

static gboolean
file_read (Records *r, const gchar *path, gboolean sender, GError **error)
{
  Reading g = { r, sender, FALSE, FALSE, 0 };

  if (!json_lines_read (path, on_line, &g, error))
    return FALSE;
  if (g.begun && g.ended)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: %s", path,
      !g.begun     ? "its beginning is missing"
          : sender ? "its end is missing: the sender was killed"
                   : "its end is missing: the receiver was killed");
  return FALSE;
}

/* The frame of a time on the sender's pipeline; -1: none is near. */
static gint64
frame_of (const Records *r, gint64 pts)
{
  gint64 near = (gint64) ((gdouble) RA_SECOND / r->fps / 2);
  guint low = 0, high = r->frames->len;

  while (low < high) { /* the first one not before */
    guint middle = (low + high) / 2;

    if (g_array_index (r->frames, FrameSent, middle).pts < pts - near)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < r->frames->len
      && g_array_index (r->frames, FrameSent, low).pts <= pts + near)
    return g_array_index (r->frames, FrameSent, low).n;
  return -1;
}

/* A picture whose number is spoilt is known by the RTP timestamp that its
 * packets had when they were sent. */
static void
name_pictures (Records *r)
{
  g_autoptr (GHashTable) rtptimes
      = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) frames = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < r->came->len; i++) {
    RtpCount *c = &g_array_index (r->came, RtpCount, i);

    g_hash_table_insert (rtptimes, &c->pts, c);
  }
  for (guint i = 0; i < r->sent->len; i++) {
    RtpCount *c = &g_array_index (r->sent, RtpCount, i);

    g_hash_table_insert (frames, GUINT_TO_POINTER (c->rtptime), c);
  }
  for (guint i = 0; i < r->shown->len; i++) {
    FrameShown *f = &g_array_index (r->shown, FrameShown, i);
    const RtpCount *came = g_hash_table_lookup (rtptimes, &f->pts);
    const RtpCount *sent = came
        ? g_hash_table_lookup (frames, GUINT_TO_POINTER (came->rtptime))
        : NULL;

    if (f->n < 0 && sent)
      f->n = frame_of (r, sent->pts);
  }
}

static gint
compare_spans (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

/* By how much a picture's time at the receiver is usually later than at the sender.
 * FALSE: no picture has a number. */
static gboolean
usual_shift (const Records *r, gint64 *shift)
{
  g_autoptr (GArray) shifts = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < r->shown->len; i++) {
    const FrameShown *f = &g_array_index (r->shown, FrameShown, i);
    const FrameSent *s = f->n >= 0 && f->n < r->frames->len
        ? &g_array_index (r->frames, FrameSent, f->n)
        : NULL;
    gint64 one = s ? f->pts - s->pts : 0;

    if (s && s->n == f->n)
      g_array_append_val (shifts, one);
  }
  if (shifts->len == 0)
    return FALSE;
  g_array_sort (shifts, compare_spans);
  *shift = g_array_index (shifts, gint64, shifts->len / 2);
  return TRUE;
}

/* The same where no RTP packets are counted, as MPEG-TS keeps the times of pictures,
 * too. */
static void
name_pictures_by_time (Records *r)
{
  gint64 shift;

  if (r->came->len > 0 || !usual_shift (r, &shift))
    return;
  for (guint i = 0; i < r->shown->len; i++) {
    FrameShown *f = &g_array_index (r->shown, FrameShown, i);

    if (f->n < 0)
      f->n = frame_of (r, f->pts - shift);
  }
}

static void
first_shown (Records *r)
{
  g_autoptr (GHashTable) first = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < r->shown->len; i++) {
    FrameShown *f = &g_array_index (r->shown, FrameShown, i);

    if (f->n >= 0 && !g_hash_table_contains (first, &f->n))
      g_hash_table_insert (first, &f->n, &f->t);
  }
  for (guint i = 0; i < r->frames->len; i++) {
    FrameSent *f = &g_array_index (r->frames, FrameSent, i);
    const gint64 *t = g_hash_table_lookup (first, &f->n);

    f->shown = t ? *t : G_MININT64;
  }
}

Records *
records_read (
    const gchar *sent, const gchar *received, gboolean realtime, GError **error)
{
  Records *r = g_new0 (Records, 1);

  r->realtime = realtime;
  r->rtp = r->fec = r->retransmitted = -1;
  r->frames = g_array_new (FALSE, FALSE, sizeof (FrameSent));
  r->shown = g_array_new (FALSE, FALSE, sizeof (FrameShown));
  r->rates = g_array_new (FALSE, FALSE, sizeof (RateSample));
  r->verdicts = g_array_new (FALSE, FALSE, sizeof (Verdict));
  r->sent = g_array_new (FALSE, FALSE, sizeof (RtpCount));
  r->came = g_array_new (FALSE, FALSE, sizeof (RtpCount));
  if (!file_read (r, sent, TRUE, error)
      || !file_read (r, received, FALSE, error)) {
    records_free (r);
    return NULL;
  }
  name_pictures (r);
  name_pictures_by_time (r);
  first_shown (r);
  return r;
}

void
records_free (Records *r)
{
  g_array_unref (r->frames);
  g_array_unref (r->shown);
  g_array_unref (r->rates);
  g_array_unref (r->verdicts);
  g_array_unref (r->sent);
  g_array_unref (r->came);
  g_free (r->system);
  g_free (r->options);
  g_free (r);
}
