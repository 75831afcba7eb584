/* Messages to a Unix socket from a thread of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "monitorsender.h"

#include "monitorline.h"

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>

/* Between attempts to find the monitor. */
#define AGAIN_US G_USEC_PER_SEC
/* At the end. */
#define FLUSH_US (G_USEC_PER_SEC / 2)

typedef struct
{
  GstMessage *message;
  gchar *element;
  gint64 time_us;
} Item;

struct _MonitorSender
{
  GMutex lock;
  GCond wakeup;
  GQueue items;
  guint64 dropped;
  gboolean stop, done;

  GThread *thread;
  GCancellable *cancel;
  GSocketAddress *address;
  GSocketConnection *connection; /* the thread's, or NULL */
};

static void
item_free (gpointer data)
{
  Item *item = data;

  gst_message_unref (item->message);
  g_free (item->element);
  g_free (item);
}

/* --- the thread ---------------------------------------------------------- */

static gboolean
sender_connect (MonitorSender *self)
{
  GSocketClient *client;

  if (self->connection)
    return TRUE;
  client = g_socket_client_new ();
  g_socket_client_set_enable_proxy (client, FALSE);
  self->connection = g_socket_client_connect (
      client, G_SOCKET_CONNECTABLE (self->address), self->cancel, NULL);
  g_object_unref (client);
  return self->connection != NULL;
}

/* A line that was cut goes to a connection that is closed: the monitor sees the
 * next one whole. */
static gboolean
sender_write (MonitorSender *self, const Item *item, guint64 dropped)
{
  g_autofree gchar *line
      = monitor_line (gst_message_get_structure (item->message), item->element,
          item->time_us, dropped);
  GOutputStream *stream
      = g_io_stream_get_output_stream (G_IO_STREAM (self->connection));

  if (g_output_stream_write_all (
          stream, line, strlen (line), NULL, self->cancel, NULL))
    return TRUE;
  g_clear_object (&self->connection);
  return FALSE;
}

/* Without the lock.  FALSE: no monitor listens. */
static gboolean
sender_send (MonitorSender *self, const Item *item, guint64 dropped)
{
  return sender_connect (self) && sender_write (self, item, dropped);
}

/* The lock is held.  The item goes back to the head of the queue, or is dropped
 * where newer ones fill it. */
static void
sender_wait_again (MonitorSender *self, Item *item)
{
  gint64 until = g_get_monotonic_time () + AGAIN_US;

  if (self->items.length < MONITOR_QUEUE_MAX) {
    g_queue_push_head (&self->items, item);
  } else {
    item_free (item);
    self->dropped++;
  }
  while (!self->stop && g_cond_wait_until (&self->wakeup, &self->lock, until))
    ;
}

static gpointer
sender_thread (gpointer data)
{
  MonitorSender *self = data;

  g_mutex_lock (&self->lock);
  for (;;) {
    guint64 dropped;
    gboolean sent;
    Item *item;

    while (!self->stop && self->items.length == 0)
      g_cond_wait (&self->wakeup, &self->lock);
    item = g_queue_pop_head (&self->items);
    if (!item)
      break;
    dropped = self->dropped;
    g_mutex_unlock (&self->lock);
    sent = sender_send (self, item, dropped);
    g_mutex_lock (&self->lock);
    if (sent)
      item_free (item);
    else
      sender_wait_again (self, item);
    if (!sent && self->stop)
      break;
  }
  self->done = TRUE;
  g_cond_broadcast (&self->wakeup);
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* --- from outside -------------------------------------------------------- */

MonitorSender *
monitor_sender_new (const gchar *path)
{
  MonitorSender *self = g_new0 (MonitorSender, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->wakeup);
  g_queue_init (&self->items);
  self->cancel = g_cancellable_new ();
  self->address = g_unix_socket_address_new (path);
  self->thread = g_thread_new ("rtpadaptmonitor", sender_thread, self);
  return self;
}

void
monitor_sender_push (MonitorSender *self, GstMessage *message,
    const gchar *element, gint64 time_us)
{
  Item *item = g_new0 (Item, 1), *old = NULL;

  item->message = gst_message_ref (message);
  item->element = g_strdup (element);
  item->time_us = time_us;
  g_mutex_lock (&self->lock);
  if (self->items.length >= MONITOR_QUEUE_MAX) {
    old = g_queue_pop_head (&self->items);
    self->dropped++;
  }
  g_queue_push_tail (&self->items, item);
  g_cond_broadcast (&self->wakeup);
  g_mutex_unlock (&self->lock);
  if (old)
    item_free (old);
}

void
monitor_sender_free (MonitorSender *self)
{
  gint64 until = g_get_monotonic_time () + FLUSH_US;

  g_mutex_lock (&self->lock);
  self->stop = TRUE;
  g_cond_broadcast (&self->wakeup);
  while (!self->done && g_cond_wait_until (&self->wakeup, &self->lock, until))
    ;
  g_mutex_unlock (&self->lock);
  g_cancellable_cancel (self->cancel);
  g_thread_join (self->thread);

  g_queue_clear_full (&self->items, item_free);
  g_clear_object (&self->connection);
  g_object_unref (self->address);
  g_object_unref (self->cancel);
  g_cond_clear (&self->wakeup);
  g_mutex_clear (&self->lock);
  g_free (self);
}
