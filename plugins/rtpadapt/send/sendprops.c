/* The properties of rtpadaptsend.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendprops.h"

#include "gstrtpadaptsend.h"
#include "parts/enums.h"

#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtpadapt/repair/repair.h>

/* Defaults. */
#define SEND_MIN 100000   /* bit/s: a small picture */
#define SEND_START 500000 /* bit/s */
#define SEND_MAX 20000000 /* bit/s */
#define SEND_FEC "ulp"
#define SEND_COLOUR "none"
/* A burst stands in the queue that the controller keeps short.  A timer is late by less
 * than this where rates are so high that packets are closer than it. */
#define SEND_BURST (1 * GST_MSECOND)
#define SEND_BACKLOG (250 * GST_MSECOND)
#define SEND_FRAME_SKIP (200 * GST_MSECOND) /* a frame below SEND_BACKLOG */
#define SEND_STATS_INTERVAL GST_SECOND
/* Packets.  None: each number left out makes about one picture late, and asks for
 * a key frame (tests/bench/skips.csv), whatever the feedback; the rate it costs
 * nothing (tests/trust/test-lies.c, test-lies-tfrc.c). */
#define SEND_SKIP_INTERVAL 0

RaRateConfig
send_limits (const SendConfig *cfg)
{
  return (RaRateConfig){
    .min = cfg->min_bitrate,
    .start = cfg->start_bitrate,
    .max = cfg->max_bitrate,
    .mss = RA_DEFAULT_MSS,
  };
}

gchar *
send_limits_check (const SendConfig *cfg)
{
  /* A maximum below the default minimum is allowed: the default gives way. */
  if (cfg->min_bitrate <= cfg->max_bitrate || cfg->min_bitrate == SEND_MIN)
    return NULL;
  return g_strdup_printf (
      "min-bitrate %u is above max-bitrate %u: both are taken as %u",
      cfg->min_bitrate, cfg->max_bitrate, cfg->max_bitrate);
}

/* --- algorithms and their parameters --------------------------------------- */

/* Puts the algorithm of any of the pairs to use. */
static gboolean
algorithm_use (gpointer owner, const PropPair *pair, gint number,
    const gchar *params, GError **error)
{
  const SendRules *rules = owner;
  RaSender *sender = rules->sender;

  switch (pair->number) {
    case G_STRUCT_OFFSET (SendConfig, lda):
      return ra_sender_set_lda (sender, ra_ldas[number], params, error);
    case G_STRUCT_OFFSET (SendConfig, controller):
      return ra_sender_set_controller (
          sender, ra_rates[number], params, rules->now, error);
    case G_STRUCT_OFFSET (SendConfig, fec):
      return ra_sender_set_fec (sender, ra_fecs[number], params, error);
    default:
      return way_set_colour (rules->way, ra_colours[number], params, error);
  }
}

PROP_PAIR (SendConfig, lda, gst_rtp_adapt_lda_get_type, algorithm_use);
PROP_PAIR (
    SendConfig, controller, gst_rtp_adapt_controller_get_type, algorithm_use);
PROP_PAIR (SendConfig, fec, gst_rtp_adapt_fec_get_type, algorithm_use);
PROP_PAIR (SendConfig, colour, gst_rtp_adapt_colour_get_type, algorithm_use);

/* --- the table ------------------------------------------------------------------ */

const PropRow send_props[] = {
  { "estimated-bitrate", "Estimated bitrate",
      "What may be sent now, RTP packets with header (@); up to READY a second "
      "name of start-bitrate",
      PROP_READY, .type = G_TYPE_UINT, .max.u = G_MAXUINT, .def.u = SEND_START,
      .unit = "bit/s" },
  { "min-bitrate", "Minimum bitrate",
      "estimated-bitrate never goes below (@), unless friendliness-cap "
      "or circuit-breakers want it; set it to the least that makes a picture "
      "worth seeing. While nobody answers, two packets leave per second, "
      "however low this is",
      PROP_PLAYING, PROP_UINT (SendConfig, min_bitrate, 1, G_MAXUINT, SEND_MIN),
      .unit = "bit/s", .then = THEN_LIMITS | SEND_WAKE | SEND_JOB },
  { "start-bitrate", "Start bitrate",
      "estimated-bitrate before the first feedback (@, 0 = the "
      "controller's own beginning); higher where the path is known, and the "
      "first seconds matter",
      PROP_READY,
      PROP_UINT (SendConfig, start_bitrate, 0, G_MAXUINT, SEND_START),
      .unit = "bit/s" },
  { "max-bitrate", "Maximum bitrate",
      "estimated-bitrate never goes above (@); set it to the most that makes the "
      "picture better, or that the line may cost",
      PROP_PLAYING, PROP_UINT (SendConfig, max_bitrate, 1, G_MAXUINT, SEND_MAX),
      .unit = "bit/s", .then = THEN_LIMITS | SEND_WAKE | SEND_JOB },
  { "controller", "Rate controller",
      "How much may be sent; the default unless TCP-like flows by RFC are "
      "wanted, or a paper is repeated. While running, a new one begins at the "
      "present rate with default controller-params",
      PROP_PLAYING,
      PROP_ENUM (SendConfig, controller, gst_rtp_adapt_controller_get_type,
          RA_DEFAULT_CONTROLLER),
      .pair = &controller_pair, .then = SEND_WAKE | SEND_JOB | THEN_PAIR },
  { "controller-params", "Controller parameters",
      "The controller's parameters, \"name=value,name=value\"", PROP_PLAYING,
      PROP_TEXT (SendConfig, controller_params, ""), .pair = &controller_pair,
      .then = SEND_WAKE | SEND_JOB | THEN_PAIR },
  { "lda", "Loss differentiation",
      "Which losses are congestion; with feedback=tfrc the receiver's judges. "
      "The default goes with controller=delay. While running, a new one begins "
      "with default lda-params",
      PROP_PLAYING,
      PROP_ENUM (SendConfig, lda, gst_rtp_adapt_lda_get_type, RA_DEFAULT_LDA),
      .pair = &lda_pair, .then = THEN_PAIR },
  { "lda-params", "Loss differentiation parameters",
      "The LDA's parameters, \"name=value,name=value\"", PROP_PLAYING,
      PROP_TEXT (SendConfig, lda_params, ""), .pair = &lda_pair,
      .then = THEN_PAIR },
  { "fec", "FEC level",
      "How the percentage of an rtpadaptfecenc or rtpulpfecenc upstream is found; "
      "none where there is none, and for a receiver that cannot read it",
      PROP_PLAYING,
      PROP_ENUM (SendConfig, fec, gst_rtp_adapt_fec_get_type, SEND_FEC),
      .pair = &fec_pair, .then = SEND_JOB },
  { "fec-params", "FEC parameters",
      "The rule's parameters, \"name=value,name=value\"", PROP_PLAYING,
      PROP_TEXT (SendConfig, fec_params, ""), .pair = &fec_pair,
      .then = SEND_JOB },
  { "fec-code", "FEC code",
      "What an rtpadaptfecenc upstream makes; rs only for a receiver that knows it",
      PROP_PLAYING,
      PROP_ENUM (
          SendConfig, fec_code, gst_rtp_adapt_fec_choice_get_type, "auto"),
      .then = SEND_JOB },
  { "fec-unasked", "FEC unasked",
      "FEC goes to a receiver that does not say that it uses it, too; only where its "
      "payload type is agreed on in another way",
      PROP_PLAYING, PROP_BOOLEAN (SendConfig, fec_unasked, TRUE),
      .then = SEND_JOB },
  { "feedback", "Feedback", "How the receiver reports", PROP_READY,
      PROP_ENUM (
          SendConfig, feedback, gst_rtp_adapt_feedback_get_type, "twcc") },
  { "tfrc-fmt", "TFRC-FB's FMT",
      "RTCP feedback message type of TFRC-FB, for which the draft says 2 "
      "and 5; 5 is RFC 6051's, which hangs rtpsession 1.22",
      PROP_PLAYING, PROP_UINT (SendConfig, tfrc_fmt, 1, 30, RA_TFRC_FB_FMT) },
  { "burst", "Burst",
      "Never more than this at the rate at once, plus one packet (@); more where "
      "the path takes bursts well, 0 where it takes none",
      PROP_READY, PROP_UINT64 (SendConfig, burst, 0, GST_SECOND, SEND_BURST),
      .unit = "ns" },
  { "max-backlog", "Maximum backlog",
      "A frame that begins while more than this is queued is dropped (@ "
      "at the rate); less for a lower latency with more frames lost",
      PROP_PLAYING,
      PROP_UINT64 (SendConfig, max_backlog, 0, 60 * GST_SECOND, SEND_BACKLOG),
      .unit = "ns" },
  { "frame-skip", "Frame skip",
      "While more than this is queued, the encoders upstream do not get raw "
      "frames (@ at the rate, 0 = they get all, "
      "for an encoder that must see each); where packets are lost, no more than "
      "lets the last packet of a frame still be sent again",
      PROP_PLAYING,
      PROP_UINT64 (SendConfig, frame_skip, 0, 60 * GST_SECOND, SEND_FRAME_SKIP),
      .unit = "ns" },
  { "encoder", "Encoder",
      "Names of the encoder elements to drive, commas between (empty = "
      "all that are found upstream, none = drive none of them)",
      PROP_PLAYING, PROP_TEXT (SendConfig, encoder, ""),
      .then = THEN_ENCODERS | SEND_JOB },
  { "encoder-bitrate", "Encoder bitrate",
      "What the encoders should make, together (@, 0 = nothing)", PROP_READ,
      .type = G_TYPE_UINT, .max.u = G_MAXUINT, .unit = "bit/s" },
  { "adapt-size", "Adapt size",
      "Make pictures smaller and fewer where the bitrate is too small, by a "
      "capsfilter between a videoscale, or videorate, and the encoder; a "
      "message rtpadapt-size proposes the size in any case",
      PROP_PLAYING, PROP_BOOLEAN (SendConfig, adapt_size, FALSE),
      .then = SEND_JOB },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptsend-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS },
  { "stats-interval", "Statistics interval",
      "Between element messages with the statistics (@, 0 = none)",
      PROP_PLAYING,
      PROP_UINT64 (SendConfig, stats_interval, 0,
          GST_RTP_ADAPT_STATS_INTERVAL_MAX, SEND_STATS_INTERVAL),
      .unit = "ns", .then = THEN_STATS },
  { "loss-messages", "Loss messages",
      "An element message rtpadapt-loss for each lost packet; messages-dropped of the "
      "statistics counts those beyond 1,024 that wait",
      PROP_PLAYING, PROP_BOOLEAN (SendConfig, loss_messages, FALSE) },
  { "friendliness-cap", "Friendliness cap",
      "estimated-bitrate never exceeds this times what a TCP would get "
      "if every loss were congestion that is not shown to be the "
      "radio's; where a queue stands 2 times, or what four CUBICs would "
      "have if that is more and the controller answers loss events (0 = "
      "no bound, where nobody else uses the path; up to 2 every loss "
      "counts)",
      PROP_PLAYING,
      PROP_DOUBLE (SendConfig, friendliness_cap, 0, G_MAXDOUBLE,
          RA_DEFAULT_FRIENDLINESS_CAP),
      .then = THEN_SAFETY | SEND_WAKE | SEND_JOB },
  { "circuit-breakers", "Circuit breakers",
      "Stop for as long as RFC 8083 says so: no feedback for 15 s, "
      "nothing delivered, ten times a TCP's rate, or useless media; "
      "off only for a radio that nobody else uses",
      PROP_PLAYING, PROP_BOOLEAN (SendConfig, circuit_breakers, TRUE),
      .then = THEN_SAFETY | SEND_WAKE | SEND_JOB },
  { "colour", "Colour",
      "Which packets the network should drop first, where routers or access "
      "points go by the DSCP; rtpadaptudpsink writes it. While running, a new one begins with default "
      "colour-params",
      PROP_PLAYING,
      PROP_ENUM (
          SendConfig, colour, gst_rtp_adapt_colour_get_type, SEND_COLOUR),
      .pair = &colour_pair, .then = THEN_PAIR },
  { "colour-params", "Colour parameters",
      "The colouring's parameters, \"name=value,name=value\"", PROP_PLAYING,
      PROP_TEXT (SendConfig, colour_params, ""), .pair = &colour_pair,
      .then = THEN_PAIR },
  { "encoder-property", "Encoder property",
      "The number to set, of the encoders named, or of the nearest "
      "element upstream that has it (empty = what is known of the "
      "encoder)",
      PROP_PLAYING, PROP_TEXT (SendConfig, encoder_property, ""),
      .then = THEN_ENCODERS | THEN_DRIVE | SEND_JOB },
  { "encoder-unit", "Encoder unit", "The unit of encoder-property (@)",
      PROP_PLAYING, PROP_UINT (SendConfig, encoder_unit, 1, G_MAXINT, 1),
      .unit = "bit/s", .then = THEN_ENCODERS | THEN_DRIVE | SEND_JOB },
  { "skip-interval", "Skip interval",
      "With feedback about RTP numbers one is left out between two video "
      "frames, at random, once in so many packets: a receiver that says "
      "it came is a liar and gets min-bitrate (0 = none; "
      "1000 where receivers gain from lies)",
      PROP_PLAYING,
      PROP_UINT (SendConfig, skip_interval, 0, G_MAXINT, SEND_SKIP_INTERVAL),
      .then = THEN_SKIPS | SEND_JOB },
  { "ecn", "ECN",
      "ECN bits that rtpadaptudpsink sends packets with: only with "
      "feedback=ccfb, after a test of the path, and not-ect for a minute "
      "or more after the receiver's reports contradicted it (RFC 6679 "
      "7.4)",
      PROP_PLAYING,
      PROP_ENUM (SendConfig, ecn, gst_rtp_adapt_ecn_get_type, "not-ect"),
      .then = SEND_JOB },
  { "retransmission", "Retransmission",
      "Send lost packets again to a receiver that uses them, by an rtprtxsend; "
      "off where FEC alone is wanted",
      PROP_PLAYING, PROP_BOOLEAN (SendConfig, retransmission, TRUE) },
  { "plain-repeats", "Plain repeats",
      "To a receiver that is not rtpadaptsrc send a lost packet itself again, with its own "
      "number, and not a packet by RFC 4588; only where RTP is not encrypted, as no number "
      "may be encrypted twice",
      PROP_PLAYING, PROP_BOOLEAN (SendConfig, plain_repeats, FALSE) },
  { "receiver-latency", "Receiver latency",
      "How long the receiver holds packets, where it does not say so (@): the "
      "latency of a jitterbuffer other than rtpadaptsrc's",
      PROP_PLAYING,
      PROP_UINT64 (SendConfig, receiver_latency, GST_MSECOND, 60 * GST_SECOND,
          RA_REPAIR_LATENCY),
      .unit = "ns" },
  { NULL },
};
