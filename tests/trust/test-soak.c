/* The long run: each controller over a path whose capacity swings, that loses
 * packets to the radio, with a receiver whose clock is 500 ppm fast.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   trust-soak                                   a minute of each, as a test
 *   trust-soak --hours H --controller NAME [--feedback twcc] [--seed S]
 *
 * The second prints a line for tests/trust/soak: what it found, and a hash of
 * all that happened.  Packets have 100 bytes and the rate is 620 kbit/s or more,
 * 787 packets/s with the short last ones of the frames: in 24 h the numbers wrap
 * 1,037 times, and t_i, which wraps after 71.6 min, 20 times.
 */
#include "../rows.h"
#include "faults.h"
#include "trust.h"

#include <gst/rtpadapt/feedback/stamp.h>
#include <math.h>
#include <unistd.h>

#define MIN_RATE 620000
#define MAX_RATE 1000000
#define PPM 500
#define HOUR 3600 /* s */
#define SHORT 60  /* s */
/* Of the trace: 1,504 bytes each time, so often. */
#define SWING 60. /* s */
#define MEAN 800000
#define DEPTH 140000

typedef struct
{
  World *w;
  GChecksum *hash;
  guint seconds, nan, out, stopped;
  guint64 least, most; /* rate, bit/s */
} Soak;

/* One period of 800 + 140 sin (2 pi t / 60 s) kbit/s, in mahimahi's format. */
static gboolean
trace_make (const gchar *name, gchar **text, gsize *length, GError **error)
{
  GString *lines = g_string_new (NULL);
  gdouble bits = 0;

  for (guint ms = 0; ms < SWING * 1000; ms++) {
    bits += (MEAN + DEPTH * sin (2 * G_PI * ms / 1000. / SWING)) / 1000;
    for (; bits >= 8 * 1504; bits -= 8 * 1504)
      g_string_append_printf (lines, "%u\n", ms + 1);
  }
  g_string_append_printf (lines, "%u\n", (guint) (SWING * 1000));
  *length = lines->len;
  *text = g_string_free (lines, FALSE);
  return TRUE;
}

/* Numbers and both clocks' stamps are near their end. */
static void
config_init (WorldConfig *cfg)
{
  faults_config_init (cfg);
  cfg->path = "trace swing queue=100ms ! delay 25ms ! gilbert p=.0005 r=.3";
  cfg->load = trace_make;
  cfg->lda = "zbs";
  cfg->rate.min = MIN_RATE;
  cfg->rate.start = 800000;
  cfg->rate.max = MAX_RATE;
  cfg->rate.mss = 100;
  cfg->ppm = PPM;
  cfg->first = 2 * 65536 - 2000;
  cfg->begin = RA_STAMP_US_WRAP - 20 * RA_SECOND;
}

static void
value_check (const gchar *name, gdouble value, gpointer data)
{
  ((Soak *) data)->nan += isnan (value) != 0;
}

/* RFC 8083 4.3 is above `min`, too: 9 times what a TCP would get, 2 times where a
 * queue stands. */
static void
rate_check (Soak *s, const RaSenderStats *stats)
{
  guint64 rate = ra_sender_rate (world_sender (s->w)), least = MIN_RATE;

  if (stats->friendly < G_MAXUINT64)
    least = MIN (
        least, RA_FRIENDLY_STANDING * (stats->friendly - 1)); /* rounded */
  s->out += rate < least || rate > MAX_RATE;
  s->stopped += stats->breaker != RA_BREAKER_CLOSED;
  s->least = MIN (s->least, rate);
  s->most = MAX (s->most, rate);
}

static void
second (Soak *s)
{
  World *w = s->w;
  RaSenderStats stats;
  guint64 now[8];

  world_run (w, RA_SECOND);
  s->seconds++;
  ra_sender_get_stats (world_sender (w), &stats);
  rate_check (s, &stats);
  ra_sender_observe (world_sender (w), value_check, s);
  if (world_reporter (w))
    ra_reporter_observe (world_reporter (w), value_check, s);
  now[0] = w->packets;
  now[1] = w->bytes;
  now[2] = w->arrived_bytes;
  now[3] = w->lost;
  now[4] = ra_sender_rate (world_sender (w));
  now[5] = (guint64) stats.rtt;
  now[6] = (guint64) stats.queue;
  memcpy (&now[7], &stats.p, sizeof now[7]);
  g_checksum_update (s->hash, (const guchar *) now, sizeof now);
}

/* Sent, arrived, lost and on their way; what the receiver counts; what the
 * sender was told, but for the end: NULL, or what does not fit. */
static const gchar *
sums_check (const Soak *s)
{
  const World *w = s->w;
  const RaRadp *heard = ra_ear_radp (sim_flow_ear (w->flow));
  guint64 way = ra_link_held (w->path), told;
  RaSenderStats stats;
  RaReporterStats seen;

  ra_sender_get_stats (world_sender (w), &stats);
  if (stats.packets_sent != w->packets || stats.bytes_sent != w->bytes)
    return "sent";
  if (w->packets != w->arrived + w->lost + way)
    return "path";
  if (!world_reporter (w))
    return stats.loss.arrived + stats.loss.congestion + stats.loss.wireless
            > w->packets
        ? "rows"
        : NULL;
  ra_reporter_get_stats (world_reporter (w), &seen);
  if (seen.packets != w->arrived || seen.bytes != w->arrived_bytes)
    return "arrived";
  if (seen.expected > w->packets || seen.expected + way + 1000 < w->packets)
    return "expected";
  if (seen.loss.congestion + seen.loss.wireless > w->lost)
    return "lost";
  told = (guint64) heard->arrived + heard->lost_congestion
      + heard->lost_wireless;
  if (told > heard->expected || told + 1000 < heard->expected
      || heard->expected > w->packets || heard->expected + 1000 < w->packets)
    return "told";
  return NULL;
}

static Soak
soak_new (const WorldConfig *cfg, guint64 seed)
{
  return (Soak){ .w = world_new (cfg, seed),
    .hash = g_checksum_new (G_CHECKSUM_SHA256),
    .least = G_MAXUINT64 };
}

static void
soak_free (Soak *s)
{
  world_free (s->w);
  g_checksum_free (s->hash);
}

/* Rounds of 65,536 numbers, and of 2^32 us. */
static guint64
seq_wraps (const Soak *s)
{
  return ((s->w->cfg->first + s->w->packets) >> 16) - 1;
}

static guint64
stamp_wraps (const Soak *s)
{
  return world_here (s->w) / RA_STAMP_US_WRAP;
}

/* --- as a test ----------------------------------------------------------- */

static void
test_short (gconstpointer data)
{
  const RaRateOps *ops = data;
  g_autofree gchar *name = g_strdup_printf ("wraps and sums: %s", ops->name);
  g_autofree gchar *hash = NULL;
  const gchar *wrong = NULL;
  gboolean ok = TRUE;
  guint64 packets = 0;
  WorldConfig cfg;

  config_init (&cfg);
  cfg.controller = ops->name;
  for (guint again = 0; again < 2; again++) {
    Soak s = soak_new (&cfg, 1);

    while (s.seconds < SHORT)
      second (&s);
    wrong = sums_check (&s);
    ok &= s.nan == 0 && s.out == 0 && s.stopped == 0 && !wrong;
    ok &= seq_wraps (&s) >= 1 && stamp_wraps (&s) == 1;
    if (again)
      ok &= g_str_equal (hash, g_checksum_get_string (s.hash));
    else
      hash = g_strdup (g_checksum_get_string (s.hash));
    packets = s.w->packets;
    g_test_message ("%s: nan %u, out %u, stopped %u, sums %s, %s", ops->name,
        s.nan, s.out, s.stopped, wrong ? wrong : "fit", hash);
    soak_free (&s);
  }
  trust_row ("soak", name,
      "over the wraps of sequence numbers and send times, at 500 ppm: the rate "
      "stays in its bounds, no NaN, all packets accounted for, twice the same",
      ok, "%" G_GUINT64_FORMAT " packets, %.8s", packets, hash);
}

/* --- as a command -------------------------------------------------------- */

/* Resident memory, KB. */
static glong
rss (void)
{
  g_autofree gchar *text = NULL;
  glong pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)) {
    const gchar *second_word = strchr (text, ' ');

    pages = second_word ? strtol (second_word, NULL, 10) : 0;
  }
  return pages * (sysconf (_SC_PAGESIZE) / 1024);
}

static gint
soak_run (const WorldConfig *cfg, gdouble hours, guint64 seed)
{
  Soak s = soak_new (cfg, seed);
  guint n = (guint) (hours * HOUR);
  glong early = 0, late;
  const gchar *wrong;
  gboolean ok;

  while (s.seconds < n) {
    second (&s);
    if (s.seconds == MIN (HOUR, n / 2))
      early = rss ();
  }
  late = rss ();
  wrong = sums_check (&s);
  ok = s.nan == 0 && s.out == 0 && s.stopped == 0 && !wrong;
  g_print ("%s,%s,%g,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
           ",%" G_GUINT64_FORMAT ",%.3f,%" G_GUINT64_FORMAT
           ",%.0f,%" G_GUINT64_FORMAT ",%u,%u,%s,%ld,%ld,%.2f,%.16s\n",
      cfg->controller, cfg->wire->name, hours, s.w->packets, seq_wraps (&s),
      stamp_wraps (&s), 100. * (gdouble) s.w->lost / (gdouble) s.w->packets,
      s.least, 8. * (gdouble) s.w->bytes / n, s.most, s.nan, s.out + s.stopped,
      wrong ? wrong : "fit", early, late,
      (gdouble) (late - early) / MAX (hours - 1, hours / 2),
      g_checksum_get_string (s.hash));
  soak_free (&s);
  return ok ? 0 : 1;
}

static gint
command (gint argc, gchar **argv)
{
  gdouble hours = 24;
  gint64 seed = 1;
  g_autofree gchar *controller = NULL, *feedback = NULL;
  const GOptionEntry entries[] = {
    { "hours", 0, 0, G_OPTION_ARG_DOUBLE, &hours, "virtual time", "H" },
    { "controller", 0, 0, G_OPTION_ARG_STRING, &controller, "", "NAME" },
    { "feedback", 0, 0, G_OPTION_ARG_STRING, &feedback, "tfrc or twcc", "F" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of everything", "S" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  WorldConfig cfg;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (!(hours > 0) || !controller || !ra_rate_find (controller)) {
    g_printerr ("--hours must be above 0, --controller one of the registry\n");
    return 2;
  }
  config_init (&cfg);
  cfg.controller = controller;
  faults_set_rows (&cfg, g_strcmp0 (feedback, "twcc") == 0);
  return soak_run (&cfg, hours, (guint64) seed);
}

int
main (int argc, char **argv)
{
  if (argc > 1 && g_str_has_prefix (argv[1], "--hours"))
    return command (argc, argv);
  g_test_init (&argc, &argv, NULL);
  rows_add_all ("/soak", ra_rates, test_short);
  return g_test_run ();
}
