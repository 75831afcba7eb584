/* Several elements behind one FEC encoder: it makes what serves all of their receivers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The encoder keeps the list of the elements that drive it.  `who` names an
 * element and is only compared.  Any thread may call; no lock is held while the
 * encoder's properties are set.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/fec.h>

G_BEGIN_DECLS

/* How much the receiver's need counts: where one counts more, others do not count. */
typedef enum
{
  FEC_RANK_SILENT, /* nobody answers */
  FEC_RANK_UNUSED, /* it uses no FEC, so span and code are nothing to it */
  FEC_RANK_USED,
} FecRank;

/* What is to be made for a receiver. */
typedef struct
{
  guint level;    /* repair packets per 100 packets, as for fecenc_set() */
  RaSpan span;    /* of what comes within it; 0: it has no time for any block */
  RaFecCode code; /* by this code, if the encoder has it */
  gdouble late, rest; /* as for fecenc_set_late_loss() */
  FecRank rank;
} FecWants;

typedef struct
{
  guint level;  /* what is made for all */
  guint others; /* the level that others want; 0: there are none that count */
} FecMade;

/* `who` wants that of `fecenc`, which gets the highest level, the shortest span and the
 * simplest code.  Another element's thread may still set it.  `who` learns what the others
 * want later when it follows again. */
FecMade fec_share_follow (
    GstElement *fecenc, gconstpointer who, const FecWants *wants);
/* `who` does not drive it any more, and it gets what the others want; `who` need not
 * have followed. */
void fec_share_leave (GstElement *fecenc, gconstpointer who);

G_END_DECLS
