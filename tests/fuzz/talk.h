/* Sender and receiver of the stateful fuzz target, and the way between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "fuzz.h"
#include "laws.h"

#include <gst/rtpadapt/feedback/tfrcear.h>
#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/util/rng.h>

G_BEGIN_DECLS

#define TALK_FLYING 256 /* packets on their way, at most; the rest is lost */
#define TALK_ROWS 512   /* of a report */
#define TALK_BYTES 2048 /* of a report */
#define TALK_NOW_MAX (G_GUINT64_CONSTANT (1) << 61)

typedef enum
{
  TALK_TFRC,
  TALK_ROWWISE, /* as transport-wide feedback comes out of rtpsession */
  TALK_CCFB,
} TalkMode;
#define TALK_N_MODES 3

typedef struct
{
  guint64 seq;
  guint size;
  RaSendTs ts;
  RaColourExt colour;
} TalkPacket;

/* As it goes over the wire. */
typedef struct
{
  guint8 fci[TALK_BYTES], radp[RA_RADP_SIZE_MAX];
  gsize size, radp_size;
  guint32 media; /* ccfb */
  RaFeedbackPacket rows[TALK_ROWS];
  guint n; /* rows */
} TalkReport;

typedef struct
{
  TalkMode mode;
  RaRateConfig limits;
  gdouble cap;
  RaTime now, peer; /* the two clocks */
  RaSender *sender;
  RaTfrcEar *tfrc_ear;
  RaReporter *reporter;
  guint64 next; /* packet */
  guint16 colours[RA_N_MARKS];
  TalkPacket flying[TALK_FLYING];
  guint n_flying;
  RaTime came[TALK_ROWS]; /* by number; RA_TIME_NONE: not yet */
  guint64 told, highest;  /* rows: one after the last told, that came */
  guint64 taken;          /* packets that the receiver was given */
  TalkReport last;        /* report, for who repeats it */
  gsize memory;           /* at the beginning */
} Talk;

/* talk.c */
/* The one of that number in a list of the registry, which it goes round. */
gconstpointer talk_pick (gconstpointer const *list, guint64 i);
#define TALK_PICK(list, i) talk_pick ((gconstpointer const *) (list), i)

void talk_init (Talk *t, FuzzBytes *b);
void talk_clear (Talk *t);
/* All that has to hold at any time. */
void talk_check (Talk *t);

void talk_send (Talk *t, guint size, guint flags);
/* Packet i of those under way arrives; `stays`: a copy is still to come. */
void talk_deliver (Talk *t, guint i, gboolean stays);
void talk_lose (Talk *t, guint n);
/* Runs the sender's timers. */
void talk_pass (Talk *t, RaSpan span);

/* What an honest receiver says now into `r`; FALSE: nothing. */
gboolean talk_report (Talk *t, TalkReport *r);
/* The sender hears it. */
void talk_hear (Talk *t, const TalkReport *r);

G_END_DECLS
