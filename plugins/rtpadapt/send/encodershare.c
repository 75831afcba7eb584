/* Several elements behind one encoder: the smallest of their bitrates holds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encodershare.h"

#include "elementshare.h"
#include "encoderlargest.h"
#include "sizefit.h"

#define UNSAID G_MAXUINT64

/* An element that drives the encoder. */
typedef struct
{
  gconstpointer who;
  guint64 bps; /* the bitrate that it wants, or UNSAID */
  gboolean quiet, adapts;
  gdouble largest; /* as in EncoderWish */
} Member;

typedef struct
{
  ElementShare base; /* of Member */
  EncoderRow row;    /* of who followed last, */
  GstClockTime now;  /* and when that was */
  EncoderState state;
  guint n_forgot; /* how often the state was forgotten */
  EncoderLargest largest;
} Share;

static Share *
share_of (GstElement *encoder)
{
  return element_share_of (
      encoder, "rtpadapt-encoder-share", sizeof (Share), sizeof (Member));
}

static Member *
member_place (Share *share, gconstpointer who)
{
  const Member fresh = { .who = who, .bps = UNSAID };

  return element_share_place (&share->base, &fresh);
}

/* The encoder gets its bitrate once more, also where a thread sets it now.  What it had
 * of its own stays known.  The lock is held. */
static void
state_forget (Share *share)
{
  share->state = (EncoderState){ .own = share->state.own };
  share->n_forgot++;
}

/* The smallest bitrate of the members that somebody answers; if there are none, of
 * all members.  The lock is held. */
static guint64
smallest (const Share *share)
{
  guint64 heard = UNSAID, any = UNSAID;

  for (guint i = 0; i < share->base.members->len; i++) {
    const Member *member = &g_array_index (share->base.members, Member, i);

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

  for (guint i = 0; i < share->base.members->len; i++) {
    const Member *member = &g_array_index (share->base.members, Member, i);

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

  g_mutex_lock (&share->base.lock);
  member_place (share, who);
  others = share->base.members->len - 1;
  if (again)
    state_forget (share);
  g_mutex_unlock (&share->base.lock);
  return others;
}

void
encoder_share_leave (GstElement *encoder, gconstpointer who)
{
  Share *share = share_of (encoder);

  g_mutex_lock (&share->base.lock);
  element_share_remove (&share->base, who);
  if (share->base.members->len == 0)
    state_forget (share);
  g_mutex_unlock (&share->base.lock);
}

gboolean
encoder_share_adapts (GstElement *encoder, gconstpointer who, gboolean adapts)
{
  Share *share = share_of (encoder);
  gboolean others = FALSE;

  g_mutex_lock (&share->base.lock);
  member_place (share, who)->adapts = adapts;
  for (guint i = 0; i < share->base.members->len; i++) {
    const Member *member = &g_array_index (share->base.members, Member, i);

    others |= member->who != who && member->adapts;
  }
  g_mutex_unlock (&share->base.lock);
  return others;
}

void
encoder_share_pause (GstElement *encoder, gconstpointer who)
{
  Share *share = share_of (encoder);

  g_mutex_lock (&share->base.lock);
  *member_place (share, who)
      = (Member){ .who = who, .bps = UNSAID, .quiet = TRUE };
  if (smallest (share) == UNSAID)
    state_forget (share);
  g_mutex_unlock (&share->base.lock);
}

/* Sets what the members want; what the encoder had of its own, where there are none.  The
 * lock is held, and let go. */
static GstClockTime
members_obey (Share *share, GstElement *encoder)
{
  const EncoderRow row = share->row;
  GstClockTime now = share->now, when = GST_CLOCK_TIME_NONE;
  EncoderState state = share->state;
  EncoderLargest largest = share->largest;
  guint64 bps = smallest (share);
  gdouble frames = largest_wanted (share);
  guint n_forgot = share->n_forgot;
  gboolean ours = share->base.members->len > 0;

  g_mutex_unlock (&share->base.lock);
  encoder_largest (encoder, &row, &largest, frames);
  if (ours && bps != UNSAID)
    when = encoder_follow (encoder, &row, &state, bps, now);
  if (!ours) {
    encoder_restore (encoder, &state);
    size_fit_restore (encoder);
  }
  g_mutex_lock (&share->base.lock);
  if (n_forgot == share->n_forgot)
    share->state = state;
  else
    share->state.own = state.own;
  share->largest = largest;
  return when;
}

void
encoder_share_restore (GstElement *encoder)
{
  Share *share = share_of (encoder);

  g_mutex_lock (&share->base.lock);
  if (share->base.members->len == 0 && element_share_begin (&share->base)) {
    while (element_share_next (&share->base))
      members_obey (share, encoder);
  }
  g_mutex_unlock (&share->base.lock);
}

GstClockTime
encoder_share_follow (GstElement *encoder, const EncoderRow *row,
    gconstpointer who, const EncoderWish *wish, EncoderState *given)
{
  Share *share = share_of (encoder);
  GstClockTime when = GST_CLOCK_TIME_NONE;
  Member *member;

  g_mutex_lock (&share->base.lock);
  member = member_place (share, who);
  member->bps = wish->bps;
  member->quiet = wish->quiet;
  member->largest = wish->largest;
  share->row = *row;
  share->now = wish->now;
  if (element_share_begin (&share->base)) {
    while (element_share_next (&share->base))
      when = members_obey (share, encoder);
  }
  *given = share->state;
  g_mutex_unlock (&share->base.lock);
  return when;
}
