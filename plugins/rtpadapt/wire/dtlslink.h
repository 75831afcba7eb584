/* One DTLS connection and the SRTP that its handshake makes keys for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It is a pair of dtlssrtpdec and dtlssrtpenc that are in no bin.  So nobody gets
 * their messages, and their flow returns end here.  One thread (the manager of
 * dtlshub.h) begins and ends them; the threads that push into them never do.
 */
#pragma once

#include "dtlsflight.h"
#include "dtlsrecords.h"
#include "dtlstry.h"

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _DtlsLink DtlsLink;

/* Called from threads of the elements.  The elements hold locks of their own
 * during the last two, `certificate` and `keyed`. */
typedef struct
{
  /* A datagram of the handshake leaves.  (transfer full) */
  void (*flight) (gpointer data, DtlsLink *link, GstBuffer *buffer);
  /* SRTP leaves: a buffer or a list.  (transfer full) */
  GstFlowReturn (*leaves) (gpointer data, GstMiniObject *object);
  /* An authentic packet came, decrypted.  (transfer full) */
  GstFlowReturn (*came) (
      gpointer data, DtlsLink *link, gboolean rtcp, GstBuffer *buffer);
  void (*certificate) (gpointer data, DtlsLink *link, const gchar *pem);
  void (*keyed) (gpointer data, DtlsLink *link);
  gpointer data;
} DtlsLinkFuncs;

struct _DtlsLink
{
  DtlsLinkFuncs funcs;
  GstElement *dec, *enc, *srtpdec;
  /* Ours, linked to theirs. */
  GstPad *net_in, *rtp_in, *rtcp_in;    /* sources, which feed them */
  GstPad *net_out, *rtp_out, *rtcp_out; /* sinks, which get their output */

  /* The owner's, under its lock. */
  gboolean closed;
  GSocketAddress *peer; /* of the handshake; NULL: not known yet */
  guint8 random[DTLS_RANDOM];
  DtlsTry t;
  DtlsCurrent current;
  DtlsFlight flight;
  gchar *fingerprint; /* the peer's certificate's */
  gboolean wrong;     /* it is not the wanted one */
};

/* NULL if an element is missing.  `pem` NULL: a new certificate is made.
 * The handshake begins with dtls_link_begin(). */
DtlsLink *dtls_link_new (
    const DtlsLinkFuncs *funcs, gboolean client, const gchar *pem);
gboolean dtls_link_begin (DtlsLink *link);
/* Waits for threads that are in the elements; afterwards none of the functions
 * is called any more. */
void dtls_link_end (DtlsLink *link);

DtlsLink *dtls_link_ref (DtlsLink *link);
void dtls_link_unref (DtlsLink *link);

G_END_DECLS
