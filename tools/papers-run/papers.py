#!/usr/bin/python3
# Reproduces the papers: runs their experiments, records, writes the pages.
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import csv
import datetime
import math
import os
import pathlib
import re
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / 'tools/report'))

import files
from check import check
from expressions import PaperError
from forms import check_forms
from paperfile import Paper, matches
from record import Record, Results
from runner import Job, Runner, duration
from terminal import Tap, show
from verdict import answers
import tree

# What this tool writes does not make the sources dirty.
WRITTEN = 'tests/papers/results', 'docs/papers'
BUILD = pathlib.Path(os.environ.get('RTPADAPT_BUILD', ROOT / 'build'))
INTERRUPTED = 130


def positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError('must be at least 1')
    return int(text)


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='tools/papers',
        description='Runs the experiments of the papers in ns-3, records what '
                    'comes out, and writes docs/papers.')
    add = parser.add_argument
    add('papers', nargs='*', metavar='PAPER',
        help='a file of tests/papers, or the begin of its name: 004 (all)')
    add('--only', action='append', metavar='EXPERIMENT',
        help='of these papers only this experiment; may be repeated')
    add('--at', action='append', metavar='NAME=VALUE,...', default=[],
        help='only points of the sweep with one of these values; the result '
             'is shown, not recorded')
    add('--add', action='store_true',
        help='record what --at says, too: what is recorded of the other points '
             'stays, and the record says so')
    add('--seeds', type=positive, metavar='N',
        help='as many seeds (what the file says)')
    add('--short', action='store_true',
        help='the subset of the tests; shown, not recorded')
    add('--jobs', type=positive, metavar='N',
        default=len(os.sched_getaffinity(0)),
        help='so many at once (%(default)s)')
    add('--timeout', type=positive, metavar='S', default=3600,
        help='for one run (%(default)s)')
    add('--keep', action='store_true',
        help='take results of an older engine, too, and say so')
    add('--check', action='store_true',
        help='run a recorded row of each experiment and algorithm again, and say '
             'which come out otherwise')
    add('--within', type=float, metavar='S',
        help='with --check: only rows that took S seconds at most')
    add('--forms', action='store_true',
        help='run .2 s of each form of a scenario: does the engine take it?')
    add('--report-only', action='store_true',
        help='run nothing: the pages from what is recorded')
    add('--excuse', action='store_true',
        help='write results/excused.csv again: the points that fail and have a '
             'reason, with the margin that is accepted')
    add('--tap', action='store_true',
        help='print the claims as tests (with --short or --report-only)')
    add('--list', action='store_true', help='what there is to run')
    add('--scenario', action='store_true',
        help='print the scenarios of the first seed')
    add('--engine', metavar='FILE', help='the program that runs a scenario',
        default=str(BUILD / 'tests' / 'papers' / 'ns3' / 'rtpadapt-ns3'))
    add('--work', metavar='DIR', help='where results are kept (%(default)s)',
        default=str(BUILD / 'papers'))
    add('--files', metavar='DIR', type=pathlib.Path,
        help="the papers' files (%(default)s)", default=ROOT / 'tests/papers')
    add('--pages', metavar='DIR', type=pathlib.Path,
        help='where the pages go (%(default)s)', default=ROOT / 'docs/papers')
    add('--out', metavar='DIR', type=pathlib.Path,
        help='record into DIR, and write the pages there, too')
    args = parser.parse_args(argv)
    args.results = args.out or args.files / 'results'
    args.pages = args.out or args.pages
    return args


def load(folder, wanted):
    """The papers whose names begin as wanted; all if none is."""
    paths = sorted(folder.glob('*.toml'))
    if not paths:
        raise PaperError('there is no paper in %s' % folder)
    stems = [path.stem for path in paths]
    taken = set()
    for word in wanted:
        word = pathlib.Path(word).name.removesuffix('.toml')
        found = [word] if word in stems else [
            stem for stem in stems if stem.startswith(word)]
        if not found:
            raise PaperError("there is no paper '%s'; there are: %s" % (
                word, ' '.join(stems)))
        taken.update(found)
    return [Paper(path) for path in paths if not wanted or path.stem in taken]


def select(papers, only):
    experiments = [experiment for paper in papers
                   for experiment in paper.experiments.values()]
    for name in only or []:
        if name not in {experiment.name for experiment in experiments}:
            raise PaperError("there is no experiment '%s'; there are: %s" % (
                name, ' '.join(e.name for e in experiments)))
    return [experiment for experiment in experiments
            if not only or experiment.name in only]


def conditions(words, experiments):
    """--at w=0.1,0.2: texts, as they are on the command line."""
    found = {}
    for word in words:
        name, equals, values = word.partition('=')
        if not equals or not any(name in e.sweep for e in experiments):
            raise PaperError("--at %s: NAME=VALUE,... of a sweep" % word)
        found[name] = values.split(',')
    return found


class Task:
    """An experiment on its way: its points, seeds, and what is missing."""

    def __init__(self, experiment, args, at, record=None):
        self.experiment = experiment
        self.runs = experiment.short() if args.short else experiment.runs()
        if args.seeds:
            points = [point for point, seed in self.runs if seed == 1]
            self.runs = [(point, seed) for point in points
                         for seed in range(1, args.seeds + 1)]
        self.runs = [
            (point, seed) for point, seed in self.runs
            if matches({name: str(value) for name, value in point.items()},
                       {name: values for name, values in at.items()
                        if name in point})]
        self.results = Results(experiment, record)
        self.left = len(self.runs)
        self.failed = 0
        self.wall_s = 0  # of all its runs
        self.engines = set()

    def take(self, point, seed, job):
        self.left -= 1
        try:
            if job.result is None:
                raise PaperError('')
            measured = self.experiment.measure(point, job.result)
        except PaperError as error:
            self.failed += 1
            if str(error) and self.failed == 1:
                print('tools/papers: %s' % error, file=sys.stderr)
            return
        if seed != 1:
            measured = {name: value for name, value in measured.items()
                        if not isinstance(value, list)}
        measured['wall_s'] = job.result.get('wall_s')
        self.wall_s += measured['wall_s'] or 0
        self.results.add(point, seed, measured)
        self.engines.add(job.engine)


def make_jobs(tasks):
    """Jobs, and who waits for each; equal scenarios run once."""
    jobs, waiting = {}, {}
    for task in tasks:
        for point, seed in task.runs:
            scenario = task.experiment.scenario(point, seed)
            job = jobs.get(scenario)
            if job is None:
                job = jobs[scenario] = Job(scenario, '%s %s %s' % (
                    task.experiment.paper.name, task.experiment.name,
                    ' '.join('%s=%s' % item for item
                             in [*point.items(), ('seed', seed)])))
            waiting.setdefault(job.key, []).append((task, point, seed))
    return list(jobs.values()), waiting


def told_seeds(task):
    """How many, and of what fewer or more."""
    most = {}
    for point, seed in task.runs:
        key = str(point.get('system', ''))
        most[key] = max(seed, most.get(key, 0))
    counts = {}
    for system, count in most.items():
        counts.setdefault(count, []).append(system)
    if len(counts) == 1:
        return 'seeds 1 to %d' % next(iter(counts))
    return 'seeds ' + ', '.join('1 to %d of %s' % (count, ' '.join(systems))
                                for count, systems in counts.items())


OTHERS = '; the other points: '


def still_told(made, points):
    """How points that are left were made: of what was said of them, newest first, the
    parts that one of them was last made by."""
    parts, left = [], [{name: str(value) for name, value in point.items()}
                       for point in points]
    for part in made.split(OTHERS):
        at = {name: values.split(',') for name, values in re.findall(
            r' --at ([^=; ]+)=([^; ]+)', part.split('; ')[0])}
        others = [point for point in left if not matches(
            point, {name: at[name] for name in at if name in point})]
        if len(others) < len(left):
            parts.append(part)
        left = others
    return OTHERS.join(parts)


def how(task, args, commit, engine, before):
    """How an experiment was made, for its line in the record."""
    words = ['tools/papers %s --only %s' % (task.experiment.paper.name,
                                            task.experiment.name)]
    if args.seeds:
        words[0] += ' --seeds %d' % args.seeds
    if args.add:
        words[0] += ' --add' + ''.join(' --at ' + at for at in args.at)
    words += [told_seeds(task), '%d runs of %s in all' % (
        len(task.runs), duration(task.wall_s)),
              'commit ' + commit, 'engine ' + engine,
              datetime.date.today().isoformat()]
    others = sorted(task.engines - {engine})
    if others:
        words.append('with results of the older engine ' + ' '.join(others))
    if task.failed:
        words.append('%d runs failed' % task.failed)
    return '; '.join(words) + (OTHERS + before if before else '')


class Session:
    """One call of the tool that runs something."""

    def __init__(self, args, papers):
        self.args = args
        self.recording = not (args.short or args.at) or args.add
        # A test's own files may be recorded at any time.
        self.commit = tree.commit(*WRITTEN)
        if self.recording and args.results.resolve().is_relative_to(ROOT):
            if self.commit == tree.UNKNOWN:
                raise PaperError('what is recorded comes from a commit, and git knows none')
            if not tree.clean(self.commit):
                raise PaperError('what is recorded comes from a clean commit, and '
                                 'there are changes: git status')
        folder = args.results if self.recording else None
        # Before the first run, which may take an hour.
        written = [args.results, args.pages] if self.recording else []
        for path in [args.work, *written]:
            files.need(path, PaperError)
        self.records = {paper.name: Record(paper, folder) for paper in papers}
        self.runner = Runner(args.engine, args.work, args.jobs, args.timeout)
        self.tasks = []

    def complete(self, task):
        record = self.records[task.experiment.paper.name]
        if not task.results.rows:
            return
        name = task.experiment.name
        before = None
        if self.args.add and name in record.results:
            left = [point for point in task.experiment.points
                    if record.results[name].seeds(point)
                    and not task.results.seeds(point)]
            task.results.fill(record.results[name])
            before = still_told(record.made.get(name, ''), left)
        record.replace(task.experiment, task.results, how(
            task, self.args, self.commit, self.runner.cache.engine, before))
        if self.recording:
            record.write()
        if not self.args.tap:
            show(task.experiment, record)

    def run(self, experiments):
        at = conditions(self.args.at, experiments)
        self.tasks = [task for task in (
            Task(experiment, self.args, at,
                 self.records[experiment.paper.name])
            for experiment in experiments) if task.left]
        jobs, waiting = make_jobs(self.tasks)

        def finished(job):
            for task, point, seed in waiting[job.key]:
                task.take(point, seed, job)
                if task.left == 0:
                    self.complete(task)
            job.result = None
        print('%d runs, %d at once' % (len(jobs), self.args.jobs),
              file=sys.stderr)
        begin = time.monotonic()
        done = self.runner.run(jobs, self.args.keep, finished)
        print('%s in %s' % ('done' if done else 'stopped', duration(
            time.monotonic() - begin)), file=sys.stderr)
        return done

    def failed(self):
        return sum(task.failed for task in self.tasks)


def all_papers(folder):
    """For the summary, which says of a broken file nothing but that."""
    for path in sorted(folder.glob('*.toml')):
        try:
            yield Paper(path)
        except PaperError as error:
            print('tools/papers: not in the summary: %s' % error,
                  file=sys.stderr)


def write_pages(args, changed):
    """The summary needs all papers, whichever were asked for."""
    # matplotlib is needed for pages only.
    import pages
    papers = list(all_papers(args.files))
    records = read_records(args, papers)
    changed = {paper.name for paper in changed}
    pages.write(args.pages, papers, records, changed)
    for paper in papers:
        for line in pages.unexplained(paper, records[paper.name]) if (
                paper.name in changed) else []:
            print('no reason given: ' + line, file=sys.stderr)


def read_records(args, papers):
    return {paper.name: Record(paper, args.results)
            for paper in papers}


def tap(args, experiments, records, failed):
    lines = Tap()
    for experiment in experiments:
        lines.experiment(experiment, records[experiment.paper.name],
                         args.short)
    if failed:
        lines.line(False, '%d runs failed' % failed)
    lines.plan()


def write_excused(folder):
    """Accepted is a tenth more than what is recorded, and 2 % for chance."""
    rows = []
    for path in sorted(folder.glob('*.toml')):
        paper = Paper(path)
        record = Record(paper, folder / 'results')
        for experiment in paper.experiments.values():
            if experiment.name not in record.results:
                continue
            for answer in answers(experiment, record):
                rows += [[paper.name, experiment.name, answer.claim.text,
                          point.where, point.said,
                          '%.3f' % (1.1 * point.margin - .02)]
                         for point in answer.wrong if answer.reason
                         and not math.isnan(point.margin)]
    with open(folder / 'results' / 'excused.csv', 'w', encoding='utf-8',
              newline='') as file:
        file.write('# The points that a reason of a claim excuses, with what '
                   'is recorded there, and the\n# margin of the check that is '
                   'accepted, no worse. Written by tools/papers --excuse.\n')
        table = csv.writer(file, lineterminator='\n')
        table.writerow(['paper', 'experiment', 'claim', 'point', 'recorded',
                        'accepted'])
        table.writerows(rows)
    print('%d points are excused' % len(rows))


def list_all(experiments):
    for experiment in experiments:
        subset = experiment.short()
        print('%-12s %-24s %5d runs%s  %s: %s' % (
            experiment.paper.name, experiment.name,
            len(experiment.runs()),
            ', short: %d' % len(subset) if subset else '',
            experiment.source, experiment.title))


def print_scenarios(args, experiments):
    at = conditions(args.at, experiments)
    for experiment in experiments:
        task = Task(experiment, args, at)
        for point in [point for point, seed in task.runs if seed == 1]:
            print('# %s %s' % (experiment.name, ' '.join(
                '%s=%s' % item for item in point.items())))
            print(experiment.scenario(point, 1))


def run(args, papers, experiments):
    if not os.access(args.engine, os.X_OK):
        raise PaperError('there is no engine %s; tools/papers builds it'
                         % args.engine)
    session = Session(args, papers)
    done = session.run(experiments)
    if args.tap:
        tap(args, experiments, session.records, session.failed())
    if session.recording:
        write_pages(args, papers)
    if not done:
        print('What has run is kept; the same command goes on.',
              file=sys.stderr)
        return INTERRUPTED
    if session.failed():
        print('%d runs failed' % session.failed(), file=sys.stderr)
    return 1 if session.failed() else 0


def main(argv):
    args = parse_args(argv)
    papers = load(args.files, args.papers)
    experiments = select(papers, args.only)
    if args.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # of | head
        list_all(experiments)
        return 0
    if args.scenario:
        print_scenarios(args, experiments)
        return 0
    if args.forms:
        done, refused = check_forms(
            Runner(args.engine, args.work, args.jobs, args.timeout), papers)
        return (1 if refused else 0) if done else INTERRUPTED
    if args.check:
        done, stale = check(
            Runner(args.engine, args.work, args.jobs, args.timeout),
            experiments, read_records(args, papers), args)
        return (1 if stale else 0) if done else INTERRUPTED
    if args.excuse:
        write_excused(args.files)
        return 0
    if args.report_only:
        if args.tap:
            tap(args, experiments, read_records(args, papers), 0)
        else:
            write_pages(args, papers)
        return 0
    return run(args, papers, experiments)


if __name__ == '__main__':
    # meson ends by SIGTERM what takes too long; a shell's background job would
    # ignore SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main(sys.argv[1:]))
    except PaperError as error:
        print('tools/papers: %s' % error, file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print('tools/papers: %s' % files.why(error), file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
