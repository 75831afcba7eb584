/* How much an encoder has made.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encodermade.h"

/* It lives as long as the pad that it counts at. */
typedef struct
{
  GMutex lock;
  RaMade made;
} Count;

static void
count_free (gpointer data)
{
  Count *count = data;

  g_mutex_clear (&count->lock);
  g_free (count);
}

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Count *count = data;

  g_mutex_lock (&count->lock);
  count->made.frames++;
  count->made.bytes += gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info));
  g_mutex_unlock (&count->lock);
  return GST_PAD_PROBE_OK;
}

static Count *
count_of (GstPad *pad)
{
  static GMutex lock;
  GQuark quark = g_quark_from_static_string ("rtpadapt-encoder-made");
  Count *count;

  g_mutex_lock (&lock);
  count = g_object_get_qdata (G_OBJECT (pad), quark);
  if (!count) {
    count = g_new0 (Count, 1);
    g_mutex_init (&count->lock);
    g_object_set_qdata (G_OBJECT (pad), quark, count);
    gst_pad_add_probe (
        pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, count, count_free);
  }
  g_mutex_unlock (&lock);
  return count;
}

RaMade
encoder_made (GstElement *encoder)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "src");
  RaMade made = { 0 };
  Count *count;

  if (!pad)
    return made;
  count = count_of (pad);
  g_mutex_lock (&count->lock);
  made = count->made;
  g_mutex_unlock (&count->lock);
  return made;
}
