/* A sequence number per colour.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/colour/number.h>

/* From the wire anything may come. */
static gboolean
has_numbers (RaMark mark)
{
  return mark > RA_MARK_NONE && mark < RA_N_MARKS;
}

guint16
ra_mark_number (RaMarkNumbers *s, RaMark mark)
{
  return has_numbers (mark) ? ++s->n[mark] & RA_MARK_NUMBER_MASK : 0;
}

/* A number behind the highest.  TRUE: the sender has restarted. */
static gboolean
is_restart (RaMarkSeen *s, RaMark mark, guint16 n)
{
  gboolean follows = n == ((s->late[mark] + 1) & RA_MARK_NUMBER_MASK);

  s->n_late[mark] = follows && s->n_late[mark] > 0 ? s->n_late[mark] + 1 : 1;
  s->late[mark] = n;
  return s->n_late[mark] >= RA_MARK_LATE;
}

guint
ra_mark_missing (RaMarkSeen *s, RaMark mark, guint16 n)
{
  guint16 ahead, behind;

  if (!has_numbers (mark))
    return 0;
  ahead = (n - s->highest[mark]) & RA_MARK_NUMBER_MASK;
  behind = (s->highest[mark] - n) & RA_MARK_NUMBER_MASK;
  if (s->started[mark] && behind <= RA_MARK_JUMP
      && (behind == 0 || !is_restart (s, mark, n))) /* 0: a duplicate */
    return 0;
  s->n_late[mark] = 0;
  s->highest[mark] = n;
  if (s->started[mark] && ahead <= RA_MARK_JUMP)
    return ahead - 1u;
  s->started[mark] = TRUE;
  return 0;
}
