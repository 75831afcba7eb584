# Published beside ours: a verdict per number, an answer per claim.
# SPDX-License-Identifier: LGPL-2.1-or-later
import itertools
import math

from expressions import NotRun, PaperError, sd
from paperfile import matches
from paperparts import CLAIM_NAMES

WITHIN, ORDER, DIFFERENT, MISSING = 'within', 'order', 'different', 'missing'
SHOWN = 8  # numbers beside a claim


def number_text(value, digits=None):
    """Decimals as the metric wants them, or three significant digits."""
    if value is None or math.isnan(value):
        return '–'
    if digits is None:
        size = abs(value)
        digits = (0 if size >= 100 or value == int(value)
                  else 1 if size >= 10 else 2 if size >= 1 else 3)
    text = '%.*f' % (digits, value)
    return text.lstrip('-') if float(text) == 0 else text


def step_above(size, floor):
    """1, 2, 5, 10, ...: the step that a difference is within."""
    step = floor
    for factor in itertools.cycle((2, 2.5, 2)):
        if size <= step * (1 + 1e-9):
            return step
        step *= factor
    return step


def size_of(metric, target, ours):
    """The difference as the metric compares: per cent, or its own unit."""
    miss = abs(target.miss(ours))
    if metric.compare == 'points' or miss == 0:
        return miss
    return 100 * miss / abs(target.number) if target.number else math.inf


def apart(metric, one, other, by=None):
    """1 or -1 if the paper puts `one` clearly above or below `other`."""
    by = metric.apart if by is None else by
    for sign, high, low in ((1, one, other), (-1, other, one)):
        if high.low is None or low.high is None:
            continue
        gap = high.low - high.tolerance - low.high - low.tolerance
        if metric.compare == 'relative':
            most = max(abs(high.number), abs(low.number))
            gap = 100 * gap / most if most else 0
        if gap > by:
            return sign
    return 0


def neighbours(point, other):
    """Points that differ in one name: a column or a row of a table."""
    return sum(point[name] != other[name] for name in point) == 1


def order_pairs(experiment, metric, results, published, by=None):
    """(entry, entry, kept) of all pairs that the paper puts apart."""
    for one, other in itertools.combinations(published, 2):
        if not neighbours(one.point, other.point):
            continue
        sign = apart(experiment.metrics[metric], one.target, other.target, by)
        ours = [results.mean(metric, entry.point) for entry in (one, other)]
        # What ran and could not be measured keeps no order.
        if sign and all(results.seeds(e.point) for e in (one, other)):
            yield one, other, sign * (ours[0] - ours[1]) > 0


class Verdict:
    def __init__(self, kind, text, reason=None):
        self.kind, self.text, self.reason = kind, text, reason


def verdict(experiment, entry, results):
    """Of one published number."""
    metric = experiment.metrics[entry.metric]
    ours = results.mean(entry.metric, entry.point)
    if math.isnan(ours):
        return Verdict(MISSING, 'not run' if not results.seeds(entry.point)
                       else 'not measurable')
    target = entry.target
    size = size_of(metric, target, ours)
    # Inside a bound, a range, or what the eye can tell.
    if target.low != target.high or target.tolerance:
        if abs(target.miss(ours)) <= target.tolerance:
            return Verdict(WITHIN, 'reproduced')
    if size <= metric.close:
        points = metric.compare == 'points'
        coarse = not points or metric.unit == '%'
        step = min(step_above(size, 1 if coarse else metric.close / 10),
                   metric.close)
        return Verdict(WITHIN, 'reproduced within %g%s' % (
            step, ' %' if not points else ' points' if metric.unit == '%'
            else ' ' + metric.unit if metric.unit else ''))
    pairs = [kept for other in experiment.published
             if (other.metric, other.original) == (entry.metric,
                                                   entry.original)
             for _, _, kept in order_pairs(experiment, entry.metric, results,
                                           [entry, other])]
    reason = experiment.reason(entry)
    if pairs and all(pairs):
        return Verdict(ORDER, 'same ordering', reason)
    return Verdict(DIFFERENT, 'different', reason)


class Answer:
    """Of a claim: yes, no, or None where its points were not run."""

    def __init__(self, claim, holds, numbers, failed=(), asked=None):
        self.claim, self.holds = claim, holds
        self.numbers, self.failed = numbers, list(failed)
        # Of whom, where a claim is asked of several one by one.
        title, _, self.reason = asked or ('', None, claim.reason)
        self.text = claim.text + (': ' + title if title else '')


class Claims:
    """Evaluates the claims of one experiment over the paper's results."""

    def __init__(self, experiment, record):
        self.experiment = experiment
        self.record = record
        self.bound = {}  # the names of `over`
        self.log = {}    # the numbers that were asked for
        self.seed = None # of one seed only; else of their mean

    def note(self, words, value, digits=None):
        self.log[' '.join(str(word) for word in words)] = number_text(
            value, digits)

    def find(self, metric, at, all_of_them=True):
        """The experiment, its results, and the matching points."""
        at = dict(at)
        name = at.pop('experiment', self.experiment.name)
        experiment = self.experiment.paper.experiments.get(name)
        if experiment is None:
            raise PaperError("there is no experiment '%s'" % name)
        if metric is not None:
            experiment.check_metrics(metric, 'claim')
        experiment.check_at(at, 'claim')
        at = {**{key: value for key, value in self.bound.items()
                 if key in experiment.sweep}, **at}
        points = [point for point in experiment.points if matches(point, at)]
        results = self.record.results.get(name)
        if results is None:
            raise NotRun('%s was not run' % name)
        if self.record.partial or not all_of_them:
            points = [point for point in points if results.seeds(point)]
            if not points:
                raise NotRun('not in the subset')
        for point in points:
            if not results.seeds(point) or not (
                    self.seed is None or self.seed in results.seeds(point)):
                raise NotRun('%s was not run' % self.words(experiment, point))
        return experiment, results, points

    @staticmethod
    def words(experiment, point):
        """A point's values, without what the sweep holds fixed."""
        return ' '.join(
            experiment.label(name, value) if isinstance(value, str)
            else '%s=%s' % (name, value) for name, value in point.items()
            if len(experiment.sweep[name]) > 1)

    def published(self, metric, at):
        """The experiment, its results, and the published numbers there."""
        experiment, results, points = self.find(metric, at, False)
        wanted = {key: value for key, value in {**self.bound, **at}.items()
                  if key in experiment.sweep}
        found = [entry for entry in experiment.published
                 if entry.metric == metric and entry.original
                 and matches(entry.point, wanted)]
        if not found:
            raise PaperError("nothing is published of '%s' there" % metric)
        run = [entry for entry in found if entry.point in points]
        if not run or len(run) < len(found) and not self.record.partial:
            raise NotRun('%d of %d points were not run' % (
                len(found) - len(run), len(found)))
        return experiment, results, run

    def ask(self, experiment, results, metric, point):
        """A mean, noted; a claim about nothing does not hold."""
        value = (results.mean(metric, point) if self.seed is None
                 else results.value(metric, point, self.seed))
        words = self.words(experiment, point)
        if math.isnan(value):
            if experiment.metrics[metric].derived:
                raise NotRun('what %s needs was not run' % metric)
            raise PaperError('%s could not be measured (%s)' % (
                metric, words))
        self.note((metric, words), value, experiment.metrics[metric].digits)
        return value

    # What a claim may call; README.md of tests/papers explains them.

    def m(self, metric, **at):
        experiment, results, points = self.find(metric, at)
        if len(points) != 1:
            raise PaperError('m(%r): %d points match' % (metric, len(points)))
        return self.ask(experiment, results, metric, points[0])

    def sds(self, metric, **at):
        _, results, points = self.find(metric, at)
        if len(points) != 1:
            raise PaperError('sds(%r): %d points match' % (
                metric, len(points)))
        return results.sd(metric, points[0])

    def low(self, metric, **at):
        experiment, results, points = self.find(metric, at)
        self.each(metric, **at)
        return min(min(results.all(metric, point)) for point in points)

    def each(self, metric, **at):
        experiment, results, points = self.find(metric, at)
        return [self.ask(experiment, results, metric, point)
                for point in points]

    def p(self, metric, **at):
        found = self.published(metric, at)[2]
        if len(found) != 1:
            raise PaperError('p(%r): %d numbers match' % (metric, len(found)))
        return found[0].target.number

    def order_kept(self, metric, by=None, **at):
        experiment, results, found = self.published(metric, at)
        pairs = list(order_pairs(experiment, metric, results, found, by))
        if not pairs:
            raise PaperError('order_kept(%r): no pair is apart' % metric)
        self.note(('pairs of', metric, 'apart'), len(pairs))
        self.note(('in the same order',), sum(kept for _, _, kept in pairs))
        for *both, kept in pairs:
            for entry in [] if kept else both:
                self.note((metric, self.words(experiment, entry.point)),
                          results.mean(metric, entry.point))
        return all(kept for _, _, kept in pairs)

    def worst(self, metric, **at):
        experiment, results, found = self.published(metric, at)
        misses = {self.words(experiment, entry.point): abs(
            entry.target.miss(results.mean(metric, entry.point)))
            for entry in found}
        where = max(misses, key=lambda name: (
            math.isnan(misses[name]), misses[name]))
        self.note(('largest difference of', metric, '(%s)' % where),
                  misses[where])
        return misses[where]

    def wall_s(self, **at):
        _, results, points = self.find(None, at)
        slowest = max(row.get('wall_s', math.nan) for point in points
                      for row in results.seeds(point).values())
        self.note(('slowest run, s',), slowest)
        return slowest

    def _check(self, claim, bound):
        self.bound = bound
        names = {**self.experiment.sweep_values(), **bound,
                 **{name: getattr(self, name) for name in CLAIM_NAMES}}
        holds = claim.check(names)
        if not isinstance(holds, bool):
            raise PaperError('%s: neither yes nor no: %s' % (
                claim.check.where, holds))
        if claim.number is not None:
            self.log = {}
            value = claim.number(names)
            values = value if isinstance(value, list) else [value]
            self.log = {', '.join(number_text(v) for v in values): ''}
        return holds

    def _numbers(self):
        shown = [(name + ' ' + value).strip()
                 for name, value in list(self.log.items())[:SHOWN]]
        if len(self.log) > SHOWN:
            shown.append('and %d more' % (len(self.log) - SHOWN))
        return ', '.join(shown)

    def at(self, claim, bound):
        """(holds, numbers, their deviations) where the names are bound.

        None for all three where it was not run.
        """
        try:
            holds = self._check(claim, bound)
            numbers = self._figures(claim, bound)
        except NotRun:
            return None, None, None
        except PaperError:
            return False, [math.nan], [math.nan]
        return holds, numbers, [sd(one) for one in zip(
            *self._of_each_seed(claim, bound))]

    def _figures(self, claim, bound):
        self.bound = bound
        value = claim.number({**self.experiment.sweep_values(), **bound, **{
            name: getattr(self, name) for name in CLAIM_NAMES}})
        return value if isinstance(value, list) else [value]

    def _of_each_seed(self, claim, bound):
        results = self.record.results[self.experiment.name]
        seeds = {seed for point in self.experiment.points
                 if matches(point, bound) for seed in results.seeds(point)}
        for self.seed in sorted(seeds):
            try:
                yield self._figures(claim, bound)
            except PaperError:
                yield [math.nan] * 9
        self.seed = None

    def answer(self, claim, asked=None):
        self.log = {}
        if not claim.over:
            try:
                return Answer(claim, self._check(claim, {}), self._numbers())
            except NotRun as error:
                return Answer(claim, None, str(error))
            except PaperError as error:
                return Answer(claim, False, str(error))
        return self._answer_over(claim, asked)

    def bounds(self, claim):
        """Each combination of the names of its `over`."""
        found = []
        for point in self.experiment.points:
            bound = {name: point[name] for name in claim.over}
            if bound not in found and matches(bound, claim.at):
                found.append(bound)
        return found

    def _answer_over(self, claim, asked):
        bounds = self.bounds(claim)
        if asked:
            bounds = [bound for bound in bounds
                      if bound[claim.asked] in asked[1]]
        held, failed = [], []
        for bound in bounds:
            self.log = {}
            where = self.words(self.experiment, bound)
            try:
                holds, said = self._check(claim, bound), self._numbers()
            except NotRun:
                continue
            except PaperError as error:
                holds, said = False, str(error)
            if holds:
                held.append('%s: %s' % (where, ' / '.join(
                    value or name for name, value in self.log.items())))
            else:
                failed.append('%s: %s' % (where, said))
        done = len(held) + len(failed)
        if not done:
            return Answer(claim, None, 'not run', (), asked)
        said = '%d of %d' % (len(held), done)
        if done < len(bounds):
            said += ', %d not run' % (len(bounds) - done)
        if held:
            said += ' (%s%s)' % (', '.join(held[:SHOWN]), (
                ', ...' if len(held) > SHOWN else ''))
        return Answer(claim, not failed, said, failed, asked)


def answers(experiment, record):
    claims = Claims(experiment, record)
    return [claims.answer(claim, asked) for claim in experiment.claims
            for asked in claim.groups or [None]]
