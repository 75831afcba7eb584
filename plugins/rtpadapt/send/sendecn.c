/* rtpadaptsend: ECN, as long as path and receiver bear it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Only RFC 8888 says of each packet how it came.  With tfrc the receiver answers
 * marks, but neither a path that takes ECT off nor one that marks everything would
 * show; of twcc and receiver reports no mark comes back at all.
 */
#include "parts/ecnmeta.h"
#include "parts/enums.h"
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

void
send_ecn_start (GstRtpAdaptSend *self)
{
  /* As the seed of skipper.c. */
  ra_ecn_init (&self->ecn, (guint64) g_random_int () << 32 | g_random_int ());
}

RaEcnField
send_ecn_mark (GstRtpAdaptSend *self, BacklogItem *item, RaTime now)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  RaEcnField field;

  ra_ecn_set (&self->ecn, self->cfg.ecn,
      self->hearing.mode == GST_RTP_ADAPT_FEEDBACK_CCFB, now);
  field = ra_ecn_on_send (&self->ecn, now);
  if (field != RA_ECN_UNSAID) {
    buffer = gst_buffer_make_writable (buffer);
    rtp_adapt_buffer_set_ecn (buffer, field);
    item->object = GST_MINI_OBJECT_CAST (buffer);
  }
  return field;
}

void
send_ecn_hear (GstRtpAdaptSend *self, GArray *rows, RaTime now)
{
  RaEcnState before = self->ecn.state;

  for (guint i = 0; i < rows->len; i++) {
    RaFeedbackPacket *row = &g_array_index (rows, RaFeedbackPacket, i);
    const RaLedgerEntry *p = ra_ledger_at (send_ledger (self), row->seq);

    row->ce = ra_ecn_on_answer (&self->ecn, (RaEcnField) p->ecn,
        row->arrival != RA_TIME_NONE, (RaEcnField) p->came, now);
  }
  if (self->ecn.state != before)
    GST_INFO_OBJECT (self, "ECN: %s, fault: %s",
        ra_ecn_state_nick (self->ecn.state),
        ra_ecn_fault_nick (self->ecn.fault));
}

static const gchar *
fault_text (RaEcnFault fault)
{
  switch (fault) {
    case RA_ECN_BLEACHED:
      return "they come without the ECN bits that they left with";
    case RA_ECN_REMARKED:
      return "they come with other ECN bits than they left with";
    case RA_ECN_HIDDEN:
      return "marks are taken off, or the receiver hides them";
    case RA_ECN_ALL_CE:
      return "all of them come marked";
    default:
      return "those with ECN bits are lost, and only those";
  }
}

void
send_ecn_drive (GstRtpAdaptSend *self)
{
  RaEcnFault fault = self->ecn.fault;
  gint way = self->cfg.feedback;
  gboolean unheard, failed;

  if (!self->sender || self->cfg.ecn == RA_ECN_NOT_ECT)
    return;
  unheard = way != GST_RTP_ADAPT_FEEDBACK_CCFB
      && send_warn_once (self, SEND_WARNED_ECN_UNHEARD);
  failed = self->ecn.state == RA_ECN_FAILED
      && send_warn_once (self, SEND_WARNED_ECN_FAILED);
  if (!unheard && !failed)
    return;
  g_mutex_unlock (&self->lock);
  if (unheard)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("Packets are sent without ECN: feedback=%s does not tell how each of "
         "them came; set feedback=ccfb.",
            send_feedback_nick (way)),
        ("RFC 6679 7.2"));
  if (failed)
    GST_ELEMENT_WARNING (self, RESOURCE, FAILED,
        ("Packets are sent without ECN: %s.", fault_text (fault)),
        ("RFC 6679 7.4; it is tried again after a minute, and twice as late each "
         "time, up to 16 min"));
  g_mutex_lock (&self->lock);
}

void
send_ecn_describe (const GstRtpAdaptSend *self, GstStructure *s)
{
  const RaEcn *e = &self->ecn;

  gst_structure_set (s, "ecn-state", G_TYPE_STRING,
      ra_ecn_state_nick (e->state), "ecn-fault", G_TYPE_STRING,
      ra_ecn_fault_nick (e->fault), "ecn-failed", G_TYPE_UINT, e->failed,
      "ecn-sent", G_TYPE_UINT64, e->n_ect, "ecn-ce", G_TYPE_UINT64, e->n_ce,
      NULL);
}
