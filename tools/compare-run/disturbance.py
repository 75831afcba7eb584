# Whether the machine was too busy for a run, whose result then says nothing of a system.
# SPDX-License-Identifier: LGPL-2.1-or-later
from busy import STOLEN

# A share of frames that the machine was too slow to hand to the encoder: what
# else it was too slow for is not the system's fault, and the cell runs again.
DISTURBED = .01
# Of rtpadapt-link, by how much a packet left it later than its models said, at the
# 99 % point: half of the queue that the goals allow.  A packet that it missed was
# lost by no model.
LATE_MS = 10


def disturbance(result):
    """More than 1: the machine was too busy. The share of frames that never came
    to the encoder, or of time that the host took, or how late the link was, over
    what is tolerated; each packet that the link missed is too much."""
    skipped = result['result']['stream'].get('source_skipped') or 0
    frames = result['result']['viewer'].get('frames_sent') or 0
    path = result['result'].get('path') or {}
    missed = path.get('missed') or 0
    return max(skipped / max(skipped + frames, 1) / DISTURBED,
               result.get('stolen', 0) / STOLEN,
               (path.get('late_ms_p99') or 0) / LATE_MS, missed + (missed > 0))
