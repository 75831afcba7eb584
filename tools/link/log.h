/* The truth, written down: lines of JSON for each interval, a line of CSV for
 * each packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "packet.h"
#include "writer.h"

#include <gst/rtpadapt/link.h>

G_BEGIN_DECLS

/* In an interval. */
typedef struct
{
  guint64 in, in_bytes, out, out_bytes, congestion, wireless;
  RaSpan queue_sum, queue_max;
} LinkCounts;

typedef struct
{
  LinkKey key;
  guint id; /* flows in the order of their first packets */
  LinkCounts counts;
} LinkFlow;

/* A packet inside. */
typedef struct
{
  LinkFlow *flow;
  LinkHeaders headers;
  RaTime in;
  guint size;
  guint8 bytes[];
} LinkPacket;

typedef enum
{
  LINK_FATE_OUT,
  LINK_FATE_CONGESTION,
  LINK_FATE_WIRELESS,
  LINK_FATE_DISCARDED, /* was inside at the end, or the host did not take it */
  LINK_N_FATES
} LinkFate;

typedef struct
{
  LinkWriter *intervals, *packets; /* either may be NULL */
  GHashTable *flows;               /* LinkKey -> LinkFlow */
  GPtrArray *in_order;             /* of LinkFlow */
  guint64 entered, fates[LINK_N_FATES];
} LinkLog;

/* Either name may be NULL. */
gboolean link_log_init (
    LinkLog *log, const gchar *intervals, const gchar *packets, GError **error);
gboolean link_log_clear (LinkLog *log, GError **error);

void link_log_header (LinkLog *log, const gchar *there, const gchar *back,
    guint64 seed, gdouble interval, RaTime start);
/* The flow of a packet that enters; the one of all others if there are more
 * than the library knows apart. */
LinkFlow *link_log_flow (LinkLog *log, const LinkKey *key);
void link_log_entered (LinkLog *log, const LinkPacket *p);
/* What became of it; `node` dropped it, or NULL.  `out` is RA_TIME_NONE if it
 * was not delivered. */
void link_log_left (LinkLog *log, const LinkPacket *p, LinkFate fate,
    const gchar *node, RaTime out, RaSpan queued);
/* The counts of a direction since the last time; `capacity` below 0 is not
 * known. */
void link_log_interval (
    LinkLog *log, gdouble t, gboolean back, gdouble capacity);
/* The last line; `self` is an object of JSON. */
void link_log_self (LinkLog *log, const gchar *self);

G_END_DECLS
