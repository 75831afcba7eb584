/* Registers a GstMeta of ours, without tags, once in a process: another copy of its
 * file, in a program, may have been faster.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* `type`: static, 0 at first. */
static inline GType
meta_type_api (gsize *type, const gchar *name)
{
  static const gchar *tags[] = { NULL };

  if (g_once_init_enter (type)) {
    GType known = g_type_from_name (name);

    g_once_init_leave (
        type, known ? known : gst_meta_api_type_register (name, tags));
  }
  return *type;
}

/* `info`: static, NULL at first. */
static inline const GstMetaInfo *
meta_type_info (const GstMetaInfo **info, GType api, const gchar *name,
    gsize size, GstMetaInitFunction init, GstMetaTransformFunction transform)
{
  if (g_once_init_enter ((GstMetaInfo **) info)) {
    const GstMetaInfo *known = gst_meta_get_info (name);

    if (!known)
      known = gst_meta_register (api, name, size, init, NULL, transform);
    g_once_init_leave ((GstMetaInfo **) info, (GstMetaInfo *) known);
  }
  return *info;
}

G_END_DECLS
