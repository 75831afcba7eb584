# How busy the machine was, which every measurement in real time feels.
# SPDX-License-Identifier: LGPL-2.1-or-later
import collections
import contextlib
import os

# Of the processors' time, by the host of a virtual machine: no program here can
# see it otherwise.  A quiet host takes .3 to 1.5 % on the machine of the records.
STOLEN = .02
# Of the processors' time: what is left then does not start a frame in time.
MOST = .95

Processors = collections.namedtuple('Processors', 'total idle stolen')


def processors():
    """The processors' time so far, what of it they were idle, and what the host
    took (proc(5)).  Zeros where that is not known."""
    # Tests set another file.
    path = os.environ.get('RTPADAPT_PROC_STAT', '/proc/stat')
    with contextlib.suppress(OSError):
        with open(path, encoding='ascii') as file:
            times = [int(word) for word in file.readline().split()[1:9]]
            return Processors(sum(times), times[3] + times[4], times[7])
    return Processors(0, 0, 0)


def shares(before, after):
    """Of the time between two calls of processors(): busy, and taken by the host."""
    total, idle, stolen = (new - old for new, old in zip(after, before))
    return (1 - idle / total, stolen / total) if total > 0 else (0, 0)
