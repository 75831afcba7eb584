/* The result of a run, as JSON.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result.h"

#include "series.h"
#include "values.h"

#include <math.h>

static void
count (JsonBuilder *b, const gchar *name, gboolean known, guint64 value)
{
  json_builder_set_member_name (b, name);
  if (known)
    json_builder_add_int_value (b, (gint64) value);
  else
    json_builder_add_null_value (b);
}

static void
begin (JsonBuilder *b, const gchar *name)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
}

/* `value` if it means something. */
static gdouble
known (gboolean is, gdouble value)
{
  return is ? value : (gdouble) NAN;
}

static void
viewer (const Result *x, JsonBuilder *b)
{
  const Shown *v = &x->shown;
  const PathScore *p = &x->path_score;

  begin (b, "viewer");
  result_number (b, "delayed_packet_ratio",
      known (p->scored && p->score.arrived > 0, p->score.delayed_packet_ratio));
  count (b, "frames_sent", TRUE, v->frames_sent);
  count (b, "frames_shown", TRUE, v->frames_shown);
  count (b, "frames_unreadable", TRUE, (guint64) x->records->unreadable);
  result_number (b, "frozen_s", v->frozen_s);
  result_number (b, "longest_freeze_s", v->longest_freeze_s);
  count (b, "freezes", TRUE, v->freezes);
  result_number (b, "latency_ms_p50", v->latency_ms_p50);
  result_number (b, "latency_ms_p95", v->latency_ms_p95);
  result_number (b, "latency_ms_p99", v->latency_ms_p99);
  result_number (b, "latency_step_ms", v->latency_step_ms);
  result_number (b, "ssim", x->pictures.ssim);
  result_number (b, "vmaf", x->pictures.vmaf);
  json_builder_end_object (b);
}

static gdouble
window_s (const Result *x)
{
  return ra_seconds (x->shown.until - x->shown.from);
}

static void
path (const Result *x, JsonBuilder *b)
{
  const RaScoreResult *s = &x->path_score.score;
  gboolean scored = x->path_score.scored;
  gboolean limited = s->capacity_bps > 0;
  gboolean arrived = scored && s->arrived > 0;

  begin (b, "path");
  result_number (b, "capacity_bps", known (limited, s->capacity_bps));
  result_number (b, "utilisation", known (scored && limited, s->utilisation));
  result_number (b, "goodput_bps", known (scored, s->goodput_bps));
  result_number (b, "queue_ms_p50", known (arrived, s->queue_ms_p50));
  result_number (b, "queue_ms_p95", known (arrived, s->queue_ms_p95));
  count (b, "sent", scored, s->sent);
  count (b, "congestion_losses", scored, s->congestion_losses);
  count (b, "wireless_losses", scored, s->wireless_losses);
  result_number (b, "packet_loss_ratio",
      known (scored && s->sent > 0, s->packet_loss_ratio));
  result_number (b, "share",
      x->path
          ? path_share (x->path, x->path->bytes, window_s (x), s->capacity_bps)
          : (gdouble) NAN);
  result_number (b, "ramp_s", x->path_settle.ramp_s);
  result_number (b, "rate_settle_s", x->path_settle.rate_settle_s);
  result_number (b, "queue_settle_s", x->path_settle.queue_settle_s);
  result_number (
      b, "late_ms_p99", x->path ? x->path->late_ms_p99 : (gdouble) NAN);
  count (b, "missed", x->path && x->path->missed >= 0,
      x->path ? (guint64) x->path->missed : 0);
  json_builder_end_object (b);
}

/* By the link's record; else by what the receiver counted. */
static gdouble
fec_overhead (const Result *x)
{
  const Records *r = x->records;
  gint64 repair = r->fec + r->retransmitted;

  if (!isnan (x->path_score.fec_overhead))
    return x->path_score.fec_overhead;
  return known (r->fec >= 0 && r->retransmitted >= 0 && r->rtp > repair,
      (gdouble) repair / (gdouble) (r->rtp - repair));
}

static void
stream (const Result *x, JsonBuilder *b)
{
  const PathScore *p = &x->path_score;
  const Records *r = x->records;

  begin (b, "stream");
  result_number (
      b, "encoder_bps", result_encoder_bps (r, x->shown.from, x->shown.until));
  result_number (b, "fec_overhead", fec_overhead (x));
  result_number (b, "residual_loss", x->residual_loss);
  result_number (b, "m_c", known (p->judged_congestion > 0, p->score.m_c));
  result_number (b, "m_w", known (p->judged_wireless > 0, p->score.m_w));
  result_number (b, "sender_cpu_s", ra_seconds (r->sender_cpu));
  result_number (b, "receiver_cpu_s", ra_seconds (r->receiver_cpu));
  count (b, "source_skipped", TRUE, (guint64) r->skipped);
  json_builder_end_object (b);
}

static void
others (const Result *x, JsonBuilder *b)
{
  gdouble seconds = window_s (x), capacity = x->path_score.score.capacity_bps;

  json_builder_set_member_name (b, "others");
  json_builder_begin_array (b);
  for (guint i = 0; x->path && i < x->path->others->len; i++) {
    const OtherFlow *o = &g_array_index (x->path->others, OtherFlow, i);

    if (!path_competes (x->path, i, seconds, capacity))
      continue;
    json_builder_begin_object (b);
    json_builder_set_member_name (b, "name");
    json_builder_add_string_value (b, o->name);
    result_number (b, "goodput_bps", o->bytes * 8 / seconds);
    result_number (
        b, "share", path_share (x->path, o->bytes, seconds, capacity));
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

gchar *
result_to_json (const Result *x)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (b);
  json_builder_set_member_name (b, "system");
  json_builder_add_string_value (b, x->records->system);
  json_builder_set_member_name (b, "options");
  json_builder_add_string_value (
      b, x->records->options ? x->records->options : "");
  result_number (b, "seconds", x->records->seconds);
  result_number (b, "warmup", x->warmup);
  viewer (x, b);
  path (x, b);
  stream (x, b);
  others (x, b);
  result_series (x, b);
  json_builder_end_object (b);
  root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}
