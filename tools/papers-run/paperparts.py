# The parts of an experiment: metrics, published numbers, claims.
# SPDX-License-Identifier: LGPL-2.1-or-later
import re

from expressions import RUN_NAMES, Expression, PaperError, text_of

METRIC_KEYS = {'value', 'derived', 'title', 'unit', 'digits', 'compare',
               'apart'}
CLAIM_KEYS = {'text', 'source', 'check', 'must', 'short', 'reason', 'reasons',
              'over', 'at', 'number', 'line', 'bound', 'grid', 'where', 'ours'}
# The functions of verdict.py.
CLAIM_NAMES = {'m', 'sds', 'low', 'p', 'each', 'order_kept', 'worst', 'wall_s'}


def check_keys(table, allowed, where):
    if not isinstance(table, dict):
        raise PaperError('%s: a table is needed' % where)
    for key in table:
        if key not in allowed:
            raise PaperError("%s: unknown key '%s'; there are: %s" % (
                where, key, ' '.join(sorted(allowed))))


def as_list(value):
    return value if isinstance(value, list) else [value]


class Metric:
    def __init__(self, name, table, names, where):
        if isinstance(table, str):
            table = {'value': table}
        where = '%s: metric %s' % (where, name)
        check_keys(table, METRIC_KEYS, where)
        if ('value' in table) == ('derived' in table):
            raise PaperError('%s: value or derived is needed' % where)
        self.name = name
        # Of one run, or of what other runs gave.
        self.derived = 'derived' in table
        self.value = (Expression(table['derived'], names | {'m'}, where)
                      if self.derived else
                      Expression(table['value'], names | RUN_NAMES, where))
        self.title = table.get('title', name)
        self.unit = table.get('unit', '')
        self.digits = table.get('digits')
        # Shares differ by points: 1 % beside 2 % is near, and not the half.
        self.compare = table.get(
            'compare', 'points' if self.unit == '%' else 'relative')
        if self.compare not in ('points', 'relative'):
            raise PaperError("%s: compare is 'points' or 'relative'" % where)
        self.apart = float(table.get('apart', 5))


class Target:
    """A published number: 84, '> 90', '< 5', '7..12', with a tolerance."""

    def __init__(self, value, tolerance, where):
        self.text = text_of(value)
        self.low = self.high = None
        number = r'\s*(-?\d+(?:\.\d+)?)\s*'
        bound = re.fullmatch('([<>])' + number, self.text)
        span = re.fullmatch(number + r'\.\.' + number, self.text)
        try:
            if span:
                self.low, self.high = float(span[1]), float(span[2])
                self.number = (self.low + self.high) / 2
            elif bound:
                self.number = float(bound[2])
                self.low = self.number if bound[1] == '>' else None
                self.high = self.number if bound[1] == '<' else None
            else:
                self.number = self.low = self.high = float(value)
        except (TypeError, ValueError):
            raise PaperError('%s: no number, bound or range: %r' % (
                where, value)) from None
        if tolerance:
            self.text += ' ± %s' % text_of(tolerance)
        self.tolerance = tolerance
        # Half of the last digit that is printed.
        digits = len(re.sub(r'^[^.]*\.?', '', text_of(value)).strip())
        # 7.0 has a digit behind the point, though it is written as 7.
        self.rounding = .5 * 10 ** -max(digits, isinstance(value, float))

    def miss(self, value):
        """How far a value is outside, with its sign."""
        if self.low is not None and value < self.low:
            return value - self.low
        if self.high is not None and value > self.high:
            return value - self.high
        return 0.0


class Published:
    """One number at one point."""

    def __init__(self, point, metric, target, entry):
        self.point, self.metric, self.target = point, metric, target
        self.source = entry['source']
        self.read = entry.get('read', 'printed')
        # Of the paper, and not what ns-2 gives today.
        self.original = self.read != 'ns-2'
        self.reason = entry.get('reason')


class Claim:
    def __init__(self, table, experiment, number):
        where = '%s: claim %d' % (experiment.where, number)
        check_keys(table, CLAIM_KEYS, where)
        for key in ('text', 'check'):
            if key not in table:
                raise PaperError('%s has no %s' % (where, key))
        self.text = table['text']
        self.source = table.get('source', experiment.source)
        self.must = table.get('must', False)
        self.short = table.get('short', False)
        self.reason = table.get('reason')
        self.over = as_list(table.get('over', []))
        for name in self.over:
            if name not in experiment.sweep:
                raise PaperError("%s: over: '%s' is not swept" % (where, name))
        names = CLAIM_NAMES | set(self.over) | set(experiment.sweep_values())
        self.check = Expression(table['check'], names, where)
        if self.check.empty_or(CLAIM_NAMES):
            raise PaperError("%s: a side of 'or' asks for no number: who is "
                             "asked at all stands in 'where'" % where)
        self.number = (Expression(table['number'], names, where)
                       if 'number' in table else None)
        # Of the combinations of `over`, those that are asked.
        self.where = (Expression(table['where'], set(self.over),
                                 where + ': where')
                      if 'where' in table else None)
        # No sentence of the paper, or a bound that it does not print.
        self.ours = table.get('ours', experiment.source.startswith(
            ('ours', 'not in', 'ns-2', 'RFC 8867')))
        self.line = table.get('line')  # its row of an overview
        self.bound = table.get('bound', '')
        if self.line and self.number is None:
            raise PaperError('%s: line needs a number' % where)
        self.at = table.get('at', {})
        experiment.check_at(self.at, 'claim: at')
        if set(self.at) - set(self.over):
            raise PaperError('%s: at: only names of over' % where)
        self._read_asked(table, experiment, where)
        self.grid = self._read_grid(table.get('grid'), where)

    def _read_asked(self, table, experiment, where):
        """Who has an answer of his own: (title, values, why if it is no)."""
        asked = experiment.paper.table.get('asked', {})
        found = [name for name in asked if name in self.over]
        if len(found) > 1:
            raise PaperError('%s: asked: one name of over' % where)
        self.asked = found[0] if found else None
        groups = asked.get(self.asked, {})
        reasons = table.get('reasons', {})
        check_keys(reasons, set(groups), where + ': reasons')
        self.groups = [
            (title, values, reasons.get(title, self.reason))
            for title, values in groups.items()
            if set(values) & set(as_list(self.at.get(
                self.asked, experiment.sweep[self.asked])))]

    def _read_grid(self, grid, where):
        if grid is None:
            return None
        check_keys(grid, {'columns', 'tables', 'title'}, where + ': grid')
        tables = as_list(grid.get('tables', []))
        for name in [grid.get('columns'), *tables]:
            if name not in self.over:
                raise PaperError("%s: grid: '%s' is not in over" % (
                    where, name))
        if self.number is None:
            raise PaperError('%s: grid needs a number' % where)
        return {'title': grid.get('title', self.text),
                'columns': grid['columns'], 'tables': tables}
