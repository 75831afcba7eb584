/* The kinds of feedback, which both sides choose from.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whatever depends on the kind is a field of its table, in feedback/NAME.c: the
 * elements and the parts of the library ask for the field and never for the name.
 * Where only receiver reports come, the kind is NULL.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct _RaHearing RaHearing; /* feedback/hearing.h */
typedef struct _RaTwccRow RaTwccRow; /* feedback/ear.h */
typedef struct _RaRadp RaRadp;       /* feedback/radp.h */
typedef struct _RaReporter RaReporter;
typedef struct _RaReportBytes RaReportBytes; /* feedback/reporter.h */

/* An RTPFB packet (RFC 4585 6.1). */
typedef struct
{
  guint32 sender, media; /* SSRCs */
  const guint8 *fci;
  gsize len;
} RaFeedbackFci;

/* Which packets the receiver answers. */
typedef enum
{
  RA_ASKS_FRAME_END, /* the last one of a frame */
  RA_ASKS_ALWAYS,    /* any */
} RaFeedbackAsks;

typedef struct
{
  const gchar *name;      /* four letters: enum nick, and RADP's wish */
  const gchar *cite;      /* one line */
  const gchar *use;       /* when to choose it: one line */
  const gchar *sign;      /* what packets carry then, in the plural */
  const gchar *sdp;       /* what follows "rtcp-fb-" in caps from SDP */
  const gchar *extension; /* URI of the header extension that packets need, or
                             NULL: none */
  guint fmt;              /* of RTPFB (RFC 4585 6.1) */
  gboolean fmt_varies;    /* implementations disagree: a user may set another */
  RaFeedbackAsks asks;
  gboolean by_number; /* it names packets by RTP numbers */
  gboolean by_count;  /* RADP comes with it, and counts packets */
  gboolean rows;      /* it says of each packet whether it came */
  /* It speaks once of each sending, which has a number of its own: what it calls lost
   * stays so, though it may come later. */
  gboolean final;
  gboolean per_packet_ecn; /* it says with which ECN field each packet came */
  gboolean needs_session;  /* only RTCP that the element itself sees has it, */
  gboolean needs_avpf;     /* in a session of that profile (RFC 4585) */
  /* The sender's side: what an ear of this kind keeps, `own`, from the beginning.
   * (transfer full) */
  gpointer (*own_new) (RaLedger *ledger);
  void (*own_free) (gpointer own);
  /* A compound begins; NULL: that does not matter. */
  void (*begin) (gpointer own);
  /* The bytes behind the header of an RTPFB packet, whichever kind is in use.
   * FALSE: they are malformed.  NULL: nothing to look at. */
  gboolean (*look) (gpointer own, const guint8 *body, gsize size);
  /* Feedback of this kind, which is in use; NULL: it does not come as bytes, */
  void (*hear) (gpointer own, RaHearing *h, const RaFeedbackFci *f, RaTime now);
  /* but as rows that rtpsession read; or NULL. */
  void (*hear_rows) (
      gpointer own, RaHearing *h, const RaTwccRow *rows, guint n, RaTime now);
  /* The RADP that was believed last, NULL before the first; or NULL. */
  const RaRadp *(*said) (gconstpointer own);
  /* The receiver's side: when a reporter that was given a packet wants to report;
   * NULL: rtpsession makes the reports. */
  RaTime (*due) (const RaReporter *reporter);
  /* The report at `now`, which is `ntp` on the clock of the sender reports, in at most
   * so many bytes of RTCP, the field `room` at least.  FALSE: nothing to report.
   * NULL: rtpsession makes the reports. */
  gboolean (*write) (RaReporter *reporter, RaTime now, RaTime ntp, gsize room,
      RaReportBytes *out);
  gboolean
      at_interval; /* reports come at intervals that a user sets, not by R */
  gboolean silent; /* no report without packets (RFC 5348 6.2) */
  gsize room;      /* bytes of RTCP that a report needs at least */
} RaFeedbackOps;

/* In the order of meson.build; ended by NULL. */
extern const RaFeedbackOps *const ra_feedbacks[];
extern const RaFeedbackOps ra_feedback_twcc, ra_feedback_tfrc, ra_feedback_ccfb;

/* The receiver runs the LDA, and reports what it finds instead of rows; FALSE of NULL. */
static inline gboolean
ra_feedback_judges (const RaFeedbackOps *kind)
{
  return kind && !kind->rows;
}

/* The extension that packets need has their send times; FALSE of NULL. */
gboolean ra_feedback_send_times (const RaFeedbackOps *kind);
/* The one at that place, NULL beyond the last one. */
const RaFeedbackOps *ra_feedback_at (gint place);
/* The place of a kind; -1: NULL, or no kind. */
gint ra_feedback_place (const RaFeedbackOps *kind);
/* The kind of these letters, which need no zero behind them; NULL: none. */
const RaFeedbackOps *ra_feedback_named (const guint8 *letters, gsize len);
/* Its name; of NULL "none". */
const gchar *ra_feedback_name (const RaFeedbackOps *kind);

G_END_DECLS
