/* rtpadaptsrc: a hole in front of a repair packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcgap.h"

#include "srcpayload.h"

/* `hidden`: a repair packet had the flag, and no media packet came since; only the
 * streaming thread uses it. */
static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gboolean *hidden = data;
  guint8 type;

  if (gst_buffer_extract (buffer, 1, &type, 1) < 1)
    return GST_PAD_PROBE_OK;
  if (pt_is_fec (type & 0x7f)) {
    *hidden |= GST_BUFFER_IS_DISCONT (buffer);
  } else if (*hidden) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
    *hidden = FALSE;
  }
  return GST_PAD_PROBE_OK;
}

void
src_gap_watch (GstPad *pad)
{
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, g_new0 (gboolean, 1), g_free);
}
