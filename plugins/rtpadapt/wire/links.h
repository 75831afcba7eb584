/* Links between the children of the bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Links the source pad of that name to `sink`; FALSE if that is NULL, too. */
gboolean links_make (GstElement *from, const gchar *name, GstPad *sink);
/* Takes the pad's link away, if it has one; or those of all pads. */
void links_undo (GstPad *pad);
void links_undo_all (GstElement *element);

G_END_DECLS
