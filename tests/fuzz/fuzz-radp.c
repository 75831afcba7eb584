/* Fuzz target: the APP packet RADP, as bytes and as the sender hears it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input is the data of one; and it is a line of reports: 1 byte, how many
 * ms after the one before; 1, the size of the RADP; the RADP; 16 of TFRC-FB's
 * FCI. What was sent: tfrcear-fixture.h.
 */
#include "fuzz.h"
#include "laws.h"

#include "../unit/tfrcear-fixture.h"

#define QUEUES 8 /* bytes of the lowest and the highest */

static void
check (const RaRadp *x)
{
  g_assert_true (x->w >= 0 && x->w < 1 && x->p_c >= 0 && x->p_c < 1);
  g_assert_true (x->delayed >= 0 && x->delayed < 1);
  g_assert_true (x->burst >= 0 && x->burst < 256);
  g_assert_true (x->queue >= 0 || x->queue == RA_SPAN_NONE);
  g_assert_cmpuint (strnlen (x->lda, sizeof x->lda), <=, RA_RADP_LDA_MAX);
  for (const gchar *c = x->lda; *c; c++)
    g_assert_true (g_ascii_isgraph (*c));
}

/* What happened between two of them. */
static void
check_since (const RaRadp *x, const RaRadp *before)
{
  RaReport report;

  fuzz_poison (&report, sizeof report);
  if (!ra_radp_since (x, before, &report)) {
    g_assert_true (fuzz_is_poison (&report, sizeof report));
    return;
  }
  g_assert_cmpuint (report.wireless_runs, <=, report.lost_wireless);
  g_assert_cmpuint (report.expected, <=, G_MAXINT32);
  g_assert_cmpuint (report.arrived, <=, G_MAXINT32);
  g_assert_cmpuint (report.lost_congestion, <=, G_MAXINT32);
  g_assert_cmpint (report.loss_age, >=, 0);
}

static gboolean
read_alone (RaRadp *x, const guint8 *data, gsize size)
{
  guint8 bytes[RA_RADP_SIZE_MAX], twice[RA_RADP_SIZE_MAX];
  RaRadp again;
  gsize n;

  fuzz_poison (x, sizeof *x);
  if (!ra_radp_read (x, data, size)) {
    g_assert_true (fuzz_is_poison (x, sizeof *x));
    return FALSE;
  }
  check (x);
  n = ra_radp_write (x, bytes, sizeof bytes);
  g_assert_cmpuint (n, >, 0);
  if (n > size) { /* it had not both queues behind the name, now it has */
    g_assert_cmpuint (n - size, <=, QUEUES);
    g_assert_cmpint (x->queue_min, ==, RA_SPAN_NONE);
    g_assert_cmpint (x->queue_max, ==, RA_SPAN_NONE);
  }
  g_assert_true (ra_radp_read (&again, bytes, n));
  g_assert_cmpuint (ra_radp_write (&again, twice, sizeof twice), ==, n);
  fuzz_check_same (bytes, n, twice, n);
  fuzz_note_bytes ("radp", bytes, n);
  check_since (x, NULL);
  return TRUE;
}

static void
hear (Ear *e, FuzzBytes *b, RaTime now)
{
  gsize size, fci_size;
  g_autofree guint8 *data = NULL, *fci = NULL;
  RaHeard heard;

  size = (gsize) fuzz_take (b, 1);
  data = fuzz_copy (b, size, &size);
  fci = fuzz_copy (b, RA_TFRC_FB_SIZE, &fci_size);
  ear_send (e, now);
  heard = ra_tfrc_ear_on_radp (e->tfrc_ear, data, size, now);
  fuzz_note ("RADP heard %d", heard);
  g_assert_cmpuint (heard, <, RA_N_HEARD);
  heard = ra_tfrc_ear_on_tfrc (
      e->tfrc_ear, fci, fci_size, now, &e->report, &e->t_delay);
  fuzz_note ("heard %d", heard);
  if (heard == RA_HEARD_OK)
    law_report (&e->report, e->t_delay, now, (e->next - MS (1000)) / MS (10));
  if (ra_tfrc_ear_radp (e->tfrc_ear))
    check (ra_tfrc_ear_radp (e->tfrc_ear));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  RaTime now = MS (1100);
  RaRadp one, other;
  g_auto (Ear) e;

  if (read_alone (&one, data, size) && size >= 8
      && read_alone (&other, data, size / 8 * 4)) {
    check_since (&one, &other);
    check_since (&other, &one);
  }
  ear_init (&e);
  while (b.left > 0) {
    now += MS (fuzz_take (&b, 1));
    hear (&e, &b, now);
  }
  return 0;
}
