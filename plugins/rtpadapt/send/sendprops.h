/* The properties of rtpadaptsend: what is set, and what a change asks for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table is send_props of gstrtpadaptsend.h.  Of a property that is only read it
 * has no value: the element answers for these.
 */
#pragma once

#include "way.h"

#include <gst/rtpadapt/safety/ecn.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

/* What is taken from READY to PAUSED. */
typedef struct
{
  guint start_bitrate;
  gint feedback;
  GstClockTime burst;
} SendTaken;

/* Properties that are set; under the lock. */
typedef struct
{
  guint min_bitrate, start_bitrate, max_bitrate;   /* bit/s */
  gint controller, lda, feedback;                  /* index of the registry */
  gint fec;                                        /* the same */
  gchar *controller_params, *lda_params, *encoder; /* never NULL */
  gchar *fec_params;
  gint fec_code; /* RaFecCode, or GST_RTP_ADAPT_FEC_AUTO */
  gboolean fec_unasked;
  gint colour; /* index of the registry */
  gchar *colour_params, *encoder_property;
  guint encoder_unit; /* bit/s */
  GstClockTime burst, max_backlog, frame_skip, stats_interval;
  SendTaken taken; /* as it was then */
  gboolean loss_messages, adapt_size;
  gdouble friendliness_cap;
  gboolean circuit_breakers;
  guint tfrc_fmt; /* FMT of TFRC-FB */
  guint skip_interval;
  RaEcnField ecn; /* wanted */
  gboolean retransmission, plain_repeats;
  GstClockTime receiver_latency;
} SendConfig;

/* What follows when a property changed: SendWants, and these. */
enum
{
  THEN_LIMITS = 1 << 16,   /* of the rate, for the sender */
  THEN_SAFETY = 1 << 17,   /* for the sender, too */
  THEN_PAIR = 1 << 18,     /* the LDA may lack colours, or not go with the
                              controller */
  THEN_ENCODERS = 1 << 19, /* look for them */
  THEN_DRIVE = 1 << 20,    /* those found are driven in another way */
  THEN_SKIPS = 1 << 21,    /* look for payloaders */
  THEN_STATS = 1 << 22,    /* the next ones are an interval from now */
};

/* The owner of the pairs of an algorithm and its parameters: where they are put to
 * use, and when. */
typedef struct
{
  RaSender *sender;
  Way *way;
  RaTime now;
} SendRules;

RaRateConfig send_limits (const SendConfig *cfg);
/* A warning about the limits (transfer full), or NULL. */
gchar *send_limits_check (const SendConfig *cfg);

G_END_DECLS
