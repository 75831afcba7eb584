/* gst-rtpadapt: everything of the library.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/loss/history.h>
#include <gst/rtpadapt/loss/holes.h>
#include <gst/rtpadapt/loss/seq.h>
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/rate/equation.h>
#include <gst/rtpadapt/receiver.h>
#include <gst/rtpadapt/score/score.h>
#include <gst/rtpadapt/sender.h>
