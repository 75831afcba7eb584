/* A build without libsrtp2 has this in place of securesrtp.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nobody gets a SecureSrtp, so only the first two functions are ever called.
 */
#include "securesrtp.h"

gboolean
secure_srtp_is_built (void)
{
  return FALSE;
}

SecureSrtp *
secure_srtp_new (GstElement *bin, GBytes *key, GstRtpAdaptCipher cipher,
    gboolean receiver, gboolean guard, SecureSrtp *before)
{
  return NULL;
}

void
secure_srtp_stop (SecureSrtp *x)
{
}

void
secure_srtp_free (SecureSrtp *x)
{
}

void
secure_srtp_answer_by (SecureSrtp *x, GSocket *socket, gboolean rtcp_port_next,
    GSocketAddress *group)
{
}

void
secure_srtp_out (SecureSrtp *x, GstPad *sink)
{
}

void
secure_srtp_in (SecureSrtp *x, GstPad *src)
{
}

void
secure_srtp_get_stats (SecureSrtp *x, SecureSrtpStats *stats)
{
  *stats = (SecureSrtpStats){ 0 };
}
