/* The FEC encoder upstream, rtpulpfecenc: finding it and setting its level.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Only rtpulpfecenc: rtpst2022-1-fecenc of GStreamer 1.22 refuses every change
 * above READY.  One that follows rtpadaptsend, as the `fec-encoders` of an
 * rtpbin behind it, is not found, because what it adds would not be paced.
 */
#include "fecenc.h"

#include "walk.h"

#define FACTORY "rtpulpfecenc"
#define PT_NONE 255 /* its default: without FEC */

static gboolean
is_fecenc (GstElement *element)
{
  return g_str_equal (walk_factory (element), FACTORY);
}

GstElement *
fecenc_find_upstream (GstPad *sinkpad)
{
  return walk_find (sinkpad, is_fecenc);
}

GstElement *
fecenc_find_named (GstElement *element, const gchar *name)
{
  GstElement *found = walk_find_named (element, name);

  if (found && !is_fecenc (found))
    gst_clear_object (&found);
  return found;
}

gint
fecenc_payload_type (GstElement *fecenc)
{
  guint pt;

  g_object_get (fecenc, "pt", &pt, NULL);
  return pt == PT_NONE ? -1 : (gint) pt;
}

guint
fecenc_set (GstElement *fecenc, guint percentage, guint last)
{
  percentage = MIN (percentage, 100);
  if (percentage != last)
    g_object_set (fecenc, "percentage", percentage, NULL);
  return percentage;
}
