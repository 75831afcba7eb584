/* What is plotted of one statistics message.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "point.h"


#define NS_PER_MS 1e6

const gchar *const point_names[POINT_N] = {
  [POINT_ESTIMATED_BPS] = "estimated_bps",
  [POINT_SENT_BPS] = "sent_bps",
  [POINT_ENCODER_BPS] = "encoder_bps",
  [POINT_RECEIVED_BPS] = "received_bps",
  [POINT_QUEUE_MS] = "queue_ms",
  [POINT_RTT_MS] = "rtt_ms",
  [POINT_BACKLOG_MS] = "backlog_ms",
  [POINT_PACKETS] = "packets",
  [POINT_CONGESTION] = "congestion",
  [POINT_WIRELESS] = "wireless",
  [POINT_UNJUDGED] = "unjudged",
  [POINT_FEC_PERCENT] = "fec_percent",
  [POINT_DELAYED] = "delayed_ratio",
  [POINT_DELAYED_ALL] = "delayed_ratio_all",
  [POINT_RESIDUAL] = "residual_loss",
};

const gchar *const source_kinds[SOURCE_N] = { "send", "recv", "src" };

/* Numbers that are what they are; `over` is what to divide by. */
typedef struct
{
  const gchar *path;
  PointField field;
  gdouble over;
  gboolean zero; /* 0 is a value, not "unknown" */
} Level;

#define RECEIVER(prefix)                                   \
  { prefix "recv-bitrate", POINT_RECEIVED_BPS, 1, TRUE },  \
      { prefix "queue", POINT_QUEUE_MS, NS_PER_MS, TRUE }, \
      { prefix "rtt", POINT_RTT_MS, NS_PER_MS, FALSE },    \
  {                                                        \
    prefix "delayed-ratio", POINT_DELAYED_ALL, 1, TRUE     \
  }

static const Level send_levels[] = {
  { "estimated-bitrate", POINT_ESTIMATED_BPS, 1, TRUE },
  { "encoder-bitrate", POINT_ENCODER_BPS, 1, FALSE },
  { "recv-bitrate", POINT_RECEIVED_BPS, 1, TRUE },
  { "queue", POINT_QUEUE_MS, NS_PER_MS, TRUE },
  { "rtt", POINT_RTT_MS, NS_PER_MS, FALSE },
  { "backlog", POINT_BACKLOG_MS, NS_PER_MS, TRUE },
  { "fec-percentage", POINT_FEC_PERCENT, 1, TRUE },
  { "peer/delayed", POINT_DELAYED_ALL, 1, TRUE },
  { NULL },
};
static const Level recv_levels[] = { RECEIVER (""), { NULL } };
static const Level src_levels[] = {
  RECEIVER ("receiver/"),
  { "residual-loss", POINT_RESIDUAL, 1, TRUE },
  { NULL },
};
static const Level *const levels[SOURCE_N] = {
  [SOURCE_SEND] = send_levels,
  [SOURCE_RECV] = recv_levels,
  [SOURCE_SRC] = src_levels,
};

static const gchar *const counters[SOURCE_N][COUNT_N] = {
  [SOURCE_SEND] = {
    [COUNT_BYTES] = "bytes-sent",
    [COUNT_PACKETS] = "packets-sent",
    [COUNT_CONGESTION] = "congestion-losses",
    [COUNT_WIRELESS] = "wireless-losses",
  },
  [SOURCE_RECV] = {
    [COUNT_PACKETS] = "expected",
    [COUNT_ARRIVED] = "packets",
    [COUNT_CONGESTION] = "congestion-losses",
    [COUNT_WIRELESS] = "wireless-losses",
    [COUNT_DELAYED] = "delayed",
  },
  [SOURCE_SRC] = {
    [COUNT_PACKETS] = "receiver/expected",
    [COUNT_ARRIVED] = "receiver/packets",
    [COUNT_CONGESTION] = "receiver/congestion-losses",
    [COUNT_WIRELESS] = "receiver/wireless-losses",
    [COUNT_DELAYED] = "receiver/delayed",
  },
};

/* The member itself, or that of an object in it; or NULL. */
static JsonNode *
member (JsonObject *stats, const gchar *path)
{
  const gchar *slash = strchr (path, '/');
  g_autofree gchar *outer = NULL;
  JsonNode *node;

  if (!slash)
    return json_object_get_member (stats, path);
  outer = g_strndup (path, (gsize) (slash - path));
  node = json_object_get_member (stats, outer);
  if (!node || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  return json_object_get_member (json_node_get_object (node), slash + 1);
}

static gdouble
number (JsonObject *stats, const gchar *path)
{
  JsonNode *node = path ? member (stats, path) : NULL;
  GType type = node ? json_node_get_value_type (node) : G_TYPE_INVALID;

  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return UNKNOWN;
  return json_node_get_double (node);
}

const gchar *
stats_text (JsonObject *stats, const gchar *path)
{
  JsonNode *node = member (stats, path);

  if (!node || json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

gboolean
stats_flag (JsonObject *stats, const gchar *path)
{
  JsonNode *node = member (stats, path);

  return node && json_node_get_value_type (node) == G_TYPE_BOOLEAN
      && json_node_get_boolean (node);
}

/* FALSE: the sender judges the losses, as the receiver lacks what its LDA needs. */
static gboolean
receiver_judges (SourceKind kind, JsonObject *stats)
{
  return stats_flag (stats,
      kind == SOURCE_SRC ? "receiver/receiver-judges" : "receiver-judges");
}

/* A counter that went back has started again. */
static gdouble
grown (const PointCounts *now, const PointCounts *before, Count count)
{
  gdouble more = before ? now->n[count] - before->n[count] : UNKNOWN;

  return more >= 0 ? more : UNKNOWN;
}

static void
read_changes (gdouble *value, const PointCounts *now, const PointCounts *before)
{
  gdouble seconds
      = before ? (gdouble) (now->time_us - before->time_us) * 1e-6 : 0;
  gdouble delayed = grown (now, before, COUNT_DELAYED);
  gdouble arrived = grown (now, before, COUNT_ARRIVED);

  value[POINT_PACKETS] = grown (now, before, COUNT_PACKETS);
  value[POINT_CONGESTION] = grown (now, before, COUNT_CONGESTION);
  value[POINT_WIRELESS] = grown (now, before, COUNT_WIRELESS);
  if (seconds > 0)
    value[POINT_SENT_BPS] = 8 * grown (now, before, COUNT_BYTES) / seconds;
  if (arrived > 0)
    value[POINT_DELAYED] = delayed / arrived;
}

void
point_read (Point *point, PointCounts *counts, SourceKind kind,
    JsonObject *stats, gint64 time_us, const PointCounts *before)
{
  gdouble *value = point->value;
  gboolean by_receiver = receiver_judges (kind, stats);

  point->time_us = counts->time_us = time_us;
  for (guint i = 0; i < POINT_N; i++)
    value[i] = UNKNOWN;
  for (guint i = 0; i < COUNT_N; i++)
    counts->n[i] = number (stats, counters[kind][i]);
  if (kind == SOURCE_SEND && by_receiver) {
    counts->n[COUNT_CONGESTION] = number (stats, "peer/congestion-losses");
    counts->n[COUNT_WIRELESS] = number (stats, "peer/wireless-losses");
  }
  for (const Level *l = levels[kind]; l->path; l++) {
    gdouble x = number (stats, l->path);

    if (x > 0 || (x == 0 && l->zero)) /* -1 ns: unknown */
      value[l->field] = x / l->over;
  }
  read_changes (value, counts, before);
  if (kind != SOURCE_SEND && !by_receiver) {
    value[POINT_UNJUDGED] = value[POINT_CONGESTION] + value[POINT_WIRELESS];
    value[POINT_CONGESTION] = value[POINT_WIRELESS] = UNKNOWN;
  }
}
