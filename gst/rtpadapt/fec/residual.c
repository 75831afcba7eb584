/* What is left missing after rtpulpfecenc's repair, exactly.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The code (GStreamer 1.22, gstrtpulpfecenc.c, multipacket=true).  At a
 * frame's marker, its last 48 media packets are n packets to protect.  Each
 * media packet adds percentage / 100 to a budget; its whole part f is spent at
 * the marker, the rest is kept for the next frame.  Repair packet i of f is
 * the XOR of the media packets from floor(i n / f) to ceil((i + 1) n / f) - 1:
 * rows of neighbours, where one row's last packet is the next one's first
 * unless f divides i n.  All repair packets follow the frame.  The decoder
 * (gstrtpulpfecdec.c) repairs a row that misses one packet, and goes on with
 * what it repaired until nothing changes.
 *
 * The budget.  Its fraction wanders over the multiples of some 1/k and is
 * uniform there, so a frame of n gets floor(n percentage / 100) or one more,
 * with the mean n percentage / 100: L is interpolated between the two.  With
 * up to 100 % that is never more than n; above 48 packets we count 48 at most.
 *
 * The loss.  L(n, f) is the mean number of packets that stay missing, over all
 * paths of the channel.  Rows are taken in turn.  The packet that a row shares
 * with the next is then either known (it came, or this row or an earlier one
 * repairs it) or open.  If open, the next row may still repair it, and then
 * this row may get another, and so on backwards; so an open packet carries a
 * gain, the mean number of packets that it would bring back.  What stays
 * missing without it is counted at once and the gain taken off later.  As the
 * repair packets follow the last media packet, the media's and the repair's
 * channel states x, y go along side by side, once for each state e in which
 * the media may end: y starts from e, and of x only what ends in e counts.
 *
 * That is O(f) per frame, and exact on a channel that moves once per packet.
 * A radio moves in time: bursts should be measured on the packets as paced.
 */
#include <gst/rtpadapt/fec/residual.h>

#include <math.h>
#include <string.h>

#define GOOD 0
#define BAD 1

/* Frames that the mean size is taken over: 10 s at 25 Hz. */
#define FRAMES 256
#define UNIT_MAX 1e9
/* Frames up to this size have a bin each; the last bin is above what is
 * protected, and those between are of some even or odd sizes: near 50 % only
 * the odd have rows that share packets. */
#define ALONE 12
#define ABOVE (RA_FRAMES_BINS - 1)

/* Probabilities by the state of the last media packet. */
typedef struct
{
  gdouble known[2]; /* the packet shared with the next row, or no such packet */
  gdouble open[2];
  gdouble gain[2]; /* times the probability of open */
  gdouble lost[2]; /* mean number missing so far, times the probability */
} State;

static guint
bin_of (guint packets)
{
  static const guint last[] = { 18, 28, 40, RA_RESIDUAL_MAX };
  guint range = 0;

  if (packets <= ALONE)
    return packets - 1;
  while (range < G_N_ELEMENTS (last) && packets > last[range])
    range++;
  return range < G_N_ELEMENTS (last) ? ALONE + 2 * range + packets % 2 : ABOVE;
}

/* What stands for the bin's frames. */
static guint64
bin_size (const RaFrames *frames, guint bin)
{
  guint odd = bin >= ALONE && bin < ABOVE ? bin % 2 : 0;
  guint unit = bin >= ALONE && bin < ABOVE ? 2 : 1;

  return unit * (guint64) round ((frames->size[bin] - odd) / unit) + odd;
}

void
ra_frames_add (RaFrames *frames, guint packets)
{
  gdouble *weight = frames->weight;
  guint bin;

  if (packets == 0)
    return;
  if (frames->unit > UNIT_MAX) {
    for (guint i = 0; i < RA_FRAMES_BINS; i++)
      weight[i] /= frames->unit;
    frames->unit = 1;
  }
  frames->unit = frames->unit > 0 ? frames->unit * FRAMES / (FRAMES - 1.) : 1;
  bin = bin_of (packets);
  weight[bin] += frames->unit;
  frames->size[bin]
      += (packets - frames->size[bin]) * frames->unit / weight[bin];
}

gdouble
ra_frames_mean (const RaFrames *frames)
{
  gdouble packets = 0, weight = 0;

  for (guint i = 0; i < RA_FRAMES_BINS; i++) {
    weight += frames->weight[i];
    packets += frames->weight[i] * frames->size[i];
  }
  return weight > 0 ? packets / weight : 0;
}

/* out += v * m */
static void
add (gdouble out[2], const gdouble v[2], const gdouble (*m)[2])
{
  out[GOOD] += v[GOOD] * m[GOOD][GOOD] + v[BAD] * m[BAD][GOOD];
  out[BAD] += v[GOOD] * m[GOOD][BAD] + v[BAD] * m[BAD][BAD];
}

/* One packet more. */
static void
row_extend (
    RaResidualRow *to, const RaResidualRow *row, const gdouble (*step)[2])
{
  for (guint x = 0; x < 2; x++) {
    gdouble one[2] = { 0 };

    add (to->any[x], row->any[x], step);
    add (to->none[x], row->none[x], step);
    add (one, row->one[x], step);
    add (to->count[x], row->count[x], step);
    to->one[x][GOOD] = one[GOOD];
    to->one[x][BAD] = to->none[x][BAD];
    to->none[x][BAD] = 0;
    to->count[x][BAD] += to->any[x][BAD];
  }
}

void
ra_residual_init (RaResidual *m, gdouble w, gdouble burst)
{
  gdouble to_good;
  RaResidualRow *row = m->row;

  memset (m, 0, sizeof *m);
  m->w = w > 0 ? MIN (w, .9) : 0;
  to_good = burst > 1 ? MIN (1 / burst, 1 - m->w) : 1 - m->w;
  row[0].none[GOOD][GOOD] = row[0].none[BAD][BAD] = 1;
  row[0].any[GOOD][GOOD] = row[0].any[BAD][BAD] = 1;
  /* w = to_bad / (to_bad + to_good), burst = 1 / to_good */
  row[1].any[GOOD][BAD] = m->w * to_good / (1 - m->w);
  row[1].any[GOOD][GOOD] = 1 - row[1].any[GOOD][BAD];
  row[1].any[BAD][GOOD] = to_good;
  row[1].any[BAD][BAD] = 1 - to_good;
  for (guint x = 0; x < 2; x++) {
    row[1].none[x][GOOD] = row[1].any[x][GOOD];
    row[1].one[x][BAD] = row[1].count[x][BAD] = row[1].any[x][BAD];
  }
  for (guint i = 2; i <= RA_RESIDUAL_MAX; i++)
    row_extend (&row[i], &row[i - 1], row[1].any);
}

/* The row is over: `to` as if the packet it shares with the next row came (or
 * there is none), and as if it was lost.  `repair`: the repair packet came. */
static void
row_end (const State *s, const RaResidualRow *row, gboolean repair, State *came,
    State *lost)
{
  gdouble k0[2] = { 0 }, k1[2] = { 0 }, u0[2] = { 0 }, g0[2] = { 0 };
  gdouble k[2] = { 0 }, u[2] = { 0 }, missing[2] = { 0 };

  add (k0, s->known, row->none);
  add (k1, s->known, row->one);
  add (k, s->known, row->any);
  add (u0, s->open, row->none);
  add (u, s->open, row->any);
  add (g0, s->gain, row->none);
  add (missing, s->lost, row->any);
  add (missing, s->known, row->count);
  add (missing, s->open, row->count);

  for (guint x = 0; x < 2; x++) {
    gdouble all = missing[x] + u[x]; /* the open packet, too */

    came->known[x] = k[x] + u[x];
    came->open[x] = came->gain[x] = 0;
    /* One missing packet comes back: one of the row's, or the open one. */
    came->lost[x] = repair ? all - k1[x] - u0[x] - g0[x] : all;
    lost->known[x] = repair ? k0[x] : 0;
    lost->open[x] = k[x] + u[x] - lost->known[x];
    lost->gain[x] = repair ? k1[x] + u0[x] + g0[x] : 0;
    lost->lost[x] = all;
  }
}

/* The shared packet's own turn. */
static void
row_share (
    const State *came, const State *lost, const gdouble (*step)[2], State *out)
{
  const gdouble good[2][2]
      = { { step[GOOD][GOOD], 0 }, { step[BAD][GOOD], 0 } };
  const gdouble bad[2][2] = { { 0, step[GOOD][BAD] }, { 0, step[BAD][BAD] } };

  memset (out, 0, sizeof *out);
  add (out->known, came->known, good);
  add (out->lost, came->lost, good);
  add (out->known, lost->known, bad);
  add (out->open, lost->open, bad);
  add (out->gain, lost->gain, bad);
  add (out->lost, lost->lost, bad);
}

/* One row, by the state of its repair packet; `s` by that of the one before. */
static void
frame_row (const RaResidual *m, State s[2], guint length, gboolean shares)
{
  const gdouble (*step)[2] = m->row[1].any;
  State before[2] = { s[GOOD], s[BAD] };

  for (guint y = GOOD; y <= BAD; y++) {
    State mix, came, lost;

    for (guint x = 0; x < 2; x++) {
      gdouble good = step[GOOD][y], bad = step[BAD][y];
      const State *a = &before[GOOD], *b = &before[BAD];

      mix.known[x] = good * a->known[x] + bad * b->known[x];
      mix.open[x] = good * a->open[x] + bad * b->open[x];
      mix.gain[x] = good * a->gain[x] + bad * b->gain[x];
      mix.lost[x] = good * a->lost[x] + bad * b->lost[x];
    }
    row_end (&mix, &m->row[length], y == GOOD, &came, &lost);
    if (shares)
      row_share (&came, &lost, step, &s[y]);
    else
      s[y] = came;
  }
}

gdouble
ra_residual_frame (const RaResidual *m, guint n, guint f)
{
  guint bare = n > RA_RESIDUAL_MAX ? n - RA_RESIDUAL_MAX : 0;
  gdouble missing = 0;

  n -= bare;
  f = MIN (f, n);
  if (f == 0)
    return m->w * (n + bare);
  for (guint e = GOOD; e <= BAD; e++) {
    State s[2] = { 0 };
    guint done = 0; /* media packets that had their turn */

    s[e].known[GOOD] = 1 - m->w;
    s[e].known[BAD] = m->w;
    for (guint i = 1; i <= f; i++) {
      gboolean shares = i * n % f != 0;

      frame_row (m, s, i * n / f - done, shares);
      done = i * n / f + shares;
    }
    missing += s[GOOD].lost[e] + s[BAD].lost[e];
  }
  return m->w * bare + MAX (missing, 0);
}

/* ra_residual_frame(), remembered: a search for the level asks for few n, but
 * often. */
static gdouble
frame_known (RaResidual *m, guint64 n, guint64 f)
{
  guint64 covered = MIN (n, RA_RESIDUAL_MAX), rows = MIN (f, covered);
  gdouble *known = &m->known[covered][rows];

  if (*known <= 0)
    *known = ra_residual_frame (m, (guint) covered, (guint) rows);
  return *known + m->w * (gdouble) (n - covered);
}

gdouble
ra_residual (RaResidual *m, const RaFrames *frames, guint percentage)
{
  gdouble missing = 0, packets = 0;

  for (guint bin = 0; bin < RA_FRAMES_BINS; bin++) {
    gdouble weight = frames->weight[bin], more;
    guint64 n, f;

    if (weight <= 0)
      continue;
    n = bin_size (frames, bin);
    f = n * percentage / 100;
    more = (gdouble) (n * percentage % 100) / 100;
    missing += weight * (1 - more) * frame_known (m, n, f);
    if (more > 0)
      missing += weight * more * frame_known (m, n, f + 1);
    packets += weight * (gdouble) n;
  }
  return packets > 0 ? missing / packets : m->w;
}
