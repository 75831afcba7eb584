/* What the payload types are that rtpadaptsrc lets in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define SRC_PAYLOAD_TYPES 128
#define SRC_FEC_PT 122
#define SRC_RTX_PT 121
#define SRC_RS_PT 120
#define SRC_RS_RTX_PT 119 /* what has SRC_RS_PT, sent again */

/* Extensions of the header, by their numbers in our bins. */
#define SRC_EXT_TWCC "extmap-1"
#define SRC_EXT_SEND_TS "extmap-2"
#define SRC_EXT_COLOUR "extmap-3"

typedef struct
{
  const gchar *pt_map;   /* "96=H264/90000,97=OPUS/48000", or NULL */
  const gchar *encoding; /* "H264", of all dynamic types besides, or NULL */
  GstCaps *caps;         /* goes before both, or NULL */
  gboolean retransmission;
  gboolean twcc; /* rtpsession answers */
} SrcPayloadSettings;

/* Caps for rtpbin by payload type; NULL: unknown, not let in. */
typedef struct
{
  GstCaps *caps[SRC_PAYLOAD_TYPES];
  gboolean retransmission; /* SRC_RTX_PT and SRC_RS_RTX_PT are taken */
} SrcPayloads;

typedef enum
{
  SRC_PAYLOAD_UNKNOWN, /* not let in */
  SRC_PAYLOAD_MEDIA,
  SRC_PAYLOAD_REPAIR
} SrcPayloadKind;

/* FALSE and an error that names the bad entry; `table` needs no clearing
 * then. */
gboolean src_payloads_fill (
    SrcPayloads *table, const SrcPayloadSettings *settings, GError **error);
void src_payloads_clear (SrcPayloads *table);
/* FEC, of whichever code. */
static inline gboolean
src_payload_is_fec (guint pt)
{
  return pt == SRC_FEC_PT || pt == SRC_RS_PT;
}

/* What was sent again, of whatever kind. */
static inline gboolean
src_payload_is_rtx (guint pt)
{
  return pt == SRC_RTX_PT || pt == SRC_RS_RTX_PT;
}

/* The lowest video payload type, or that of `encoding`, for which others are
 * repaired; -1 if there is none. */
gint src_payloads_video (const SrcPayloads *table);

/* What each is. */
void src_payloads_kinds (
    const SrcPayloads *table, SrcPayloadKind kinds[SRC_PAYLOAD_TYPES]);
/* Caps of packets of any payload type. */
GstCaps *src_payloads_any (void);

G_END_DECLS
