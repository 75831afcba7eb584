/* What became of the DSCP on the way?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/colour/dscpcheck.h>

#include <gst/rtpadapt/colour.h>

#define AF_CLASSES 4 /* RFC 2597 6 */

const gchar *
ra_dscp_fate_nick (RaDscpFate fate)
{
  static const gchar *const nicks[]
      = { "unknown", "intact", "bleached", "remarked" };

  return (guint) fate < G_N_ELEMENTS (nicks) ? nicks[fate] : nicks[0];
}

static gboolean
forgotten (const RaDscpSeen *s, guint mark)
{
  return s->packets - s->seen[mark].last > RA_DSCP_MEMORY;
}

void
ra_dscp_seen (RaDscpSeen *s, RaMark mark, gint tos)
{
  guint dscp = ((guint) tos & 0xff) >> 2;

  if (mark <= RA_MARK_NONE || mark >= RA_N_MARKS || tos < 0)
    return;
  s->packets++;
  if (forgotten (s, mark))
    s->seen[mark].n = 0;
  if (s->seen[mark].dscp != dscp)
    s->seen[mark].run = 0;
  s->seen[mark].last = s->packets;
  s->seen[mark].dscp = dscp;
  s->seen[mark].run = MIN (s->seen[mark].run + 1, RA_DSCP_ENOUGH);
  s->seen[mark].n = MIN (s->seen[mark].n + 1, RA_DSCP_ENOUGH);
}

static gboolean
judged (const RaDscpSeen *s, guint mark)
{
  return s->seen[mark].n >= RA_DSCP_ENOUGH && !forgotten (s, mark);
}

/* Do all colours that are judged have the DSCP of this class?  0: best effort. */
static gboolean
all_of (const RaDscpSeen *s, guint af_class)
{
  for (guint mark = RA_MARK_GREEN; mark < RA_N_MARKS; mark++) {
    if (judged (s, mark)
        && (s->seen[mark].run < RA_DSCP_ENOUGH
            || s->seen[mark].dscp != ra_colour_dscp (af_class, (RaMark) mark)))
      return FALSE;
  }
  return TRUE;
}

RaDscpFate
ra_dscp_fate (const RaDscpSeen *s)
{
  gboolean enough = FALSE;

  for (guint mark = RA_MARK_GREEN; mark < RA_N_MARKS; mark++)
    enough |= judged (s, mark);
  if (!enough)
    return RA_DSCP_UNKNOWN;
  if (all_of (s, 0))
    return RA_DSCP_BLEACHED;
  for (guint af_class = 1; af_class <= AF_CLASSES; af_class++) {
    if (all_of (s, af_class))
      return RA_DSCP_INTACT;
  }
  return RA_DSCP_REMARKED;
}
