/* Loss differentiation: why is a packet missing?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An algorithm is one file in lda/ that ends in one const RaLdaOps named
 * ra_lda_NAME; its word in gst/rtpadapt/meson.build adds it everywhere.
 *
 * The contract: on_packet() hears every in-order packet and answers for the
 * hole right before it (the answer is ignored when n_lost is 0); unsure means
 * congestion, the side that is safe for the network; a hybrid feeds all its
 * children every packet.  Reordering never reaches an LDA (loss/holes).  No
 * allocation after init, so that an instance may be copied.
 */
#pragma once

#include <gst/rtpadapt/util/observe.h>
#include <gst/rtpadapt/util/params.h>

G_BEGIN_DECLS

/* One packet that arrived in order. */
typedef struct
{
  guint64 seq;      /* unwrapped */
  guint n_lost;     /* packets missing right before this one */
  guint size;       /* bytes of this packet, as X counts them */
  guint bytes_lost; /* of the missing ones; the mean size times n_lost where
                       the feedback does not tell */
  RaTime arrival;   /* receiver's clock */
  RaSpan iat;   /* since the previous in-order arrival; RA_SPAN_NONE first */
  RaSpan rott;  /* arrival - send time; unknown constant offset (clocks) */
  RaSpan grain; /* resolution of arrival: 0 exact, TWCC 250 us */
  RaSpan rtt;   /* sender's smoothed estimate, 0 if unknown */
  guint64 rate; /* sender's allowed rate, bit/s, 0 if unknown */
  guint8 mark;  /* drop precedence of this packet, 0 if none */
} RaArrival;

/* The truth about a lost packet, where a link model or a log knows it. */
typedef RaCause (*RaTruth) (guint64 seq, gpointer data);

typedef struct _RaLda RaLda;
typedef struct _RaLdaOps RaLdaOps;

struct _RaLdaOps
{
  const gchar *name; /* enum nick, argument of the tools, CSV word */
  const gchar *cite; /* authors, year, section: one line */
  gsize size;        /* of the instance; RaLda is its first member */
  const RaParam *params;
  void (*init) (RaLda *lda); /* optional; the memory is zeroed, params set */
  RaCause (*on_packet) (RaLda *lda, const RaArrival *a);
  /* Optional, for those that judge each missing packet by itself (the truth,
   * a share): called after on_packet() for every missing seq in order, and its
   * answer stands instead of on_packet()'s. */
  RaCause (*on_missing) (RaLda *lda, const RaArrival *a, guint64 seq);
  void (*observe) (const RaLda *lda, RaObserve emit, gpointer data); /* opt. */
};

struct _RaLda
{
  const RaLdaOps *ops;
  RaTruth truth; /* NULL: nobody knows */
  gpointer truth_data;
};

/* All algorithms, ended by NULL, in the order of the list in meson.build. */
extern const RaLdaOps *const ra_ldas[];

/* NULL if there is none of that name. */
const RaLdaOps *ra_lda_find (const gchar *name);

/* `params` as ra_params_parse(), may be NULL.  NULL and `error` on bad params.
 * (transfer full): ra_lda_free(). */
RaLda *ra_lda_new (const RaLdaOps *ops, const gchar *params, GError **error);
void ra_lda_free (RaLda *lda);
/* Back to the state after ra_lda_new(), parameters and truth kept. */
void ra_lda_reset (RaLda *lda);
/* For a hybrid's children, which it keeps inside its own struct. */
void ra_lda_init (RaLda *lda, const RaLdaOps *ops);
/* Who will be asked by LDAs that need the truth. */
void ra_lda_set_truth (RaLda *lda, RaTruth truth, gpointer data);

/* The verdict for the hole before `a`: CONGESTION or WIRELESS, or NONE if
 * a->n_lost is 0. */
RaCause ra_lda_on_packet (RaLda *lda, const RaArrival *a);
/* The verdict for one packet of that hole; `hole` is what ra_lda_on_packet()
 * said of it. */
RaCause ra_lda_on_missing (
    RaLda *lda, const RaArrival *a, guint64 seq, RaCause hole);
void ra_lda_observe (const RaLda *lda, RaObserve emit, gpointer data);

G_END_DECLS
