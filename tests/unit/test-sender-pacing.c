/* When may the next packet leave?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender-fixture.h"

#include <gst/rtpadapt/util/rng.h>

/* RFC 5348 4.6 with a leaky bucket: in any time t no more than what the rate
 * gave in t and in `burst`, and one packet.  And a sender that always has data
 * uses the rate. */
static const struct
{
  RaSpan burst;
  gboolean idle, changes;
  const gchar *why;
} pacing_rows[] = {
  { 0, FALSE, FALSE, "no burst" },
  { 0, TRUE, FALSE, "silence earns nothing" },
  { 5 * RA_MSECOND, FALSE, FALSE, "bursts of 5 ms" },
  { 5 * RA_MSECOND, TRUE, FALSE, "after a silence too" },
  { 100 * RA_MSECOND, TRUE, FALSE, "bursts of 100 ms" },
  { 0, FALSE, TRUE, "a new rate" },
  { 100 * RA_MSECOND, TRUE, TRUE, "a new rate, bursts, silences" },
};

#define N_PACED 600

typedef struct
{
  gdouble bytes;  /* sent so far, this packet included */
  gdouble earned; /* what the rate gave so far */
} Paced;

static void
pacing_check (const Paced *log, gdouble burst, gdouble bps_max, guint row)
{
  for (guint i = 1; i < N_PACED; i++) {
    for (guint j = i; j < N_PACED; j++) {
      gdouble sent = log[j].bytes - log[i - 1].bytes;
      gdouble most = log[j].earned - log[i].earned + bps_max / 8 * burst + 1500;

      if (sent > most + 1e-3)
        g_test_message ("%u to %u: %s", i, j, pacing_rows[row].why);
      g_assert_cmpfloat (sent, <=, most + 1e-3);
    }
  }
}

/* Idles or changes the rate before packet `i`. */
static void
pacing_disturb (Fixture *f, RaRng *rng, guint i, guint row, gdouble *earned)
{
  RaSpan idle = ra_span (0.2 * ra_rng_uniform (rng));

  if (pacing_rows[row].idle && i % 50 == 49) {
    *earned += (gdouble) probe_rate / 8 * ra_seconds (idle);
    f->now = ra_later (f->now, idle);
  }
  if (pacing_rows[row].changes && i % 20 == 19) {
    RaSpan half = ra_diff (ra_sender_next_send (f->sender, f->now), f->now) / 2;

    *earned += (gdouble) probe_rate / 8 * ra_seconds (half);
    f->now = ra_later (f->now, half);
    probe_rate = 100000 + (guint64) (1900000 * ra_rng_uniform (rng));
    fixture_report (f, f->now - 1, 0); /* R_sample of 1 ns: all it takes */
  }
}

static void
test_pacing (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree Paced *log = g_new0 (Paced, N_PACED);
  gdouble bytes = 0, earned = 0, burst = ra_seconds (pacing_rows[row].burst);
  g_auto (Fixture) f;
  RaRng rng;

  fixture_init (&f, pacing_rows[row].burst);
  ra_rng_init (&rng, 42, row);
  for (guint i = 0; i < N_PACED; i++) {
    guint size = 1 + (guint) (1499 * ra_rng_uniform (&rng));
    RaTime next;

    pacing_disturb (&f, &rng, i, row, &earned);
    next = ra_sender_next_send (f.sender, f.now);
    g_assert_cmpuint (next, >=, f.now);
    earned += (gdouble) probe_rate / 8 * ra_seconds (ra_diff (next, f.now));
    f.now = next;
    g_assert_cmpuint (ra_sender_next_send (f.sender, f.now), ==, f.now);
    fixture_send (&f, size, RA_SENT_WAITING | RA_SENT_ASKS);
    bytes += size;
    log[i] = (Paced){ bytes, earned };
  }
  pacing_check (log, burst, pacing_rows[row].changes ? 2e6 : 1e6, row);
  /* The last packet is not yet paid for; 2 ns per packet are rounding. */
  if (!pacing_rows[row].idle)
    g_assert_cmpfloat (bytes, >=, earned - 1);
}

/* A clock that falls back takes no credit away, and no debt is to be waited for
 * until it is there again: the next packet goes, and the one after it when that
 * is paid for. */
static void
test_pacing_back (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, 5 * RA_MSECOND);
  f.now = RA_SECOND;
  fixture_send (&f, 100, 0); /* of the 625 bytes of 5 ms at 1 Mbit/s */
  f.now -= 100 * RA_MSECOND;
  g_assert_cmpuint (ra_sender_next_send (f.sender, f.now), ==, f.now);
  fixture_send (&f, 1250, 0);
  f.now -= 100 * RA_MSECOND;
  g_assert_cmpuint (ra_sender_next_send (f.sender, f.now), ==, f.now);
  fixture_send (&f, 1250, 0);
  g_assert_cmpuint (ra_sender_next_send (f.sender, f.now), >, f.now);
  g_assert_cmpuint (
      ra_sender_next_send (f.sender, f.now), <=, f.now + 20 * RA_MSECOND);
}

/* 1,250 bytes are 10 ms at 1 Mbit/s; the second packet goes `late` after it may,
 * and leaves `wait` until the third: 10 less what is made up for. */
static const struct
{
  gint rtt, late, wait; /* ms */
  guint flags;          /* of the first packet */
  const gchar *why;
} late_rows[] = {
  { 60, 0, 10, RA_SENT_WAITING, "in time" },
  { 60, 4, 6, RA_SENT_WAITING, "a late wake-up costs no rate" },
  { 60, 8, 2, RA_SENT_WAITING, "nor one later than the burst of 5 ms" },
  { 60, 8, 5, 0, "there was nothing to send: the burst" },
  { 60, 8, 5, RA_SENT_HELD, "nor where the rate holds a source back" },
  { 6, 8, 4, RA_SENT_WAITING, "at most a round trip (RFC 5348 4.6)" },
  { 2, 8, 5, RA_SENT_WAITING, "or the burst" },
  { 60, 500, 0, RA_SENT_WAITING, "40 ms: the third at once" },
};

static void
test_pacing_late (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaSpan wait;
  g_auto (Fixture) f;

  fixture_init (&f, 5 * RA_MSECOND);
  probe_rate = 1000000;
  fixture_send (&f, 1, RA_SENT_ASKS);
  f.now = RA_SECOND;
  fixture_report (&f, f.now - (RaTime) late_rows[row].rtt * RA_MSECOND, 0);
  f.now += 625 * 8 * RA_USECOND; /* what the burst allows is used up, */
  fixture_send (&f, 625, RA_SENT_WAITING);
  fixture_send (&f, 1250, late_rows[row].flags);
  f.now += (10 + (RaTime) late_rows[row].late) * RA_MSECOND;
  fixture_send (&f, 1250, late_rows[row].flags);
  wait = ra_diff (ra_sender_next_send (f.sender, f.now), f.now);
  g_test_message ("%s", late_rows[row].why);
  g_assert_cmpint (
      ABS (wait - late_rows[row].wait * RA_MSECOND), <=, RA_USECOND);
}

/* Ten packets of 1,212 bytes and ten of 26 take turns at 2 Mbit/s, on a line that counts
 * headers of 28 bytes and sends 2 Mbit/s of 1,240: a small one takes it 54 of those, .216
 * ms.  Its 26 bytes are .104 ms of the rate, or s = 619: 74 * 619 / 667 = 68 bytes, .272
 * ms, with headers.  A large one is paid for by what it has. */
static const struct
{
  gboolean apart;
  guint size;
  RaSpan least, most; /* us, until the next one may leave */
  const gchar *why;
} apart_rows[] = {
  { FALSE, 26, 104, 105, "nothing is lost: what the rate says" },
  { TRUE, 26, 216, 296, "the line is free: 74 bytes at most" },
  { TRUE, 1212, 4848, 4849, "and no packet costs less than its bytes" },
};

static void
test_pacing_apart (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaSpan wait;
  g_auto (Fixture) f;

  g_test_message ("%s", apart_rows[row].why);
  fixture_init (
      &f, apart_rows[row].apart ? RA_MSECOND : 0); /* which is taken away */
  probe_rate = 2000000;
  for (guint i = 0; i < 20; i++) {
    f.now += 100 * RA_MSECOND;
    fixture_send (&f, i % 2 ? 26 : 1212, RA_SENT_ASKS);
  }
  probe_apart = apart_rows[row].apart;
  fixture_report (&f, f.now - 50 * RA_MSECOND, 0);
  probe_apart = FALSE;
  f.now += 100 * RA_MSECOND;
  fixture_send (&f, apart_rows[row].size, RA_SENT_ASKS);
  wait = ra_diff (ra_sender_next_send (f.sender, f.now), f.now);
  g_assert_cmpint (wait, >=, apart_rows[row].least * RA_USECOND);
  g_assert_cmpint (wait, <=, apart_rows[row].most * RA_USECOND);
}

void
tests_add (void)
{
  rows_add ("/sender/pacing", pacing_rows, test_pacing);
  g_test_add_func ("/sender/pacing-back", test_pacing_back);
  rows_add ("/sender/pacing-late", late_rows, test_pacing_late);
  rows_add ("/sender/pacing-apart", apart_rows, test_pacing_apart);
}
