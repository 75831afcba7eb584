/* Fuzz target: RTCP compounds as the sender's ear reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte is the feedback in use: tfrc, ccfb, twcc, none; then come
 * compounds, each behind 1 byte: its words, and bit 7 for 2 bytes less.
 * Sixteen packets leave before the first and two before each other one
 * (earfuzz.h).
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
hear (EarFuzz *f, FuzzBytes *b)
{
  guint words = (guint) fuzz_take (b, 1);
  gsize size = (words & 0x7f) * 4;
  g_autofree guint8 *data
      = fuzz_copy (b, words & 0x80 && size >= 2 ? size - 2 : size, &size);

  return ra_ear_on_rtcp (f->ear, data, size, f->now);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  EarFuzz f;

  earfuzz_init (&f, kind_of ((guint) fuzz_take (&b, 1)));
  earfuzz_send (&f, 14);
  while (b.left > 0) {
    earfuzz_send (&f, 2);
    earfuzz_check (&f, hear (&f, &b));
  }
  earfuzz_clear (&f);
  return 0;
}
