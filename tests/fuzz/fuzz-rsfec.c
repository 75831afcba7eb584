/* Fuzz target: repair packets of the Reed-Solomon code, and media packets between
 * them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input is a line of packets: 1 byte, above 127 for the payload of a repair
 * packet; 2, its size; and as many bytes.
 */
#include "fuzz.h"

#include <gst/rtpadapt/repair/rsfec.h>

/* What comes back is a packet.  The number of a lost repair packet does not
 * count. */
static guint
take_all (RaRsfec *x)
{
  RaRsfecPacket packet;
  guint n = 0;

  while (ra_rsfec_take (x, &packet)) {
    if (!packet.data)
      continue;
    n++;
    g_assert_cmpuint (packet.size, >=, RA_RTP_HEADER);
    g_assert_cmpuint (packet.size, <=, RA_RTP_HEADER + G_MAXUINT16);
    g_assert_cmphex (packet.data[0] >> 6, ==, 2);
    fuzz_note_bytes ("back", packet.data, packet.size);
    g_free (packet.data);
  }
  return n;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  g_autoptr (RaRsfec) x = ra_rsfec_new ();
  RaRsfecStats stats;
  guint64 repair = 0, bad = 0, back = 0;

  while (b.left > 0) {
    guint64 kind = fuzz_take (&b, 1);
    gboolean is_repair = kind > 127, again = (kind & 64) != 0;
    gsize n = (gsize) fuzz_take (&b, 2);
    g_autofree guint8 *bytes = fuzz_copy (&b, n, &n); /* for ASan */

    if (is_repair) {
      repair++;
      bad += !ra_rsfec_on_repair (x, 1,
          (guint16) (n < 6 ? 0 : ra_get_u16 (bytes + 4) + 255), bytes, n, 0);
    } else if (n >= RA_RTP_HEADER) {
      ra_rsfec_on_media (x, &(RaRtpBytes){ bytes, (guint) n }, again, repair);
    }
    back += take_all (x);
  }
  stats = ra_rsfec_stats (x);
  g_assert_cmpuint (stats.repair, ==, repair);
  g_assert_cmpuint (stats.bad, >=, bad);
  g_assert_cmpuint (stats.bad, <=, repair);
  g_assert_cmpuint (stats.recovered, ==, back);
  fuzz_note ("%" G_GUINT64_FORMAT " bad", stats.bad);
  return 0;
}
