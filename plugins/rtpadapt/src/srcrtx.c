/* rtpadaptsrc: what an rtpjitterbuffer asks for again, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpjitterbuffer (1.22) can expect each next packet a frame's time after the
 * last (rtx-next-seqnum).  Video that is paced out, or waits in a queue, is
 * later than that: it would ask for what is still to come, and what is not
 * there by then it calls lost and drops when it comes.  So it shall ask only
 * for what a later packet showed to be missing.
 *
 * That it does when some later ones came, or some time after the frame's first
 * (rtx-delay), not after the hole opened.  On a path that reorders, requests
 * are therefore held here until a hole is older than those that were filled
 * late lately.
 *
 * It asks again after a round trip, which it knows only where each request was
 * answered; at first that is 40 ms.  So the round trip is measured here: nobody
 * is asked twice within one, nor when the answer would come too late.
 */
#include "srcpriv.h"

#include <gst/rtp/rtp.h>
#include <string.h>

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* Packets in a row that are told apart; more than are missing at a time. */
#define HOLES 2048
/* A packet may be later than the latest of the last LATELY by its share. */
#define MARGIN 1.25
#define LATELY (10 * RA_SECOND)
/* Of the latency: what waits longer is asked for, however late others came. */
#define LONGEST 2
/* rtpjitterbuffer tells a time as the lower 32 bits of ns, in ms: what is above
 * this was negative. */
#define DELAY_MAX 4000
/* What RTCP waits for other RTCP, which the variance of the round trip may miss
 * (RFC 6298 2.3: the granularity of the clock). */
#define GRANULE (10 * RA_MSECOND)
/* One hopeless request in this time goes out: else nobody would find out that
 * the path is shorter now. */
#define TRIAL RA_SECOND

typedef struct
{
  RaTime opened; /* when a later packet came */
  RaTime first;  /* request, or 0 */
  RaTime asked;  /* the last one */
  guint16 seq;
  gboolean missing;
} Hole;

typedef struct
{
  GMutex lock; /* never held while anything is pushed */
  Hole hole[HOLES];
  gboolean started;
  guint16 highest;
  RaSpan late;     /* how late a hole was filled, at most lately */
  RaTime measured; /* when that was */
  RaTime trial;    /* the last hopeless request that went out, or 0 */
  RaSpan rtt, var; /* of requests and answers, RFC 6298; 0: not known */
  RaSpan last_rtt; /* the last one alone */
} Watch;

/* A request that waits. */
typedef struct
{
  GWeakRef pad;
  GstEvent *event;
} Held;

static RaTime
now (void)
{
  return (RaTime) g_get_monotonic_time () * RA_USECOND;
}

static void
watch_clear (gpointer data)
{
  g_mutex_clear (&((Watch *) data)->lock);
}

static void
watch_unref (gpointer watch)
{
  g_atomic_rc_box_release_full (watch, watch_clear);
}

/* --- what comes --------------------------------------------------------- */

/* The lock is held.  NULL: it is not missing. */
static Hole *
hole_find (Watch *w, guint16 seq)
{
  Hole *hole = &w->hole[seq % HOLES];

  return hole->missing && hole->seq == seq ? hole : NULL;
}

/* The lock is held.  That of the past, less and less. */
static RaSpan
lateness (const Watch *w, RaTime t)
{
  RaSpan age = ra_diff (t, w->measured);

  return age < LATELY
      ? (RaSpan) ((gdouble) w->late * (1 - (gdouble) age / LATELY))
      : 0;
}

/* RFC 6298 2.3. */
static RaSpan
timeout (const Watch *w)
{
  return w->rtt + MAX (GRANULE, 4 * w->var);
}

/* The lock is held.  `hole` was filled by an answer: TRUE if that tells the
 * round trip. */
static gboolean
measure (Watch *w, const Hole *hole, RaTime t)
{
  RaSpan rtt = ra_diff (t, hole->first);

  /* RFC 6298 3, Karn: whose answer it is has to be clear; it is the first's if
   * it comes too soon to be the last's. */
  if (hole->first == 0
      || (hole->asked != hole->first && ra_diff (t, hole->asked) > w->rtt / 2))
    return FALSE;
  w->last_rtt = rtt;
  if (w->rtt == 0) {
    w->rtt = rtt;
    w->var = rtt / 2;
    return TRUE;
  }
  w->var += (ABS (w->rtt - rtt) - w->var) / 4;
  w->rtt += (rtt - w->rtt) / 8;
  return TRUE;
}

/* The lock is held. */
static void
holes_open (Watch *w, guint16 seq, RaTime t)
{
  gint16 ahead = (gint16) (seq - w->highest);

  if (!w->started || ABS (ahead) >= HOLES) { /* it numbers anew */
    memset (w->hole, 0, sizeof w->hole);
    w->started = TRUE;
  } else if (ahead <= 0) {
    return;
  } else {
    for (guint16 next = (guint16) (w->highest + 1); next != seq; next++)
      w->hole[next % HOLES]
          = (Hole){ .opened = t, .seq = next, .missing = TRUE };
    w->hole[seq % HOLES].missing = FALSE;
  }
  w->highest = seq;
}

/* The lock is held.  What to set rtx-retry-timeout to, ms, or 0. */
static guint
packet_take (Watch *w, guint16 seq, gboolean again, RaTime t)
{
  Hole *hole = hole_find (w, seq);
  guint retry = 0;

  if (hole) {
    RaSpan late = ra_diff (t, hole->opened);

    hole->missing = FALSE;
    if (again && measure (w, hole, t))
      retry = (guint) (timeout (w) / RA_MSECOND) + 1;
    if (!again && late > lateness (w, t)) {
      w->late = late;
      w->measured = t;
    }
  }
  if (!again)
    holes_open (w, seq, t);
  return retry;
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Watch *w = data;
  guint8 seq[2];
  guint retry;

  if (gst_buffer_extract (buffer, 2, seq, 2) != 2)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&w->lock);
  retry = packet_take (w, GST_READ_UINT16_BE (seq),
      GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION),
      now ());
  g_mutex_unlock (&w->lock);
  if (retry > 0)
    g_object_set (
        GST_PAD_PARENT (pad), "rtx-retry-timeout", (gint) retry, NULL);
  return GST_PAD_PROBE_OK;
}

/* --- what is asked for -------------------------------------------------- */

static void
held_free (gpointer data)
{
  Held *held = data;

  g_weak_ref_clear (&held->pad);
  gst_clear_event (&held->event);
  g_free (held);
}

/* It passes on_request() again. */
static gboolean
held_due (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  Held *held = data;
  GstPad *pad = g_weak_ref_get (&held->pad);

  if (!pad)
    return FALSE;
  gst_pad_push_event (pad, g_steal_pointer (&held->event));
  gst_object_unref (pad);
  return FALSE;
}

static void
hold (GstPad *pad, GstEvent *event, RaSpan span)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID id = gst_clock_new_single_shot_id (
      clock, gst_clock_get_time (clock) + (GstClockTime) span);
  Held *held = g_new0 (Held, 1);

  held->event = gst_event_ref (event);
  g_weak_ref_init (&held->pad, pad);
  gst_clock_id_wait_async (id, held_due, held, held_free);
  gst_clock_id_unref (id);
  gst_object_unref (clock);
}

/* The lock is held.  Nobody could use the answer, by the mean round trip and by
 * the last: after a stall the mean would take long to fall by trials alone. */
static gboolean
is_hopeless (Watch *w, const GstStructure *s, RaSpan wait, RaTime t)
{
  guint late, deadline;

  /* ms: since the packet was due, and the latency */
  if (!gst_structure_get (s, "delay", G_TYPE_UINT, &late, "deadline",
          G_TYPE_UINT, &deadline, NULL))
    return FALSE;
  if (late > DELAY_MAX)
    late = 0;
  if (late * RA_MSECOND + MIN (w->rtt, w->last_rtt) + wait
      <= (RaSpan) deadline * RA_MSECOND)
    return FALSE;
  if (w->trial > 0 && ra_diff (t, w->trial) < TRIAL)
    return TRUE;
  w->trial = t;
  return FALSE;
}

/* The lock is held.  How long a request shall wait; RA_SPAN_NONE: for ever. */
static RaSpan
request_wait (Watch *w, const GstStructure *s)
{
  RaTime t = now ();
  guint seqnum = 0, deadline = 0;
  RaSpan wait;
  Hole *hole;

  gst_structure_get_uint (s, "seqnum", &seqnum);
  gst_structure_get_uint (s, "deadline", &deadline);
  hole = hole_find (w, (guint16) seqnum);
  if (!hole || (hole->asked > 0 && w->rtt == 0))
    return RA_SPAN_NONE;
  wait = (RaSpan) ((gdouble) lateness (w, t) * MARGIN);
  wait = MIN (wait, (RaSpan) deadline * RA_MSECOND / LONGEST);
  wait -= ra_diff (t, hole->opened);
  if (hole->asked > 0)
    wait = MAX (wait, timeout (w) - ra_diff (t, hole->asked));
  wait = MAX (wait, 0);
  if (is_hopeless (w, s, wait, t))
    return RA_SPAN_NONE;
  if (wait == 0) {
    hole->asked = t;
    hole->first = hole->first ?: t;
  }
  return wait;
}

static GstPadProbeReturn
on_request (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  Watch *w = data;
  RaSpan wait;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM
      || !gst_event_has_name (event, "GstRTPRetransmissionRequest"))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&w->lock);
  wait = request_wait (w, gst_event_get_structure (event));
  g_mutex_unlock (&w->lock);
  GST_LOG_OBJECT (
      pad, "%" GST_PTR_FORMAT ": wait %" G_GINT64_FORMAT " ns", event, wait);
  if (wait == 0)
    return GST_PAD_PROBE_OK;
  if (wait != RA_SPAN_NONE)
    hold (pad, event, wait);
  return GST_PAD_PROBE_DROP;
}

/* rtpjitterbuffer would stop asking 2 x jitter earlier than is_hopeless(). */
static void
set_period (GstElement *jitterbuffer, GParamSpec *pspec, gpointer data)
{
  guint latency;

  g_object_get (jitterbuffer, "latency", &latency, NULL);
  g_object_set (jitterbuffer, "rtx-retry-period", (gint) latency, NULL);
}

void
src_rtx_watch (GstElement *jitterbuffer)
{
  Watch *w = g_atomic_rc_box_new0 (Watch);
  GstPad *pad = gst_element_get_static_pad (jitterbuffer, "sink");

  g_object_set (jitterbuffer, "rtx-next-seqnum", FALSE, NULL);
  set_period (jitterbuffer, NULL, NULL);
  g_signal_connect (
      jitterbuffer, "notify::latency", G_CALLBACK (set_period), NULL);
  g_mutex_init (&w->lock);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet,
      g_atomic_rc_box_acquire (w), watch_unref);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_request, w, watch_unref);
  gst_object_unref (pad);
}
