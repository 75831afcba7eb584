/* The sender's clock as its stamps show it: what a packet's queue looks like
 * before and after one of the clocks is set.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/feedback/sendclock.h>

#define HOUR (3600 * RA_SECOND)
#define BEGIN (10 * HOUR)
/* The stamp is the low 32 bits of the microseconds (feedback/stamp.h). */
#define STAMP(t) ((guint32) ((t) / RA_USECOND))

/* A packet through an empty queue, one that waited for `before`, and after `gap`,
 * in which the clocks were set, one that waits for `after`.  The third is said to
 * have waited for `want`: a queue of 90 ms has 80 left after 10 ms at least. */
static const struct
{
  RaSpan here, there, gap; /* ms */
  guint before, after, want;
  const gchar *why;
} rows[] = {
  { 0, 0, 10, 90, 90, 90, "no clock was set: just what it waited" },
  { 0, 0, 10, 90, 0, 0, "nor here" },
  { -3600000, 0, 10, 90, 90, 80, "the queue cannot have drained" },
  { 3600000, 0, 10, 90, 90, 80, "whichever way the sender's clock goes" },
  { -20000, 0, 10, 90, 90, 80, "and however far" },
  { 0, -3600000, 10, 90, 90, 80, "or the receiver's" },
  { 0, 3600000, 10, 90, 90, 80, "either way" },
  { -3600000, 0, 180, 90, 0, 0,
      "180 ms later, without a queue, it arrives 90 ms later" },
  { 3600000, 0, 1000, 90, 0, 0, "a sender that was away and began again" },
  { 0, -3600000, 1000, 90, 0, 0, "a silence, and the receiver's clock is set" },
  { -3600000, 0, 10, 0, 0, 0, "an empty queue stays one" },
};

static void
test_queue (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSpan sent[] = { 0, RA_SECOND, RA_SECOND + rows[i].gap * RA_MSECOND };
  RaSpan waited[]
      = { 0, rows[i].before * RA_MSECOND, rows[i].after * RA_MSECOND };
  RaSendClock c;

  g_test_message ("%s", rows[i].why);
  ra_send_clock_init (&c);
  for (guint k = 0; k < G_N_ELEMENTS (sent); k++) {
    RaTime here = BEGIN + (RaTime) sent[k];
    RaTime there = here + (RaTime) (25 * RA_MSECOND + waited[k]);

    if (k == 2) {
      here = ra_later (here, rows[i].here * RA_MSECOND);
      there = ra_later (there, rows[i].there * RA_MSECOND);
    }
    g_assert_true (ra_send_clock_hear (&c, STAMP (here), there));
  }
  g_assert_cmpint (ra_send_clock_queue (&c), ==, rows[i].want * RA_MSECOND);
}

void
tests_add (void)
{
  rows_add ("/sendclock/queue", rows, test_queue);
}
