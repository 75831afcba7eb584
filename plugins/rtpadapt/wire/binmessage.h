/* Messages of both bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Warns that `property`, which was set after NULL, is for the next start.  No lock may
 * be held. */
void bin_warn_late (GstElement *bin, const gchar *property);

G_END_DECLS
