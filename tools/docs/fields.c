/* Prints docs/statistics.md: each field of each structure that the elements make.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fec/gstrtpadaptfecdec.h"
#include "fec/gstrtpadaptfecenc.h"
#include "link/linkpath.h"
#include "observed.h"
#include "recv/recvstats.h"
#include "send/sendear.h"
#include "send/sendstats.h"
#include "send/sizefit.h"
#include "sink/sinkpeer.h"
#include "sink/sinkstats.h"
#include "src/srcstats.h"
#include "udp/udpstats.h"
#include "wire/securestats.h"

#define TABLES_MAX 4

/* A structure, and the tables of its fields. */
typedef struct
{
  const gchar *name;
  const gchar *about;
  const Field *tables[TABLES_MAX];
} Structure;

static const Structure statistics[] = {
  { "application/x-rtpadaptsink-stats", "`stats` of `rtpadaptsink`.",
      { sink_stats_fields } },
  { "application/x-rtpadaptsend-stats",
      "`stats` of `rtpadaptsend`, and a message each `stats-interval`. What "
      "follows `ecn-ce` is there only while the element runs, `peer-latency` and "
      "`peer` only after the receiver has said it.",
      { send_stats_fields, send_stats_running_fields, send_stats_heard_fields,
          (const Field[]){ { "peer", "", "the receiver's own words",
                               "RTCP APP RADP", FIELD_STRUCTURE ("peer") },
              { NULL } } } },
  { "stream", "In the list `streams` of `rtpadaptsend`.", { streams_fields } },
  { "peer", "In the statistics of `rtpadaptsend`, with `feedback=tfrc`.",
      { send_stats_peer_fields } },
  { "application/x-rtpadapt-peer-stats", "RTCP that `rtpadaptsink` dropped.",
      { sink_peer_fields } },
  { "application/x-rtpadapt-security-stats",
      "In the statistics of `rtpadaptsink` and `rtpadaptsrc`. With `dtls` it has "
      "`handshakes` and what follows, with a key `unproven` and what follows.",
      { secure_stats_fields, secure_stats_dtls_fields,
          secure_stats_keyed_fields, secure_stats_peer_fields } },
  { "application/x-rtpadaptudpsink-stats", "`stats` of `rtpadaptudpsink`.",
      { udp_sink_fields } },
  { "application/x-rtpadaptsrc-stats",
      "`stats` of `rtpadaptsrc`, and a message each `stats-interval`.",
      { src_stats_gate_fields, src_stats_fields, src_stats_hold_fields } },
  { "application/x-rtpadaptsrc-stream",
      "In the list `streams` of `rtpadaptsrc`.", { src_stats_stream_fields } },
  { "application/x-rtpadaptrecv-stats",
      "`stats` of `rtpadaptrecv`, and a message each `stats-interval`. What "
      "follows `reports-no-room` is there only while the element runs.",
      { recv_stats_fields, recv_stats_running_fields } },
  { "application/x-rtpadaptudpsrc-stats", "`stats` of `rtpadaptudpsrc`.",
      { udp_src_fields } },
  { "application/x-rtpadaptlink-stats", "`stats` of `rtpadaptlink`.",
      { link_path_fields } },
  { "application/x-rtpadaptlink-flow", "In the list `flows` of `rtpadaptlink`.",
      { link_path_flow_fields } },
  { "application/x-rtpadaptfecenc-stats", "`stats` of `rtpadaptfecenc`.",
      { fec_enc_fields } },
  { "application/x-rtpadaptfecdec-stats", "`stats` of `rtpadaptfecdec`.",
      { fec_dec_fields } },
  { NULL },
};

static const Structure messages[] = {
  { "rtpadapt-loss (rtpadaptsend)",
      "A packet was lost, with `loss-messages=true`.",
      { send_ear_loss_fields } },
  { "rtpadapt-loss (rtpadaptrecv)", "The same at the receiver.",
      { recv_loss_fields } },
  { "rtpadapt-breaker",
      "A circuit breaker of `rtpadaptsend` has another state.",
      { send_breaker_fields } },
  { "rtpadapt-size",
      "What size the pictures of an encoder should have, of `rtpadaptsend`.",
      { size_fit_fields } },
  { "rtpadapt-dscp", "The path clears or changes the DSCP, of `rtpadaptrecv`.",
      { recv_dscp_fields } },
  { "rtpadapt-stream",
      "A stream of `rtpadaptsrc` has begun, changed or ended, as found at most "
      "500 ms later while it plays. A stream is an SSRC: one that changes its "
      "payload type has two pads, and the first is silent.",
      { src_stats_news_fields } },
  { "GstUDPSrcTimeout", "Nothing came, of `rtpadaptudpsrc`; as udpsrc's.",
      { udp_src_timeout_fields } },
  { "RTPAdaptLoss",
      "Why `rtpadaptlink` dropped a packet: an event upstream, and a message "
      "with `loss-messages=true`.",
      { link_path_loss_fields } },
  { NULL },
};

static const gchar *
type_name (const Field *f)
{
  switch (f->type) {
    case G_TYPE_UINT64:
      return "uint64";
    case G_TYPE_INT64:
      return "int64";
    case G_TYPE_UINT:
      return "uint";
    case G_TYPE_INT:
      return "int";
    case G_TYPE_DOUBLE:
      return "double";
    case G_TYPE_BOOLEAN:
      return "boolean";
    case G_TYPE_STRING:
      return "string";
    default:
      return f->is_list ? "list" : f->inner ? "structure" : f->as;
  }
}

static void
field_print (const Field *f)
{
  g_print ("| `%s` | %s | %s | %s", f->name, type_name (f), f->unit, f->text);
  if (f->inner && !g_str_equal (f->inner, "observe"))
    g_print (": `%s`", f->inner);
  g_print (" | %s |\n", f->source);
}

static void
structures_print (const Structure *list)
{
  for (const Structure *s = list; s->name; s++) {
    g_print ("\n### %s\n\n%s\n\n| field | type | unit | what it is | source |\n"
             "|---|---|---|---|---|\n",
        s->name, s->about);
    for (guint i = 0; i < TABLES_MAX && s->tables[i]; i++) {
      for (const Field *f = s->tables[i]; f->name; f++)
        field_print (f);
    }
  }
}

static void
observed_print (void)
{
  g_print (
      "\n### observe\n\n"
      "In the statistics of `rtpadaptsend` and `rtpadaptrecv`, and the columns "
      "of `rtpadapt-sim --csv`: numbers (double) by the letters of the papers. "
      "They are what the algorithms in use are made of, and may change with "
      "any release.\n\n| field | unit | what it is |\n|---|---|---|\n");
  for (const Observed *o = observed; o->name; o++) {
    g_auto (GStrv) owners = g_strsplit (o->owners, ",", -1);

    g_print ("|");
    if (!owners[0])
      g_print (" `%s`", o->name);
    for (guint i = 0; owners[i]; i++)
      g_print (" `%s.%s`", owners[i], o->name);
    g_print (" | %s | %s |\n", o->unit, o->text);
  }
}

int
main (void)
{
  g_print (
      "# Statistics and messages\n\n"
      "Made from the tables in the sources by `ninja -C build docs`; tests hold\n"
      "this page to them, and the tables to what running elements say.\n\n"
      "Numbers count from the start of the element. *Source* is who counts or\n"
      "measures a field, or the RFC that says what it is. Times are ns, -1 where they\n"
      "are not known, unless their row says otherwise. Rates count RTP packets with their\n"
      "header, not UDP and IP.\n\n"
      "In Python, keep the outer structure as long as you read an inner one, as\n"
      "[the example](../tests/examples/stats.py) does.\n\n"
      "## Statistics\n");
  structures_print (statistics);
  observed_print ();
  g_print ("\n## Messages\n\n"
           "Element messages, on the bus of the pipeline.\n");
  structures_print (messages);
  return 0;
}
