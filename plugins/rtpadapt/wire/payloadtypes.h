/* The payload types of what rtpadaptsink adds to a stream and rtpadaptsrc takes for
 * repair.  Both ends have to use the same, as they do not negotiate them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PT_FEC 122 /* RFC 5109 */
#define PT_RTX 121 /* RFC 4588 */
#define PT_RS 120  /* FEC of our code, X-RTPADAPT-RS */
/* Packets with PT_RS, sent again (RFC 4588).  They cannot share PT_RTX: RFC 4588 8.1 maps
 * a payload type of repetitions to one of originals. */
#define PT_RS_RTX 119

/* Is it FEC, of whichever code? */
static inline gboolean
pt_is_fec (guint pt)
{
  return pt == PT_FEC || pt == PT_RS;
}

/* Is it something sent again? */
static inline gboolean
pt_is_rtx (guint pt)
{
  return pt == PT_RTX || pt == PT_RS_RTX;
}

G_END_DECLS
