/* Fuzz target: TFRC-FB, as bytes and as the sender hears it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input is one FCI; and it is feedback, one after the other: 1 byte, how
 * many ms after the one before, and 16 of FCI.  What was sent: tfrcear-fixture.h.
 */
#include "fuzz.h"
#include "laws.h"

#include "../unit/tfrcear-fixture.h"

static void
read_alone (const guint8 *data, gsize size)
{
  guint8 again[RA_TFRC_FB_SIZE];
  RaTfrcFb x;

  fuzz_poison (&x, sizeof x);
  if (!ra_tfrc_fb_read (&x, data, size)) {
    g_assert_true (fuzz_is_poison (&x, sizeof x));
    return;
  }
  g_assert_true (x.p >= 0 && x.p < 1 && x.t_delay >= 0);
  g_assert_cmpuint (ra_tfrc_fb_write (&x, again, sizeof again), ==, size);
  fuzz_check_same (again, sizeof again, data, size);
}

static void
hear (Ear *e, const guint8 *fci, gsize size, RaTime now)
{
  RaHeard heard;

  ear_send (e, now);
  heard = ra_tfrc_ear_on_tfrc (
      e->tfrc_ear, fci, size, now, &e->report, &e->t_delay);
  g_assert_cmpuint (heard, <, RA_N_HEARD);
  g_assert_true ((heard == RA_HEARD_MALFORMED) == (size != RA_TFRC_FB_SIZE));
  fuzz_note ("heard %d", heard);
  if (heard == RA_HEARD_OK)
    law_report (&e->report, e->t_delay, now, (e->next - MS (1000)) / MS (10));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  RaTime now = MS (1100);
  g_auto (Ear) e;

  read_alone (data, size);
  ear_init (&e);
  while (b.left > 0) {
    g_autofree guint8 *fci = NULL;
    gsize n;

    now += MS (fuzz_take (&b, 1));
    fci = fuzz_copy (&b, RA_TFRC_FB_SIZE, &n);
    hear (&e, fci, n, now);
  }
  return 0;
}
