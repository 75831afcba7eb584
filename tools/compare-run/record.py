# The record of a set: a row for each run, in docs/compare, from which tools/results
# makes the tables of README and docs/results.md. Runs of --first-seed have a record apart,
# in docs/compare/held-out.
# SPDX-License-Identifier: LGPL-2.1-or-later
import csv
import io
import pathlib

import tree
from disturbance import disturbance
from setfile import CompareError

FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'docs/compare'
KEY = ('link', 'system', 'seed')
# A column: where result has it, digits after the point.
VALUES = {
    'vmaf': ('viewer', 'vmaf', 2),
    'frozen_s': ('viewer', 'frozen_s', 2),
    'longest_freeze_s': ('viewer', 'longest_freeze_s', 2),
    'latency_ms_p95': ('viewer', 'latency_ms_p95', 1),
    'latency_step_ms': ('viewer', 'latency_step_ms', 1),
    'used': ('path', 'utilisation', 3),
    'share': ('path', 'share', 4),               # two digits until 2026-11
    'queue_ms_p95': ('path', 'queue_ms_p95', 1),
    'packet_loss_ratio': ('path', 'packet_loss_ratio', 4),
    'ramp_s': ('path', 'ramp_s', 1),
    'rate_settle_s': ('path', 'rate_settle_s', 2),
    'queue_settle_s': ('path', 'queue_settle_s', 2),
    'repair': ('stream', 'fec_overhead', 3),     # packets per media packet
    'left': ('stream', 'residual_loss', 5),      # of the media, after repair
    'm_w': ('stream', 'm_w', 3),
}
COLUMNS = (*KEY, *VALUES, 'other_share', 'commit', 'date')


def flows(link):
    """The names of the other flows that are meant to run."""
    return ['tcp ' + port for port in link['tcp']] + ['udp %d' % port for port in link['streams']]


def shares(result, link):
    """Ours and that of the only other one, of what is fair; None is not known.  The score
    counts the flows that got something: one that starved wanted a share as well."""
    own, meant = result['path'].get('share'), flows(link)
    others = [other for other in result['others'] if other.get('share') is not None]
    starved = set(meant) - {other.get('name') for other in others}
    if own is None or not starved:
        return own, others[0]['share'] if len(others) == 1 else None
    own *= (1 + len(others) + len(starved)) / (1 + len(others))
    return own, 0 if len(meant) == 1 else None


def row(cell, found, link):
    """Of a run; an empty cell is not known."""
    result = cell['result']
    own, other = shares(result, link)
    result = {**result, 'path': {**result['path'], 'share': own}}
    made = dict.fromkeys(COLUMNS, '')
    made.update({key: str(cell[key]) for key in KEY})
    for name, (group, key, digits) in VALUES.items():
        value = result[group].get(key)
        if value is not None:
            made[name] = '%.*f' % (digits, value)
    if other is not None:
        made['other_share'] = '%.4f' % other
    made.update(commit=found['commit'], date=found['date'])
    return made


def read(path):
    """[row] of a record; none where there is no record."""
    try:
        with open(path, encoding='utf-8', newline='') as file:
            return list(csv.DictReader(line for line in file if not line.startswith('#')))
    except FileNotFoundError:
        return []


def text(name, rows):
    made = io.StringIO(newline='')
    made.write('# tools/compare %s --record: a row for each run, recorded at the commit in the '
               'row, whose programs ran.\n' % name)
    writer = csv.DictWriter(made, COLUMNS, lineterminator='\n')
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


def results(told, rows):
    """What results.json has of these rows of the set, as far as they have it."""
    links = {link.name: link.json() for link in told.links}
    for run in rows:
        if run['link'] not in links:
            raise CompareError("the record of %s has a link '%s' that the set has not" % (
                told.name, run['link']))
    return {'links': list(links.values()),
            'systems': [system.json() for system in told.systems],
            'cells': [cell_of(run, links[run['link']]) for run in rows]}


def cell_of(run, link):
    """The inverse of row(). A record has shares of the line and no rates; where
    one other flow may run, these follow from them."""
    result = {group: {} for group, _, _ in VALUES.values()}
    for name, (group, key, _) in VALUES.items():
        if run.get(name):
            result[group][key] = float(run[name])
    names = flows(link)
    if len(names) == 1 and run['share'] and run['other_share']:
        fair = link['capacity_bps'] / 2
        result['path'].update(capacity_bps=link['capacity_bps'],
                              goodput_bps=float(run['share']) * fair)
        result['others'] = [{'name': names[0], 'goodput_bps': float(run['other_share']) * fair}]
    return {**{key: run[key] for key in KEY}, 'seed': int(run['seed']),
            'state': 'ok', 'reason': '', 'result': result}


def merged(old, new):
    """New runs replace those of the same link and system, with whatever seeds; the rest
    stays. Sorted, so that a difference shows what changed."""
    again = {(run['link'], run['system']) for run in new}
    rows = [run for run in old if (run['link'], run['system']) not in again] + new
    return sorted(rows, key=lambda run: (run['link'], run['system'], int(run['seed'])))


def check(found):
    """Raises where a record may not have these runs.  Before the first run only
    the commit and the programs are known."""
    commit = found['commit']
    if commit == tree.UNKNOWN:
        raise CompareError('git does not know the commit, which a record names')
    if not tree.clean(commit):
        raise CompareError('the tree is dirty: a record names the commit that made it')
    if found.get('programs'):
        raise CompareError('a record has runs of the build, and none of --programs')
    ended = found.get('ended', commit)
    if ended != commit:
        raise CompareError('the commit was %s at the first run and is %s after the last' % (
            commit, ended))
    if found.get('older'):
        raise CompareError('results of other builds are not recorded')
    if 'cells' in found:
        check_cells(found['cells'])


def check_cells(cells):
    """Raises unless all that could run has a whole result."""
    lacking = [cell for cell in cells if cell['state'] not in ('ok', 'missing')]
    if lacking:
        raise CompareError('%d of %d runs did not come to their end; the first is %s: %s' % (
            len(lacking), len(cells), label(lacking[0]), lacking[0]['reason'] or 'not run'))
    ran = [cell for cell in cells if cell['state'] == 'ok']
    if not ran:
        raise CompareError('none of %d runs has a result; the first is %s: %s' % (
            len(cells), label(cells[0]), cells[0]['reason']) if cells else 'nothing ran')
    blind = [label(cell) for cell in ran if cell['result']['viewer'].get('vmaf') is None]
    if blind:
        raise CompareError('a record has VMAF, and these runs have none: ' + '; '.join(blind))
    disturbed = [label(cell) for cell in ran if disturbance(cell) > 1]
    if disturbed:
        raise CompareError('the machine was too busy, and the same command runs again: '
                           + '; '.join(disturbed))


def label(cell):
    return '%s, %s, seed %d' % (cell['link'], cell['system'], cell['seed'])


def record(found, folder=FOLDER):
    """Adds what ran to the set's record; returns its path."""
    check(found)
    name, path = found['set'], folder / (found['set'] + '.csv')
    if found.get('first_seed'):
        path = folder / 'held-out' / ('%s-%d.csv' % (name, found['first_seed']))
        path.parent.mkdir(exist_ok=True)
        name += ' --first-seed %d' % found['first_seed']
    links = {link['name']: link for link in found['links']}
    new = [row(cell, found, links[cell['link']])
           for cell in found['cells'] if cell['state'] == 'ok']
    path.write_text(text(name, merged(read(path), new)), encoding='utf-8')
    return path
