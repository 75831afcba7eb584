/* Datagrams of DTLS on their way to the thread that feeds the connections.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlsinput.h"

static gboolean
may_wait (const DtlsInput *in, DtlsKind kind, gboolean belongs)
{
  guint waiting = in->queue.length;

  if (kind == DTLS_HELLO)
    return waiting < DTLS_INPUT_HELLOS;
  if (kind != DTLS_RECORDS || waiting >= DTLS_INPUT_MAX)
    return FALSE;
  /* The hello that they follow may still wait. */
  return waiting < DTLS_INPUT_HELLOS || belongs;
}

gboolean
dtls_input_push (
    DtlsInput *in, DtlsKind kind, gboolean belongs, GstBuffer *buffer)
{
  if (!may_wait (in, kind, belongs))
    return FALSE;
  g_queue_push_tail (&in->queue, buffer);
  return TRUE;
}

GstBuffer *
dtls_input_pop (DtlsInput *in)
{
  return g_queue_pop_head (&in->queue);
}

gboolean
dtls_input_is_empty (const DtlsInput *in)
{
  return in->queue.length == 0;
}

void
dtls_input_clear (DtlsInput *in)
{
  g_queue_clear_full (&in->queue, (GDestroyNotify) gst_buffer_unref);
}
