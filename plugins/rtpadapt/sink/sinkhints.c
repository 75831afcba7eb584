/* rtpadaptsink: the warning that nobody answers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkhints.h"

#include "wire/hint.h"

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsink_debug);
#define GST_CAT_DEFAULT rtpadaptsink_debug

void
sink_hint_silence (GstElement *bin, const gchar *host, gint port)
{
  GST_ELEMENT_WARNING (bin, RESOURCE, READ,
      ("No answer has come from %s port %d for " HINT_SECONDS
       ": check the address, the firewall, and that key, cipher, dtls and "
       "rtcp-mux are the same at the receiver.",
          host, port),
      ("rtpadaptsink goes on sending"));
}
