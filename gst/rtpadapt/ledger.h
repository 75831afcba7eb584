/* What was sent and when, until feedback speaks of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each sender has one ledger: RaSender writes it and lends it to those who read
 * feedback.  A packet has an index of ours, which is consecutive.  The wire names
 * it by SSRC and sequence number (RFC 8888), or by the microsecond in which it
 * left (RFC 5348 3.2.1), so the ledger finds it by each of the three.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_LEDGER_SIZE 16384 /* packets: 3 s at 5,000 packets/s */

/* What feedback said of a packet.  What arrived stays so. */
typedef enum
{
  RA_FATE_NOTHING,
  RA_FATE_LOST,
  RA_FATE_ARRIVED,
} RaFate;

typedef struct
{
  guint64 index;
  RaTime sent;            /* our clock */
  guint64 packets, bytes; /* sent before it, from the beginning */
  guint64
      next; /* of the same hash: one after the index of the packet before it,
                   0: there was none */
  guint32 ssrc;
  guint size; /* bytes */
  guint16 seq;
  guint8 mark;    /* RaMark */
  guint8 waiting; /* TRUE: only the pacer held the next packet back */
  guint8 fate;    /* RaFate */
} RaLedgerEntry;

struct _RaLedger
{
  RaLedgerEntry ring[RA_LEDGER_SIZE];
  guint64 heads[RA_LEDGER_SIZE]; /* of a hash: one after the latest index */
  guint64 begin;                 /* the first index */
  guint64 next;                  /* one after the latest index */
  guint64 times;   /* the first index since the clock went back, or `begin` */
  guint64 ordered; /* packets sent before that one */
  guint64 packets, bytes; /* sent so far */
  RaTime first;           /* the earliest send time, if anything was sent */
  guint largest;          /* packet so far, bytes */
};

/* (transfer full): ra_ledger_free(). */
RaLedger *ra_ledger_new (void);
void ra_ledger_free (RaLedger *l);

/* A packet leaves: index, sent, ssrc, seq, size, mark and waiting are the
 * caller's, the rest is the ledger's.  The index is `next`, or any other for the
 * first packet.  Where it is not, or where the clock went back, the ledger forgets
 * all send times before this packet, but no index.  Returns the entry, which stays
 * valid for RA_LEDGER_SIZE packets. */
RaLedgerEntry *ra_ledger_add (RaLedger *l, const RaLedgerEntry *packet);

/* All of these return NULL if there never was such a packet, or too long ago. */
RaLedgerEntry *ra_ledger_at (RaLedger *l, guint64 index);
/* The latest with these RTP numbers. */
RaLedgerEntry *ra_ledger_find (RaLedger *l, guint32 ssrc, guint16 seq);
/* The first that left in the microsecond of `t`, which is as much of a time as the
 * wire carries. */
const RaLedgerEntry *ra_ledger_at_time (const RaLedger *l, RaTime t);
/* The first that left in a later microsecond. */
const RaLedgerEntry *ra_ledger_after_time (const RaLedger *l, RaTime t);

/* The latest packet; there must be one. */
const RaLedgerEntry *ra_ledger_last (const RaLedger *l);
/* Packets sent until the end of the microsecond of `t`, from the beginning; at
 * least those that left before all that the ledger remembers. */
guint64 ra_ledger_packets (const RaLedger *l, RaTime t);
/* TRUE: one that left in (t_old, t_new] left while another waited for the pacer. */
gboolean ra_ledger_waited (RaLedger *l, RaTime t_old, RaTime t_new);

G_END_DECLS
