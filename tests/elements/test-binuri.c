/* rtpadapt:// URIs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"

#include <gst/gst.h>
#include <string.h>

#define TEXT 128

/* Properties as text, "name=value|name=value". */
static gchar *
describe (GstElement *element, const gchar *names)
{
  g_auto (GStrv) each = g_strsplit (names, "|", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; each[i]; i++) {
    GValue value = G_VALUE_INIT;
    g_autofree gchar *shown = NULL;

    *strchr (each[i], '=') = '\0';
    g_object_get_property (G_OBJECT (element), each[i], &value);
    shown = G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value)
                                          : gst_value_serialize (&value);
    g_string_append_printf (text, "%s%s=%s", i ? "|" : "", each[i], shown);
    g_value_unset (&value);
  }
  return g_string_free (text, FALSE);
}

/* --- what is good --------------------------------------------------------- */

static const struct
{
  const gchar *uri, *set, *back;
  const gchar *why;
} good[] = {
  { "rtpadapt://192.0.2.7:6000", "host=192.0.2.7|port=6000",
      "rtpadapt://192.0.2.7:6000", "an address and a port" },
  { "rtpadapt://192.0.2.7", "host=192.0.2.7|port=5004",
      "rtpadapt://192.0.2.7:5004", "RFC 3551 8: 5004 is RTP's port" },
  { "rtpadapt://192.0.2.7:6000/", "host=192.0.2.7|port=6000",
      "rtpadapt://192.0.2.7:6000", "RFC 3986 6.2.3: an empty path is /" },
  { "rtpadapt://camera.example:7", "host=camera.example|port=7",
      "rtpadapt://camera.example:7", "a name" },
  { "rtpadapt://[2001:db8::7]:6000", "host=2001:db8::7|port=6000",
      "rtpadapt://[2001:db8::7]:6000", "RFC 3986 3.2.2: IPv6 in brackets" },
  { "rtpadapt://[fe80::7%25eth0]:6000", "host=fe80::7%eth0|port=6000",
      "rtpadapt://[fe80::7%25eth0]:6000", "RFC 6874 2: a zone" },
  { "rtpadapt://239.1.2.3:5004?ttl-mc=4", "host=239.1.2.3|port=5004|ttl-mc=4",
      "rtpadapt://239.1.2.3:5004", "multicast" },
  { "rtpadapt://h:1?controller=ssvp&lda=zigzag&max-bitrate=2000000",
      "controller=ssvp|lda=zigzag|max-bitrate=2000000", "rtpadapt://h:1",
      "enums by nick, a number" },
  { "rtpadapt://h:1?friendliness-cap=2.5&rtcp-mux=false",
      "friendliness-cap=2.5|rtcp-mux=false", "rtpadapt://h:1",
      "a fraction, a switch" },
  { "rtpadapt://h:1?max-backlog=300000000", "max-backlog=300000000",
      "rtpadapt://h:1", "64 bits" },
  { "rtpadapt://h:1?max-bitrate=2M&min-bitrate=150k&start-bitrate=1.5M",
      "max-bitrate=2000000|min-bitrate=150000|start-bitrate=1500000",
      "rtpadapt://h:1", "units, as rate=2M of a link" },
  { "rtpadapt://h:1?max-bitrate=2Mbit%2Fs&max-backlog=300ms&burst=2.5ms",
      "max-bitrate=2000000|max-backlog=300000000|burst=2500000",
      "rtpadapt://h:1", "whole units; 1 ms is 1,000,000 ns" },
  { "rtpadapt://h:1?rtx-time=2s&frame-skip=500us",
      "rtx-time=2000000000|frame-skip=500000", "rtpadapt://h:1",
      "seconds and microseconds" },
  { "rtpadapt://h:1?controller-params=alpha%3D0.5%2Cbeta%3D0.9",
      "controller-params=alpha=0.5,beta=0.9", "rtpadapt://h:1",
      "RFC 3986 2.1: %3D is = and %2C a comma" },
  { "rtpadapt://h:1?dtls=true&fingerprint=AA%3ABB&cipher=aes-256-gcm",
      "dtls=true|fingerprint=AA:BB|cipher=aes-256-gcm", "rtpadapt://h:1",
      "what makes it safer; the URI that is read shows none" },
  { "rtpadapt://h:1?dscp=-1&af-class=3", "dscp=-1|af-class=3", "rtpadapt://h:1",
      "a negative number where there may be one" },
  { "rtpadapt://h:1?max-bitrate=1000&max-bitrate=3000", "max-bitrate=3000",
      "rtpadapt://h:1", "the last one counts" },
};

static void
check_query (GstElement *bin, const gchar *wanted)
{
  g_autoptr (GstQuery) query = gst_query_new_uri ();
  g_autofree gchar *uri = NULL;

  g_assert_true (gst_element_query (bin, query));
  gst_query_parse_uri (query, &uri);
  g_assert_cmpstr (uri, ==, wanted);
}

static void
test_good (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    GError *error = NULL;
    g_autoptr (GstElement) sink
        = gst_element_make_from_uri (GST_URI_SINK, good[i].uri, NULL, &error);
    g_autofree gchar *set = NULL, *back = NULL, *property = NULL;

    g_test_message ("%s: %s", good[i].uri, good[i].why);
    g_assert_no_error (error);
    gst_object_ref_sink (sink);
    set = describe (sink, good[i].set);
    g_assert_cmpstr (set, ==, good[i].set);
    back = gst_uri_handler_get_uri (GST_URI_HANDLER (sink));
    g_assert_cmpstr (back, ==, good[i].back);
    g_object_get (sink, "uri", &property, NULL);
    g_assert_cmpstr (property, ==, good[i].back);
    check_query (sink, good[i].back);
  }
}

/* --- what is not ---------------------------------------------------------- */

static const struct
{
  const gchar *uri, *says;
  const gchar *why;
} bad[] = {
  { "rtp://h:1", "rtpadapt://", "another scheme" },
  { "rtpadapt:h:1", "no host", "no authority" },
  { "rtpadapt://:5004", "no host", "a port alone" },
  { "rtpadapt://", "no host", "nothing" },
  { "rtpadapt://h:0", "no port", "a sink needs a port" },
  { "rtpadapt://h:65536", "rtpadapt://h:65536", "beyond 16 bits" },
  { "rtpadapt://h:99999999999", "rtpadapt://h:9", "beyond 32 bits" },
  { "rtpadapt://h:x", "rtpadapt://h:x", "no number" },
  { "rtpadapt://h:-1", "rtpadapt://h:-1", "a negative port" },
  { "rtpadapt://[::1:5004", "rtpadapt://[::1", "a bracket is open" },
  { "rtpadapt://me@h:1", "user", "a user" },
  { "rtpadapt://h:1/live", "path", "a path" },
  { "rtpadapt://h:1#top", "fragment", "a fragment" },
  { "rtpadapt://h:1?bitrate=1000", "\"bitrate\"", "no such property" },
  { "rtpadapt://h:1?max-bitrate=fast", "\"fast\" is no value of max-bitrate",
      "no number" },
  { "rtpadapt://h:1?max-bitrate=0", "\"0\" is no value of max-bitrate",
      "below its least" },
  { "rtpadapt://h:1?max-bitrate=-5", "\"-5\" is no value of max-bitrate",
      "negative" },
  { "rtpadapt://h:1?max-bitrate=5000000000", "no value of max-bitrate",
      "2^32 = 4,294,967,296 is less" },
  { "rtpadapt://h:1?max-bitrate=5G", "no value of max-bitrate",
      "2^32 = 4,294,967,296 is less" },
  { "rtpadapt://h:1?max-bitrate=2.5", "no value of max-bitrate",
      "a fraction without a unit" },
  { "rtpadapt://h:1?max-bitrate=2ms", "no value of max-bitrate",
      "a time is no rate" },
  { "rtpadapt://h:1?max-bitrate=-2M", "no value of max-bitrate", "negative" },
  { "rtpadapt://h:1?max-bitrate=nanM", "no value of max-bitrate", "no number" },
  { "rtpadapt://h:1?max-backlog=2M", "no value of max-backlog",
      "nobody means 2,000,000 s" },
  { "rtpadapt://h:1?max-backlog=61s", "no value of max-backlog",
      "above its most, a minute" },
  { "rtpadapt://h:1?ttl=1k", "no value of ttl", "it has no unit" },
  { "rtpadapt://h:1?max-bitrate=", "\"\" is no value of max-bitrate", "empty" },
  { "rtpadapt://h:1?max-bitrate", "max-bitrate", "no value" },
  { "rtpadapt://h:1?lda=crystal-ball", "\"crystal-ball\" is no value of lda",
      "no such nick" },
  { "rtpadapt://h:1?af-class=5", "af-class", "RFC 2597 has four" },
  { "rtpadapt://h:1?ttl=256", "ttl", "beyond 8 bits" },
  { "rtpadapt://h:1?dtls=maybe", "dtls", "no boolean" },
  { "rtpadapt://h:1?key=00", "key-file", "others can read URIs" },
  { "rtpadapt://h:1?key-file=%2Fetc%2Fpasswd", "name a file",
      "one from elsewhere could tell what files there are" },
  { "rtpadapt://h:1?pem-file=%2Fetc%2Fpasswd", "name a file", "the same" },
  { "rtpadapt://h:1?key_file=%2Fetc%2Fpasswd", "\"key_file\" is no property",
      "GObject takes it for key-file" },
  { "rtpadapt://h:1?pem_file=%2Fetc%2Fpasswd", "\"pem_file\"", "the same" },
  { "rtpadapt://h:1?GstRtpAdaptSink%3A%3Akey=00", "no property",
      "GObject takes it for key" },
  { "rtpadapt://h:1?dtls=false", "less safe", "it switches security off" },
  { "rtpadapt://h:1?fingerprint=", "less safe", "it lets in everybody" },
  { "rtpadapt://h:1?fingerprint=AA&fingerprint=", "less safe", "the same" },
  { "rtpadapt://h:1?host=other", "\"host\"", "it has its place" },
  { "rtpadapt://h:1?port=2", "\"port\"", "it has its place" },
  { "rtpadapt://h:1?uri=rtpadapt%3A%2F%2Fx", "\"uri\"", "in itself" },
  { "rtpadapt://h:1?name=x", "\"name\"", "every element's" },
  { "rtpadapt://h:1?stats=x", "\"stats\"", "cannot be written" },
  { "rtpadapt://h:1?encoder-bitrate=5", "\"encoder-bitrate\"",
      "cannot be written" },
  { "rtpadapt://h:1?max-bitrate=%zz", "", "no percent-encoding" },
};

/* A URI from elsewhere must not undo what the application has decided. */
static void
test_safe (void)
{
  static const struct
  {
    const gchar *element, *query;
    gboolean good;
  } rows[] = {
    { "rtpadaptsink", "fingerprint=BB", FALSE },
    { "rtpadaptsink", "fingerprint=AA", TRUE },
    { "rtpadaptsink", "dtls=0", FALSE },
    { "rtpadaptsrc", "fingerprint=BB", FALSE },
    { "rtpadaptsrc", "replay-guard=false", FALSE },
    { "rtpadaptsrc", "replay-guard=true", TRUE },
    { "rtpadaptsink", "circuit-breakers=false", FALSE },
    { "rtpadaptsink", "circuit-breakers=true", TRUE },
    { "rtpadaptsink", "replay-guard=true", FALSE }, /* only receivers have it */
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstElement) bin
        = gst_element_factory_make (rows[i].element, NULL);
    g_autofree gchar *uri
        = g_strconcat ("rtpadapt://127.0.0.1:1?", rows[i].query, NULL);
    g_autofree gchar *fingerprint = NULL;
    GError *error = NULL;
    gboolean dtls;

    g_test_message ("%s %s", rows[i].element, rows[i].query);
    g_object_set (bin, "dtls", TRUE, "fingerprint", "AA", NULL);
    g_assert_cmpint (
        gst_uri_handler_set_uri (GST_URI_HANDLER (bin), uri, &error), ==,
        rows[i].good);
    g_assert_cmpint (error != NULL, ==, !rows[i].good);
    g_clear_error (&error);
    g_object_get (bin, "dtls", &dtls, "fingerprint", &fingerprint, NULL);
    g_assert_true (dtls);
    g_assert_cmpstr (fingerprint, ==, "AA");
  }
  trust_row ("attack", "14 a URI from elsewhere",
      "it takes away neither DTLS nor a fingerprint nor the replay guard nor the "
      "circuit breakers",
      TRUE, "%u queries", (guint) G_N_ELEMENTS (rows));
}

/* Whatever is wrong, and wherever: nothing is set. */
static void
test_bad (void)
{
  const gchar *before = "host=before|port=99|max-bitrate=777000|lda=vegas";
  const gchar *start = "rtpadapt://before:99?max-bitrate=777000&lda=vegas";

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    /* A good value in front. */
    g_auto (GStrv) halves = g_strsplit (bad[i].uri, "?", 2);
    g_autofree gchar *uri = halves[0] && halves[1]
        ? g_strdup_printf (
            "%s?max-bitrate=5000&lda=none&%s", halves[0], halves[1])
        : g_strdup (bad[i].uri);
    g_autoptr (GstElement) sink
        = gst_element_factory_make ("rtpadaptsink", NULL);
    g_autoptr (GError) error = NULL;
    g_autofree gchar *after = NULL;

    g_test_message ("%s: %s", uri, bad[i].why);
    g_object_set (sink, "uri", start, NULL);
    g_assert_false (
        gst_uri_handler_set_uri (GST_URI_HANDLER (sink), uri, &error));
    g_assert_nonnull (error);
    if (!g_str_has_prefix (uri, "rtp:")) /* GStreamer's own text */
      g_assert_nonnull (strstr (error->message, bad[i].says));
    after = describe (sink, before);
    g_assert_cmpstr (after, ==, before);
  }
}

/* A property cannot fail: it is said when the element starts, or at once while it runs,
 * and a good one makes up for it. */
static void
test_property (void)
{
  GstElement *sink = gst_element_factory_make ("rtpadaptsink", NULL);
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_bin_add (GST_BIN (pipeline), sink);
  g_object_set (sink, "uri", "rtpadapt://127.0.0.1:9?lda=crystal-ball", NULL);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_READY), ==,
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_message_parse_error (message, &error, NULL);
  g_assert_nonnull (strstr (error->message, "crystal-ball"));
  gst_element_set_state (pipeline, GST_STATE_NULL);

  g_object_set (sink, "uri", "rtpadapt://127.0.0.1:9?lda=zigzag", NULL);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_READY), ==,
      GST_STATE_CHANGE_SUCCESS);
  /* While it runs there is no start that could fail. */
  g_object_set (sink, "uri", "rtpadapt://127.0.0.1:9?fec=magic", NULL);
  g_clear_error (&error);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  g_assert_nonnull (strstr (error->message, "magic"));
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Where bytes are random the answer is an error, not a crash. */
static void
test_random (void)
{
  g_autoptr (GstElement) sink = gst_element_factory_make ("rtpadaptsink", NULL);
  g_autoptr (GRand) rng = g_rand_new_with_seed (7);
  static const gchar alphabet[]
      = "rtpadapt:/?&=%[]@#.0123456789abcXYZ -_~\xc3\xa9";

  for (guint i = 0; i < 3000; i++) {
    gchar text[TEXT + 1] = "rtpadapt://";
    gsize from = g_rand_boolean (rng) ? strlen (text) : 0;
    gsize to = from + (gsize) g_rand_int_range (rng, 0, TEXT / 2);
    GError *error = NULL;

    for (gsize k = from; k < to; k++)
      text[k] = alphabet[g_rand_int_range (rng, 0, sizeof alphabet - 1)];
    text[to] = '\0';
    if (!gst_uri_handler_set_uri (GST_URI_HANDLER (sink), text, &error))
      g_clear_error (&error);
    g_assert_no_error (error);
  }
}

static void
test_source (void)
{
  GError *error = NULL;
  g_autoptr (GstElement) src = gst_element_make_from_uri (
      GST_URI_SRC, "rtpadapt://[::]:0", NULL, &error);
  g_autofree gchar *set = NULL, *address = NULL;

  g_assert_no_error (error);
  gst_object_ref_sink (src);
  g_object_get (src, "address", &address, NULL);
  g_assert_null (address); /* any, as test_any_address() says */
  set = describe (src, "port=0");
  g_assert_cmpstr (set, ==, "port=0"); /* any free one */
}

/* A source without an address listens on all of IPv4 and IPv6, or on IPv4 where there is
 * no IPv6 (udp_socket_new()).  With its URI written back it has none, so it still does. */
static void
test_any_address (void)
{
  g_autoptr (GstElement) src = gst_element_factory_make ("rtpadaptsrc", NULL);
  g_autofree gchar *uri = NULL, *set = NULL, *address = NULL;

  gst_object_ref_sink (src);
  g_object_get (src, "uri", &uri, NULL);
  g_assert_cmpstr (uri, ==, "rtpadapt://[::]:5004");
  check_query (src, uri);
  g_object_set (src, "uri", uri, NULL);
  g_object_get (src, "address", &address, NULL);
  g_assert_null (address);
  set = describe (src, "port=5004");
  g_assert_cmpstr (set, ==, "port=5004");
}

void
tests_add (void)
{
  g_test_add_func ("/binuri/good", test_good);
  g_test_add_func ("/binuri/bad", test_bad);
  g_test_add_func ("/binuri/safe", test_safe);
  g_test_add_func ("/binuri/property", test_property);
  g_test_add_func ("/binuri/random", test_random);
  g_test_add_func ("/binuri/source", test_source);
  g_test_add_func ("/binuri/any-address", test_any_address);
}
