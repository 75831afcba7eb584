/* Importance: payloads by hand from the RFCs' figures, and any bytes at all.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/colour/importance.h>
#include <gst/rtpadapt/util/rng.h>

#include <string.h>

#define RANDOM_PAYLOADS 1000000
#define MAX_LEN 24

#define H264 RA_CODEC_H264
#define H265 RA_CODEC_H265
#define VP8 RA_CODEC_VP8
#define VP9 RA_CODEC_VP9

#define UNKNOWN RA_IMPORTANCE_UNKNOWN
#define TOP RA_IMPORTANCE_TOP
#define BASE RA_IMPORTANCE_BASE
#define KEY RA_IMPORTANCE_KEY
#define PARAMETERS RA_IMPORTANCE_PARAMETERS

/* A layer n above the base is BASE - n. */
static const struct
{
  RaCodec codec;
  guint len;
  guint8 bytes[MAX_LEN];
  gint importance;
  const gchar *why;
} rows[] = {
  /* RFC 6184 5.3: F, NRI (2 bits), Type (5) */
  { H264, 1, { 0x67 }, PARAMETERS, "NRI 3, type 7: SPS" },
  { H264, 1, { 0x68 }, PARAMETERS, "NRI 3, type 8: PPS" },
  { H264, 1, { 0x6d }, PARAMETERS, "type 13: SPS extension" },
  { H264, 1, { 0x6f }, PARAMETERS, "type 15: subset SPS" },
  { H264, 3, { 0x65, 0x88, 0x80 }, KEY, "NRI 3, type 5: IDR slice" },
  { H264, 1, { 0x25 }, KEY, "NRI 1, type 5: NRI is only a SHOULD" },
  { H264, 1, { 0xe5 }, KEY, "F: bit errors change nothing" },
  { H264, 1, { 0x61 }, BASE, "NRI 3, type 1: slice" },
  { H264, 1, { 0x41 }, BASE, "NRI 2, type 1" },
  { H264, 1, { 0x21 }, 4, "NRI 1, type 1: of lower priority" },
  { H264, 1, { 0x01 }, TOP, "NRI 0, type 1: not used for reference" },
  { H264, 1, { 0x42 }, BASE, "NRI 2, type 2: partition A (table 2)" },
  { H264, 1, { 0x23 }, 4, "NRI 1, type 3: partition B" },
  { H264, 1, { 0x24 }, 4, "NRI 1, type 4: partition C" },
  { H264, 1, { 0x06 }, TOP, "type 6: SEI" },
  { H264, 1, { 0x09 }, TOP, "type 9: access unit delimiter" },
  { H264, 1, { 0x0c }, TOP, "type 12: filler" },
  { H264, 1, { 0x6e }, BASE, "NRI 3, type 14: prefix" },
  { H264, 1, { 0x14 }, TOP, "NRI 0, type 20: slice extension" },
  { H264, 1, { 0x60 }, UNKNOWN, "type 0: reserved" },
  { H264, 1, { 0x76 }, UNKNOWN, "type 22: reserved" },
  { H264, 1, { 0x7e }, UNKNOWN, "type 30: reserved" },
  { H264, 0, { 0 }, UNKNOWN, "nothing" },
  /* RFC 6184 figure 7: STAP-A header, (size, NAL unit)... */
  { H264, 14,
      { 0x78, 0, 2, 0x67, 0x42, 0, 2, 0x68, 0xce, 0, 3, 0x65, 0x88, 0x80 },
      PARAMETERS, "STAP-A: SPS, PPS, IDR" },
  { H264, 9, { 0x58, 0, 2, 0x06, 0x01, 0, 2, 0x41, 0x9a }, BASE,
      "STAP-A: SEI, slice" },
  { H264, 9, { 0x58, 0, 2, 0x41, 0x9a, 0, 9, 0x65, 0x88 }, BASE,
      "STAP-A: slice, an IDR that is cut" },
  { H264, 9, { 0x58, 0, 0, 0, 2, 0x65, 0x88, 0, 0 }, UNKNOWN,
      "STAP-A: a unit of no bytes" },
  { H264, 8, { 0x78, 0, 5, 0x78, 0, 2, 0x65, 0x88 }, UNKNOWN,
      "STAP-A in STAP-A is illegal" },
  /* figure 8: STAP-B header, DON, (size, NAL unit)... */
  { H264, 11, { 0x79, 0, 1, 0, 2, 0x09, 0xf0, 0, 2, 0x65, 0x88 }, KEY,
      "STAP-B: delimiter, IDR" },
  /* figure 12: MTAP16 header, DONB, (size, DOND, TS offset, NAL unit)... */
  { H264, 17,
      { 0x7a, 0, 5, 0, 2, 0, 0, 0, 0x41, 0x9a, 0, 2, 1, 0x0b, 0xb8, 0x65,
          0x88 },
      KEY, "MTAP16: slice, IDR" },
  /* figure 13: the same with 24 bits of TS offset */
  { H264, 19,
      { 0x7b, 0, 5, 0, 2, 0, 0, 0, 0, 0x01, 0x9a, 0, 2, 1, 0, 0x0b, 0xb8, 0x41,
          0x9a },
      BASE, "MTAP24: not for reference, slice" },
  /* figure 14: FU indicator (F, NRI, 28), FU header (S, E, R, Type) */
  { H264, 4, { 0x7c, 0x85, 0x88, 0x80 }, KEY, "FU-A: start of an IDR slice" },
  { H264, 4, { 0x7c, 0x05, 1, 2 }, KEY, "FU-A: middle of it" },
  { H264, 2, { 0x7c, 0x45 }, KEY, "FU-A: end of it, empty" },
  { H264, 3, { 0x5c, 0x81, 0x9a }, BASE, "FU-A: NRI 2, slice" },
  { H264, 3, { 0x1c, 0x01, 0x9a }, TOP, "FU-A: NRI 0, slice" },
  { H264, 5, { 0x7d, 0x85, 0, 1, 0x88 }, KEY, "FU-B (figure 15): IDR" },
  { H264, 3, { 0x7c, 0x9c, 0x85 }, UNKNOWN, "FU-A in FU-A is illegal" },
  { H264, 1, { 0x7c }, UNKNOWN, "FU-A without its header" },

  /* RFC 7798 1.1.4: F, Type (6 bits), LayerId (6), TID (3) = TemporalId + 1 */
  { H265, 2, { 0x40, 0x01 }, PARAMETERS, "32: VPS" },
  { H265, 2, { 0x42, 0x01 }, PARAMETERS, "33: SPS" },
  { H265, 2, { 0x44, 0x01 }, PARAMETERS, "34: PPS" },
  { H265, 2, { 0x20, 0x01 }, KEY, "16: BLA_W_LP" },
  { H265, 2, { 0x26, 0x01 }, KEY, "19: IDR_W_RADL" },
  { H265, 2, { 0x2a, 0x01 }, KEY, "21: CRA" },
  { H265, 2, { 0x2e, 0x01 }, KEY, "23: RSV_IRAP_VCL23" },
  { H265, 2, { 0x02, 0x01 }, BASE, "1: TRAIL_R" },
  { H265, 2, { 0x02, 0x02 }, BASE - 1, "TRAIL_R, TemporalId 1" },
  { H265, 2, { 0x06, 0x07 }, BASE - 6, "3: TSA_R, TemporalId 6" },
  { H265, 2, { 0x12, 0x01 }, BASE, "9: RASL_R" },
  { H265, 2, { 0x00, 0x01 }, TOP, "0: TRAIL_N, there is no higher layer" },
  { H265, 2, { 0x10, 0x01 }, TOP, "8: RASL_N" },
  { H265, 2, { 0x46, 0x01 }, TOP, "35: access unit delimiter" },
  { H265, 2, { 0x4e, 0x01 }, TOP, "39: SEI" },
  { H265, 2, { 0x30, 0x01 }, UNKNOWN, "24: reserved" },
  { H265, 2, { 0x52, 0x01 }, UNKNOWN, "41: reserved" },
  { H265, 2, { 0x26, 0x00 }, UNKNOWN, "TID 0 is illegal" },
  { H265, 2, { 0x26, 0x09 }, TOP, "LayerId 1: an enhancement" },
  { H265, 2, { 0x27, 0x01 }, TOP, "LayerId 32" },
  { H265, 1, { 0x26 }, UNKNOWN, "half a header" },
  /* figure 7: PayloadHdr (48), (size, NAL unit)... */
  { H265, 12, { 0x60, 0x01, 0, 3, 0x40, 0x01, 0x0c, 0, 3, 0x42, 0x01, 1 },
      PARAMETERS, "AP: VPS, SPS" },
  { H265, 10, { 0x60, 0x01, 0, 2, 0x4e, 0x01, 0, 2, 0x26, 0x01 }, KEY,
      "AP: SEI, IDR" },
  { H265, 5, { 0x60, 0x01, 0, 1, 0x40 }, UNKNOWN, "AP: half a header" },
  { H265, 8, { 0x60, 0x01, 0, 4, 0x60, 0x01, 0x40, 0x01 }, UNKNOWN,
      "AP in AP is illegal" },
  /* figure 9: PayloadHdr (49), FU header (S, E, FuType) */
  { H265, 4, { 0x62, 0x01, 0x93, 0xaf }, KEY, "FU: start of an IDR" },
  { H265, 4, { 0x62, 0x01, 0x13, 0xaf }, KEY, "FU: middle of it" },
  { H265, 4, { 0x62, 0x03, 0x41, 0xaf }, BASE - 2,
      "FU: end of TRAIL_R, TemporalId 2" },
  { H265, 2, { 0x62, 0x01 }, UNKNOWN, "FU without its header" },
  /* figure 12: PayloadHdr (50); A, cType (6), PHSsize (5), F0..2, Y; PHES */
  { H265, 8, { 0x64, 0x01, 0x26, 0x38, 1, 2, 0xc0, 0xaf }, KEY,
      "PACI: cType 19, PHSsize 3" },
  { H265, 9, { 0x64, 0x01, 0x62, 0x38, 1, 2, 0xc0, 0x93, 0xaf }, KEY,
      "PACI: cType 49, FU of an IDR" },
  { H265, 22, { 0x64, 0x01, 0x63, 0x00, [20] = 0x93, 0xaf }, KEY,
      "PACI: cType 49, PHSsize 16 over two bytes, FU of an IDR" },
  { H265, 8, { 0x64, 0x01, 0x60, 0x00, 0, 2, 0x42, 0x01 }, PARAMETERS,
      "PACI: cType 48, no PHES, AP with an SPS" },
  { H265, 6, { 0x64, 0x01, 0x64, 0x00, 0x26, 0x01 }, UNKNOWN,
      "PACI in PACI is illegal" },
  { H265, 6, { 0x64, 0x01, 0x27, 0xf0, 1, 2 }, UNKNOWN,
      "PACI: cType 19, PHSsize 31 of 2" },

  /* RFC 7741 4.2: X R N S R PID (3); I L T K; M PictureID; TL0PICIDX;
   * TID (2) Y KEYIDX; then 4.3: Size0 (3) H VER (3) P */
  { VP8, 5, { 0x90, 0x80, 0x11, 0x10, 0 }, KEY, "4.6.1: X, S; I; 17; P = 0" },
  { VP8, 3, { 0x10, 0x11, 0 }, BASE, "4.6.2: S; P = 1" },
  { VP8, 4, { 0x90, 0x80, 0x11, 0x11 }, BASE, "4.6.3: X, S; I; 17; P = 1" },
  { VP8, 3, { 0x30, 0x11, 0 }, TOP, "N, S; P = 1" },
  { VP8, 4, { 0xd8, 0x8f, 0x11, 0x10 }, KEY, "reserved bits are ignored" },
  { VP8, 4, { 0x90, 0x20, 0x80, 0x11 }, BASE - 2, "T; TID 2; P = 1" },
  { VP8, 7, { 0x90, 0xe0, 0x92, 0x34, 5, 0x40, 0x11 }, BASE - 1,
      "I L T; M 0x1234; TL0PICIDX 5; TID 1; P = 1" },
  { VP8, 4, { 0x90, 0x10, 0xc4, 0x11 }, BASE, "K alone: TID is ignored" },
  { VP8, 5, { 0x90, 0x40, 5, 0x10, 0 }, KEY, "L; TL0PICIDX 5; P = 0" },
  { VP8, 2, { 0x00, 0x10 }, UNKNOWN, "not the first: no P here" },
  { VP8, 2, { 0x11, 0x10 }, UNKNOWN, "S, PID 1: no P here" },
  { VP8, 2, { 0x20, 0x10 }, TOP, "not the first, but N" },
  { VP8, 1, { 0x10 }, UNKNOWN, "ends before P" },
  { VP8, 3, { 0x90, 0x80, 0x92 }, UNKNOWN, "ends in PictureID" },

  /* RFC 9628 4.2: I P L F B E V Z; M PictureID; TID (3) U SID (3) D;
   * TL0PICIDX, or with F P_DIFF N */
  { VP9, 4, { 0x88, 0x92, 0x34, 0x82 }, KEY, "I, B; P = 0" },
  { VP9, 4, { 0x8a, 0x11, 0x18, 0 }, KEY, "P = 0, scalability structure" },
  { VP9, 4, { 0xa8, 0x11, 0x03, 5 }, KEY, "P = 0 in spatial layer 1" },
  { VP9, 3, { 0xc8, 0x11, 0x86 }, BASE, "I, P, B: no layers" },
  { VP9, 1, { 0x40 }, BASE, "P alone" },
  { VP9, 5, { 0xe8, 0x11, 0x42, 5, 0 }, BASE - 3, "TID 2, SID 1" },
  { VP9, 3, { 0x68, 0x20, 5 }, BASE - 1, "no PictureID, TID 1" },
  { VP9, 6, { 0xf8, 0x92, 0x34, 0x30, 0x02, 0 }, BASE - 1, "F: TID 1, U" },
  { VP9, 2, { 0x60, 0xee }, TOP, "TID 7, SID 7: no lower than TOP" },
  { VP9, 2, { 0xc8, 0x92 }, UNKNOWN, "ends in PictureID" },
  { VP9, 2, { 0xe8, 0x11 }, UNKNOWN, "ends before TID" },

  { RA_CODEC_NONE, 2, { 0x65, 0x88 }, UNKNOWN, "no codec" },
};

/* From a copy of exactly this length, which the sanitizer watches. */
static RaImportance
read_copy (RaImportanceReader *r, const guint8 *bytes, gsize len, guint32 time)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, len);
  RaImportance importance = ra_importance_read (r, copy, len, time);

  return importance;
}

/* The row; and a payload that ends early never counts for more. */
static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  g_test_message ("%s", rows[i].why);
  for (guint len = 0; len <= rows[i].len; len++) {
    RaImportanceReader r;
    RaImportance got;

    ra_importance_init (&r, rows[i].codec);
    got = read_copy (&r, rows[i].bytes, len, 0);
    g_assert_cmpint (got, <=, rows[i].importance);
    if (len == rows[i].len)
      g_assert_cmpint (got, ==, rows[i].importance);
  }
}

#define STEPS 5

/* Packets of one stream, each with its timestamp; len 0 ends. */
static const struct
{
  RaCodec codec;
  struct
  {
    guint32 timestamp;
    guint len;
    guint8 bytes[4];
    gint importance;
  } steps[STEPS];
  const gchar *why;
} streams[] = {
  { VP8,
      { { 1, 2, { 0x10, 0x10 }, KEY }, { 1, 2, { 0x00, 0x11 }, KEY },
          { 1, 2, { 0x11, 0x11 }, KEY }, { 2, 2, { 0x10, 0x11 }, BASE },
          { 2, 2, { 0x00, 0x10 }, BASE } },
      "a frame's other packets are as its first" },
  { VP8,
      { { 1, 2, { 0x10, 0x10 }, KEY }, { 2, 2, { 0x00, 0x10 }, UNKNOWN },
          { 2, 2, { 0x20, 0x10 }, TOP }, { 1, 2, { 0x00, 0x10 }, KEY } },
      "a frame whose first packet was not there" },
  { VP8,
      { { 1, 2, { 0x10, 0x10 }, KEY }, { 2, 1, { 0x10 }, UNKNOWN },
          { 2, 2, { 0x00, 0x10 }, UNKNOWN } },
      "a first packet that ends before P" },
  { VP8,
      { { 1, 4, { 0x90, 0x20, 0x40, 0x11 }, BASE - 1 },
          { 1, 4, { 0x80, 0x20, 0x40, 0x10 }, BASE - 1 },
          { 2, 4, { 0x80, 0x20, 0x80, 0x10 }, BASE - 2 } },
      "TID stands in each packet" },
  /* RFC 7798 1.1.4; TRAIL_N of TemporalId 0, TSA_R and TSA_N of 1 */
  { H265,
      { { 1, 2, { 0x00, 0x01 }, TOP }, { 2, 2, { 0x06, 0x02 }, BASE - 1 },
          { 3, 2, { 0x00, 0x01 }, BASE }, { 4, 2, { 0x04, 0x02 }, TOP } },
      "a higher sub-layer may refer to what its own does not" },
};

static void
test_stream (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaImportanceReader r;

  ra_importance_init (&r, streams[i].codec);
  for (guint n = 0; n < STEPS && streams[i].steps[n].len; n++) {
    g_test_message ("%s: step %u", streams[i].why, n);
    g_assert_cmpint (
        read_copy (&r, streams[i].steps[n].bytes, streams[i].steps[n].len,
            streams[i].steps[n].timestamp),
        ==, streams[i].steps[n].importance);
  }
}

/* Bytes of an attacker, half of them beginning as a valid row. */
static void
test_random (gconstpointer data)
{
  RaCodec codec = (RaCodec) (H264 + GPOINTER_TO_UINT (data));
  RaImportanceReader r;
  RaRng rng;

  ra_rng_init (&rng, 1, codec);
  ra_importance_init (&r, codec);
  for (guint i = 0; i < RANDOM_PAYLOADS / 4; i++) {
    const guint8 *start = rows[ra_rng_next (&rng) % G_N_ELEMENTS (rows)].bytes;
    gsize len = ra_rng_next (&rng) % (2 * MAX_LEN);
    gsize kept = ra_rng_next (&rng) % 4;
    guint8 bytes[2 * MAX_LEN];
    RaImportance got;

    for (gsize k = 0; k < len; k++)
      bytes[k] = (guint8) (ra_rng_next (&rng) >> (k % 2 ? 24 : 30));
    memcpy (bytes, start, kept);
    got = read_copy (&r, bytes, len, ra_rng_next (&rng) % 2);
    g_assert_true (got >= UNKNOWN && got <= PARAMETERS);
    g_assert_true (len > 0 || got == UNKNOWN);
  }
}

static void
test_codec_find (void)
{
  static const struct
  {
    const gchar *name;
    RaCodec codec;
  } names[] = {
    { "H264", H264 },
    { "h265", H265 },
    { "Vp8", VP8 },
    { "VP9", VP9 },
    { "VP8-DRAFT-IETF-01", VP8 },
    { "VP9-DRAFT-IETF-01", VP9 },
    { "H26", RA_CODEC_NONE },
    { "H264-SVC", RA_CODEC_NONE },
    { "OPUS", RA_CODEC_NONE },
    { "", RA_CODEC_NONE },
    { NULL, RA_CODEC_NONE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_test_message ("%s", names[i].name);
    g_assert_cmpint (ra_codec_find (names[i].name), ==, names[i].codec);
  }
}

void
tests_add (void)
{
  rows_add ("/importance/row", rows, test_row);
  rows_add ("/importance/stream", streams, test_stream);
  rows_add_n ("/importance/random", VP9 - H264 + 1, test_random);
  g_test_add_func ("/importance/codec-find", test_codec_find);
}
