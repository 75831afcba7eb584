/* Forward error correction: how much repair does the radio need?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A rule is one file in fec/ that ends in one const RaFecOps named ra_fec_NAME;
 * its word in gst/rtpadapt/meson.build adds it everywhere.  It hears of every
 * report and of the frames, and answers with the `percentage` of repair packets
 * per media packet.  It does not answer for congestion, because more packets are no
 * remedy there.  Where others keep the queue full it does, because they take packets
 * whatever is sent.
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

typedef struct _RaFec RaFec;
typedef struct _RaFecOps RaFecOps;

struct _RaFecOps
{
  RA_ALGORITHM;
  gboolean none;           /* there are no repair packets */
  void (*init) (RaFec *f); /* optional; the memory is zeroed, params set */
  void (*on_frame) (RaFec *f, guint packets); /* optional */
  void (*on_report) (RaFec *f, const RaReport *report, RaTime now); /* opt. */
  void (*observe) (const RaFec *f, RaObserve emit, gpointer data);  /* opt. */
};

struct _RaFec
{
  const RaFecOps *ops;
  guint percentage;  /* the answer, 0..100 */
  gdouble mended;    /* of the lost packets, by being sent again: 0 to 1 */
  gboolean competes; /* others keep the queue full */
  RaFecCode code;
  guint block; /* media packets that a block of the code has, on the mean */
};

/* The rule of a sender to which nobody gave one. */
extern const RaFecOps ra_fec_none;

/* All rules, ended by NULL. */
extern const RaFecOps *const ra_fecs[];

/* NULL if there is none of that name. */
static inline const RaFecOps *
ra_fec_find (const gchar *name)
{
  return (const RaFecOps *) ra_algorithm_find (
      (gconstpointer const *) ra_fecs, name);
}

/* `params` as ra_params_parse(), may be NULL.  NULL and `error` on bad params.
 * (transfer full): ra_fec_free(). */
RaFec *ra_fec_new (const RaFecOps *ops, const gchar *params, GError **error);
void ra_fec_free (RaFec *f);
/* A frame of `packets` media packets was sent. */
void ra_fec_on_frame (RaFec *f, guint packets);
void ra_fec_on_report (RaFec *f, const RaReport *report, RaTime now);
/* Of the lost media packets this share comes even without the repair. */
void ra_fec_set_mended (RaFec *f, gdouble share);
/* Others keep the queue full: from the next report on, what is lost to congestion is
 * repaired as what the radio takes is. */
void ra_fec_set_competes (RaFec *f, gboolean competes);
/* The repair packets are made by `code`, of blocks of `packets` media packets;
 * RA_FEC_CODE_FRAME: of frames, whatever `packets` is. */
void ra_fec_set_code (RaFec *f, RaFecCode code, guint packets);
/* Repair packets per 100 media packets. */
guint ra_fec_percentage (const RaFec *f);
void ra_fec_observe (const RaFec *f, RaObserve emit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaFec, ra_fec_free)

G_END_DECLS
