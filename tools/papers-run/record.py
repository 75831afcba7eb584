# What was measured: results/PAPER.csv, one row per experiment, point and seed.
# SPDX-License-Identifier: LGPL-2.1-or-later
import csv
import io
import math
import os

from expressions import PaperError, known, mean, sd, text_of


def number(text):
    if ' ' in text:
        return [number(part) for part in text.split()]
    return float(text) if text else math.nan


def cell(value):
    """Six digits; a list is words, nothing is what could not be measured."""
    if isinstance(value, (list, tuple)):
        # One number only must stay a list.
        return ' '.join('nan' if v is None or math.isnan(v) else '%.4g' % v
                        for v in value) + (' ' if len(value) == 1 else '')
    if value is None or math.isnan(value):
        return ''
    return '%.6g' % value


class Results:
    """Of one experiment: {point: {seed: {metric: value}}}."""

    def __init__(self, experiment, record):
        self.experiment = experiment
        self.record = record
        self.points = {self.key(point) for point in experiment.points}
        self.rows = {}
        self.found = {}

    def key(self, point):
        return tuple(text_of(point[name]) for name in self.experiment.sweep)

    def add(self, point, seed, measured):
        self.rows.setdefault(self.key(point), {})[seed] = measured
        self.found.clear()

    def fill(self, other):
        """Takes the points that it has not from other results."""
        self.rows = other.rows | self.rows
        self.found.clear()

    def seeds(self, point):
        return self.rows.get(self.key(point), {})

    def value(self, metric, point, seed):
        """Of one run; a list counts as its mean."""
        told = self.experiment.metrics.get(metric)
        if told is not None and told.derived:
            return self._derive(told, point, seed)
        value = self.seeds(point)[seed].get(metric, math.nan)
        return mean(value) if isinstance(value, list) else value

    def _derive(self, metric, point, seed):
        """From other runs with the same seed, or from their mean."""
        def m(name, **at):
            results, other = self.record.find(self, name, point, at)
            if results is None or not results.seeds(other):
                return math.nan
            if seed in results.seeds(other):
                return results.value(name, other, seed)
            return results.mean(name, other)
        return metric.value({**self.experiment.names(point), 'm': m})

    def all(self, metric, point):
        """The value of each seed where it could be measured."""
        # Verdicts, claims and plots ask for the same again and again.
        key = metric, self.key(point)
        if key not in self.found:
            self.found[key] = known([self.value(metric, point, seed)
                                     for seed in self.seeds(point)])
        return self.found[key]

    def mean(self, metric, point):
        return mean(self.all(metric, point))

    def sd(self, metric, point):
        return sd(self.all(metric, point))

    def first(self, metric, point):
        """The list of numbers that the first seed has."""
        rows = self.seeds(point)
        value = rows[min(rows)].get(metric) if rows else None
        return value if isinstance(value, list) else []


class Record:
    """The file of one paper. How each experiment was made is in comments."""

    def __init__(self, paper, folder=None):
        """Without a folder it is of this run only, and may be partial."""
        self.paper = paper
        self.partial = folder is None
        self.made = {}     # experiment: how, in words
        self.results = {}  # experiment: Results
        if folder is None:
            return
        self.path = os.path.join(folder, paper.name + '.csv')
        if os.path.exists(self.path):
            self._read()

    def find(self, asking, metric, point, at):
        """(results, point) of what a derived metric of `point` asks for."""
        name = at.get('experiment', asking.experiment.name)
        experiment = self.paper.experiments.get(name)
        if experiment is None:
            raise PaperError("there is no experiment '%s'" % name)
        experiment.check_metrics(metric, 'derived')
        at = {**{key: value for key, value in point.items()
                 if value in experiment.sweep.get(key, [])},
              **{key: at[key] for key in at if key != 'experiment'}}
        return self.results.get(name), experiment.point(at, 'derived')

    def _read(self):
        with open(self.path, encoding='utf-8', newline='') as file:
            lines = file.read().splitlines()
        for line in lines:
            if line.startswith('# ') and ': ' in line:
                name, how = line[2:].split(': ', 1)
                if name in self.paper.experiments:
                    self.made[name] = how
        rows = csv.DictReader(line for line in lines if line[0:1] != '#')
        try:
            for row in rows:
                self._take(row)
        except (KeyError, TypeError, ValueError) as error:
            raise PaperError('%s: line %d: %r' % (
                self.path, rows.line_num, error)) from None

    def _take(self, row):
        """What the paper's file does not know any more is left out."""
        experiment = self.paper.experiments.get(row['experiment'])
        if experiment is None:
            return
        point = {name: row.get(name) or '' for name in experiment.sweep}
        if experiment.name not in self.results:
            self.results[experiment.name] = Results(experiment, self)
        results = self.results[experiment.name]
        if results.key(point) not in results.points:
            return
        measured = {name: number(row[name]) for name
                    in [*experiment.metrics, 'wall_s'] if row.get(name)}
        results.add(point, int(row['seed']), measured)

    def replace(self, experiment, results, how):
        self.results[experiment.name] = results
        for other in self.results.values():
            other.found.clear()  # what is derived may be of this one
        self.made[experiment.name] = how

    def columns(self):
        """Of all experiments: the swept names, then the metrics."""
        swept, metrics = {}, {}
        for experiment in self.paper.experiments.values():
            if experiment.name in self.results:
                swept.update(dict.fromkeys(experiment.sweep))
                metrics.update(dict.fromkeys(
                    name for name, metric in experiment.metrics.items()
                    if not metric.derived))
        return list(swept), list(metrics)

    def write(self):
        swept, metrics = self.columns()
        out = io.StringIO()
        out.write('# %s: what tools/papers measured. An empty cell: not '
                  'measured, or not\n# of this experiment; a list is of the '
                  'first seed only.\n' % self.paper.path.name)
        for name in self.paper.experiments:
            if name in self.made:
                out.write('# %s: %s\n' % (name, self.made[name]))
        table = csv.writer(out, lineterminator='\n')
        table.writerow(['experiment', *swept, 'seed', *metrics, 'wall_s'])
        for name, experiment in self.paper.experiments.items():
            results = self.results.get(name)
            for point in experiment.points if results else []:
                for seed, measured in sorted(results.seeds(point).items()):
                    table.writerow(
                        [name]
                        + [text_of(point.get(key, '')) for key in swept]
                        + [seed]
                        + [cell(measured.get(key)) for key in metrics]
                        + [cell(measured.get('wall_s'))])
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        # Whole or not at all: the tool may be stopped at any time.
        with open(self.path + '.new', 'w', encoding='utf-8') as file:
            file.write(out.getvalue())
        os.replace(self.path + '.new', self.path)
