/* The datagrams of one handshake on their way out: which of them may leave now.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlsflight.h"

#include "dtlsrecords.h"

void
dtls_flight_clear (DtlsFlight *f)
{
  g_queue_clear_full (&f->held, (GDestroyNotify) gst_buffer_unref);
  g_queue_clear_full (&f->hello, (GDestroyNotify) gst_buffer_unref);
}

static gboolean
may_leave (const DtlsTry *t, const DtlsFlightRules *rules, gsize size)
{
  return !rules->bounded || dtls_try_may_send (t, size);
}

/* Keeps the client's first ClientHello.  TRUE if it is complete now. */
static gboolean
note_hello (DtlsFlight *f, DtlsTry *t, GstBuffer *buffer, RaTime now)
{
  gboolean hello, end;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  hello = dtls_records_is_hello (map.data, map.size);
  end = dtls_records_end_hello (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  if (!hello)
    t->replied = TRUE;
  if (!hello || f->said)
    return FALSE; /* the library repeats it, too */
  f->said = end;
  g_queue_push_tail (&f->hello, gst_buffer_copy_deep (buffer));
  t->hello = now;
  return f->said;
}

void
dtls_flight_hello (DtlsFlight *f, DtlsTry *t, const DtlsFlightRules *rules,
    guint times, RaTime now, GQueue *leaves)
{
  t->hello = now;
  for (guint i = 0; i < times; i++) {
    for (GList *l = f->hello.head; l; l = l->next) {
      gsize size = gst_buffer_get_size (l->data);

      if (!may_leave (t, rules, size))
        break;
      t->out += size;
      g_queue_push_tail (leaves, gst_buffer_copy (l->data));
    }
  }
}

gboolean
dtls_flight_add (DtlsFlight *f, DtlsTry *t, const DtlsFlightRules *rules,
    GstBuffer *buffer, RaTime now, GQueue *leaves)
{
  gsize size = gst_buffer_get_size (buffer);
  gboolean first = rules->client && note_hello (f, t, buffer, now);
  gboolean pass = g_queue_is_empty (&f->held) && may_leave (t, rules, size);

  if (pass) {
    t->out += size;
    g_queue_push_tail (leaves, buffer);
  } else if (g_queue_get_length (&f->held) < DTLS_HELD_MAX) {
    g_queue_push_tail (&f->held, buffer);
  } else {
    gst_buffer_unref (buffer);
  }
  if (first)
    dtls_flight_hello (f, t, rules, DTLS_HELLOS - 1, now, leaves);
  return pass;
}

GstBuffer *
dtls_flight_release (DtlsFlight *f, DtlsTry *t, const DtlsFlightRules *rules)
{
  GstBuffer *buffer = g_queue_peek_head (&f->held);
  gsize size = buffer ? gst_buffer_get_size (buffer) : 0;

  if (!buffer || !may_leave (t, rules, size))
    return NULL;
  t->out += size;
  return g_queue_pop_head (&f->held);
}
