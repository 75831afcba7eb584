/* What a flow of the simulation has to send.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "source.h"

#include <math.h>

#define MAX_BACKLOG (250 * RA_MSECOND)
/* Per-packet feedback of a source without frames: as a 25 Hz video's. */
#define GREEDY_FRAME (40 * RA_MSECOND)
#define KEY_INTERVAL 2.0 /* s */
#define FEC_HEADER 14    /* RFC 5109 7.3, 7.4, short mask */

void
sim_source_init (SimSource *s, const RaSimConfig *cfg, guint index, RaRng *rng,
    RaTime start, RaTime measured)
{
  s->cfg = cfg;
  s->fec.from = measured;
  if (cfg->mpeg)
    sim_mpeg_init (&s->mpeg, rng);
  /* Flows do not start in step. */
  s->next_frame = start
      + (RaTime) ra_span (sim_source_is_greedy (s)
              ? 0
              : index % cfg->flows / cfg->fps / cfg->flows);
}

void
sim_source_clear (SimSource *s)
{
  g_queue_clear_full (&s->backlog, g_free);
  sim_fec_clear (&s->fec);
}

gboolean
sim_source_is_greedy (const SimSource *s)
{
  return s->cfg->fps <= 0;
}

gboolean
sim_source_is_idle (const SimSource *s, RaTime now)
{
  return (RaSpan) now >= s->cfg->idle_from && (RaSpan) now < s->cfg->idle_until;
}

gboolean
sim_source_has_more (const SimSource *s)
{
  return sim_source_is_greedy (s) || s->backlog.length > 0;
}

/* Packets of an MPEG stream are filled before they wait: at less than one a
 * frame none ever would, though it is the rate that holds the stream back. */
gboolean
sim_source_is_held (const SimSource *s)
{
  return s->cfg->mpeg && !sim_source_has_more (s);
}

void
sim_source_forget (SimSource *s)
{
  for (SimItem *item; (item = g_queue_pop_head (&s->backlog));) {
    sim_frame_outcome (item->frame, item->pos, FALSE);
    g_free (item);
  }
  s->backlog_bytes = 0;
}

gboolean
sim_source_is_spread (const SimSource *s, const SimItem *item)
{
  return item->n_frame > 0 && item->n_frame == s->n_frames;
}

static void
item_put (SimSource *s, const SimItem *item)
{
  g_queue_push_tail (&s->backlog, g_memdup2 (item, sizeof *item));
  s->backlog_bytes += item->size;
}

/* The packets of a frame of `bytes`, and behind them those that repair it: as
 * long as the longest, and RFC 5109's headers. */
static void
frame_put (SimSource *s, gdouble bytes, RaImportance importance,
    guint percentage, RaTime now)
{
  guint payload = s->cfg->packet_size - SIM_RTP_HEADER;
  guint n = (guint) ceil (bytes / payload);
  guint longest = (guint) ceil (MIN (bytes, payload)) + SIM_RTP_HEADER;
  SimItem item = { .importance = importance, .n_frame = s->n_frames };

  item.frame = sim_frame_new (&s->fec, n, percentage, now);
  for (; item.pos < n; item.pos++, bytes -= payload) {
    item.size = SIM_RTP_HEADER + (guint) ceil (MIN (bytes, payload));
    item.flags = item.pos + 1 < n ? 0 : RA_SENT_FRAME_END;
    item_put (s, &item);
  }
  item.flags = RA_SENT_REPAIR;
  item.size = MIN (longest + FEC_HEADER, s->cfg->packet_size);
  for (; item.pos < n + item.frame->n_repair; item.pos++)
    item_put (s, &item);
}

/* Frames of the media rate +-20 % (uniform), key frames alike. */
static void
even_put (
    SimSource *s, const RaSender *sender, gdouble mean, RaRng *rng, RaTime now)
{
  guint key_frames = (guint) MAX (KEY_INTERVAL * s->cfg->fps, 1);
  RaImportance importance
      = (s->n_frames - 1) % key_frames ? RA_IMPORTANCE_BASE : RA_IMPORTANCE_KEY;
  gdouble wanted = mean * (0.8 + 0.4 * ra_rng_uniform (rng));

  frame_put (s, MAX (wanted, 1), importance, ra_sender_fec (sender), now);
}

/* I, P and B frames of the stream.  "Packet size to 1000 bytes for all system flows" (003
 * 5.1): they are a stream of bytes, which leaves in full packets. */
static void
mpeg_put (
    SimSource *s, const RaSender *sender, gdouble mean, RaRng *rng, RaTime now)
{
  gdouble payload = s->cfg->packet_size - SIM_RTP_HEADER, whole;
  SimMpegType type;

  s->rest += mean * sim_mpeg_next (&s->mpeg, rng, &type);
  whole = floor (s->rest / payload) * payload;
  s->rest -= whole;
  if (whole > 0)
    frame_put (s, whole,
        type == SIM_MPEG_I ? RA_IMPORTANCE_KEY : RA_IMPORTANCE_BASE,
        ra_sender_fec (sender), now);
}

/* By bytes the encoder's lot is drawn for each frame, also for one that is left out,
 * and a sender that may send nothing has no backlog if nothing waits.  A breaker that
 * is open lets a frame through when a probe is due. */
static void
live_frame (SimSource *s, const RaSender *sender, RaRng *rng, RaTime now)
{
  RaSpan backlog = s->backlog_bytes > 0
      ? ra_send_span ((gdouble) s->backlog_bytes, ra_sender_rate (sender))
      : 0;
  gdouble payload = s->cfg->packet_size - SIM_RTP_HEADER, bytes, full;
  RaSplit split;

  ra_sender_split (sender, backlog, &split);
  bytes = ra_bytes (split.media) / s->cfg->fps * s->cfg->excess
      * (.8 + .4 * ra_rng_uniform (rng));
  if (backlog > MAX_BACKLOG
      || (split.media == 0 && ra_sender_next_send (sender, now) > now))
    return;
  full = payload * MAX (ceil (bytes / payload) - 1, 0);
  frame_put (s, full + MAX (floor (bytes - full + .999), 1), RA_IMPORTANCE_BASE,
      ra_sender_fec (sender), now);
}

/* The encoder. */
void
sim_source_frame (SimSource *s, const RaSender *sender, RaRng *rng, RaTime now)
{
  gdouble fps = s->cfg->fps;
  RaSpan backlog;
  RaSplit split;

  s->n_frames++;
  s->next_frame += (RaTime) ra_span (1 / fps);
  if (s->cfg->wire && !s->cfg->mpeg) {
    live_frame (s, sender, rng, now);
    return;
  }
  backlog = ra_send_span ((gdouble) s->backlog_bytes, ra_sender_rate (sender));
  ra_sender_split (sender, backlog, &split);
  if (backlog > MAX_BACKLOG || sim_source_is_idle (s, now))
    return;
  (s->cfg->mpeg ? mpeg_put : even_put) (
      s, sender, ra_bytes (split.media) / fps, rng, now);
}

SimItem
sim_source_take (SimSource *s, RaTime now)
{
  SimItem item = { .size = s->cfg->packet_size };

  if (sim_source_is_greedy (s)) {
    if (now >= s->frame_start + GREEDY_FRAME)
      item.flags = RA_SENT_FRAME_END;
  } else {
    g_autofree SimItem *waiting = g_queue_pop_head (&s->backlog);

    item = *waiting;
    s->backlog_bytes -= item.size;
  }
  if (item.flags & RA_SENT_FRAME_END)
    s->frame_start = now;
  return item;
}
