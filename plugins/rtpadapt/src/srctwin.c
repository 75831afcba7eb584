/* Finds media that have a payload type of repair.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srctwin.h"

/* Its place, or that of the one heard longest ago. */
static SrcTwinMedia *
media_place (SrcTwin *t, guint32 ssrc)
{
  SrcTwinMedia *oldest = &t->media[0];

  for (guint i = 0; i < PEER_STREAMS; i++) {
    SrcTwinMedia *m = &t->media[i];

    if (m->used && m->ssrc == ssrc)
      return m;
    if (m->used < oldest->used)
      oldest = m;
  }
  return oldest;
}

static gboolean
fits (const SrcTwin *t, const RtpMuxHead *head, guint16 first)
{
  for (guint i = 0; i < PEER_STREAMS; i++) {
    const SrcTwinMedia *m = &t->media[i];

    if (!m->used)
      continue;
    if (pt_is_rtx (head->pt)
            ? ABS ((gint16) (first - m->newest)) < SRC_TWIN_NEAR
            : m->ssrc == head->ssrc)
      return TRUE;
  }
  return FALSE;
}

gboolean
src_twin_on_packet (
    SrcTwin *t, const RtpMuxHead *head, gboolean repair, guint16 first)
{
  SrcTwinRepair *r = &t->repair[head->pt];

  if (!repair) {
    *media_place (t, head->ssrc)
        = (SrcTwinMedia){ head->ssrc, head->seq, ++t->n };
    return FALSE;
  }
  if (fits (t, head, first))
    r->fit++;
  else
    r->unfit++;
  if (r->fit + r->unfit >= SRC_TWIN_LATEST) {
    r->fit /= 2;
    r->unfit /= 2;
  }
  if (r->said || r->unfit < SRC_TWIN_ENOUGH || r->unfit <= r->fit)
    return FALSE;
  r->said = TRUE;
  return TRUE;
}
