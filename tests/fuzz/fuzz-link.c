/* Fuzz target: the text of a chain of link models, and the chain.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first line is the chain, the second (where a model reads a file) the
 * file; then packets, of 4 bytes: flow and mark, size / 8, time since the one
 * before, mantissa and exponent (4 bits each), what comes after it (bit 0 a
 * look at the values, bit 1 a flush).
 */
#include "fuzz.h"
#include "laws.h"

#include <gst/rtpadapt/link.h>

#define PACKETS_MAX 256
#define EVENTS_MAX 4096 /* of what is still inside at the end */

typedef struct
{
  RaTime now; /* of the latest that came out */
  guint64 out, congestion, wireless, discarded;
} Seen;

static gchar *file;

static void
deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Seen *seen = data;

  g_assert_cmpuint (now, >=, seen->now);
  g_assert_cmpuint (p->entered, <=, now);
  g_assert_cmpint (p->queued, >=, 0);
  g_assert_cmpint (p->queued, <=, ra_diff (now, p->entered));
  seen->now = now;
  seen->out++;
}

static void
drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Seen *seen = data;

  g_assert_true (cause == RA_CAUSE_CONGESTION || cause == RA_CAUSE_WIRELESS);
  seen->congestion += cause == RA_CAUSE_CONGESTION;
  seen->wireless += cause == RA_CAUSE_WIRELESS;
}

static void
discard (const RaLinkPacket *p, gpointer data)
{
  ((Seen *) data)->discarded++;
}

static gboolean
load (const gchar *name, gchar **text, gsize *length, GError **error)
{
  *text = g_strdup (file);
  *length = strlen (file);
  return TRUE;
}

/* Nothing is lost without its true cause. */
static void
check (const RaLink *l, const Seen *seen, guint64 in)
{
  RaLinkStats s;

  ra_link_get_stats (l, &s);
  g_assert_cmpuint (s.in, ==, in);
  g_assert_cmpuint (s.out, ==, seen->out);
  g_assert_cmpuint (s.congestion, ==, seen->congestion);
  g_assert_cmpuint (s.wireless, ==, seen->wireless);
  g_assert_cmpuint (in, ==,
      s.out + s.congestion + s.wireless + seen->discarded + ra_link_held (l));
  g_assert_cmpuint (s.bytes_out, <=, s.bytes_in);
  fuzz_note ("out %" G_GUINT64_FORMAT " congestion %" G_GUINT64_FORMAT
             " wireless %" G_GUINT64_FORMAT " held %u now %" G_GUINT64_FORMAT,
      s.out, s.congestion, s.wireless, ra_link_held (l), seen->now);
}

static RaTime
push (RaLink *l, FuzzBytes *b, guint64 seq, RaTime now)
{
  guint who = (guint) fuzz_take (b, 1), size = (guint) fuzz_take (b, 1);
  guint span = (guint) fuzz_take (b, 1), then = (guint) fuzz_take (b, 1);

  now += (RaTime) (span >> 4) << (span & 15) << 16; /* to 32 s */
  ra_link_push (l,
      &(RaLinkPacket){ .seq = seq,
          .flow = who >> 2,
          .mark = (RaMark) (who & 3),
          .size = size * 8 },
      now);
  if (then & 1)
    ra_link_observe (l, law_no_nan, NULL);
  if (then & 2)
    ra_link_clear (l);
  ra_link_capacity (l, now);
  return now;
}

static void
play (RaLink *l, FuzzBytes *b, Seen *seen)
{
  RaTime now = RA_SECOND;
  guint64 in = 0;

  while (b->left > 0 && in < PACKETS_MAX) {
    now = push (l, b, in++, now);
    check (l, seen, in);
  }
  for (guint i = 0; i < EVENTS_MAX; i++) {
    RaTime next = ra_link_next (l);

    if (next == RA_TIME_NONE)
      break;
    g_assert_cmpuint (next, >=, now);
    now = next;
    ra_link_run (l, now);
    check (l, seen, in);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const RaLinkSink sink = { deliver, drop, discard, load };
  FuzzBytes b = fuzz_bytes (data, size);
  g_autofree gchar *text = fuzz_line (&b);
  g_autoptr (GError) error = NULL;
  Seen seen = { 0 };
  g_autoptr (RaLink) l = NULL;

  file = fuzz_line (&b);
  g_strdelimit (file, ";", '\n'); /* the file's own lines */
  l = ra_link_parse (text, 1, &sink, &seen, &error);
  g_assert_true ((l == NULL) == (error != NULL));
  if (l)
    play (l, &b, &seen);
  else
    fuzz_check_message (error);
  g_free (file);
  return 0;
}
