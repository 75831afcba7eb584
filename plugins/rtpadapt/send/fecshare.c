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

#include "fecenc.h"

/* An element that drives the encoder. */
typedef struct
{
  gconstpointer who;
  FecWants wants;
} Member;

typedef struct
{
  GMutex lock;
  GArray *members; /* of Member */
  guint level;     /* as set last, or FECENC_UNSET */
  gboolean busy;   /* a member's thread sets the encoder's properties */
  gboolean again;  /* that thread has to look again afterwards */
} Share;

static void
share_free (gpointer data)
{
  Share *share = data;

  g_array_unref (share->members);
  g_mutex_clear (&share->lock);
  g_free (share);
}

/* It lives as long as `fecenc`. */
static Share *
share_of (GstElement *fecenc)
{
  static GMutex lock;
  GQuark quark = g_quark_from_static_string ("rtpadapt-fec-share");
  Share *share;

  g_mutex_lock (&lock);
  share = g_object_get_qdata (G_OBJECT (fecenc), quark);
  if (!share) {
    share = g_new0 (Share, 1);
    g_mutex_init (&share->lock);
    share->members = g_array_new (FALSE, FALSE, sizeof (Member));
    share->level = FECENC_UNSET;
    g_object_set_qdata_full (G_OBJECT (fecenc), quark, share, share_free);
  }
  g_mutex_unlock (&lock);
  return share;
}

/* NULL if `who` is not a member.  The lock is held. */
static Member *
member_find (Share *share, gconstpointer who)
{
  for (guint i = 0; i < share->members->len; i++) {
    Member *member = &g_array_index (share->members, Member, i);

    if (member->who == who)
      return member;
  }
  return NULL;
}

/* The lock is held. */
static void
member_set (Share *share, gconstpointer who, const FecWants *wants)
{
  const Member one = { who, *wants };
  Member *member = member_find (share, who);

  if (member)
    member->wants = *wants;
  else
    g_array_append_val (share->members, one);
}

/* The lock is held. */
static FecRank
rank_highest (const Share *share)
{
  FecRank rank = FEC_RANK_SILENT;

  for (guint i = 0; i < share->members->len; i++)
    rank = MAX (rank, g_array_index (share->members, Member, i).wants.rank);
  return rank;
}

/* What serves all members that count, but for `without`.  The lock is held. */
static FecWants
agreed (const Share *share, gconstpointer without)
{
  FecWants all = { .code = RA_FEC_CODE_RS, .rank = rank_highest (share) };

  for (guint i = 0; i < share->members->len; i++) {
    const Member *member = &g_array_index (share->members, Member, i);
    const FecWants *one = &member->wants;

    if (one->rank < all.rank || member->who == without)
      continue;
    all.level = MAX (all.level, one->level);
    all.code = MIN (all.code, one->code);
    all.late = MAX (all.late, one->late);
    if (one->span > 0)
      all.span = all.span > 0 ? MIN (all.span, one->span) : one->span;
  }
  if (all.code != RA_FEC_CODE_RS)
    all.late = 0;
  return all;
}

/* The lock is held, and let go. */
static void
settle (Share *share, GstElement *fecenc)
{
  gboolean ours = !share->busy;

  share->again = share->busy = TRUE;
  /* What nobody drives keeps what it has. */
  while (ours && share->again && share->members->len > 0) {
    FecWants wants = agreed (share, NULL);
    guint level = share->level;

    share->again = FALSE;
    g_mutex_unlock (&share->lock);
    fecenc_set_span (fecenc, wants.span);
    fecenc_set_code (fecenc, wants.code);
    fecenc_set_late_loss (fecenc, wants.late);
    level = fecenc_set (fecenc, wants.level, level);
    g_mutex_lock (&share->lock);
    share->level = level;
  }
  if (ours)
    share->busy = FALSE;
  if (share->members->len == 0)
    share->level = FECENC_UNSET;
}

FecMade
fec_share_follow (GstElement *fecenc, gconstpointer who, const FecWants *wants)
{
  Share *share = share_of (fecenc);
  FecMade made;

  g_mutex_lock (&share->lock);
  member_set (share, who, wants);
  settle (share, fecenc);
  made = (FecMade){ agreed (share, NULL).level, agreed (share, who).level };
  g_mutex_unlock (&share->lock);
  return made;
}

void
fec_share_leave (GstElement *fecenc, gconstpointer who)
{
  Share *share = share_of (fecenc);
  Member *member;

  g_mutex_lock (&share->lock);
  member = member_find (share, who);
  if (member) {
    g_array_remove_index_fast (share->members,
        (guint) (member - (Member *) (gpointer) share->members->data));
    settle (share, fecenc);
  }
  g_mutex_unlock (&share->lock);
}
