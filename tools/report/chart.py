# Charts: SVG that is stretched to the width there is; words and numbers lie
# over it as HTML, so that they keep their size on a phone.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# `axes` is anything with seconds, warmup and x(t); upwards there are 100 units
# from 0 to `top`. None is what was not measured: a line breaks there.
import math
import os
from html import escape


def style(*names):
    """The text of these style sheets."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = []
    for name in names:
        with open(os.path.join(here, name), encoding='utf-8') as file:
            found.append(file.read())
    return ''.join(found)


def _step(span, most):
    """A round distance that divides `span` into at most `most` parts."""
    scale = 10 ** math.floor(math.log10(span / most))
    return next(m * scale for m in (1, 2, 5, 10) if span <= most * m * scale)


def ticks(top, most):
    step = _step(top, most)
    return [i * step for i in range(int(top / step + 1e-9) + 1)]


def place(t, seconds):
    """A time's x."""
    return '%.4g' % (1000 * t / seconds)


def points(axes, values, bin_s, top):
    """One per bin, at its middle; what is far too high leaves the chart."""
    return [None if value is None else '%.5g %.4g' % (
        1000 * (i + .5) * bin_s / axes.seconds,
        100 * (1 - min(value / top, 2))) for i, value in enumerate(values)]


def line(kind, found):
    """A path through the points."""
    text, pen = '', 'M'
    for point in found:
        if point is not None:
            text += pen + point
        pen = 'M' if point is None else 'L'
    return '<path class="%s" d="%s"/>' % (kind, text) if text else ''


def stairs(values, bin_s, top, axes, held=False):
    """Corners where the value changes, for one that holds; before
    its first sample it was 0, or that if `held`."""
    path, last = [] if held else ['M0 100'], 0
    for i, value in enumerate(values):
        if value is not None and value != last:
            y = '%.4g' % (100 * (1 - value / top))
            path.append('H%sV%s' % (axes.x(i * bin_s), y) if path
                        else 'M0 100V' + y)
            last = value
    return ''.join(path) + 'H%s' % axes.x(len(values) * bin_s)


def smooth(values, n):
    """Mean of the n values around each."""
    half = n // 2
    return [sum(part) / len(part) for part in
            (values[max(0, i - half):i + half + 1]
             for i in range(len(values)))]


def svg(axes, content, y_ticks=(), top=1, says=None):
    """Hidden from those who cannot see it, unless it says something."""
    grid = ['M0 %.4gH1000' % (100 * (1 - y / top)) for y in y_ticks]
    grid += ['M%s 0V100' % axes.x(t) for t in ticks(axes.seconds, 7)]
    return ('<svg viewBox="0 0 1000 100" preserveAspectRatio="none" '
            '%s><path class="warmup" d="M0 0H%sV100H0"/>'
            '<path class="grid" d="%s"/>%s</svg>' % (
                'role="img" aria-label="%s"' % escape(says) if says
                else 'aria-hidden="true"', axes.x(axes.warmup),
                ''.join(grid), content))


def plot(kind, axes, content, y_ticks, top, unit, says=None):
    labels = ['<span class="y" style="top:%.4g%%">%g</span>'
              % (100 * (1 - y / top), y) for y in y_ticks]
    return '<div class="plot %s">%s%s<span class="unit">%s</span></div>' % (
        kind, svg(axes, content, y_ticks, top, says), ''.join(labels), unit)


def times(axes):
    labels = ['<span class="x" style="left:%.4g%%">%g%s</span>' % (
        100 * t / axes.seconds, t, '' if t else ' s')
        for t in ticks(axes.seconds, 7)]
    return '<div class="plot times">%s</div>' % ''.join(labels)


def key(shape, text):
    """An entry of the key."""
    return ('<span><svg viewBox="0 0 26 12" aria-hidden="true">%s</svg>'
            '%s</span>' % (shape, text))


def key_line(kind):
    return '<path class="%s" d="M0 6H26"/>' % kind
