/* Which datagrams may come to the DTLS library, and when connections begin and end.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "../../plugins/rtpadapt/wire/dtlsflight.h"
#include "../../plugins/rtpadapt/wire/dtlsinput.h"
#include "../../plugins/rtpadapt/wire/dtlsout.h"
#include "../../plugins/rtpadapt/wire/dtlsrecords.h"
#include "../../plugins/rtpadapt/wire/dtlstry.h"

#include <string.h>
#include <sys/socket.h>

/* --- records ------------------------------------------------------------- */

/* RFC 6347 4.1: type, version, epoch, six bytes of number, length. */
#define RECORD(type, minor, epoch, length) \
  type "\xfe" minor "\0" epoch "\0\0\0\0\0\0\0" length
/* RFC 6347 4.2.2: type, length 3, message_seq 2, offset 3, part 3. */
#define MESSAGE(type, length, offset, part) \
  type "\0\0" length "\0\0\0\0" offset "\0\0" part
#define BYTES8 "abcdefgh"
#define BYTES32 BYTES8 BYTES8 BYTES8 BYTES8
/* A fragment with version and random, 13 + 12 + 34 bytes.  The rest of the message is
 * in another fragment. */
#define HELLO                           \
  RECORD ("\x16", "\xff", "\0", "\x2e") \
  MESSAGE ("\x01", "\x40", "\0", "\x22") "\xfe\xfd" BYTES32
/* The rest of it: 64 - 34 = 30 bytes. */
#define HELLO_REST                      \
  RECORD ("\x16", "\xff", "\0", "\x2a") \
  MESSAGE ("\x01", "\x40", "\x22", "\x1e") BYTES8 BYTES8 BYTES8 "123456"
#define DONE \
  RECORD ("\x16", "\xfd", "\0", "\x0c") MESSAGE ("\x0e", "\0", "\0", "\0")
#define CCS RECORD ("\x14", "\xfd", "\0", "\x01") "\x01"
#define FINISHED RECORD ("\x16", "\xfd", "\x01", "\x08") BYTES8

#define ROW(bytes) bytes, sizeof bytes - 1
#define SERVER TRUE
#define CLIENT FALSE

static const struct
{
  const gchar *data;
  gsize size;
  gboolean server; /* we are the server */
  DtlsKind kind;
  const gchar *why;
} records[] = {
  { ROW (HELLO), SERVER, DTLS_HELLO, "a ClientHello's first fragment" },
  { ROW (HELLO_REST), SERVER, DTLS_RECORDS, "and its second" },
  { ROW (HELLO HELLO_REST), SERVER, DTLS_HELLO, "both in one datagram" },
  { ROW (HELLO), CLIENT, DTLS_REFUSED, "a server does not say that" },
  { ROW (DONE), CLIENT, DTLS_RECORDS, "ServerHelloDone is empty" },
  { ROW (DONE), SERVER, DTLS_REFUSED, "a client does not say that" },
  { ROW (CCS FINISHED), SERVER, DTLS_RECORDS, "the end of a handshake" },
  { ROW (RECORD ("\x14", "\xfd", "\0", "\x01") "\x02"), SERVER, DTLS_REFUSED,
      "RFC 5246 7.1: a ChangeCipherSpec is 1" },
  { ROW (RECORD ("\x19", "\xfd", "\0", "\x01") "\0"), SERVER, DTLS_REFUSED,
      "A3: content type 25" },
  { ROW (RECORD ("\x15", "\xff", "\0", "\x02") "\x02\x28"), CLIENT,
      DTLS_REFUSED, "A3: an alert in the clear" },
  { ROW (RECORD ("\x15", "\xfd", "\x01", "\x08") BYTES8), CLIENT, DTLS_RECORDS,
      "an encrypted alert" },
  { ROW (RECORD ("\x17", "\xfd", "\0", "\x08") BYTES8), SERVER, DTLS_REFUSED,
      "data in the clear" },
  { ROW (RECORD ("\x18", "\xfd", "\x01", "\x08") BYTES8), SERVER, DTLS_REFUSED,
      "a heartbeat" },
  { ROW (RECORD ("\x16", "\xfc", "\x01", "\x08") BYTES8), SERVER, DTLS_REFUSED,
      "no version" },
  { ROW (RECORD ("\x16", "\xfd", "\x02", "\x08") BYTES8), SERVER, DTLS_REFUSED,
      "a renegotiation" },
  { ROW (RECORD ("\x16", "\xfd", "\x01", "\x09") BYTES8), SERVER, DTLS_REFUSED,
      "a byte is missing" },
  { ROW (RECORD ("\x16", "\xfd", "\x01", "\x07") BYTES8), SERVER, DTLS_REFUSED,
      "a byte is left over" },
  { ROW (RECORD ("\x16", "\xfd", "\x01", "\0")), SERVER, DTLS_REFUSED,
      "encrypted nothing" },
  { ROW (FINISHED RECORD ("\x15", "\xff", "\0", "\x02") "\x02\x28"), SERVER,
      DTLS_REFUSED, "a good record and a bad one" },
  { ROW (RECORD ("\x16", "\xfd", "\0", "\x0b") "\x01\0\0\0\0\0\0\0\0\0\0"),
      SERVER, DTLS_REFUSED, "too short for a message" },
  { ROW (RECORD ("\x16", "\xfd", "\0", "\x14")
            MESSAGE ("\x0b", "\x07", "\0", "\x08") BYTES8),
      SERVER, DTLS_REFUSED, "a fragment longer than its message" },
  { ROW (RECORD ("\x16", "\xfd", "\0", "\x14")
            MESSAGE ("\x0b", "\x40", "\0", "\x09") BYTES8),
      SERVER, DTLS_REFUSED, "a fragment longer than its record" },
  { ROW (RECORD ("\x16", "\xfd", "\0", "\x14")
            MESSAGE ("\x00", "\x08", "\0", "\x08") BYTES8),
      CLIENT, DTLS_REFUSED, "a HelloRequest" },
  { ROW ("\x80\x60\0\0"), SERVER, DTLS_SRTP, "RTP" },
  { ROW ("\xbf"), SERVER, DTLS_SRTP, "RFC 7983 7: the last" },
  { ROW ("\xc0"), SERVER, DTLS_REFUSED, "nobody's" },
  { ROW ("\x00\x01\0\0"), SERVER, DTLS_REFUSED, "STUN" },
  { ROW ("\x16"), SERVER, DTLS_REFUSED, "a byte" },
  { "", 0, SERVER, DTLS_REFUSED, "nothing" },
};

static void
test_records (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (records); i++) {
    guint8 random[DTLS_RANDOM];
    /* The copy has the exact size, so a sanitizer sees a read beyond the end. */
    g_autofree guint8 *data = g_memdup2 (records[i].data, records[i].size);

    g_test_message ("%u: %s", i, records[i].why);
    g_assert_cmpint (
        dtls_records_kind (data, records[i].size, records[i].server, random),
        ==, records[i].kind);
    if (records[i].kind == DTLS_HELLO)
      g_assert_cmpmem (random, DTLS_RANDOM, BYTES32, DTLS_RANDOM);
  }
}

/* No part of a datagram passes, whatever its length. */
static void
test_cut (void)
{
  static const gchar whole[] = HELLO HELLO_REST;
  guint8 random[DTLS_RANDOM];

  for (gsize size = 1; size < sizeof whole - 1; size++) {
    g_autofree guint8 *data = g_memdup2 (whole, size);
    gboolean first = size == sizeof HELLO - 1;

    g_assert_cmpint (dtls_records_kind (data, size, TRUE, random), ==,
        first ? DTLS_HELLO : DTLS_REFUSED);
  }
}

static void
test_end_of_hello (void)
{
  g_assert_false (dtls_records_end_hello ((const guint8 *) ROW (HELLO)));
  g_assert_true (dtls_records_end_hello ((const guint8 *) ROW (HELLO_REST)));
  g_assert_false (dtls_records_end_hello ((const guint8 *) ROW (DONE)));
  g_assert_false (dtls_records_end_hello ((const guint8 *) ROW ("\x16")));
  g_assert_true (dtls_records_is_hello ((const guint8 *) ROW (HELLO)));
  g_assert_true (dtls_records_is_hello ((const guint8 *) ROW (HELLO_REST)));
  g_assert_false (dtls_records_is_hello ((const guint8 *) ROW (DONE)));
  g_assert_false (dtls_records_is_hello ((const guint8 *) ROW ("\x16")));
}

/* --- tries --------------------------------------------------------------- */

#define AT(ms) ((RaTime) (1000 * RA_SECOND + (ms) *RA_MSECOND))
#define NEVER RA_TIME_NONE

/* RFC 9000 8.1: three times as many bytes as came. */
static void
test_amplification (void)
{
  DtlsTry t = { .in = 327 };

  g_assert_true (dtls_try_may_send (&t, 981));
  g_assert_false (dtls_try_may_send (&t, 982));
  t.out = 981;
  g_assert_false (dtls_try_may_send (&t, 1));
  t.keyed = TRUE;
  g_assert_true (dtls_try_may_send (&t, 1000));
}

static const struct
{
  gboolean client, keyed, failed, proven, any; /* any: there is a current one */
  gint heard; /* ms since the current one was heard */
  gint now;
  gboolean replaces;
  const gchar *why;
} places[] = {
  { FALSE, FALSE, FALSE, TRUE, FALSE, 0, 0, FALSE, "not complete" },
  { FALSE, TRUE, FALSE, FALSE, FALSE, 0, 0, TRUE, "nobody is there" },
  { FALSE, TRUE, TRUE, FALSE, FALSE, 0, 0, FALSE, "a wrong certificate" },
  { FALSE, TRUE, TRUE, TRUE, FALSE, 0, 9000, FALSE, "it has failed" },
  { FALSE, TRUE, FALSE, TRUE, TRUE, 0, 0, TRUE, "known by its certificate" },
  { FALSE, TRUE, FALSE, FALSE, TRUE, 0, 999, FALSE, "the current one speaks" },
  { FALSE, TRUE, FALSE, FALSE, TRUE, 0, 1000, TRUE, "it has been silent" },
  { TRUE, TRUE, FALSE, FALSE, TRUE, 0, 0, TRUE, "a client asked for it" },
};

static void
test_places (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    DtlsTry t = { .keyed = places[i].keyed,
      .failed = places[i].failed,
      .proven = places[i].proven };
    DtlsCurrent current = { .heard = AT (places[i].heard) };

    g_test_message ("%u: %s", i, places[i].why);
    g_assert_cmpint (dtls_try_may_replace (&t, places[i].any ? &current : NULL,
                         places[i].client, AT (places[i].now)),
        ==, places[i].replaces);
  }
}

static const struct
{
  gboolean client, failed, dubious, rival;
  gint heard, current, now; /* ms after it began; -1: never, nobody */
  gboolean over;
  const gchar *why;
} ends[] = {
  { FALSE, TRUE, FALSE, FALSE, 0, -1, 0, TRUE, "failed" },
  { FALSE, FALSE, FALSE, FALSE, 0, -1, 7999, FALSE, "a server waits" },
  { FALSE, FALSE, FALSE, FALSE, 0, -1, 8000, TRUE, "not for ever" },
  { TRUE, FALSE, FALSE, FALSE, -1, -1, 59999, FALSE, "the receiver is late" },
  { TRUE, FALSE, FALSE, FALSE, -1, -1, 60000, TRUE,
      "before the library gives up" },
  { TRUE, FALSE, FALSE, FALSE, 50000, -1, 54999, FALSE, "answered" },
  { TRUE, FALSE, FALSE, FALSE, 50000, -1, 55000, TRUE, "and left alone" },
  { TRUE, FALSE, TRUE, FALSE, 1000, -1, 3000, TRUE,
      "answered by who knows whom" },
  { TRUE, FALSE, FALSE, FALSE, -1, 500, 600, TRUE, "the current one is back" },
  { TRUE, FALSE, FALSE, FALSE, 400, 500, 600, FALSE,
      "but a new one has begun" },
  { TRUE, FALSE, FALSE, TRUE, -1, -1, 999, FALSE, "another sender waits" },
  { TRUE, FALSE, FALSE, TRUE, -1, -1, 1000, TRUE, "for a second" },
  { TRUE, FALSE, FALSE, TRUE, 900, -1, 1900, FALSE, "not if it is answered" },
};

static void
test_ends (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    DtlsTry t = { .begun = AT (0),
      .heard = ends[i].heard < 0 ? NEVER : AT (ends[i].heard),
      .failed = ends[i].failed,
      .dubious = ends[i].dubious,
      .rival = ends[i].rival };
    DtlsCurrent current = { .heard = AT (ends[i].current) };

    g_test_message ("%u: %s", i, ends[i].why);
    g_assert_cmpint (
        dtls_try_is_over (&t, ends[i].current < 0 ? NULL : &current,
            ends[i].client, AT (ends[i].now)),
        ==, ends[i].over);
  }
}

static const struct
{
  gboolean any;
  gint heard, sent, last, now; /* ms; -1: never */
  gboolean begins;
  const gchar *why;
} beginnings[] = {
  { FALSE, 0, 0, -1, 0, TRUE, "the first" },
  { FALSE, 0, 0, 0, 999, FALSE, "not twice in a second" },
  { FALSE, 0, 0, 0, 1000, TRUE, "again" },
  { TRUE, 0, 1400, 0, 1499, FALSE, "heard of late" },
  { TRUE, 0, 1400, 0, 1500, TRUE, "sends into the void" },
  { TRUE, 0, -1, 0, 9000, FALSE, "has sent nothing: no answer is due" },
  { TRUE, 5000, 4999, 0, 9000, FALSE, "nothing since the last answer" },
  { TRUE, 0, 1000, 0, 2500, FALSE, "sends no more" },
};

static void
test_beginnings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (beginnings); i++) {
    gint sent = beginnings[i].sent, last = beginnings[i].last;
    DtlsCurrent current = { .heard = AT (beginnings[i].heard),
      .sent = sent < 0 ? NEVER : AT (sent) };

    g_test_message ("%u: %s", i, beginnings[i].why);
    g_assert_cmpint (dtls_client_begins (beginnings[i].any ? &current : NULL,
                         last < 0 ? NEVER : AT (last), AT (beginnings[i].now)),
        ==, beginnings[i].begins);
  }
}

/* A receiver that comes a minute late hears a hello within half a second, and
 * another one as long as the client cannot reply: its answer may be larger than
 * the first one has earned. */
static void
test_late (void)
{
  DtlsTry t = { .begun = AT (0), .heard = NEVER, .hello = AT (0) };
  guint hellos = 0;

  for (gint ms = 0; ms < 60000; ms += 100) {
    if (!dtls_try_says_hello (&t, AT (ms)))
      continue;
    t.hello = AT (ms);
    hellos++;
  }
  g_assert_cmpuint (hellos, ==, 119);
  t.heard = AT (59900);
  g_assert_true (dtls_try_says_hello (&t, AT (70000)));
  t.replied = TRUE;
  g_assert_false (dtls_try_says_hello (&t, AT (70000)));
  t.dubious = TRUE;
  g_assert_true (dtls_try_says_hello (&t, AT (70000)));
}

static void
test_room (void)
{
  DtlsTry t = { .begun = AT (0) };
  DtlsCurrent c = { .heard = AT (0) };

  /* One that hears new SSRCs waits for its peer for ever. */
  g_assert_false (dtls_current_is_over (&c, AT (10000)));
  c.full = TRUE;
  g_assert_false (dtls_current_is_over (&c, AT (9999)));
  g_assert_true (dtls_current_is_over (&c, AT (10000)));

  g_assert_false (dtls_try_may_restart (&t, AT (199)));
  g_assert_true (dtls_try_may_restart (&t, AT (200)));
  g_assert_false (dtls_try_may_leave (&t, AT (999)));
  g_assert_true (dtls_try_may_leave (&t, AT (1000)));
  t.keyed = TRUE;
  g_assert_false (dtls_try_may_leave (&t, AT (7000)));
}

/* --- flights ------------------------------------------------------------- */

static gboolean
add (DtlsFlight *f, DtlsTry *t, const DtlsFlightRules *rules, const gchar *data,
    gsize size, GQueue *leaves)
{
  return dtls_flight_add (
      f, t, rules, gst_buffer_new_memdup (data, size), 1, leaves);
}

/* The sizes of what leaves, "59 55"; nothing is left of it. */
static void
assert_leaves (GQueue *leaves, const gchar *sizes)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GstBuffer *buffer;

  while ((buffer = g_queue_pop_head (leaves))) {
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, text->len ? " " : "",
        gst_buffer_get_size (buffer));
    gst_buffer_unref (buffer);
  }
  g_assert_cmpstr (text->str, ==, sizes);
}

/* A server that got 100 bytes may send 300. */
static void
test_held (void)
{
  static const gchar zeros[256];
  const DtlsFlightRules server = { .bounded = TRUE };
  DtlsTry t = { .in = 100 };
  DtlsFlight f = { 0 };
  GQueue leaves = G_QUEUE_INIT;
  GstBuffer *buffer;

  g_assert_true (add (&f, &t, &server, zeros, 200, &leaves));
  g_assert_false (add (&f, &t, &server, zeros, 101, &leaves));
  g_assert_false (add (&f, &t, &server, zeros, 1, &leaves)); /* in order */
  assert_leaves (&leaves, "200");
  g_assert_null (dtls_flight_release (&f, &t, &server));
  t.in++;
  for (guint i = 0; i < 2; i++) {
    buffer = dtls_flight_release (&f, &t, &server);
    g_assert_cmpuint (gst_buffer_get_size (buffer), ==, i == 0 ? 101 : 1);
    gst_buffer_unref (buffer);
  }
  g_assert_null (dtls_flight_release (&f, &t, &server));
  g_assert_cmpuint (t.out, ==, 302);
  for (guint i = 0; i < DTLS_HELD_MAX + 5; i++)
    add (&f, &t, &server, zeros, 50, &leaves);
  g_assert_cmpuint (f.held.length, ==, DTLS_HELD_MAX);
  assert_leaves (&leaves, "");
  dtls_flight_clear (&f);
}

/* A client says its hello twice, as soon as it is complete, and knows it again. */
static void
test_hello_twice (void)
{
  const DtlsFlightRules free_client = { .client = TRUE };
  const DtlsFlightRules bounded = { .client = TRUE, .bounded = TRUE };
  DtlsTry t = { 0 }, poor = { .in = 50 };
  DtlsFlight f = { 0 }, g = { 0 };
  GQueue leaves = G_QUEUE_INIT;

  add (&f, &t, &free_client, ROW (HELLO), &leaves);
  assert_leaves (&leaves, "59");
  add (&f, &t, &free_client, ROW (HELLO_REST), &leaves);
  assert_leaves (&leaves, "55 59 55");
  add (&f, &t, &free_client, ROW (HELLO), &leaves); /* the library's own */
  assert_leaves (&leaves, "59");
  g_assert_false (t.replied);
  dtls_flight_hello (&f, &t, &free_client, DTLS_HELLOS, 7, &leaves);
  assert_leaves (&leaves, "59 55 59 55");
  g_assert_cmpint (t.hello, ==, 7);
  add (&f, &t, &free_client, ROW (DONE), &leaves);
  assert_leaves (&leaves, "25");
  g_assert_true (t.replied);
  dtls_flight_clear (&f);

  /* 150 bytes are enough for one hello of 114. */
  add (&g, &poor, &bounded, ROW (HELLO), &leaves);
  add (&g, &poor, &bounded, ROW (HELLO_REST), &leaves);
  assert_leaves (&leaves, "59 55");
  dtls_flight_clear (&g);
}

/* A queue that is full holds no thread up: a socket of the system that nobody reads, as
 * a network card's queue cannot be filled here. */
static void
test_full_queue (void)
{
  struct sockaddr_storage native = { .ss_family = AF_UNIX };
  socklen_t size = sizeof (sa_family_t); /* unix(7): any free address */
  gint ear = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gint mouth = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  g_autoptr (GSocket) socket = g_socket_new_from_fd (mouth, NULL);
  g_autoptr (GSocketAddress) to = NULL;
  GMutex lock;
  DtlsOutbox outbox = { .lock = &lock, .socket = socket };
  DtlsLink link = { .t.in = 1000 };
  guint came = 0;

  g_mutex_init (&lock);
  g_assert_cmpint (bind (ear, (gpointer) &native, size), ==, 0);
  size = sizeof native;
  g_assert_cmpint (getsockname (ear, (gpointer) &native, &size), ==, 0);
  to = g_socket_address_new_from_native (&native, size);
  link.peer = to;
  while (sendto (mouth, "x", 1, MSG_DONTWAIT, (gpointer) &native, size) > 0)
    came++;
  g_assert_true (g_socket_get_blocking (socket)); /* as ours are */
  dtls_out_leaves (&outbox, &link, gst_buffer_new_memdup (ROW (DONE)));
  while (recv (ear, &native, sizeof native, MSG_DONTWAIT) > 0)
    came--;
  g_assert_cmpuint (came, ==, 0); /* it was lost */
  dtls_flight_clear (&link.flight);
  g_mutex_clear (&lock);
  close (ear);
}

static void
test_input (void)
{
  static const struct
  {
    DtlsKind kind;
    gboolean belongs;
    guint fit;
    const gchar *why;
  } floods[] = {
    { DTLS_HELLO, FALSE, DTLS_INPUT_HELLOS, "few hellos wait" },
    { DTLS_HELLO, TRUE, 0, "wherever they come from" },
    { DTLS_RECORDS, FALSE, 0, "strangers' records" },
    { DTLS_RECORDS, TRUE, DTLS_INPUT_MAX - DTLS_INPUT_HELLOS, "the peer's" },
    { DTLS_SRTP, TRUE, 0, "that is not DTLS" },
  };
  DtlsInput in = { 0 };

  for (guint row = 0; row < G_N_ELEMENTS (floods); row++) {
    guint n = 0;

    for (guint i = 0; i < 300; i++) {
      GstBuffer *buffer = gst_buffer_new ();

      if (dtls_input_push (&in, floods[row].kind, floods[row].belongs, buffer))
        n++;
      else
        gst_buffer_unref (buffer);
    }
    if (n != floods[row].fit)
      g_test_fail_printf ("%s: %u", floods[row].why, n);
  }
  gst_buffer_unref (dtls_input_pop (&in));
  dtls_input_clear (&in);
  g_assert_true (dtls_input_is_empty (&in));
}

void
tests_add (void)
{
  g_test_add_func ("/dtls-parts/records", test_records);
  g_test_add_func ("/dtls-parts/cut", test_cut);
  g_test_add_func ("/dtls-parts/end-of-hello", test_end_of_hello);
  g_test_add_func ("/dtls-parts/amplification", test_amplification);
  g_test_add_func ("/dtls-parts/places", test_places);
  g_test_add_func ("/dtls-parts/ends", test_ends);
  g_test_add_func ("/dtls-parts/beginnings", test_beginnings);
  g_test_add_func ("/dtls-parts/late", test_late);
  g_test_add_func ("/dtls-parts/room", test_room);
  g_test_add_func ("/dtls-parts/held", test_held);
  g_test_add_func ("/dtls-parts/hello-twice", test_hello_twice);
  g_test_add_func ("/dtls-parts/full-queue", test_full_queue);
  g_test_add_func ("/dtls-parts/input", test_input);
}
