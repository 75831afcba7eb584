/* What to simulate, read from a key file.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scenario.h"
#include "elements.h"

#include <tools/sim/options.h>

#include <algorithm>
#include <cstddef>

/* In the order of RaParam, whose own macros are for C. */
#define ROW(type, name, field, def, min, max, unit, text)                     \
  {                                                                           \
    name, offsetof (type, field), FALSE, def, 0, FALSE, min, max, unit, text, \
        nullptr, nullptr                                                      \
  }
#define END \
  {         \
    nullptr \
  }

static const RaParam link_rows[] = {
  { "rate", offsetof (LinkNumbers, rate), TRUE, 10e6, 0, FALSE, 0, 100e9,
      "bit/s", "0: infinite; changes as 1M,20s:500k", nullptr, nullptr },
  ROW (LinkNumbers, "delay", delay, .001, 0, 100, "s",
      "one way, behind the queue"),
  ROW (LinkNumbers, "queue", queue, 50, 1, 1e6, "packets",
      "that wait, beside the one being sent"),
  ROW (LinkNumbers, "queue-bytes", queue_bytes, 0, 0, 1e9, "bytes",
      "that wait; 0: as many packets as queue says"),
  END,
};

static const RaParam run_rows[] = {
  ROW (RunNumbers, "seed", seed, 1, 1, 1e9, "", "of all randomness"),
  ROW (RunNumbers, "seconds", seconds, 60, .1, 1e6, "s", "virtual time"),
  ROW (RunNumbers, "warmup", warmup, 2, 0, 1e6, "s", "not measured"),
  ROW (RunNumbers, "series", series, 0, 0, 1e6, "s",
      "bins of series_bps; 0: none"),
  END,
};

static const RaParam flow_rows[] = {
  ROW (FlowNumbers, "count", count, 1, 0, 10000, "", "flows; 0: none"),
  ROW (FlowNumbers, "from", from, 0, 0, 100, "", "router where they enter"),
  ROW (FlowNumbers, "to", to, 1, 0, 100, "",
      "router where they leave; less than from: against the others"),
  ROW (FlowNumbers, "start", start, 0, 0, 1e6, "s", "earliest start"),
  ROW (FlowNumbers, "spread", spread, 0, 0, 1e6, "s",
      "starts are uniform in as much"),
  ROW (FlowNumbers, "stop", stop, 0, 0, 1e6, "s", "0: the end"),
  ROW (FlowNumbers, "packet-size", packet_size, 1000, 64, 65000, "bytes",
      "whole IP packet"),
  ROW (FlowNumbers, "sack", sack, 0, 0, 1, "",
      "tcp: 1: selective acknowledgements (RFC 2018)"),
  ROW (FlowNumbers, "window", window, 4e6, 1, 1e9, "bytes",
      "tcp: the receiver's"),
  ROW (FlowNumbers, "delack", delack, 1, 1, 10, "packets",
      "tcp: an acknowledgement for as many"),
  ROW (FlowNumbers, "initial-window", initial_window, 2, 1, 100, "packets",
      "tcp"),
  ROW (FlowNumbers, "min-rto", min_rto, 1, 0, 60, "s",
      "tcp: least timeout (RFC 6298 2.4)"),
  ROW (FlowNumbers, "rto-margin", rto_margin, .001, 0, 60, "s",
      "tcp: least of it above the RTT (G of RFC 6298 2.3); Linux: .2"),
  ROW (FlowNumbers, "bytes", bytes, 0, 0, 1e12, "bytes",
      "tcp: to transfer; 0: without end"),
  ROW (FlowNumbers, "bytes-to", bytes_to, 0, 0, 1e12, "bytes",
      "tcp: sizes are uniform from bytes to this; 0: all are bytes"),
  ROW (FlowNumbers, "idle", idle, 0, 0, 1e6, "s",
      "tcp: mean pause (exponential) before the next transfer; 0: no other"),
  ROW (FlowNumbers, "dcr", dcr, 0, 0, 1, "", "tcp: 1: TCP-DCR (paper 002)"),
  ROW (FlowNumbers, "alpha", alpha, 1, .01, 10, "packets",
      "tcp with an lda: by which the window grows each round trip"),
  ROW (FlowNumbers, "label-timeouts", label_timeouts, 1, 0, 1, "",
      "tcp with lda ll: 0: by duplicate acknowledgements alone"),
  ROW (FlowNumbers, "assured", assured, 0, 0, 100e9, "bit/s",
      "tcp: the rate its colours are a share of; 0: what it sends"),
  ROW (FlowNumbers, "rate", rate, 100e3, 1, 100e9, "bit/s", "udp: while on"),
  ROW (FlowNumbers, "on", on, 1, 1e-6, 1e6, "s", "udp: mean time on"),
  ROW (FlowNumbers, "off", off, 1, 0, 1e6, "s", "udp: mean time off"),
  ROW (FlowNumbers, "shape", shape, 0, 0, 100, "",
      "udp: of Pareto times; 0: exponential ones"),
  ROW (FlowNumbers, "pause", pause, 0, 0, 1e6, "s",
      "ra: the source falls silent"),
  ROW (FlowNumbers, "resume", resume, 0, 0, 1e6, "s", "ra: and speaks again"),
  ROW (FlowNumbers, "grain", grain, 0, 0, 1, "s",
      "ra: of arrival times in per-packet feedback; TWCC: 250e-6"),
  ROW (FlowNumbers, "ecn", ecn, 0, 0, 1, "",
      "ra: 1: a queue disc with UseEcn=true may mark its packets (RFC 3168)"),
  END,
};

typedef std::map<std::string, std::string> Keys;

/* Takes `key` out of the keys; empty if it was not there. */
static std::string
take (Keys &keys, const std::string &key)
{
  auto it = keys.find (key);
  std::string value;

  if (it != keys.end ()) {
    value = it->second;
    keys.erase (it);
  }
  return value;
}

static gboolean
numbers_take (gpointer numbers, const RaParam *rows, Keys &keys,
    const std::string &prefix, GError **error)
{
  for (const RaParam *row = rows; row->name; row++) {
    std::string key = prefix + row->name, value = take (keys, key);

    if (!value.empty ()
        && !ra_params_set (numbers, rows, row->name, value.c_str (), error)) {
      g_prefix_error (error, "%s: ", key.c_str ());
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
link_take (Link &link, Keys &keys, const std::string &prefix, GError **error)
{
  if (!numbers_take ((LinkNumbers *) &link, link_rows, keys, prefix, error))
    return FALSE;
  link.loss = take (keys, prefix + "loss");
  link.aqm = take (keys, prefix + "aqm");
  link.link = take (keys, prefix + "link");
  return TRUE;
}

/* Without a word about it, the way back is the way there, without its losses. */
static gboolean
duplex_take (
    Duplex &duplex, Keys &keys, const std::string &prefix, GError **error)
{
  ra_params_init ((LinkNumbers *) &duplex.there, link_rows);
  if (!link_take (duplex.there, keys, prefix, error))
    return FALSE;
  (LinkNumbers &) duplex.back = duplex.there;
  return link_take (duplex.back, keys, prefix + "back.", error);
}

static gboolean
all_taken (const Keys &keys, GError **error)
{
  if (!keys.empty ())
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_KEY_NOT_FOUND,
        "there is no key '%s' here", keys.begin ()->first.c_str ());
  return keys.empty ();
}

/* The elements' feedback and guard, which what is told for itself overrides. */
static gboolean
like_take (FlowGroup &f, Keys &keys, GError **error)
{
  std::string like = take (keys, "like");

  if (like.empty ())
    return TRUE;
  if (like != "elements" || f.kind != "ra") {
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
        "like: only an ra can be like elements, not '%s'", like.c_str ());
    return FALSE;
  }
  f.grain = ELEMENTS_GRAIN;
  f.options["per-packet"] = ELEMENTS_PER_PACKET;
  f.options["friendliness-cap"] = ELEMENTS_FRIENDLINESS_CAP;
  f.options["breakers"] = ELEMENTS_BREAKERS;
  return TRUE;
}

/* "default": what the elements have. */
static void
defaults_fill (FlowGroup &f)
{
  static const std::map<std::string, std::string> told
      = { { "controller", RA_DEFAULT_CONTROLLER }, { "lda", RA_DEFAULT_LDA } };

  for (const auto &row : told) {
    auto it = f.options.find (row.first);

    if (it != f.options.end () && it->second == "default")
      it->second = row.second;
  }
}

static gboolean
flow_take (FlowGroup &f, Keys &keys, GError **error)
{
  ra_params_init ((FlowNumbers *) &f, flow_rows);
  f.kind = take (keys, "kind");
  if (f.kind != "ra" && f.kind != "tcp" && f.kind != "udp") {
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
        "kind: '%s' is not one of ra, tcp, udp", f.kind.c_str ());
    return FALSE;
  }
  if (f.kind == "tcp") {
    f.tcp = take (keys, "tcp");
    f.lda = take (keys, "lda");
    f.lda_params = take (keys, "lda-params");
    f.colour = take (keys, "colour");
    f.colour_params = take (keys, "colour-params");
  }
  if (!like_take (f, keys, error) || !duplex_take (f.in, keys, "in.", error)
      || !duplex_take (f.out, keys, "out.", error)
      || !numbers_take ((FlowNumbers *) &f, flow_rows, keys, "", error))
    return FALSE;
  for (auto it = keys.begin (); f.kind == "ra" && it != keys.end ();) {
    /* "start" is when a flow begins. */
    std::string name = it->first == "start-rate" ? "start" : it->first;

    if (sim_options_has (name.c_str ())) {
      f.options[name] = it->second;
      it = keys.erase (it);
    } else {
      ++it;
    }
  }
  if (f.kind == "ra")
    defaults_fill (f);
  return all_taken (keys, error);
}

static gboolean
run_take (Scenario &s, Keys &keys, GError **error)
{
  ra_params_init ((RunNumbers *) &s, run_rows);
  if (!numbers_take ((RunNumbers *) &s, run_rows, keys, "", error))
    return FALSE;
  if (s.seconds <= s.warmup) {
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
        "of %g seconds, a warmup of %g leaves nothing to measure", s.seconds,
        s.warmup);
    return FALSE;
  }
  return all_taken (keys, error);
}

static gboolean
group_take (Scenario &s, const std::string &name, Keys &keys, GError **error)
{
  if (name == "run")
    return run_take (s, keys, error);
  if (name == "hop " + std::to_string (s.hops.size ())) {
    s.hops.emplace_back ();
    return duplex_take (s.hops.back (), keys, "", error)
        && all_taken (keys, error);
  }
  if (name.compare (0, 6, "flows ") == 0) {
    s.flows.emplace_back ();
    s.flows.back ().name = name.substr (6);
    return flow_take (s.flows.back (), keys, error);
  }
  g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_GROUP_NOT_FOUND,
      "it should be 'run', 'hop N' from 0 on, or 'flows NAME'");
  return FALSE;
}

static gboolean
routers_exist (const Scenario &s, GError **error)
{
  for (const FlowGroup &f : s.flows) {
    if (f.from != f.to && std::max (f.from, f.to) <= s.hops.size ())
      continue;
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
        "[flows %s]: from router %g to %g, with %u hops", f.name.c_str (),
        f.from, f.to, (guint) s.hops.size ());
    return FALSE;
  }
  return TRUE;
}

gboolean
scenario_read (const std::string &text, Scenario &s, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = nullptr;
  Keys none;

  if (!g_key_file_load_from_data (
          file, text.data (), text.size (), G_KEY_FILE_NONE, error))
    return FALSE;
  run_take (s, none, nullptr); /* the defaults */
  groups = g_key_file_get_groups (file, nullptr);
  for (gsize i = 0; groups[i]; i++) {
    g_auto (GStrv) names
        = g_key_file_get_keys (file, groups[i], nullptr, error);
    Keys keys;

    for (gsize k = 0; names && names[k]; k++) {
      g_autofree gchar *value
          = g_key_file_get_string (file, groups[i], names[k], nullptr);

      keys[names[k]] = value ? value : "";
    }
    if (!group_take (s, groups[i], keys, error)) {
      g_prefix_error (error, "[%s]: ", groups[i]);
      return FALSE;
    }
  }
  return routers_exist (s, error);
}

static void
rows_describe (GString *out, const RaParam *rows)
{
  for (; rows->name; rows++)
    g_string_append_printf (out, "  %-15s %-8s %s (%g)\n", rows->name,
        rows->unit, rows->text, rows->def);
}

gchar *
scenario_describe ()
{
  GString *out = g_string_new ("[run]\n");

  rows_describe (out, run_rows);
  g_string_append (out,
      "[hop N]  from router N to N + 1; all again with back. for the way back\n");
  rows_describe (out, link_rows);
  g_string_append (out,
      "  loss            losses of the radio: a chain of rtpadapt-sim --link\n"
      "  aqm             a queue disc: ns3::RedQueueDisc[MinTh=5|MaxTh=15]\n"
      "  link            instead of all these: a chain of rtpadapt-sim --link\n"
      "[flows NAME]  in.KEY, out.KEY, in.back.KEY, out.back.KEY as of a hop\n"
      "  kind            ra, tcp or udp\n"
      "  tcp             tcp: NewReno, LinuxReno, Vegas, Cubic, Bbr, Westwood[ProtocolType=...]\n"
      "  controller, lda  ra: also 'default', which is " RA_DEFAULT_CONTROLLER
      " and " RA_DEFAULT_LDA " in\n"
      "                  the elements\n"
      "  like            ra: elements: their feedback (per-packet=" ELEMENTS_PER_PACKET
      ") and guard\n"
      "                  (friendliness-cap=" ELEMENTS_FRIENDLINESS_CAP
      ", breakers=" ELEMENTS_BREAKERS ")\n"
      "  lda, lda-params ra, tcp: loss differentiation\n"
      "  colour, colour-params  ra, tcp: drop precedences, as its edge router\n"
      "                  would mark them\n"
      "  ...             ra: all else that rtpadapt-sim takes; its --start is\n"
      "                  start-rate here\n");
  rows_describe (out, flow_rows);
  return g_string_free (out, FALSE);
}
