/* Fuzz target: RTCP compounds as the sender's ear reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte is the feedback in use: tfrc, ccfb, twcc, none; then come
 * compounds, each behind 1 byte: its words, and bit 7 for 2 bytes less.
 * Sixteen packets leave before the first and two before each other one
 * (heard-fixture.h).
 */
#include "earfuzz.h"

static const RaFeedbackOps *
kind_of (guint byte)
{
  static const RaFeedbackOps *const kinds[]
      = { &ra_feedback_tfrc, &ra_feedback_ccfb, &ra_feedback_twcc, NULL };

  return kinds[byte % G_N_ELEMENTS (kinds)];
}

static RaEarNews
hear (Heard *h, FuzzBytes *b)
{
  guint words = (guint) fuzz_take (b, 1);
  gsize size = (words & 0x7f) * 4;
  g_autofree guint8 *data
      = fuzz_copy (b, words & 0x80 && size >= 2 ? size - 2 : size, &size);

  return ra_ear_on_rtcp (h->ear, data, size, h->now);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  Heard h;

  heard_init (&h, kind_of ((guint) fuzz_take (&b, 1)));
  heard_send (&h, 14);
  while (b.left > 0) {
    heard_send (&h, 2);
    earfuzz_check (&h, hear (&h, &b));
  }
  earfuzz_end (&h);
  return 0;
}
