/* rtpsession's per-packet feedback, event "RTPTWCCPackets", as rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/feedback/ear.h>

G_BEGIN_DECLS

/* NULL if `s` is not such a structure; rows that lack a field are left out.
 * (transfer full) (element-type RaTwccRow): g_array_unref(). */
GArray *twcc_parse (const GstStructure *s);

G_END_DECLS
