/* rtpadapt-demo-run: one controller and one LDA, a real clip, x264enc,
 * RTP over UDP loopback through an emulated link, in real time.  The result is
 * one JSON object on standard output; tools/demo calls it run after run.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include <glib-unix.h>
#include <gst/gst.h>
#include <math.h>

#define EXIT_INTERRUPTED 130

static Options options = {
  .seed = 1,
  .seconds = 60,
  .warmup = 2, /* paper 003 5.1 */
  .max_bitrate = 20000000,
};

static const GOptionEntry entries[] = {
  { "clip", 0, 0, G_OPTION_ARG_FILENAME, &options.clip, "video file", "FILE" },
  { "dir", 0, 0, G_OPTION_ARG_FILENAME, &options.dir,
      "where decoded frames lie while it runs", "DIR" },
  { "controller", 0, 0, G_OPTION_ARG_STRING, &options.controller, "", "NAME" },
  { "controller-params", 0, 0, G_OPTION_ARG_STRING, &options.controller_params,
      "", "TEXT" },
  { "lda", 0, 0, G_OPTION_ARG_STRING, &options.lda, "", "NAME" },
  { "lda-params", 0, 0, G_OPTION_ARG_STRING, &options.lda_params, "", "TEXT" },
  { "fec", 0, 0, G_OPTION_ARG_STRING, &options.fec, "rule; none: no repair",
      "NAME" },
  { "link", 0, 0, G_OPTION_ARG_FILENAME, &options.link, "link chain", "TEXT" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds, "", "S" },
  { "warmup", 0, 0, G_OPTION_ARG_DOUBLE, &options.warmup, "not measured", "S" },
  { "port", 0, 0, G_OPTION_ARG_INT, &options.port,
      "UDP port of RTP (any that is free)", "N" },
  { NULL },
};

static gboolean interrupted;

static gboolean
on_interrupt (gpointer data)
{
  interrupted = TRUE;
  stream_finish (data);
  return G_SOURCE_CONTINUE;
}

static gboolean
result_print (Record *record, Frames *frames, const Clip *clip, RaTime end,
    GError **error)
{
  gdouble fps = (gdouble) clip->info.fps_n / clip->info.fps_d;
  GString *out;
  g_autofree gchar *json = NULL;
  RaRun run;

  ra_run_init (&run, options.controller, options.lda);
  record_score (record, end, &run);
  if (!frames_score (
          frames, (guint64) ceil (options.warmup * fps), &run, error))
    return FALSE;
  json = ra_run_to_json (&run);
  out = g_string_new ("{\"run\": ");
  g_string_append (out, json);
  g_string_append (out, ", ");
  record_write (record, end, out);
  g_string_append (out, "}\n");
  g_print ("%s", out->str);
  g_string_free (out, TRUE);
  return ra_stdout_flush (error);
}

static gboolean
run (const Clip *clip, GError **error)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  Frames *frames = frames_new (clip, options.dir, error);
  Record *record
      = record_new (gst_clock_get_time (clock), ra_span (options.warmup));
  Stream *s
      = frames ? stream_new (&options, clip, frames, record, error) : NULL;
  gboolean ok = FALSE;

  if (s) {
    guint signal = g_unix_signal_add (SIGINT, on_interrupt, s);
    RaTime end;

    ok = stream_play (s, loop, error);
    end = stream_end (s);
    g_source_remove (signal);
    stream_free (s);
    ok = ok && result_print (record, frames, clip, end, error);
  }
  record_free (record);
  g_clear_pointer (&frames, frames_free);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  Clip *clip = NULL;
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  if (ok
      && (!options.clip || !options.dir || !options.controller || !options.lda
          || !options.link)) {
    g_set_error (&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--clip, --dir, --controller, --lda and --link are needed");
    ok = FALSE;
  }
  if (ok)
    clip = clip_load (options.clip, 0, 0, &error);
  ok = clip && run (clip, &error);
  g_clear_pointer (&clip, clip_free);
  if (!ok) {
    g_printerr ("rtpadapt-demo-run: %s\n", error->message);
    return 1;
  }
  return interrupted ? EXIT_INTERRUPTED : 0;
}
