/* What the picture loses with a packet, read from its RTP payload.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.264 (RFC 6184), H.265 (RFC 7798), VP8 (RFC 7741), VP9 (RFC 9628).  Only
 * headers are read, so the picture itself may be encrypted.
 * An H.265 stream with sprop-max-don-diff > 0 has numbers within its
 * aggregation packets (RFC 7798 4.4.2) that are not expected here: those
 * packets may be misread, never overread.
 */
#include <gst/rtpadapt/colour/importance.h>

#include <string.h>

/* RFC 6184 5.2, table 1. */
#define H264_STAP_A 24
#define H264_STAP_B 25
#define H264_MTAP16 26
#define H264_MTAP24 27
#define H264_FU_A 28
#define H264_FU_B 29

/* RFC 7798 4.4. */
#define H265_AP 48
#define H265_FU 49
#define H265_PACI 50

RaCodec
ra_codec_find (const gchar *encoding_name)
{
  static const struct
  {
    const gchar *name;
    RaCodec codec;
  } names[] = {
    { "H264", RA_CODEC_H264 },
    { "H265", RA_CODEC_H265 },
    { "VP8", RA_CODEC_VP8 },
    { "VP8-DRAFT-IETF-01", RA_CODEC_VP8 }, /* GStreamer's older name */
    { "VP9", RA_CODEC_VP9 },
    { "VP9-DRAFT-IETF-01", RA_CODEC_VP9 },
  };

  for (guint i = 0; encoding_name && i < G_N_ELEMENTS (names); i++) {
    if (g_ascii_strcasecmp (encoding_name, names[i].name) == 0)
      return names[i].codec;
  }
  return RA_CODEC_NONE;
}

/* The layer's number counts from 0, the base. */
static RaImportance
layer_importance (guint layer)
{
  guint n_layers = RA_IMPORTANCE_BASE - RA_IMPORTANCE_TOP;

  return RA_IMPORTANCE_BASE - MIN (layer, n_layers);
}

typedef RaImportance (*UnitFunc) (
    RaImportanceReader *r, const guint8 *nal, gsize size);

/* The most important of aggregation units: 16 bits of size, `skip` bytes of
 * other fields, the NAL unit.  Ends at a unit that is not all there. */
static RaImportance
units_importance (RaImportanceReader *r, const guint8 *p, gsize len, gsize skip,
    UnitFunc unit)
{
  RaImportance most = RA_IMPORTANCE_UNKNOWN;

  while (len > 2 + skip) {
    gsize size = (gsize) p[0] << 8 | p[1];

    p += 2 + skip;
    len -= 2 + skip;
    if (size == 0 || size > len)
      break;
    most = MAX (most, unit (r, p, size));
    p += size;
    len -= size;
  }
  return most;
}

/* H.264 table 7-1; NRI (RFC 6184 5.3): 00 is not used for reference, 01 is of
 * lower priority than 10 and 11. */
static RaImportance
h264_importance (guint type, guint nri)
{
  switch (type) {
    case 5: /* of an IDR picture */
      return RA_IMPORTANCE_KEY;
    case 7:  /* sequence parameter set */
    case 8:  /* picture parameter set */
    case 13: /* sequence parameter set extension */
    case 15: /* subset sequence parameter set */
      return RA_IMPORTANCE_PARAMETERS;
    case 6:  /* SEI */
    case 9:  /* access unit delimiter */
    case 10: /* end of sequence */
    case 11: /* end of stream */
    case 12: /* filler */
    case 19: /* auxiliary picture */
      return RA_IMPORTANCE_TOP;
    case 1: /* slice */
    case 2: /* its partitions */
    case 3:
    case 4:
    case 14: /* prefix */
    case 20: /* slice extension */
      return nri == 0 ? RA_IMPORTANCE_TOP
          : nri == 1  ? (RA_IMPORTANCE_TOP + RA_IMPORTANCE_BASE) / 2
                      : RA_IMPORTANCE_BASE;
    default:
      return RA_IMPORTANCE_UNKNOWN;
  }
}

static RaImportance
h264_unit (RaImportanceReader *r, const guint8 *nal, gsize size)
{
  return h264_importance (nal[0] & 0x1f, nal[0] >> 5 & 3);
}

static RaImportance
h264_read (RaImportanceReader *r, const guint8 *p, gsize len)
{
  gsize at, skip;

  switch (p[0] & 0x1f) {
    case H264_FU_A: /* RFC 6184 5.8: NRI here, the type in the FU header */
    case H264_FU_B:
      return len < 2 ? RA_IMPORTANCE_UNKNOWN
                     : h264_importance (p[1] & 0x1f, p[0] >> 5 & 3);
    case H264_STAP_A: /* RFC 6184 5.7.1: no DON */
      at = 1;
      skip = 0;
      break;
    case H264_STAP_B: /* DON */
      at = 3;
      skip = 0;
      break;
    case H264_MTAP16: /* RFC 6184 5.7.2: DONB; DOND, 16 bits of time */
      at = 3;
      skip = 3;
      break;
    case H264_MTAP24: /* DONB; DOND, 24 bits of time */
      at = 3;
      skip = 4;
      break;
    default:
      return h264_unit (r, p, len);
  }
  return len < at ? RA_IMPORTANCE_UNKNOWN
                  : units_importance (r, p + at, len - at, skip, h264_unit);
}

/* RFC 7798 1.1.4: LayerId, TID = TemporalId + 1; types from H.265 table 7-1. */
static RaImportance
h265_importance (RaImportanceReader *r, guint type, const guint8 *header)
{
  guint layer_id = (header[0] & 1u) << 5 | header[1] >> 3;
  guint tid = header[1] & 7;

  if (tid == 0 || type >= H265_AP) /* illegal */
    return RA_IMPORTANCE_UNKNOWN;
  if (layer_id > 0) /* an HEVC decoder leaves it out */
    return RA_IMPORTANCE_TOP;
  if (type >= 16 && type <= 23) /* BLA_W_LP to RSV_IRAP_VCL23 */
    return RA_IMPORTANCE_KEY;
  if (type < 16) {
    r->top_tid = MAX (r->top_tid, tid);
    /* Even up to 14: its own sub-layer does not refer to it, a higher may. */
    if (type % 2 == 0 && tid == r->top_tid)
      return RA_IMPORTANCE_TOP;
    return layer_importance (tid - 1);
  }
  if (type >= 32 && type <= 34) /* VPS, SPS, PPS */
    return RA_IMPORTANCE_PARAMETERS;
  /* AUD, end of sequence, end of bitstream, filler, SEI; else reserved. */
  return type >= 35 && type <= 40 ? RA_IMPORTANCE_TOP : RA_IMPORTANCE_UNKNOWN;
}

static RaImportance
h265_unit (RaImportanceReader *r, const guint8 *nal, gsize size)
{
  return size < 2 ? RA_IMPORTANCE_UNKNOWN
                  : h265_importance (r, nal[0] >> 1 & 0x3f, nal);
}

/* A packet of this type, `body` being what follows its 2 bytes of header. */
static RaImportance
h265_packet (RaImportanceReader *r, guint type, const guint8 *header,
    const guint8 *body, gsize len)
{
  switch (type) {
    case H265_AP: /* RFC 7798 4.4.2 */
      return units_importance (r, body, len, 0, h265_unit);
    case H265_FU: /* RFC 7798 4.4.3: LayerId and TID are the NAL unit's */
      return len < 1 ? RA_IMPORTANCE_UNKNOWN
                     : h265_importance (r, body[0] & 0x3f, header);
    default:
      return h265_importance (r, type, header);
  }
}

static RaImportance
h265_read (RaImportanceReader *r, const guint8 *p, gsize len)
{
  gsize at;

  if (len < 2)
    return RA_IMPORTANCE_UNKNOWN;
  if ((p[0] >> 1 & 0x3f) != H265_PACI)
    return h265_packet (r, p[0] >> 1 & 0x3f, p, p + 2, len - 2);
  /* RFC 7798 4.4.4: A, cType, PHSsize, F0..2, Y; PHES; what cType says. */
  if (len < 4)
    return RA_IMPORTANCE_UNKNOWN;
  at = 4 + ((p[2] & 1u) << 4 | p[3] >> 4);
  return len < at ? RA_IMPORTANCE_UNKNOWN
                  : h265_packet (r, p[2] >> 1 & 0x3f, p, p + at, len - at);
}

/* A payload descriptor, read byte by byte. */
typedef struct
{
  const guint8 *p;
  gsize len;
} Bytes;

/* FALSE at the end. */
static gboolean
next (Bytes *b, guint8 *byte)
{
  if (b->len == 0)
    return FALSE;
  *byte = *b->p++;
  b->len--;
  return TRUE;
}

/* PictureID of 7 or, if M, of 15 bits: VP8 and VP9. */
static gboolean
skip_picture_id (Bytes *b)
{
  guint8 byte;

  return next (b, &byte) && (!(byte & 0x80) || next (b, &byte));
}

/* RFC 7741 4.2.  TID 0 where there is none. */
static gboolean
vp8_descriptor (Bytes *b, guint8 *first, guint *tid)
{
  guint8 x, byte = 0;

  *tid = 0;
  if (!next (b, first))
    return FALSE;
  if (!(*first & 0x80)) /* X */
    return TRUE;
  if (!next (b, &x) || (x & 0x80 && !skip_picture_id (b)) /* I */
      || (x & 0x40 && !next (b, &byte))                   /* L: TL0PICIDX */
      || (x & 0x30 && !next (b, &byte)))                  /* T, K */
    return FALSE;
  if (x & 0x20)
    *tid = byte >> 6;
  return TRUE;
}

/* Whether this is a key frame stands in the first packet alone. */
static RaImportance
vp8_read (RaImportanceReader *r, const guint8 *p, gsize len, guint32 timestamp)
{
  Bytes b = { p, len };
  guint8 first, header;
  guint tid;
  RaImportance own;

  if (!vp8_descriptor (&b, &first, &tid))
    return RA_IMPORTANCE_UNKNOWN;
  own = first & 0x20 ? RA_IMPORTANCE_TOP : layer_importance (tid); /* N */
  if ((first & 0x17) == 0x10) { /* S, PID 0: the first of a frame */
    r->in_frame = next (&b, &header);
    r->timestamp = timestamp;
    r->frame = r->in_frame && !(header & 1) ? RA_IMPORTANCE_KEY : own; /* P */
  }
  if (r->in_frame && r->timestamp == timestamp)
    return r->frame;
  /* A key frame is the base, and is referred to. */
  return own == RA_IMPORTANCE_BASE ? RA_IMPORTANCE_UNKNOWN : own;
}

/* RFC 9628 4.2: I P L F B E V Z, PictureID, TID U SID D. */
static RaImportance
vp9_read (const guint8 *p, gsize len)
{
  Bytes b = { p, len };
  guint8 first, layers;

  if (!next (&b, &first))
    return RA_IMPORTANCE_UNKNOWN;
  if (!(first & 0x40)) /* P: refers to no other picture */
    return RA_IMPORTANCE_KEY;
  if (first & 0x80 && !skip_picture_id (&b))
    return RA_IMPORTANCE_UNKNOWN;
  if (!(first & 0x20))
    return RA_IMPORTANCE_BASE;
  if (!next (&b, &layers))
    return RA_IMPORTANCE_UNKNOWN;
  return layer_importance ((guint) (layers >> 5) + (layers >> 1 & 7));
}

void
ra_importance_init (RaImportanceReader *r, RaCodec codec)
{
  memset (r, 0, sizeof *r);
  r->codec = codec;
}

RaImportance
ra_importance_read (
    RaImportanceReader *r, const guint8 *payload, gsize len, guint32 timestamp)
{
  if (len == 0)
    return RA_IMPORTANCE_UNKNOWN;
  switch (r->codec) {
    case RA_CODEC_H264:
      return h264_read (r, payload, len);
    case RA_CODEC_H265:
      return h265_read (r, payload, len);
    case RA_CODEC_VP8:
      return vp8_read (r, payload, len, timestamp);
    case RA_CODEC_VP9:
      return vp9_read (payload, len);
    default:
      return RA_IMPORTANCE_UNKNOWN;
  }
}
