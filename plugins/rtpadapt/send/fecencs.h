/* The FEC encoders upstream of rtpadaptsend: all of them are to make the same level.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A search upstream may block, and so may an encoder that gets a level.  Both are
 * in one job of three calls: plan with the owner's lock, do without it, take with
 * it; end follows without the lock.  One thread does that.  The lock is held for
 * all other calls.
 */
#pragma once

#include "fecshare.h"
#include "lateness.h"
#include "parts/notices.h"
#include "sendwants.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean stale;  /* other FEC encoders may stand upstream: search */
  gboolean usable; /* one of them makes packets */
  gboolean
      off; /* packets get header extensions that none of them sees: no FEC */
  gboolean numbered; /* a stream has its own: FEC need not give way */
  RaFecCode code;    /* of the one with the smallest blocks, */
  guint block;       /* and their media packets; 0: not known */
  guint others;      /* the level that other owners want of them */
  GPtrArray *driven; /* private, or NULL */
  guint n_stops;
  Lateness *lateness; /* of what comes in, as the owner says */
} FecEncoders;

typedef struct
{
  gboolean search;
  gboolean usable;
  FecWants wants;
  RaFecCode code;
  guint block;
  guint level, others; /* what they make, as FecMade */
  gboolean changed;    /* one of them makes another level */
  GPtrArray *driven;   /* those that get the level, or NULL */
  guint n_stops;
  Lateness *lateness;
  Notices notices; /* to be posted after take */
} FecEncodersJob;

/* Once, when the owner is made, and when it goes. */
void fecencs_init (FecEncoders *f);
void fecencs_clear (FecEncoders *f);
/* A new start; fecencs_stop() came before. */
void fecencs_start (FecEncoders *f);
/* Drives none of them any more; what is planned and not yet taken is dropped.
 * (transfer full): to be unreferenced without the lock, or NULL. */
GPtrArray *fecencs_stop (FecEncoders *f);

/* Other elements may stand upstream: a search is due. */
void fecencs_on_upstream_changed (FecEncoders *f);
/* A media packet came with the header extensions that feedback goes by, so that FEC
 * protects it as it leaves. */
SendWants fecencs_on_numbered (FecEncoders *f);
/* FEC gives way to header extensions, unless a stream has its own. */
void fecencs_give_way (FecEncoders *f);
/* TRUE: packets may not grow any more, as FEC protects them as they are. */
static inline gboolean
fecencs_see (const FecEncoders *f)
{
  return f->usable && !f->off;
}

/* As lateness_set(). */
void fecencs_set_waiting (
    FecEncoders *f, RaSpan waiting, RaSpan timely, guint64 rate);
/* FALSE: nothing is to be done. */
gboolean fecencs_plan (
    FecEncoders *f, const FecWants *wants, FecEncodersJob *job);
/* `sinkpad` is the owner's. */
void fecencs_do (FecEncodersJob *job, GstPad *sinkpad);
SendWants fecencs_take (FecEncoders *f, FecEncodersJob *job);
void fecencs_end (FecEncodersJob *job);

G_END_DECLS
