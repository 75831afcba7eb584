/* A sender with its ear, and what it sends.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packet i leaves at 1,000 s + 10 i ms, with SSRC 1 and number i.
 */
#pragma once

#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/feedback/ear.h>

#define HEARD_SSRC 1
#define HEARD_SIZE 1200
#define HEARD_START (1000 * RA_SECOND)
#define HEARD_GAP (10 * RA_MSECOND)
/* The middle of the time of the SR that was sent before the first packet. */
#define HEARD_LSR 0x12, 0x34, 0x56, 0x78

typedef struct
{
  RaRateConfig limits;
  RaSender *sender;
  RaEar *ear;
  RaEarConfig cfg;
  guint64 n; /* the next number */
  RaTime now;
} Heard;

static inline void
heard_init (Heard *h, const RaFeedbackOps *kind)
{
  static const guint8 sr[28]
      = { 0x80, 200, 0, 6, 0, 0, 0, HEARD_SSRC, 0, 0, HEARD_LSR };
  RaSenderConfig config = {
    .controller = ra_rate_find ("delay"),
    .lda = ra_lda_find ("fused"),
    .rate = { 100000, 500000, 20000000, HEARD_SIZE },
    .burst = 5 * RA_MSECOND,
    .friendliness_cap = RA_DEFAULT_FRIENDLINESS_CAP,
    .breakers = TRUE,
    .seed = 1,
  };

  *h = (Heard){ .limits = config.rate, .now = HEARD_START };
  h->sender = ra_sender_new (&config, h->now, NULL);
  h->ear = ra_ear_new (h->sender, 1);
  h->cfg = (RaEarConfig){ .kind = kind,
    .tfrc_fmt = ra_feedback_tfrc.fmt,
    .ecn = RA_ECN_ECT_0,
    .skips = TRUE };
  ra_ear_set (h->ear, &h->cfg);
  ra_ear_on_rtcp_sent (h->ear, sr, sizeof sr, h->now);
}

/* The next `n` packets leave, and time goes on. */
static inline void
heard_send (Heard *h, guint n)
{
  for (; n > 0; n--, h->n++, h->now += HEARD_GAP) {
    ra_ear_on_sent (h->ear,
        &(RaEarPacket){ .out = { .ssrc = HEARD_SSRC,
                            .rtp_seq = (guint16) h->n,
                            .size = HEARD_SIZE,
                            .media = HEARD_SIZE - 12,
                            .flags = RA_SENT_ASKS | RA_SENT_FRAME_END },
            .payload = HEARD_SIZE - 12,
            .passed = h->now,
            .stamped = TRUE },
        h->now);
    ra_ear_on_pushed (h->ear, h->now);
  }
}

static inline void
heard_clear (Heard *h)
{
  ra_ear_free (h->ear);
  ra_sender_free (h->sender);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Heard, heard_clear)
