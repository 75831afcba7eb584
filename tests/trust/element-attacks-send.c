/* RTCP that is forged or malformed, into the rtpsession behind rtpadaptsend:
 * rows 1, 2, 4, 6, 8, 9 and 12 of the threat table.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "attack-rtcp.h"
#include "trust.h"
#include "../rows.h"

#include <gst/rtpadapt/util/bytes.h>

#define MS GST_MSECOND

/* --- what must not change anything -------------------------------------------- */

static const struct
{
  const gchar *name, *row;
  const gchar *feedback;
  void (*put) (Rtcp *r);
  const gchar *counter; /* that goes up by one; NULL: rtpsession drops it */
} rows[] = {
  { "foreign-tfrc", "1 TFRC-FB about another SSRC", "tfrc", foreign_tfrc,
      "reports-foreign" },
  { "foreign-ccfb", "1 CCFB about another SSRC", "ccfb", foreign_ccfb,
      "reports-foreign" },
  { "foreign-block", "1 a report block about another SSRC", "tfrc",
      foreign_block, NULL },
  { "unsent-tfrc", "2 TFRC-FB with our SSRC, t_i guessed", "tfrc", unsent_tfrc,
      "reports-unsent" },
  { "unsent-ccfb", "2 CCFB with our SSRC, numbers guessed", "ccfb", unsent_ccfb,
      "reports-unsent" },
  { "contrary", "4 p = 1, and waited longer than it took", "tfrc",
      contrary_tfrc, "reports-contrary" },
  { "ccfb-8000", "8 CCFB, num_reports 0x8000", "ccfb", ccfb_8000,
      "reports-malformed" },
  { "ccfb-4001", "8 CCFB, num_reports 0x4001", "ccfb", ccfb_4001,
      "reports-malformed" },
  { "ccfb-ffff", "8 CCFB, num_reports 0xffff", "ccfb", ccfb_ffff,
      "reports-malformed" },
  { "ccfb-past-end", "8 CCFB, a block past the end", "ccfb", ccfb_past_end,
      "reports-malformed" },
  { "ccfb-too-few", "8 CCFB, bytes behind the last block", "ccfb", ccfb_too_few,
      "reports-malformed" },
  { "ccfb-half", "8 CCFB, half a block", "ccfb", ccfb_half,
      "reports-malformed" },
  { "ccfb-padding", "9 more padding than packet", "ccfb", ccfb_padding, NULL },
  { "twcc-no-chunks", "8 TWCC without chunks", "twcc", twcc_no_chunks,
      "reports-malformed" },
  { "twcc-few-chunks", "8 TWCC, more packets than chunks", "twcc",
      twcc_few_chunks, "reports-malformed" },
  { "twcc-few-deltas", "8 TWCC, deltas missing", "twcc", twcc_few_deltas,
      "reports-malformed" },
  { "twcc-reserved", "8 TWCC, reserved symbols", "twcc", twcc_reserved,
      "reports-malformed" },
  { "twcc-unsent", "2 TWCC about numbers not sent yet", "twcc", twcc_unsent,
      NULL },
  { "version", "9 RTCP of version 1", "tfrc", rtcp_version, NULL },
  { "length", "9 lengths that do not add up", "tfrc", rtcp_length, NULL },
  { "padding-first", "9 padding that is not last", "tfrc", rtcp_padding_first,
      NULL },
  { "odd", "9 a size that is no multiple of 4", "tfrc", rtcp_odd, NULL },
  { "app-half", "9 an APP packet alone, half of it", "tfrc", rtcp_app_half,
      NULL },
  { "xr", "9 XR block 13", "tfrc", xr_right, NULL },
  { "xr-6", "9 XR block 13 of 6 words", "tfrc", xr_6, NULL },
  { "xr-past-end", "9 XR block 13 past the end", "tfrc", xr_past_end, NULL },
  { "bye-ours", "12 BYE of our SSRC", "tfrc", bye_ours, NULL },
  { "bye-peer", "12 BYE of the peer", "tfrc", bye_peer, NULL },
  { "loop", "12 our SSRC in a sender report that comes back", "tfrc", loop,
      NULL },
};

/* All statistics but those that count what is refused. */
static gboolean
keep_field (GQuark name, GValue *value, gpointer data)
{
  const gchar *text = g_quark_to_string (name);

  return !g_str_has_prefix (text, "reports-")
      && !g_str_has_prefix (text, "feedback-");
}

static gchar *
state (Send *s)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (s->element, "stats", &stats, NULL);
  gst_structure_filter_and_map_in_place (stats, keep_field, NULL);
  return gst_structure_to_string (stats);
}

static Pair
attacked_new (guint row)
{
  g_autofree gchar *properties = g_strdup_printf (
      "feedback=%s lda=none controller=tfrc burst=1000000000",
      rows[row].feedback);
  const gchar *caps = g_str_equal (rows[row].feedback, "ccfb") ? CAPS
      : g_str_equal (rows[row].feedback, "tfrc") ? CAPS EXT_SEND_TS
                                                 : CAPS EXT_TWCC;
  Pair p = pair_new (properties, "avpf", caps);

  push_frame (&p.send, 0, SENT);
  for (guint i = 0; i < SENT; i++)
    pull_packet (&p.send);
  gst_test_clock_advance_time (p.send.clock, 50 * MS);
  return p;
}

/* The report that an honest peer sends. */
static void
honest_push (Pair *p, guint row)
{
  Rtcp r = { 0 };

  put_rr (&r, SSRC, 0, SENT - 1, 0, 0);
  if (g_str_equal (rows[row].feedback, "tfrc"))
    put_tfrc (&r, 2, SSRC, T_START, 0, 0, 0);
  else if (g_str_equal (rows[row].feedback, "ccfb"))
    put_ccfb (&r, SSRC, 0, SENT);
  else /* a run of ten small deltas */
    put_twcc (&r, 0, SENT, "200a00000000000000000000");
  rtcp_push (p->rtcp, &r);
}

/* All statistics, at first, after the attack if there is one, and after an
 * honest report. */
typedef struct
{
  gchar *before, *after, *later;
  gint64 counted;
} Play;

static Play
play (guint row, gboolean attacked)
{
  g_auto (Pair) p = attacked_new (row);
  Play x = { .before = state (&p.send) };
  Rtcp r = { 0 };

  if (attacked) {
    rows[row].put (&r);
    rtcp_push (p.rtcp, &r);
  }
  x.after = state (&p.send);
  if (rows[row].counter)
    x.counted = stat (&p.send, rows[row].counter);
  honest_push (&p, row);
  x.later = state (&p.send);
  return x;
}

static void
play_clear (Play *x)
{
  g_free (x->before);
  g_free (x->after);
  g_free (x->later);
}

static void
test_row (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *counter = rows[row].counter;
  Play honest = play (row, FALSE), attacked = play (row, TRUE);
  gboolean same = g_str_equal (attacked.before, attacked.after);
  gboolean same_later = g_str_equal (attacked.later, honest.later);

  if (!same)
    g_test_message ("before: %s\nafter: %s", attacked.before, attacked.after);
  if (!same_later)
    g_test_message ("attacked: %s\nnot: %s", attacked.later, honest.later);
  trust_row ("attack", rows[row].row,
      counter ? "dropped and counted; all statistics as before, and after an "
                "honest report as without it"
              : "dropped; all statistics as before, and after an honest report "
                "as without it",
      same && same_later && (!counter || attacked.counted == 1),
      "%s %" G_GINT64_FORMAT "; %s; %s", counter ? counter : "our counters",
      attacked.counted, same ? "as before" : "changed",
      same_later ? "as without" : "changed");
  play_clear (&honest);
  play_clear (&attacked);
}

/* --- replay ------------------------------------------------------------------------ */

static const struct
{
  const gchar *nick;
} modes[] = { { "tfrc" }, { "ccfb" }, { "twcc" } };

/* The same report, 1,000 times. */
static void
test_replay (gconstpointer data)
{
  const gchar *feedback = modes[GPOINTER_TO_UINT (data)].nick;
  guint row = 0;
  g_autofree gchar *name
      = g_strdup_printf ("6 a report 1,000 times, %s", feedback);
  g_autofree gchar *before = NULL, *after = NULL;
  g_auto (Pair) p;

  while (!g_str_equal (rows[row].feedback, feedback))
    row++;
  p = attacked_new (row);
  honest_push (&p, row);
  before = state (&p.send);
  for (guint i = 0; i < 1000; i++)
    honest_push (&p, row);
  after = state (&p.send);
  if (!g_str_equal (before, after))
    g_test_message ("before: %s\nafter: %s", before, after);
  trust_row ("attack", name, "all refused, all statistics as after the first",
      g_str_equal (before, after), "%s",
      g_str_equal (before, after) ? "the same" : "changed");
}

/* --- the receiver's clock ------------------------------------------------------- */

/* 40 reports, 1 / 16 s apart, RTS by `jump` / 65536 s away from the 20th on. */
static gchar *
rts_play (gint64 jump)
{
  g_auto (Pair) p = pair_new (
      "feedback=ccfb lda=spike controller=tfrc burst=1000000000", "avpf", CAPS);

  for (guint i = 0; i < 40; i++) {
    gint64 rts = 0x12345678 + i * 65536 / 16 + (i >= 20 ? jump : 0);
    Rtcp r = { 0 };

    push_frame (&p.send, i, SENT);
    for (guint k = 0; k < SENT; k++)
      pull_packet (&p.send);
    gst_test_clock_advance_time (p.send.clock, GST_SECOND / 16);
    put_ccfb (&r, SSRC, i * SENT, SENT);
    ra_put_u32 (r.data + r.len - 4, (guint32) rts);
    rtcp_push (p.rtcp, &r);
  }
  g_assert_cmpint (stat (&p.send, "reports-ok"), ==, 40);
  return state (&p.send);
}

/* More than any path can delay a packet: the clock was set. */
static void
test_rts_jump (void)
{
  static const gint64 hours[] = { 5, -5, 12 };

  for (guint i = 0; i < G_N_ELEMENTS (hours); i++) {
    g_autofree gchar *name
        = g_strdup_printf ("8 CCFB, RTS jumps by %d h", (gint) hours[i]);
    g_autofree gchar *steady = rts_play (0);
    g_autofree gchar *jumps = rts_play (hours[i] * 3600 * 65536);
    gboolean same = g_str_equal (steady, jumps);

    if (!same)
      g_test_message ("steady: %s\njumps: %s", steady, jumps);
    trust_row ("attack", name, "all statistics as with a steady clock", same,
        "%s", same ? "the same" : "changed");
  }
}

/* --- our SSRC changes --------------------------------------------------------------- */

/* After a collision (RFC 3550 8.2), a thousand times; each is reported on, and
 * somebody goes on reporting on the first. */
static void
test_ssrc_change (void)
{
  g_auto (Pair) p
      = pair_new ("feedback=ccfb lda=none controller=tfrc burst=1000000000 "
                  "start-bitrate=10000000",
          "avpf", CAPS);
  guint i;

  for (i = 0; i < 1000; i++) {
    Rtcp r = { 0 }, old = { 0 };

    for (guint16 k = 0; k < 2; k++)
      g_assert_cmpint (
          gst_harness_push (p.send.h, packet_new (SSRC + i, k, i, PAYLOAD)), ==,
          GST_FLOW_OK);
    for (guint k = 0; k < 2; k++)
      pull_packet (&p.send);
    gst_test_clock_advance_time (p.send.clock, 50 * MS);
    put_ccfb (&r, SSRC + i, 0, 2);
    put_ccfb (&old, SSRC, 0, 2);
    ra_put_u32 (r.data + r.len - 4, 0x10000000 + i * 0xccd);
    rtcp_push (p.rtcp, &r);
    rtcp_push (p.rtcp, &old);
  }
  trust_row ("attack", "12 our SSRC changes 1,000 times",
      "each report on the new one counts, none on the old",
      stat (&p.send, "reports-ok") == i
          && stat (&p.send, "congestion-losses") == 0
          && stat (&p.send, "feedback-bad") == 0,
      "%" G_GINT64_FORMAT " taken, %" G_GINT64_FORMAT
      " foreign or old, %" G_GINT64_FORMAT " losses",
      stat (&p.send, "reports-ok"),
      stat (&p.send, "reports-foreign") + stat (&p.send, "reports-old"),
      stat (&p.send, "congestion-losses"));
}

void
tests_add (void)
{
  rows_add_by ("/attacks-send/refused", rows, name, test_row);
  rows_add_by ("/attacks-send/replay", modes, nick, test_replay);
  g_test_add_func ("/attacks-send/rts-jump", test_rts_jump);
  g_test_add_func ("/attacks-send/ssrc-change", test_ssrc_change);
}
