/* What rtpadaptsend and rtpadaptsrc do when nothing is set.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/defaults.h>

/* For `like = elements`: twcc, which tells of each packet, in steps of 250 us
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1.3), and breakers. */
#define ELEMENTS_PER_PACKET "1"
#define ELEMENTS_GRAIN 250e-6
#define ELEMENTS_BREAKERS "1"
#define ELEMENTS_FRIENDLINESS_CAP G_STRINGIFY (RA_DEFAULT_FRIENDLINESS_CAP)
