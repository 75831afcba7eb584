# Expressions of the papers' files: checked when they are read, then evaluated.
# SPDX-License-Identifier: LGPL-2.1-or-later
import ast
import functools
import math
import re
import statistics


class PaperError(Exception):
    """Its text is one sentence for whoever writes a paper's file."""


class NotRun(PaperError):
    """A claim asks for a point that has not been run."""


def known(values):
    """Numbers without those that were not measured (null in a result)."""
    return [float(value) for value in values
            if value is not None and not math.isnan(value)]


def mean(values):
    values = known(values)
    return statistics.fmean(values) if values else math.nan


def sd(values):
    """Standard deviation of a sample; of one value it is not known."""
    values = known(values)
    return statistics.stdev(values) if len(values) > 1 else math.nan


def cov(values):
    """Coefficient of variation, of a population."""
    values = known(values)
    average = mean(values)
    return statistics.pstdev(values) / average if average else math.nan


def jain(values):
    """Jain's fairness index: 1 if all are equal, 1/n if one has all."""
    values = known(values)
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else math.nan


def total(values):
    return sum(known(values))


def share(part, *others):
    """Of all that flows, what the first list has."""
    everything = total(part) + sum(total(other) for other in others)
    return total(part) / everything if everything else math.nan


def ratio(upper, lower):
    """Sum over sum, or number over number."""
    if isinstance(upper, list):
        upper = total(upper)
    if isinstance(lower, list):
        lower = total(lower)
    return upper / lower if lower else math.nan


def quantile(values, q):
    """Of the sorted values, linear in between."""
    values = sorted(known(values))
    if not values:
        return math.nan
    place = q * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


PLAIN = {
    'abs': abs, 'all': all, 'any': any, 'enumerate': enumerate,
    'float': float, 'int': int,
    'len': len, 'list': list, 'max': max, 'min': min, 'range': range,
    'round': round, 'sorted': sorted, 'str': str, 'sum': sum, 'zip': zip,
    'sqrt': math.sqrt, 'log': math.log, 'exp': math.exp, 'nan': math.nan,
    'isnan': math.isnan, 'ceil': math.ceil, 'floor': math.floor,
    'mean': mean, 'sd': sd, 'cov': cov, 'jain': jain, 'total': total,
    'share': share, 'ratio': ratio, 'quantile': quantile,
}


def gap(values, signs):
    """The least distance of neighbours in a chain a < b < c, relative."""
    found = []
    for one, other, sign in zip(values, values[1:], signs):
        if isinstance(one, (list, str)) or isinstance(other, (list, str)):
            found.append(0 if one == other else -1)
            continue
        size = min(abs(one), abs(other)) or 1e-3
        apart = sign * (other - one) if sign else -abs(other - one)
        found.append(apart / size)
    return min(found)


SIGNS = {ast.Lt: 1, ast.LtE: 1, ast.Gt: -1, ast.GtE: -1, ast.Eq: 0}


def _call(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _margins(node):
    """The same condition as a number: 'and' and all() take the least."""
    if isinstance(node, ast.Compare) and all(
            type(op) in SIGNS for op in node.ops):
        return _call('_gap', ast.List([node.left, *node.comparators],
                                      ast.Load()),
                     ast.List([ast.Constant(SIGNS[type(op)])
                               for op in node.ops], ast.Load()))
    if isinstance(node, ast.BoolOp):
        return _call('min' if isinstance(node.op, ast.And) else 'max',
                     *(_margins(value) for value in node.values))
    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            and node.func.id == 'all' and len(node.args) == 1
            and isinstance(node.args[0], (ast.ListComp, ast.GeneratorExp))):
        listed = node.args[0]
        return _call('min', ast.ListComp(_margins(listed.elt),
                                         listed.generators))
    return ast.IfExp(node, ast.Constant(0), ast.Constant(-1))


@functools.lru_cache(maxsize=None)  # each point of a sweep asks for the same ones
def _compiled(text, names, where):
    """(tree, code) of an expression that names nothing else."""
    try:
        tree = ast.parse(text.strip(), mode='eval')
    except SyntaxError as error:
        raise PaperError('%s: no expression: %s (%s)' % (
            where, text, error.msg)) from None
    bound = {node.id for node in ast.walk(tree)
             if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Lambda)):
            raise PaperError('%s: too much Python: %s' % (where, text))
        if isinstance(node, ast.Name) and node.id not in bound and (
                node.id not in PLAIN and node.id not in names):
            raise PaperError("%s: unknown name '%s' in: %s" % (
                where, node.id, text))
    return tree, compile(tree, where, 'eval')


class Expression:
    """Python, without attributes and without any name that is not known."""

    def __init__(self, text, names, where):
        self.text = str(text)
        self.where = where
        self.tree, self.code = _compiled(self.text, frozenset(names), where)
        self.measure = None  # of margin(), made when it is asked for

    def __call__(self, names):
        try:
            return eval(self.code, {'__builtins__': {}, **PLAIN, **names})
        except NotRun:
            raise
        except PaperError as error:
            raise PaperError('%s: %s' % (self.where, error)) from None
        except ZeroDivisionError:
            return math.nan  # not to be measured, as what is null
        except Exception as error:
            raise PaperError('%s: %s: %s: %s' % (
                self.where, type(error).__name__, error, self.text)) from None

    def margin(self, names):
        """How far a check is from failing, in parts of the smaller number.

        Below 0 it fails.  What is no comparison is 0 or -1.
        """
        if self.measure is None:
            tree = ast.Expression(_margins(self.tree.body))
            self.measure = compile(ast.fix_missing_locations(tree),
                                   self.where, 'eval')
        value = eval(self.measure, {
            '__builtins__': {}, **PLAIN, **names, '_gap': gap})
        return float(value)

    def empty_or(self, functions):
        """Whether it can hold by a side of an `or` that asks for no number."""
        def asks(node):
            return any(isinstance(found, ast.Call)
                       and isinstance(found.func, ast.Name)
                       and found.func.id in functions
                       for found in ast.walk(node))
        return any(isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
                   and not all(map(asks, node.values))
                   for node in ast.walk(self.tree))

    def calls(self, functions):
        """(first argument, {name: value}) of calls, as far as they are plain.

        For checks before anything is run.
        """
        def plain(node):
            try:
                return ast.literal_eval(node)
            except ValueError:
                return None
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and (
                    isinstance(node.func, ast.Name)
                    and node.func.id in functions):
                told = {word.arg: plain(word.value) for word in node.keywords}
                yield plain(node.args[0]) if node.args else None, told


def text_of(value):
    """As a scenario and a record spell it."""
    if isinstance(value, bool):
        return str(int(value))
    return '%.10g' % value if isinstance(value, float) else str(value)


def fill(template, names, where):
    """Replaces each {expression} of a text."""
    def replace(found):
        return text_of(Expression(found[1], names, where)(names))
    text = text_of(template)
    return re.sub(r'\{([^{}]*)\}', replace, text) if '{' in text else text


def run_names(run, bin_s=0, warmup=0):
    """What an expression may ask of one run's result."""
    def flows(group, key=None):
        found = [flow for flow in run['flows'] if flow['group'] == group]
        if not found:
            raise PaperError("the result has no flows '%s'" % group)
        if key is None:
            return found
        for flow in found:
            if key not in flow:
                raise PaperError("flows '%s' have no '%s'; they have: %s" % (
                    group, key, ' '.join(sorted(flow))))
        return [flow[key] for flow in found]

    def hop(index, key=None):
        if not 0 <= index < len(run['hops']):
            raise PaperError('the result has no hop %s' % index)
        found = run['hops'][index]
        if key is not None and key not in found:
            raise PaperError("a hop has no '%s'; it has: %s" % (
                key, ' '.join(sorted(found))))
        return found if key is None else found[key]

    def series(group, key='series_bps'):
        """bit/s of a group, a bin after the other, from the warm-up on."""
        if not bin_s > 0:
            raise PaperError('series() and between() need series= in [run]')
        found = [0] * round(run['seconds'] / bin_s)
        for flow in flows(group):
            for i, rate in enumerate(flow[key][:len(found)]):
                found[i] += rate
        return found

    def between(group, begin, end, key='series_bps'):
        """Mean rate of a group from second to second of the run."""
        first = max(0, round((begin - warmup) / bin_s))
        return mean(series(group, key)[first:round((end - warmup) / bin_s)])

    def observed(group, key):
        return [flow.get('observed', {}).get(key) for flow in flows(group)]

    return {'flows': flows, 'hop': hop, 'series': series,
            'between': between, 'observed': observed,
            'seconds': run['seconds'],
            'groups': [flow['group'] for flow in run['flows']]}


RUN_NAMES = {'flows', 'hop', 'series', 'between', 'observed', 'seconds',
             'groups'}
