/* What stands on the screen when a frame should.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "shown.h"

/* 25 frames/s for 20 s. */
#define FRAMES 500
#define PERIOD (40 * RA_MSECOND)

/* Latency in ms of frame `n`; -1: never shown. */
typedef gint (*Latency) (gint n);

static gint
steady (G_GNUC_UNUSED gint n)
{
  return 200;
}

/* Down by 2 ms a frame from the fifth second on, as L of rtpadaptsrc falls. */
static gint
falling (gint n)
{
  return MAX (200 - 2 * MAX (n - 125, 0), 100);
}

/* 100 ms more from one frame on. */
static gint
rising (gint n)
{
  return n < 250 ? 100 : 200;
}

/* 38 ms are between the earliest and the latest. */
static gint
jittering (gint n)
{
  return 200 + (n % 2 ? 19 : -19);
}

/* Ten frames come together, when the last of them is due. */
static gint
held (gint n)
{
  return n >= 250 && n < 260 ? 200 + 40 * (259 - n) : 200;
}

static gint
missing (gint n)
{
  return n >= 250 && n < 253 ? -1 : 200;
}

static gint
by_time (gconstpointer a, gconstpointer b)
{
  const FrameShown *x = a, *y = b;

  return x->t != y->t ? (x->t > y->t) - (x->t < y->t)
                      : (x->n > y->n) - (x->n < y->n);
}

static Records *
records_make (Latency latency)
{
  Records *r = g_new0 (Records, 1);

  r->fps = 25;
  r->seconds = FRAMES / r->fps;
  r->frames = g_array_new (FALSE, FALSE, sizeof (FrameSent));
  r->shown = g_array_new (FALSE, FALSE, sizeof (FrameShown));
  for (gint n = 0; n < FRAMES; n++) {
    FrameSent sent = { .n = n, .t = n * PERIOD, .shown = G_MININT64 };
    FrameShown shown = { .n = n, .t = sent.t + latency (n) * RA_MSECOND };

    if (latency (n) >= 0) {
      sent.shown = shown.t;
      g_array_append_val (r->shown, shown);
    }
    g_array_append_val (r->frames, sent);
  }
  g_array_sort (r->shown, by_time);
  return r;
}

static gint64
on_screen (const Records *r, const Shown *v, guint n)
{
  gint k = shown_screen (r, v, n);

  return k < 0 ? -1 : g_array_index (r->shown, FrameShown, k).n;
}

/* Frames from `first` to `last` find frame `stands` there, all others of the window
 * themselves. */
static void
test_screen (void)
{
  static const struct
  {
    const gchar *why;
    Latency latency;
    guint first, last;
    gint64 stands;
  } rows[] = {
    { "each frame finds itself", steady },
    { "a latency that falls is not seen", falling },
    { "nor is one that rises", rising },
    { "the display's own jitter is less than a frame's time", jittering },
    /* Frame 258 comes 40 ms late, within a frame's time. */
    { "a picture that stands is seen, late as the others are", held, 250, 257,
        249 },
    { "a frame that never came is seen, too", missing, 250, 252, 249 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Records *r = records_make (rows[i].latency);
    Shown v;

    g_test_message ("%s", rows[i].why);
    shown_score (r, 1, &v);
    for (guint n = 25; n < FRAMES - 25; n++) {
      gboolean stands = n >= rows[i].first && n <= rows[i].last;
      gint64 wanted = stands ? rows[i].stands : n;

      if (on_screen (r, &v, n) != wanted)
        g_error ("frame %u finds %" G_GINT64_FORMAT, n, on_screen (r, &v, n));
    }
    g_array_unref (r->frames);
    g_array_unref (r->shown);
    g_free (r);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shown/screen", test_screen);
  return g_test_run ();
}
