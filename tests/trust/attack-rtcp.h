/* RTCP that is forged or malformed.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* PAIR_START, 100 s, in us. */
#define T_START 0x05f5e100u
#define SENT 10 /* packets, numbers 0 to 9, at PAIR_START */

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

static inline void
foreign_tfrc (Rtcp *r)
{
  put_tfrc (r, 2, SSRC + 1, T_START, 0, 1000, 0xffffffff);
}

static inline void
foreign_ccfb (Rtcp *r)
{
  put_ccfb (r, SSRC + 1, 0, SENT);
}

static inline void
foreign_block (Rtcp *r)
{
  put_rr (r, SSRC + 1, 255, 9, 0, 0);
}

static inline void
unsent_tfrc (Rtcp *r)
{
  put_tfrc (r, 2, SSRC, T_START + 1, 0, 1000, 0xffffffff);
}

static inline void
unsent_ccfb (Rtcp *r)
{
  put_ccfb (r, SSRC, 3000, SENT);
}

static inline void
contrary_tfrc (Rtcp *r)
{
  put_tfrc (r, 2, SSRC, T_START, 50000, 0, 0xffffffff);
}

/* The number of reports is said to be another. */
static inline void
ccfb_count (Rtcp *r, guint n)
{
  put_ccfb (r, SSRC, 0, SENT);
  r->data[14] = (guint8) (n >> 8);
  r->data[15] = (guint8) n;
}

static inline void
ccfb_8000 (Rtcp *r)
{
  ccfb_count (r, 0x8000);
}

static inline void
ccfb_4001 (Rtcp *r)
{
  ccfb_count (r, 0x4001);
}

static inline void
ccfb_ffff (Rtcp *r)
{
  ccfb_count (r, 0xffff);
}

static inline void
ccfb_past_end (Rtcp *r)
{
  ccfb_count (r, SENT + 2);
}

static inline void
ccfb_too_few (Rtcp *r)
{
  ccfb_count (r, SENT - 2);
}

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

static inline void
twcc_no_chunks (Rtcp *r)
{
  put_twcc (r, 0, 10, "");
}

static inline void
twcc_few_chunks (Rtcp *r)
{
  put_twcc (r, 0, 0xffff, "20040000");
}

/* A run of 8191 packets that came, and four deltas. */
static inline void
twcc_few_deltas (Rtcp *r)
{
  put_twcc (r, 0, 8191, "3fff000000000000");
}

/* Two-bit symbols, all of them 3. */
static inline void
twcc_reserved (Rtcp *r)
{
  put_twcc (r, 0, 7, "ffff0000");
}

/* Packets that leave later. */
static inline void
twcc_unsent (Rtcp *r)
{
  put_twcc (r, 5000, 4, "2004000000000000");
}

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

static inline void
xr_right (Rtcp *r)
{
  xr (r, 5, 5);
}

static inline void
xr_6 (Rtcp *r)
{
  xr (r, 6, 6);
}

static inline void
xr_past_end (Rtcp *r)
{
  xr (r, 5, 0xffff);
}

static inline void
bye_ours (Rtcp *r)
{
  put_bye (r, SSRC);
}

static inline void
bye_peer (Rtcp *r)
{
  put_bye (r, PEER);
}

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
