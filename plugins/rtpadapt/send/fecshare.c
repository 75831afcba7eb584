/* Several elements behind one FEC encoder: it makes what serves all of their receivers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All receivers get the same repair packets:
 *
 * - The highest level leaves no receiver with more losses than its rule allows.
 * - The shortest span ends in time for all of them.  A receiver with a span of 0 has no
 *   time for a block of any span, and the others would pay for blocks of one frame.
 * - A code that one of them does not know mends nothing there.
 * - Late packets get repair for the highest loss, and none by a code that needs more
 *   packets for it.
 */
#include "fecshare.h"

#include "elementshare.h"
#include "fecenc.h"

/* An element that drives the encoder. */
typedef struct
{
  gconstpointer who;
  FecWants wants;
} Member;

typedef struct
{
  ElementShare base; /* of Member */
  guint level;       /* as set last, while there are members */
} Share;

static Share *
share_of (GstElement *fecenc)
{
  return element_share_of (
      fecenc, "rtpadapt-fec-share", sizeof (Share), sizeof (Member));
}

/* The lock is held. */
static FecRank
rank_highest (const Share *share)
{
  FecRank rank = FEC_RANK_SILENT;

  for (guint i = 0; i < share->base.members->len; i++)
    rank
        = MAX (rank, g_array_index (share->base.members, Member, i).wants.rank);
  return rank;
}

/* What serves all members that count, but for `without`.  The lock is held. */
static FecWants
agreed (const Share *share, gconstpointer without)
{
  FecWants all = { .code = RA_FEC_CODE_RS, .rank = rank_highest (share) };

  for (guint i = 0; i < share->base.members->len; i++) {
    const Member *member = &g_array_index (share->base.members, Member, i);
    const FecWants *one = &member->wants;

    if (one->rank < all.rank || member->who == without)
      continue;
    all.level = MAX (all.level, one->level);
    all.code = MIN (all.code, one->code);
    all.late = MAX (all.late, one->late);
    all.rest = MAX (all.rest, one->rest);
    if (one->span > 0)
      all.span = all.span > 0 ? MIN (all.span, one->span) : one->span;
  }
  if (all.code != RA_FEC_CODE_RS)
    all.late = all.rest = 0;
  return all;
}

/* The lock is held, and let go. */
static void
settle (Share *share, GstElement *fecenc)
{
  if (!element_share_begin (&share->base))
    return;
  while (element_share_next (&share->base)) {
    FecWants wants = agreed (share, NULL);
    guint level = share->level;

    if (share->base.members->len
        == 0) /* what nobody drives keeps what it has */
      continue;
    g_mutex_unlock (&share->base.lock);
    fecenc_set_span (fecenc, wants.span);
    fecenc_set_code (fecenc, wants.code);
    fecenc_set_late_loss (fecenc, wants.late, wants.rest);
    level = fecenc_set (fecenc, wants.level, level);
    g_mutex_lock (&share->base.lock);
    share->level = level;
  }
}

FecMade
fec_share_follow (GstElement *fecenc, gconstpointer who, const FecWants *wants)
{
  const Member fresh = { .who = who };
  Share *share = share_of (fecenc);
  Member *member;
  FecMade made;

  g_mutex_lock (&share->base.lock);
  if (share->base.members->len == 0)
    share->level = FECENC_UNSET;
  member = element_share_place (&share->base, &fresh);
  member->wants = *wants;
  settle (share, fecenc);
  made = (FecMade){ agreed (share, NULL).level, agreed (share, who).level };
  g_mutex_unlock (&share->base.lock);
  return made;
}

void
fec_share_leave (GstElement *fecenc, gconstpointer who)
{
  Share *share = share_of (fecenc);

  g_mutex_lock (&share->base.lock);
  if (element_share_remove (&share->base, who))
    settle (share, fecenc);
  g_mutex_unlock (&share->base.lock);
}
