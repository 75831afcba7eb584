/* The ledger of what was sent: found by index, by RTP number, by time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/ledger.h>

#include <string.h>

/* A sender has one, and a machine many senders. */
static void
test_size (void)
{
  g_assert_cmpuint (sizeof (RaLedgerEntry), <=, 104);
  g_assert_cmpuint (sizeof (RaLedger), <, 2000000);
}

/* "A12" is number 12 of SSRC 0, B is SSRC 1, and so on. */
static RaLedgerEntry
packet_of (const gchar *token, guint64 index)
{
  return (RaLedgerEntry){ .index = index,
    .sent = index * RA_MSECOND,
    .ssrc = (guint32) (token[0] - 'A'),
    .seq = (guint16) g_ascii_strtoull (token + 1, NULL, 10),
    .size = 100 };
}

/* With one packet for each token, the first has index `begin`. */
static RaLedger *
ledger_of (const gchar *tokens, guint64 begin)
{
  g_auto (GStrv) sent = g_strsplit (tokens, " ", -1);
  RaLedger *l = ra_ledger_new ();

  for (guint i = 0; sent[i]; i++) {
    RaLedgerEntry p = packet_of (sent[i], begin + i);

    g_assert_true (ra_ledger_add (l, &p) == ra_ledger_at (l, begin + i));
  }
  return l;
}

/* --- by number ----------------------------------------------------------- */

/* Packets in order, the first has index `begin`.  "A7=3": number 7 of A is the
 * packet with index 3, "A7=": nobody knows it.
 *
 * Two packets meet in one place where SSRC * 2654435761 + number is the same modulo
 * 16384, and 2654435761 = 162013 * 16384 + 14769: A16384 meets A0, B0 meets A14769. */
static const struct
{
  const gchar *name;
  guint64 begin;
  const gchar *sent, *asked, *why;
} find_rows[] = {
  { "none", 0, "", "A0=", "nothing was sent" },
  { "first", 0, "A7", "A7=0 A0= B7=", "index 0 is one as any other" },
  { "begin", 1000, "A7 A8", "A7=1000 A8=1001", "indexes begin anywhere" },
  { "wrap", 0, "A65534 A65535 A0 A1",
      "A65534=0 A65535=1 A0=2 A1=3 A2=", "numbers have 16 bits" },
  { "far", 5000000000, "A3 A4", "A3=5000000000 A4=5000000001",
      "indexes have 64 bits" },
  { "copy", 0, "A7 A8 A7", "A7=2 A8=1", "the latest of that number" },
  { "ssrcs", 0, "A7 B7 C7 B8",
      "A7=0 B7=1 C7=2 B8=3 A8= D7=", "each SSRC has numbers of its own" },
  { "ssrc-changes", 0, "A7 A8 B0 B1", "A7=0 A8=1 B0=2 B1=3 A0= B7=",
      "what left before is still reported about" },
  { "collide", 0, "A0 A16384",
      "A0=0 A16384=1 A32768=", "the older one is behind the other" },
  { "collide-ssrcs", 0, "A14769 B0 A31153",
      "A14769=0 B0=1 A31153=2 A47537=", "three in one place" },
  { "collide-copy", 0, "A0 A16384 A0", "A0=2 A16384=1",
      "the copy is found before the first" },
};

static void
test_find (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) asked = g_strsplit (find_rows[row].asked, " ", -1);
  g_autoptr (RaLedger) l
      = ledger_of (find_rows[row].sent, find_rows[row].begin);

  g_test_message ("%s", find_rows[row].why);
  for (guint i = 0; asked[i]; i++) {
    RaLedgerEntry p = packet_of (asked[i], 0);
    const RaLedgerEntry *e = ra_ledger_find (l, p.ssrc, p.seq);
    const gchar *expected = strchr (asked[i], '=') + 1;
    g_autofree gchar *got
        = g_strdup_printf ("%" G_GUINT64_FORMAT, e ? e->index : 0);

    g_assert_cmpstr (e ? got : "", ==, expected);
  }
}

/* SSRCs 16384 apart meet in one place with the same number, too. */
static void
test_same_number (void)
{
  g_autoptr (RaLedger) l = ra_ledger_new ();

  for (guint32 i = 0; i < 2; i++)
    ra_ledger_add (
        l, &(RaLedgerEntry){ .index = i, .ssrc = 7 + 16384 * i, .seq = 5 });
  for (guint32 i = 0; i < 2; i++)
    g_assert_cmpuint (ra_ledger_find (l, 7 + 16384 * i, 5)->index, ==, i);
  g_assert_null (ra_ledger_find (l, 7 + 2 * 16384, 5));
}

/* --- by time ------------------------------------------------------------- */

/* Send times in ns, in order.  "=T:I": the first in the microsecond of T has index
 * I; ">T:I": the first in a later one; "#T:N": N packets until its end; "-": there
 * is none. */
static const struct
{
  const gchar *name, *sent, *asked, *why;
} time_rows[] = {
  { "none", "", "=0:- >0:- #0:0 #9000:0", "nothing was sent" },
  { "microseconds", "1000 2000 4000",
      "=1000:0 =1999:0 =2000:1 =3000:- =4999:2 >1000:1 >2000:2 >3000:2 >4000:- "
      "=0:- >0:0 #0:0 #1000:1 #3999:2 #4000:3 #9000:3",
      "the wire carries no more of a time" },
  { "shared", "1000 2000 2400 2999 3000",
      "=2000:1 =2999:1 >1000:1 >2000:4 >2999:4 #2000:4",
      "what left in one microsecond is found by its first packet" },
  { "same", "1000 1000 1000", "=1000:0 >999:0 >1000:- #1000:3 #999:0",
      "virtual time" },
  { "back", "5000 6000 2000 3000",
      "=5000:- =6000:- =2000:2 =3000:3 >2000:3 >3000:- #1000:2 #2000:3",
      "the times before the clock went back are forgotten" },
  { "back-within", "5900 5100 6000", "=5000:1 >5000:2 #5000:2",
      "by less than a microsecond, too" },
  { "back-twice", "5000 3000 4000 1000", "=3000:- =4000:- =1000:3 #9000:4",
      "only those of the latest time are in order" },
  { "longest", "18446744073709550000", "=18446744073709550000:0 #0:0",
      "there is no time beyond 584 years" },
};

static void
test_time (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) sent = g_strsplit (time_rows[row].sent, " ", -1);
  g_auto (GStrv) asked = g_strsplit (time_rows[row].asked, " ", -1);
  g_autoptr (RaLedger) l = ra_ledger_new ();

  g_test_message ("%s", time_rows[row].why);
  for (guint i = 0; sent[i]; i++)
    ra_ledger_add (l,
        &(RaLedgerEntry){
            .index = i, .sent = g_ascii_strtoull (sent[i], NULL, 10) });
  for (guint i = 0; asked[i]; i++) {
    gchar *end;
    RaTime t = g_ascii_strtoull (asked[i] + 1, &end, 10);
    const RaLedgerEntry *e = asked[i][0] == '=' ? ra_ledger_at_time (l, t)
                                                : ra_ledger_after_time (l, t);
    guint64 n = asked[i][0] == '#' ? ra_ledger_packets (l, t)
        : e                        ? e->index
                                   : 0;
    g_autofree gchar *got = g_strdup_printf ("%" G_GUINT64_FORMAT, n);

    g_test_message ("%s", asked[i]);
    g_assert_cmpstr (asked[i][0] == '#' || e ? got : "-", ==, end + 1);
  }
}

/* Sums, which reports are held to. */
static void
test_sums (void)
{
  static const guint sizes[] = { 1200, 40, 900 };
  g_autoptr (RaLedger) l = ra_ledger_new ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) /* the clock goes back */
    ra_ledger_add (l,
        &(RaLedgerEntry){
            .index = i, .sent = (9 - i) * RA_SECOND, .size = sizes[i] });
  g_assert_cmpuint (ra_ledger_at (l, 0)->packets, ==, 0);
  g_assert_cmpuint (ra_ledger_at (l, 0)->bytes, ==, 0);
  g_assert_cmpuint (ra_ledger_at (l, 2)->packets, ==, 2);
  g_assert_cmpuint (ra_ledger_at (l, 2)->bytes, ==, 1240);
  g_assert_cmpuint (l->packets, ==, 3);
  g_assert_cmpuint (l->bytes, ==, 2140);
  g_assert_cmpuint (l->largest, ==, 1200);
  g_assert_cmpuint (l->first, ==, 7 * RA_SECOND);
  g_assert_cmpuint (l->ordered, ==, 2);
  g_assert_cmpuint (ra_ledger_last (l)->size, ==, 900);
}

/* --- numbers that were never sent ------------------------------------------- */

static gchar
kind_letter (RaLedger *l, const RaLedgerEntry *p)
{
  return "TYSU"[ra_ledger_number_kind (l, p->ssrc, p->seq)];
}

/* Packets in order.  "A7S": number 7 of A was skipped; T: it was sent, Y: it is yet
 * to come, U: unknown. */
static const struct
{
  const gchar *name, *sent, *asked;
  guint skipped;
  const gchar *why;
} number_rows[] = {
  { "none", "", "A7U", 0, "nothing was sent" },
  { "in-order", "A7 A8", "A6U A7T A8T A9Y B8U", 0, "none is missing" },
  { "gap", "A7 A10", "A7T A8S A9S A10T A11Y", 2, "two were left out" },
  { "gap-wrap", "A65534 A1", "A65535S A0S A65534T A2Y", 2, "over the wrap" },
  { "late", "A7 A12 A9", "A8U A9T A10S A11S", 3,
      "one left late, and those before it may" },
  { "late-all", "A7 A12 A9 A8 A11 A10", "A8T A9T A10T A11T", 0,
      "all left late, in whatever order" },
  { "late-copy", "A7 A12 A9 A9 A11 A9", "A8U A10U", 2,
      "a copy of one that left late fills no gap" },
  { "copy", "A7 A9 A9", "A8S", 1, "a copy fills no gap" },
  { "ssrcs", "A7 B20 A9 B21", "A8S B8U A20Y B19U", 1,
      "each SSRC has gaps of its own" },
  { "ssrc-changes", "A7 A9 B3 B5", "A8S B4S A10Y B6Y", 2,
      "what was left out before is still known" },
  { "widest", "A0 A3000", "A1S A2999S A3001Y", 2999, "RFC 3550 A.1" },
  { "dropout", "A0 A3000 A6001", "A1U A2999U A3001U A6002Y", 2999,
      "RFC 3550 A.1: 3,001 ahead it is a jump, which forgets the gaps" },
  { "jump", "A0 A2 A40000", "A1Y A2T A40001Y A39999U", 1,
      "after a jump 1 is nearer ahead than behind" },
};

static void
test_number (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) asked = g_strsplit (number_rows[row].asked, " ", -1);
  g_autoptr (RaLedger) l = ledger_of (number_rows[row].sent, 0);

  g_test_message ("%s", number_rows[row].why);
  for (guint i = 0; asked[i]; i++) {
    RaLedgerEntry p = packet_of (asked[i], 0);

    g_test_message ("%s", asked[i]);
    g_assert_cmpint (kind_letter (l, &p), ==, asked[i][strlen (asked[i]) - 1]);
  }
  g_assert_cmpuint (l->skipped, ==, number_rows[row].skipped);
}

/* Of 65 gaps the last 64 are known; of 33 SSRCs the one that was silent longest is
 * forgotten, though its packets are not. */
static void
test_streams (void)
{
  g_autoptr (RaLedger) l = ra_ledger_new ();
  RaLedgerEntry p = { .ssrc = 7 };

  for (guint i = 0; i <= RA_LEDGER_GAPS + 1; i++) {
    p.index = i;
    p.seq = (guint16) (2 * i);
    ra_ledger_add (l, &p);
  }
  p.seq = 1;
  g_assert_cmpint (kind_letter (l, &p), ==, 'U');
  for (p.seq = 3; p.seq < 2 * RA_LEDGER_GAPS + 2; p.seq += 2)
    g_assert_cmpint (kind_letter (l, &p), ==, 'S');
  g_assert_true (ra_ledger_has_ssrc (l, 7));
  for (guint i = 0; i < RA_LEDGER_SSRCS; i++)
    ra_ledger_add (
        l, &(RaLedgerEntry){ .index = l->next, .ssrc = 100 + i, .seq = 5 });
  g_assert_false (ra_ledger_has_ssrc (l, 7));
  g_assert_null (ra_ledger_stream (l, 7));
  p.seq = 3;
  g_assert_cmpint (kind_letter (l, &p), ==, 'U');
  p.seq = 4;
  g_assert_cmpint (kind_letter (l, &p), ==, 'T');
  for (guint i = 0; i < RA_LEDGER_SSRCS; i++)
    g_assert_true (ra_ledger_has_ssrc (l, 100 + i));
  /* A stream is ours as long as a packet of it is known. */
  for (guint i = 0; i < RA_LEDGER_SIZE; i++)
    ra_ledger_add (l,
        &(RaLedgerEntry){ .index = l->next, .ssrc = 100, .seq = (guint16) i });
  g_assert_true (ra_ledger_has_ssrc (l, 100));
  g_assert_false (ra_ledger_has_ssrc (l, 101));
}

/* What arrived is not lost later; what was lost may arrive. */
static void
test_hear (void)
{
  RaLedgerEntry e = { .index = 0 };

  g_assert_cmpint (e.fate, ==, RA_FATE_NOTHING);
  ra_ledger_hear (&e, FALSE);
  g_assert_cmpint (e.fate, ==, RA_FATE_LOST);
  ra_ledger_hear (&e, TRUE);
  g_assert_cmpint (e.fate, ==, RA_FATE_ARRIVED);
  ra_ledger_hear (&e, FALSE);
  g_assert_cmpint (e.fate, ==, RA_FATE_ARRIVED);
}

/* --- while another waited -------------------------------------------------- */

/* Packet i leaves at 10 i ms; W: another waited.  Was there one in (from, to]? */
static const struct
{
  const gchar *sent;
  guint from, to; /* ms */
  gboolean expected;
  const gchar *why;
} waited_rows[] = {
  { "", 0, 100, FALSE, "nothing was sent" },
  { "..W.", 10, 20, TRUE, "at the end, which counts" },
  { "..W.", 20, 30, FALSE, "at the beginning, which does not" },
  { "..W.", 0, 10, FALSE, "later" },
  { "W...", 0, 30, FALSE, "earlier" },
  { "W.W.", 0, 10, FALSE, "earlier and later" },
  { ".W..", 0, 100, TRUE, "in between" },
};

static void
test_waited (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (RaLedger) l = ra_ledger_new ();

  g_test_message ("%s", waited_rows[row].why);
  for (guint i = 0; waited_rows[row].sent[i]; i++)
    ra_ledger_add (l,
        &(RaLedgerEntry){ .index = i,
            .sent = 10 * i * RA_MSECOND,
            .waiting = waited_rows[row].sent[i] == 'W' });
  g_assert_cmpint (ra_ledger_waited (l, waited_rows[row].from * RA_MSECOND,
                       waited_rows[row].to * RA_MSECOND),
      ==, waited_rows[row].expected);
}

/* --- bounds ---------------------------------------------------------------- */

/* Of three rings' worth and 7 packets the last RA_LEDGER_SIZE are known by index,
 * number and time, and no other. */
static void
test_overrun (void)
{
  const guint n = 3 * RA_LEDGER_SIZE + 7;
  g_autoptr (RaLedger) l = ra_ledger_new ();

  for (guint i = 0; i < n; i++)
    ra_ledger_add (l,
        &(RaLedgerEntry){ .index = i,
            .sent = RA_MSECOND + i * RA_USECOND,
            .ssrc = i % 2,
            .seq = (guint16) (i / 2) });
  for (guint i = 0; i <= n; i++) {
    gboolean known = i >= n - RA_LEDGER_SIZE && i < n;
    RaTime t = RA_MSECOND + i * RA_USECOND;
    const RaLedgerEntry *e = ra_ledger_at (l, i), *then;

    g_assert_cmpint (e != NULL, ==, known);
    g_assert_true (ra_ledger_at_time (l, t) == e);
    if (!known) { /* 25,000 numbers of each SSRC: none came twice */
      g_assert_null (ra_ledger_find (l, i % 2, (guint16) (i / 2)));
      continue;
    }
    g_assert_cmpuint (e->index, ==, i);
    g_assert_cmpuint (e->packets, ==, i);
    g_assert_true (ra_ledger_find (l, i % 2, (guint16) (i / 2)) == e);
    then = ra_ledger_after_time (l, t);
    g_assert_cmpuint (then ? then->index : n, ==, i + 1);
    g_assert_cmpuint (ra_ledger_packets (l, t), ==, i + 1);
  }
  g_assert_cmpuint (ra_ledger_packets (l, 0), ==, n - RA_LEDGER_SIZE);
  g_assert_true (
      ra_ledger_after_time (l, 0) == ra_ledger_at (l, n - RA_LEDGER_SIZE));
}

/* The same number again after 65,536 packets: the first left the ring. */
static void
test_round (void)
{
  g_autoptr (RaLedger) l = ra_ledger_new ();

  for (guint i = 0; i < 66000; i++)
    ra_ledger_add (l, &(RaLedgerEntry){ .index = i, .seq = (guint16) i });
  g_assert_cmpuint (ra_ledger_find (l, 0, 400)->index, ==, 65936);
  g_assert_null (ra_ledger_find (l, 0, 10000));
}

/* Whatever the caller numbers, each question has an end and an answer. */
static void
test_odd_indexes (void)
{
  static const guint64 indexes[]
      = { 5, 5, 5, 6, G_GUINT64_CONSTANT (1) << 40, 7, 2, 3 };
  g_autoptr (RaLedger) l = ra_ledger_new ();

  for (guint i = 0; i < G_N_ELEMENTS (indexes); i++) {
    ra_ledger_add (l,
        &(RaLedgerEntry){ .index = indexes[i],
            .sent = (i + 1) * RA_SECOND,
            .seq = (guint16) (i % 2 * RA_LEDGER_SIZE) });
    g_assert_cmpuint (ra_ledger_at (l, indexes[i])->index, ==, indexes[i]);
    g_assert_cmpuint (ra_ledger_last (l)->index, ==, indexes[i]);
    g_assert_null (ra_ledger_find (l, 0, 2 * RA_LEDGER_SIZE));
    g_assert_null (ra_ledger_at (l, indexes[i] + 1));
    g_assert_nonnull (ra_ledger_at_time (l, (i + 1) * RA_SECOND));
  }
  /* 2, 3: since the indexes went back there were two */
  g_assert_cmpuint (ra_ledger_packets (l, 7 * RA_SECOND), ==, 7);
  g_assert_null (ra_ledger_at_time (l, 6 * RA_SECOND));
  g_assert_null (ra_ledger_at (l, 0));
  g_assert_null (ra_ledger_at (l, 1));
}

/* A report about all packets is looked up in short steps. */
static void
test_steps (void)
{
  g_autoptr (RaLedger) l = ra_ledger_new ();
  guint longest = 0;

  for (guint i = 0; i < 3 * RA_LEDGER_SIZE; i++)
    ra_ledger_add (l,
        &(RaLedgerEntry){ .index = i,
            .ssrc = i % 3 * 0x9e3779b9u,
            .seq = (guint16) (i / 3) });
  for (guint64 i = l->next - RA_LEDGER_SIZE; i < l->next; i++) {
    const RaLedgerEntry *e = ra_ledger_at (l, i);
    guint steps = 0;

    while (e->next > 0 && (e = ra_ledger_at (l, e->next - 1)))
      steps++;
    longest = MAX (longest, steps);
  }
  g_assert_cmpuint (longest, <, 8);
}

void
tests_add (void)
{
  g_test_add_func ("/ledger/find/same-number", test_same_number);
  g_test_add_func ("/ledger/size", test_size);
  rows_add_by ("/ledger/find", find_rows, name, test_find);
  rows_add_by ("/ledger/time", time_rows, name, test_time);
  g_test_add_func ("/ledger/sums", test_sums);
  rows_add ("/ledger/waited", waited_rows, test_waited);
  rows_add_by ("/ledger/number", number_rows, name, test_number);
  g_test_add_func ("/ledger/streams", test_streams);
  g_test_add_func ("/ledger/hear", test_hear);
  g_test_add_func ("/ledger/overrun", test_overrun);
  g_test_add_func ("/ledger/round", test_round);
  g_test_add_func ("/ledger/odd-indexes", test_odd_indexes);
  g_test_add_func ("/ledger/steps", test_steps);
}
