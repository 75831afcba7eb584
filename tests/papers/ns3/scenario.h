/* What to simulate, read from a key file.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/util/params.h>

#include <map>
#include <string>
#include <vector>

/* Numbers are plain data, as the parameter tables of the library want it; units
 * and meaning are in those of scenario.cc. */
struct LinkNumbers
{
  RaSchedule rate;
  gdouble delay, queue, queue_bytes;
};

struct RunNumbers
{
  gdouble seed, seconds, warmup, series;
};

struct FlowNumbers
{
  gdouble count, from, to, start, spread, stop, packet_size;
  gdouble sack, window, delack, initial_window, min_rto, rto_margin, bytes,
      bytes_to, idle, dcr, alpha, label_timeouts;
  gdouble rate, on, off, shape;
  gdouble pause, resume, grain, ecn;
  gdouble assured;
};

/* One direction. */
struct Link : LinkNumbers
{
  std::string loss, aqm, link;
};

/* There and back. */
struct Duplex
{
  Link there, back;
};

struct FlowGroup : FlowNumbers
{
  std::string name, kind, tcp, lda, lda_params, colour, colour_params;
  Duplex in, out; /* sender to router, router to receiver */
  std::map<std::string, std::string> options; /* of rtpadapt-sim */
};

struct Scenario : RunNumbers
{
  std::vector<Duplex> hops;
  std::vector<FlowGroup> flows;
};

/* FALSE and `error`, which names group and key. */
gboolean scenario_read (
    const std::string &text, Scenario &scenario, GError **error);
/* All keys, for --help.  (transfer full) */
gchar *scenario_describe ();
