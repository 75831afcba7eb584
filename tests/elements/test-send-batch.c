/* Packets that leave together: as lists of one SSRC each, in their order, and what an
 * answer of downstream's does to those behind it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-fixture.h"
#include "../rows.h"

#include <plugins/rtpadapt/send/batch.h>

/* --- the part alone ------------------------------------------------------------- */

/* `packets`: their SSRCs, a letter each.  `pushed`: what downstream got, a buffer as
 * letter and place, a list in brackets.  Downstream answers OK to the first `n_ok`
 * pushes, and `flow` from then on. */
static const struct
{
  const gchar *name, *packets;
  guint n_ok;
  GstFlowReturn flow;
  const gchar *pushed;
  const gchar *why;
} rows[] = {
  { "one", "a", 9, GST_FLOW_OK, "a0", "one alone needs no list" },
  { "list", "aaa", 9, GST_FLOW_OK, "[a0a1a2]", "one push for all" },
  { "ssrcs", "aabbb", 9, GST_FLOW_OK, "[a0a1][b2b3b4]",
      "rtpsession counts a list for the SSRC of its first packet" },
  { "alternate", "abab", 9, GST_FLOW_OK, "a0b1a2b3",
      "an SSRC that comes again may not pass the one between" },
  { "alone-between", "aabaa", 9, GST_FLOW_OK, "[a0a1]b2[a3a4]",
      "buffers and lists in turn" },
  { "error-at-once", "aabb", 0, GST_FLOW_ERROR, "[a0a1]",
      "nothing follows an error" },
  { "flushing-between", "abb", 1, GST_FLOW_FLUSHING, "a0[b1b2]",
      "the last push says so" },
  { "flushing-first", "abbc", 0, GST_FLOW_FLUSHING, "a0",
      "the rest is dropped" },
  { "not-linked", "aabba", 1, GST_FLOW_NOT_LINKED, "[a0a1][b2b3]",
      "the same as any error" },
  { "eos", "ab", 0, GST_FLOW_EOS, "a0", "downstream wants no more" },
};

static struct
{
  GString *pushed;
  guint n_ok, freed;
  GstFlowReturn flow;
} world;

static void
name_add (GstBuffer *buffer)
{
  g_string_append_printf (world.pushed, "%c%u",
      (gchar) GST_BUFFER_OFFSET (buffer),
      (guint) GST_BUFFER_OFFSET_END (buffer));
}

static GstFlowReturn
answer (void)
{
  if (world.n_ok == 0)
    return world.flow;
  world.n_ok--;
  return GST_FLOW_OK;
}

static GstFlowReturn
on_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  name_add (buffer);
  gst_buffer_unref (buffer);
  return answer ();
}

static GstFlowReturn
on_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  g_string_append_c (world.pushed, '[');
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    name_add (gst_buffer_list_get (list, i));
  g_string_append_c (world.pushed, ']');
  gst_buffer_list_unref (list);
  return answer ();
}

static void
on_freed (gpointer data, GstMiniObject *object)
{
  world.freed++;
}

/* Takes a buffer that knows its SSRC and its place. */
static void
add (Batch *b, gchar ssrc, guint place)
{
  GstBuffer *buffer = gst_buffer_new ();

  GST_BUFFER_OFFSET (buffer) = (guint8) ssrc;
  GST_BUFFER_OFFSET_END (buffer) = place;
  gst_mini_object_weak_ref (GST_MINI_OBJECT_CAST (buffer), on_freed, NULL);
  g_assert_false (batch_is_full (b));
  batch_add (b,
      &(BacklogItem){
          .object = GST_MINI_OBJECT_CAST (buffer), .ssrc_out = (guint8) ssrc });
}

/* Two pads that are linked and have had their stream-start and segment. */
static void
pads_new (GstPad **src, GstPad **sink)
{
  *src = gst_pad_new ("src", GST_PAD_SRC);
  *sink = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_chain_function (*sink, on_buffer);
  gst_pad_set_chain_list_function (*sink, on_list);
  g_assert_cmpint (gst_pad_link (*src, *sink), ==, GST_PAD_LINK_OK);
  gst_pad_set_active (*sink, TRUE);
  gst_pad_set_active (*src, TRUE);
  gst_pad_push_event (*src, gst_event_new_stream_start ("s"));
  segment_send (*src);
}

static void
test_push (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), n = (guint) strlen (rows[row].packets);
  GstFlowReturn flow;
  GstPad *src, *sink;
  Batch b = { .n = 0 };

  g_test_message ("%s", rows[row].why);
  world.pushed = g_string_new (NULL);
  world.n_ok = rows[row].n_ok;
  world.flow = rows[row].flow;
  world.freed = 0;
  pads_new (&src, &sink);
  for (guint i = 0; i < n; i++)
    add (&b, rows[row].packets[i], i);
  flow = batch_push (&b, src);
  g_assert_cmpint (flow, ==, rows[row].flow);
  g_assert_cmpstr (world.pushed->str, ==, rows[row].pushed);
  g_assert_cmpuint (world.freed, ==, n); /* none is leaked, or freed twice */
  g_assert_cmpuint (b.n, ==, 0);
  flow = batch_push (&b, src); /* an empty one pushes nothing */
  g_assert_cmpint (flow, ==, GST_FLOW_OK);
  g_assert_cmpstr (world.pushed->str, ==, rows[row].pushed);
  gst_pad_set_active (src, FALSE);
  gst_pad_set_active (sink, FALSE);
  gst_object_unref (src);
  gst_object_unref (sink);
  g_string_free (world.pushed, TRUE);
}

/* --- in the element ------------------------------------------------------------- */

/* Everything leaves at once: at 1 Gbit/s a burst of 1 s holds more than a test sends. */
#define FAST                                                          \
  "controller=fixed start-bitrate=1000000000 max-bitrate=1000000000 " \
  "burst=1000000000"

/* What goes in before the task runs, in this order: a and b are packets of that SSRC,
 * E is EOS, K a key-unit event, | another event.  `out`: the order in which it comes
 * out, packets with the low digit of their RTP number. */
static const struct
{
  const gchar *name, *in, *out, *why;
} order_rows[] = {
  { "packets", "aaaa", "a0a1a2a3", "numbers in their order" },
  { "streams", "abba", "a0b1b2a3", "in the order of coming" },
  { "eos", "aabE", "a0a1b2E", "EOS is the last" },
  { "key-unit", "aaKaa", "a0a1Ka2a3",
      "the packets behind it are of the next picture" },
  { "event", "ab|ba", "a0b1|b2a3", "nothing passes an event" },
  { "all", "aK|bbE", "a0K|b1b2E", "each at its place" },
};

static void
trace_packet (GString *trace, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  g_string_append_printf (trace, "%c%u", (gchar) gst_rtp_buffer_get_ssrc (&rtp),
      gst_rtp_buffer_get_seq (&rtp) % 10u);
  gst_rtp_buffer_unmap (&rtp);
}

static void
trace_list (GString *trace, GstBufferList *list)
{
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    trace_packet (trace, gst_buffer_list_get (list, i));
}

/* Blocks all that comes out until the test has pushed all, so that it waits
 * together. */
typedef struct
{
  GString *trace;
  GMutex lock;
  GCond cond;
  gboolean go;
} Gate;

static void
trace_event (GString *trace, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    g_string_append_c (trace, 'E');
  else if (gst_event_has_name (event, "GstForceKeyUnit"))
    g_string_append_c (trace, 'K');
  else if (gst_event_has_name (event, "other"))
    g_string_append_c (trace, '|');
}

static GstPadProbeReturn
on_out (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Gate *gate = data;

  g_mutex_lock (&gate->lock);
  while (!gate->go)
    g_cond_wait (&gate->cond, &gate->lock);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    trace_packet (gate->trace, GST_PAD_PROBE_INFO_BUFFER (info));
  else if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    trace_list (gate->trace, GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  else
    trace_event (gate->trace, GST_PAD_PROBE_INFO_EVENT (info));
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

static GstEvent *
event_new (gchar what)
{
  if (what == 'E')
    return gst_event_new_eos ();
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
      gst_structure_new_empty (what == 'K' ? "GstForceKeyUnit" : "other"));
}

static gsize
traced (Gate *gate)
{
  gsize n;

  g_mutex_lock (&gate->lock);
  n = gate->trace->len;
  g_mutex_unlock (&gate->lock);
  return n;
}

static void
test_order (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *out = order_rows[row].out;
  Gate gate = { .trace = g_string_new (NULL) };
  Send s = send_new (FAST);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (s.element, "src");
  guint16 seq = 0;

  g_test_message ("%s", order_rows[row].why);
  g_mutex_init (&gate.lock);
  g_cond_init (&gate.cond);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
          | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_out, &gate, NULL);
  gst_test_clock_advance_time (s.clock, GST_SECOND); /* the bucket fills */
  for (const gchar *c = order_rows[row].in; *c; c++) {
    if (g_ascii_islower (*c))
      g_assert_cmpint (
          gst_harness_push (s.h, packet_new ((guint8) *c, seq++, 0, 100)), ==,
          GST_FLOW_OK);
    else
      g_assert_true (gst_harness_push_event (s.h, event_new (*c)));
  }
  g_mutex_lock (&gate.lock);
  gate.go = TRUE;
  g_cond_broadcast (&gate.cond);
  g_mutex_unlock (&gate.lock);
  wait_until (traced (&gate) >= strlen (out));
  g_assert_cmpstr (gate.trace->str, ==, out);
  send_free (&s);
  g_string_free (gate.trace, TRUE);
  g_cond_clear (&gate.cond);
  g_mutex_clear (&gate.lock);
}

void
tests_add (void)
{
  rows_add_by ("/send-batch/push", rows, name, test_push);
  rows_add_by ("/send-batch/order", order_rows, name, test_order);
}
