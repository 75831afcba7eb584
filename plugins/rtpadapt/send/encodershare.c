/* Several elements behind one encoder: the smallest of their bitrates holds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encodershare.h"

#include "encoderlargest.h"

#define UNSAID G_MAXUINT64

/* An element that drives the encoder. */
typedef struct
{
  gconstpointer who;
  guint64 bps; /* the bitrate that it wants, or UNSAID */
  gboolean quiet;
  gdouble largest; /* as in EncoderWish */
} Member;

typedef struct
{
  GMutex lock;
  GArray *members; /* of Member */
  EncoderState state;
  EncoderLargest largest;
  gboolean busy;  /* a member's thread sets the encoder's bitrate */
  gboolean again; /* that thread has to look again afterwards */
} Share;

static void
share_free (gpointer data)
{
  Share *share = data;

  g_array_unref (share->members);
  g_mutex_clear (&share->lock);
  g_free (share);
}

/* It lives as long as `encoder`. */
static Share *
share_of (GstElement *encoder)
{
  static GMutex lock;
  GQuark quark = g_quark_from_static_string ("rtpadapt-encoder-share");
  Share *share;

  g_mutex_lock (&lock);
  share = g_object_get_qdata (G_OBJECT (encoder), quark);
  if (!share) {
    share = g_new0 (Share, 1);
    g_mutex_init (&share->lock);
    share->members = g_array_new (FALSE, FALSE, sizeof (Member));
    g_object_set_qdata_full (G_OBJECT (encoder), quark, share, share_free);
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

static Member *
member_place (Share *share, gconstpointer who)
{
  const Member one = { .who = who, .bps = UNSAID };
  Member *member = member_find (share, who);

  if (member)
    return member;
  g_array_append_val (share->members, one);
  return &g_array_index (share->members, Member, share->members->len - 1);
}

/* The smallest bitrate of the members that somebody answers; if there are none, of
 * all members.  The lock is held. */
static guint64
smallest (const Share *share)
{
  guint64 heard = UNSAID, any = UNSAID;

  for (guint i = 0; i < share->members->len; i++) {
    const Member *member = &g_array_index (share->members, Member, i);

    any = MIN (any, member->bps);
    if (!member->quiet)
      heard = MIN (heard, member->bps);
  }
  return heard != UNSAID ? heard : any;
}

/* The least that a member wants whose receiver is there, or 0.  The lock is held. */
static gdouble
largest_wanted (const Share *share)
{
  gdouble least = 0;

  for (guint i = 0; i < share->members->len; i++) {
    const Member *member = &g_array_index (share->members, Member, i);

    if (member->largest > 0 && !member->quiet)
      least = least > 0 ? MIN (least, member->largest) : member->largest;
  }
  return least;
}

guint
encoder_share_join (GstElement *encoder, gconstpointer who, gboolean again)
{
  Share *share = share_of (encoder);
  guint others;

  g_mutex_lock (&share->lock);
  member_place (share, who);
  others = share->members->len - 1;
  if (again)
    share->state = (EncoderState){ 0 };
  g_mutex_unlock (&share->lock);
  return others;
}

void
encoder_share_leave (GstElement *encoder, gconstpointer who)
{
  Share *share = share_of (encoder);
  Member *member;

  g_mutex_lock (&share->lock);
  member = member_find (share, who);
  if (member)
    g_array_remove_index_fast (share->members,
        (guint) (member - (Member *) (gpointer) share->members->data));
  if (share->members->len == 0)
    share->state = (EncoderState){ 0 };
  g_mutex_unlock (&share->lock);
}

GstClockTime
encoder_share_follow (GstElement *encoder, const EncoderRow *row,
    gconstpointer who, const EncoderWish *wish, EncoderState *given)
{
  Share *share = share_of (encoder);
  GstClockTime when = GST_CLOCK_TIME_NONE;
  gboolean ours;
  Member *member;

  g_mutex_lock (&share->lock);
  member = member_place (share, who);
  member->bps = wish->bps;
  member->quiet = wish->quiet;
  member->largest = wish->largest;
  ours = !share->busy;
  share->again = share->busy = TRUE;
  while (ours && share->again) {
    EncoderState state = share->state;
    EncoderLargest largest = share->largest;
    guint64 bps = smallest (share);
    gdouble frames = largest_wanted (share);

    share->again = FALSE;
    g_mutex_unlock (&share->lock);
    encoder_largest (encoder, row, &largest, frames);
    when = encoder_follow (encoder, row, &state, bps, wish->now);
    g_mutex_lock (&share->lock);
    share->state = state;
    share->largest = largest;
  }
  if (ours)
    share->busy = FALSE;
  *given = share->state;
  g_mutex_unlock (&share->lock);
  return when;
}
