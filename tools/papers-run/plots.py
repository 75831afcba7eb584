# The figures: SVG files whose bytes depend on nothing but the numbers.
# SPDX-License-Identifier: LGPL-2.1-or-later
import io
import math
import re

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

# Okabe and Ito's colours: apart for all eyes, yellow left out on white.
COLOURS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#000000',
           '#E69F00', '#7F7F7F', '#8C564B']
MARKERS = 'osD^vP<X>'
STYLE = {
    'svg.hashsalt': 'papers', 'svg.fonttype': 'none',
    'font.family': 'sans-serif', 'font.sans-serif': ['DejaVu Sans', 'Verdana'],
    'font.size': 9, 'axes.titlesize': 9,
    'axes.spines.top': False, 'axes.spines.right': False,
    'axes.grid': True, 'grid.color': '#dddddd', 'grid.linewidth': .6,
    'lines.linewidth': 1.3, 'lines.markersize': 4, 'legend.frameon': False,
    'figure.facecolor': 'white', 'path.simplify': True,
}
MOST_PANELS = 6


def panels(experiment, metric):
    """One per combination of what is neither x nor series."""
    rest = [name for name in experiment.sweep if len(experiment.sweep[name]) > 1
            and name not in (experiment.x, experiment.series)]
    found = []
    for point in experiment.points:
        at = {name: point[name] for name in rest}
        if at not in found:
            found.append(at)
    return found[:MOST_PANELS]


def lines_of(experiment, at):
    """(series value, its points in the order of x), for each series."""
    values = (experiment.sweep[experiment.series] if experiment.series
              else [None])
    for value in values:
        points = [point for point in experiment.points
                  if all(point[name] == at[name] for name in at)
                  and (value is None or point[experiment.series] == value)]
        if points:
            yield value, points


class Scale:
    """Numbers where they belong; words side by side."""

    def __init__(self, experiment):
        self.values = experiment.sweep[experiment.x]
        self.words = any(isinstance(value, str) for value in self.values)
        self.experiment = experiment

    def __call__(self, point):
        value = point[self.experiment.x]
        return self.values.index(value) if self.words else value

    def span(self):
        places = (range(len(self.values)) if self.words else self.values)
        return max(places) - min(places)

    def apply(self, axes):
        experiment = self.experiment
        axes.set_xlabel(experiment.labels.get(experiment.x, experiment.x))
        if self.words:
            axes.set_xticks(range(len(self.values)), [
                experiment.label(experiment.x, value)
                for value in self.values],
                rotation=30 if len(self.values) > 4 else 0)
        elif experiment.log:
            axes.set_xscale('log')


def curve(axes, scale, experiment, metric, results, points, look):
    shown = [(scale(point), results.mean(metric, point),
              results.sd(metric, point)) for point in points
             if not math.isnan(results.mean(metric, point))]
    if shown:
        x, y, spread = zip(*shown)
        spread = [0 if math.isnan(s) else s for s in spread]
        axes.errorbar(x, y, yerr=spread if any(spread) else None,
                      elinewidth=.7, **look)


def marks(axes, scale, metric, results, points, look, aside):
    """Each number of a list by itself, such as one per flow."""
    x, y = [], []
    for point in points:
        for value in results.first(metric, point):
            x.append(scale(point) + aside)
            y.append(value)
    axes.plot(x, y, **{**look, 'linestyle': 'none', 'alpha': .6,
                       'fillstyle': 'none'})


def published(axes, scale, experiment, metric, points, look):
    """Hollow and larger: exact numbers, and whiskers for spans."""
    for entry in experiment.published:
        if (entry.metric != metric or entry.point not in points
                or not entry.original):
            continue
        target = entry.target
        x = scale(entry.point)
        if target.low is not None and target.high is not None:
            spread = target.high - target.number + target.tolerance
            axes.errorbar(
                [x], [target.number], yerr=spread or None,
                fmt=look['marker'], color=look['color'], fillstyle='none',
                markersize=8, markeredgewidth=1.1, elinewidth=.8, capsize=3)
        else:
            # Above or below: a bar, with an arrow to where it should be.
            axes.errorbar([x], [target.number], yerr=[.05 * target.number],
                          lolims=target.high is None,
                          uplims=target.low is None, fmt='_', markersize=9,
                          color=look['color'], elinewidth=.8, capsize=2)


def over_time(axes, experiment, metric, results, points, look):
    """A list as a curve: one value per bin of the series."""
    for point in points[:1]:
        values = results.first(metric, point)
        bin_s = experiment.setting(point, 'series') or 1
        begin = experiment.setting(point, 'warmup')
        axes.plot([begin + (i + .5) * bin_s for i in range(len(values))],
                  values, **{**look, 'marker': '', 'linewidth': .9})
    axes.set_xlabel('s')


def draw(axes, experiment, metric, results, at):
    scale = Scale(experiment) if experiment.kind != 'series' else None
    for i, (value, points) in enumerate(lines_of(experiment, at)):
        label = ('ours' if value is None
                 else experiment.label(experiment.series, value))
        look = {'color': COLOURS[i % len(COLOURS)],
                'marker': MARKERS[i % len(MARKERS)], 'label': label,
                'linestyle': '-' if i < len(COLOURS) else '--'}
        if experiment.kind == 'series':
            over_time(axes, experiment, metric, results, points, look)
            continue
        if experiment.kind == 'scatter':
            # Side by side: one must not hide the other.
            marks(axes, scale, metric, results, points, look,
                  (i - .5) * .015 * scale.span())
        else:
            curve(axes, scale, experiment, metric, results, points, look)
        published(axes, scale, experiment, metric, points, look)
    if scale:
        scale.apply(axes)
    axes.set_title(', '.join(
        experiment.label(name, at[name]) if isinstance(at[name], str)
        else '%s = %s' % (experiment.labels.get(name, name), at[name])
        for name in at))


def save(figure, path):
    figure.tight_layout()
    picture = io.StringIO()
    figure.savefig(picture, format='svg', bbox_inches='tight',
                   metadata={'Date': None, 'Creator': None})
    plt.close(figure)
    path.write_text(small(picture.getvalue()), encoding='utf-8')


def grid_of(count, width, height, most=2):
    """A figure with so many places, side by side first."""
    columns = min(count, most)
    lines = math.ceil(count / columns)
    figure, axes = plt.subplots(
        lines, columns, squeeze=False,
        figsize=(width * columns + 1.5, height * lines))
    for place in list(axes.flat)[count:]:
        place.set_axis_off()
    return figure, list(axes.flat)[:count]


def plot(experiment, metrics, results, path):
    """One figure: a panel for each metric, and for what is not x or series."""
    parts = [(metric, at) for metric in metrics
             for at in panels(experiment, metric)][:MOST_PANELS]
    with plt.rc_context(STYLE):
        figure, axes = grid_of(len(parts), 4.2, 2.7)
        for place, (metric, at) in zip(axes, parts):
            draw(place, experiment, metric, results, at)
            told = experiment.metrics[metric]
            place.set_ylabel(told.title + (
                ', ' + told.unit if told.unit else ''))
            if place.get_ylim()[0] > 0:
                place.set_ylim(0, 1.05 * place.get_ylim()[1])
        handles = {}
        for place in axes:
            for handle, label in zip(*place.get_legend_handles_labels()):
                handles.setdefault(label, handle)
        if any(entry.metric in metrics and entry.original
               for entry in experiment.published):
            handles['published'] = Line2D(
                [], [], linestyle='none', marker='o', fillstyle='none',
                markersize=8, color='#555555')
        figure.legend(handles.values(), handles.keys(), loc='center left',
                      bbox_to_anchor=(1, .5))
        save(figure, path)
    return True


def distinct(bounds, names):
    found = []
    for bound in bounds:
        part = {name: bound[name] for name in names}
        if part not in found:
            found.append(part)
    return found


def words(experiment, at):
    return ', '.join(
        experiment.label(name, value) if isinstance(value, str)
        else '%s %s' % (experiment.labels.get(name, name),
                        experiment.label(name, value))
        for name, value in at.items())


def heat(experiment, claims, claim, path):
    """A claim's numbers in cells; orange where it does not hold."""
    told = claim.grid
    rows = [name for name in claim.over
            if name not in [told['columns'], *told['tables']]]
    bounds = claims.bounds(claim)
    tables = distinct(bounds, told['tables'])[:MOST_PANELS]
    values = experiment.sweep[told['columns']]
    with plt.rc_context({**STYLE, 'axes.grid': False}):
        height = max(len(distinct(
            [b for b in bounds if all(b[n] == at[n] for n in at)], rows))
            for at in tables)
        figure, axes = grid_of(len(tables), .8 * len(values) + 1.2,
                               .26 * height + .9)
        for place, at in zip(axes, tables):
            inside = [b for b in bounds if all(b[n] == at[n] for n in at)]
            lines = distinct(inside, rows)
            for y, line in enumerate(lines):
                for x, value in enumerate(values):
                    bound = {**at, **line, told['columns']: value}
                    if bound not in inside:
                        continue
                    holds, numbers, _ = claims.at(claim, bound)
                    if holds is None:
                        continue
                    place.add_patch(plt.Rectangle(
                        (x - .5, y - .5), 1, 1, edgecolor='white',
                        facecolor='#c6dbef' if holds else '#fdae6b'))
                    place.text(x, y, ' / '.join(
                        '%.2f' % number for number in numbers),
                        ha='center', va='center', fontsize=7)
            place.set_xlim(-.5, len(values) - .5)
            place.set_ylim(len(lines) - .5, -.5)
            place.set_xticks(range(len(values)), [
                experiment.label(told['columns'], v) for v in values])
            place.set_yticks(range(len(lines)),
                             [words(experiment, line) for line in lines],
                             fontsize=7)
            place.set_xlabel(experiment.labels.get(told['columns'],
                                                   told['columns']))
            place.set_title(words(experiment, at) or told['title'])
        save(figure, path)
    return True


def bars(experiment, claims, lines, told, path):
    """The default's bars of each bound of a case, and the bounds as lines."""
    columns = told['columns']
    with plt.rc_context(STYLE):
        figure, axes = grid_of(min(len(lines), 8), 2.3, 2.1, 4)
        for place, claim in zip(axes, lines):
            rest = [name for name in claim.over if name not in columns[0]]
            wholes = distinct(claims.bounds(claim), rest)
            for k, at in enumerate(wholes):
                for x, column in enumerate(columns):
                    if {**column, **at} not in [
                            {n: b[n] for n in {**column, **at}}
                            for b in claims.bounds(claim)]:
                        continue
                    holds, numbers, spreads = claims.at(
                        claim, {**at, **column})
                    if holds is None or math.isnan(numbers[0]):
                        continue
                    wide = .8 / len(wholes)
                    spread = spreads[0]
                    place.bar(x - .4 + (k + .5) * wide, numbers[0], wide * .9,
                              color='#0072B2' if holds else '#D55E00',
                              yerr=None if math.isnan(spread) else spread,
                              error_kw={'elinewidth': .7})
            for number in re.findall(r'1/3|\d*\.?\d+', claim.bound):
                place.axhline(1 / 3 if number == '1/3' else float(number),
                              color='#000000', linewidth=.9, linestyle='--')
            place.set_xticks(range(len(columns)), [
                '\n'.join(experiment.label(*item) for item in column.items())
                for column in columns], fontsize=6)
            place.set_title(claim.line if len(claim.line) < 34
                            else claim.line[:31] + '...', fontsize=7)
        save(figure, path)
    return True


def small(svg):
    """Hundredths of a point are enough, and so is one line for a path."""
    svg = re.sub(r'(\d\.\d\d)\d+', r'\1', svg)
    svg = re.sub(r'^ +', '', svg, flags=re.M)
    return re.sub(r' ?\n(?=[LMzCQ"])', ' ', svg)
