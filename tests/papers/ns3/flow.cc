/* A flow of packets from one node to another, and how it fared.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flow.h"

#include <stdexcept>

using namespace ns3;

ObjectFactory
factory_parse (const std::string &text)
{
  std::string name = text.substr (0, text.find ('['));
  std::istringstream words (text);
  ObjectFactory factory;
  TypeId id;

  if (!TypeId::LookupByNameFailSafe (name, &id))
    throw std::runtime_error ("there is no " + name);
  words >> factory;
  return factory;
}

Flow::Flow (const FlowGroup &group, const Place &place)
    : m_group (group), m_place (place), m_least (G_MAXINT64)
{
}

Flow::~Flow ()
{
}

RaTime
Flow::now ()
{
  return (RaTime) Simulator::Now ().GetNanoSeconds ();
}

void
Flow::arrived (const FlowTag &tag, guint size)
{
  RaSpan way = ra_diff (now (), tag.sent);

  if (!tag.back) {
    m_least = MIN (m_least, way);
    if (m_place.series > 0 && now () >= m_place.warmup) {
      RaTime since = now () - m_place.warmup;
      gsize bin = (gsize) (ra_seconds ((RaSpan) since) / m_place.series);

      m_bits.resize (MAX (m_bits.size (), bin + 1), 0);
      m_bits[bin] += size * 8;
    }
  }
  on_arrived (tag, size, way - m_least);
}

void
Flow::lost (const FlowTag &tag, guint size, RaCause cause)
{
  on_lost (tag, size, cause);
}

std::string
Flow::more ()
{
  return "";
}

std::string
Flow::json ()
{
  g_autofree gchar *name = ra_json_string (m_group.name.c_str ());
  g_autofree gchar *keys = nullptr;
  std::ostringstream out;
  RaRun run;

  result (&run);
  keys = ra_run_to_json (&run);
  out << "{\"group\": " << name << ", \"index\": " << m_place.nth
      << ", \"kind\": \"" << m_group.kind << "\", " << keys + 1;
  out.seekp (-1, std::ios::cur); /* its closing brace */
  out << more ();
  if (m_place.series > 0) {
    out << ", \"series_bps\": [";
    for (gsize i = 0; i < m_bits.size (); i++)
      out << (i ? ", " : "") << m_bits[i] / m_place.series;
    out << "]";
  }
  out << "}";
  return out.str ();
}
