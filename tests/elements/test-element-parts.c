/* What rtpadaptsend and rtpadaptrecv are both made of: ourclock.c, herald.c,
 * sessiontap.c, fields.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../../plugins/rtpadapt/parts/fields.h"
#include "../../plugins/rtpadapt/parts/herald.h"
#include "../../plugins/rtpadapt/parts/ourclock.h"
#include "../../plugins/rtpadapt/parts/sessiontap.h"

#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>

/* --- ourclock.c ---------------------------------------------------------- */

static GstClock *
clock_at (RaTime t)
{
  return gst_test_clock_new_with_start_time (t);
}

static void
test_clock (void)
{
  GstClock *first = clock_at (5 * RA_SECOND), *second = clock_at (RA_SECOND);
  OurClock c = { NULL };

  g_assert_false (our_clock_set (&c, first)); /* stopped */
  our_clock_start (&c, gst_object_ref (first));
  g_assert_cmpuint (our_now (&c), ==, 5 * RA_SECOND);
  g_assert_false (our_clock_set (&c, NULL));
  g_assert_false (our_clock_set (&c, first));

  /* Ours goes on, whatever the other clock shows. */
  g_assert_true (our_clock_set (&c, second));
  g_assert_cmpuint (our_now (&c), ==, 5 * RA_SECOND);
  gst_test_clock_advance_time (GST_TEST_CLOCK (second), 3 * RA_SECOND);
  g_assert_cmpuint (our_now (&c), ==, 8 * RA_SECOND);
  g_assert_cmpuint (our_clock_time (&c, 8 * RA_SECOND), ==, 4 * RA_SECOND);
  g_assert_cmpuint (our_time (&c, 4 * RA_SECOND), ==, 8 * RA_SECOND);
  g_assert_true (our_clock_set (&c, first));
  g_assert_cmpuint (our_now (&c), ==, 8 * RA_SECOND);
  our_clock_stop (&c);
  g_assert_null (c.clock);

  /* Without a clock the system's serves. */
  our_clock_start (&c, NULL);
  g_assert_true (c.clock == c.system);
  our_clock_stop (&c);
  gst_object_unref (first);
  gst_object_unref (second);
}

/* --- herald.c ------------------------------------------------------------ */

static GstMessage *
message_new (guint i)
{
  return gst_message_new_element (
      NULL, gst_structure_new ("x", "i", G_TYPE_UINT, i, NULL));
}

/* The number of the next message; -1: none. */
static gint
message_take (Herald *h)
{
  GstMessage *message = herald_next (h);
  guint i = 0;

  if (!message)
    return -1;
  gst_structure_get_uint (gst_message_get_structure (message), "i", &i);
  gst_message_unref (message);
  return (gint) i;
}

static void
test_messages (void)
{
  Herald h;

  herald_init (&h);
  for (guint i = 0; i < HERALD_MESSAGES_MAX; i++) {
    g_assert_false (herald_is_full (&h));
    g_assert_true (herald_post (&h, message_new (i)));
  }
  g_assert_true (herald_is_full (&h));
  g_assert_false (herald_post (&h, message_new (7777)));
  herald_leave_out (&h, 5);
  g_assert_cmpuint (h.unposted, ==, 1 + 5);
  herald_post_always (&h, message_new (HERALD_MESSAGES_MAX));
  for (gint i = 0; i <= HERALD_MESSAGES_MAX; i++)
    g_assert_cmpint (message_take (&h), ==, i);
  g_assert_cmpint (message_take (&h), ==, -1);
  herald_post (&h, message_new (1));
  herald_clear (&h);
  g_assert_cmpint (message_take (&h), ==, -1);
}

/* One job at a time, and none of what comes meanwhile is forgotten. */
static void
test_job (void)
{
  Herald h;

  herald_init (&h);
  g_assert_true (herald_wake (&h));
  g_assert_false (herald_wake (&h)); /* it has not begun */
  herald_round (&h);
  g_assert_false (herald_wake (&h)); /* it runs */
  g_assert_true (herald_goes_on (&h));
  herald_round (&h);
  herald_start (&h); /* the element stops and starts meanwhile */
  g_assert_false (herald_goes_on (&h));
  g_assert_true (herald_wake (&h));
}

static void
test_once (void)
{
  Herald h;

  herald_init (&h);
  g_assert_true (herald_warn_once (&h, 1));
  g_assert_true (herald_warn_once (&h, 4));
  g_assert_false (herald_warn_once (&h, 1));
  g_assert_false (herald_is_news (&h, 0, 0));
  g_assert_true (herald_is_news (&h, 0, 5));
  g_assert_false (herald_is_news (&h, 0, 5));
  g_assert_true (herald_is_news (&h, 1, 5));
  herald_start (&h);
  g_assert_true (herald_warn_once (&h, 1));
  g_assert_true (herald_is_news (&h, 0, 5));
}

static void
test_stats (void)
{
  Herald h;

  herald_init (&h);
  g_assert_false (herald_stats_due (&h, 100 * RA_SECOND, RA_SECOND));
  herald_stats_restart (&h, 10, 5);
  g_assert_cmpuint (h.next_stats, ==, 15);
  g_assert_false (herald_stats_due (&h, 14, 5));
  g_assert_true (herald_stats_due (&h, 17, 5));
  g_assert_cmpuint (h.next_stats, ==, 22); /* late ones are not made up for */
  herald_stats_restart (&h, 30, 0);
  g_assert_cmpuint (h.next_stats, ==, RA_TIME_NONE);
  herald_stats_restart (&h, RA_TIME_NONE, 5);
  g_assert_cmpuint (h.next_stats, ==, RA_TIME_NONE);
}

/* --- sessiontap.c -------------------------------------------------------- */

typedef struct
{
  GstElement *bin, *ours, *session;
  GstPad *srcpad;
  SessionTap tap;
} Line;

static void
on_rtcp (GObject *session, GstBuffer *buffer, gpointer data)
{
}

static const TapHandler handlers[] = {
  { "on-receiving-rtcp", G_CALLBACK (on_rtcp) },
};

static GstElement *
session_link (Line *l, GstRTPProfile profile)
{
  GstElement *session = gst_element_factory_make ("rtpsession", NULL);

  g_assert_nonnull (session);
  g_object_set (session, "rtp-profile", profile, NULL);
  gst_bin_add (GST_BIN (l->bin), session);
  g_assert_true (
      gst_element_link_pads (l->ours, "src", session, "send_rtp_sink"));
  return session;
}

static void
session_unlink (Line *l, GstElement *session)
{
  gst_element_unlink (l->ours, session);
}

static void
line_init (Line *l)
{
  l->bin = gst_object_ref_sink (gst_bin_new (NULL));
  l->ours = gst_element_factory_make ("identity", NULL);
  gst_bin_add (GST_BIN (l->bin), l->ours);
  l->srcpad = gst_element_get_static_pad (l->ours, "src");
  l->tap = (SessionTap){ .stale = TRUE };
  tap_init (&l->tap);
}

static void
line_clear (Line *l)
{
  TapLink link = tap_drop (&l->tap);

  tap_link_cut (&link);
  tap_clear (&l->tap);
  gst_object_unref (l->srcpad);
  gst_object_unref (l->bin);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Line, line_clear)

static TapResult
search (Line *l, gboolean *avpf)
{
  TapSearch s = tap_plan (&l->tap);
  TapResult result;

  g_assert_false (l->tap.stale);
  tap_find (&s, l->srcpad, handlers, G_N_ELEMENTS (handlers), l->ours);
  result = tap_take (&l->tap, &s);
  if (avpf)
    *avpf = s.avpf;
  tap_end (&s);
  return result;
}

/* Handlers of ours in the session of `element`. */
static guint
handlers_of (GstElement *element)
{
  g_autoptr (GObject) session = NULL;
  gulong id;
  guint n = 0;

  g_object_get (element, "internal-session", &session, NULL);
  while ((id = g_signal_handler_find (session,
              G_SIGNAL_MATCH_FUNC | G_SIGNAL_MATCH_UNBLOCKED, 0, 0, NULL,
              (gpointer) on_rtcp, NULL))) {
    g_signal_handler_block (session, id);
    n++;
  }
  g_signal_handlers_unblock_matched (
      session, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, (gpointer) on_rtcp, NULL);
  return n;
}

static void
test_find (void)
{
  GstElement *session, *element;
  gboolean avpf;
  g_auto (Line) l;

  line_init (&l);
  g_assert_cmpint (search (&l, NULL), ==, TAP_NONE);
  g_assert_true (l.tap.stale);
  g_assert_false (tap_is_on (&l.tap));
  session = session_link (&l, GST_RTP_PROFILE_AVPF);
  g_assert_cmpint (search (&l, &avpf), ==, TAP_OTHER);
  g_assert_true (avpf);
  g_assert_false (l.tap.stale);
  g_assert_true (tap_is_on (&l.tap));
  g_assert_cmpuint (handlers_of (session), ==, 1);
  element = tap_element (&l.tap);
  g_assert_true (element == session);
  gst_object_unref (element);

  g_object_set (session, "rtp-profile", GST_RTP_PROFILE_AVP, NULL);
  g_assert_cmpint (search (&l, &avpf), ==, TAP_SAME);
  g_assert_false (avpf);
  g_assert_cmpuint (handlers_of (session), ==, 1);
}

static void
test_other (void)
{
  GstElement *first, *second;
  g_auto (Line) l;

  line_init (&l);
  first = session_link (&l, GST_RTP_PROFILE_AVP);
  search (&l, NULL);
  session_unlink (&l, first);
  g_assert_cmpint (search (&l, NULL), ==, TAP_NONE);
  g_assert_true (l.tap.stale);
  g_assert_true (tap_is_on (&l.tap)); /* it may come back */
  g_assert_cmpuint (handlers_of (first), ==, 1);
  second = session_link (&l, GST_RTP_PROFILE_AVP);
  g_assert_cmpint (search (&l, NULL), ==, TAP_OTHER);
  g_assert_cmpuint (handlers_of (first), ==, 0);
  g_assert_cmpuint (handlers_of (second), ==, 1);
}

/* The element around the session is gone: so are the handlers. */
static void
test_gone (void)
{
  GstElement *session;
  g_auto (Line) l;

  line_init (&l);
  session = session_link (&l, GST_RTP_PROFILE_AVP);
  search (&l, NULL);
  gst_bin_remove (GST_BIN (l.bin), session);
  g_assert_null (tap_element (&l.tap));
  g_assert_cmpint (search (&l, NULL), ==, TAP_NONE);
  g_assert_false (tap_is_on (&l.tap));
}

/* A stop during the search: its handlers do not stay. */
static void
test_late (gconstpointer data)
{
  gboolean known = GPOINTER_TO_INT (data);
  GstElement *session;
  TapSearch s;
  TapLink link;
  g_auto (Line) l;

  line_init (&l);
  session = session_link (&l, GST_RTP_PROFILE_AVP);
  if (known)
    search (&l, NULL);
  s = tap_plan (&l.tap);
  tap_find (&s, l.srcpad, handlers, G_N_ELEMENTS (handlers), l.ours);
  link = tap_drop (&l.tap);
  tap_link_cut (&link);
  g_assert_cmpint (tap_take (&l.tap, &s), ==, TAP_LATE);
  g_assert_false (tap_is_on (&l.tap));
  tap_end (&s);
  g_assert_cmpuint (handlers_of (session), ==, 0);
  g_assert_null (tap_element (&l.tap));
  g_assert_cmpint (search (&l, NULL), ==, TAP_OTHER);
  g_assert_cmpuint (handlers_of (session), ==, 1);
}

static guint64
interval_of (GstElement *element, guint64 set)
{
  guint64 interval;
  g_autoptr (GObject) session = NULL;

  g_object_get (element, "internal-session", &session, NULL);
  if (set > 0)
    g_object_set (session, "twcc-feedback-interval", set, NULL);
  g_object_get (session, "twcc-feedback-interval", &interval, NULL);
  return interval;
}

/* The rows belong together.  No interval is the highest guint64 in rtpsession. */
static const struct
{
  guint application; /* sets so many ms before; 0: nothing */
  RaSpan wanted, ours, there;
  const gchar *why;
} intervals[] = {
  { 0, 50 * RA_MSECOND, 50 * RA_MSECOND, 50 * RA_MSECOND, "there was none" },
  { 0, 5 * RA_MSECOND, 5 * RA_MSECOND, 5 * RA_MSECOND, "ours may change" },
  { 0, RA_SPAN_NONE, RA_SPAN_NONE, (RaSpan) GST_CLOCK_TIME_NONE, "taken back" },
  { 70, 50 * RA_MSECOND, RA_SPAN_NONE, 70 * RA_MSECOND,
      "the application's own stays" },
  { 70, RA_SPAN_NONE, RA_SPAN_NONE, 70 * RA_MSECOND, "and is not taken back" },
};

static void
test_interval (void)
{
  RaSpan ours = RA_SPAN_NONE;
  GstElement *session;
  g_auto (Line) l;

  line_init (&l);
  session = session_link (&l, GST_RTP_PROFILE_AVP);
  g_assert_cmpuint (interval_of (session, 0), ==, GST_CLOCK_TIME_NONE);
  for (guint i = 0; i < G_N_ELEMENTS (intervals); i++) {
    g_test_message ("%s", intervals[i].why);
    if (intervals[i].application > 0)
      interval_of (session, intervals[i].application * RA_MSECOND);
    ours = tap_set_twcc_interval (session, intervals[i].wanted, ours);
    g_assert_cmpint (ours, ==, intervals[i].ours);
    g_assert_cmpuint (
        interval_of (session, 0), ==, (guint64) intervals[i].there);
  }
}

/* --- fields.c -------------------------------------------------------------- */

typedef struct
{
  guint64 packets;
  guint encoders;
  gint payload;
  gdouble loss;
  gboolean open;
  const gchar *name;
  RaSpan rtt;
} Values;

static const Field value_fields[] = {
  { "packets", "", "", "", FIELD_UINT64 (Values, packets) },
  { "inner", "", "", "", FIELD_STRUCTURE ("inner") },
  { "encoders", "", "", "", FIELD_UINT (Values, encoders) },
  { "payload", "", "", "", FIELD_INT (Values, payload) },
  { "loss", "", "", "", FIELD_DOUBLE (Values, loss) },
  { "open", "", "", "", FIELD_BOOLEAN (Values, open) },
  { "name", "", "", "", FIELD_TEXT (Values, name) },
  { "rtt", "", "", "", FIELD_SPAN (Values, rtt) },
  { NULL },
};

static const struct
{
  Values values;
  const gchar *text, *why;
} field_rows[] = {
  { { G_MAXUINT64, 7, -1, .25, TRUE, "tfrc", 5 * RA_MSECOND },
      "s, packets=(guint64)18446744073709551615, encoders=(uint)7, "
      "payload=(int)-1, loss=(double)0.25, open=(boolean)true, "
      "name=(string)tfrc, rtt=(gint64)5000000;",
      "each type; what the caller sets is not there" },
  { { 0, 0, 0, 0, FALSE, "none", RA_SPAN_NONE },
      "s, packets=(guint64)0, encoders=(uint)0, payload=(int)0, "
      "loss=(double)0, open=(boolean)false, name=(string)none, "
      "rtt=(gint64)-1;",
      "a time that is not known is -1" },
};

static void
test_fields (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (field_rows); i++) {
    g_autoptr (GstStructure) s
        = fields_new ("s", value_fields, &field_rows[i].values);
    g_autoptr (GstStructure) wanted
        = gst_structure_from_string (field_rows[i].text, NULL);

    g_test_message ("%s", field_rows[i].why);
    g_assert_true (gst_structure_is_equal (s, wanted));
  }
}

void
tests_add (void)
{
  g_test_add_func ("/element-parts/clock", test_clock);
  g_test_add_func ("/element-parts/herald/messages", test_messages);
  g_test_add_func ("/element-parts/herald/job", test_job);
  g_test_add_func ("/element-parts/herald/once", test_once);
  g_test_add_func ("/element-parts/herald/stats", test_stats);
  g_test_add_func ("/element-parts/tap/find", test_find);
  g_test_add_func ("/element-parts/tap/other", test_other);
  g_test_add_func ("/element-parts/tap/gone", test_gone);
  rows_add_n ("/element-parts/tap/late", 2, test_late);
  g_test_add_func ("/element-parts/tap/interval", test_interval);
  g_test_add_func ("/element-parts/fields", test_fields);
}
