# The plots of the page: a panel per system over time, and curves over a sweep.
# SPDX-License-Identifier: LGPL-2.1-or-later
import math
from html import escape

import chart
from figures import BY_NAME

TIPS = 20       # columns of a plot that say their numbers
COLOURS = 8     # of compare.css
SWEPT = ('ssim', 'frozen_s', 'latency_ms_p95', 'utilisation')


def values(series, key):
    """None where nothing is known."""
    return [value if isinstance(value, (int, float)) else None
            for value in series.get(key) or []]


def known(found):
    return [value for value in found if value is not None]


def mean(found):
    found = known(found)
    return sum(found) / len(found) if found else None


def bin_of(series):
    t = known(values(series, 't'))
    return t[1] - t[0] if len(t) > 1 and t[1] > t[0] else .5


class Axes:
    """What the panels of one link share."""

    def __init__(self, link, warmup, all_series):
        self.seconds, self.warmup = link['seconds'], warmup

        def top(keys, least):
            return max([least] + [value for series in all_series
                                  for key in keys
                                  for value in known(values(series, key))])
        capacity = top(['capacity_bps'], 0) or link['capacity_bps']
        most = top(['rate_bps', 'estimated_bps', 'encoder_bps'], capacity)
        # An estimate far above the path is cut off.
        self.rate = 1.06e-6 * min(most, 1.4 * capacity)
        self.queue = 1.1 * top(['queue_ms'], 10)
        self.frames = 1.1 * top(['frames'], 5)
        self.losses = 1.1 * max([4] + [
            a + b for series in all_series for keys in (
                ('congestion', 'wireless'),
                ('called_congestion', 'called_wireless'))
            for a, b in zip(*([value or 0 for value in values(series, key)]
                              for key in keys))])

    def x(self, t):
        return chart.place(t, self.seconds)


def tips(axes, bin_s, count, say):
    """Columns that say their numbers when they are pointed at."""
    wide = max(1, math.ceil(count / TIPS))
    found = []
    for begin in range(0, count, wide):
        end = min(begin + wide, count)
        text = say(slice(begin, end))
        if text:
            found.append(
                '<path class="tip" d="M%s 0H%sV100H%sZ"><title>%g to %g s: %s'
                '</title></path>' % (
                    axes.x(begin * bin_s), axes.x(end * bin_s),
                    axes.x(begin * bin_s), begin * bin_s, end * bin_s,
                    escape(text)))
    return ''.join(found)


def words(form, value, scale=1):
    return '' if value is None else form % (value * scale)


def joined(*parts):
    return ', '.join(part for part in parts if part)


def area(kind, found, bin_s, top, axes):
    """Stairs with what is below them; nothing where nothing is known."""
    d = ''
    for i, value in enumerate(found):
        if value:
            d += 'M%s 100V%.4gH%sV100Z' % (
                axes.x(i * bin_s), 100 * (1 - min(value / top, 1)),
                axes.x((i + 1) * bin_s))
    return '<path class="%s" d="%s"/>' % (kind, d) if d else ''


def empty(kind, axes, unit):
    return chart.plot(kind, axes, '', (), 1, unit + ': not known')


def rates(axes, series, bin_s):
    top = axes.rate
    mbps = {key: [None if value is None else value * 1e-6
                  for value in values(series, key + '_bps')]
            for key in ('capacity', 'rate', 'estimated', 'encoder')}
    content = ''
    if known(mbps['capacity']):
        stairs = chart.stairs([None if value is None else min(value, top)
                               for value in mbps['capacity']],
                              bin_s, top, axes, held=True)
        content = ('<path class="capacity" d="%sV100Z"/><path class="edge" '
                   'd="%s"/>' % (stairs, stairs))
    for kind, key in (('estimated', 'estimated'), ('media', 'rate'),
                      ('encoder', 'encoder')):
        content += chart.line(kind, chart.points(axes, mbps[key], bin_s, top))

    def say(part):
        return joined(*('%s %.2f Mb/s' % (name, mean(mbps[key][part]))
                        for name, key in (
                            ('sent', 'rate'), ('capacity', 'capacity'),
                            ('estimated', 'estimated'),
                            ('encoder', 'encoder'))
                        if known(mbps[key][part])))
    count = max(len(found) for found in mbps.values())
    content += tips(axes, bin_s, count, say)
    return chart.plot('rates', axes, content, chart.ticks(top, 4), top,
                      'Mb/s', 'Rate, on average: ' + (
                          say(slice(0, count)) or 'not known'))


def queue(axes, series, bin_s):
    found = values(series, 'queue_ms')
    if not known(found):
        return empty('queue', axes, 'ms, longest wait')
    content = area('waiting', found, bin_s, axes.queue, axes)
    # Each value is the longest of its bin already: a mean of them is of nothing.
    content += tips(axes, bin_s, len(found), lambda part: words(
        'longest wait %.0f ms', max(known(found[part]), default=None)))
    return chart.plot(
        'queue', axes, content, chart.ticks(axes.queue, 3), axes.queue,
        'ms, longest wait', 'Longest wait in the queue: %.0f ms' % max(known(found)))


def half(axes, bin_s, lower, upper, sign):
    """Two kinds on top of each other, from the middle up or down."""
    paths, n = {}, max(len(lower), len(upper))
    for i in range(n):
        base = 0
        for kind, found in (('fc', lower), ('fw', upper)):
            value = found[i] if i < len(found) else None
            if value:
                y = [50 - sign * 50 * min(v / axes.losses, 1)
                     for v in (base, base + value)]
                bar = 'M%s %.4gV%.4gH%sV%.4gZ' % (
                    axes.x(i * bin_s), *y, axes.x((i + 1) * bin_s), y[0])
                paths[kind] = paths.get(kind, '') + bar
                base += value
    return ''.join('<path class="%s" d="%s"/>' % item
                   for item in paths.items())


def losses(axes, series, bin_s):
    truth = [values(series, key) for key in ('congestion', 'wireless')]
    called = [values(series, 'called_' + key)
              for key in ('congestion', 'wireless')]
    judged = any(known(found) for found in called)
    if not any(known(found) for found in truth):
        return empty('losses', axes, 'lost packets')
    content = '<path class="edge" d="M0 50H1000"/>'
    content += half(axes, bin_s, *truth, 1)
    if judged:
        content += half(axes, bin_s, *called, -1)

    def count(found, part):
        return sum(known(found[part]))

    def say(part):
        text = 'lost to congestion %d, to the radio %d' % (
            count(truth[0], part), count(truth[1], part))
        if judged:
            text += '; said congestion %d, radio %d' % (
                count(called[0], part), count(called[1], part))
        return text
    n = max(len(found) for found in truth)
    content += tips(axes, bin_s, n, say)
    step = chart.ticks(axes.losses, 3)[-1:]
    labels = ''.join(
        '<span class="y" style="top:%.4g%%">%g</span>' % (
            50 - sign * 50 * value / axes.losses, value)
        for value in step for sign in (1, -1) if sign > 0 or judged)
    return ('<div class="plot losses">%s%s<span class="unit">lost packets'
            '</span><span class="unit low">%s</span></div>' % (
                chart.svg(axes, content, says='In all ' + say(slice(0, n))),
                labels, 'what was said of them' if judged
                else 'no verdicts'))


def frames(axes, series, bin_s):
    found = values(series, 'frames')
    unit = 'frames shown per %g s' % bin_s
    if not known(found):
        return empty('frames', axes, unit)
    content = area('level', found, bin_s, axes.frames, axes)
    content += tips(axes, bin_s, len(found), lambda part: words(
        'frames shown %d', sum(known(found[part]))))
    return chart.plot(
        'frames', axes, content, chart.ticks(axes.frames, 2), axes.frames,
        unit, 'Frames shown: %d' % sum(known(found)))


def panel(axes, title, said, series):
    bin_s = bin_of(series)
    return ('<section class="run"><header><h4>%s</h4><span>%s</span></header>'
            '%s%s%s%s%s</section>' % (
                escape(title), escape(said), rates(axes, series, bin_s),
                queue(axes, series, bin_s), losses(axes, series, bin_s),
                frames(axes, series, bin_s), chart.times(axes)))


def key():
    def bars(kind):
        return '<path class="%s" d="M2 12V4H10V12ZM14 12V1H22V12Z"/>' % kind
    return '<div class="key">%s</div>' % ''.join((
        chart.key('<path class="capacity" d="M0 3H26V12H0"/>'
                  '<path class="edge" d="M0 3H26"/>',
                  'capacity of the bottleneck'),
        chart.key(chart.key_line('media'), 'sent, with repair'),
        chart.key(chart.key_line('estimated'), 'estimated bitrate'),
        chart.key(chart.key_line('encoder'), 'what the encoder makes'),
        chart.key(bars('waiting'), 'longest wait in the queue'),
        chart.key(bars('fc'), 'congestion'),
        chart.key(bars('fw'), 'radio'),
        chart.key(bars('level'), 'frames shown')))


class Across:
    """Values of a sweep side by side, whatever their distances."""
    warmup = 0

    def __init__(self, count):
        self.count = count

    def x(self, i):
        return 1000 * (i + .5) / self.count


def sweeps(links):
    """(name, links in order) of each swept name with the others held, as at
    the first link."""
    base = links[0]['point']
    for name in base:
        found = [link for link in links if all(
            link['point'][other] == base[other]
            for other in base if other != name)]
        if len(found) > 2 or len(found) == len(links) == 2:
            yield name, sorted(found, key=lambda link: (
                isinstance(link['point'][name], str), link['point'][name]))


def colour(figures, system):
    """The same on the whole page."""
    return 's%d' % (list(figures.systems).index(system) % COLOURS)


def curve(figures, metric, links, systems):
    """A small chart: the metric over the sweep, a line per system."""
    axes = Across(len(links))
    spreads = {system: [figures.spread(metric.name, [link], system)
                        for link in links] for system in systems}
    most = max([0] + [spread.mean + (spread.half or 0)
                      for found in spreads.values() for spread in found
                      if spread.mean is not None])
    bottom, top = 0, 1.08 * most or 1
    if metric.name == 'ssim':
        least = min([1] + [spread.mean - (spread.half or 0)
                           for found in spreads.values() for spread in found
                           if spread.mean is not None])
        bottom, top = max(0, math.floor(10 * least) / 10), 1.01

    def y(value):
        part = (value - bottom) / (top - bottom)
        return 100 * (1 - min(max(part, 0), 1))
    content, said = '', []
    for i, (system, found) in enumerate(spreads.items()):
        kind = colour(figures, system)
        line, dots, spans, pen = '', '', '', 'M'
        for j, spread in enumerate(found):
            if spread.mean is None: # the line breaks there
                pen = 'M'
                continue
            # Side by side: one must not hide the other.
            x = axes.x(j) + 12 * (i - (len(spreads) - 1) / 2)
            at = '%.4g %.4g' % (x, y(spread.mean))
            line, pen = line + pen + at, 'L'
            dots += 'M%sh0' % at
            if spread.half:
                spans += 'M%.4g %.4gV%.4g' % (
                    x, y(spread.mean - spread.half),
                    y(spread.mean + spread.half))
        content += ('<g class="%s"><title>%s</title><path d="%s"/>'
                    '<path class="span" d="%s"/><path class="dot" d="%s"/>'
                    '</g>' % (kind,
                              escape(figures.systems[system]['title']),
                              line or 'M0 0', spans or 'M0 0',
                              dots or 'M0 0'))
        said.append('%s: %s' % (figures.systems[system]['title'], ' '.join(
            metric.show(spread.mean) for spread in found)))
    ticks = [bottom + tick for tick in chart.ticks(top - bottom, 4)]
    grid = ''.join('M0 %.4gH1000' % y(tick) for tick in ticks)
    labels = ''.join('<span class="y" style="top:%.4g%%">%g</span>'
                     % (y(tick), tick) for tick in ticks)
    return ('<div class="plot curve"><svg viewBox="0 0 1000 100" '
            'preserveAspectRatio="none" role="img" aria-label="%s">'
            '<path class="grid" d="%s"/>%s</svg>%s</div>' % (
                escape('; '.join(said)), grid, content, labels))


def sweep_charts(figures, links, systems):
    found = []
    for name, chosen in sweeps(links):
        places = ''.join(
            '<span class="x" style="left:%.4g%%">%s</span>' % (
                Across(len(chosen)).x(i) / 10,
                escape('%g' % link['point'][name] if not isinstance(
                    link['point'][name], str) else link['point'][name]))
            for i, link in enumerate(chosen))
        for metric in (BY_NAME[key] for key in SWEPT):
            if all(figures.spread(metric.name, [link], system).mean is None
                   for link in chosen for system in systems):
                continue
            found.append(
                '<figure><figcaption>%s over %s</figcaption>%s'
                '<div class="plot across">%s</div></figure>' % (
                    escape(metric.title), escape(name),
                    curve(figures, metric, chosen, systems),
                    places))
    if not found:
        return ''
    lines = ''.join(chart.key(
        '<g class="%s"><path d="M0 6H26"/><path class="dot" d="M13 6h0"/></g>'
        % colour(figures, system), escape(figures.systems[system]['title']))
        for system in systems)
    return '<div class="key">%s</div><div class="curves">%s</div>' % (
        lines, ''.join(found))
