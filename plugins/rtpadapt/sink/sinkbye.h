/* rtpadaptsink: the end of its streams.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A compound packet of `ssrc` that says BYE, RFC 3550 6.6.  One may name more SSRCs, but
 * rtpsession (1.22) stops at the first that it does not know.  (transfer full) */
GstBuffer *sink_bye_new (guint32 ssrc, const gchar *cname);

G_END_DECLS
