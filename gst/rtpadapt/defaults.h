/* What runs where nobody chooses: in the elements, the simulator's `default`, the
 * papers' engine.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chosen by measurement: README.md says by which.
 */
#pragma once

#define RA_DEFAULT_CONTROLLER "delay"
#define RA_DEFAULT_LDA "fused"
/* Times X.  Below the 10 of RFC 8083 4.3, where its breaker trips. */
#define RA_DEFAULT_FRIENDLINESS_CAP 9
