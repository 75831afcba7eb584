/* What the algorithms show of themselves: the fields of "observe".
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Ended by a row whose name is NULL. */
typedef struct
{
  const gchar
      *owners; /* algorithms that show it, commas between; "": the name is
                          whole */
  const gchar *name, *unit, *text;
} Observed;

extern const Observed observed[];
