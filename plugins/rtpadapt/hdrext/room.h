/* Header extensions that a payloader only makes room for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpadaptsend writes them at the true send time.  Till then they are zeros:
 * RTT unknown, no colour.
 */
#pragma once

#include <gst/rtp/rtp.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_HDREXT_ROOM (gst_rtp_hdrext_room_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstRtpHdrextRoom, gst_rtp_hdrext_room, GST,
    RTP_HDREXT_ROOM, GstRTPHeaderExtension)

struct _GstRtpHdrextRoomClass
{
  GstRTPHeaderExtensionClass parent;
  gsize size; /* bytes */
};

/* For class_init of a subclass.  The strings are not copied. */
void gst_rtp_hdrext_room_class_setup (GstRtpHdrextRoomClass *klass,
    const gchar *uri, gsize size, const gchar *name, const gchar *description);

G_END_DECLS
