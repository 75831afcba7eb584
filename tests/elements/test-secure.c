/* SRTP of rtpadaptsink: what its key does, and what nobody does without
 * it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "sink-fixture.h"

/* RFC 3711 8.2: 128 + 112 bits; RFC 6188 2: 256 + 112; RFC 7714 12: 128 + 96
 * and 256 + 96. */
static const struct
{
  const gchar *nick, *auth;
  guint size;
} ciphers[] = {
  { "aes-128-icm", "hmac-sha1-80", 30 },
  { "aes-256-icm", "hmac-sha1-80", 46 },
  { "aes-128-gcm", "null", 28 },
  { "aes-256-gcm", "null", 44 },
};

/* --- stock elements at the other end -------------------------------------- */

static GstBuffer *
key_buffer (guint size, guint first)
{
  guint8 key[64];

  for (guint i = 0; i < size; i++)
    key[i] = (guint8) (first + i);
  return gst_buffer_new_memdup (key, size);
}

typedef struct
{
  guint cipher, first;
} Key;

static GstCaps *
give_key (GstElement *dec, guint ssrc, const Key *key)
{
  g_autoptr (GstBuffer) buffer
      = key_buffer (ciphers[key->cipher].size, key->first);
  const gchar *cipher = ciphers[key->cipher].nick;
  const gchar *auth = ciphers[key->cipher].auth;
  GstCaps *caps = gst_caps_new_simple ("application/x-srtp", "srtp-key",
      GST_TYPE_BUFFER, buffer, "srtp-cipher", G_TYPE_STRING, cipher,
      "srtcp-cipher", G_TYPE_STRING, cipher, "srtp-auth", G_TYPE_STRING, auth,
      "srtcp-auth", G_TYPE_STRING, auth, NULL);

  return caps;
}

static GstHarness *
decoder (Key *key)
{
  GstHarness *h
      = gst_harness_new_with_padnames ("srtpdec", "rtp_sink", "rtp_src");

  g_signal_connect (h->element, "request-key", G_CALLBACK (give_key), key);
  gst_harness_set_src_caps_str (h, "application/x-srtp");
  return h;
}

static GstHarness *
encoder (const Key *key)
{
  static const gchar *const names[]
      = { "rtp-cipher", "rtcp-cipher", "rtp-auth", "rtcp-auth" };
  g_autoptr (GstElement) enc = gst_element_factory_make ("srtpenc", NULL);
  g_autoptr (GstBuffer) buffer
      = key_buffer (ciphers[key->cipher].size, key->first);
  GstHarness *h;

  g_object_set (enc, "key", buffer, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    gst_util_set_object_arg (G_OBJECT (enc), names[i],
        i < 2 ? ciphers[key->cipher].nick : ciphers[key->cipher].auth);
  h = gst_harness_new_with_element (enc, "rtcp_sink_0", "rtcp_src_0");
  gst_harness_set_src_caps_str (h, "application/x-rtcp");
  return h;
}

/* (transfer full) */
static GBytes *
encrypt (GstHarness *h, const guint8 *rtcp, gsize size)
{
  g_autoptr (GstBuffer) buffer
      = gst_harness_push_and_pull (h, gst_buffer_new_memdup (rtcp, size));
  GstMapInfo map;
  GBytes *bytes;

  g_assert_nonnull (buffer);
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  bytes = g_bytes_new (map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return bytes;
}

/* A receiver report about our stream, as `key` makes it. */
static GBytes *
encrypted_report (const Key *key)
{
  GstHarness *h = encoder (key);
  guint8 rr[SINK_RR_SIZE];
  GBytes *bytes;

  sink_rr (rr, SINK_THEIRS, SINK_SSRC);
  bytes = encrypt (h, rr, sizeof rr);
  gst_harness_teardown (h);
  return bytes;
}

typedef struct
{
  GstElement *pipeline, *sink;
  gint ear;
  guint port; /* where they listen */
  gint heard; /* RTCP that reached the session */
} Secured;

static GstPadProbeReturn
count_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

static void
watch_session (Secured *s)
{
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (s->sink), "rtpbin");
  g_autoptr (GstElement) session = NULL;
  g_autoptr (GstPad) pad = NULL;

  g_signal_emit_by_name (rtpbin, "get-session", 0, &session);
  pad = gst_element_get_static_pad (session, "recv_rtcp_sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, &s->heard, NULL);
}

/* Plays with `key`, and one packet is out. */
static void
secured_start (Secured *s, const Key *key, UdpHeard *first)
{
  g_autofree gchar *text = hex_key (ciphers[key->cipher].size, key->first);
  g_autofree gchar *options
      = g_strdup_printf ("cipher=%s key=%s", ciphers[key->cipher].nick, text);
  guint port = 0;

  *s = (Secured){ 0 };
  s->ear = udp_socket ("127.0.0.1", &port);
  s->pipeline = sink_pipeline (port, options, &s->sink);
  watch_session (s);
  sink_play (s->pipeline);
  sink_push (s->pipeline, 1);
  do {
    udp_hear (s->ear, first);
    g_assert_cmpint (first->size, >, 0);
  } while (first->data[1] != (0x80 | 96));
  s->port = first->from_port;
}

static void
secured_stop (Secured *s)
{
  sink_stop (s->pipeline, s->sink);
  close (s->ear);
}

static void
say (Secured *s, gconstpointer data, gsize size)
{
  udp_say (s->ear, "127.0.0.1", s->port, 0, data, size);
}

static void
say_bytes (Secured *s, GBytes *bytes)
{
  say (s, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_bytes_unref (bytes);
}

static gboolean
was_heard (gpointer data)
{
  return g_atomic_int_get (&((Secured *) data)->heard) > 0;
}

/* --- it works ------------------------------------------------------------ */

/* Ours is decrypted by srtpdec with the same key, and by no other; theirs is
 * heard. */
static void
test_both_ways (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ciphers); i++) {
    Key key = { i, 17 }, other = { i, 18 };
    GstHarness *right = decoder (&key), *wrong = decoder (&other);
    guint8 payload[76];
    g_autoptr (GstBuffer) plain = NULL;
    UdpHeard heard;
    Secured s;

    g_test_message ("%s", ciphers[i].nick);
    secured_start (&s, &key, &heard);
    memset (payload, 0x55, sizeof payload);
    g_assert_true (memcmp (heard.data + 24, payload, sizeof payload) != 0);
    plain = gst_harness_push_and_pull (
        right, gst_buffer_new_memdup (heard.data, (gsize) heard.size));
    g_assert_nonnull (plain);
    g_assert_cmpuint (gst_buffer_get_size (plain), ==, 100);
    g_assert_cmpint (
        gst_buffer_memcmp (plain, 24, payload, sizeof payload), ==, 0);
    gst_harness_push (
        wrong, gst_buffer_new_memdup (heard.data, (gsize) heard.size));
    g_assert_null (gst_harness_try_pull (wrong));

    say_bytes (&s, encrypted_report (&key));
    g_assert_true (sink_wait (was_heard, &s));
    g_assert_cmpuint (sink_stat (s.sink, "security/received"), ==, 1);
    g_assert_cmpuint (sink_stat (s.sink, "security/dropped"), ==, 0);
    gst_harness_teardown (right);
    gst_harness_teardown (wrong);
    secured_stop (&s);
  }
}

/* Whatever is told of a pipeline's caps, as by gst-launch-1.0 -v. */
static void
look_at_caps (
    GstObject *pipeline, GstObject *pad, GParamSpec *pspec, gpointer data)
{
  GstCaps *caps;
  g_autofree gchar *text = NULL;

  g_object_get (pad, "caps", &caps, NULL);
  text = gst_caps_to_string (caps);
  g_atomic_int_inc ((gint *) data);
  if (strstr (text, "srtp-key"))
    g_error ("%s shows the key", GST_OBJECT_NAME (pad));
  gst_clear_caps (&caps);
}

static gboolean
is_out (gpointer data)
{
  return sink_stat (data, "udp/packets") > 0
      && sink_stat (data, "udp-rtcp/packets") > 0;
}

static void
test_key_is_secret (void)
{
  g_autofree gchar *key = hex_key (ciphers[0].size, 1);
  g_autofree gchar *options = g_strconcat ("key=", key, NULL);
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port), seen = 0;
  GstElement *sink, *pipeline = sink_pipeline (port, options, &sink);
  g_autofree gchar *told = NULL;
  g_autoptr (GstStructure) stats = NULL;

  g_signal_connect (
      pipeline, "deep-notify::caps", G_CALLBACK (look_at_caps), &seen);
  sink_play (pipeline);
  sink_push (pipeline, 1);
  g_assert_true (sink_wait (is_out, sink));
  g_assert_cmpint (seen, >, 4);
  g_object_get (sink, "stats", &stats, NULL);
  told = gst_structure_to_string (stats);
  g_assert_null (strstr (told, key));
  sink_stop (pipeline, sink);
  close (ear);
}

/* It stops and starts, and the same SSRC and number come again: no part of a key stream
 * may be used twice (RFC 3711 9.1). */
static void
test_again (void)
{
  const Key key = { 0, 17 };
  UdpHeard first, again;
  Secured s;

  secured_start (&s, &key, &first);
  gst_element_set_state (s.pipeline, GST_STATE_NULL);
  sink_play (s.pipeline);
  sink_push (s.pipeline, 1);
  do
    sink_hear_rtp (s.ear, &again);
  while (again.data[1] != first.data[1]);
  g_assert_true (memcmp (first.data + 24, again.data + 24, 76) != 0);
  secured_stop (&s);
}

/* --- nothing else gets in ------------------------------------------------- */

/* Every bit of a packet counts, but those that choose the SSRC, whose key would
 * be another one: dropped, too. */
static void
test_tampered (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ciphers); i++) {
    Key key = { i, 17 };
    UdpHeard heard;
    Secured s;
    g_autoptr (GBytes) encrypted = encrypted_report (&key);
    const guint8 *data;
    gsize size;
    guint sent = 0;

    g_test_message ("%s", ciphers[i].nick);
    secured_start (&s, &key, &heard);
    data = g_bytes_get_data (encrypted, &size);
    for (guint bit = 0; bit < 8 * size; bit += 3) {
      g_autofree guint8 *forged = g_memdup2 (data, size);

      forged[bit / 8] ^= (guint8) (1 << bit % 8);
      say (&s, forged, size);
      sink_expect (s.sink, "security/dropped", ++sent);
    }
    g_assert_cmpint (s.heard, ==, 0);
    g_assert_cmpuint (sink_stat (s.sink, "security/received"), ==, sent);
    say (&s, data, size); /* and as it was made */
    g_assert_true (sink_wait (was_heard, &s));
    say (&s, data, size); /* RFC 3711 3.3.2: not twice */
    sink_expect (s.sink, "security/dropped", sent + 1);
    g_assert_cmpint (s.heard, ==, 1);
    secured_stop (&s);
  }
}

static const struct
{
  guint8 first, second; /* octets */
  const gchar *why;
} forged[] = {
  { 0x81, 201, "a receiver report in clear" },
  { 0x8f, 205, "transport-wide feedback in clear" },
  { 0x81, 206, "a PLI in clear" },
  { 0x81, 203, "a BYE in clear" },
  { 0x80, 96, "RTP in clear" },
  { 0x80, 72, "neither RTP nor RTCP" },
  { 0x16, 254, "DTLS" },
  { 0x00, 1, "STUN" },
};

static void
test_forged (void)
{
  Key key = { 0, 17 }, other = { 0, 18 };
  guint8 rr[SINK_RR_SIZE];
  UdpHeard heard;
  Secured s;

  secured_start (&s, &key, &heard);
  for (guint i = 0; i < G_N_ELEMENTS (forged); i++) {
    g_test_message ("%s", forged[i].why);
    sink_rr (rr, SINK_THEIRS, SINK_SSRC);
    rr[0] = forged[i].first;
    rr[1] = forged[i].second;
    say (&s, rr, sizeof rr);
    sink_expect (s.sink, "security/dropped", i + 1);
  }
  say_bytes (&s, encrypted_report (&other));
  sink_expect (s.sink, "security/dropped", G_N_ELEMENTS (forged) + 1);
  g_assert_cmpint (s.heard, ==, 0);
  secured_stop (&s);
}

/* Nothing is kept of a thousand made-up SSRCs, and a sender that comes after them is
 * heard at once. */
static void
test_flood (void)
{
  Key key = { 0, 17 };
  GstHarness *late = encoder (&key);
  guint8 rr[SINK_RR_SIZE];
  guint64 n_streams;
  UdpHeard heard;
  Secured s;

  secured_start (&s, &key, &heard);
  for (guint i = 0; i < 1000; i++) {
    sink_rr (rr, 0x10000 + i, SINK_SSRC);
    say (&s, rr, sizeof rr);
    if (i % 50 == 49) /* the socket's buffer is small */
      sink_expect (s.sink, "security/dropped", i + 1);
  }
  n_streams = sink_stat (s.sink, "security/streams");
  sink_rr (rr, SINK_THEIRS, SINK_SSRC);
  say_bytes (&s, encrypt (late, rr, sizeof rr));
  g_assert_true (sink_wait (was_heard, &s));
  trust_row ("flood", "12 SSRCs, SRTP",
      "none of 1,000 made-up SSRCs is kept; a true sender is heard at its first "
      "packet after them",
      n_streams == 0 && sink_stat (s.sink, "security/streams") == 1,
      "%" G_GUINT64_FORMAT " kept", n_streams);
  gst_harness_teardown (late);
  secured_stop (&s);
}

void
tests_add (void)
{
  g_test_add_func ("/secure/both-ways", test_both_ways);
  g_test_add_func ("/secure/key-is-secret", test_key_is_secret);
  g_test_add_func ("/secure/again", test_again);
  g_test_add_func ("/secure/tampered", test_tampered);
  g_test_add_func ("/secure/forged", test_forged);
  g_test_add_func ("/secure/flood", test_flood);
}
