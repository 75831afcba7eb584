/* Retransmission where the stream changes while it runs: payload type, SSRC,
 * codec.  Over loopback, a tenth lost.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "relay-fixture.h"
#include "src-fixture.h"

#include "../trust/trust.h"
#include "../rows.h"

#include <gst/app/app.h>
#include <gst/rtp/rtp.h>

#define SETTINGS "fec=false latency=300 retransmission=true "
#define SINK                                                       \
  "rtpadaptsink name=sink host=127.0.0.1 port=%u fec=none "        \
  "controller=fixed start-bitrate=5000000 max-bitrate=5000000 "    \
  "friendliness-cap=0 circuit-breakers=false retransmission=true " \
  "max-backlog=5000000000 "

static const RelayRule rule
    = { .lost = { [96] = 10, [97] = 10 }, .delay = 10000 };

typedef struct
{
  Receiver t;
  Relay r;
  GstElement *sender, *sink, *src;
  guint16 seq;
  guint32 time;
  const guint *pt, *ssrc; /* before the change and after it */
  gint again[2];          /* atomic: sent again, that came to an end; of each */
  gint strange;  /* atomic: with another payload type than the end's first */
  gint types[2]; /* of the ends' first, 0: none yet */
} World;

/* What comes to the end of a branch, in its thread. */
static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  World *w = data;
  guint end = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (pad), "end"));
  guint8 head[12], pt;

  gst_buffer_extract (buffer, 0, head, sizeof head);
  pt = head[1] & 0x7f;
  if (w->types[end] == 0)
    w->types[end] = pt;
  if (w->types[end] != pt)
    g_atomic_int_inc (&w->strange);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION))
    g_atomic_int_inc (&w->again[pt == w->pt[1]
        && GST_READ_UINT32_BE (head + 8) == w->ssrc[1]]);
  return GST_PAD_PROBE_OK;
}

static void
watch_ends (World *w)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstPad) pad
        = gst_element_get_static_pad (w->t.branches[i], "sink");

    g_object_set_data (G_OBJECT (pad), "end", GUINT_TO_POINTER (i));
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, w, NULL);
  }
}

/* `from` is what is before the sink, or stands alone. */
static void
world_new (World *w, const gchar *settings, const gchar *branches,
    const gchar *from, const guint pt[2], const guint ssrc[2])
{
  g_autofree gchar *line = g_strconcat (from, SINK, NULL), *all = NULL;
  GError *error = NULL;

  *w = (World){ .pt = pt, .ssrc = ssrc };
  receiver_new (&w->t, settings, branches);
  watch_ends (w);
  receiver_play (&w->t);
  relay_start (&w->r, &rule, (guint) w->t.port);
  all = g_strdup_printf (line, w->r.port);
  w->sender = gst_parse_launch (all, &error);
  g_assert_no_error (error);
  gst_element_set_bus (w->sender, w->t.bus);
  w->sink = gst_bin_get_by_name (GST_BIN (w->sender), "sink");
  w->src = gst_bin_get_by_name (GST_BIN (w->sender), "src");
  gst_element_set_state (w->sender, GST_STATE_PLAYING);
}

static void
world_free (World *w)
{
  gst_element_set_state (w->sender, GST_STATE_NULL);
  gst_clear_object (&w->src);
  gst_object_unref (w->sink);
  gst_object_unref (w->sender);
  receiver_end (&w->t);
  relay_end (&w->r);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_free)

/* --- by hand ------------------------------------------------------------- */

#define FRAME 5 /* packets */
#define SOURCE "appsrc name=src is-live=true format=time do-timestamp=true"

static void
push_caps (World *w, guint pt, guint32 ssrc)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("application/x-rtp", "media",
      G_TYPE_STRING, "video", "encoding-name", G_TYPE_STRING, "RAW",
      "clock-rate", G_TYPE_INT, 90000, "payload", G_TYPE_INT, (gint) pt, "ssrc",
      G_TYPE_UINT, ssrc, NULL);

  gst_app_src_set_caps (GST_APP_SRC (w->src), caps);
}

static void
push_frame (World *w, guint pt, guint32 ssrc)
{
  for (guint i = 0; i < FRAME; i++) {
    guint8 data[200] = { 0x80, (guint8) (pt | (i == FRAME - 1 ? 0x80 : 0)) };

    GST_WRITE_UINT16_BE (data + 2, w->seq);
    GST_WRITE_UINT32_BE (data + 4, w->time);
    GST_WRITE_UINT32_BE (data + 8, ssrc);
    w->seq++;
    g_assert_cmpint (gst_app_src_push_buffer (GST_APP_SRC (w->src),
                         gst_buffer_new_memdup (data, sizeof data)),
        ==, GST_FLOW_OK);
  }
  w->time += 900;
}

static const struct
{
  guint pt[2], ssrc[2], pads;
  gboolean again; /* by another pad of the sink */
  const gchar *name, *promise;
} changes[] = {
  { { 96, 97 }, { 7, 7 }, 2, FALSE, "retransmission, payload type changes",
      "what is lost comes again, before the change and after it, with the "
      "payload type it had; no pad too many" },
  { { 96, 97 }, { 7, 8 }, 2, TRUE, "retransmission, pad released and requested",
      "the same with another pad of rtpadaptsink, and another SSRC" },
  { { 96, 96 }, { 7, 8 }, 1, FALSE, "retransmission, SSRC changes",
      "what is lost comes again, before the change and after it, on the same "
      "pad" },
};

/* Another source takes the place of the one there was, with its pad. */
static void
source_again (World *w)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (w->src, "src");
  g_autoptr (GstPad) pad = gst_pad_get_peer (src);

  gst_element_set_state (w->src, GST_STATE_NULL);
  gst_pad_unlink (src, pad);
  gst_element_release_request_pad (w->sink, pad);
  gst_bin_remove (GST_BIN (w->sender), w->src);
  gst_object_unref (w->src);
  w->src = gst_object_ref_sink (gst_parse_launch (SOURCE, NULL));
  gst_bin_add (GST_BIN (w->sender), w->src);
  g_assert_true (gst_element_link (w->src, w->sink));
  gst_element_sync_state_with_parent (w->src);
}

/* Frames, till five packets that were lost came to their end. */
static void
play_part (World *w, guint part)
{
  push_caps (w, w->pt[part], w->ssrc[part]);
  WAIT_UNTIL (w->t.bus,
      (push_frame (w, w->pt[part], w->ssrc[part]), TRUE)
          && g_atomic_int_get (&w->again[part]) >= 5);
}

/* A tenth is lost. */
static void
test_change (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  gint pads;
  g_auto (World) w;

  world_new (&w, SETTINGS "pt-map=\"96=RAW/90000,97=RAW/90000\"",
      "identity" RECEIVER_OUT ",identity" RECEIVER_OUT, SOURCE " ! ",
      changes[row].pt, changes[row].ssrc);
  play_part (&w, 0);
  if (changes[row].again)
    source_again (&w);
  play_part (&w, 1);
  pads = g_atomic_int_get (&w.t.pads);
  trust_row ("fault", changes[row].name, changes[row].promise,
      g_atomic_int_get (&w.strange) == 0 && pads == (gint) changes[row].pads,
      "%d came again before, %d after, %d strange, %d pads",
      g_atomic_int_get (&w.again[0]), g_atomic_int_get (&w.again[1]),
      g_atomic_int_get (&w.strange), pads);
}

void
tests_add (void)
{
  rows_add ("/retransmission/changes", changes, test_change);
}
