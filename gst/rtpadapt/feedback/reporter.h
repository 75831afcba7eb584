/* The receiver of packets off the wire: what it answers, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It turns header extensions and RTP numbers of any number of SSRCs into the
 * one sequence that RaReceiver wants, and RaReceiver's report into what goes
 * on the wire:
 *   - tfrc: TFRC-FB and RADP, once per RTT, and at once after a new loss event
 *     (RFC 5348 6);
 *   - ccfb: RFC 8888, each `interval`;
 *   - none: statistics only; somebody else, rtpsession with twcc, answers.
 * The sequence is that of the transport-wide number where packets carry one,
 * else that of the RTP numbers (loss/bundle), where a packet that the sender
 * itself dropped looks lost.
 *
 * All packets come from one sender: the send times of all SSRCs are of one
 * clock.  Its offset to ours is not known, so delays count from the fastest
 * packet, and a clock that jumps by more than 10 s is another one from then on.
 * A packet without send time takes the delay of the one before; where there are
 * none (any more) every loss counts as congestion, whatever the LDA says, as
 * those that go by delays would take that for an empty path.
 */
#pragma once

#include <gst/rtpadapt/colour/dscpcheck.h>
#include <gst/rtpadapt/feedback.h>
#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/radp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtpadapt/receiver.h>

G_BEGIN_DECLS

/* Of ccfb: RFC 8888 4, 50 to 200 ms work for the known algorithms. */
#define RA_REPORTER_INTERVAL (50 * RA_MSECOND)
/* Losses that wait for ra_reporter_next_loss(). */
#define RA_REPORTER_LOSSES_MAX 1024

typedef struct
{
  const RaFeedbackOps *reports; /* NULL, or a kind that others report: none */
  const RaLdaOps *lda;
  const gchar *lda_params;
  guint64 seed;    /* for LDAs that draw lots */
  RaSpan interval; /* of ccfb; 0: RA_REPORTER_INTERVAL */
  RaSpan late;     /* a packet later than this counts as delayed, and a gap
                      longer than this as one; 0: RA_DELAYED_THRESHOLD of
                      score/score.h */
} RaReporterConfig;

/* A packet as it came off the wire. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint size;                /* bytes of the RTP packet */
  RaTime arrival;            /* any clock, the same for all */
  RaSpan grain;              /* resolution of arrival */
  gint number;               /* transport-wide, 16 bit; -1: none */
  const RaSendTs *send_ts;   /* NULL: the packet has none */
  const RaColourExt *colour; /* NULL: the packet has none */
  gint tos;                  /* it came with, -1: unknown */
} RaWirePacket;

/* NULL and `error` on bad params.  (transfer full): ra_reporter_free(). */
RaReporter *ra_reporter_new (const RaReporterConfig *cfg, GError **error);
void ra_reporter_free (RaReporter *r);
/* Takes another LDA.  FALSE and `error` on bad params: the one in use goes on. */
gboolean ra_reporter_set_lda (
    RaReporter *r, const RaLdaOps *ops, const gchar *params, GError **error);
/* Takes the next confirmed loss; seq is the sequence's own.  FALSE: there is none.
 * Of those that wait, the first RA_REPORTER_LOSSES_MAX are kept. */
gboolean ra_reporter_next_loss (RaReporter *r, RaMissing *out);
/* How many more there were since the last call. */
guint64 ra_reporter_take_left_out (RaReporter *r);

/* TRUE if a report is due at once: a new loss event, or a timer that is late. */
gboolean ra_reporter_on_packet (RaReporter *r, const RaWirePacket *p);
/* When ra_reporter_tfrc() or ra_reporter_ccfb() wants to run, in the past
 * perhaps; RA_TIME_NONE before the first packet, in silence once all is
 * reported, and always where others report.
 * tfrc: once per R, where the latest R counts, at the earliest 10 ms after the
 * report before; what is due at once waits until R / 4 after it, whatever the
 * stream does.
 * ccfb: an `interval` after the report before, but at once if that had no room
 * for all. */
RaTime ra_reporter_next_timeout (const RaReporter *r);

#define RA_REPORT_FCI_MAX 1500

/* A report, as the bytes that go into a compound. */
struct _RaReportBytes
{
  guint8 app[RA_RADP_SIZE_MAX]; /* of RADP, which goes in front */
  guint8 fci[RA_REPORT_FCI_MAX];
  gsize app_size, fci_size; /* bytes; app_size 0: no RADP */
  guint32 media;            /* SSRC, for the head of the RTPFB packet */
};

/* RaFeedbackOps.due of tfrc and of ccfb. */
RaTime ra_reporter_tfrc_due (const RaReporter *r);
RaTime ra_reporter_ccfb_due (const RaReporter *r);

/* What to send at `now`, which need not have been asked for.  FALSE: nothing
 * (RFC 5348 6.2), or no packet with a new send time came.  t_i is of the latest
 * packet in order that had one, and `media_ssrc` is its SSRC; t_delay counts from
 * its arrival.  Shares and counters of RADP are since the first packet. */
gboolean ra_reporter_tfrc (
    RaReporter *r, RaTime now, RaTfrcFb *fb, RaRadp *radp, guint32 *media_ssrc);
/* Bytes of the FCI written, at most `len`: what does not fit waits for the next
 * call, which may follow at once (RFC 8888 3.1: "SHOULD split").  0: nothing to
 * send.  Each packet is reported twice, in two reports an `interval` apart.
 * `rts_time` is what ra_stamp_ntp() gets: `now` on the clock of the sender
 * reports. */
gsize ra_reporter_ccfb (RaReporter *r, RaTime now, RaTime rts_time,
    guint32 *media_ssrc, guint8 *fci, gsize len);

typedef struct
{
  RaReceiverStats loss;
  guint64 packets, bytes;
  guint64 expected;      /* of the sequence, so far */
  guint64 delayed;       /* packets later than `late` beyond the fastest of the
                            last 30 s; those without send times are none */
  gdouble delayed_ratio; /* of `packets` */
  guint64 gaps; /* packets more than `late` after the one before, with or
                   without send times: paper 003, algorithm 1 */
  gdouble delayed_packet_ratio; /* of `packets`, as in score/score.h */
  guint64 no_send_time; /* packets without rtt-sendts where it was wanted */
  guint64 no_number;    /* without a transport-wide number after some had one */
  guint64 ce;           /* ECN congestion experienced */
  guint64 by_mark[RA_N_MARKS]; /* arrived, by the colour as sent */
  RaDscpFate dscp;
  RaSpan rtt;        /* the sender's, as it wrote it; 0 unknown */
  RaSpan queue;      /* of the latest packet; RA_SPAN_NONE if unknown */
  guint64 recv_rate; /* of the last report, bit/s; without tfrc, of 100 ms */
  gdouble p;
  guint64 reports; /* sent */
} RaReporterStats;
void ra_reporter_get_stats (const RaReporter *r, RaReporterStats *stats);
/* `r`, a new one, replaces a reporter with the statistics `before`: counters go on from
 * them, and the DSCP stays known.  Reports do not depend on it. */
void ra_reporter_follow (RaReporter *r, const RaReporterStats *before);
/* The receiver's and the LDA's values. */
void ra_reporter_observe (const RaReporter *r, RaObserve emit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaReporter, ra_reporter_free)

G_END_DECLS
