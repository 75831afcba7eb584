/* Warnings about wrong settings: nothing comes, nobody answers, only one side has a
 * key, the codec is another, a port is open to everybody.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/wire/encrypted.h"
#include "../../plugins/rtpadapt/wire/hint.h"

#include <gst/rtpadapt/util/bytes.h>

#include "../trust/trust.h"
#include "fast-clock.h"
#include "src-fixture.h"

#define KEY "key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define WRONG "key=ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define GCM             \
  "cipher=aes-128-gcm " \
  "key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b"

/* --- SRTCP by its look ---------------------------------------------------- */

/* Packets of 40 bytes: the header of an RR of `ssrc`, what is encrypted, and E
 * with the index `trailer` bytes before the end. */
static const struct
{
  struct
  {
    guint32 ssrc, word;
  } packets[4];
  guint trailer;
  gboolean told;
  const gchar *why;
} looks[] = {
  { { { 1, 0x80000001 }, { 1, 0x80000002 }, { 1, 0x80000003 } }, 14, TRUE,
      "one after the other" },
  { { { 1, 0x80000001 }, { 1, 0x80000002 }, { 1, 0x80000003 } }, 4, TRUE,
      "the same with GCM" },
  { { { 1, 0x80000001 }, { 1, 0x80000003 }, { 1, 0x80000009 } }, 14, TRUE,
      "some are lost" },
  { { { 1, 0x80000001 }, { 1, 0x80000001 } }, 14, FALSE, "one came twice" },
  { { { 1, 0x80000001 } }, 14, FALSE, "one" },
  { { { 1, 1 }, { 1, 2 }, { 1, 3 }, { 1, 4 } }, 14, FALSE, "no flag E" },
  { { { 1, 0x80000001 }, { 2, 0x80000002 }, { 1, 0x80000003 } }, 14, TRUE,
      "of two SSRCs by turns: media, and what is sent again" },
  { { { 1, 0x80000001 }, { 2, 0x80000002 }, { 3, 0x80000003 },
        { 1, 0x80000004 } },
      14, FALSE, "of three SSRCs" },
  { { { 1, 0x80000001 }, { 1, 0x80001001 }, { 1, 0x80002001 } }, 14, FALSE,
      "far apart: noise" },
  { { { 1, 0x80000001 }, { 1, 0x80000002 }, { 1, 0x80000003 } }, 20, FALSE,
      "at no place of SRTCP" },
};

static void
test_looks (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++) {
    Encrypted e = { 0 };
    guint told = 0;

    g_test_message ("%s", looks[i].why);
    for (guint k = 0; k < 4 && looks[i].packets[k].ssrc; k++) {
      guint8 data[40] = { 0x81, 201, 0, 7 };

      memset (data + 8, 0x55, sizeof data - 8);
      ra_put_u32 (data + 4, looks[i].packets[k].ssrc);
      ra_put_u32 (
          data + sizeof data - looks[i].trailer, looks[i].packets[k].word);
      told += encrypted_on_junk (&e, data, sizeof data);
    }
    g_assert_cmpuint (told, ==, looks[i].told);
  }
}

/* RFC 6347 4.1: the record of a ClientHello. */
static void
test_handshake (void)
{
  guint8 hello[40] = { 22, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 1 };
  Encrypted e = { 0 };

  for (gsize size = 0; size <= 13; size++)
    g_assert_false (encrypted_on_junk (&e, hello, size));
  g_assert_true (encrypted_on_junk (&e, hello, sizeof hello));
  g_assert_false (encrypted_on_junk (&e, hello, sizeof hello)); /* once */
}

/* --- warnings -------------------------------------------------------------- */

#define NOTHING "No packet has come to UDP port"
#define SILENCE "No answer has come from 127.0.0.1 port"
#define ENCRYPTED "no key is set here"
#define FOREIGN "do not authenticate: is the key the same on both sides?"

/* NULL: that side is not there, or no warning of it is awaited. */
static const struct
{
  const gchar *sender, *receiver;
  const gchar *sender_says, *receiver_says;
  const gchar *why;
} rows[] = {
  { NULL, "", NULL, NOTHING, "nobody sends" },
  { NULL, KEY, NULL, NOTHING, "the same with a key" },
  { "", NULL, SILENCE, NULL, "nobody receives" },
  { KEY, "", FOREIGN, ENCRYPTED, "only the sender has a key" },
  { GCM, "", FOREIGN, ENCRYPTED, "the same with GCM" },
  { "dtls=true", "", SILENCE, ENCRYPTED, "only the sender wants DTLS" },
  { "", KEY, ENCRYPTED, FOREIGN, "only the receiver has a key" },
  { WRONG, KEY, FOREIGN, FOREIGN, "they have different keys" },
  { GCM, KEY, FOREIGN, FOREIGN, "they have different ciphers" },
};

typedef struct
{
  Receiver receiver;
  GstElement *pipeline;
  GstBus *bus;
  gint ear;
  GString *said[2]; /* by sender, receiver */
} Pair;

#define CAMERA                 \
  "videotestsrc is-live=true " \
  "! video/x-raw,width=160,height=120,framerate=30/1 ! "
/* One key frame, if nobody asks for more. */
#define H264                                                \
  CAMERA "x264enc tune=zerolatency speed-preset=ultrafast " \
         "key-int-max=100000 ! rtph264pay "
#define VP8 CAMERA "vp8enc deadline=1 cpu-used=8 ! rtpvp8pay "

/* A receiver of these settings, and a sender whose line lacks where it sends to. */
static void
pair_open (
    Pair *p, const gchar *settings, const gchar *branch, const gchar *sender)
{
  g_autofree gchar *line = NULL;
  GError *error = NULL;
  guint port;

  *p = (Pair){ .ear = udp_socket ("127.0.0.1", &port) };
  for (guint i = 0; i < 2; i++)
    p->said[i] = g_string_new (NULL);
  if (settings) {
    receiver_open (&p->receiver, settings, branch);
    port = (guint) p->receiver.port;
  }
  if (!sender)
    return;
  line = g_strdup_printf ("%s host=127.0.0.1 port=%u", sender, port);
  p->pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  p->bus = gst_element_get_bus (p->pipeline);
  gst_element_set_state (p->pipeline, GST_STATE_PLAYING);
}

static void
pair_start (Pair *p, guint row)
{
  g_autofree gchar *settings = NULL, *sender = NULL;

  if (rows[row].receiver)
    settings = g_strdup_printf ("encoding-name=H264 %s", rows[row].receiver);
  if (rows[row].sender)
    sender = g_strdup_printf (H264 "! rtpadaptsink %s", rows[row].sender);
  pair_open (p, settings, "fakesink name=out sync=false", sender);
}

/* WAIT_UNTIL() would take them off the bus. */
static void
hear (GstBus *bus, GString *said)
{
  gchar *text;

  while (bus && (text = udp_said (bus, GST_MESSAGE_WARNING))) {
    g_string_append_printf (said, "%s\n", text);
    g_free (text);
  }
}

static guint
times (const GString *said, const gchar *text)
{
  guint n = 0;

  for (const gchar *at = said->str; (at = strstr (at, text)); at++)
    n++;
  return n;
}

static gboolean
pair_is_done (Pair *p, guint row)
{
  hear (p->bus, p->said[0]);
  hear (p->receiver.bus, p->said[1]);
  return (!rows[row].sender_says || times (p->said[0], rows[row].sender_says))
      && (!rows[row].receiver_says
          || times (p->said[1], rows[row].receiver_says));
}

static void
pair_end (Pair *p)
{
  if (p->pipeline) {
    gst_element_set_state (p->pipeline, GST_STATE_NULL);
    gst_object_unref (p->bus);
    gst_object_unref (p->pipeline);
  }
  if (p->receiver.pipeline)
    receiver_end (&p->receiver);
  for (guint i = 0; i < 2; i++)
    g_string_free (p->said[i], TRUE);
  close (p->ear);
}

/* The warning that is wanted comes once.  No other comes, but for those about 3 s
 * of silence, which a loaded machine may bring. */
static void
check_times (const GString *said, const gchar *text, const gchar *wanted)
{
  gboolean hint = strstr (NOTHING SILENCE, text) != NULL;
  guint n = times (said, text);

  if (g_strcmp0 (wanted, text) == 0)
    g_assert_cmpuint (n, ==, 1);
  else
    g_assert_cmpuint (n, <=, (guint) hint);
}

/* All rows run at once, because each takes more than 3 s. */
static void
test_rows (void)
{
  static const gchar *const all[] = { NOTHING, SILENCE, ENCRYPTED, FOREIGN };
  Pair pairs[G_N_ELEMENTS (rows)];
  gint64 end;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    pair_start (&pairs[i], i);
  end = g_get_monotonic_time () + PATIENCE;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    while (!pair_is_done (&pairs[i], i)) {
      if (g_get_monotonic_time () > end)
        g_error ("%s: said \"%s\", \"%s\"", rows[i].why, pairs[i].said[0]->str,
            pairs[i].said[1]->str);
      g_usleep (10000);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_test_message (
        "%s:\n%s%s", rows[i].why, pairs[i].said[0]->str, pairs[i].said[1]->str);
    for (guint k = 0; k < G_N_ELEMENTS (all); k++) {
      check_times (pairs[i].said[0], all[k], rows[i].sender_says);
      check_times (pairs[i].said[1], all[k], rows[i].receiver_says);
    }
    pair_end (&pairs[i]);
  }
  trust_row ("fault", "a wrong key, or nobody at the other end",
      "each side that can know says so once, and names the cure", TRUE,
      "%u pairs", (guint) G_N_ELEMENTS (rows));
}

/* --- depayloaders that make nothing ---------------------------------------- */

#define UNMADE                                                            \
  " has made nothing of the packets of payload type 96 for 10 s.  Their " \
  "encoding-name here is "
#define OUT " ! fakesink name=out sync=false"

static const struct
{
  const gchar *sender;           /* NULL: there is none */
  const gchar *encoding, *depay; /* of the receiver; all in a bin */
  const gchar *element;          /* that is named, or NULL: no warning */
  const gchar *why;
} unmade_rows[] = {
  { H264 "! rtpadaptsink", "VP8", "rtpvp8depay name=a", "a",
      "H.264 is no VP8" },
  { H264 "! rtpadaptsink", "VP9", "queue ! rtpvp9depay name=b", "b",
      "nor VP9, and a queue before the depayloader" },
  { VP8 "! rtpadaptsink", "H264", "rtph264depay name=c ! avdec_h264", "c",
      "VP8 is no H.264" },
  { H264 "! valve name=late drop=true ! rtpadaptudpsink", "H264",
      "rtph264depay name=d", "d",
      "the first frame is lost, and no request for a key frame is heard" },
  { H264 "! rtpadaptsink", "H264", "rtph264depay name=e", NULL,
      "the codec is right" },
  { H264 "! rtpadaptsink", "VP8",
      "valve drop=true drop-mode=forward-sticky-events ! rtpvp8depay name=f",
      NULL, "nothing comes to the depayloader" },
  { H264 "! rtpadaptsink", "VP8", "identity", NULL, "no depayloader" },
  { NULL, "VP8", "rtpvp8depay name=g", NULL, "nobody sends" },
};

/* The valve opens when a second frame comes, so that the first one, the key frame, is
 * lost. */
static GstPadProbeReturn
frame_hear (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstClockTime *first = data;
  GstBuffer *buffer = info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST
      ? gst_buffer_list_get (GST_PAD_PROBE_INFO_BUFFER_LIST (info), 0)
      : GST_PAD_PROBE_INFO_BUFFER (info);
  g_autoptr (GstElement) valve = NULL;

  if (*first == GST_CLOCK_TIME_NONE)
    *first = GST_BUFFER_PTS (buffer);
  if (GST_BUFFER_PTS (buffer) == *first)
    return GST_PAD_PROBE_OK;
  valve = gst_pad_get_parent_element (pad);
  g_object_set (valve, "drop", FALSE, NULL);
  return GST_PAD_PROBE_REMOVE;
}

static void
late_watch (Pair *p)
{
  g_autoptr (GstElement) late = p->pipeline
      ? gst_bin_get_by_name (GST_BIN (p->pipeline), "late")
      : NULL;
  g_autoptr (GstPad) pad
      = late ? gst_element_get_static_pad (late, "sink") : NULL;
  GstClockTime *first;

  if (!pad)
    return;
  first = g_new (GstClockTime, 1);
  *first = GST_CLOCK_TIME_NONE;
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, frame_hear,
      first, g_free);
}

/* All rows run at once, in virtual time, because each takes more than 10 s. */
static void
test_unmade (void)
{
  FastClock *clock = fast_clock_install ();
  Pair pairs[G_N_ELEMENTS (unmade_rows)];

  fast_clock_set_speed (clock, 5);
  for (guint i = 0; i < G_N_ELEMENTS (unmade_rows); i++) {
    g_autofree gchar *settings
        = g_strdup_printf ("encoding-name=%s", unmade_rows[i].encoding);
    g_autofree gchar *branch = g_strconcat (unmade_rows[i].depay, OUT, NULL);

    pair_open (&pairs[i], settings, branch, unmade_rows[i].sender);
    late_watch (&pairs[i]);
  }
  fast_sleep (clock, 20 * GST_SECOND);
  for (guint i = 0; i < G_N_ELEMENTS (unmade_rows); i++) {
    const gchar *element = unmade_rows[i].element;
    g_autofree gchar *wanted
        = g_strconcat (element, UNMADE, unmade_rows[i].encoding, ":", NULL);
    GString *said = pairs[i].said[1];

    g_test_message ("%s", unmade_rows[i].why);
    if (element)
      WAIT_UNTIL (pairs[i].receiver.bus,
          (hear (pairs[i].receiver.bus, said), times (said, wanted)));
    hear (pairs[i].receiver.bus, said);
    g_assert_cmpuint (times (said, UNMADE), ==, element != NULL);
    pair_end (&pairs[i]);
  }
  fast_clock_uninstall (clock);
}

/* --- pads that nothing is linked to ----------------------------------------- */

static const struct
{
  guint from, to; /* s, while the branch is linked */
  guint
      ready; /* s, when the receiver starts again from READY, with no sender */
  gboolean told;
  const gchar *why;
} unlinked_rows[] = {
  { 60, 60, 60, TRUE, "nothing is ever linked" },
  { 0, 60, 60, FALSE, "it is" },
  { 4, 60, 60, FALSE, "the application links it late, within two looks" },
  { 0, 4, 60, TRUE, "it was unlinked, and nothing took its place" },
  { 60, 60, 12, FALSE, "after two looks there are no pads and no packets" },
};

/* Links the branch, or unlinks it, as the row says for `second`. */
static void
unlinked_step (Pair *p, guint row, guint second)
{
  g_autoptr (GstPad) pad
      = gst_element_get_static_pad (p->receiver.src, "src_0");
  g_autoptr (GstPad) sink
      = gst_element_get_static_pad (p->receiver.branches[0], "sink");
  gboolean wanted
      = second >= unlinked_rows[row].from && second < unlinked_rows[row].to;

  if (second == unlinked_rows[row].ready) {
    gst_element_set_state (p->pipeline, GST_STATE_NULL);
    gst_element_set_state (p->receiver.pipeline, GST_STATE_READY);
    gst_element_set_state (p->receiver.pipeline, GST_STATE_PLAYING);
    return;
  }
  if (!pad || gst_pad_is_linked (pad) == wanted)
    return;
  if (wanted)
    gst_pad_link (pad, sink);
  else
    gst_pad_unlink (pad, sink);
}

/* All rows run at once, in virtual time; the first look is 5 s after the start, the third
 * with packets in between 15 s. */
static void
test_unlinked (void)
{
  FastClock *clock = fast_clock_install ();
  Pair pairs[G_N_ELEMENTS (unlinked_rows)];
  const gchar *text = "src_0 (payload type 96, H264) is not linked: ";

  for (guint i = 0; i < G_N_ELEMENTS (unlinked_rows); i++) {
    pair_open (
        &pairs[i], "encoding-name=H264", "identity" OUT, H264 "! rtpadaptsink");
    g_signal_handlers_disconnect_by_func (pairs[i].receiver.src,
        (gpointer) (GCallback) receiver_pad, &pairs[i].receiver);
  }
  fast_clock_set_speed (clock, 5);
  for (guint second = 0; second < 30; second++) {
    for (guint i = 0; i < G_N_ELEMENTS (unlinked_rows); i++)
      unlinked_step (&pairs[i], i, second);
    fast_sleep (clock, GST_SECOND);
  }
  for (guint i = 0; i < G_N_ELEMENTS (unlinked_rows); i++) {
    GString *said = pairs[i].said[1];

    g_test_message ("%s", unlinked_rows[i].why);
    if (unlinked_rows[i].told)
      WAIT_UNTIL (pairs[i].receiver.bus,
          (hear (pairs[i].receiver.bus, said), times (said, text)));
    hear (pairs[i].receiver.bus, said);
    g_assert_cmpuint (times (said, text), ==, unlinked_rows[i].told);
    pair_end (&pairs[i]);
  }
  fast_clock_uninstall (clock);
}

/* Nobody has to answer in PAUSED, where nothing leaves, nor behind the end of a short file.
 * What comes from the address before does not count as an answer. */
static void
test_silence (void)
{
  FastClock *clock = fast_clock_install ();
  g_autoptr (GstElement) sink = NULL;
  UdpHeard heard;
  Pair p;

  pair_open (&p, NULL, NULL, VP8 "! rtpadaptsink name=s");
  sink = gst_bin_get_by_name (GST_BIN (p.pipeline), "s");
  udp_hear (p.ear, &heard);
  gst_element_set_state (p.pipeline, GST_STATE_PAUSED);
  fast_clock_set_speed (clock, 5);
  fast_sleep (clock, 2 * HINT_AFTER);
  hear (p.bus, p.said[0]);
  g_assert_cmpuint (times (p.said[0], SILENCE), ==, 0);
  gst_element_set_state (p.pipeline, GST_STATE_PLAYING);
  wait_until ((hear (p.bus, p.said[0]), times (p.said[0], SILENCE)));
  udp_say (p.ear, "127.0.0.1", heard.from_port, 0, "", 1);
  g_object_set (sink, "host", "127.0.0.2", NULL);
  udp_say (p.ear, "127.0.0.1", heard.from_port, 0, "", 1);
  wait_until ((hear (p.bus, p.said[0]), times (p.said[0], "from 127.0.0.2 ")));
  fast_clock_set_speed (clock, 1); /* the end comes within HINT_AFTER */
  g_object_set (sink, "host", "127.0.0.3", NULL);
  gst_element_send_event (p.pipeline, gst_event_new_eos ());
  fast_sleep (clock, 4 * HINT_AFTER / 3);
  hear (p.bus, p.said[0]);
  g_assert_cmpuint (times (p.said[0], "No answer"), ==, 2);
  pair_end (&p);
  fast_clock_uninstall (clock);
}

/* --- an open port ------------------------------------------------------------ */

static const struct
{
  const gchar *settings;
  gboolean told;
  const gchar *why;
} open_rows[] = {
  { "address=127.0.0.1", FALSE, "only this machine comes here" },
  { "address=127.0.0.2", FALSE, "nor from outside to all of 127/8" },
  { "address=::1", FALSE, "the same" },
  { "", TRUE, "all addresses of this machine" },
  { "address=0.0.0.0", TRUE, "the same, told" },
  { "address=::", TRUE, "the same" },
  { "address=239.7.7.7 multicast-iface=lo", TRUE, "a group: who joins, sends" },
  { "address=0.0.0.0 " KEY, FALSE, "a key" },
  { "address=0.0.0.0 dtls=true fingerprint="
    "04:F0:2A:6D:F6:CE:43:DE:CB:D8:E4:4F:5E:55:CF:B1:"
    "D2:0F:FF:12:06:31:89:78:E3:50:0E:86:A3:E6:E7:C0",
      FALSE, "DTLS" },
};

/* Each start posts the warning once. */
static void
test_open (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (open_rows); i++) {
    g_autofree gchar *line = g_strdup_printf (
        "rtpadaptsrc port=0 encoding-name=H264 %s", open_rows[i].settings);
    g_autoptr (GString) said = g_string_new (NULL);
    GError *error = NULL;
    g_autoptr (GstElement) src = gst_parse_launch (line, &error);
    GstBus *bus = udp_bus_new (src);

    g_assert_no_error (error);
    g_test_message ("%s", open_rows[i].why);
    for (guint starts = 1; starts <= 2; starts++) {
      g_assert_cmpint (gst_element_set_state (src, GST_STATE_PAUSED), !=,
          GST_STATE_CHANGE_FAILURE);
      hear (bus, said);
      g_assert_cmpuint (times (said, "Anybody who reaches UDP port"), ==,
          open_rows[i].told * starts);
      gst_element_set_state (src, GST_STATE_NULL);
    }
    udp_bus_free (bus);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/hints/looks", test_looks);
  g_test_add_func ("/hints/handshake", test_handshake);
  g_test_add_func ("/hints/rows", test_rows);
  g_test_add_func ("/hints/open", test_open);
  g_test_add_func ("/hints/unmade", test_unmade);
  g_test_add_func ("/hints/unlinked", test_unlinked);
  g_test_add_func ("/hints/silence", test_silence);
}
