/* RTCP that is forged or malformed.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* PAIR_START, 100 s, in us. */
#define T_START 0x05f5e100u
#define SENT 10 /* packets, numbers 0 to 9, at PAIR_START */

/* A function that puts one thing. */
#define FORGED(name, puts)          \
  static inline void name (Rtcp *r) \
  {                                 \
    puts;                           \
  }

/* --- what there is to be forged ------------------------------------------------- */

static inline void
put_ccfb (Rtcp *r, guint32 about, guint from, guint n)
{
  guint padded = n + n % 2;

  put_head (r, 11, 205, 20 + 2 * padded); /* RFC 8888 3.1 */
  put (r, 4, PEER);
  put (r, 4, about);
  put (r, 2, from);
  put (r, 2, n);
  for (guint i = 0; i < padded; i++)
    put (r, 2, i >= n ? 0 : 0x8010);
  put (r, 4, 0x12345678);
}

/* A transport-wide report with this FCI behind the base and the count. */
static inline void
put_twcc (Rtcp *r, guint base, guint count, const gchar *chunks)
{
  guint n = (guint) strlen (chunks) / 2;

  put_head (r, 15, 205, 20 + n);
  put (r, 4, PEER);
  put (r, 4, SSRC);
  put (r, 2, base);
  put (r, 2, count);
  put (r, 4, 0x00000100); /* reference time 1, feedback 0 */
  for (guint i = 0; i < n; i++)
    put (r, 1,
        (guint64) (g_ascii_xdigit_value (chunks[2 * i]) << 4
            | g_ascii_xdigit_value (chunks[2 * i + 1])));
}

static inline void
put_bye (Rtcp *r, guint32 whose)
{
  put_head (r, 1, 203, 8);
  put (r, 4, whose);
}

FORGED (foreign_tfrc, put_tfrc (r, 2, SSRC + 1, T_START, 0, 1000, 0xffffffff))
FORGED (foreign_ccfb, put_ccfb (r, SSRC + 1, 0, SENT))
FORGED (foreign_block, put_rr (r, SSRC + 1, 255, 9, 0, 0))
FORGED (unsent_tfrc, put_tfrc (r, 2, SSRC, T_START + 1, 0, 1000, 0xffffffff))
FORGED (unsent_ccfb, put_ccfb (r, SSRC, 3000, SENT))
FORGED (contrary_tfrc, put_tfrc (r, 2, SSRC, T_START, 50000, 0, 0xffffffff))

/* The number of reports is said to be another. */
static inline void
ccfb_count (Rtcp *r, guint n)
{
  put_ccfb (r, SSRC, 0, SENT);
  r->data[14] = (guint8) (n >> 8);
  r->data[15] = (guint8) n;
}

FORGED (ccfb_8000, ccfb_count (r, 0x8000))
FORGED (ccfb_4001, ccfb_count (r, 0x4001))
FORGED (ccfb_ffff, ccfb_count (r, 0xffff))
FORGED (ccfb_past_end, ccfb_count (r, SENT + 2))
FORGED (ccfb_too_few, ccfb_count (r, SENT - 2))

/* Half a block: an SSRC and nothing. */
static inline void
ccfb_half (Rtcp *r)
{
  put_head (r, 11, 205, 16);
  put (r, 4, PEER);
  put (r, 4, SSRC);
  put (r, 4, 0x12345678);
}

/* RFC 3550 6.4.1: the last byte counts the padding. */
static inline void
ccfb_padding (Rtcp *r)
{
  put_ccfb (r, SSRC, 0, SENT);
  r->data[0] |= 0x20;
  r->data[r->len - 1] = 255;
}

FORGED (twcc_no_chunks, put_twcc (r, 0, 10, ""))
FORGED (twcc_few_chunks, put_twcc (r, 0, 0xffff, "20040000"))

/* A run of 8191 packets that came, and four deltas. */
FORGED (twcc_few_deltas, put_twcc (r, 0, 8191, "3fff000000000000"))

/* Two-bit symbols, all of them 3. */
FORGED (twcc_reserved, put_twcc (r, 0, 7, "ffff0000"))

/* Packets that leave later. */
FORGED (twcc_unsent, put_twcc (r, 5000, 4, "2004000000000000"))

static inline void
rtcp_version (Rtcp *r)
{
  put_tfrc (r, 2, SSRC, T_START, 0, 0, 0xffffffff);
  r->data[0] = 0x42;
}

/* Its length goes beyond the compound. */
static inline void
rtcp_length (Rtcp *r)
{
  put_rr (r, SSRC, 255, 9, 0, 0);
  put_tfrc (r, 2, SSRC, T_START, 0, 0, 0xffffffff);
  r->data[35] = 7; /* the TFRC-FB has 28 bytes, 6 */
}

static inline void
rtcp_padding_first (Rtcp *r)
{
  put_rr (r, SSRC, 255, 9, 0, 0);
  r->data[0] |= 0x20;
  put_tfrc (r, 2, SSRC, T_START, 0, 0, 0xffffffff);
}

/* Three bytes more than words. */
static inline void
rtcp_odd (Rtcp *r)
{
  put_tfrc (r, 2, SSRC, T_START, 0, 0, 0xffffffff);
  put (r, 3, 0);
}

/* RFC 3550 6.1: SR or RR first; a BYE is neither, nor is it reduced-size
 * feedback (RFC 5506). */
static inline void
rtcp_app_half (Rtcp *r)
{
  put_head (r, 0, 204, 8);
  put (r, 4, PEER);
}

/* An extended report (RFC 3611): the ECN summary of RFC 6679 5.2, whose blocks
 * are 5 words for each SSRC, `words` long. */
static inline void
xr (Rtcp *r, guint words, guint says)
{
  put_head (r, 0, 207, 8 + 4 + 4 * words);
  put (r, 4, PEER);
  put (r, 1, 13);
  put (r, 1, 0);
  put (r, 2, says);
  for (guint i = 0; i < words; i++)
    put (r, 4, i % 5 ? 0xffffffff : SSRC);
}

FORGED (xr_right, xr (r, 5, 5))
FORGED (xr_6, xr (r, 6, 6))
FORGED (xr_past_end, xr (r, 5, 0xffff))
FORGED (bye_ours, put_bye (r, SSRC))
FORGED (bye_peer, put_bye (r, PEER))

/* A sender report of our own SSRC, about it: what we sent came back. */
static inline void
loop (Rtcp *r)
{
  put_head (r, 0, 200, 28);
  put (r, 4, SSRC);
  put (r, 4, 0xe0000000);
  put (r, 4, 0);
  put (r, 4, 0);
  put (r, 4, 1000);
  put (r, 4, 100000);
}
