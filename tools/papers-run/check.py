# Whether what is recorded still comes out: runs a sample of the record again.
# SPDX-License-Identifier: LGPL-2.1-or-later
import os

from expressions import PaperError
from paperfile import matches
from record import cell
from runner import Job


class Replay:
    """A recorded row, and what comes out now."""

    def __init__(self, results, point, seed):
        self.results, self.point, self.seed = results, point, seed
        self.experiment = results.experiment
        self.label = ' '.join(
            [self.experiment.paper.name, self.experiment.name]
            + ['%s=%s' % item for item in [*point.items(), ('seed', seed)]])
        self.wall_s = results.seeds(point)[seed].get('wall_s', 0)
        self.job = Job(self.experiment.scenario(point, seed), self.label)

    def differences(self):
        """'METRIC was X, is Y' of each that another value came of."""
        if self.job.result is None:
            return ['it did not run: %s' % self.job.error]
        try:
            now = self.experiment.measure(self.point, self.job.result)
        except PaperError as error:
            return [str(error)]
        before = self.results.seeds(self.point)[self.seed]
        found = []
        for name, metric in self.experiment.metrics.items():
            # A list is recorded of the first seed only.
            if metric.derived or (isinstance(now.get(name), list)
                                  and self.seed != 1):
                continue
            was, is_now = cell(before.get(name)), cell(now.get(name))
            if was != is_now:
                found.append('%s was %s, is %s' % (
                    name, was or 'not measured', is_now or 'not measured'))
        return found


ALGORITHMS = 'system', 'controller', 'lda'  # names of a sweep


class Row:
    """A point and seed of a record."""

    def __init__(self, results, point, seed, measured):
        self.results, self.point, self.seed = results, point, seed
        self.wall_s = measured.get('wall_s', 0)

    def algorithms(self):
        return {(name, str(self.point[name])) for name in ALGORITHMS
                if name in self.point}


def rows_of(results):
    """The cheapest first."""
    rows = [Row(results, point, seed, measured)
            for point in results.experiment.points
            for seed, measured in sorted(results.seeds(point).items())]
    return sorted(rows, key=lambda row: row.wall_s)


def sample(experiments, records, within):
    """(rows, what has none): of each experiment the cheapest row of an algorithm that
    no row has yet, or else the cheapest, and of each algorithm that is left the
    cheapest; with `within`, of those that took no more seconds."""
    every = {}  # experiment: (its rows, those of them that took no more)
    for paper, record in records.items():
        for experiment in experiments:
            if experiment.paper.name == paper and experiment.name in record.results:
                rows = rows_of(record.results[experiment.name])
                every[paper + ' ' + experiment.name] = rows, [
                    row for row in rows if not within or row.wall_s <= within]
    chosen, had = [], set()
    for _, rows in sorted(every.values(), key=lambda pair: [
            row.wall_s for row in pair[0][:1]]):
        if rows:
            row = next((row for row in rows if not row.algorithms() <= had), rows[0])
            chosen.append(row)
            had |= row.algorithms()
    for row in sorted((row for _, rows in every.values() for row in rows),
                      key=lambda row: row.wall_s):
        if not row.algorithms() <= had:
            chosen.append(row)
            had |= row.algorithms()
    left = [name for name, (_, rows) in every.items() if not rows]
    left += sorted('%s=%s' % algorithm for algorithm in set().union(*(
        row.algorithms() for rows, _ in every.values() for row in rows)) - had)
    return [Replay(row.results, row.point, row.seed) for row in chosen], left


def known_stale(folder):
    """[(paper, experiment, {name: values}, why)] of what waits to be recorded
    again."""
    found = []
    path = os.path.join(folder, 'stale.txt')
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            for line in file:
                if line.strip() and not line.startswith('#'):
                    name, why = line.strip().split(': ', 1)
                    paper, experiment, *only = name.split()
                    found.append((paper, experiment, dict(
                        (key, values.split(',')) for key, _, values in (
                            word.partition('=') for word in only)), why))
    return found


def why_stale(known, replay):
    """Why a row waits; None: it does not."""
    point = {name: str(value) for name, value in replay.point.items()}
    for paper, experiment, only, why in known:
        if (paper, experiment) == (
                replay.experiment.paper.name, replay.experiment.name) and (
                    matches(point, only)):
            return why
    return None


def say(replay, number, made, why, tap):
    """Whether it came out again; a line of its own says so."""
    differences = replay.differences()
    if tap:
        print('%sok %d - %s%s' % (
            'not ' if differences else '', number, replay.label,
            ' # TODO %s' % why if differences and why else ''))
    elif differences:
        print('STALE %s%s' % (replay.label, ' (%s)' % why if why else ''))
    for line in differences:
        print('# ' + line)
    if differences:
        # How the last points were made; those before are in the file.
        print('# recorded by: ' + made.split('; the other points')[0])
    return not differences


def check(runner, experiments, records, args):
    """(whether all ran, how many are stale that are not known to be)."""
    replays, left = sample(experiments, records, args.within)
    known = known_stale(args.files / 'results')
    done = runner.run([replay.job for replay in replays], False,
                      lambda job: None)
    stale = unknown = 0
    for number, replay in enumerate(replays, 1):
        name = replay.experiment.paper.name, replay.experiment.name
        why = why_stale(known, replay)
        same = say(replay, number, records[name[0]].made.get(name[1], ''), why,
                   args.tap)
        stale += not same
        unknown += not same and not why
    if args.tap:
        print('1..%d' % len(replays))
    else:
        print('%d rows of the record came out again, %d are stale' % (
            len(replays) - stale, stale))
    if left:
        print('# no row of these took %g s at most: %s' % (
            args.within or 0, ', '.join(left)))
    return done, unknown if args.tap else stale
