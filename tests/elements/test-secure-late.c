/* SRTP with a key from end to end: senders that do not answer or have another key,
 * receivers that come late, and floods of SSRCs before the stream.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "secure-fixture.h"
#include "../rows.h"

#include <srtp2/srtp.h>

/* --- who does not answer ------------------------------------------------- */

/* Till there is a warning with these words. */
static void
wait_warning (GstBus *bus, const gchar *words)
{
  g_autofree gchar *said = NULL;

  do {
    g_clear_pointer (&said, g_free);
    WAIT_UNTIL (bus, (said = udp_said (bus, GST_MESSAGE_WARNING)) != NULL);
    g_test_message ("%s", said);
  } while (!strstr (said, words));
}

/* A sender that gets no questions looks like a recording: its packets are held, then
 * refused, and a warning says what to do.  When the way back is open, it plays.
 * Meanwhile a pair with two keys runs, and both sides warn. */
static void
test_silent (void)
{
  GstElement *sender, *other;
  g_autoptr (GstBus) bus = NULL;
  Receiver t, wrong;
  Path path;

  receiver_start (&wrong, "", 0);
  other = play_sender ((guint) wrong.port, OTHER);
  receiver_start (&t, "", 0);
  path_open (&path, t.port);
  g_atomic_int_set (&path.back, FALSE);
  sender = play_sender (path.port, KEY);
  wait_warning (t.bus, "replay-guard=false");
  g_assert_cmpint (g_atomic_int_get (&t.frames[0]), ==, 0);
  g_assert_cmpuint (stat_of (t.src, "rtp"), ==, 0);
  g_assert_cmpuint (stat_of (t.src, "security/unproven"), >, 0);
  g_atomic_int_set (&path.back, TRUE);
  wait_frames (&t, 0, 5);
  line_end (sender);
  g_ptr_array_unref (path_close (&path));
  receiver_end (&t);

  bus = gst_element_get_bus (other);
  wait_warning (
      wrong.bus, "127.0.0.1 do not authenticate: is the key the same");
  wait_warning (bus, "127.0.0.1 do not authenticate: is the key the same");
  line_end (other);
  receiver_end (&wrong);
}

/* --- late joiners, and floods before them -------------------------------- */

/* A sender by hand, whose session began long ago. */
typedef struct
{
  srtp_t session;
  gint fd;
  guint64 sent;
} Hand;

static void
hand_new (Hand *h)
{
  guint8 key[30];
  guint port;
  srtp_policy_t policy = { .ssrc = { ssrc_any_outbound, 0 }, .key = key };

  for (guint i = 0; i < sizeof key; i++)
    key[i] = (guint8) (g_ascii_xdigit_value (KEY[2 * i]) << 4
        | g_ascii_xdigit_value (KEY[2 * i + 1]));
  srtp_crypto_policy_set_rtp_default (&policy.rtp);
  srtp_crypto_policy_set_rtp_default (&policy.rtcp);
  *h = (Hand){ .fd = udp_socket ("127.0.0.1", &port) };
  g_assert_cmpint (srtp_create (&h->session, &policy), ==, srtp_err_status_ok);
}

/* Makes its next packet, with an SSRC, and sends it if `say`. */
static void
hand_next (Hand *h, guint port, guint32 ssrc, gboolean say)
{
  guint8 data[128] = { 0x80, 96, (guint8) (h->sent >> 8), (guint8) h->sent };
  gint len = 60;

  h->sent++;
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  g_assert_cmpint (
      srtp_protect (h->session, data, &len), ==, srtp_err_status_ok);
  if (say)
    udp_say (h->fd, "127.0.0.1", port, 0, data, (gsize) len);
}

static void
hand_skip (Hand *h, guint32 ssrc, guint64 n)
{
  for (guint64 to = h->sent + n; h->sent < to;) {
    h->sent = MIN (h->sent + 30000, to - 1);
    hand_next (h, 0, ssrc, FALSE);
  }
}

#define FAKES 2000

/* Made-up SSRCs, each once. */
static void
flood (Receiver *t, guint32 first)
{
  guint64 dropped = stat_of (t->src, "security/dropped");
  guint8 data[70] = { 0x80, 96 };
  guint port;
  gint fd = udp_socket ("127.0.0.1", &port);

  for (guint i = 1; i <= FAKES; i++) {
    GST_WRITE_UINT32_BE (data + 8, first + i);
    udp_say (fd, "127.0.0.1", (guint) t->port, 0, data, sizeof data);
    if (i % 50 == 0) /* the socket's buffer is small */
      WAIT_UNTIL (t->bus, stat_of (t->src, "security/dropped") >= dropped + i);
  }
  close (fd);
}

static const struct
{
  const gchar *name;
  guint64 before;
  guint most; /* packets till one passes */
} late[] = {
  { "12 SSRCs, receiver starts", 0, 1 },
  /* The flood may have used up the tries for counters above 0. */
  { "12 SSRCs, receiver starts after three wraps", 3 * 65536 + 100, 2 },
};

/* How many packets it sends until one is let in. */
static guint
hand_enter (Hand *h, Receiver *t, guint32 ssrc)
{
  guint64 received, dropped, after;
  guint n = 0;

  do {
    received = stat_of (t->src, "security/received");
    dropped = stat_of (t->src, "security/dropped");
    hand_next (h, (guint) t->port, ssrc, TRUE);
    n++;
    WAIT_UNTIL (t->bus, stat_of (t->src, "security/received") > received);
    after = stat_of (t->src, "security/dropped");
    g_usleep (10000); /* 10 tries more */
  } while (after > dropped && n < 10);
  return n;
}

static void
test_late (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  guint first, gap, again;
  guint64 streams;
  g_auto (Receiver) t;
  Hand h;

  hand_new (&h);
  hand_skip (&h, 1, late[r].before);
  receiver_new (&t, "encoding-name=RAW replay-guard=false key=" KEY, "");
  receiver_play (&t);
  flood (&t, 0x1000);
  first = hand_enter (&h, &t, 1);
  /* 1.1 s in which 40,000 packets are lost */
  hand_skip (&h, 1, 40000);
  g_usleep (1100000);
  gap = hand_enter (&h, &t, 1);
  hand_next (&h, (guint) t.port, 1, TRUE); /* confirms the jump (seqcheck.h) */
  /* a restart in another flood */
  flood (&t, 0x10000);
  h.sent = 7;
  again = hand_enter (&h, &t, 2);
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtp") == 4);
  streams = stat_of (t.src, "security/streams");
  trust_row ("flood", late[r].name,
      "behind 2,000 made-up SSRCs the first packet passes (after wraps the "
      "second at the latest), and the first after a gap of 40,000 and after a "
      "restart; none of 4,000 is kept",
      first <= late[r].most && gap == 1 && again == 1 && streams == 2,
      "packets %u, %u, %u; %" G_GUINT64_FORMAT " streams", first, gap, again,
      streams);
  srtp_dealloc (h.session);
  close (h.fd);
}

void
tests_add (void)
{
  g_test_add_func ("/secure-late/silent", test_silent);
  rows_add ("/secure-late/late", late, test_late);
}
