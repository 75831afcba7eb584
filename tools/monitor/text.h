/* The same in a terminal, or line by line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "store.h"

typedef struct _Text Text;

/* `terminal`: what was drawn is drawn over. */
Text *text_new (const Store *store, gboolean terminal);
void text_free (Text *text);

void text_draw (Text *text, gint64 now_us);
/* What the program wrote, above it. */
void text_above (Text *text, const gchar *bytes, gsize len);
