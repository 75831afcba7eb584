/* rtpadaptsend without pipeline, task and threads: what feedback reaches.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element is made and never started; what it has when it runs is put there
 * by hand.  Packet i leaves at 1,000 s + 10 i ms, with SSRC 1 and number i.
 */
#pragma once

#include "fuzz.h"
#include "laws.h"

#include "parts/enums.h"
#include "send/sendpriv.h"

#include <gst/check/gsttestclock.h>

#define SENDFUZZ_SSRC 1
#define SENDFUZZ_SIZE 1200
#define SENDFUZZ_START (1000 * RA_SECOND)
#define SENDFUZZ_GAP (10 * RA_MSECOND)
/* The middle of the time of the SR that was sent before the first packet. */
#define SENDFUZZ_LSR 0x12, 0x34, 0x56, 0x78

typedef struct
{
  GstRtpAdaptSend *self;
  GstTestClock *clock;
  RaRateConfig limits;
} SendFuzz;

static inline void
sendfuzz_init (SendFuzz *f, gint mode)
{
  GstRtpAdaptSend *self = g_object_new (GST_TYPE_RTP_ADAPT_SEND, NULL);
  RaSenderConfig config = {
    .controller = ra_rates[self->cfg.controller],
    .lda = ra_ldas[self->cfg.lda],
    .rate = { SEND_MIN, SEND_START, SEND_MAX, SENDFUZZ_SIZE },
    .burst = SEND_BURST,
    .friendliness_cap = RA_DEFAULT_FRIENDLINESS_CAP,
    .breakers = TRUE,
    .seed = SEND_SEED,
  };

  static const guint8 sr[28]
      = { 0x80, 200, 0, 6, 0, 0, 0, SENDFUZZ_SSRC, 0, 0, SENDFUZZ_LSR };

  gst_object_ref_sink (self);
  f->self = self;
  f->limits = config.rate;
  f->clock
      = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (SENDFUZZ_START));
  self->clock.clock = gst_object_ref (GST_CLOCK (f->clock));
  self->clock.system = gst_object_ref (GST_CLOCK (f->clock));
  pace_start (&self->pace);
  self->sender = ra_sender_new (&config, SENDFUZZ_START, NULL);
  send_ear_start (self);
  self->cfg.loss_messages = TRUE;
  self->mode.kind = ra_feedback_at (mode);
  ra_ear_on_rtcp_sent (self->ear, sr, sizeof sr, SENDFUZZ_START);
  self->herald.pending = TRUE; /* so that no job starts */
}

/* The next `n` packets leave, and time goes on. */
static inline void
sendfuzz_send (SendFuzz *f, guint n)
{
  GstRtpAdaptSend *self = f->self;

  for (; n > 0; n--) {
    RaTime now = our_now (&self->clock);

    ra_ear_on_sent (self->ear,
        &(RaEarPacket){ .out = { .ssrc = SENDFUZZ_SSRC,
                            .rtp_seq = (guint16) send_ledger (self)->next,
                            .size = SENDFUZZ_SIZE,
                            .media = SENDFUZZ_SIZE - 12,
                            .flags = RA_SENT_ASKS | RA_SENT_FRAME_END },
            .payload = SENDFUZZ_SIZE - 12,
            .passed = now,
            .stamped = TRUE },
        now);
    ra_ear_on_pushed (self->ear, now);
    gst_test_clock_advance_time (f->clock, SENDFUZZ_GAP);
  }
}

static inline void
sendfuzz_check (SendFuzz *f)
{
  law_sender (f->self->sender, &f->limits, RA_DEFAULT_FRIENDLINESS_CAP,
      our_now (&f->self->clock));
  g_assert_cmpuint (f->self->herald.messages.length, <=, 1024);
}

static inline void
sendfuzz_clear (SendFuzz *f)
{
  GstRtpAdaptSend *self = f->self;
  g_autofree gchar *text = NULL;
  GstStructure *stats;

  g_mutex_lock (&self->lock);
  stats = send_stats (self);
  g_mutex_unlock (&self->lock);
  text = gst_structure_to_string (stats);
  fuzz_note ("%s", text);
  gst_structure_free (stats);
  send_ear_stop (self);
  g_clear_pointer (&self->sender, ra_sender_free);
  pace_stop (&self->pace);
  our_clock_stop (&self->clock);
  herald_clear (&self->herald);
  gst_object_unref (self);
  gst_object_unref (f->clock);
}
