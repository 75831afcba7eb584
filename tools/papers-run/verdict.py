# Published beside ours: a verdict per number, an answer per claim.
# SPDX-License-Identifier: LGPL-2.1-or-later
import itertools
import math

from expressions import NotRun, PaperError, sd
from paperfile import matches
from paperparts import CLAIM_NAMES

WITHIN, ONE, ORDER, DIFFERENT, MISSING = (
    'within', 'one', 'order', 'different', 'missing')
SMALL = 10   # shares below it, in per cent, are compared by points
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
    def __init__(self, kind, text, reason=None, cutoff=math.nan, mean=False):
        self.kind, self.text, self.reason = kind, text, reason
        self.cutoff = cutoff
        self.mean = mean  # within what is known of our mean, too


def most(metric, target):
    """What no spread of the seeds may exceed: a tenth, or a point."""
    if metric.unit == '%' and abs(target.number) < SMALL:
        return 1.0
    return .1 * abs(target.number)


def cutoff(metric, target, spread, seeds=1, runs=1):
    """How near is reproduced: 2 sd, at most a tenth of the number.

    A published number is as much by chance as one of our seeds, if it is of one
    run: our mean may be exact, and it is 2 sd away. If it is the mean of more runs,
    the difference of two means has less spread. A number that is printed with so
    many digits is not known better than to half of the last one.
    """
    largest = most(metric, target)
    if math.isnan(spread):
        return largest
    spread *= min(1, math.sqrt(1 / seeds + 1 / runs))
    return max(min(2 * spread, largest), target.rounding)


def verdict(experiment, entry, results):
    """Of one published number."""
    metric, target = experiment.metrics[entry.metric], entry.target
    ours = results.mean(entry.metric, entry.point)
    if math.isnan(ours):
        return Verdict(MISSING, 'not run' if not results.seeds(entry.point)
                       else 'not measurable')
    spread = results.sd(entry.metric, entry.point)
    seeds = len(results.all(entry.metric, entry.point))
    near = cutoff(metric, target, spread, seeds, experiment.paper.runs)
    # A bound or a range has no spread of its own; what was read by eye has.
    if target.low != target.high:
        near = 0.0
    near = max(near, target.tolerance)
    if abs(target.miss(ours)) <= near * (1 + 1e-9):
        if math.isnan(spread):
            return Verdict(ONE, 'near, 1 seed', None, near)
        error = max(2 * spread / math.sqrt(seeds), target.rounding)
        return Verdict(WITHIN, 'reproduced', None, near,
                       abs(target.miss(ours)) <= error * (1 + 1e-9))
    pairs = [kept for other in experiment.published
             if (other.metric, other.original) == (entry.metric,
                                                   entry.original)
             for _, _, kept in order_pairs(experiment, entry.metric, results,
                                           [entry, other])]
    reason = experiment.reason(entry)
    # One pair is one comparison, and not two numbers.
    if len(pairs) > 1 and all(pairs):
        return Verdict(ORDER, 'same ordering', reason, near)
    return Verdict(DIFFERENT, 'different', reason, near)


class Asked:
    """Of a claim at one point: True, False, or None where it was not run."""

    def __init__(self, where, holds, said, margin=math.nan, accepted=None):
        self.where, self.holds, self.said = where, holds, said
        self.margin = margin      # below 0 it fails
        self.accepted = accepted  # what the reason excuses, and no worse

    @property
    def excused(self):
        return self.accepted is not None and self.margin >= self.accepted


class Answer:
    """Of a claim: yes, no, or None where its points were not run."""

    def __init__(self, claim, points, numbers, asked=None):
        self.claim, self.points, self.numbers = claim, points, numbers
        done = [point for point in points if point.holds is not None]
        self.done = len(done)
        self.held = sum(point.holds for point in done)
        self.holds = self.held == self.done if done else None
        self.wrong = [point for point in done if not point.holds]
        self.failed = ['%s: %s' % (point.where, point.said)
                       if point.where else point.said
                       for point in self.wrong] if claim.over else []
        # Of whom, where a claim is asked of several one by one.
        title, _, self.reason = asked or ('', None, claim.reason)
        self.title = title
        self.text = claim.text + (': ' + title if title else '')

    @property
    def excused(self):
        """Whether its reason names each point that fails."""
        return bool(self.wrong) and bool(self.reason) and all(
            point.excused for point in self.wrong)

    @property
    def worst(self):
        """The failing point that is the farthest off."""
        return min(self.wrong, key=lambda point: (
            point.margin if not math.isnan(point.margin) else -math.inf))


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

    def _names(self, bound):
        self.bound = bound
        return {**self.experiment.sweep_values(), **bound,
                **{name: getattr(self, name) for name in CLAIM_NAMES}}

    def _check(self, claim, bound):
        names = self._names(bound)
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
        value = claim.number(self._names(bound))
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
        if claim.over:
            return self._answer_over(claim, asked)
        point = self._asked(claim, {}, '')
        return Answer(claim, [point], point.said)

    def _asked(self, claim, bound, where):
        """What a claim gets at one point."""
        self.log = {}
        accepted = self.experiment.paper.excused.get(
            (self.experiment.name, claim.text, where))
        try:
            holds, said = self._check(claim, bound), self._numbers()
        except NotRun as error:
            return Asked(where, None, str(error))
        except PaperError as error:
            return Asked(where, False, str(error), math.nan, accepted)
        margin = claim.check.margin(self._names(bound)) if not holds else 0
        return Asked(where, holds, said, margin, accepted)

    def bounds(self, claim):
        """Each combination of the names of its `over`."""
        found = []
        for point in self.experiment.points:
            bound = {name: point[name] for name in claim.over}
            if bound not in found and matches(bound, claim.at) and (
                    claim.where is None or claim.where(bound)):
                found.append(bound)
        return found

    def _answer_over(self, claim, asked):
        bounds = self.bounds(claim)
        if asked:
            bounds = [bound for bound in bounds
                      if bound[claim.asked] in asked[1]]
        points, held = [], []
        for bound in bounds:
            point = self._asked(claim, bound,
                                self.words(self.experiment, bound))
            points.append(point)
            if point.holds:
                held.append('%s: %s' % (point.where, ' / '.join(
                    value or name for name, value in self.log.items())))
        answer = Answer(claim, points, 'not run', asked)
        if answer.done:
            answer.numbers = '%d of %d' % (len(held), answer.done)
            if answer.done < len(bounds):
                answer.numbers += ', %d not run' % (
                    len(bounds) - answer.done)
            if held:
                answer.numbers += ' (%s%s)' % (', '.join(held[:SHOWN]), (
                    ', ...' if len(held) > SHOWN else ''))
        return answer


def answers(experiment, record):
    claims = Claims(experiment, record)
    return [claims.answer(claim, asked) for claim in experiment.claims
            for asked in claim.groups or [None]]
