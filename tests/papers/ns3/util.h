/* What every part of the engine needs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

#include <ns3/object-factory.h>

#include <stdexcept>
#include <string>

RaTime now ();

/* "ns3::Name" or "ns3::Name[Attribute=value|...]"; throws std::runtime_error if
 * ns-3 has none of that name. */
ns3::ObjectFactory factory_parse (const std::string &text);

/* Throws std::runtime_error if it is no T.  Not TypeId::IsChildOf(): to ns-3
 * 3.37, TcpCubic is a child of TcpSocketBase. */
template <typename T>
ns3::Ptr<T>
factory_create (const ns3::ObjectFactory &factory)
{
  ns3::Ptr<T> object = factory.Create<T> ();

  if (!object)
    throw std::runtime_error (factory.GetTypeId ().GetName () + " is no "
        + T::GetTypeId ().GetName ());
  return object;
}

/* `object` with `more` before its closing brace: ", \"key\": value". */
std::string json_add (std::string object, const std::string &more);
