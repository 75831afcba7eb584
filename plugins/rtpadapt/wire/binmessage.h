/* Messages of both bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* For GstBin's handle_message: an element message of ours that a child posted becomes one
 * of `bin`, as several bins in a pipeline have children of the same names.  Others pass as
 * they are.  (transfer full) both */
GstMessage *bin_message_own (GstBin *bin, GstMessage *message);

/* Warns that `property`, which was set after NULL, is for the next start.  No lock may
 * be held. */
void bin_warn_late (GstElement *bin, const gchar *property);

G_END_DECLS
