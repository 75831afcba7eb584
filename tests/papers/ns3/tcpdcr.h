/* TCP of ns-3, and TCP-DCR: one that responds to congestion a round trip late.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <ns3/internet-module.h>

/* On a node with TCP; the caller sets its congestion control. */
ns3::Ptr<ns3::TcpSocketBase> tcp_new (
    ns3::Ptr<ns3::Node> node, ns3::TypeId recovery, bool dcr);
/* Ends a connection of tcp_new(), without what is not sent yet (RFC 9293 3.10.5). */
void tcp_abort (ns3::Ptr<ns3::Socket> socket);
