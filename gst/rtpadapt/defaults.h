/* What runs where nobody chooses: in the elements, and as `default` of the papers' engine
 * for ns-3.  rtpadapt-sim takes only the cap from here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chosen by measurement (docs/results.md).
 */
#pragma once

#define RA_DEFAULT_CONTROLLER "delay"
#define RA_DEFAULT_LDA "fused"
/* Times X.  Below the 10 of RFC 8083 4.3, where its breaker trips. */
#define RA_DEFAULT_FRIENDLINESS_CAP 9
/* Bytes, where the path's MTU is not known: Ethernet less 40, as in RFC 4828 4.1. */
#define RA_DEFAULT_MSS 1460
