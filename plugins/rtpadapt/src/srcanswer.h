/* rtpadaptsrc: where its reports go.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It has no lock: one thread at a time sets the address, and any may look whether
 * there is one.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *udpsink; /* the reports leave by it; not owned */
  gint answering;      /* atomic: where they go is known */
} SrcAnswer;

/* Sends to this address from now on, or nowhere if it cannot be reached.  This may
 * block. */
void src_answer_to (SrcAnswer *a, GSocketAddress *address);
/* Sends nowhere. */
void src_answer_stop (SrcAnswer *a);
/* TRUE if reports may leave. */
gboolean src_answer_is_on (SrcAnswer *a);

G_END_DECLS
