/* One run, reported.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "run.h"

#include <math.h>

typedef enum
{
  NUMBER,
  COUNT,
  STRING
} Kind;

static const struct
{
  const gchar *key;
  gsize offset;
  Kind kind;
  const gchar *unit, *text;
} keys[] = {
#define RUN(field) G_STRUCT_OFFSET (RaRun, field)
  { "controller", RUN (controller), STRING, "", "rate controller" },
  { "lda", RUN (lda), STRING, "", "loss differentiation algorithm" },
  { "start", RUN (start), NUMBER, "s", "when the flow began" },
  { "seconds", RUN (score.seconds), NUMBER, "s", "that were measured" },
  { "utilisation", RUN (score.utilisation), NUMBER, "",
      "share of the bottleneck's capacity that was used" },
  { "let_through", RUN (let_through), NUMBER, "",
      "goodput as a share of what the link lets through" },
  { "throughput_bps", RUN (score.throughput_bps), NUMBER, "bit/s",
      "that crossed the bottleneck" },
  { "goodput_bps", RUN (score.goodput_bps), NUMBER, "bit/s", "that arrived" },
  { "capacity_bps", RUN (score.capacity_bps), NUMBER, "bit/s",
      "of the bottleneck, mean over time" },
  { "judged_congestion", RUN (score.judged_congestion), COUNT, "packets",
      "congestion losses that had a verdict" },
  { "judged_wireless", RUN (score.judged_wireless), COUNT, "packets",
      "wireless losses that had a verdict" },
  { "m_c", RUN (score.m_c), NUMBER, "",
      "share of these congestion losses taken for wireless; null: of none" },
  { "m_w", RUN (score.m_w), NUMBER, "",
      "share of these wireless losses taken for congestion; null: of none" },
  { "p_cc", RUN (score.p_cc), NUMBER, "", "P[C|C] = 1 - m_c" },
  { "p_ww", RUN (score.p_ww), NUMBER, "", "P[W|W] = 1 - m_w" },
  { "packets_sent", RUN (score.sent), COUNT, "packets",
      "that left the sender, repair packets too" },
  { "packets_arrived", RUN (score.arrived), COUNT, "packets",
      "that came to the receiver" },
  { "congestion_losses", RUN (score.congestion_losses), COUNT, "packets",
      "the truth" },
  { "wireless_losses", RUN (score.wireless_losses), COUNT, "packets",
      "the truth" },
  { "congestion_loss", RUN (score.congestion_loss), NUMBER, "",
      "congestion losses per packet that crossed the bottleneck" },
  { "packet_loss_ratio", RUN (score.packet_loss_ratio), NUMBER, "",
      "lost / sent" },
  { "queue_ms_p50", RUN (score.queue_ms_p50), NUMBER, "ms",
      "that half of the packets waited in queues at most" },
  { "queue_ms_p95", RUN (score.queue_ms_p95), NUMBER, "ms",
      "that 19 of 20 packets waited at most" },
  { "delayed_packet_ratio", RUN (score.delayed_packet_ratio), NUMBER, "",
      "packets that came more than 75 ms after the one before" },
  { "cov", RUN (score.cov), NUMBER, "",
      "coefficient of variation of the throughput per second" },
  { "fec_overhead", RUN (fec_overhead), NUMBER, "",
      "repair packets per media packet" },
  { "residual_loss", RUN (residual_loss), NUMBER, "",
      "media packets missing after repair / sent" },
  { "frames_sent", RUN (frames_sent), NUMBER, "frames",
      "that were encoded; this and what follows: null without a real clip" },
  { "frames_decoded", RUN (frames_decoded), NUMBER, "frames",
      "that the decoder gave out" },
  { "frozen_s", RUN (frozen_s), NUMBER, "s", "the picture stood still" },
  { "longest_freeze_s", RUN (longest_freeze_s), NUMBER, "s",
      "the longest of these times" },
  { "ssim", RUN (ssim), NUMBER, "",
      "of what was shown, a missing frame repeats the last" },
  { "encoder_bps", RUN (encoder_bps), NUMBER, "bit/s",
      "mean target given to the encoder" },
  { "encoder_error", RUN (encoder_error), NUMBER, "",
      "largest |measured / target - 1| over any 5 s after settling" },
  { "encoder_error_any", RUN (encoder_error_any), NUMBER, "",
      "the same with the changes of capacity in" },
#undef RUN
};

/* What sim_result_to_json() writes around the runs. */
static const struct
{
  const gchar *key, *text;
} line_keys[] = {
  { "command", "that makes this line, with all others of a sweep" },
  { "seed", "of all randomness" },
  { "link", "the path" },
  { "flows", "how many share it" },
  { "sweep", "what this line has of each --sweep" },
  { "runs", "a run for each flow, with the keys below" },
  { "utilisation", "share of the capacity that all flows together used" },
  { "jain", "fairness of their goodput: 1 if alike, 1/flows if one has all" },
};

void
ra_run_init (RaRun *run, const gchar *controller, const gchar *lda)
{
  *run = (RaRun){ 0 };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    if (keys[i].kind == NUMBER)
      G_STRUCT_MEMBER (gdouble, run, keys[i].offset) = (gdouble) NAN;
  }
  run->controller = controller;
  run->lda = lda;
}

void
ra_run_set_score (RaRun *run, const RaScoreResult *score)
{
  guint64 crossed = score->arrived + score->wireless_losses;

  run->score = *score;
  if (score->capacity_bps > 0 && score->arrived > 0)
    run->let_through = score->goodput_bps
        / (score->capacity_bps * (gdouble) score->arrived / (gdouble) crossed);
}

gchar *
ra_json_string (const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  GString *out = g_string_new ("\"");

  for (const gchar *c = valid; *c; c++) {
    if (*c == '"' || *c == '\\')
      g_string_append_c (out, '\\');
    if ((guchar) *c < 0x20)
      g_string_append_printf (out, "\\u%04x", *c);
    else
      g_string_append_c (out, *c);
  }
  g_string_append_c (out, '"');
  return g_string_free (out, FALSE);
}

static void
value_append (GString *out, const RaRun *run, guint i)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  if (keys[i].kind == STRING) {
    g_autofree gchar *text
        = ra_json_string (G_STRUCT_MEMBER (const gchar *, run, keys[i].offset));

    g_string_append (out, text);
  } else if (keys[i].kind == COUNT) {
    g_string_append_printf (out, "%" G_GUINT64_FORMAT,
        G_STRUCT_MEMBER (guint64, run, keys[i].offset));
  } else {
    gdouble value = G_STRUCT_MEMBER (gdouble, run, keys[i].offset);

    g_string_append (out,
        isfinite (value)
            ? g_ascii_formatd (number, sizeof number, "%.6g", value)
            : "null");
  }
}

gchar *
ra_run_to_json (const RaRun *run)
{
  GString *out = g_string_new ("{");

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_string_append_printf (out, "%s\"%s\": ", i ? ", " : "", keys[i].key);
    value_append (out, run, i);
  }
  g_string_append_c (out, '}');
  return g_string_free (out, FALSE);
}

gchar *
ra_run_describe (void)
{
  GString *out = g_string_new ("A line:\n");

  for (guint i = 0; i < G_N_ELEMENTS (line_keys); i++)
    g_string_append_printf (
        out, "%-30s %s\n", line_keys[i].key, line_keys[i].text);
  g_string_append (out, "\nEach of its runs:\n");
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_string_append_printf (
        out, "%-21s %-8s %s\n", keys[i].key, keys[i].unit, keys[i].text);
  return g_string_free (out, FALSE);
}
