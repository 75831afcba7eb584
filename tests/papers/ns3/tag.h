/* Which packet of which flow this is, for whoever loses or gets it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <ns3/tag.h>

class FlowTag : public ns3::Tag {
public:
  guint32 flow = 0;
  guint64 seq = 0;  /* TCP's own, or the packet's number */
  guint64 sent = 0; /* ns */
  guint32 mark = 0; /* RaMark: drop precedence */
  guint32 back = 0; /* 1: feedback of the flow */

  static ns3::TypeId
  GetTypeId ()
  {
    static ns3::TypeId id = ns3::TypeId ("rtpadapt::FlowTag")
                                .SetParent<ns3::Tag> ()
                                .AddConstructor<FlowTag> ();
    return id;
  }
  ns3::TypeId
  GetInstanceTypeId () const override
  {
    return GetTypeId ();
  }
  guint32
  GetSerializedSize () const override
  {
    return 28;
  }
  void
  Serialize (ns3::TagBuffer i) const override
  {
    i.WriteU32 (flow);
    i.WriteU64 (seq);
    i.WriteU64 (sent);
    i.WriteU32 (mark);
    i.WriteU32 (back);
  }
  void
  Deserialize (ns3::TagBuffer i) override
  {
    flow = i.ReadU32 ();
    seq = i.ReadU64 ();
    sent = i.ReadU64 ();
    mark = i.ReadU32 ();
    back = i.ReadU32 ();
  }
  void
  Print (std::ostream &os) const override
  {
    os << "flow " << flow << " seq " << seq;
  }
};
