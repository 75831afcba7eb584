/* What rtpadaptsink wants of payloaders, which stream it sends again, and whose RTCP it
 * hears, without elements, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "../../plugins/rtpadapt/sink/sinkbye.h"
#include "../../plugins/rtpadapt/sink/sinkcaps.h"
#include "../../plugins/rtpadapt/sink/sinkpeer.h"
#include "../../plugins/rtpadapt/sink/sinkstreams.h"
#include "../../plugins/rtpadapt/wire/payloadtypes.h"

#include <gst/rtpadapt/util/bytes.h>
#include <string.h>

GST_DEBUG_CATEGORY (rtpadaptsink_debug);

/* --- caps ------------------------------------------------------------------ */

/* The extensions that are offered first, "ID=last word of the URI". */
static const struct
{
  const RaFeedbackOps *feedback;
  guint twcc;
  gboolean coloured;
  const gchar *filter; /* NULL: none */
  const gchar *offer, *why;
} offers[] = {
  { &ra_feedback_twcc, 1, FALSE, NULL, "1=01", "numbers alone" },
  { &ra_feedback_twcc, 5, TRUE, NULL, "3=colour 5=01",
      "the id that the session has" },
  { &ra_feedback_ccfb, 1, TRUE, NULL, "3=colour",
      "RFC 8888 counts by sequence number" },
  { &ra_feedback_tfrc, 1, TRUE, "application/x-rtp",
      "1=01 2=rtt-sendts 3=colour", "TFRC wants the time, too" },
  { &ra_feedback_twcc, 1, FALSE, "application/x-rtp,extmap-1=(string)urn:other",
      "1=other 2=01", "an id is taken" },
  { &ra_feedback_twcc, 14, FALSE,
      "application/x-rtp,extmap-14=(string)urn:other", "1=01 14=other",
      "RFC 8285 4.2: the highest id is 14" },
};

static gchar *
extensions (const GstStructure *s)
{
  GString *text = g_string_new (NULL);

  for (guint id = 1; id <= 15; id++) {
    g_autofree gchar *field = g_strdup_printf ("extmap-%u", id);
    const gchar *uri = gst_structure_get_string (s, field), *word;

    if (!uri)
      continue;
    word = strrchr (uri, g_str_has_prefix (uri, "urn:") ? ':' : '-') + 1;
    g_string_append_printf (text, "%s%u=%s", text->len ? " " : "", id, word);
  }
  return g_string_free (text, FALSE);
}

static void
test_caps (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (offers); i++) {
    const SinkCapsSettings settings
        = { offers[i].feedback, offers[i].twcc, offers[i].coloured };
    GstCaps *filter
        = offers[i].filter ? gst_caps_from_string (offers[i].filter) : NULL;
    g_autoptr (GstCaps) offer = sink_caps_offer (&settings, filter);
    g_autofree gchar *got = extensions (gst_caps_get_structure (offer, 0));

    if (!g_str_equal (got, offers[i].offer))
      g_test_fail_printf ("%s: %s", offers[i].why, got);
    g_assert_cmpuint (gst_caps_get_size (offer), ==, 2); /* or as it is */
    gst_clear_caps (&filter);
  }
}

/* --- retransmission --------------------------------------------------------- */

/* RFC 4588 8.6: the repair payload type stands for one other at a time. */
static void
test_repeats (void)
{
  static const struct
  {
    gint payload; /* -1: the caps have none */
    const gchar *media, *name;
    gboolean repeats, may_repeat;
    const gchar *twin; /* another codec with that payload type: a warning */
    const gchar *why;
  } rows[] = {
    { 97, "audio", "OPUS", FALSE, FALSE, NULL, "sound is not sent again" },
    { 96, "video", "H264", TRUE, TRUE, NULL, "the first video stream" },
    { 96, "video", "H264", TRUE, TRUE, NULL, "another one of that type" },
    { 98, "video", "H264", TRUE, FALSE, NULL, "another type" },
    { PT_RTX, "video", "H264", TRUE, FALSE, "repair",
        "the type of what is sent again" },
    { -1, "video", "H264", TRUE, FALSE, NULL, "none" },
    { -1, "video", "VP8", TRUE, FALSE, NULL, "none, and another codec" },
    { 96, "audio", "OPUS", FALSE, FALSE, "H264", "a payloader's default" },
    { PT_RS, "audio", "OPUS", FALSE, FALSE, "repair", "FEC has it" },
  };
  GstPad *ghosts[G_N_ELEMENTS (rows)];
  SinkStreams s;

  sink_streams_init (&s);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstPad *ghost = ghosts[i]
        = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));
    g_autoptr (GstPad) funnel
        = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));
    SinkStream *stream = sink_stream_new (ghost, funnel);
    g_autoptr (GstCaps) caps
        = gst_caps_new_simple ("application/x-rtp", "media", G_TYPE_STRING,
            rows[i].media, "encoding-name", G_TYPE_STRING, rows[i].name, NULL);
    SinkStreamJob job;

    if (rows[i].payload >= 0)
      gst_caps_set_simple (caps, "payload", G_TYPE_INT, rows[i].payload, NULL);
    sink_streams_add (&s, stream);
    g_assert_true (sink_streams_find (&s, ghost) == stream);
    job = sink_streams_on_caps (&s, stream, caps, TRUE, 1000);
    if (!job.builds || job.repeats != rows[i].repeats
        || job.may_repeat != rows[i].may_repeat
        || g_strcmp0 (job.twin, rows[i].twin) != 0)
      g_test_fail_printf ("%s", rows[i].why);
  }
  sink_streams_clear (&s);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    gst_object_unref (ghosts[i]);
}

/* The stream of a new pad, which the caller drops. */
static SinkStream *
stream_add (SinkStreams *s)
{
  g_autoptr (GstPad) funnel
      = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));
  SinkStream *stream = sink_stream_new (
      gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK)), funnel);

  sink_streams_add (s, stream);
  return stream;
}

static gboolean
caps_are_sent_again (SinkStreams *s, SinkStream *stream, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  return sink_streams_on_caps (s, stream, caps, TRUE, 1000).may_repeat;
}

/* What a stream leaves to one of another payload type. */
static void
test_ends (void)
{
  static const struct
  {
    gboolean ends, stops, free, known;
    const gchar *why;
  } rows[] = {
    { FALSE, FALSE, FALSE, TRUE, "it goes on" },
    { TRUE, FALSE, TRUE, TRUE, "its pad is released" },
    { FALSE, TRUE, TRUE, FALSE, "the element has stopped" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    SinkStreams s;
    SinkStream *one, *other;
    GstCaps *known;

    g_test_message ("%s", rows[i].why);
    sink_streams_init (&s);
    one = stream_add (&s);
    other = stream_add (&s);
    g_assert_true (caps_are_sent_again (&s, one,
        "application/x-rtp,media=video,payload=96,ssrc=(uint)7,"
        "extmap-5=(string)http://www.ietf.org/id/"
        "draft-holmer-rmcat-transport-wide-cc-extensions-01"));
    if (rows[i].ends)
      sink_stream_end (one);
    if (rows[i].stops)
      sink_streams_stop (&s);
    known = sink_streams_caps (&s, 96);
    g_assert_cmpint (known != NULL, ==, rows[i].known);
    g_assert_cmpint (one->ssrc_known, ==, rows[i].known);
    g_assert_cmpuint (s.ext_twcc, ==, rows[i].known ? 5 : SINK_EXT_TWCC);
    g_assert_cmpint (caps_are_sent_again (
                         &s, other, "application/x-rtp,media=video,payload=98"),
        ==, rows[i].free);
    gst_clear_caps (&known);
    gst_object_unref (one->ghost);
    gst_object_unref (other->ghost);
    sink_streams_clear (&s);
  }
}

/* --- who is heard ------------------------------------------------------------ */

#define OURS 0x0a0a0a0a
#define THEIRS 0x0b0b0b0b

/* An empty receiver report (RFC 3550 6.4.2). */
static gboolean
report (SinkPeer *who, const gchar *from, guint32 ssrc, RaTime now)
{
  g_autoptr (GSocketAddress) at
      = g_inet_socket_address_new_from_string (from, 5004);
  guint8 data[8] = { 0x80, 201, 0, 1 };
  gboolean encrypted, pass;

  ra_put_u32 (data + 4, ssrc);
  pass = sink_peer_on_rtcp (who, at, data, sizeof data, now, &encrypted);
  g_assert_false (encrypted);
  return pass;
}

static void
assert_counts (const SinkPeer *who, guint64 foreign, guint64 own)
{
  g_autoptr (GstStructure) stats = sink_peer_stats (who);
  guint64 n[2];

  g_assert_true (gst_structure_get (stats, "foreign-rtcp", G_TYPE_UINT64, &n[0],
      "own-ssrc", G_TYPE_UINT64, &n[1], NULL));
  g_assert_cmpuint (n[0], ==, foreign);
  g_assert_cmpuint (n[1], ==, own);
}

static void
test_peer (void)
{
  guint8 rtp[12] = { 0x80, 96 };
  g_autoptr (GSocketAddress) to
      = g_inet_socket_address_new_from_string ("192.0.2.1", 5004);
  const PeerConfig cfg = { .host
    = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (to)) };
  RaTime now = 1000 * RA_SECOND;
  SinkPeer who = { 0 };

  g_assert_false (report (&who, "192.0.2.1", THEIRS, now)); /* it is closed */
  sink_peer_open (&who, &cfg);
  ra_put_u32 (rtp + 8, OURS);
  sink_peer_on_packet (&who, rtp, sizeof rtp);
  g_assert_true (report (&who, "192.0.2.1", THEIRS, now));
  g_assert_false (report (&who, "192.0.2.2", THEIRS, now)); /* a stranger */
  g_assert_false (report (&who, "192.0.2.1", OURS, now));   /* forged */
  assert_counts (&who, 1, 1);
  sink_peer_open (&who, &cfg); /* another destination */
  assert_counts (&who, 1, 1);
  g_assert_false (report (&who, "192.0.2.2", THEIRS, now));
  assert_counts (&who, 2, 1);
  sink_peer_close (&who);
  sink_peer_start (&who);
  assert_counts (&who, 0, 0);
}

/* --- the end ----------------------------------------------------------------- */

/* RFC 3550 6.4.2: RR without blocks; 6.5: a chunk ends with null octets, at least one;
 * 6.6: BYE. */
static void
test_bye (void)
{
  static const guint8 wanted[] = { 0x80, 201, 0, 1, 1, 2, 3, 4, /* RR */
    0x81, 202, 0, 3, 1, 2, 3, 4, 1, 3, 'a', '@', 'b', 0, 0, 0, /* SDES, CNAME */
    0x81, 203, 0, 1, 1, 2, 3, 4 };                             /* BYE */
  g_autoptr (GstBuffer) bye = sink_bye_new (0x01020304, "a@b");

  g_assert_cmpuint (gst_buffer_get_size (bye), ==, sizeof wanted);
  g_assert_cmpint (gst_buffer_memcmp (bye, 0, wanted, sizeof wanted), ==, 0);
}

void
tests_add (void)
{
  GST_DEBUG_CATEGORY_INIT (rtpadaptsink_debug, "rtpadaptsink", 0, "test");
  g_test_add_func ("/sink-parts/caps", test_caps);
  g_test_add_func ("/sink-parts/repeats", test_repeats);
  g_test_add_func ("/sink-parts/ends", test_ends);
  g_test_add_func ("/sink-parts/peer", test_peer);
  g_test_add_func ("/sink-parts/bye", test_bye);
}
