/* The truth, written down.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "log.h"

#include <tools/sim/run.h>

#include <string.h>

/* bytes; a packet's line may wait for others, an interval's is read live */
#define BLOCK 60000

static guint
key_hash (gconstpointer data)
{
  const guint8 *bytes = data;
  guint hash = 5381;

  for (gsize i = 0; i < sizeof (LinkKey); i++)
    hash = hash * 33 + bytes[i];
  return hash;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (LinkKey)) == 0;
}

static const gchar *
direction (gboolean back)
{
  return back ? "back" : "there";
}

gboolean
link_log_init (
    LinkLog *log, const gchar *intervals, const gchar *packets, GError **error)
{
  *log = (LinkLog){ 0 };
  log->flows = g_hash_table_new (key_hash, key_equal);
  log->in_order = g_ptr_array_new_with_free_func (g_free);
  if (intervals && !(log->intervals = link_writer_new (intervals, error)))
    return FALSE;
  if (packets && !(log->packets = link_writer_new (packets, error)))
    return FALSE;
  if (log->packets)
    g_string_append (log->packets->block,
        "t_in_ns,dir,flow,size,dscp,ecn,ssrc,seq,pt,fate,node,t_out_ns,"
        "queued_ns\n");
  return TRUE;
}

gboolean
link_log_clear (LinkLog *log, GError **error)
{
  gboolean ok = TRUE;

  if (log->intervals)
    ok = link_writer_close (log->intervals, error);
  if (log->packets)
    ok = link_writer_close (log->packets, ok ? error : NULL) && ok;
  g_hash_table_unref (log->flows);
  g_ptr_array_unref (log->in_order);
  return ok;
}

void
link_log_header (LinkLog *log, const gchar *there, const gchar *back,
    guint64 seed, gdouble interval, RaTime start)
{
  g_autofree gchar *there_text = ra_json_string (there);
  g_autofree gchar *back_text = ra_json_string (back);

  if (!log->intervals)
    return;
  g_string_append_printf (log->intervals->block,
      "{\"link\": {\"there\": %s, \"back\": %s, \"seed\": %" G_GUINT64_FORMAT
      ", \"interval\": %g, \"start_ns\": %" G_GUINT64_FORMAT
      ", \"version\": \"" RA_VERSION "\"}}\n",
      there_text, back_text, seed, interval, start);
  link_writer_flush (log->intervals, 0);
}

static void
flow_write (LinkLog *log, const LinkFlow *f)
{
  g_autofree gchar *protocol = link_key_protocol (&f->key);
  g_autofree gchar *source = link_key_address (&f->key, TRUE);
  g_autofree gchar *address = link_key_address (&f->key, FALSE);

  g_string_append_printf (log->intervals->block,
      "{\"flow\": {\"id\": %u, \"dir\": \"%s\", \"proto\": \"%s\", "
      "\"src\": \"%s\", \"sport\": %u, \"dst\": \"%s\", \"dport\": %u}}\n",
      f->id, direction (f->key.back), protocol, source, f->key.source_port,
      address, f->key.port);
}

LinkFlow *
link_log_flow (LinkLog *log, const LinkKey *key)
{
  const LinkKey others = { .back = key->back };
  LinkFlow *f = g_hash_table_lookup (log->flows, key);

  if (!f && log->in_order->len >= RA_LINK_FLOWS) {
    key = &others;
    f = g_hash_table_lookup (log->flows, key);
  }
  if (f)
    return f;
  f = g_new0 (LinkFlow, 1);
  f->key = *key;
  f->id = log->in_order->len;
  g_ptr_array_add (log->in_order, f);
  g_hash_table_insert (log->flows, &f->key, f);
  if (log->intervals)
    flow_write (log, f);
  return f;
}

void
link_log_entered (LinkLog *log, const LinkPacket *p)
{
  log->entered++;
  p->flow->counts.in++;
  p->flow->counts.in_bytes += p->size;
}

static void
packet_write (LinkLog *log, const LinkPacket *p, const gchar *fate,
    const gchar *node, RaTime out, RaSpan queued)
{
  const LinkHeaders *h = &p->headers;
  GString *line = log->packets->block;

  g_string_append_printf (line, "%" G_GUINT64_FORMAT ",%s,%u,%u,%u,%u,", p->in,
      direction (h->key.back), p->flow->id, p->size, h->tos >> 2, h->tos & 3);
  if (h->payload == LINK_RTP)
    g_string_append_printf (line, "%u,%u,%u,", h->ssrc, h->seq, h->pt);
  else if (h->payload == LINK_RTCP)
    g_string_append_printf (line, ",,%u,", h->pt);
  else
    g_string_append (line, ",,,");
  g_string_append_printf (line, "%s,%s,", fate, node ? node : "");
  if (out != RA_TIME_NONE)
    g_string_append_printf (line, "%" G_GUINT64_FORMAT, out);
  g_string_append_printf (line, ",%" G_GINT64_FORMAT "\n", queued);
  link_writer_flush (log->packets, BLOCK);
}

void
link_log_left (LinkLog *log, const LinkPacket *p, LinkFate fate,
    const gchar *node, RaTime out, RaSpan queued)
{
  static const gchar *const names[LINK_N_FATES]
      = { "out", "congestion", "wireless", "discarded" };
  LinkCounts *c = &p->flow->counts;

  log->fates[fate]++;
  if (fate == LINK_FATE_OUT) {
    c->out++;
    c->out_bytes += p->size;
    c->queue_sum += queued;
    c->queue_max = MAX (c->queue_max, queued);
  }
  c->congestion += fate == LINK_FATE_CONGESTION;
  c->wireless += fate == LINK_FATE_WIRELESS;
  if (log->packets)
    packet_write (log, p, names[fate], node, out, queued);
}

static void
counts_write (GString *line, const LinkFlow *f)
{
  const LinkCounts *c = &f->counts;

  g_string_append_printf (line,
      "\"%u\": {\"in\": %" G_GUINT64_FORMAT ", \"in_bytes\": %" G_GUINT64_FORMAT
      ", \"out\": %" G_GUINT64_FORMAT ", \"out_bytes\": %" G_GUINT64_FORMAT
      ", \"congestion\": %" G_GUINT64_FORMAT
      ", \"wireless\": %" G_GUINT64_FORMAT,
      f->id, c->in, c->in_bytes, c->out, c->out_bytes, c->congestion,
      c->wireless);
  if (c->out)
    g_string_append_printf (line,
        ", \"queue_ms_mean\": %.3f, \"queue_ms_max\": %.3f}",
        1e3 * ra_seconds (c->queue_sum) / (gdouble) c->out,
        1e3 * ra_seconds (c->queue_max));
  else
    g_string_append (
        line, ", \"queue_ms_mean\": null, \"queue_ms_max\": null}");
}

void
link_log_interval (LinkLog *log, gdouble t, gboolean back, gdouble capacity)
{
  static const LinkCounts none;
  const gchar *comma = "";
  GString *line;

  if (!log->intervals)
    return;
  line = log->intervals->block;
  g_string_append_printf (
      line, "{\"t\": %.3f, \"dir\": \"%s\", ", t, direction (back));
  if (capacity >= 0)
    g_string_append_printf (line, "\"capacity_bps\": %.0f", capacity);
  else
    g_string_append (line, "\"capacity_bps\": null");
  g_string_append (line, ", \"flows\": {");
  for (guint i = 0; i < log->in_order->len; i++) {
    LinkFlow *f = g_ptr_array_index (log->in_order, i);

    if (f->key.back != back || memcmp (&f->counts, &none, sizeof none) == 0)
      continue;
    g_string_append (line, comma);
    counts_write (line, f);
    f->counts = none;
    comma = ", ";
  }
  g_string_append (line, "}}\n");
  link_writer_flush (log->intervals, 0);
}

void
link_log_self (LinkLog *log, const gchar *self)
{
  if (log->intervals)
    g_string_append_printf (log->intervals->block, "{\"self\": %s}\n", self);
}
