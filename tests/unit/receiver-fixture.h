/* A receiver under test, fed from a script, with an LDA that says what the test
 * wants.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets of s = 1000 bytes; sent 50 ms before they arrive, on another clock.
 */
#pragma once

#include "../script.h"
#include "../observed.h"

#include <gst/rtpadapt/receiver.h>

#include <string.h>

#define OFFSET (1000 * RA_SECOND) /* of the sender's clock */
#define LAST_SENT(ms) ((RaTime) (OFFSET + ((ms) -50) * RA_MSECOND))

/* An LDA that says what the test wants: of a hole, or, where there is one, by a
 * letter (W, C) for each of its packets.  It adds up what it hears. */
static RaCause verdict;
static const gchar *verdicts = "";
static guint heard_by_mark[RA_N_MARKS];

static inline RaCause
scripted_on_packet (RaLda *lda, const RaArrival *a)
{
  for (guint i = 0; i < RA_N_MARKS; i++)
    heard_by_mark[i] += a->lost_by_mark[i];
  return verdict;
}

static inline RaCause
scripted_on_missing (RaLda *lda, const RaArrival *a, guint64 seq)
{
  guint i = (guint) (seq - (a->seq - a->n_lost));

  if (i >= strlen (verdicts))
    return verdict;
  return verdicts[i] == 'W' ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
}

static const RaLdaOps scripted = {
  .name = "scripted",
  .cite = "-",
  .size = sizeof (RaLda),
  .on_packet = scripted_on_packet,
  .on_missing = scripted_on_missing,
};

static inline RaReceiver *
receiver_new (const RaLdaOps *ops)
{
  GError *error = NULL;
  RaLda *lda = ra_lda_new (ops, NULL, &error);

  g_assert_no_error (error);
  return ra_receiver_new (lda, 1000);
}

typedef struct
{
  RaReceiver *r;
  RaSpan rtt;
  GString *out;
  RaReport report; /* the last one */
  RaSpan t_delay;
  guint n_reports;
} Player;

static inline gboolean
player_report (Player *p, RaTime now)
{
  if (!ra_receiver_report (p->r, now, &p->report, &p->t_delay))
    return FALSE;
  p->n_reports++;
  return TRUE;
}

/* The feedback timer up to `now`: T a report, t nothing to say. */
static inline void
player_timers (Player *p, RaTime now)
{
  RaTime due;

  while ((due = ra_receiver_next_timeout (p->r)) <= now)
    g_string_append_c (p->out, player_report (p, due) ? 'T' : 't');
}

/* A packet: '!' if a report is due at once, which is then made, else '.'. */
static inline void
player_packet (
    Player *p, guint64 seq, RaTime arrival, guint size, const gchar *flags)
{
  RaPacket packet = {
    .seq = seq,
    .size = size,
    .sent = arrival + OFFSET - 50 * RA_MSECOND,
    .arrival = arrival,
    .rtt = strchr (flags, 'n') ? 0 : p->rtt,
    .ce = strchr (flags, 'c') != NULL,
  };
  gboolean due;

  player_timers (p, arrival);
  verdict = strchr (flags, 'w') ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
  verdicts = flags + strcspn (flags, "WC");
  due = ra_receiver_on_packet (p->r, &packet);
  verdicts = "";
  if (due) {
    g_string_append_c (p->out, '!');
    player_report (p, arrival);
  } else {
    g_string_append_c (p->out, '.');
  }
}

/* Plays words: "SEQ@MS" a packet, followed by flags (n: without R, c: marked
 * CE, w: the LDA says wireless of the hole before it, s: 40 bytes) and in the
 * end by what it says of each packet of the hole ("WCC"); "A-B@MS" packets 10
 * ms apart; "@MS" time passes; "sSEQ" all before SEQ is skipped, "sA-SEQ" from A
 * on; "rMS" a report. */
static inline void
play (Player *p, const gchar *script)
{
  for (ScriptWord w; script_next (&script, &w);) {
    RaTime at = w.at;

    if (w.letter == 's')
      ra_receiver_skip (
          p->r, w.last > w.number ? w.number : 0, MAX (w.number, w.last));
    else if (w.letter == 'r')
      player_report (p, w.number * RA_MSECOND);
    else if (!w.has_number)
      player_timers (p, at);
    else
      for (guint64 seq = w.number; seq <= w.last; seq++, at += 10 * RA_MSECOND)
        player_packet (p, seq, at, script_has (&w, 's') ? 40 : 1000, w.flags);
  }
}

static inline void
player_init (Player *p, const RaLdaOps *ops, RaSpan rtt)
{
  *p = (Player){
    .r = receiver_new (ops), .rtt = rtt, .out = g_string_new (NULL)
  };
}

static inline void
player_clear (Player *p)
{
  ra_receiver_free (p->r);
  g_string_free (p->out, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Player, player_clear)

static inline gdouble
p_now (const RaReceiver *r)
{
  return observed (ra_receiver_observe, r, "receiver.p");
}
