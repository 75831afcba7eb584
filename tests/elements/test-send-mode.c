/* rtpadaptsend's feedbackmode.c: which feedback is used, without an element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/send/feedbackmode.h"
#include "../rows.h"

#include <string.h>

#define TWCC_URI \
  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define X_TWCC ",extmap-1=" TWCC_URI
#define X_TS ",extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts"
#define FB(name) ",rtcp-fb-" name "=(boolean)true"

#define SESSION MODE_LACKS_SESSION
#define AVPF MODE_LACKS_AVPF
#define EXTMAP MODE_LACKS_EXTMAP
#define PEER MODE_LACKS_PEER

static const RaFeedbackOps *
kind_of (const gchar *name)
{
  return name ? ra_feedback_named ((const guint8 *) name, strlen (name)) : NULL;
}

static SendWants
caps_go (FeedbackMode *m, const gchar *fields)
{
  g_autofree gchar *text = g_strconcat ("application/x-rtp", fields, NULL);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  SendWants wants = mode_on_caps (m, gst_caps_get_structure (caps, 0), 0);

  return wants;
}

/* --- what may come ------------------------------------------------------- */

static const struct
{
  const gchar *wanted;
  const gchar *caps; /* behind application/x-rtp, or NULL: none went out */
  gint session;      /* 0: none; 1: AVP; 2: AVPF */
  gboolean pushed;
  const gchar *kind; /* NULL: receiver reports alone */
  guint lacks;
  const gchar *why;
} rows[] = {
  { "twcc", NULL, 0, FALSE, "twcc", 0, "nothing is known yet" },
  { "tfrc", NULL, 0, FALSE, "tfrc", 0, "a session may still be linked" },
  { "tfrc", NULL, 0, TRUE, NULL, SESSION, "a packet left without a session" },
  { "ccfb", NULL, 0, TRUE, NULL, SESSION, "the same" },
  { "twcc", NULL, 0, TRUE, "twcc", 0, "an event may bring it without one" },
  { "tfrc", NULL, 1, TRUE, NULL, AVPF, "RFC 4585: AVP sends no feedback" },
  { "ccfb", NULL, 1, TRUE, NULL, AVPF, "the same" },
  { "twcc", NULL, 1, TRUE, "twcc", 0, "rtpsession sends it with AVP, too" },
  { "tfrc", "", 2, TRUE, NULL, EXTMAP, "TFRC needs send times" },
  { "tfrc", X_TS, 2, TRUE, "tfrc", 0, "which the caps announce" },
  { "tfrc", X_TWCC, 2, TRUE, "twcc", EXTMAP, "numbers are there instead" },
  { "tfrc", X_TWCC, 0, TRUE, "twcc", SESSION | EXTMAP, "both are missing" },
  { "ccfb", "", 2, TRUE, "ccfb", 0, "RFC 8888 needs no extension" },
  { "twcc", "", 2, TRUE, NULL, EXTMAP, "rtpsession numbers nothing then" },
  { "twcc", "", 0, TRUE, "twcc", 0, "something else may number packets" },
  { "twcc", ",media=audio", 2, TRUE, "twcc", 0, "sound may do without" },
  { "twcc", ",media=video", 2, TRUE, NULL, EXTMAP, "video may not" },
  { "ccfb", FB ("ack-ccfb"), 2, TRUE, "ccfb", 0, "the peer offers it" },
  { "ccfb", FB ("transport-cc"), 2, TRUE, NULL, PEER, "it does not" },
  { "ccfb", X_TWCC FB ("transport-cc"), 2, TRUE, "twcc", PEER,
      "but it offers this, and packets are numbered" },
  { "ccfb", X_TWCC FB ("nack"), 2, TRUE, NULL, PEER, "it offers neither" },
  { "tfrc", X_TS FB ("tfrc"), 2, TRUE, "tfrc", 0, "both sides agree" },
};

static void
test_choose (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const RaFeedbackOps *wanted = kind_of (rows[row].wanted);
  FeedbackMode m;
  ModeNews news;

  g_test_message ("%s", rows[row].why);
  mode_start (&m, wanted);
  if (rows[row].caps)
    caps_go (&m, rows[row].caps);
  mode_on_session (&m, rows[row].session > 0, rows[row].session == 2);
  if (rows[row].pushed)
    g_assert_cmpuint (mode_on_pushed (&m), ==, SEND_JOB);
  news = mode_choose (&m, wanted);
  g_assert_cmpstr (
      ra_feedback_name (m.kind), ==, rows[row].kind ? rows[row].kind : "none");
  g_assert_cmpuint (news.lacks, ==, rows[row].lacks);
  g_assert_true (news.changed == (m.kind != wanted));
  /* Each is warned of once. */
  news = mode_choose (&m, wanted);
  g_assert_cmpuint (news.lacks, ==, 0);
  g_assert_false (news.changed);
}

static void
test_wants (void)
{
  FeedbackMode m;

  mode_start (&m, kind_of ("twcc"));
  g_assert_cmpuint (caps_go (&m, X_TWCC), ==, SEND_JOB);
  g_assert_cmpuint (caps_go (&m, X_TWCC), ==, SEND_WANTS_NOTHING);
  g_assert_cmpuint (caps_go (&m, X_TS), ==, SEND_JOB); /* another stream */
  g_assert_cmpuint (caps_go (&m, X_TWCC), ==, SEND_WANTS_NOTHING);
  g_assert_cmpuint (mode_on_pushed (&m), ==, SEND_JOB);
  g_assert_cmpuint (mode_on_pushed (&m), ==, SEND_WANTS_NOTHING);
  g_assert_cmpuint (mode_on_no_room (&m), ==, SEND_JOB);
  g_assert_cmpuint (mode_on_no_room (&m), ==, SEND_WANTS_NOTHING);
  g_assert_cmpuint (
      mode_choose (&m, kind_of ("twcc")).lacks, ==, MODE_LACKS_ROOM);
  g_assert_cmpuint (mode_choose (&m, kind_of ("twcc")).lacks, ==, 0);
}

static void
test_asks (void)
{
  static const gchar *const kinds[] = { NULL, "twcc", "tfrc", "ccfb" };
  FeedbackMode m;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    mode_start (&m, kind_of (kinds[i]));
    /* twcc, by rtpsession 1.22: frames */
    g_assert_cmpint (mode_always_asks (&m), ==, i >= 2);
  }
}

/* --- what comes ---------------------------------------------------------- */

/* twcc is set, and so much ccfb comes; ms. */
static const struct
{
  guint n, every;
  gint kind_at; /* -1: twcc never came */
  gboolean adopted;
  const gchar *why;
} other_rows[] = {
  { 4, 1000, -1, FALSE, "fewer than 5" },
  { 5, 249, -1, FALSE, "in less than a second" },
  { 5, 250, -1, TRUE, "5 in a second" },
  { 50, 10, -1, FALSE, "a burst of half a second" },
  { 10, 250, 251, FALSE, "twcc came 1,999 ms before the last" },
  { 10, 250, 250, TRUE, "2 s before it" },
};

static void
test_other (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const RaFeedbackOps *twcc = kind_of ("twcc"), *ccfb = kind_of ("ccfb");
  SendWants wants = SEND_WANTS_NOTHING;
  g_autofree gchar *text = NULL;
  FeedbackMode m;

  g_test_message ("%s", other_rows[row].why);
  mode_start (&m, twcc);
  mode_on_session (&m, TRUE, TRUE);
  if (other_rows[row].kind_at >= 0)
    mode_on_kind (&m, (RaTime) other_rows[row].kind_at * RA_MSECOND);
  for (guint i = 0; i < other_rows[row].n; i++)
    wants |= mode_on_other (
        &m, ccfb, (RaTime) i * other_rows[row].every * RA_MSECOND);
  g_assert_cmpuint (wants, ==, other_rows[row].adopted ? SEND_JOB : 0);
  mode_choose (&m, twcc);
  g_assert_true (m.kind == (other_rows[row].adopted ? ccfb : twcc));
  text = mode_difference (&m, twcc);
  g_assert_cmpstr (text, ==,
      other_rows[row].adopted ? "The receiver sends feedback=ccfb" : NULL);
  mode_on_receiver (&m); /* another one, which may send what is set */
  mode_choose (&m, twcc);
  g_assert_true (m.kind == twcc);
}

/* Another kind between two starts the count again. */
static void
test_other_mixed (void)
{
  const RaFeedbackOps *twcc = kind_of ("twcc");
  FeedbackMode m;

  mode_start (&m, twcc);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpuint (mode_on_other (&m, kind_of (i % 4 == 3 ? "tfrc" : "ccfb"),
                          i * 500 * RA_MSECOND),
        ==, SEND_WANTS_NOTHING);
}

/* What is adopted needs the same as what is set. */
static void
test_other_lacks (void)
{
  const RaFeedbackOps *twcc = kind_of ("twcc");
  FeedbackMode m;

  mode_start (&m, twcc);
  mode_on_session (&m, TRUE, TRUE);
  caps_go (&m, X_TWCC);
  for (guint i = 0; i < 10; i++)
    mode_on_other (&m, kind_of ("tfrc"), i * 500 * RA_MSECOND);
  mode_choose (&m, twcc);
  g_assert_true (m.kind == twcc);
  caps_go (&m, X_TS);
  mode_choose (&m, twcc);
  g_assert_true (m.kind == kind_of ("tfrc"));
  /* No other caps for 10 s: what had the first ones is gone. */
  g_assert_cmpuint (mode_on_reports (&m, 10 * RA_SECOND - 1), ==, 0);
  g_assert_cmpuint (mode_on_reports (&m, 10 * RA_SECOND), ==, SEND_JOB);
  g_assert_cmpuint (mode_choose (&m, twcc).lacks, ==, EXTMAP);
}

static void
test_alone (void)
{
  const gchar *text = "The receiver sends reports, but no feedback";
  g_autofree gchar *before = NULL, *after = NULL;
  FeedbackMode m;

  mode_start (&m, kind_of ("twcc"));
  g_assert_cmpuint (mode_on_reports (&m, 7 * RA_SECOND), ==, 0);
  g_assert_cmpuint (mode_on_reports (&m, 11 * RA_SECOND - 1), ==, 0);
  before = mode_difference (&m, kind_of ("twcc"));
  g_assert_null (before);
  g_assert_cmpuint (mode_on_reports (&m, 11 * RA_SECOND), ==, SEND_JOB);
  g_assert_cmpuint (mode_on_reports (&m, 12 * RA_SECOND), ==, 0);
  after = mode_difference (&m, kind_of ("twcc"));
  g_assert_cmpstr (after, ==, text);

  mode_start (&m, kind_of ("twcc"));
  mode_on_kind (&m, 0);
  mode_on_reports (&m, 0);
  g_assert_cmpuint (mode_on_reports (&m, 60 * RA_SECOND), ==, 0);
  g_assert_cmpuint (mode_on_reports (&m, 61 * RA_SECOND), ==, 0);

  mode_start (&m, kind_of ("twcc")); /* both ends stood still meanwhile */
  mode_on_reports (&m, 0);
  g_assert_cmpuint (mode_on_reports (&m, 8 * RA_SECOND), ==, 0);
}

static void
test_wish (void)
{
  const RaFeedbackOps *tfrc = kind_of ("tfrc");
  g_autofree gchar *same = NULL, *other = NULL;
  FeedbackMode m;

  mode_start (&m, tfrc);
  g_assert_cmpuint (mode_on_wish (&m, tfrc), ==, SEND_JOB);
  g_assert_cmpuint (mode_on_wish (&m, tfrc), ==, 0);
  same = mode_difference (&m, tfrc);
  g_assert_null (same);
  g_assert_cmpuint (mode_on_wish (&m, kind_of ("twcc")), ==, SEND_JOB);
  other = mode_difference (&m, tfrc);
  g_assert_cmpstr (other, ==, "The receiver is set to feedback=twcc");
}

/* --- texts --------------------------------------------------------------- */

static const struct
{
  ModeLacks lacks;
  const gchar *kind, *text;
} texts[] = {
  { SESSION, "tfrc", "there is no rtpsession downstream" },
  { AVPF, "ccfb", "the RTP session does not use it: set rtp-profile=avpf" },
  { EXTMAP, "twcc", "the caps lack extmap-1=" TWCC_URI },
  { EXTMAP, "tfrc",
      "the caps lack extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts" },
  { PEER, "twcc",
      "the peer does not offer it: the caps lack "
      "rtcp-fb-transport-cc=(boolean)true" },
};

static void
test_texts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree gchar *text
        = mode_lacks_text (texts[i].lacks, kind_of (texts[i].kind));

    g_assert_cmpstr (text, ==, texts[i].text);
  }
}

void
tests_add (void)
{
  rows_add ("/send-mode/choose", rows, test_choose);
  rows_add ("/send-mode/other", other_rows, test_other);
  g_test_add_func ("/send-mode/other/mixed", test_other_mixed);
  g_test_add_func ("/send-mode/other/lacks", test_other_lacks);
  g_test_add_func ("/send-mode/wants", test_wants);
  g_test_add_func ("/send-mode/asks", test_asks);
  g_test_add_func ("/send-mode/alone", test_alone);
  g_test_add_func ("/send-mode/wish", test_wish);
  g_test_add_func ("/send-mode/texts", test_texts);
}
