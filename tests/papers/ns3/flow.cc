/* A flow of packets from one node to another, and how it fared.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

Flow::Flow (const FlowGroup &group, const Place &place)
    : m_group (group), m_place (place), m_least (G_MAXINT64)
{
}

Flow::~Flow ()
{
}

/* Adds to the bin of this moment. */
void
Flow::count (std::vector<gdouble> &bits, guint size) const
{
  if (m_place.series > 0 && now () >= m_place.warmup) {
    RaTime since = now () - m_place.warmup;
    gsize bin = (gsize) (ra_seconds ((RaSpan) since) / m_place.series);

    bits.resize (MAX (bits.size (), bin + 1), 0);
    bits[bin] += size * 8;
  }
}

void
Flow::sent (guint size)
{
  count (m_sent, size);
}

void
Flow::arrived (const FlowTag &tag, guint size, bool ce)
{
  RaSpan way = ra_diff (now (), tag.sent);

  if (!tag.back) {
    m_least = MIN (m_least, way);
    count (m_bits, size);
  }
  on_arrived (tag, size, way - m_least, ce);
}

std::string
Flow::more ()
{
  return "";
}

/* Up to the end, where nothing came, too. */
std::string
Flow::series_json (const char *key, const std::vector<gdouble> &bits) const
{
  gsize n = (gsize) ceil (
      ra_seconds ((RaSpan) (m_place.end - m_place.warmup)) / m_place.series);
  std::ostringstream out;

  out << ", \"" << key << "\": [";
  for (gsize i = 0; i < n; i++)
    out << (i ? ", " : "") << (i < bits.size () ? bits[i] / m_place.series : 0);
  out << "]";
  return out.str ();
}

std::string
Flow::json ()
{
  g_autofree gchar *name = ra_json_string (m_group.name.c_str ());
  g_autofree gchar *keys = nullptr;
  std::ostringstream out;
  std::string rest = more ();
  RaRun run;

  result (&run);
  keys = ra_run_to_json (&run);
  out << "{\"group\": " << name << ", \"index\": " << m_place.nth
      << ", \"kind\": \"" << m_group.kind << "\", " << keys + 1;
  if (m_place.series > 0)
    rest += series_json ("series_bps", m_bits)
        + series_json ("sent_series_bps", m_sent);
  return json_add (out.str (), rest);
}
