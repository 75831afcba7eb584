/* What the payload types are that rtpadaptsrc lets in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "../wire/payloadtypes.h"

G_BEGIN_DECLS

#define SRC_PAYLOAD_TYPES 128

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
  gboolean retransmission; /* PT_RTX and PT_RS_RTX are taken */
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
/* Of video, not of its repair; FALSE for a type that is unknown. */
gboolean src_payloads_is_video (const SrcPayloads *table, guint pt);

/* What each is. */
void src_payloads_kinds (
    const SrcPayloads *table, SrcPayloadKind kinds[SRC_PAYLOAD_TYPES]);
/* Caps of packets of any payload type. */
GstCaps *src_payloads_any (void);

G_END_DECLS
