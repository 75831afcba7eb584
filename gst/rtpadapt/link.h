/* Link models, chained by text:
 *   "bottleneck rate=2M queue=100ms ! delay 25ms ! each gilbert p=.01 r=.3"
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A model is one file in link/ that ends in one const RaNodeOps named
 * ra_link_NAME; its word in gst/rtpadapt/meson.build adds it everywhere.
 * Virtual or real time: the caller's clock is an argument.  Nothing is lost
 * without its true cause.
 */
#pragma once

#include <gst/rtpadapt/registry.h>
#include <gst/rtpadapt/util/observe.h>
#include <gst/rtpadapt/util/rng.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 seq;    /* whatever the caller wants to find it by */
  guint flow;     /* for models that distinguish flows */
  guint size;     /* bytes on the wire */
  RaMark mark;    /* drop precedence */
  gpointer data;  /* the caller's */
  RaTime entered; /* set by ra_link_push() */
  RaSpan queued;  /* time spent in queues so far, set by the nodes */
} RaLinkPacket;

typedef struct _RaLink RaLink;
typedef struct _RaNode RaNode;
typedef struct _RaNodeOps RaNodeOps;

struct _RaNodeOps
{
  RA_ALGORITHM;
  gboolean random;   /* it draws numbers, or what it holds may */
  gboolean reorders; /* packets of one flow may overtake each other */
  /* What a bare first value sets: "delay 25ms"; NULL: none. */
  const gchar *positional;
  /* Optional: takes "file=NAME", of which this is the text. */
  gboolean (*load) (RaNode *n, const gchar *text, gsize length, GError **error);
  /* Optional: takes the words after the name, instead of parameters. */
  gboolean (*parse) (RaNode *n, const gchar *const *words, GError **error);
  const gchar *example; /* such words; only with `parse` */
  /* Optional; after the parameters were set: FALSE and error if they do not
   * go together. */
  gboolean (*init) (RaNode *n, GError **error);
  void (*push) (RaNode *n, const RaLinkPacket *p, RaTime now);
  RaTime (*next) (const RaNode *n);    /* optional: RA_TIME_NONE when idle */
  void (*run) (RaNode *n, RaTime now); /* optional: everything due at now */
  void (*clear) (RaNode *n);           /* optional: frees; packets inside go to
                                ra_node_discard() first */
  void (*free) (RaNode *n);            /* optional: what clear() leaves */
  guint (*held) (const RaNode *n);     /* optional: packets inside */
  void (*observe) (const RaNode *n, RaObserve emit, gpointer data); /* opt. */
  /* Optional: bit/s; RA_LINK_NO_CAPACITY: not limited. */
  guint64 (*capacity) (const RaNode *n, RaTime now);
};

struct _RaNode
{
  const RaNodeOps *ops;
  RaLink *link;
  guint index;    /* in the chain */
  guint64 stream; /* of the seed: its kind, and how many stand before it */
  RaRng rng;      /* its own stream of the link's seed */
  RaTime start;   /* when the link started: schedules count from here */
};

/* For the nodes: the latest time that the link was given. */
RaTime ra_node_now (const RaNode *n);
/* For the nodes: hands a packet on, or ends it. */
void ra_node_forward (RaNode *n, const RaLinkPacket *p, RaTime now);
void ra_node_drop (RaNode *n, const RaLinkPacket *p, RaCause cause, RaTime now);
void ra_node_discard (RaNode *n, const RaLinkPacket *p);

/* Flows that are distinguished, in order of their first packet; all later ones
 * count as one. */
#define RA_LINK_FLOWS 1024
/* The packet's flow by that order, 0 to RA_LINK_FLOWS. */
guint ra_node_flow (const RaNode *n, const RaLinkPacket *p);
/* For nodes that hold others: a model by its words, "NAME [VALUE]
 * [NAME=VALUE]...", at the place of `n`, that draws numbers of its own for
 * each `nth`.  (transfer full): ra_node_free(). */
RaNode *ra_node_new_inside (
    RaNode *n, const gchar *const *words, guint nth, GError **error);
void ra_node_free (RaNode *n);

#define RA_LINK_NO_CAPACITY G_MAXUINT64

/* All models, ended by NULL. */
extern const RaNodeOps *const ra_links[];
/* NULL if there is none of that name. */
static inline const RaNodeOps *
ra_link_find (const gchar *name)
{
  return (const RaNodeOps *) ra_algorithm_find (
      (gconstpointer const *) ra_links, name);
}

/* What comes out.  The callbacks may not call back into the link. */
typedef struct
{
  void (*deliver) (const RaLinkPacket *p, RaTime now, gpointer data);
  /* `node` is the name of the model that dropped it. */
  void (*drop) (const RaLinkPacket *p, RaCause cause, const gchar *node,
      RaTime now, gpointer data);
  /* Optional: a packet still inside when the link is freed or cleared. */
  void (*discard) (const RaLinkPacket *p, gpointer data);
  /* Optional: fetches what "file=NAME" names, as g_file_get_contents(): the
   * library itself reads no files. */
  gboolean (*load) (
      const gchar *name, gchar **text, gsize *length, GError **error);
} RaLinkSink;

#define RA_LINK_ERROR (ra_link_error_quark ())
GQuark ra_link_error_quark (void);
typedef enum
{
  RA_LINK_ERROR_SYNTAX,
  RA_LINK_ERROR_UNKNOWN_NODE,
  RA_LINK_ERROR_PARAM,
  RA_LINK_ERROR_FILE, /* not to be had, or wrong inside */
} RaLinkError;

/* "" is a link that passes everything at once.  Errors name the word that is
 * wrong.  (transfer full): ra_link_free(). */
RaLink *ra_link_parse (const gchar *text, guint64 seed, const RaLinkSink *sink,
    gpointer data, GError **error);
void ra_link_free (RaLink *l);

/* A packet enters; may deliver or drop at once.  The first call starts the
 * schedules.  Anything due before `now` runs first, so that order is kept. */
void ra_link_push (RaLink *l, const RaLinkPacket *p, RaTime now);
/* When ra_link_run() has something to do, or RA_TIME_NONE. */
RaTime ra_link_next (const RaLink *l);
/* Does everything due up to and including `now`, in order of time. */
void ra_link_run (RaLink *l, RaTime now);
/* Discards the packets inside, keeps all other state (a flush). */
void ra_link_clear (RaLink *l);

typedef struct
{
  guint64 in, out, congestion, wireless; /* packets */
  guint64 bytes_in, bytes_out;
} RaLinkStats;
void ra_link_get_stats (const RaLink *l, RaLinkStats *stats);
/* The same of one flow, 0 if it never came.  FALSE: it is not among the first
 * RA_LINK_FLOWS, and the numbers are those of all these together. */
gboolean ra_link_get_flow_stats (
    const RaLink *l, guint flow, RaLinkStats *stats);
/* Packets inside: in = out + congestion + wireless + held + discarded. */
guint ra_link_held (const RaLink *l);
/* The rate of the tightest bottleneck at `now`, bit/s; 0 if there is none. */
guint64 ra_link_capacity (const RaLink *l, RaTime now);
/* Emits "NODE<index>.NAME", e.g. "bottleneck0.queue" in seconds. */
void ra_link_observe (const RaLink *l, RaObserve emit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaLink, ra_link_free)

G_END_DECLS
