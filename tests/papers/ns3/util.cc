/* What every part of the engine needs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "util.h"

#include <ns3/simulator.h>

#include <sstream>

using namespace ns3;

RaTime
now ()
{
  return (RaTime) Simulator::Now ().GetNanoSeconds ();
}

ObjectFactory
factory_parse (const std::string &text)
{
  std::string name = text.substr (0, text.find ('['));
  std::istringstream words (text);
  ObjectFactory factory;
  TypeId id;

  if (!TypeId::LookupByNameFailSafe (name, &id))
    throw std::runtime_error ("there is no " + name);
  /* Create() only asserts both, and Debian's ns-3 is built without that. */
  if (!id.IsChildOf (Object::GetTypeId ()) || !id.HasConstructor ())
    throw std::runtime_error ("ns-3 cannot make a " + name);
  words >> factory;
  /* Without "]", ns-3 takes nothing and says nothing. */
  if (!words || !factory.IsTypeIdSet ())
    throw std::runtime_error ("there are no such attributes: " + text);
  return factory;
}

std::string
json_add (std::string object, const std::string &more)
{
  object.insert (object.size () - 1, more);
  return object;
}
