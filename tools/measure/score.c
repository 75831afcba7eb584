/* Puts the records of sender, receiver and link together.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include "options.h"
#include "result.h"

#include <math.h>

static struct
{
  gchar *sent, *received, *frames, *clip, *packets, *log, *strip;
  gdouble warmup, at;
  gboolean realtime;
} arg = { .warmup = 2 /* paper 003 5.1 */, .at = -1 };

static const GOptionEntry entries[] = {
  { "sent", 0, 0, G_OPTION_ARG_FILENAME, &arg.sent, "of send", "FILE" },
  { "received", 0, 0, G_OPTION_ARG_FILENAME, &arg.received, "of receive",
      "FILE" },
  { "frames", 0, 0, G_OPTION_ARG_FILENAME, &arg.frames,
      "of receive: pictures, for SSIM and VMAF", "FILE" },
  { "clip", 0, 0, G_OPTION_ARG_FILENAME, &arg.clip, "what was sent", "FILE" },
  { "log", 0, 0, G_OPTION_ARG_FILENAME, &arg.log, "of rtpadapt-link", "FILE" },
  { "packets", 0, 0, G_OPTION_ARG_FILENAME, &arg.packets, "of rtpadapt-link",
      "FILE" },
  { "warmup", 0, 0, G_OPTION_ARG_DOUBLE, &arg.warmup, "not measured (2)", "S" },
  { "realtime", 0, 0, G_OPTION_ARG_NONE, &arg.realtime,
      "two machines, whose CLOCK_REALTIME is in step: the latency is as wrong "
      "as the clocks are",
      NULL },
  { "strip", 0, 0, G_OPTION_ARG_FILENAME, &arg.strip,
      "write the picture on the screen, .png or .jpg", "FILE" },
  { "at", 0, 0, G_OPTION_ARG_DOUBLE, &arg.at,
      "when that frame entered the encoder", "S" },
  { NULL },
};

/* Of the media packets that entered in the window, by RTP timestamp. */
static gdouble
residual_loss (const Records *r, const Shown *shown)
{
  g_autoptr (GHashTable) came = g_hash_table_new (NULL, NULL);
  guint64 sent = 0, arrived = 0;

  for (guint i = 0; i < r->came->len; i++) {
    const RtpCount *c = &g_array_index (r->came, RtpCount, i);
    gpointer key = GUINT_TO_POINTER (c->rtptime);
    guint sum = GPOINTER_TO_UINT (g_hash_table_lookup (came, key));

    g_hash_table_insert (came, key, GUINT_TO_POINTER (sum + c->packets));
  }
  for (guint i = 0; i < r->sent->len; i++) {
    const RtpCount *c = &g_array_index (r->sent, RtpCount, i);
    gpointer key = GUINT_TO_POINTER (c->rtptime);

    if (c->t < shown->from || c->t >= shown->until)
      continue;
    sent += c->packets;
    arrived
        += MIN (c->packets, GPOINTER_TO_UINT (g_hash_table_lookup (came, key)));
  }
  return sent > 0 ? 1 - (gdouble) arrived / (gdouble) sent : (gdouble) NAN;
}

static gboolean
arguments_check (GError **error)
{
  if (!arg.sent || !arg.received)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "score needs --sent and --received");
  else if (!arg.frames != !arg.clip || (arg.strip && !arg.frames))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--frames and --clip go together, and --strip needs them");
  else if (arg.packets && !arg.log)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--packets needs --log, which says whose they are");
  else if (arg.realtime && arg.log) /* which has the monotonic clock of one */
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--realtime is of two machines, and --log of a link on one");
  else if (!arg.strip != !(arg.at >= 0))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--strip and --at go together");
  else if (!(arg.warmup >= 0 && arg.warmup <= 86400) || !(arg.at <= 86400))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--warmup and --at must be from 0 to a day");
  else
    return TRUE;
  return FALSE;
}

static gboolean
score_run (Result *x, GError **error)
{
  x->records = records_read (arg.sent, arg.received, arg.realtime, error);
  if (!x->records)
    return FALSE;
  shown_score (x->records, arg.warmup, &x->shown);
  if (x->shown.until <= x->shown.from) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "the stream is no longer than --warmup %g", arg.warmup);
    return FALSE;
  }
  x->residual_loss = residual_loss (x->records, &x->shown);
  if (arg.log) {
    x->path = path_read (
        arg.packets, arg.log, x->records, x->shown.from, x->shown.until, error);
    if (!x->path)
      return FALSE;
    path_score (
        x->path, x->records, x->shown.from, x->shown.until, &x->path_score);
    path_settle (
        x->path, x->records, x->shown.from, x->shown.until, &x->path_settle);
  }
  if (arg.frames
      && !picture_score (
          x->records, &x->shown, arg.frames, arg.clip, &x->pictures, error))
    return FALSE;
  return !arg.strip
      || picture_save (
          x->records, &x->shown, arg.frames, arg.at, arg.strip, error);
}

gboolean
measure_score (int argc, char **argv, GError **error)
{
  Result x = { .path_score = { .fec_overhead = (gdouble) NAN },
    .path_settle = { (gdouble) NAN, (gdouble) NAN, (gdouble) NAN },
    .pictures = { .ssim = (gdouble) NAN, .vmaf = (gdouble) NAN } };
  gboolean ok;

  if (!measure_options (entries, "score",
          "Prints what the viewer got, what the link did and what the sender "
          "made of it, as one JSON object; null is what is not known.",
          &argc, &argv, error)
      || !arguments_check (error))
    return FALSE;
  x.warmup = arg.warmup;
  ok = score_run (&x, error);
  if (ok) {
    g_autofree gchar *json = result_to_json (&x);

    g_print ("%s\n", json);
  }
  g_clear_pointer (&x.path, path_free);
  g_clear_pointer (&x.records, records_free);
  picture_clear (&x.pictures);
  return ok;
}
