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
#define RA_LEDGER_SSRCS 32   /* ours, which nobody else makes up */
#define RA_LEDGER_GAPS 64    /* of each */

/* What feedback said of a packet.  What arrived stays so. */
typedef enum
{
  RA_FATE_NOTHING,
  RA_FATE_LOST,
  RA_FATE_ARRIVED,
} RaFate;

typedef struct _RaLedgerEntry
{
  guint64 index;
  RaTime sent;              /* our clock */
  RaTime passed, passed_by; /* rtpsession's clock, before and after the push;
                               RA_TIME_NONE: the push is not over */
  guint64 packets, bytes;   /* sent before it, from the beginning */
  guint64
      next; /* of the same hash: one after the index of the packet before it,
                   0: there was none */
  RaTime remote;      /* its arrival as `noted`, receiver's clock */
  RaTime asked_again; /* the last time that it was asked for again, or that its
                         repetition left; 0: never */
  guint32 ssrc;
  guint32 age;         /* us from when its frame came in until it left */
  guint size, payload; /* bytes */
  guint16 seq;
  guint16
      repeats; /* a retransmission: so many packets after what it repeats; 0: of
                      what is not known */
  guint8 mark; /* RaMark */
  guint8 ecn, came; /* RaEcnField: it left with; as `noted` */
  guint8 noted;     /* RaFate, by a report of which it was not yet taken */
  guint8 truth;     /* RaCause, where somebody knows why it was lost */
  guint8 waiting;   /* TRUE: only the pacer held the next packet back */
  guint8 is_repair; /* TRUE: FEC or a retransmission */
  guint8 once;      /* TRUE: it is not sent again */
  guint8 fate;      /* RaFate */
  guint8 copies,
      under_way;       /* it was asked for again so often; of these the fate
                               of so many is not known */
  guint8 mended : 1;   /* a repetition came */
  guint8 hopeless : 1; /* it is not sent again for want of time or room */
  guint8 missed : 1;   /* taken for lost */
  guint8 found : 1;    /* how long it took to be known as lost was measured */
  guint8 judged : 1;   /* a retransmission whose fate was taken */
  guint8 late : 1;     /* reported lost after later ones had come */
} RaLedgerEntry;

/* Numbers that no packet had; n is 0 where there is nothing. */
typedef struct
{
  guint64 first, n; /* unwrapped */
  guint64 sure;     /* what is missing before this one may leave late, too */
} RaLedgerGap;

/* What left with one SSRC. */
typedef struct
{
  guint32 ssrc;
  guint64 last; /* index of the latest packet */
  guint64
      reported;    /* one after the latest index that a report of single packets
                       spoke of, 0: none did */
  guint64 noted;   /* the same of a report that was not yet taken, */
  guint64 low;     /* and the lowest index of it */
  guint64 from;    /* of one that is taken: what it leaves out from here up to
                      `reported` is lost */
  guint64 highest; /* number sent, unwrapped */
  guint64 n_gaps;  /* so far; the last RA_LEDGER_GAPS are remembered */
  RaLedgerGap gaps[RA_LEDGER_GAPS];
} RaLedgerStream;

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
  RaLedgerStream streams[RA_LEDGER_SSRCS];
  guint n_streams;
  guint64 skipped; /* numbers that never left, of all streams */
};

/* (transfer full): ra_ledger_free(). */
RaLedger *ra_ledger_new (void);
void ra_ledger_free (RaLedger *l);

/* A packet leaves: packets, bytes and next are the ledger's, the rest is the
 * caller's.  The index is `next`, or any other for the first packet.  Where it is
 * not, or where the clock went back, the ledger forgets all send times before this
 * packet, but no index.  Of more than RA_LEDGER_SSRCS streams the one that was
 * silent longest is forgotten.  Returns the entry, which stays valid for
 * RA_LEDGER_SIZE packets. */
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

/* Feedback spoke of the packet: this is the one place where fates change. */
static inline void
ra_ledger_hear (RaLedgerEntry *e, gboolean arrived)
{
  RaFate fate = arrived ? RA_FATE_ARRIVED : RA_FATE_LOST;

  if (e->fate < fate)
    e->fate = (guint8) fate;
}

/* Another peer reports from now on: of what streams it knows, and how far it has reported
 * them, nothing is known. */
void ra_ledger_forget_reports (RaLedger *l);
/* NULL if nothing left with it, or if it is forgotten. */
RaLedgerStream *ra_ledger_stream (RaLedger *l, guint32 ssrc);
/* TRUE if a packet of that stream is known. */
gboolean ra_ledger_has_ssrc (RaLedger *l, guint32 ssrc);

/* A receiver that denies losses has any rate.  RFC 8888 10 and RFC 4342 9: a
 * sender that leaves a number out now and then finds such a receiver, which does
 * not know which of the missing packets were never sent.  Where a packet's number
 * does not follow the number before it, the numbers in between count as never sent,
 * both if this sender left them out and if they are missing in its input.  A packet
 * that leaves later fills its gap.  A stream whose numbers jump (RFC 3550 A.1) starts
 * again. */
typedef enum
{
  RA_NUMBER_SENT,    /* the packet is known */
  RA_NUMBER_FUTURE,  /* ahead of all that was sent */
  RA_NUMBER_SKIPPED, /* later ones were sent, and it never will be */
  RA_NUMBER_UNKNOWN, /* perhaps it was sent, too long ago */
} RaNumberKind;
RaNumberKind ra_ledger_number_kind (RaLedger *l, guint32 ssrc, guint16 seq);

/* Why a packet was lost, a RaTruth whose data is the ledger. */
RaCause ra_ledger_truth (guint64 index, gpointer ledger);

/* The latest packet; there must be one. */
const RaLedgerEntry *ra_ledger_last (const RaLedger *l);
/* Packets sent until the end of the microsecond of `t`, from the beginning; at
 * least those that left before all that the ledger remembers. */
guint64 ra_ledger_packets (const RaLedger *l, RaTime t);
/* TRUE: one that left in (t_old, t_new] left while another waited for the pacer. */
gboolean ra_ledger_waited (RaLedger *l, RaTime t_old, RaTime t_new);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaLedger, ra_ledger_free)

G_END_DECLS
