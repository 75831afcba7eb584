/* Messages of both bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "binmessage.h"

void
bin_warn_late (GstElement *bin, const gchar *property)
{
  GST_ELEMENT_WARNING (bin, LIBRARY, SETTINGS,
      ("%s is taken from NULL to READY: until then the stream goes on as before.",
          property),
      (NULL));
}
