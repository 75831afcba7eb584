/* rtpadaptrecv: its properties, of which rtpadaptsrc has some, too.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/props.h"

G_BEGIN_DECLS

extern const PropRow recv_props[];

void recv_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void recv_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
