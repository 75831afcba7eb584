/* Leaving sequence numbers out behind a payloader.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Before FEC and retransmission see the packets, whose headers speak of numbers.
 * A payloader that was found once has its packets renumbered for good: else they
 * would fall back by what was left out.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Skipper Skipper;

/* Those of all payloaders upstream of `sinkpad`.  (transfer full)
 * (element-type Skipper): g_ptr_array_unref(), which stops them. */
GPtrArray *skipper_find_all_upstream (GstPad *sinkpad);
/* One number in `interval` packets; 0: none.  From any thread. */
void skipper_set (Skipper *s, guint interval);

G_END_DECLS
