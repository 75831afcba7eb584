# The commit of the tree that this file is in.
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNKNOWN = 'unknown'  # outside of a clone, or without git
DIRTY = '-dirty'


def commit(*written):
    """Seven digits or more, with DIRTY behind them where files have changes; `written` are
    those that the caller writes, which do not count. UNKNOWN if git does not know."""
    def git(*words):
        return subprocess.run(['git', *words], cwd=ROOT, check=True,
                              capture_output=True, text=True).stdout.strip()
    try:
        # Of `git describe` the first seven letters would be those of a tag.
        found = git('rev-parse', '--short=7', 'HEAD')
        changed = git('status', '--porcelain', '-uno', '--', '.',
                      *(':!' + path for path in written))
        return found + (DIRTY if changed else '')
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def clean(found):
    """Whether what commit() found names the sources as they are."""
    return found != UNKNOWN and not found.endswith(DIRTY)
