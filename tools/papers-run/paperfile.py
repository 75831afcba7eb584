# A paper's file: read, checked, and expanded into scenarios.
# SPDX-License-Identifier: LGPL-2.1-or-later
import csv
import itertools
import pathlib
import re
import tomllib

from expressions import Expression, PaperError, fill, run_names, text_of
from paperparts import (CLAIM_NAMES, Claim, Metric, Published, Target, as_list,
                        check_keys)

PAPER_KEYS = {'title', 'about', 'seed-text', 'defaults', 'values', 'metrics',
              'labels', 'experiment', 'asked', 'overview', 'conclude',
              'number', 'figures', 'tables', 'left-out', 'runs'}
EXPERIMENT_KEYS = {
    'name', 'title', 'source', 'about', 'kind', 'x', 'series', 'log', 'show',
    'seeds', 'short', 'net', 'sweep', 'where', 'let', 'values', 'metrics',
    'published', 'claim', 'reason', 'labels'}
PUBLISHED_KEYS = {'source', 'at', 'over', 'read', 'tolerance', 'reason'}
KINDS = ('table', 'figure', 'scatter', 'series')
READ = ('printed', 'text', 'by-eye', 'ns-2')
GROUP = re.compile(r'run|hop \d+|flows [\w-]+')
# Columns of a record beside those of sweep and metrics.
RESERVED = {'experiment', 'seed', 'wall_s'}


def flatten(table, prefix=''):
    """in.rate = ... of TOML is a table in a table; a scenario has one key."""
    found = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found.update(flatten(value, prefix + key + '.'))
        else:
            found[prefix + key] = value
    return found


def merge(groups, more, where):
    """Later settings win; false takes a key or a whole group away."""
    for name, settings in more.items():
        if not GROUP.fullmatch(name):
            raise PaperError("%s: no group of a scenario: '%s'; there are "
                             "'run', 'hop N', 'flows NAME'" % (where, name))
        if settings is False:
            groups.pop(name, None)
            continue
        if not isinstance(settings, dict):
            raise PaperError("%s: '%s' is no table" % (where, name))
        group = groups.setdefault(name, {})
        for key, value in flatten(settings).items():
            if value is False:
                group.pop(key, None)
            else:
                group[key] = value


def matches(point, at):
    """Whether a point has the values asked for; a list means any of them."""
    return all(point.get(name) in as_list(value) for name, value in at.items())


class Experiment:
    def __init__(self, paper, table, number):
        name = table.get('name', 'number %d' % number)
        self.where = '%s: experiment %s' % (paper.path.name, name)
        check_keys(table, EXPERIMENT_KEYS, self.where)
        for key in ('name', 'title', 'source', 'net'):
            if key not in table:
                raise PaperError('%s has no %s' % (self.where, key))
        if not re.fullmatch(r'[a-z0-9-]+', name):
            raise PaperError('%s: a name is of a-z, 0-9 and -' % self.where)
        self.paper, self.table, self.name = paper, table, name
        self.title, self.source = table['title'], table['source']
        self.about = table.get('about', '')
        self.kind = table.get('kind', 'table')
        if self.kind not in KINDS:
            raise PaperError('%s: kind is one of %s' % (
                self.where, ', '.join(KINDS)))
        self.labels = {**paper.table.get('labels', {}),
                       **table.get('labels', {})}
        self._read_sweep()
        self._read_metrics()
        self._read_axes()
        self._read_published()
        self.claims = [Claim(claim, self, i + 1) for i, claim
                       in enumerate(table.get('claim', []))]
        for reason in table.get('reason', []):
            check_keys(reason, {'at', 'metrics', 'text'},
                       self.where + ': reason')
            self.check_at(reason.get('at', {}), 'reason')
            self.check_metrics(reason.get('metrics', []), 'reason')

    # Sweep

    def _read_sweep(self):
        self.sweep = {name: as_list(values) for name, values
                      in self.table.get('sweep', {}).items()}
        self.values = {}
        for source in (self.paper.table, self.table):
            for name, values in source.get('values', {}).items():
                if source is self.table and name not in self.sweep:
                    raise PaperError("%s: values of '%s', which is not swept"
                                     % (self.where, name))
                for value, settings in values.items():
                    self.values.setdefault((name, value), []).append(settings)
        for name, values in self.sweep.items():
            if name in RESERVED or not re.fullmatch(r'[a-z_]\w*', name):
                raise PaperError("%s: '%s' cannot be swept" % (
                    self.where, name))
            told = {value for key, value in self.values if key == name}
            for value in values:
                if told and str(value) not in told:
                    raise PaperError("%s: '%s' has no value '%s' in values" % (
                        self.where, name, value))
        self.let = self.table.get('let', {})
        where = self.table.get('where')
        self.points = []
        for values in itertools.product(*self.sweep.values()):
            point = dict(zip(self.sweep, values))
            if where is None or Expression(
                    where, point, self.where + ': where')(point):
                self.points.append(point)
        if not self.points:
            raise PaperError('%s: there is no point in its sweep' % self.where)

    def sweep_values(self):
        """Names that stand for all values of a swept name: n -> n_values."""
        return {name + '_values': values for name, values
                in self.sweep.items()}

    def settings(self, point):
        """What the values of a point add to the net."""
        for name, value in point.items():
            yield from self.values.get((name, str(value)), [])

    def names(self, point):
        """The swept names and what each `let` makes of them."""
        names = dict(point)
        for let in [*(settings.get('let', {}) for settings
                      in self.settings(point)), self.let]:
            for name, text in let.items():
                where = '%s: let %s' % (self.where, name)
                names[name] = (Expression(text, names, where)(names)
                               if isinstance(text, str) else text)
        return names

    def seeds(self, point):
        """As many as it says, or one of the point's values says."""
        count = self.table.get('seeds', 10)
        for settings in self.settings(point):
            count = settings.get('seeds', count)
        return list(range(1, count + 1))

    def runs(self):
        """(point, seed) of all of them."""
        return [(point, seed) for point in self.points
                for seed in self.seeds(point)]

    def label(self, name, value):
        """What a page calls a value."""
        for settings in reversed(self.values.get((name, str(value)), [])):
            if 'label' in settings:
                return settings['label']
        return text_of(value)

    def system(self, value):
        """What the index of systems calls a value of `system`."""
        for settings in reversed(self.values.get(('system', value), [])):
            if 'is' in settings:
                return settings['is']
        return self.label('system', value)

    def groups(self, point):
        """The groups of a point's scenario, still with their templates."""
        groups = {}
        merge(groups, self.paper.table.get('defaults', {}),
              self.paper.path.name + ': defaults')
        merge(groups, self.table['net'], self.where)
        for settings in self.settings(point):
            merge(groups, {key: value for key, value in settings.items()
                           if key not in ('label', 'is', 'let', 'seeds')},
                  self.where + ': values')
        return groups

    def scenario(self, point, seed):
        names = self.names(point)
        lines = []
        groups = self.groups(point)
        groups = {'run': {'seed': seed, **groups.pop('run', {})}, **groups}
        for group, settings in groups.items():
            settings = dict(settings)
            where = '%s: [%s]' % (self.where, group)
            when = settings.pop('when', None)
            if when is not None and not Expression(when, names, where)(names):
                continue
            texts = {key: fill(value, names, '%s %s' % (where, key))
                     for key, value in settings.items()}
            if texts.get('count') == '0':
                continue
            lines.append('[%s]' % group)
            lines += ['%s=%s' % item for item in texts.items()]
            lines.append('')
        return '\n'.join(lines)

    def setting(self, point, key):
        """A number of [run]."""
        value = self.groups(point).get('run', {}).get(key, 0)
        return float(fill(value, self.names(point), self.where))

    # Metrics

    def _read_metrics(self):
        names = {name for point in self.points for name in self.names(point)}
        tables = dict(self.table.get('metrics', {}))
        common = self.paper.table.get('metrics', {})
        self.show = as_list(self.table.get('show', list(tables)))
        for name in self.show:
            if name not in tables:
                if name not in common:
                    raise PaperError("%s: show: there is no metric '%s'" % (
                        self.where, name))
                tables[name] = common[name]
        # Those that are shown come first, in their order.
        tables = {name: tables[name] for name in [*self.show, *tables]}
        self.metrics = {}
        for name, table in tables.items():
            if name in RESERVED or name in self.sweep:
                raise PaperError("%s: no metric can be called '%s'" % (
                    self.where, name))
            self.metrics[name] = Metric(name, table, names, self.where)
        if not self.metrics:
            raise PaperError('%s has no metric' % self.where)

    def measure(self, point, run):
        """{metric: number or list of numbers} of one result."""
        names = self.names(point)
        names.update(run_names(run, self.setting(point, 'series'),
                               self.setting(point, 'warmup')))
        return {name: metric.value(names)
                for name, metric in self.metrics.items()
                if not metric.derived}

    def _read_axes(self):
        # A list over time has its own axis.
        first = (None if self.kind == 'series'
                 else next(iter(self.sweep), None))
        self.x = self.table.get('x', first)
        self.series = self.table.get(
            'series', 'system' if 'system' in self.sweep else None)
        for key, name in (('x', self.x), ('series', self.series)):
            if name is not None and name not in self.sweep:
                raise PaperError("%s: %s: '%s' is not swept" % (
                    self.where, key, name))
        self.log = self.table.get('log', False)

    # Published values

    def check_at(self, at, what):
        where = '%s: %s' % (self.where, what)
        for name, value in at.items():
            if name not in self.sweep:
                raise PaperError("%s: '%s' is not swept" % (where, name))
            for one in as_list(value):
                if one not in self.sweep[name]:
                    raise PaperError("%s: '%s' has no value %r in the sweep"
                                     % (where, name, one))

    def check_metrics(self, names, what):
        for name in as_list(names):
            if name not in self.metrics:
                raise PaperError("%s: %s: there is no metric '%s'" % (
                    self.where, what, name))

    def _read_published(self):
        self.published = []
        for entry in self.table.get('published', []):
            entry = {'source': self.source, **entry}
            what = 'published ' + entry['source']
            numbers = {key: value for key, value in entry.items()
                       if key not in PUBLISHED_KEYS}
            self.check_metrics(list(numbers), what)
            if entry.get('read', 'printed') not in READ:
                raise PaperError('%s: %s: read is one of %s' % (
                    self.where, what, ', '.join(READ)))
            over = entry.get('over', {})
            if len(over) > 1:
                raise PaperError('%s: %s: over is one name' % (
                    self.where, what))
            for name, values in numbers.items():
                self._add_published(entry, what, over, name, values)

    def _add_published(self, entry, what, over, metric, values):
        at = entry.get('at', {})
        columns = [{name: value} for name, listed in over.items()
                   for value in listed] or [{}]
        values = as_list(values)
        where = '%s: %s: %s' % (self.where, what, metric)
        if len(values) != len(columns):
            raise PaperError('%s: %d numbers for %d columns' % (
                where, len(values), len(columns)))
        for column, value in zip(columns, values):
            if value == '':
                continue
            point = self.point({**at, **column}, what)
            target = Target(value, entry.get('tolerance', 0), where)
            self.published.append(Published(point, metric, target, entry))

    def point(self, at, what):
        """The one point that has these values."""
        if at in self.points:
            return at
        self.check_at(at, what)
        found = [point for point in self.points if matches(point, at)]
        if len(found) != 1:
            raise PaperError('%s: %s: %d points have %s' % (
                self.where, what, len(found), ', '.join(
                    '%s=%s' % item for item in at.items()) or 'no condition'))
        return found[0]

    def reason(self, published):
        """Why it differs, as far as somebody looked for it."""
        if published.reason:
            return published.reason
        for reason in self.table.get('reason', []):
            if matches(published.point, reason.get('at', {})) and (
                    published.metric in reason.get('metrics', self.metrics)):
                return reason['text']
        return None

    # The subset for tests

    def short(self):
        """(point, seed) of the subset, or none."""
        subset = self.table.get('short')
        if subset is None:
            return []
        check_keys(subset, {'seeds', 'keep'}, self.where + ': short')
        keep = subset.get('keep', {})
        self.check_at(keep, 'short')
        return [(point, seed) for point in self.points
                if matches(point, keep)
                for seed in self.seeds(point)[:subset.get('seeds', 1)]]


def read_excused(folder, paper):
    """{(experiment, claim, point): the margin that its reason accepts}."""
    path = folder / 'results' / 'excused.csv'
    if not path.exists():
        return {}
    with open(path, encoding='utf-8', newline='') as file:
        rows = csv.DictReader(line for line in file if line[0:1] != '#')
        return {(row['experiment'], row['claim'], row['point']):
                float(row['accepted'])
                for row in rows if row['paper'] == paper}


class Paper:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.name = self.path.stem
        self.excused = read_excused(self.path.parent, self.name)
        try:
            with open(path, 'rb') as file:
                self.table = tomllib.load(file)
        except OSError as error:
            raise PaperError('%s: %s' % (path, error.strerror)) from None
        except tomllib.TOMLDecodeError as error:
            raise PaperError('%s: %s' % (self.path.name, error)) from None
        check_keys(self.table, PAPER_KEYS, self.path.name)
        if 'title' not in self.table:
            raise PaperError('%s has no title' % self.path.name)
        self.title = self.table['title']
        self.about = self.table.get('about', '')
        # A published number is the mean of so many.
        self.runs = self.table.get('runs', 1)
        if type(self.runs) is not int or self.runs < 1:
            raise PaperError('%s: runs is a number from 1 on' % self.path.name)
        self.experiments = {}
        for number, table in enumerate(self.table.get('experiment', [])):
            experiment = Experiment(self, table, number + 1)
            if experiment.name in self.experiments:
                raise PaperError('%s: there are two' % experiment.where)
            self.experiments[experiment.name] = experiment
        # A record has one column for each name.
        metrics = {name for experiment in self.experiments.values()
                   for name in experiment.metrics}
        for experiment in self.experiments.values():
            for name in metrics.intersection(experiment.sweep):
                raise PaperError("%s: '%s' is a metric elsewhere" % (
                    experiment.where, name))
            for point in experiment.points:
                experiment.scenario(point, 1)
            for claim in experiment.claims:
                self._check_calls(experiment, claim.check)
                if claim.number is not None:
                    self._check_calls(experiment, claim.number)
            for metric in experiment.metrics.values():
                if metric.derived:
                    self._check_calls(experiment, metric.value)

    def _check_calls(self, experiment, expression):
        """What m() and the like ask for must exist."""
        for metric, at in expression.calls(CLAIM_NAMES):
            name = at.pop('experiment', experiment.name)
            asked = self.experiments.get(name)
            if asked is None:
                raise PaperError("%s: there is no experiment '%s'" % (
                    expression.where, name))
            if metric is not None and metric not in asked.metrics:
                raise PaperError("%s: '%s' has no metric '%s'" % (
                    expression.where, name, metric))
            for key in at:
                if key not in asked.sweep and key != 'by':
                    raise PaperError("%s: '%s' is not swept in '%s'" % (
                        expression.where, key, name))
            asked.check_at({key: value for key, value in at.items()
                            if value is not None and key != 'by'},
                           expression.where)
