/* Links between the children of the bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "links.h"

gboolean
links_make (GstElement *from, const gchar *name, GstPad *sink)
{
  GstPad *src = gst_element_get_static_pad (from, name);
  gboolean good = sink && gst_pad_link (src, sink) == GST_PAD_LINK_OK;

  gst_object_unref (src);
  return good;
}

void
links_undo (GstPad *pad)
{
  GstPad *peer = gst_pad_get_peer (pad);

  if (!peer)
    return;
  if (GST_PAD_IS_SRC (pad))
    gst_pad_unlink (pad, peer);
  else
    gst_pad_unlink (peer, pad);
  gst_object_unref (peer);
}

void
links_undo_all (GstElement *element)
{
  for (GList *l = element->pads; l; l = l->next)
    links_undo (l->data);
}
