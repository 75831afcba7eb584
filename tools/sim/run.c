/* One run, reported.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "run.h"

#include <gio/gio.h>
#include <math.h>
#include <stdio.h>

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
      "share of these congestion losses taken for wireless; 0: or of none" },
  { "m_w", RUN (score.m_w), NUMBER, "",
      "share of these wireless losses taken for congestion; 0: or of none" },
  { "p_cc", RUN (score.p_cc), NUMBER, "", "P[C|C] = 1 - m_c" },
  { "p_ww", RUN (score.p_ww), NUMBER, "", "P[W|W] = 1 - m_w" },
  { "packets_sent", RUN (score.sent), COUNT, "packets", "into the link" },
  { "packets_arrived", RUN (score.arrived), COUNT, "packets",
      "out of the link" },
  { "congestion_losses", RUN (score.congestion_losses), COUNT, "packets",
      "the truth" },
  { "wireless_losses", RUN (score.wireless_losses), COUNT, "packets",
      "the truth" },
  { "congestion_loss", RUN (score.congestion_loss), NUMBER, "",
      "congestion losses per packet that crossed the bottleneck" },
  { "packet_loss_ratio", RUN (score.packet_loss_ratio), NUMBER, "",
      "lost / sent" },
  { "queue_ms_p50", RUN (score.queue_ms_p50), NUMBER, "ms",
      "half of the packets waited for less" },
  { "queue_ms_p95", RUN (score.queue_ms_p95), NUMBER, "ms",
      "19 of 20 packets waited for less" },
  { "delayed_packet_ratio", RUN (score.delayed_packet_ratio), NUMBER, "",
      "packets that came more than 75 ms after the one before" },
  { "cov", RUN (score.cov), NUMBER, "",
      "coefficient of variation of the throughput per second" },
  { "fec_overhead", RUN (fec_overhead), NUMBER, "",
      "repair packets per media packet" },
  { "residual_loss", RUN (residual_loss), NUMBER, "",
      "media packets missing after repair / sent" },
  { "frames_sent", RUN (frames_sent), NUMBER, "frames", "of video" },
  { "frames_decoded", RUN (frames_decoded), NUMBER, "frames",
      "that could be shown" },
  { "frozen_s", RUN (frozen_s), NUMBER, "s", "the picture stood still" },
  { "longest_freeze_s", RUN (longest_freeze_s), NUMBER, "s",
      "the longest time that it did" },
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

gboolean
ra_stdout_flush (GError **error)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
      "not all of the output could be written");
  return FALSE;
}

gchar *
ra_run_describe (void)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_string_append_printf (
        out, "%-21s %-8s %s\n", keys[i].key, keys[i].unit, keys[i].text);
  return g_string_free (out, FALSE);
}
