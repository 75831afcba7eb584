/* rtpadaptsend: how the level of the FEC encoders upstream is found.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendpriv.h"

gchar *
send_fec_rule (GstRtpAdaptSend *self, gint fec, const gchar *params)
{
  const RaFecOps *ops = ra_fecs[fec];
  g_autoptr (GError) error = NULL;

  if (self->sender && !ra_sender_set_fec (self->sender, ops, params, &error))
    return g_strdup_printf (
        "fec %s goes on as it was: %s", ops->name, error->message);
  return NULL; /* before the start, in any order */
}
