/* Colouring: which packets should a full queue drop first?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An algorithm is one file in colour/ that ends in one const RaColourOps named
 * ra_colour_NAME; its word in gst/rtpadapt/meson.build adds it everywhere.
 * The colours are the drop precedences of one Assured Forwarding class (RFC
 * 2597); an LDA reads the cause of losses from what was lost of each (wled).
 */
#pragma once

#include <gst/rtpadapt/colour/importance.h>
#include <gst/rtpadapt/registry.h>
#include <gst/rtpadapt/util/observe.h>

G_BEGIN_DECLS

/* A packet that is about to be sent.  Repair, FEC and retransmissions, is
 * never green: it must not use up what its media could have had. */
typedef struct
{
  guint size; /* bytes */
  RaImportance importance;
  gboolean repair;
} RaColourPacket;

typedef struct _RaColour RaColour;
typedef struct _RaColourOps RaColourOps;

struct _RaColourOps
{
  RA_ALGORITHM;
  gboolean none;              /* every packet is left without a colour */
  void (*init) (RaColour *c); /* optional; the memory is zeroed, params set */
  RaMark (*mark) (RaColour *c, const RaColourPacket *p, RaTime now);
  void (*observe) (const RaColour *c, RaObserve emit, gpointer data); /* opt. */
};

struct _RaColour
{
  const RaColourOps *ops;
  guint64 rate;    /* the allowed sending rate, bit/s, 0 unknown */
  guint64 least;   /* the lowest since the latest packet, 0 unknown */
  RaTime last;     /* when that left, or RA_TIME_NONE */
  gdouble allowed; /* in mark(): bytes that the rate allowed since then */
};

/* All algorithms, ended by NULL. */
extern const RaColourOps *const ra_colours[];

/* NULL if there is none of that name. */
static inline const RaColourOps *
ra_colour_find (const gchar *name)
{
  return (const RaColourOps *) ra_algorithm_find (
      (gconstpointer const *) ra_colours, name);
}

/* `params` as ra_params_parse(), may be NULL.  NULL and `error` on bad params.
 * (transfer full): ra_colour_free(). */
RaColour *ra_colour_new (
    const RaColourOps *ops, const gchar *params, GError **error);
void ra_colour_free (RaColour *c);
/* The rate that a profile is a share of, bit/s.  The span between two packets
 * counts with the lowest rate it had. */
void ra_colour_set_rate (RaColour *c, guint64 bps);
/* The colour of a packet that leaves at `now`.  A `now` before the latest
 * packet counts as that; further back than 1 s, the clock was set. */
RaMark ra_colour_mark (RaColour *c, const RaColourPacket *p, RaTime now);
void ra_colour_observe (const RaColour *c, RaObserve emit, gpointer data);

/* The DSCP of a colour in AF class 1..4 (RFC 2597 6); 0, best effort, for
 * RA_MARK_NONE and for what does not exist.  RTCP takes that of RA_MARK_GREEN,
 * the least likely to be dropped (RFC 7657 5.4). */
guint ra_colour_dscp (guint af_class, RaMark mark);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaColour, ra_colour_free)

G_END_DECLS
