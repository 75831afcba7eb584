/* rtpadapt://host:port?property=value&...: the URI of both bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define BIN_URI_PROTOCOL "rtpadapt"
#define BIN_URI_PORT 5004 /* RFC 3551 8, where the URI names none */

/* Sets the bin's properties "host" ("address" if it has no such), "port" (an
 * int) and those that the query names.  All of it is checked first: on an
 * error, which names the culprit, nothing has been set.  A query may name every
 * property of the bin that can be written but `key`, which would be in process
 * lists and logs (key-file is for that), and those the URI has places for. */
gboolean bin_uri_apply (GstElement *bin, const gchar *uri, GError **error);

/* As host and port are now, without a query; a source without an address listens on all,
 * as "[::]" does, of IPv4 too.  (transfer full) */
gchar *bin_uri_get (GstElement *bin);

/* For GstElement's `query` and the pads': answers GST_QUERY_URI.  FALSE: it is another
 * query. */
gboolean bin_uri_query (GstElement *bin, GstQuery *query);

/* For G_IMPLEMENT_INTERFACE (GST_TYPE_URI_HANDLER, ...). */
void bin_uri_sink_init (gpointer iface, gpointer data);
void bin_uri_src_init (gpointer iface, gpointer data);

/* For the property "uri" of a bin, which cannot fail: `problem` keeps what was
 * wrong till the next one (start with NULL).  Above NULL it warns, so no lock may be
 * held; NULL to READY has to ask bin_uri_check(), because a parsed pipeline has no bus
 * yet. */
void bin_uri_set (GstElement *bin, const gchar *uri, GError **problem);
/* TRUE if all is well; else posts the problem as an error. */
gboolean bin_uri_check (GstElement *bin, const GError *problem);

G_END_DECLS
