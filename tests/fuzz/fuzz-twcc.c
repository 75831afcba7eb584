/* Fuzz target: rtpsession's structure RTPTWCCPackets, as rtpadaptsend reads it and
 * its ear hears it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events, each of 1 byte: how many rows, bit 7 for an event without.  A row: 2
 * bytes of number; 1 of flags: which fields are missing (bits 0 to 4: seqnum,
 * lost, local-ts, size, remote-ts), bit 5 one of another type, bit 6 lost, bit
 * 7 local-ts and size as they were (else 4 and 2 bytes); 4 of remote-ts, us.
 * Four packets leave before each (heard-fixture.h), numbered from 0.
 */
#include "earfuzz.h"

#include "send/twcc.h"

#define NUMBER 1
#define LOST 2
#define LOCAL 4
#define SIZE 8
#define REMOTE 16
#define OTHER_TYPE 32
#define IS_LOST 64
#define TRUE_LOCAL 128

static GstStructure *
row_of (guint number, guint flags, FuzzBytes *b)
{
  GstStructure *s = gst_structure_new_empty ("RTPTWCCPacket");
  guint64 local = HEARD_START + number * (guint64) HEARD_GAP;
  guint size = HEARD_SIZE - 12;

  if (!(flags & TRUE_LOCAL)) {
    local = fuzz_take (b, 4) << 12;
    size = (guint) fuzz_take (b, 2);
  }
  if (!(flags & NUMBER))
    gst_structure_set (s, "seqnum", G_TYPE_UINT, number, NULL);
  if (!(flags & LOST))
    gst_structure_set (s, "lost", G_TYPE_BOOLEAN, (flags & IS_LOST) != 0, NULL);
  if (!(flags & LOCAL))
    gst_structure_set (s, "local-ts", G_TYPE_UINT64, local, NULL);
  if (!(flags & SIZE))
    gst_structure_set (s, "size", G_TYPE_UINT, size, NULL);
  if (!(flags & REMOTE))
    gst_structure_set (s, "remote-ts", G_TYPE_UINT64,
        flags & IS_LOST
            ? GST_CLOCK_TIME_NONE
            : fuzz_take (b, 4) * RA_USECOND * (flags & SIZE ? 4096 : 1),
        NULL);
  if (flags & OTHER_TYPE)
    gst_structure_set (s, "seqnum", G_TYPE_STRING, "1", NULL);
  return s;
}

static GValueArray *
rows_of (guint n, FuzzBytes *b)
{
  GValueArray *rows;

  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  rows = g_value_array_new (n);
  for (; n > 0 && b->left > 0; n--) {
    guint number = (guint) fuzz_take (b, 2), flags = (guint) fuzz_take (b, 1);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, row_of (number, flags, b));
    g_value_array_append (rows, &value);
    g_value_unset (&value);
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
  return rows;
}

static GstStructure *
event_of (FuzzBytes *b)
{
  guint n = (guint) fuzz_take (b, 1);
  GstStructure *s = gst_structure_new_empty ("RTPTWCCPackets");
  GValue value = G_VALUE_INIT;

  if (n == 0x80)
    return s;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  g_value_init (&value, g_value_array_get_type ());
  G_GNUC_END_IGNORE_DEPRECATIONS
  if (n != 0x81) /* a field with nothing in it */
    g_value_take_boxed (&value, rows_of (n, b));
  gst_structure_take_value (s, "packets", &value);
  return s;
}

/* Rows that are whole, and no others. */
static RaEarNews
hear (Heard *h, const GstStructure *s)
{
  g_autoptr (GArray) rows = twcc_parse (s);

  if (!rows)
    return RA_EAR_NOTHING;
  for (guint i = 0; i < rows->len; i++) {
    const RaTwccRow *row = &g_array_index (rows, RaTwccRow, i);

    g_assert_true (row->lost || GST_CLOCK_TIME_IS_VALID (row->remote));
  }
  return ra_ear_on_twcc (
      h->ear, (const RaTwccRow *) rows->data, rows->len, h->now);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  Heard h;

  heard_init (&h, &ra_feedback_twcc);
  while (b.left > 0) {
    g_autoptr (GstStructure) s = event_of (&b);

    heard_send (&h, 4);
    earfuzz_check (&h, hear (&h, s));
  }
  earfuzz_end (&h);
  return 0;
}
