/* What a part of rtpadaptsend wants done by the element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A part never calls the element.  Its functions return what they want, and the
 * element does it with send_apply() while it holds its lock.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SEND_WANTS_NOTHING = 0,
  SEND_WAKE = 1 << 0, /* the task looks again at what waits, and for how long */
  SEND_JOB = 1 << 1,  /* the job runs: it drives what is upstream, then posts */
  SEND_REFRESH = 1 << 2, /* the receiver lacks a key frame */
  SEND_SEARCH = 1 << 3,  /* other elements may stand upstream */
  SEND_ALL = (1 << 4) - 1,
} SendWants;

G_END_DECLS
