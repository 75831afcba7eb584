/* The plugin: one line per element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fec/gstrtpadaptfecdec.h"
#include "fec/gstrtpadaptfecenc.h"
#include "link/gstrtpadaptlink.h"
#include "recv/gstrtpadaptrecv.h"
#include "send/gstrtpadaptsend.h"
#include "src/gstrtpadaptsrc.h"
#include "sink/gstrtpadaptsink.h"
#include "udp/gstrtpadaptudpsink.h"
#include "udp/gstrtpadaptudpsrc.h"
#include "hdrext/gstrtphdrextcolour.h"
#include "hdrext/gstrtphdrextrttsendts.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean any = FALSE;

  any |= GST_ELEMENT_REGISTER (rtpadaptfecdec, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptfecenc, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptlink, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptrecv, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptsend, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptsrc, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptsink, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptudpsink, plugin);
  any |= GST_ELEMENT_REGISTER (rtpadaptudpsrc, plugin);
  any |= GST_ELEMENT_REGISTER (rtphdrextcolour, plugin);
  any |= GST_ELEMENT_REGISTER (rtphdrextrttsendts, plugin);

  return any;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, rtpadapt,
    "Rate adaptation for RTP over wireless paths", plugin_init, PACKAGE_VERSION,
    "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
