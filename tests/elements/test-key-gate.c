/* The gate of requests for key frames, which needs no element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <plugins/rtpadapt/send/keygate.h>

#define MS RA_MSECOND
#define DROP 9 /* SSRC of what is dropped */

static GstEvent *
request (guint n)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new ("GstForceKeyUnit", "ssrc", G_TYPE_UINT, n, NULL));
}

/* RTT 300 ms.  What happens at so many ms, and for each what comes of it.  p, o, u: the
 * receiver asks about stream 0, 1, or an unknown one; the request passes (y), waits
 * (f), or waits in place of another (h).  d: a frame of stream 0 is dropped.  t: which
 * request goes on now, that of the word 0 to 8, or 9 for the drop.  n: whether the next
 * will go then; z: whether none will.  l: the receiver may lack all key frames. */
static const struct
{
  const gchar *name, *story, *answers, *why;
} stories[] = {
  { "at-once", "p0 p0 n300", "yfy", "the key frame is not there yet" },
  { "early", "p0 p299 n300", "yfy", "it is on its way" },
  { "lost", "p0 p300 z", "yyy", "a round trip later it would be there" },
  { "other", "p0 o0 z", "yyy", "another stream needs its own key frame" },
  { "unknown", "p0 u0 z", "yyy", "so does one that we do not know" },
  { "back", "p100 p0 z", "yyy", "the clock was set back" },
  { "last", "p0 p50 p100 t299 t300 t600", "yfh-2-",
      "of those that wait the last one goes on, once" },
  { "began", "p0 p50 t300 p599 n600 p600 z", "yf1fyyy",
      "it began an interval; who passes then serves the one that waits" },
  { "drop", "d0 t0 t5000", "-9-", "a key frame mends it" },
  { "drop-again", "d0 t0 d500 n1000 t999 t1000 t5000", "-9-y-9-",
      "a second later, which nobody else asks for" },
  { "drop-late", "d0 t0 d1000 t1000", "-9-9", "a second has passed" },
  { "drop-served", "d0 t0 d500 p600 t5000", "-9-y-", "the receiver asked" },
  { "drop-behind", "p0 d50 t299 t300", "y--9", "it asked before the drop" },
  { "drop-asked", "d0 t0 p100 t299 t300", "-9f-2",
      "a key frame is on its way, but may be lost, too" },
  { "drop-waits", "p0 p50 d100 t300 t5000", "yf-1-", "one for both" },
  { "drop-sooner", "d0 t0 d50 p100 t300 t5000", "-9-f3-", "the same" },
  { "all", "d0 t0 d500 l600 p700 t899 t900 t5000", "-9-yf-4-",
      "of all streams, which serves the drop, too" },
  { "lacks", "t0 l0 t0", "-y-", "that is asked for once" },
};

static gchar
answer_of (KeyGate *g, gchar what, guint n, RaTime now)
{
  guint stream = what == 'p' ? 0 : what == 'o' ? 1 : STREAMS_MAX;
  RaTime next = key_gate_next (g, 300 * MS);
  g_autoptr (GstEvent) event = NULL;

  switch (what) {
    case 'd':
      key_gate_on_drop (g, 0, DROP);
      return '-';
    case 'l':
      key_gate_lack (g);
      return key_gate_refresh (g, now) ? 'y' : '-';
    case 't':
      event = key_gate_take (g, 300 * MS, now);
      g_assert_false (key_gate_refresh (g, now));
      if (!event)
        return '-';
      g_assert_true (
          gst_structure_get_uint (gst_event_get_structure (event), "ssrc", &n));
      return (gchar) ('0' + n);
    case 'n':
      return next == now ? 'y' : '-';
    case 'z':
      return next == RA_TIME_NONE ? 'y' : '-';
    default:
      event = request (n);
      return "yhf"[key_gate_ask (g, stream, event, 300 * MS, now)];
  }
}

static void
test_story (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) words = g_strsplit (stories[row].story, " ", -1);
  g_autoptr (GString) answers = g_string_new (NULL);
  KeyGate g = { 0 };

  g_test_message ("%s", stories[row].why);
  key_gate_clear (&g);
  for (guint i = 0; words[i]; i++)
    g_string_append_c (answers,
        answer_of (&g, words[i][0], i,
            (1000 + g_ascii_strtoull (words[i] + 1, NULL, 10)) * (RaTime) MS));
  g_assert_cmpstr (answers->str, ==, stories[row].answers);
  key_gate_clear (&g);
}

/* While a thread is going to take the requests that wait, no timer does. */
static void
test_due (void)
{
  g_autoptr (GstEvent) event = request (1);
  KeyGate g = { 0 };

  key_gate_clear (&g);
  key_gate_ask (&g, 0, event, 200 * MS, 1000 * MS);
  key_gate_ask (&g, 0, event, 200 * MS, 1050 * MS);
  g_assert_cmpuint (g.held, ==, 1);
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, 1200 * MS);
  g_assert_false (key_gate_begin (&g));
  g_assert_cmpint (key_gate_on_due (&g), ==, SEND_JOB);
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, RA_TIME_NONE);
  g_assert_true (key_gate_begin (&g));
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, 1200 * MS);
  key_gate_clear (&g);
}

/* A round trip may be shorter than a frame: 200 ms at least. */
static void
test_interval (void)
{
  g_assert_cmpint (key_gate_interval (0), ==, 200 * MS);
  g_assert_cmpint (key_gate_interval (50 * MS), ==, 200 * MS);
  g_assert_cmpint (key_gate_interval (300 * MS), ==, 300 * MS);
}

void
tests_add (void)
{
  rows_add_by ("/key-gate/story", stories, name, test_story);
  g_test_add_func ("/key-gate/due", test_due);
  g_test_add_func ("/key-gate/interval", test_interval);
}
