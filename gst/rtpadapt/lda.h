/* Loss differentiation: why is a packet missing?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An algorithm is one file in lda/ that ends in one const RaLdaOps named
 * ra_lda_NAME; its word in gst/rtpadapt/meson.build adds it everywhere.
 *
 * The contract: on_packet() hears every in-order packet and answers for the
 * hole right before it (the answer is ignored when n_lost is 0); unsure means
 * congestion, the side that is safe for the network; a hybrid feeds all its
 * children every packet.  Reordering never reaches an LDA (loss/holes).  An
 * instance is plain bytes: it allocates nothing, in init() either, as
 * ra_lda_reset() clears it and nothing frees what is in it.
 */
#pragma once

#include <gst/rtpadapt/registry.h>
#include <gst/rtpadapt/util/observe.h>

G_BEGIN_DECLS

/* One packet that arrived in order. */
typedef struct
{
  guint64 seq;      /* unwrapped */
  guint n_lost;     /* packets missing right before this one */
  guint size;       /* bytes of this packet, as X counts them */
  guint bytes_lost; /* of the missing ones; the mean size times n_lost where
                       the feedback does not say */
  RaTime arrival;   /* receiver's clock */
  RaSpan iat;   /* since the previous in-order arrival; RA_SPAN_NONE first */
  RaSpan rott;  /* arrival - send time; unknown constant offset (clocks) */
  RaSpan grain; /* resolution of arrival: 0 exact, TWCC 250 us */
  RaSpan rtt;   /* sender's smoothed estimate, 0 if unknown */
  RaSpan rtt_sample; /* RTT of this packet had it been answered at once; 0 where
                        nobody knows (at a receiver): see lda/delay.h */
  guint64 rate;      /* sender's allowed rate, bit/s; at a receiver, where no
                        packet has it, X_recv; 0 if unknown */
  RaMark mark;       /* of this packet */
  guint lost_by_mark[RA_N_MARKS]; /* packets of each mark found missing now.  At
                                     a receiver a colour's loss shows with that
                                     colour's next packet, so only sums over
                                     many packets mean
                                     something */
} RaArrival;

/* The truth about a lost packet, where a link model or a log knows it. */
typedef RaCause (*RaTruth) (guint64 seq, gpointer data);

/* Estimates that a receiver sends to its sender (RADP): loss ratios of the radio
 * and of congestion.  p_c may be below 0, where the radio's was overestimated. */
typedef struct
{
  gdouble w, p_c;
} RaLdaValues;

typedef struct _RaLda RaLda;
typedef struct _RaLdaOps RaLdaOps;

struct _RaLdaOps
{
  RA_ALGORITHM;
  gboolean colours; /* means nothing unless the sender colours its packets */
  gboolean truth;   /* means nothing where nobody knows the truth */
  gboolean shares; /* labels a share of the losses: which ones means nothing, so
                       loss events mean nothing either */
  /* NULL, or what it does with a loss, if others are compared with it. */
  const gchar *reference;
  void (*init) (RaLda *lda); /* optional, at each reset; the memory is zeroed,
                                params set */
  RaCause (*on_packet) (RaLda *lda, const RaArrival *a);
  /* Optional, for those that judge each missing packet by itself (the truth,
   * a share): called after on_packet() for every missing seq in order, and its
   * answer stands instead of on_packet()'s. */
  RaCause (*on_missing) (RaLda *lda, const RaArrival *a, guint64 seq);
  /* Optional: how long the verdict for the hole before `a` waits; what comes
   * late until then was not lost.  Not at all if there is none. */
  RaSpan (*patience) (const RaLda *lda, const RaArrival *a);
  void (*values) (const RaLda *lda, RaLdaValues *values); /* optional */
  void (*observe) (const RaLda *lda, RaObserve emit, gpointer data); /* opt. */
};

struct _RaLda
{
  const RaLdaOps *ops;
  RaTruth truth; /* NULL: nobody knows */
  gpointer truth_data;
  guint64 seed; /* of what is drawn by lot */
};

/* All algorithms, ended by NULL, in the order of the list in meson.build. */
extern const RaLdaOps *const ra_ldas[];

/* NULL if there is none of that name. */
static inline const RaLdaOps *
ra_lda_find (const gchar *name)
{
  return (const RaLdaOps *) ra_algorithm_find (
      (gconstpointer const *) ra_ldas, name);
}

/* `params` as ra_params_parse(), may be NULL.  NULL and `error` on bad params.
 * (transfer full): ra_lda_free(). */
RaLda *ra_lda_new (const RaLdaOps *ops, const gchar *params, GError **error);
void ra_lda_free (RaLda *lda);
/* Back to the state after ra_lda_new(); parameters, truth and seed are kept. */
void ra_lda_reset (RaLda *lda);
/* For the init() of a hybrid: makes a child, which the hybrid keeps inside its own
 * struct.  The child's parameters are kept: they are rows of the hybrid's table. */
void ra_lda_child (RaLda *lda, const RaLdaOps *ops);
/* Who will be asked by LDAs that need the truth. */
void ra_lda_set_truth (RaLda *lda, RaTruth truth, gpointer data);
/* For LDAs that draw lots; resets. */
void ra_lda_set_seed (RaLda *lda, guint64 seed);

/* The verdict for the hole before `a`: CONGESTION or WIRELESS, or NONE if
 * a->n_lost is 0. */
RaCause ra_lda_on_packet (RaLda *lda, const RaArrival *a);
/* The verdict for one packet of that hole; `hole` is what ra_lda_on_packet()
 * said of it. */
RaCause ra_lda_on_missing (
    RaLda *lda, const RaArrival *a, guint64 seq, RaCause hole);
/* How long that hole may still be filled, >= 0. */
RaSpan ra_lda_patience (const RaLda *lda, const RaArrival *a);
/* All 0 if it has no estimates. */
RaLdaValues ra_lda_values (const RaLda *lda);
void ra_lda_observe (const RaLda *lda, RaObserve emit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaLda, ra_lda_free)

G_END_DECLS
