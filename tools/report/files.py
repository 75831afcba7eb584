# Folders that are written to, and what is said of those that cannot be.
# SPDX-License-Identifier: LGPL-2.1-or-later
import os


def why(error):
    """An OSError in words: of which file, and what."""
    return ': '.join(str(part) for part in (error.filename, error.strerror) if part)


def refused(folder):
    """Makes the folder where it is missing; why nothing can be written there, or None."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        return '%s cannot be made: %s' % (folder, error.strerror)
    return None if os.access(folder, os.W_OK | os.X_OK) else '%s cannot be written' % folder


def need(folder, error):
    """Raises the error with a sentence if nothing can be written there."""
    found = refused(folder)
    if found:
        raise error(found)
