/* What a flow of the simulation has to send: a video encoder's frames with
 * their repair packets, or always a packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "sim.h"
#include "fec.h"
#include "mpeg.h"

G_BEGIN_DECLS

#define SIM_RTP_HEADER 20 /* with the TWCC extension */

/* A packet that waits for the pacer. */
typedef struct
{
  guint size;
  RaImportance importance;
  RaSentFlags flags; /* FRAME_END, REPAIR */
  SimFrame *frame;   /* NULL: of none */
  guint pos;         /* in it */
  guint64 n_frame;   /* from 1 on */
} SimItem;

typedef struct
{
  const RaSimConfig *cfg;
  GQueue backlog; /* of SimItem */
  guint64 backlog_bytes;
  RaTime next_frame, frame_start;
  guint64 n_frames;
  SimMpeg mpeg;
  gdouble rest; /* bytes of an MPEG stream that fill no packet yet */
  SimFec fec;
} SimSource;

/* Flow `index` starts at `start`; before `measured` repair is not counted. */
void sim_source_init (SimSource *s, const RaSimConfig *cfg, guint index,
    RaRng *rng, RaTime start, RaTime measured);
void sim_source_clear (SimSource *s);

/* It always has data. */
gboolean sim_source_is_greedy (const SimSource *s);
/* It has nothing to send, as configured. */
gboolean sim_source_is_idle (const SimSource *s, RaTime now);
/* A packet waits behind those taken, or could. */
gboolean sim_source_has_more (const SimSource *s);
/* It could send more than the rate lets it (RFC 5348 8.2.1). */
gboolean sim_source_is_held (const SimSource *s);
/* `item` is of the latest frame, which the pacer only spreads. */
gboolean sim_source_is_spread (const SimSource *s, const SimItem *item);
/* Nothing of what waits will be sent. */
void sim_source_forget (SimSource *s);
/* Makes the frame that is due, at the sender's rates; `now` is its clock. */
void sim_source_frame (
    SimSource *s, const RaSender *sender, RaRng *rng, RaTime now);
/* The next packet, which leaves now; one must wait. */
SimItem sim_source_take (SimSource *s, RaTime now);

G_END_DECLS
