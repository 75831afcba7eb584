/* Colouring: code points and marks by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/util/rng.h>

#include <math.h>

/* --- code points ------------------------------------------------------- */

/* RFC 2597 6, in binary there. */
static const struct
{
  guint af_class;
  gint mark;
  guint dscp;
  const gchar *why;
} dscp_rows[] = {
  { 1, RA_MARK_GREEN, 10, "AF11 001010" },
  { 1, RA_MARK_YELLOW, 12, "AF12 001100" },
  { 1, RA_MARK_RED, 14, "AF13 001110" },
  { 2, RA_MARK_GREEN, 18, "AF21 010010" },
  { 2, RA_MARK_YELLOW, 20, "AF22 010100" },
  { 2, RA_MARK_RED, 22, "AF23 010110" },
  { 3, RA_MARK_GREEN, 26, "AF31 011010" },
  { 3, RA_MARK_YELLOW, 28, "AF32 011100" },
  { 3, RA_MARK_RED, 30, "AF33 011110" },
  { 4, RA_MARK_GREEN, 34, "AF41 100010" },
  { 4, RA_MARK_YELLOW, 36, "AF42 100100" },
  { 4, RA_MARK_RED, 38, "AF43 100110" },
  { 1, RA_MARK_NONE, 0, "no colour: best effort" },
  { 0, RA_MARK_GREEN, 0, "no such class" },
  { 5, RA_MARK_GREEN, 0, "no such class" },
  { 1, 4, 0, "no such colour" },
  { 1, -1, 0, "no such colour" },
};

static void
test_dscp (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  g_test_message ("%s", dscp_rows[i].why);
  g_assert_cmpuint (
      ra_colour_dscp (dscp_rows[i].af_class, (RaMark) dscp_rows[i].mark), ==,
      dscp_rows[i].dscp);
}

/* --- marks by hand ----------------------------------------------------- */

#define UNKNOWN RA_IMPORTANCE_UNKNOWN
#define TOP RA_IMPORTANCE_TOP
#define BASE RA_IMPORTANCE_BASE
#define KEY RA_IMPORTANCE_KEY
#define PARAMETERS RA_IMPORTANCE_PARAMETERS

/* Packets of sizes[0], sizes[1], sizes[0]... (0: all are sizes[0]); a blank
 * lets 1 s pass.  By hand, credits c (green) and y (the rest's), a packet of
 * B bytes adds share * B, then passes if the credit is B/2, and costs B. */
static const struct
{
  const gchar *ops, *params;
  guint64 rate;
  guint sizes[2];
  const gchar *marks, *why;
} hand[] = {
  /* c: 500 G, 0, 500 G, ...; y of the others, share .3/.5 = .6: 600 Y, 200 R,
   * 800 Y, 400 R, 1000 Y, and from the start: 5 G, 3 Y, 2 R of 10. */
  { "profile", "", 0, { 1000 }, "GYGRGYGRGYGYGRGYGRGY",
      "50/30/20 %, spread evenly" },
  { "profile", "", 8000000, { 1000 }, "GYG RGY GRG YGY",
      "the same in its rate" },
  { "content", "", 0, { 1000 }, "GYGRGYGRGYGYGRGYGRGY",
      "unknown content as profile" },
  /* c: 250, 500 G, -250, 0, 250, 500 G */
  { "profile", "green=.25,min-green=0,yellow=.75", 0, { 1000 }, "YGYYYGYYYGYY",
      "a quarter green, nothing red" },
  { "profile", "green=.25,min-green=.5,yellow=.5", 0, { 1000 }, "GYGYGYGY",
      "min-green wins over green" },
  { "profile", "green=0,min-green=0,yellow=0", 0, { 1000 }, "RRRR", "all red" },
  { "profile", "green=0,min-green=0,yellow=1", 0, { 1000 }, "YYYY",
      "all yellow" },
  { "profile", "green=1,yellow=1", 0, { 1000 }, "GGGG", "all green" },
  /* c: 600 G, -550 -, 50 -, 100 G, 600 G: 1,300 of 2,600 bytes; y is paid
   * whatever the size, share 1 */
  { "profile", "yellow=.5", 0, { 1200, 100 }, "GYYGGYYGGYYG",
      "bytes count, not packets" },
  /* 12,000 B/s; the bucket holds 3,000 B, so of each second's five packets
   * three earn.  c: 500 G, 0, 500 G, -500, -500 | 0, 500 G, 0, 0, 0 | 500 G;
   * y: 600 Y, -400, -400 | 200, (G), 800 Y, -200, -200 | (G), 400, (c: 500
   * G) */
  { "profile", "", 96000, { 1000 }, "GYGRR RGYRR GRGRR",
      "what exceeds the rate is red" },
  /* c as above; y, share 1: 1000 Y, 0, 0 */
  { "profile", "yellow=.8", 96000, { 1000 }, "GYGRR",
      "more shares than there are: yellow is what green leaves" },
};

static void
test_hand (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), n = 0;
  g_autoptr (RaColour) c
      = ra_colour_new (ra_colour_find (hand[i].ops), hand[i].params, NULL);
  GString *marks = g_string_new (NULL);
  RaTime now = RA_SECOND;

  ra_colour_set_rate (c, hand[i].rate);
  for (const gchar *m = hand[i].marks; *m; m++) {
    guint size = hand[i].sizes[n % 2] ? hand[i].sizes[n % 2] : hand[i].sizes[0];
    RaColourPacket p = { .size = size };

    if (*m == ' ') {
      now += RA_SECOND;
      g_string_append_c (marks, ' ');
      continue;
    }
    g_string_append_c (marks, "-GYR"[ra_colour_mark (c, &p, now)]);
    n++;
  }
  g_test_message ("%s: %s", hand[i].params, hand[i].why);
  g_assert_cmpstr (marks->str, ==, hand[i].marks);
  g_string_free (marks, TRUE);
}

/* After 5 s of ordinary pictures at 1 Mb/s (a packet of 1,250 bytes each 10
 * ms), a key frame of .3 s of the rate, 30 packets.  content: key * reserve is
 * .15 s, 18,750 bytes, and 30 packets lack 30 * 625 bytes. */
static const struct
{
  const gchar *ops, *params;
  guint from, to; /* green packets of the 30 */
  const gchar *why;
} key_rows[] = {
  { "profile", "", 15, 15, "half, as of everything" },
  { "content", "", 30, 30, "all of it" },
  { "content", "reserve=0", 15, 15, "nothing put by" },
  { "content", "key=0", 15, 16, "ordinary pictures may use it all" },
};

static void
test_key_frame (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), green = 0;
  g_autoptr (RaColour) c = ra_colour_new (
      ra_colour_find (key_rows[i].ops), key_rows[i].params, NULL);

  ra_colour_set_rate (c, 1000000);
  for (guint n = 0; n < 530; n++) {
    RaColourPacket p = { 1250, n < 500 ? BASE : KEY, FALSE };
    RaMark mark = ra_colour_mark (c, &p, n * 10 * RA_MSECOND);

    green += n >= 500 && mark == RA_MARK_GREEN;
  }
  g_test_message ("%s: %u green", key_rows[i].why, green);
  g_assert_cmpuint (green, >=, key_rows[i].from);
  g_assert_cmpuint (green, <=, key_rows[i].to);
}

/* Which importance gets what share of green, at 50 % green, 30 % for all: the
 * lowest get 30 %, the next take what is left, the highest first.  At 10 Mb/s
 * the reserve is of 300 packets: chance does not empty it. */
static const struct
{
  gint importance[4];
  gdouble share[4]; /* of the bytes */
  gdouble green[4]; /* of its own */
  const gchar *why;
} layer_rows[] = {
  { { BASE }, { 1 }, { .5 }, "one layer: all that there is" },
  { { TOP }, { 1 }, { .5 }, "unimportant, but nobody else wants it" },
  { { KEY }, { 1 }, { .5 }, "not more, either" },
  { { UNKNOWN }, { 1 }, { .5 }, "unknown" },
  { { BASE, TOP }, { .5, .5 }, { .7, .3 }, ".3 * .5 leaves .35 of .5" },
  { { BASE, 7, TOP }, { .25, .25, .5 }, { 1, .4, .3 },
      ".3 * .5 and 1 * .25 leave .1 of .25" },
  { { KEY, BASE }, { .1, .9 }, { 1, 4 / 9. }, "1 * .1 leaves .4 of .9" },
  { { KEY, BASE, TOP }, { .2, .4, .4 }, { 1, .45, .3 },
      ".3 * .4 and 1 * .2 leave .18 of .4" },
};

static void
test_layers (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaColour) c
      = ra_colour_new (ra_colour_find ("content"), NULL, NULL);
  gdouble sent[4] = { 0 }, green[4] = { 0 };
  RaRng rng;

  ra_rng_init (&rng, 1, i);
  ra_colour_set_rate (c, 10000000);
  for (guint n = 0; n < 60000; n++) {
    gdouble x = ra_rng_uniform (&rng);
    RaColourPacket p = { .size = 1250 };
    guint k = 0;

    while (k < 3 && x >= layer_rows[i].share[k])
      x -= layer_rows[i].share[k++];
    p.importance = (RaImportance) layer_rows[i].importance[k];
    sent[k]++;
    green[k] += ra_colour_mark (c, &p, n * RA_MSECOND) == RA_MARK_GREEN;
  }
  for (guint k = 0; k < 4 && layer_rows[i].share[k] > 0; k++) {
    g_test_message ("%s: %g of %d, theory %g", layer_rows[i].why,
        green[k] / sent[k], layer_rows[i].importance[k],
        layer_rows[i].green[k]);
    /* 1 % for the randomness of the mix */
    g_assert_cmpfloat (
        fabs (green[k] / sent[k] - layer_rows[i].green[k]), <, .01);
  }
}

/* What cannot be read is marked as `profile` would mark it alone, whatever
 * goes on beside it, as long as the rate suffices for both. */
static void
test_unknown_as_profile (void)
{
  g_autoptr (RaColour) profile
      = ra_colour_new (ra_colour_find ("profile"), NULL, NULL);
  g_autoptr (RaColour) content
      = ra_colour_new (ra_colour_find ("content"), NULL, NULL);
  RaRng rng;

  ra_rng_init (&rng, 1, 1);
  ra_colour_set_rate (profile, 10000000);
  ra_colour_set_rate (content, 10000000);
  for (guint n = 0; n < 10000; n++) {
    RaTime now = n * RA_MSECOND;
    RaColourPacket p = { 40 + ra_rng_next (&rng) % 1160, UNKNOWN, FALSE };

    if (ra_rng_chance (&rng, .5))
      p.importance = (RaImportance) (1 + ra_rng_next (&rng) % PARAMETERS);
    if (p.importance == UNKNOWN)
      g_assert_cmpint (ra_colour_mark (content, &p, now), ==,
          ra_colour_mark (profile, &p, now));
    else
      ra_colour_mark (content, &p, now);
  }
}

void
tests_add (void)
{
  rows_add ("/colour/dscp", dscp_rows, test_dscp);
  rows_add ("/colour/hand", hand, test_hand);
  rows_add ("/colour/key-frame", key_rows, test_key_frame);
  rows_add ("/colour/layers", layer_rows, test_layers);
  g_test_add_func ("/colour/unknown-as-profile", test_unknown_as_profile);
}
