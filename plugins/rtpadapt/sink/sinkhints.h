/* rtpadaptsink: the warning that nobody answers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Posts it on `bin`.  No lock may be held. */
void sink_hint_silence (GstElement *bin, const gchar *host, gint port);

G_END_DECLS
