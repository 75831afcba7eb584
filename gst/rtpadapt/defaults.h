/* What runs in the elements where nobody chooses, and where the papers' engine for
 * ns-3 is given `default`.  Of these rtpadapt-sim has the cap alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chosen by measurement: README.md says by which.
 */
#pragma once

#define RA_DEFAULT_CONTROLLER "delay"
#define RA_DEFAULT_LDA "fused"
/* Times X.  Below the 10 of RFC 8083 4.3, where its breaker trips. */
#define RA_DEFAULT_FRIENDLINESS_CAP 9
/* Bytes, where the path's MTU is not known: Ethernet less 40, as in RFC 4828 4.1. */
#define RA_DEFAULT_MSS 1460
