# What the pages that programs write have in common: Markdown for GitHub and GitLab.
# SPDX-License-Identifier: LGPL-2.1-or-later
import re

WIDEST = 60    # characters of a cell
LINES = 10     # of a table; a longer one is folded


def not_edited(program):
    """A page begins with who writes it."""
    return ('<!-- SPDX-License-Identifier: LGPL-2.1-or-later\n'
            '     Written by %s; not to be edited. -->\n' % program)


def anchor(title):
    """Of a heading, as GitHub and GitLab make it."""
    return re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')


def cells(values):
    return '|' + '|'.join(
        str(value).replace('|', '\\|') for value in values) + '|\n'


def table(head, lines):
    lines = list(lines)
    if not lines:
        return ''
    return (cells(head) + '|' + '---|' * len(head) + '\n'
            + ''.join(cells(line) for line in lines) + '\n')


def folded(title, text):
    return '<details><summary>%s</summary>\n\n%s</details>\n\n' % (title, text)


def shorten(text, most=WIDEST):
    text = ' '.join(text.split())
    return text if len(text) <= most else text[:most - 3].rstrip(' ,') + '...'
