/* Leaving sequence numbers out behind a payloader.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Only between two frames: a number that is missing within one would have the
 * depayloader throw the rest of it away.  And not of sound, where whoever
 * conceals makes up what was never there.
 */
#include "skipper.h"

#include "parts/walk.h"

#include <gst/rtp/gstrtpbasepayload.h>
#include <gst/rtpadapt/safety/skips.h>
#include <gst/rtpadapt/util/bytes.h>

#define SKIPPER "rtpadapt-skipper"
/* RFC 3550 5.1 */
#define SEQ_AT 2
#define TIMESTAMP_AT 4
#define HEAD 8

struct _Skipper
{
  gint interval; /* atomic */
  /* Only the pad's streaming thread uses what follows. */
  RaSkipDraw draw;
  guint16 skipped; /* so far, modulo 2^16 */
  gboolean started;
  guint32 timestamp; /* of the latest packet */
};

void
skipper_set (Skipper *s, guint interval)
{
  g_atomic_int_set (&s->interval, (gint) MIN (interval, G_MAXINT));
}

static gboolean
is_video (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *s = caps ? gst_caps_get_structure (caps, 0) : NULL;

  return s && g_strcmp0 (gst_structure_get_string (s, "media"), "video") == 0;
}

/* `seq` becomes the number that the packet must get.  FALSE: it has that already. */
static gboolean
number (Skipper *s, GstPad *pad, GstBuffer *buffer, guint8 *seq)
{
  guint interval = (guint) g_atomic_int_get (&s->interval);
  guint8 head[HEAD];
  guint32 timestamp;

  if (gst_buffer_extract (buffer, 0, head, HEAD) < HEAD)
    return FALSE;
  timestamp = ra_get_u32 (head + TIMESTAMP_AT);
  if (ra_skip_draw_next (
          &s->draw, interval, s->started && timestamp != s->timestamp)
      && is_video (pad))
    s->skipped++;
  s->started = TRUE;
  s->timestamp = timestamp;
  ra_put_u16 (seq, (guint16) (ra_get_u16 (head + SEQ_AT) + s->skipped));
  return s->skipped != 0;
}

static GstBufferList *
list_number (Skipper *s, GstPad *pad, GstBufferList *list)
{
  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    guint8 seq[2];

    if (!number (s, pad, gst_buffer_list_get (list, i), seq))
      continue;
    list = gst_buffer_list_make_writable (list);
    gst_buffer_fill (
        gst_buffer_list_get_writable (list, i), SEQ_AT, seq, sizeof seq);
  }
  return list;
}

static GstPadProbeReturn
on_output (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint8 seq[2];

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    info->data = list_number (data, pad, GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  } else if (number (data, pad, GST_PAD_PROBE_INFO_BUFFER (info), seq)) {
    info->data = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
    gst_buffer_fill (GST_PAD_PROBE_INFO_BUFFER (info), SEQ_AT, seq, sizeof seq);
  }
  return GST_PAD_PROBE_OK;
}

/* The one that the pad has, or gets.  Its probe owns it. */
static Skipper *
skipper_of (GstPad *pad)
{
  static GMutex lock;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&lock);
  Skipper *s = g_object_get_data (G_OBJECT (pad), SKIPPER);

  if (s)
    return g_atomic_rc_box_acquire (s);
  s = g_atomic_rc_box_new0 (Skipper);
  /* Nobody outside sees more of this generator than a few numbers, an SSRC for
   * one, and GLib begins it with what the kernel has. */
  ra_skip_draw_init (
      &s->draw, (guint64) g_random_int () << 32 | g_random_int ());
  g_object_set_data (G_OBJECT (pad), SKIPPER, s);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_output,
      g_atomic_rc_box_acquire (s), (GDestroyNotify) g_atomic_rc_box_release);
  return s;
}

static void
skipper_release (gpointer s)
{
  skipper_set (s, 0);
  g_atomic_rc_box_release (s);
}

static gboolean
is_payloader (GstElement *element)
{
  return GST_IS_RTP_BASE_PAYLOAD (element);
}

GPtrArray *
skipper_find_all_upstream (GstPad *sinkpad)
{
  g_autoptr (GPtrArray) found = walk_find_all (sinkpad, is_payloader);
  GPtrArray *skippers = g_ptr_array_new_with_free_func (skipper_release);

  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (
        skippers, skipper_of (GST_RTP_BASE_PAYLOAD_SRCPAD (found->pdata[i])));
  return skippers;
}
