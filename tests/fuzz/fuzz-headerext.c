/* Fuzz target: header extensions, written as a packet leaves and read as it
 * comes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 1 byte each: the ids of transport-wide-cc, rtt-sendts and colour in the
 * caps; flags: bit 0 the packet may grow, bit 1 it is in two memories, bits 2
 * to 3 its colour; 3 bytes of RTT, us; the rest is the packet.
 */
#include "fuzz.h"

#include "parts/extmap.h"
#include "recv/recvpackets.h"
#include "send/sendext.h"

#include <gst/rtpadapt/feedback/stamp.h>

#define NOW (1000 * RA_SECOND)

typedef struct
{
  guint ids[3];
  gboolean may_grow, split;
  SendExtValues values;
} Wanted;

static void
caps_add (GstStructure *s, guint id, const gchar *uri)
{
  g_autofree gchar *name = g_strdup_printf ("extmap-%u", id);

  gst_structure_set (s, name, G_TYPE_STRING, uri, NULL);
}

/* As caps have them: two cannot have the same id, the last one has it then. */
static GstStructure *
caps_of (const Wanted *w)
{
  GstStructure *s = gst_structure_new_empty ("application/x-rtp");

  caps_add (s, w->ids[0], EXTMAP_TWCC_URI);
  caps_add (s, w->ids[1], RA_SEND_TS_URI);
  caps_add (s, w->ids[2], RA_COLOUR_EXT_URI);
  return s;
}

static GstBuffer *
buffer_of (const guint8 *data, gsize size, gboolean split)
{
  gsize head = split && size > 1 ? size / 2 : size;
  GstBuffer *buffer = gst_buffer_new_memdup (data, head);

  if (size > head)
    buffer = gst_buffer_append (
        buffer, gst_buffer_new_memdup (data + head, size - head));
  return buffer;
}

/* Bytes of payload and padding at the end; -1: GStreamer says it is no RTP, or
 * it has padding and no byte of it (RFC 3550 5.1), which GStreamer may not
 * see. */
static gssize
payload_of (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gssize size;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return -1;
  size = (gssize) (gst_buffer_get_size (buffer)
      - gst_rtp_buffer_get_header_len (&rtp));
  if (gst_rtp_buffer_get_padding (&rtp) && size == 0)
    size = -1;
  gst_rtp_buffer_unmap (&rtp);
  return size;
}

/* What was written is what a receiver reads, who gets it in one piece. */
static void
check_read (GstBuffer *buffer, const RecvIds *ids, const Wanted *w)
{
  g_autoptr (GstBuffer) whole = gst_buffer_copy_region (buffer,
      (GstBufferCopyFlags) (GST_BUFFER_COPY_MEMORY | GST_BUFFER_COPY_MERGE), 0,
      -1);
  RecvPacket p;

  g_assert_cmpint (recv_packet_parse (&p, whole, ids), ==, RECV_RTP);
  if (ids->send_ts > 0) {
    g_assert_nonnull (p.wire.send_ts);
    g_assert_cmpuint (p.send_ts.t_i, ==, ra_stamp_us (w->values.now));
    g_assert_cmpint (p.send_ts.rtt, ==, w->values.rtt);
  }
  if (ids->colour > 0) {
    g_assert_nonnull (p.wire.colour);
    g_assert_cmpuint (p.colour.mark, ==, w->values.mark);
  }
}

/* What it was and what it became. */
typedef struct
{
  const guint8 *data;
  gsize size;
  gssize payload;
  guint growth;
} Before;

static void
check_written (GstBuffer *after, const Before *before, SendExtResult result)
{
  gsize size = gst_buffer_get_size (after);
  g_autofree guint8 *bytes = g_malloc (size + 1);
  gsize tail;

  gst_buffer_extract (after, 0, bytes, size);
  fuzz_note_bytes ("packet", bytes, size);
  if (result == SEND_EXT_MALFORMED) {
    fuzz_check_same (bytes, size, before->data, before->size);
    return;
  }
  g_assert_cmpuint (size, <=, before->size + before->growth);
  if (before->payload < 0)
    return;
  g_assert_cmpint (payload_of (after), ==, before->payload);
  tail = (gsize) before->payload;
  g_assert_true (tail == 0
      || memcmp (bytes + size - tail, before->data + before->size - tail, tail)
          == 0);
}

static gboolean
is_rtcp (const guint8 *data, gsize size)
{
  return size > 1 && (data[1] & 0x7f) >= 64 && (data[1] & 0x7f) <= 95;
}

static void
write_and_read (const Wanted *w, const guint8 *data, gsize size)
{
  g_autoptr (GstStructure) caps = caps_of (w);
  g_autoptr (GstBuffer) buffer = buffer_of (data, size, w->split);
  Before before = { data, size, payload_of (buffer), 0 };
  RecvIds ids = recv_ids_parse (caps);
  SendExt ext = { 0 };
  SendExtResult result;
  SendExtPlan plan;
  RecvPacket p;

  send_ext_set_caps (&ext, caps);
  g_assert_true (ext.twcc == ids.number && ext.send_ts == ids.send_ts
      && ext.colour == ids.colour);
  recv_packet_parse (&p, buffer, &ids);
  send_ext_read (&ext, data, size, &plan);
  before.growth = send_ext_growth (&plan);
  result = send_ext_write (&ext, &plan, &buffer, w->may_grow, &w->values);
  check_written (buffer, &before, result);
  fuzz_note ("result %d growth %u", result, before.growth);
  if (result == SEND_EXT_DONE && before.payload >= 0 && !is_rtcp (data, size))
    check_read (buffer, &ids, w);
}

/* The data of an element. */
static void
read_alone (const guint8 *data, gsize size)
{
  guint8 again[RA_SEND_TS_SIZE];
  RaColourExt colour;
  RaSendTs ts;

  if (ra_send_ts_read (&ts, data, size)) {
    g_assert_cmpuint (ra_send_ts_write (&ts, again, sizeof again), ==, size);
    fuzz_check_same (again, size, data, size);
  }
  if (ra_colour_ext_read (&colour, data, size)) {
    g_assert_cmpuint (colour.mark, <, RA_N_MARKS);
    g_assert_cmpuint (
        ra_colour_ext_write (&colour, again, sizeof again), ==, size);
    if (colour.mark != RA_MARK_NONE)
      fuzz_check_same (again, size, data, size);
  }
}

/* A field's name and what is in it: a string, or an array of them. */
static void
read_caps (const guint8 *data, gsize size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  guint kind = (guint) fuzz_take (&b, 1);
  g_autofree gchar *number = fuzz_text (&b, 4);
  g_autofree gchar *name = g_strconcat ("extmap-", number, NULL);
  g_autoptr (GstStructure) s = gst_structure_new_empty ("application/x-rtp");
  GValue array = G_VALUE_INIT, text = G_VALUE_INIT;

  g_value_init (&text, kind & 1 ? G_TYPE_STRING : G_TYPE_INT);
  if (kind & 1)
    g_value_set_static_string (&text, RA_SEND_TS_URI);
  gst_value_array_init (&array, 3);
  for (guint i = 0; i < (kind >> 2 & 3); i++)
    gst_value_array_append_value (&array, &text);
  gst_structure_set_value (s, name, kind & 2 ? &array : &text);
  g_assert_cmpuint (extmap_send_ts_id (s), <=, 255);
  g_value_unset (&array);
  g_value_unset (&text);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  g_autofree guint8 *packet = NULL;
  Wanted w;
  guint flags;
  gsize n;

  read_alone (data, size);
  for (guint i = 0; i < G_N_ELEMENTS (w.ids); i++)
    w.ids[i] = (guint) fuzz_take (&b, 1);
  flags = (guint) fuzz_take (&b, 1);
  w.may_grow = flags & 1;
  w.split = flags >> 1 & 1;
  w.values = (SendExtValues){ .rtt = (RaSpan) fuzz_take (&b, 3) * RA_USECOND,
    .now = NOW,
    .mark = (RaMark) (flags >> 2 & 3) };
  packet = fuzz_copy (&b, b.left, &n);
  if (n == 0)
    return 0;
  if (g_utf8_validate ((const gchar *) packet, (gssize) MIN (n, 5), NULL))
    read_caps (packet, n);
  write_and_read (&w, packet, n);
  return 0;
}
