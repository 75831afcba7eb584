# Folders that are written to, and what is said of those that cannot be.
# SPDX-License-Identifier: LGPL-2.1-or-later
import os


def why(error):
    """An OSError in words: of which file, and what."""
    return ': '.join(str(part) for part in (error.filename, error.strerror) if part)


def need(folder, error):
    """Makes the folder where it is missing; raises the error with a sentence if nothing
    can be written there."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as found:
        raise error('%s cannot be made: %s' % (folder, found.strerror)) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise error('%s cannot be written' % folder)
