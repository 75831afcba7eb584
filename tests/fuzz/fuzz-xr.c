/* Fuzz target: an extended report (RFC 3611).  The input is the packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include <gst/rtpadapt/feedback/xr.h>

/* Each statement is written again, and reads the same. */
static void
check_again (const RaXrItem *item)
{
  guint8 bytes[RA_XR_DLRR_SIZE (1)];
  RaXrReader r;
  RaXrItem again;
  gsize size = item->kind == RA_XR_RRTR
      ? ra_xr_write_rrtr (bytes, sizeof bytes, item->ssrc, item->ntp)
      : ra_xr_write_dlrr (bytes, sizeof bytes, item->ssrc, &item->dlrr, 1);

  g_assert_true (ra_xr_read (&r, bytes, size));
  g_assert_true (ra_xr_next (&r, &again));
  g_assert_cmpint (again.kind, ==, item->kind);
  g_assert_cmphex (again.ssrc, ==, item->ssrc);
  g_assert_cmphex (again.ntp, ==, item->ntp);
  fuzz_check_same ((const guint8 *) &again.dlrr, sizeof again.dlrr,
      (const guint8 *) &item->dlrr, sizeof item->dlrr);
  g_assert_false (ra_xr_next (&r, &again));
  fuzz_note_bytes ("item", bytes, size);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree guint8 *exact = g_memdup2 (data, size); /* for ASan */
  gsize items = 0;
  RaXrReader r;
  RaXrItem item;

  fuzz_poison (&r, sizeof r);
  if (!ra_xr_read (&r, exact, size)) {
    g_assert_true (fuzz_is_poison (&r, sizeof r));
    return 0;
  }
  for (; ra_xr_next (&r, &item); items++)
    check_again (&item);
  g_assert_cmpuint (12 * items, <=, size);
  return 0;
}
