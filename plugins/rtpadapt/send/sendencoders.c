/* rtpadaptsend: the encoders it drives, and whose stream is whose.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What audio takes and what streams take whose encoder nobody found is measured
 * and comes off the rate; the rest is shared equally among the encoders, one
 * that feeds several payloaders getting less.
 */
#include "encodershare.h"
#include "sendpriv.h"

#include "parts/systime.h"
#include "parts/walk.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* What others take is looked at so often, and a change of this part of the rate
 * is told: what an encoder is told less often of, anyway. */
#define BESIDE_INTERVAL (100 * RA_MSECOND)
#define BESIDE_CHANGE 100

/* The value of `encoder` that leaves all of them alone. */
#define HANDS_OFF "none"

/* An rtpadaptsend that nobody answered for this long does not lower the bitrate of
 * an encoder that others have too. */
#define QUIET (3 * RA_SECOND)

/* What a search is about and what it found; the lock is not held. */
typedef struct
{
  GstElement *self;
  gchar **names, *property;
  guint unit;
  GPtrArray *encoders; /* of GstElement */
  EncoderRow told[SEND_ENCODERS_MAX];
  const EncoderRow *rows[SEND_ENCODERS_MAX];
  guint streams[SEND_ENCODERS_MAX];
  gboolean beside_us[SEND_ENCODERS_MAX];
  gchar *missing;     /* names that are no encoder's */
  gboolean hands_off; /* no encoder is driven */
  gboolean expected;  /* an encoder should be found */
  gboolean video;     /* there is video upstream */
  GArray *origins;
} Found;

/* --- search ------------------------------------------------------------- */

static void
encoder_add (Found *f, GstElement *encoder)
{
  guint n = f->encoders->len;
  const EncoderRow *row;

  if (n == SEND_ENCODERS_MAX || g_ptr_array_find (f->encoders, encoder, NULL))
    return;
  row = *f->property
      ? encoder_row_told (encoder, f->property, f->unit, &f->told[n])
      : encoder_row (encoder);
  if (!row)
    return;
  f->rows[n] = row;
  f->streams[n] = 0;
  f->beside_us[n] = walk_same_top (f->self, encoder);
  g_ptr_array_add (f->encoders, gst_object_ref (encoder));
}

static void
encoders_find (GstRtpAdaptSend *self, Found *f)
{
  g_autoptr (GPtrArray) all = NULL;
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; f->names[i]; i++) {
    GstElement *encoder
        = walk_find_named (GST_ELEMENT (self), g_strstrip (f->names[i]));
    guint n = f->encoders->len;

    if (encoder)
      encoder_add (f, encoder);
    if (f->encoders->len == n)
      g_string_append_printf (
          missing, "%s%s", missing->len > 0 ? ", " : "", f->names[i]);
    gst_clear_object (&encoder);
  }
  f->missing = g_strdup (missing->str);
  if (f->names[0] || f->hands_off)
    return;
  all = encoder_find_all_upstream (
      self->sinkpad, *f->property ? f->property : NULL);
  for (guint i = 0; i < all->len; i++)
    encoder_add (f, g_ptr_array_index (all, i));
}

/* A payloader, or a source of RTP. */
static gboolean
is_origin (GstElement *element, gconstpointer data)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return element->numsinkpads == 0
      || (factory
          && gst_element_factory_list_is_type (
              factory, GST_ELEMENT_FACTORY_TYPE_PAYLOADER));
}

static gboolean
is_found (GstElement *element, gconstpointer data)
{
  return g_ptr_array_find ((GPtrArray *) data, element, NULL);
}

/* `origin` and the encoder that feeds it, or -1. */
typedef struct
{
  Found *found;
  gint encoder;
} Origin;

static gboolean
sink_look (GstElement *element, GstPad *pad, gpointer data)
{
  Origin *origin = data;
  GPtrArray *encoders = origin->found->encoders;
  g_autoptr (GPtrArray) behind = walk_find_all_full (pad, is_found, encoders);
  guint i;

  if (behind->len == 0 || !g_ptr_array_find (encoders, behind->pdata[0], &i))
    return TRUE;
  origin->encoder = (gint) i;
  origin->found->streams[i]++;
  return FALSE;
}

static gboolean
src_look (GstElement *element, GstPad *pad, gpointer data)
{
  const Origin *origin = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const GstStructure *s = caps ? gst_caps_get_structure (caps, 0) : NULL;
  StreamOrigin stream = { .driven = origin->encoder >= 0 };

  if (s && gst_structure_has_name (s, "application/x-rtp")
      && gst_structure_get_uint (s, "ssrc", &stream.ssrc)) {
    stream.kind = stream_kind (caps);
    origin->found->video |= stream_caps_are_video (caps);
    g_array_append_val (origin->found->origins, stream);
  }
  gst_clear_caps (&caps);
  return TRUE;
}

static void
origins_find (GstRtpAdaptSend *self, Found *f)
{
  g_autoptr (GPtrArray) all
      = walk_find_all_full (self->sinkpad, is_origin, NULL);

  f->origins = g_array_new (FALSE, FALSE, sizeof (StreamOrigin));
  for (guint i = 0; i < all->len; i++) {
    Origin origin = { f, -1 };

    gst_element_foreach_sink_pad (all->pdata[i], sink_look, &origin);
    gst_element_foreach_src_pad (all->pdata[i], src_look, &origin);
  }
}

/* --- what a search found ------------------------------------------------ */

/* TRUE if it was driven before; the lock is held. */
static gboolean
is_driven (const GstRtpAdaptSend *self, GstElement *encoder)
{
  for (guint i = 0; i < self->n_encoders; i++) {
    g_autoptr (GstElement) before
        = g_weak_ref_get ((GWeakRef *) &self->encoders[i].element);

    if (before == encoder)
      return TRUE;
  }
  return FALSE;
}

/* Stops driving the encoders that are not in `kept`; NULL: all of them.  The lock
 * is held. */
static void
encoders_leave (GstRtpAdaptSend *self, GPtrArray *kept)
{
  for (guint i = 0; i < self->n_encoders; i++) {
    g_autoptr (GstElement) encoder
        = g_weak_ref_get (&self->encoders[i].element);

    if (encoder && !(kept && g_ptr_array_find (kept, encoder, NULL)))
      encoder_share_leave (encoder, self);
  }
}

void
send_encoders_stop (GstRtpAdaptSend *self)
{
  encoders_leave (self, NULL);
  for (guint i = 0; i < self->n_encoders; i++)
    g_weak_ref_set (&self->encoders[i].element, NULL);
  self->n_encoders = 0;
}

/* Another rtpadaptsend drives it already.  The lock is not held. */
static void
shared_tell (GstRtpAdaptSend *self, GstElement *encoder)
{
  GST_ELEMENT_INFO (self, RESOURCE, BUSY,
      ("%s feeds another rtpadaptsend, too: the smallest of their bitrates "
       "holds.",
          GST_OBJECT_NAME (encoder)),
      ("the property encoder names the encoders that are driven; encoder=none "
       "drives none"));
}

/* An encoder that was not driven before.  The lock is not held. */
static void
encoder_greet (
    GstRtpAdaptSend *self, GstElement *encoder, const EncoderRow *row)
{
  g_autofree gchar *problem = encoder_prepare (encoder, row);

  GST_INFO_OBJECT (
      self, "%" GST_PTR_FORMAT " takes a bitrate: %s", encoder, row->change);
  if (problem)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("%s does not hold its bitrate: %s.", GST_OBJECT_NAME (encoder),
            problem),
        ("it works with: %s", row->settings));
}

/* Makes those found our encoders.  Returns one that another rtpadaptsend drives,
 * too, or NULL.  The lock is held. */
static GstElement *
places_take (GstRtpAdaptSend *self, const Found *f)
{
  GstElement *shared = NULL;

  for (guint i = 0; i < f->encoders->len; i++) {
    SendEncoder *e = &self->encoders[i];

    g_weak_ref_set (&e->element, f->encoders->pdata[i]);
    e->told = f->told[i];
    e->row = f->rows[i] == &f->told[i] ? &e->told : f->rows[i];
    e->state = (EncoderState){ 0 };
    e->streams = f->streams[i];
    e->beside_us = f->beside_us[i];
    if (encoder_share_join (f->encoders->pdata[i], self, self->encoders_retold)
        > 0)
      shared = f->encoders->pdata[i];
  }
  for (guint i = f->encoders->len; i < self->n_encoders; i++)
    g_weak_ref_set (&self->encoders[i].element, NULL);
  self->n_encoders = f->encoders->len;
  self->encoders_retold = FALSE;
  return shared;
}

/* Drives those found from now on.  The lock is held, and let go. */
static void
found_take (GstRtpAdaptSend *self, Found *f)
{
  guint n = f->encoders->len;
  gboolean before[SEND_ENCODERS_MAX];
  gboolean others = n == 0; /* somebody else sets them all */
  GstElement *shared;

  for (guint i = 0; i < n; i++) {
    before[i] = is_driven (self, f->encoders->pdata[i]);
    others |= f->streams[i] == 0; /* its stream comes from elsewhere */
  }
  encoders_leave (self, f->encoders);
  shared = places_take (self, f);
  if (shared && !send_warn_once (self, SEND_WARNED_SHARED))
    shared = NULL;
  self->encoder_again = RA_TIME_NONE;
  for (guint i = 0; n == 0 && i < f->origins->len; i++)
    g_array_index (f->origins, StreamOrigin, i).driven = TRUE;
  streams_on_search (&self->way.streams, g_steal_pointer (&f->origins), others);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < n; i++) {
    if (!before[i])
      encoder_greet (self, f->encoders->pdata[i], f->rows[i]);
  }
  if (shared)
    shared_tell (self, shared);
  g_mutex_lock (&self->lock);
}

/* Once per start, if there is nobody to be driven, or not all that are named.
 * The lock is held, and let go. */
static void
missing_warn (GstRtpAdaptSend *self, const Found *f)
{
  const gchar *names = f->missing;

  if (f->hands_off || (*names == '\0' && self->n_encoders > 0))
    return;
  /* Video was linked during the search, or only the caps of its payloader show
   * that it is there.  The next search finds all of it. */
  if (!f->expected) {
    self->herald.again |= f->video && !self->encoder_expected;
    self->encoder_expected |= f->video;
    return;
  }
  if (!send_warn_once (self, SEND_WARNED_NO_ENCODER))
    return;
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, RESOURCE, NOT_FOUND,
      ("No encoder that %s can drive%s%s%s.", GST_OBJECT_NAME (self),
          *names ? " is named '" : " is upstream", names, *names ? "'" : ""),
      ("notify::estimated-bitrate still tells the bitrate"));
  g_mutex_lock (&self->lock);
}

/* The lock is held, and let go. */
static void
search (GstRtpAdaptSend *self)
{
  gboolean hands_off = g_str_equal (self->cfg.encoder, HANDS_OFF);
  Found f = {
    .self = GST_ELEMENT (self),
    .names = *self->cfg.encoder && !hands_off
        ? g_strsplit (self->cfg.encoder, ",", -1)
        : g_new0 (gchar *, 1),
    .hands_off = hands_off,
    .expected = self->encoder_expected,
    .property = g_strdup (self->cfg.encoder_property),
    .unit = self->cfg.encoder_unit,
    .encoders = g_ptr_array_new_with_free_func (gst_object_unref),
  };

  self->encoder_stale = FALSE;
  g_mutex_unlock (&self->lock);
  encoders_find (self, &f);
  origins_find (self, &f);
  g_mutex_lock (&self->lock);
  if (self->sender) {
    found_take (self, &f);
    missing_warn (self, &f);
  }
  /* Whoever is missing may come. */
  if (!hands_off && (self->n_encoders == 0 || *f.missing))
    self->encoder_stale = TRUE;
  g_clear_pointer (&f.origins, g_array_unref);
  g_ptr_array_unref (f.encoders);
  g_free (f.missing);
  g_free (f.property);
  g_strfreev (f.names);
}

/* --- their shares ------------------------------------------------------- */

/* bit/s for each stream of an encoder; the lock is held. */
static guint64
share_now (GstRtpAdaptSend *self, RaTime now)
{
  guint64 rate = ra_sender_rate (self->sender);
  guint streams = 0;
  RaSplit split;

  for (guint i = 0; i < self->n_encoders; i++)
    streams += MAX (self->encoders[i].streams, 1);
  ra_sender_split (
      self->sender, backlog_span (self->pace.backlog, rate), &split);
  self->beside = streams_beside (&self->way.streams, now);
  ra_split_beside (&split, rate, self->beside);
  return split.media / MAX (streams, 1);
}

/* Gives one encoder `bps`.  The lock is held, and let go for what may block.
 * FALSE if it is no longer there. */
static gboolean
encoder_drive (GstRtpAdaptSend *self, guint i, guint64 bps, RaTime now)
{
  SendEncoder *e = &self->encoders[i];
  GstElement *encoder = g_weak_ref_get (&e->element);
  /* Others that drive it may have another clock. */
  EncoderWish wish = { .bps = bps,
    .quiet = ra_diff (now, self->heard_at) > QUIET,
    .now = system_now () };
  const EncoderRow *row = e->row;
  gboolean removed = e->beside_us;
  EncoderState state;
  RaTime again;

  if (!encoder)
    return FALSE;
  g_mutex_unlock (&self->lock);
  /* The application, or a message on the bus, may hold one that was removed. */
  removed = removed && !walk_same_top (GST_ELEMENT (self), encoder);
  if (removed) {
    gst_object_unref (encoder);
    g_mutex_lock (&self->lock);
    return FALSE;
  }
  again = encoder_share_follow (encoder, row, self, &wish, &state);
  if (state.at == wish.now)
    GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT ": %" G_GUINT64_FORMAT " bit/s",
        encoder, state.bps);
  g_mutex_lock (&self->lock);
  if (!self->sender) /* stopped meanwhile */
    encoder_share_leave (encoder, self);
  e->state = state;
  if (again != GST_CLOCK_TIME_NONE)
    self->encoder_again
        = MIN (self->encoder_again, ra_later (now, ra_diff (again, wish.now)));
  g_mutex_unlock (&self->lock);
  gst_object_unref (encoder);
  g_mutex_lock (&self->lock);
  return TRUE;
}

void
send_encoders_drive (GstRtpAdaptSend *self)
{
  guint64 bps;
  RaTime now;

  gboolean hands_off = g_str_equal (self->cfg.encoder, HANDS_OFF);

  if (self->sender
      && (self->encoder_stale || (self->n_encoders == 0 && !hands_off)))
    search (self);
  if (!self->sender)
    return;
  /* No encoder takes a bitrate of 0, and the breakers of others that drive it may
   * be closed. */
  if (ra_sender_is_open (self->sender)) {
    encoders_leave (self, NULL);
    return;
  }
  now = send_now (self);
  bps = share_now (self, now);
  self->encoder_again = RA_TIME_NONE;
  for (guint i = 0; i < self->n_encoders; i++) {
    if (!encoder_drive (self, i, bps, now)) {
      self->encoder_stale = self->herald.again = TRUE;
      break;
    }
  }
  if (self->encoder_again != RA_TIME_NONE)
    send_wake (self);
}

void
send_encoders_watch (GstRtpAdaptSend *self, RaTime now)
{
  guint64 beside, change;

  if (now < self->beside_again && self->beside_again - now <= BESIDE_INTERVAL)
    return;
  self->beside_again = ra_later (now, BESIDE_INTERVAL);
  beside = streams_beside (&self->way.streams, now);
  change
      = beside > self->beside ? beside - self->beside : self->beside - beside;
  if (change > ra_sender_rate (self->sender) / BESIDE_CHANGE)
    send_tell (self);
}

guint64
send_encoders_bitrate (const GstRtpAdaptSend *self)
{
  guint64 sum = 0;

  for (guint i = 0; i < self->n_encoders; i++)
    sum += self->encoders[i].state.bps;
  return sum;
}
