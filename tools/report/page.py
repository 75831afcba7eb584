# The page: one HTML file with everything in it.
# SPDX-License-Identifier: LGPL-2.1-or-later
import itertools
import re
from html import escape

import chart
import table

SMOOTH_S = .5  # media on the wire is averaged over this


class Axes:
    """What all runs share: seconds to the right, three scales upwards."""

    def __init__(self, runs, seconds, warmup):
        self.seconds = seconds
        self.warmup = warmup
        self.rate = self._rate(runs) * 1e-6
        waits = [max((wait for wait in run['series']['queue_ms'] if wait is not None),
                     default=0) for run in runs]
        self.wait = max(max(waits, default=0) * 1.1, 10)
        levels = [max(run['series']['fec_percentage'], default=0)
                  for run in runs]
        self.level = max(max(levels, default=0) * 1.1, 10)

    @staticmethod
    def _rate(runs):
        """Room for all, but an estimate far above the path is cut off."""
        tops = {key: max((max(run['series'][key], default=0)
                          for run in runs), default=0)
                for key in ('capacity_bps', 'estimated_bps', 'encoder_bps')}
        top = max(tops.values())
        if tops['capacity_bps']:
            top = min(top, 1.3 * tops['capacity_bps'])
        return max(top, 1e5) * 1.08

    def x(self, t):
        return chart.place(t, self.seconds)


def _rates(axes, series):
    bin_s, top = series['bin_s'], axes.rate
    mbps = {key: [value * 1e-6 for value in series[key]]
            for key in ('capacity_bps', 'estimated_bps', 'encoder_bps',
                        'media_bps')}
    content = ''
    if any(mbps['capacity_bps']):
        stairs = chart.stairs(mbps['capacity_bps'], bin_s, top, axes,
                              held=True)
        content += '<path class="capacity" d="%sV100Z"/>' % stairs
        content += '<path class="edge" d="%s"/>' % stairs
    media = chart.smooth(mbps['media_bps'], round(SMOOTH_S / bin_s))
    for kind, values in (('estimated', mbps['estimated_bps']),
                         ('media', media),
                         ('encoder', mbps['encoder_bps'])):
        content += chart.line(kind, chart.points(axes, values, bin_s, top))
    return chart.plot('rates', axes, content, chart.ticks(top, 5), top, 'Mb/s')


def _waits(axes, series):
    bin_s, top = series['bin_s'], axes.wait
    points = chart.points(axes, series['queue_ms'], bin_s, top)
    d = ''
    # Of each stretch in which packets arrived, from its first bin to its last.
    for there, part in itertools.groupby(enumerate(points), lambda item: item[1] is not None):
        part = list(part)
        if there:
            d += 'M%s 100L%sH%sV100Z' % (
                axes.x(part[0][0] * bin_s), 'L'.join(point for _, point in part),
                axes.x((part[-1][0] + 1) * bin_s))
    content = '<path class="waiting" d="%s"/>' % d if d else ''
    return chart.plot('queue', axes, content, chart.ticks(top, 3), top,
                 'ms of queue and jitter')


def _levels(axes, series):
    """The FEC level; nothing where there was no repair all along."""
    bin_s, top = series['bin_s'], axes.level
    levels = series['fec_percentage']
    if not any(levels):
        return ''
    content = '<path class="level" d="%sV100Z"/>' % chart.stairs(
        levels, bin_s, top, axes)
    return chart.plot('fec', axes, content, chart.ticks(top, 3), top, 'FEC, %')


def _lane(axes, losses, verdict):
    """Ticks of the losses with this verdict; misread ones are taller."""
    content = ''
    for truth in ('congestion', 'wireless'):
        right = truth == verdict
        path = ''.join('M%s %sV100' % (axes.x(loss[0]), 45 if right else 0)
                       for loss in losses if loss[1:3] == [truth, verdict])
        if path:
            content += '<path class="%s %s" d="%s"/>' % (
                truth[0], 'right' if right else 'misread', path)
    return ('<div class="plot lane">%s<span class="lane-name">said %s</span>'
            '</div>' % (chart.svg(axes, content), verdict[0].upper()))


def _sub(text):
    return re.sub(r'\bM_([cw])\b', r'M<sub>\1</sub>', text)


def _said(run):
    cells = dict(zip(('name',) + tuple(c[0][0] for c in table.COLUMNS),
                     table.cells(run)))
    return _sub('frozen %s s; SSIM %s; %s Mb/s, %s of the capacity; '
                'FEC %s %%, still lost %s %%; M_c %s, M_w %s' % (
                    cells['frozen_s'], cells['ssim'], cells['goodput_bps'],
                    cells['utilisation'], cells['fec_overhead'],
                    cells['residual_loss'], cells['m_c'], cells['m_w']))


def _run(axes, run):
    return ('<section class="run"><header><h3>%s</h3><span>%s</span></header>'
            '%s%s%s%s%s%s</section>' % (
                escape(table.name(run)), _said(run),
                _rates(axes, run['series']), _waits(axes, run['series']),
                _levels(axes, run['series']),
                _lane(axes, run['losses'], 'congestion'),
                _lane(axes, run['losses'], 'wireless'), chart.times(axes)))


def _table(runs):
    head = '<th></th>' + ''.join(
        '<th>%s<br>%s</th>' % (column[1], _sub(column[2]))
        for column in table.COLUMNS)
    body = []
    for run in runs:
        cells = table.cells(run)
        row = '<th scope="row">%s</th>' % escape(cells[0])
        row += '<td class="bar" style="--share:%.3f">%s</td>' % (
            run['utilisation'] or 0, cells[1])
        row += ''.join('<td>%s</td>' % cell for cell in cells[2:])
        body.append('<tr>%s</tr>' % row)
    meaning = ''.join(
        '<dt>%s</dt><dd>%s</dd>' % (
            _sub((column[1] + ' ' + column[2]).replace('- ', '')), column[4])
        for column in table.COLUMNS)
    return ('<div class="wide"><table><thead><tr>%s</tr></thead>'
            '<tbody>%s</tbody></table></div><details><summary>What the '
            'columns mean</summary><dl>%s</dl></details>'
            % (head, '\n'.join(body), meaning))


def _key():
    def ticks(cause, kind, y):
        return '<path class="%s %s" d="M6 %sV12M13 %sV12M20 %sV12"/>' % (
            cause, kind, y, y, y)

    return '<div class="key">%s</div><div class="key">%s</div>' % (
        ''.join((
            chart.key('<path class="capacity" d="M0 3H26V12H0"/>'
                      '<path class="edge" d="M0 3H26"/>',
                      'capacity of the bottleneck'),
            chart.key(chart.key_line('estimated'), 'estimated bitrate'),
            chart.key(chart.key_line('encoder'),
                      'bitrate set at the encoder'),
            chart.key(chart.key_line('media'),
                      'video on the wire, mean over %g s' % SMOOTH_S),
            chart.key('<path class="waiting" d="M0 12L13 2L26 12Z"/>',
                      'longest wait: queue and jitter'),
            chart.key('<path class="level" d="M0 12V4H26V12Z"/>',
                      'repair packets per 100 media packets'))),
        ''.join((
            chart.key(ticks('c', 'right', 5), 'lost to congestion'),
            chart.key(ticks('w', 'right', 5), 'lost to the radio'),
            chart.key(ticks('c', 'misread', 0), 'congestion, misread'),
            chart.key(ticks('w', 'misread', 0), 'radio, misread'))))


HOW = '''<p>Each panel is one run over the same link, named by its rate controller
and its loss differentiator; all panels have the same scales. A good run
follows the edge of the grey capacity without filling the queue. At the
bottom lies every lost packet: its colour is the true cause, its lane is
what the loss differentiator <em>said</em> (C: congestion, W: wireless).
Short faint ticks were read rightly. Tall strong ones were misread: blue
ones in lane C cost bitrate for nothing, orange ones in lane W are
congestion that was ignored. The shaded start is not measured.</p>'''

PAGE = '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gst-rtpadapt demo</title>
<style>
{css}</style>
</head>
<body>
<h1>Live video over a lossy path, with and without loss differentiation</h1>
{found}
<dl class="made"><dt>Command</dt><dd><code>{command}</code></dd>
<dt>Link</dt><dd><code>{link}</code></dd>
<dt>Seed</dt><dd>{seed}</dd><dt>Commit</dt><dd>{commit}</dd></dl>
<h2>Results</h2>
{table}
<h2>Over time</h2>
{how}
{key}
{runs}
</body>
</html>
'''


def render(result, found, seconds, warmup):
    """The page of a result as --json has it; `found`: sentences about it."""
    runs = result['runs']
    axes = Axes(runs, seconds, warmup)
    return PAGE.format(
        css=chart.style('page.css'),
        found=''.join('<p class="found">%s</p>' % escape(sentence)
                      for sentence in found),
        command=escape(result['command']), link=escape(result['link']),
        seed=result['seed'], commit=escape(result['commit']),
        table=_table(runs), how=HOW, key=_key(),
        runs='\n'.join(_run(axes, run) for run in runs))
