/* rtpadaptsrc: signs of life for a sender that is silent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender that heard nothing for long sends very little, and waits for a report
 * before it sends more.  rtpsession alone would send a report every five seconds.
 */
#include "srcpriv.h"

#include "parts/elementtimer.h"

#define INTERVAL (500 * GST_MSECOND)

static void
sign_due (GstElement *element)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (element);

  if (src_gate_is_quiet (self->gate))
    src_session_ask (self);
}

void
src_sign_start (GstRtpAdaptSrc *self)
{
  element_timer_start (
      GST_ELEMENT (self), &self->sign_timer, INTERVAL, TRUE, sign_due);
}

void
src_sign_stop (GstRtpAdaptSrc *self)
{
  element_timer_stop (GST_ELEMENT (self), &self->sign_timer);
}
