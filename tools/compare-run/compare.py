#!/usr/bin/python3
# Compares systems over links: runs a set, keeps what ran, writes the page.
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import datetime
import json
import os
import pathlib
import shlex
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The parts that the demo and the papers have, too.
sys.path += [str(HERE.parent / 'report'), str(HERE.parent / 'papers-run')]

import demo  # noqa: E402
import files  # noqa: E402
import tree  # noqa: E402
from expressions import PaperError, mean  # noqa: E402
from runner import duration  # noqa: E402

import record  # noqa: E402
import report  # noqa: E402
from cells import Cells, environment, knows_vmaf, machine  # noqa: E402
from disturbance import disturbance  # noqa: E402
from figures import Claims, Figures, check_claims  # noqa: E402
from setfile import SETS, CompareError, Set  # noqa: E402

INTERRUPTED = 130


def words(text):
    return [word for word in text.split(',') if word]


def count(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError('must be at least 1')
    return value


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='tools/compare',
        description='Sends a clip over emulated links, with our elements and '
                    'with others, in real time, and compares what arrives.')
    add = parser.add_argument
    add('set', nargs='?', default='default', metavar='SET',
        help='%s, or a file (default)' % ', '.join(sorted(
            path.stem for path in SETS.glob('*.toml'))))
    add('--only', type=words, metavar='NAME,...', default=[],
        help='only these links and systems, as --list has them')
    add('--seeds', type=count, metavar='N',
        help='the first N of the set; 1 to N if it has fewer')
    add('--first-seed', type=count, metavar='N',
        help='as many seeds, from N on, with which nothing was tuned; their page and '
             'record are apart (build/compare/SET-N, docs/compare/held-out/SET-N.csv)')
    add('--seconds', type=demo.positive, metavar='S',
        help='of each run (what the set says)')
    add('--jobs', type=count, metavar='N', default=1,
        help='so many runs at a time (1); what the machine disturbed '
             'runs again')
    add('--quick', action='store_true',
        help='one seed, 15 s, the first point of each sweep')
    add('--keep', action='store_true',
        help='take results of other builds, too, and say so')
    add('--list', action='store_true', help='what there is to run')
    add('--report-only', action='store_true',
        help='run nothing: the page from DIR/results.json')
    add('--record', action='store_true',
        help='put the runs into docs/compare/SET.csv, for tools/results, if '
             'all came to their end')
    add('--table', action='store_true',
        help='print DIR/results.json as tables in Markdown')
    add('--out', metavar='DIR', type=pathlib.Path,
        help='where results.json and index.html go (build/compare/SET)')
    add('--programs', metavar='DIR',
        help='where rtpadapt-link and rtpadapt-measure are (the build)')
    add('--work', metavar='DIR', type=pathlib.Path,
        default=pathlib.Path(demo.BUILD) / 'compare' / 'cells',
        help='where single results are kept (%(default)s)')
    return parser.parse_args(argv)


def load(args):
    path = pathlib.Path(args.set)
    if path.suffix != '.toml':
        path = SETS / (args.set + '.toml')
        if not path.exists():
            raise CompareError("there is no set '%s'; there are: %s" % (
                args.set, ' '.join(sorted(
                    path.stem for path in SETS.glob('*.toml')))))
    told = Set(path, args.seconds, args.quick)
    known = max(told.seeds)
    if args.seeds:
        if args.seeds > len(told.seeds) and not args.quick:
            told.seeds = list(range(1, args.seeds + 1))
        told.seeds = told.seeds[:args.seeds]
    if args.first_seed:
        if args.first_seed <= known:
            raise CompareError('--first-seed: the set has seeds up to %d itself' % known)
        told.seeds = [args.first_seed + i for i in range(len(told.seeds))]
    check_claims(told)
    return told


def unique(found):
    return list({one.name: one for one in found}.values())


def size(cells):
    """How much it is, in words."""
    return '%d links x %d systems x %d seeds: %d runs' % (
        len(unique(cell.link for cell in cells)),
        len(unique(cell.system for cell in cells)),
        len({cell.seed for cell in cells}), len(cells))


def command(argv):
    """As others would type it: where the files of this machine are is left out."""
    words, left = [], iter(argv)
    for word in left:
        option, equals, _ = word.partition('=')
        if option not in ('--out', '--programs', '--work'):
            words.append(word)
        elif not equals:
            next(left, None)
    return shlex.join(['tools/compare'] + words)


def gather(told, cells, argv, **known):
    """What goes into results.json; `known` is so before the runs end."""
    lengths = sorted({cell.seconds for cell in cells})
    ran = [cell for cell in cells if cell.state == 'ok']
    loads = [cell.result['load'] for cell in ran]
    # Series and pictures are shown of one seed only.
    first = {}
    for cell in ran:
        first.setdefault((cell.link.name, cell.system.name), cell)
    return {
        'set': told.name, 'title': told.title, 'about': told.about,
        'command': command(argv),
        'ended': tree.commit(), **known,
        'date': datetime.date.today().isoformat(),
        'seeds': sorted({cell.seed for cell in cells}),
        'runs': '%s of %s s' % (size(cells), ' to '.join(dict.fromkeys(
            '%g' % length for length in (lengths[0], lengths[-1])))),
        'machine': {**machine(), **({'load': mean(loads)} if loads else {})},
        'warmup': told.warmup, 'picture': told.picture,
        'links': [link.json() for link in unique(
            cell.link for cell in cells)],
        'systems': [system.json() for system in unique(
            cell.system for cell in cells)],
        'cells': [entry(cell, cell in first.values()) for cell in cells]}


def rounded(value):
    """Six digits, in lists and tables, too."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float('%.6g' % value) if isinstance(value, float) else value


def entry(cell, whole):
    found = {'link': cell.link.name, 'system': cell.system.name,
             'seed': cell.seed, 'state': cell.state, 'reason': cell.reason,
             'engine': cell.engine}
    if cell.state == 'ok':
        found.update(rounded(cell.result))
        if not whole:
            found['picture'] = found['result']['series'] = None
    return found


def write(path, text):
    """Whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(path.name + '.new')
        new.write_text(text, encoding='utf-8')
        os.replace(new, path)
    except OSError as error:
        raise CompareError('%s cannot be written: %s' % (
            path, error.strerror)) from None


def publish(out, found, claims, only):
    asks = Claims(Figures(found))
    # Where some of the runs were asked for, most claims are of others.
    found['claims'] = [answer for answer in map(asks.check, claims)
                       if answer['holds'] is not None or not only]
    found['summary'] = report.summary(found)
    write(out / 'results.json', json.dumps(found, ensure_ascii=False) + '\n')
    write(out / 'index.html', report.render(found))
    for claim in found['claims']:
        print('%-9s %s (%s)' % (report.ANSWERS[claim['holds']][1],
                                claim['text'], claim['figures']))
    print('The page: %s' % (out / 'index.html'))


def check_links(told, links):
    """Raises unless these are the links of the project's set, run for its time."""
    own = SETS / (told.name + '.toml')
    if own.exists() and not own.samefile(told.path):
        raise CompareError('%s is not the set %s, whose record it would change' % (
            told.path, told.name))
    meant = {link.name: link.json() for link in Set(told.path).links}
    for link in links:
        if link != meant.get(link['name']):
            raise CompareError("the set has another '%s': a record is of whole runs, "
                               'without --seconds and --quick' % link['name'])


def put(told, found):
    """Whether it is in the record; says why not."""
    try:
        check_links(told, found['links'])
        print('The record: %s' % record.record(found))
        return True
    except CompareError as error:
        print('Not recorded: %s' % error, file=sys.stderr)
        return False


def read(out):
    path = out / 'results.json'
    try:
        return json.loads(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise CompareError('%s: %s' % (path, error.strerror)) from None
    except ValueError as error:
        raise CompareError('%s: %s' % (path, error)) from None


def list_all(told, cells, jobs):
    for link in unique(cell.link for cell in cells):
        beside = ''.join(', beside TCP ' + other.tcp if other.tcp
                         else ', beside a stream of ' + other.stream
                         if other.stream else ', beside others'
                         for other in link.others)
        print('link    %s: %s%s' % (link.name, link.there, beside))
    for system in unique(cell.system for cell in cells):
        print('system  %s: %s' % (system.name, ' '.join(filter(None, (
            system.system, system.options,
            system.share and '%g of the capacity' % system.share)))))
    for claim in told.claims:
        print('claim   %s' % claim['text'])
    print(plan(cells, 0, jobs))


def plan(cells, kept, jobs=1):
    todo = (sum(cell.weight for cell in cells) - kept) / jobs
    return '%s, about %s' % (size(cells), duration(todo))


def complain(ran):
    """Of what has a result, but not at once or not a good one."""
    for cell in ran:
        if cell.result.get('failures'):
            print('%s: it ran, and failed %d times: %s' % (
                cell.label, cell.result['failures'], cell.result['failure']),
                  file=sys.stderr)
        if disturbance(cell.result) > 1:
            print('%s: the machine was too busy' % cell.label, file=sys.stderr)


def run(args, told, out, argv):
    # Of what runs: later the tree may have another.
    known = {'commit': tree.commit(), 'programs': bool(args.programs),
             'first_seed': args.first_seed}
    for folder in args.work, out:
        files.need(folder, CompareError)
    if args.record:
        # Now, and not after half an hour of runs.
        record.check(known)
        check_links(told, [link.json() for link in told.links])
        if not knows_vmaf(environment()):
            raise CompareError('a record has VMAF, and ffmpeg has not: '
                               'tools/install-rivals vmaf fetches one')
    cells = told.cells(args.only)
    runner = Cells(args.work, args.keep, args.programs)
    runner.fetch(cells)
    kept = [cell for cell in cells if runner.kept(cell)]
    print('%s%s' % (plan(cells, sum(cell.weight for cell in kept), args.jobs),
                    ', %d kept from before' % len(kept) if kept else ''),
          file=sys.stderr, flush=True)
    done = runner.run(cells, args.jobs)
    older = sorted({cell.engine for cell in kept} - set(runner.engines()))
    if older:
        print('with results of other builds: ' + ' '.join(older),
              file=sys.stderr)
    found = gather(told, cells, argv, older=older, **known)
    publish(out, found, told.claims, args.only)
    recorded = not args.record or put(told, found)
    failed = sum(cell.state == 'failed' for cell in cells)
    ran = [cell for cell in cells if cell.state == 'ok']
    complain(ran)
    if not done:
        print('What has run is kept; the same command goes on.',
              file=sys.stderr)
        return INTERRUPTED
    if failed:
        print('%d runs failed' % failed, file=sys.stderr)
    if not ran:
        print('no run has a result: %s' % (cells[0].reason if cells else 'there was none'),
              file=sys.stderr)
    return 1 if failed or not ran or not recorded else 0


def main(argv):
    args = parse_args(argv)
    told = load(args)
    out = args.out or pathlib.Path(demo.BUILD) / 'compare' / (
        told.name + ('-%d' % args.first_seed if args.first_seed else ''))
    if args.table or args.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # of | head
    if args.table:
        print(report.markdown(read(out)))
        return 0
    if args.report_only:
        found = read(out)
        publish(out, found, told.claims, args.only)
        return 1 if args.record and not put(told, found) else 0
    if args.list:
        list_all(told, told.cells(args.only), args.jobs)
        return 0
    return run(args, told, out, argv)


if __name__ == '__main__':
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main(sys.argv[1:]))
    except PaperError as error:
        print('tools/compare: %s' % error, file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print('tools/compare: %s' % files.why(error), file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
