/* The settings that a stock rtpbin needs in order to receive from us.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define PT_MEDIA 96
#define PT_FEC 122

/* Of all that comes; MEDIA_CAPS of the media. */
#define RTP_CAPS                                                       \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264," \
  "extmap-1=(string)http://www.ietf.org/id/"                           \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define MEDIA_CAPS RTP_CAPS ",payload=96"

/* For session 0 of `rtpbin`, which exists, with caps RTP_CAPS: feedback about
 * every frame, and a store from which rtpulpfecdec can repair. */
void rtpbin_setup (GstElement *rtpbin);

G_END_DECLS
