/* The friendliness cap where a queue stands.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/friendly.h>

#define BASE 100 /* ms, the least RTT */

/* Tr, of 100 reports with one RTT, is within 40 ms .8^100 = 1e-8 ms of it.  From
 * 10 ms of queue on to 40 ms the cap falls from c to 2: c (2 / c)^x, where x goes
 * from 0 to 1.  9 (2 / 9)^.5 = 4.2426, 9 (2 / 9)^(1/3) = 5.4513. */
static const struct
{
  const gchar *name;
  guint queue; /* ms */
  gdouble cap, becomes;
  const gchar *why;
} rows[] = {
  { "none", 0, 9, 9, "nothing stands" },
  { "frame", 10, 9, 9, "the packets of a frame wait for each other" },
  { "third", 20, 9, 5.4513, "a third of the way" },
  { "half", 25, 9, 4.2426, "half of it" },
  { "stands", 40, 9, 2, "all of it" },
  { "long", 400, 9, 2, "and not below" },
  { "low", 400, 1.5, 1.5, "who asked for less has that" },
  { "ten", 40, 10, 2, "whatever it was" },
};

static void
reports (RaFriendly *f, guint rtt, guint n, RaTime *now)
{
  RaReport report = {
    .expected = 100,
    .arrived = 95,
    .lost_wireless = 5,
    .rtt = rtt * (RaSpan) RA_MSECOND,
  };

  while (n-- > 0) {
    *now += RA_SECOND / 10;
    ra_friendly_on_report (f, &report, 1000, 0, *now);
  }
}

/* Of X, which is the cap for 1. */
static gdouble
cap_of (const RaFriendly *f, gdouble cap)
{
  return (gdouble) ra_friendly_cap (f, cap) / (gdouble) ra_friendly_cap (f, 1);
}

static void
test_standing (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaTime now = 0;
  RaFriendly f;

  g_test_message ("%s", rows[i].why);
  ra_friendly_init (&f);
  reports (&f, BASE, 10, &now);
  reports (&f, BASE + rows[i].queue, 100, &now);
  g_assert_cmpfloat_with_epsilon (
      cap_of (&f, rows[i].cap), rows[i].becomes, 1e-3);
}

/* The least RTT of the last 120 s counts: a longer way is no queue after that. */
static void
test_route (void)
{
  RaTime now = 0;
  RaFriendly f;

  ra_friendly_init (&f);
  reports (&f, BASE, 10, &now);
  reports (&f, BASE + 40, 1180, &now);
  g_assert_cmpfloat_with_epsilon (cap_of (&f, 9), 2, 1e-3);
  reports (&f, BASE + 40, 40, &now);
  g_assert_cmpfloat_with_epsilon (cap_of (&f, 9), 9, 1e-3);
}

/* A queue that drains lets go with Tr. */
static void
test_drained (void)
{
  RaTime now = 0;
  RaFriendly f;

  ra_friendly_init (&f);
  reports (&f, BASE, 10, &now);
  reports (&f, BASE + 40, 100, &now);
  reports (&f, BASE, 100, &now);
  g_assert_cmpfloat_with_epsilon (cap_of (&f, 9), 9, 1e-3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *path
        = g_strconcat ("/friendly/standing/", rows[i].name, NULL);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_standing);
  }
  g_test_add_func ("/friendly/route", test_route);
  g_test_add_func ("/friendly/drained", test_drained);
  return g_test_run ();
}
