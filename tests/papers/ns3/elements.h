/* What rtpadaptsend and rtpadaptsrc do when nothing is set.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* `controller` and `lda` of a flow: "default" stands for these. */
#define ELEMENTS_CONTROLLER "delay"
#define ELEMENTS_LDA "fused"

/* `like = elements`: as the properties are when nobody sets them; twcc is the
 * feedback, which tells in steps of 250 us (draft-holmer-rmcat-transport-wide-
 * cc-extensions-01 3.1).  The test compares them with the elements'. */
#define ELEMENTS_FRIENDLINESS_CAP "9"
#define ELEMENTS_BREAKERS "1"
#define ELEMENTS_PER_PACKET "1"
#define ELEMENTS_GRAIN 250e-6
