/* rtpadaptudpsink: its properties, of which rtpadaptsink has some, too.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/props.h"

G_BEGIN_DECLS

extern const PropRow udp_sink_props[];

void udp_sink_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void udp_sink_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
