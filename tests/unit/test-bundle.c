/* One sequence from packets of several SSRCs, with and without transport-wide
 * numbers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "../script.h"

#include <gst/rtpadapt/loss/bundle.h>

#include <string.h>

/* Packets are SSRC, RTP number, [/NUMBER], [+MORE]: so many more follow, with
 * numbers as well.  What each becomes, of the last of `+`: 0 for the first one
 * of all, x ignored. */
static const struct
{
  const gchar *packets, *become, *why;
} rows[] = {
  { "A1 A2 A3", "0 1 2", "one SSRC" },
  { "A1 A2 A5", "0 1 4", "3 and 4 are missing" },
  { "A1 A3 A2", "0 2 1", "late, it gets what was left out" },
  { "A1 A2 A2 A1", "0 1 1 0", "copies" },
  { "A65534 A65535 A1", "0 1 3", "0 is missing; the wrap is none" },
  { "A1 B7 A2 B8 A3", "0 1 2 3 4", "two SSRCs, nothing is missing" },
  { "A1 B1 A2 B3 A3 B4", "0 1 2 4 5 6", "B2 is missing where B3 came" },
  { "A1 B1 A3 B3 B2 A2", "0 1 3 5 4 2", "both late, in another order" },
  { "A1 B1 A2 C1 B2", "0 1 2 3 4", "a third one" },
  { "A1 A2 C900 C901 C903", "0 1 2 3 5", "the SSRC changed" },
  { "A5 A4 A6", "0 x 1", "A4 was sent before the first, nobody misses it" },
  { "A1 A3001", "0 x", "RFC 3550 A.1: MAX_DROPOUT is 3000" },
  { "A1 A3000", "0 2999", "one less is a gap" },
  { "A1 A5000 A5001 A5003", "0 x 1 3", "two in a row: the source restarted" },
  { "A1 A5000 A2", "0 x 1", "once: a stray packet" },
  { "A1 A5000 A5001 A2 A3 A4", "0 x 1 x 2 3", "and back" },
  { "A200 A299 A200", "0 99 0", "RFC 3550 A.1: MAX_MISORDER is 100; a copy" },
  { "A200 A300 A200", "0 100 x", "too late to say" },

  { "A1/7 A2/8 A3/10", "0 1 3", "9 is missing" },
  { "A1/65535 A2/0", "0 1", "the number wraps, too" },
  { "A1/7 B1/8 A2/10 B2/9", "0 1 3 2", "of all SSRCs; 9 was late" },
  { "A1/7 A5/8", "0 1", "A2 to A4 were dropped by the sender itself" },
  { "A1 A5", "0 4", "without numbers they look lost" },
  { "A1/1 A2 A3/2 A4 A5/4", "0 1 2 3 5",
      "FEC without numbers between: 3 is missing, once" },
  { "A1/1 A2 A2 A3/2", "0 1 1 2", "a copy of one without a number" },
  { "A1/1 A2 A3/2+200 A2", "0 1 201 202", "200 later it may have come round" },
  { "A1/1 A4 A5/2", "0 1 2", "A2, A3 had no number, or it would show" },
  { "A1/1 B1 A2/2 B3", "0 1 2 4", "B never has a number: B2 is missing" },
  { "A1 A2 A5/7 A6/8", "0 1 2 3", "the number begins" },
  { "A1/7 A2+100 A102", "0 100 101", "and ends" },
  { "A1/7 A2+100 A104", "0 100 103", "then the RTP number counts" },
  { "A1/7 A2+98 A102", "0 98 99", "before, it might be a block of FEC" },
  { "A1/7 A2+99 A101/8 A102+98 A203", "0 99 100 198 199", "in a row" },
  { "A1/7 A2+60 A62/8 A63+60 A123/10", "0 60 61 121 123", "9 is missing" },
  { "A1/7 A2+100 A102/300 A103/302", "0 100 101 103", "it begins again" },
};

static void
bundle_word (RaBundle *b, const ScriptWord *w, GString *out)
{
  guint64 more = script_value (w, '+', 1) - 1, become = 0;
  RaBundleResult result = RA_BUNDLE_BAD;

  for (guint64 i = 0; i <= more; i++)
    result = ra_bundle_push (b, (guint32) w->letter, (guint16) (w->number + i),
        script_has (w, '/') ? (gint) (script_value (w, '/', 0) + i) & 0xffff
                            : -1,
        &become);
  if (out->len > 0)
    g_string_append_c (out, ' ');
  if (result == RA_BUNDLE_BAD)
    g_string_append_c (out, 'x');
  else
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, become - 65536);
}

static void
test_bundle (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const gchar *script = rows[i].packets;
    g_autoptr (GString) out = g_string_new (NULL);
    RaBundle *b = ra_bundle_new ();

    for (ScriptWord w; script_next (&script, &w);)
      bundle_word (b, &w, out);
    if (strcmp (out->str, rows[i].become) != 0)
      g_test_message ("%s: %s", rows[i].packets, rows[i].why);
    g_assert_cmpstr (out->str, ==, rows[i].become);
    ra_bundle_free (b);
  }
}

/* Numbers past 2^16 and 2^17, of two SSRCs: of 200,000 each 1000th is missing. */
static void
test_wraps (void)
{
  RaBundle *b = ra_bundle_new ();
  guint64 out = 0, arrived = 0;

  for (guint i = 0; i < 200000; i++) {
    if (i % 1000 == 999)
      continue;
    ra_bundle_push (b, 1 + i % 2, (guint16) (i / 2), (gint) (i & 0xffff), &out);
    arrived++;
  }
  g_assert_cmpuint (arrived, ==, 199800);
  g_assert_cmpuint (ra_bundle_length (b), ==, 199999); /* the last is missing */
  g_assert_cmpuint (out, ==, 65536 + 199998);
  ra_bundle_free (b);
}

/* The seventeenth SSRC takes the place of the one heard of least lately: of what
 * the others lose nothing is overlooked. */
static void
test_many_ssrcs (void)
{
  RaBundle *b = ra_bundle_new ();
  guint64 out = 0;

  for (guint32 ssrc = 0; ssrc < 16; ssrc++)
    ra_bundle_push (b, ssrc, 10, -1, &out);
  ra_bundle_push (b, 0, 11, -1, &out);
  ra_bundle_push (b, 99, 10, -1, &out); /* instead of 1 */
  g_assert_cmpuint (out, ==, 65536 + 17);
  ra_bundle_push (b, 0, 13, -1, &out); /* 12 is missing */
  g_assert_cmpuint (out, ==, 65536 + 19);
  ra_bundle_push (b, 1, 12, -1, &out); /* nobody knows of 11 */
  g_assert_cmpuint (out, ==, 65536 + 20);
  ra_bundle_push (b, 3, 12, -1, &out); /* 11 is missing */
  g_assert_cmpuint (out, ==, 65536 + 22);
  ra_bundle_free (b);
}

void
tests_add (void)
{
  g_test_add_func ("/bundle/rows", test_bundle);
  g_test_add_func ("/bundle/wraps", test_wraps);
  g_test_add_func ("/bundle/many-ssrcs", test_many_ssrcs);
}
