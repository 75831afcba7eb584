# Whether what is recorded still comes out: runs a sample of the record again.
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import re

from expressions import PaperError
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


def cheapest(results):
    """The recorded row that took the least time."""
    rows = [(measured.get('wall_s', 0), number, seed)
            for number, point in enumerate(results.experiment.points)
            for seed, measured in results.seeds(point).items()]
    if not rows:
        return None
    _, number, seed = min(rows)
    return Replay(results, results.experiment.points[number], seed)


def algorithms(replay):
    """Of ours, words of its scenario such as lda=zigzag."""
    return set(re.findall(r'^(?:controller|lda)=\S+', replay.job.scenario,
                          re.M))


def covering(records, chosen, within):
    """The cheapest row of each algorithm that no chosen row has."""
    best = {}
    for record in records.values():
        for results in record.results.values():
            for point in results.experiment.points:
                for seed, measured in results.seeds(point).items():
                    wall_s = measured.get('wall_s', 0)
                    if wall_s > within:
                        continue
                    replay = Replay(results, point, seed)
                    for word in algorithms(replay):
                        if word not in best or wall_s < best[word].wall_s:
                            best[word] = replay
    covered = set().union(*(algorithms(replay) for replay in chosen))
    for word in sorted(best):
        if word not in covered:
            covered |= algorithms(best[word])
            yield best[word]


def sample(experiments, records, within):
    """A row of each experiment that is recorded; with `within`, of those whose
    row took no more seconds, of each paper the cheapest one, and of each
    algorithm one, so that a change of any is seen."""
    chosen = []
    for paper, record in records.items():
        replays = [cheapest(record.results[experiment.name])
                   for experiment in experiments
                   if experiment.paper.name == paper
                   and experiment.name in record.results]
        replays = sorted((replay for replay in replays if replay),
                         key=lambda replay: replay.wall_s)
        chosen += [replay for place, replay in enumerate(replays)
                   if not within or not place or replay.wall_s <= within]
    return chosen + list(covering(records, chosen, within) if within else [])


def known_stale(folder):
    """{(paper, experiment): why} of what waits to be recorded again."""
    found = {}
    path = os.path.join(folder, 'stale.txt')
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            for line in file:
                if line.strip() and not line.startswith('#'):
                    name, why = line.strip().split(': ', 1)
                    found[tuple(name.split())] = why
    return found


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
    replays = sample(experiments, records, args.within)
    known = known_stale(args.files / 'results')
    done = runner.run([replay.job for replay in replays], False,
                      lambda job: None)
    stale = unknown = 0
    for number, replay in enumerate(replays, 1):
        name = replay.experiment.paper.name, replay.experiment.name
        why = known.get(name)
        same = say(replay, number, records[name[0]].made.get(name[1], ''), why,
                   args.tap)
        stale += not same
        unknown += not same and not why
    if args.tap:
        print('1..%d' % len(replays))
    else:
        print('%d rows of the record came out again, %d are stale' % (
            len(replays) - stale, stale))
    return done, unknown if args.tap else stale
