/* Fuzz target: RTCP compounds as rtpadaptsend reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte is the feedback in effect: tfrc, ccfb, twcc, none; then come
 * compounds, each behind 1 byte: its words, and bit 7 for 2 bytes less. 
 * Sixteen packets leave before the first and two before each other one
 * (sendfuzz.h).
 */
#include "sendfuzz.h"

static gint
mode_of (guint byte)
{
  static const gint modes[] = { GST_RTP_ADAPT_FEEDBACK_TFRC,
    GST_RTP_ADAPT_FEEDBACK_CCFB, GST_RTP_ADAPT_FEEDBACK_TWCC, -1 };

  return modes[byte % G_N_ELEMENTS (modes)];
}

static void
hear (SendFuzz *f, FuzzBytes *b)
{
  guint words = (guint) fuzz_take (b, 1);
  gsize size = (words & 0x7f) * 4;
  GstRtpAdaptSend *self = f->self;
  guint8 *data;

  data = fuzz_copy (b, words & 0x80 && size >= 2 ? size - 2 : size, &size);
  if (!data)
    return;
  g_mutex_lock (&self->lock);
  send_apply (self, send_on_rtcp (self, data, size));
  g_mutex_unlock (&self->lock);
  g_free (data);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  SendFuzz f;

  sendfuzz_init (&f, mode_of ((guint) fuzz_take (&b, 1)));
  sendfuzz_send (&f, 14);
  while (b.left > 0) {
    sendfuzz_send (&f, 2);
    hear (&f, &b);
    sendfuzz_check (&f);
  }
  sendfuzz_clear (&f);
  return 0;
}
