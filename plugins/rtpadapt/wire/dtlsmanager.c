/* The thread that begins, feeds and ends DTLS connections.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlshubpriv.h"
#include "secure.h"
#include "parts/systime.h"

#include <gst/net/gstnetaddressmeta.h>
#include <string.h>

#define GST_CAT_DEFAULT dtls_hub_debug

/* How often the thread looks whether it is time for something, by system_now(). */
#define TICK (100 * G_TIME_SPAN_MILLISECOND)
/* How many wrong certificates are reported; a stranger can make any number. */
#define WARNED_MAX 16

static void
count_refused (DtlsHub *self)
{
  g_mutex_lock (&self->lock);
  self->count.refused++;
  g_mutex_unlock (&self->lock);
}

/* --- callbacks of the connections ---------------------------------------- */

static void
on_flight (gpointer data, DtlsLink *link, GstBuffer *buffer)
{
  DtlsHub *self = data;

  dtls_out_leaves (&self->outbox, link, buffer);
}

static GstFlowReturn
on_leaves (gpointer data, GstMiniObject *object)
{
  DtlsHub *self = data;
  GstFlowReturn flow = GST_IS_BUFFER_LIST (object)
      ? gst_pad_push_list (self->net_src, GST_BUFFER_LIST_CAST (object))
      : gst_pad_push (self->net_src, GST_BUFFER_CAST (object));

  g_atomic_int_set (&self->flow, flow);
  return GST_FLOW_OK;
}

static GstFlowReturn
on_came (gpointer data, DtlsLink *link, gboolean rtcp, GstBuffer *buffer)
{
  DtlsHub *self = data;
  gboolean pass;

  g_mutex_lock (&self->lock);
  pass = link == self->current;
  if (pass)
    link->current.heard = system_now ();
  g_mutex_unlock (&self->lock);
  if (pass)
    return gst_pad_push (rtcp ? self->rtcp_src : self->rtp_src, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* TRUE if both have the same hex digits, whatever their case and their colons. */
static gboolean
fingerprint_equal (const gchar *a, const gchar *b)
{
  if (!a || !b)
    return FALSE;
  for (;; a++, b++) {
    while (*a == ':' || *a == ' ')
      a++;
    while (*b == ':' || *b == ' ')
      b++;
    if (g_ascii_toupper (*a) != g_ascii_toupper (*b))
      return FALSE;
    if (!*a)
      return TRUE;
  }
}

/* Judges the peer's certificate during the handshake, before there are keys.
 * dtlsdec accepts any certificate; the manager ends a connection with a wrong one.
 */
static void
on_certificate (gpointer data, DtlsLink *link, const gchar *pem)
{
  DtlsHub *self = data;
  gchar *found = secure_fingerprint (pem);

  g_mutex_lock (&self->lock);
  g_free (link->fingerprint);
  link->fingerprint = found;
  if (self->fingerprint && !fingerprint_equal (self->fingerprint, found))
    link->wrong = link->t.failed = TRUE;
  g_mutex_unlock (&self->lock);
}

static void
on_keyed (gpointer data, DtlsLink *link)
{
  DtlsHub *self = data;

  g_mutex_lock (&self->lock);
  link->t.keyed = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
}

/* --- beginning and ending ------------------------------------------------ */

/* The place of a new try, or NULL. */
static DtlsLink **
free_place (DtlsHub *self)
{
  guint places = self->outbox.client ? 1 : DTLS_TRIES;

  for (guint i = 0; i < places; i++) {
    if (!self->tries[i])
      return &self->tries[i];
  }
  return NULL;
}

static void
end_link (DtlsHub *self, DtlsLink **place)
{
  DtlsLink *link;

  g_mutex_lock (&self->lock);
  link = g_steal_pointer (place);
  if (link)
    link->closed = TRUE;
  g_mutex_unlock (&self->lock);
  if (!link)
    return;
  dtls_link_end (link);
  dtls_link_unref (link);
}

static DtlsLink *
begin_link (DtlsHub *self, DtlsLink **place, GSocketAddress *peer,
    const guint8 *random, guint64 bytes)
{
  const DtlsLinkFuncs funcs = { .flight = on_flight,
    .leaves = on_leaves,
    .came = on_came,
    .certificate = on_certificate,
    .keyed = on_keyed,
    .data = self };
  DtlsLink *link = dtls_link_new (&funcs, self->outbox.client, self->pem);
  RaTime now = system_now ();

  if (!link)
    return NULL;
  link->t = (DtlsTry){
    .begun = now, .heard = RA_TIME_NONE, .hello = now, .in = bytes
  };
  link->current.sent = RA_TIME_NONE;
  if (random)
    memcpy (link->random, random, DTLS_RANDOM);
  link->peer = peer ? g_object_ref (peer) : NULL;
  g_mutex_lock (&self->lock);
  *place = link;
  self->begun = now;
  g_mutex_unlock (&self->lock);
  if (dtls_link_begin (link))
    return link;
  GST_WARNING_OBJECT (self, "a DTLS connection could not be begun");
  end_link (self, place);
  return NULL;
}

/* --- what comes ---------------------------------------------------------- */

/* The try with that address, or one that nobody has answered. */
static DtlsLink **
find_try (DtlsHub *self, GSocketAddress *from)
{
  for (guint i = 0; i < DTLS_TRIES; i++) {
    DtlsLink *link = self->tries[i];

    if (link && (!link->peer || same_address (link->peer, from)))
      return &self->tries[i];
  }
  return NULL;
}

/* Finds a place for the hello of a new peer.  If there is none, a try that has
 * gone on for DTLS_ROOM ends. */
static DtlsLink **
make_room (DtlsHub *self, RaTime now)
{
  DtlsLink **place = free_place (self);

  for (guint i = 0; i < DTLS_TRIES && !place; i++) {
    if (dtls_try_may_leave (&self->tries[i]->t, now)) {
      place = &self->tries[i];
      end_link (self, place);
    }
  }
  return place;
}

/* The connection that a ClientHello is for, or NULL. */
static DtlsLink *
take_hello (DtlsHub *self, GSocketAddress *from, const guint8 *random)
{
  DtlsLink **place = find_try (self, from), *link;
  RaTime now = system_now ();

  link = place ? *place : self->current;
  if (link && same_address (link->peer, from)
      && memcmp (link->random, random, DTLS_RANDOM) == 0)
    return link; /* the peer has repeated its hello */
  if (place && !dtls_try_may_restart (&(*place)->t, now))
    return NULL; /* the try of this peer has only just begun */
  if (place)
    end_link (self, place);
  else
    place = make_room (self, now);
  return place ? begin_link (self, place, from, random, 0) : NULL;
}

/* Takes the first answer to a try.  An answer from another port of the host may be
 * a stranger's.  So it counts only when the destination has not answered for
 * DTLS_ROOM, and the try is given up after DTLS_DOUBT. */
static gboolean
accept_answer (DtlsHub *self, DtlsLink *link, GSocketAddress *from)
{
  gboolean other;

  g_mutex_lock (&self->lock);
  other = self->to && !same_host_and_port (self->to, from);
  if (!other || dtls_try_may_leave (&link->t, system_now ())) {
    link->peer = g_object_ref (from);
    link->t.dubious = other;
  }
  g_mutex_unlock (&self->lock);
  return link->peer != NULL;
}

/* Ends a try that another port answered, because the destination speaks after all.
 * Its datagrams are for that try, so the next try waits until no more of them can
 * come. */
static void
end_doubt (DtlsHub *self, GSocketAddress *from)
{
  DtlsLink *link = self->tries[0];

  if (!self->outbox.client || !link || !link->t.dubious
      || !same_host_and_port (self->to, from))
    return;
  end_link (self, &self->tries[0]);
  self->begun = ra_later (system_now (), DTLS_DRAIN - DTLS_BEGIN_AGAIN);
}

static DtlsLink *
take_records (DtlsHub *self, GSocketAddress *from)
{
  DtlsLink **place, *link;

  end_doubt (self, from);
  place = find_try (self, from);
  link = place ? *place : NULL;
  if (link && (link->peer || accept_answer (self, link, from)))
    return link;
  link = self->current;
  return link && same_address (link->peer, from) ? link : NULL;
}

/* Only this thread changes the connections, so it reads them without the lock. */
static void
feed (DtlsHub *self, DtlsLink *link, GstBuffer *buffer)
{
  g_mutex_lock (&self->lock);
  link->t.in += gst_buffer_get_size (buffer);
  if (link->t.heard == RA_TIME_NONE)
    link->t.heard = system_now ();
  g_mutex_unlock (&self->lock);
  dtls_out_release (&self->outbox, link);
  /* The library failed, or the peer has closed the connection. */
  if (gst_pad_push (link->net_in, buffer) != GST_FLOW_OK) {
    g_mutex_lock (&self->lock);
    link->t.failed = TRUE;
    g_mutex_unlock (&self->lock);
  }
  dtls_out_release (&self->outbox, link);
}

static void
take (DtlsHub *self, GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  guint8 random[DTLS_RANDOM];
  DtlsKind kind = DTLS_REFUSED;
  DtlsLink *link = NULL;
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    kind = dtls_records_kind (map.data, map.size, !self->outbox.client, random);
    gst_buffer_unmap (buffer, &map);
  }
  if (kind == DTLS_HELLO)
    link = take_hello (self, meta->addr, random);
  else if (kind == DTLS_RECORDS)
    link = take_records (self, meta->addr);
  if (link) {
    feed (self, link, buffer);
    return;
  }
  count_refused (self);
  gst_buffer_unref (buffer);
}

/* --- what becomes due ---------------------------------------------------- */

/* Ends the current connection first, so that no more of its packets come when the
 * srtpdec of the new one takes its place. */
static void
replace_current (DtlsHub *self, DtlsLink *link)
{
  DtlsHubFuncs *funcs = &self->funcs;
  gboolean any = self->current != NULL;

  end_link (self, &self->current);
  if (any)
    funcs->closed (funcs->data);
  if (!link)
    return;
  funcs->opens (funcs->data, link->srtpdec, link->fingerprint);
  g_mutex_lock (&self->lock);
  link->current.heard = system_now ();
  self->current = link;
  self->count.finished++;
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (self, "DTLS handshake complete");
  funcs->ready (funcs->data, link->peer);
}

static void
warn_wrong (DtlsHub *self, DtlsLink *link)
{
  const gchar *name = link->fingerprint ? link->fingerprint : "(none)";

  if (!link->wrong || g_hash_table_contains (self->warned, name)
      || g_hash_table_size (self->warned) >= WARNED_MAX)
    return;
  g_hash_table_add (self->warned, g_strdup (name));
  self->funcs.wrong (self->funcs.data, name);
}

/* Decides on a copy of the current connection's times, because other threads write
 * them. */
static void
look_at_try (DtlsHub *self, DtlsLink **place)
{
  DtlsLink *link = *place;
  DtlsCurrent current = { 0 }, *now_current = NULL;
  RaTime now = system_now ();
  gboolean replaces, over, hello;

  if (!link)
    return;
  g_mutex_lock (&self->lock);
  if (self->current) {
    current = self->current->current;
    now_current = &current;
    link->t.proven
        = fingerprint_equal (self->current->fingerprint, link->fingerprint);
  }
  link->t.proven = link->t.proven || self->fingerprint;
  replaces
      = dtls_try_may_replace (&link->t, now_current, self->outbox.client, now);
  over = dtls_try_is_over (&link->t, now_current, self->outbox.client, now);
  hello = self->outbox.client && dtls_try_says_hello (&link->t, now);
  if (replaces)
    *place = NULL;
  g_mutex_unlock (&self->lock);
  if (replaces) {
    replace_current (self, link);
  } else if (over) {
    warn_wrong (self, link);
    end_link (self, place);
  } else if (hello) {
    dtls_out_hello (&self->outbox, link);
  }
}

static void
maybe_begin (DtlsHub *self)
{
  GSocketAddress *peer = NULL;
  DtlsCurrent current = { 0 };
  gboolean begins;
  guint64 bytes;

  if (!self->outbox.client || self->tries[0])
    return;
  g_mutex_lock (&self->lock);
  if (self->current)
    current = self->current->current;
  begins = dtls_client_begins (
      self->current ? &current : NULL, self->begun, system_now ());
  /* A client with a socket has to learn its peer's address first. */
  begins = begins && (!self->outbox.socket || self->learned);
  if (begins && self->learned)
    peer = g_steal_pointer (&self->learned);
  bytes = self->learned_bytes;
  if (begins)
    self->learned_bytes = 0;
  g_mutex_unlock (&self->lock);
  if (begins)
    begin_link (self, &self->tries[0], peer, NULL, bytes);
  g_clear_object (&peer);
}

/* A client that has to learn where we are begins when it hears something, and may
 * say three times as much (DTLS_AMPLIFY): this is enough for a hello.  Anybody who
 * knows STUN ignores it. */
static void
maybe_call (DtlsHub *self)
{
  /* RFC 8489 5, 14.14: a Binding indication, SOFTWARE of 376 bytes. */
  static const guint8 head[24] = { 0, 0x11, 0x01, 0x7c, 0x21, 0x12, 0xa4,
    0x42, [20] = 0x80, 0x22, 0x01, 0x78 };
  RaTime now = system_now ();
  GstBuffer *buffer;

  if (!self->calls || self->current
      || (self->called != RA_TIME_NONE
          && ra_diff (now, self->called) < DTLS_HELLO_AGAIN))
    return;
  self->called = now;
  buffer = gst_buffer_new_allocate (NULL, sizeof head + 376, NULL);
  gst_buffer_memset (buffer, 0, ' ', sizeof head + 376);
  gst_buffer_fill (buffer, 0, head, sizeof head);
  gst_pad_push (self->net_src, buffer);
}

static void
look (DtlsHub *self)
{
  gboolean failed;

  g_mutex_lock (&self->lock);
  failed = self->current
      && (self->current->t.failed
          || dtls_current_is_over (&self->current->current, system_now ()));
  g_mutex_unlock (&self->lock);
  if (failed)
    replace_current (self, NULL);
  for (guint i = 0; i < DTLS_TRIES; i++)
    look_at_try (self, &self->tries[i]);
  maybe_begin (self);
  maybe_call (self);
}

/* --- the thread ---------------------------------------------------------- */

/* The first dtlsdec of a process (1.22) makes up the certificate that all of
 * them share, whether or not they get another one.  Its RSA key takes tenths of
 * a second, and seconds on a slow machine, as libsrtp's tests of itself do: a
 * server that waits for its peer has both behind it when the first hello comes. */
static void
warm_up (void)
{
  GstElement *dec = gst_element_factory_make ("dtlssrtpdec", NULL);

  if (dec)
    gst_object_unref (gst_object_ref_sink (dec));
}

static gpointer
manage (gpointer data)
{
  DtlsHub *self = data;

  warm_up ();
  g_mutex_lock (&self->lock);
  while (!self->stopping) {
    GstBuffer *buffer = dtls_input_pop (&self->input);

    g_mutex_unlock (&self->lock);
    if (buffer)
      take (self, buffer);
    look (self);
    g_mutex_lock (&self->lock);
    if (!self->stopping && dtls_input_is_empty (&self->input))
      g_cond_wait_until (
          &self->cond, &self->lock, g_get_monotonic_time () + TICK);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

void
dtls_manager_start (DtlsHub *self)
{
  self->stopping = FALSE;
  self->begun = self->called = RA_TIME_NONE;
  self->manager = g_thread_new ("dtls", manage, self);
}

void
dtls_manager_stop (DtlsHub *self)
{
  if (!self->manager)
    return;
  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
  g_thread_join (g_steal_pointer (&self->manager));
  for (guint i = 0; i < DTLS_TRIES; i++)
    end_link (self, &self->tries[i]);
  replace_current (self, NULL);
  dtls_input_clear (&self->input);
}
