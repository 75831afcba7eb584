# The claims of the sets, asked of the records: the page docs/compare/README.md and the
# counts in docs/results.md, which tools/results writes.
# SPDX-License-Identifier: LGPL-2.1-or-later
import collections

import record
from figures import Claims, Figures
from markup import folded, not_edited, table
from runner import duration
from setfile import SETS, Set

ABOUT = '''# Which claims hold

Each set of `tools/compare` has claims: what we want of the default, and comparisons with
other systems. The same code asks them after a run and, here, of the records.
[Counts of all sets](../results.md#claims);
[how a set is written](../../tools/compare-run/README.md).

- A figure is the mean over the seeds, ± half of its 95 % interval; *a to b* is the lowest
  and the highest seed. It is rounded after the claim is asked: 0.80 may be less than .8. The
  claim is asked of what the record has: shares have four digits, in older rows two, so that
  a share of .3475 was recorded there as .35.
- *a against b* is ours, then the other's. *Better*: the difference of the means is beyond
  its 95 % interval; *no worse*: it is not worse by more than that.
- *misread*: of the radio's losses, those taken for congestion; M_w is their share. *own
  share* is ours and *least share* the TCP's, both of a fair one.
- A run that two sets share, as `default` and `targets` do, ran once. Each set names the commit
  at which it recorded the run; the programs of both commits are the same.
- What asks for runs or numbers that no record has counts neither as a claim that holds nor
  as one that does not.

'''


class Answers:
    """The claims of a set, and what its record says of them."""

    def __init__(self, path, folder):
        self.told = Set(path)
        self.rows = record.read(folder / (self.told.name + '.csv'))
        asks = Claims(Figures(record.results(self.told, self.rows)))
        self.claims = [asks.check(claim) for claim in self.told.claims]

    def of(self, holds):
        return [claim for claim in self.claims if claim['holds'] is holds]


def recorded(folder):
    """Of the sets that have a record, that of README's table first."""
    paths = sorted(SETS.glob('*.toml'), key=lambda path: (path.stem != 'default', path.stem))
    found = [Answers(path, folder) for path in paths]
    return [answers for answers in found if answers.rows]


def made(answers):
    """The command, how long it takes, of which commit and day the runs are, and which
    have more seeds than the set, or fewer."""
    told, titles = answers.told, {}
    for system in told.systems:
        for run in answers.rows:
            if run['system'] == system.name:
                titles.setdefault((run['commit'], run['date']), {})[system.title] = None
    seconds = {link.name: link.seconds for link in told.links}
    pairs = collections.Counter((run['link'], run['system']) for run in answers.rows)
    others = {}  # {(how many seeds, system's title): links}
    for system in told.systems:
        for link in told.links:
            n = pairs[link.name, system.name]
            if n not in (0, len(told.seeds)):
                others.setdefault((n, system.title), []).append(link.name)
    return '`tools/compare %s --record`, [%d runs](%s.csv), %s of streams:\n\n%s\n' % (
        told.name, len(answers.rows), told.name,
        duration(sum(seconds[run['link']] for run in answers.rows)), ''.join(
            '- commit %s, %s: %s\n' % (*when, '; '.join(found))
            for when, found in titles.items()) + ''.join(
                '- %d seeds instead of %d: %s (%s)\n' % (
                    n, len(told.seeds), title, '; '.join(found))
                for (n, title), found in others.items()))


def links(answers):
    """What the names that begin the claims stand for."""
    found = {link.group: link.group_title for link in answers.told.links}
    named = ['*%s*: %s' % item for item in found.items()
             if any(claim['text'].startswith(item[0]) for claim in answers.claims)]
    return '; '.join(named) + '.\n\n' if named else ''


def rows(claims, key):
    """No number breaks within."""
    return ((claim['text'], claim[key].replace(' ± ', '\u00a0±\u00a0')) for claim in claims)


def tables(answers):
    """What does not hold comes first and is not folded."""
    holding, failing, unknown = map(answers.of, (True, False, None))
    out = table(['**does not hold**', 'recorded'], rows(failing, 'figures'))
    if holding:
        out += folded('Claims that hold: %d' % len(holding),
                      table(['holds', 'recorded'], rows(holding, 'figures')))
    if unknown:
        out += folded('Claims without a figure: %d; no record of %s' % (
            len(unknown), '; '.join(dict.fromkeys(claim['missing'] for claim in unknown))),
                      table(['no figure', 'no record of'], rows(unknown, 'missing')))
    return out


def held(answers):
    """How many claims hold, of those that have an answer; how many have none."""
    holding, failing, unknown = (len(answers.of(holds)) for holds in (True, False, None))
    text = '%d of %d' % (holding, holding + failing)
    return '**%s**' % text if failing else text, str(unknown)


def section(answers):
    return '## %s\n\n%s. Claims that hold: %s; without a figure: %s.\n\n' % (
        answers.told.name, answers.told.title, *held(answers)) + (
            made(answers) + links(answers) + tables(answers))


def page(folder):
    return not_edited('tools/results') + '\n' + ABOUT + ''.join(
        map(section, recorded(folder))).rstrip() + '\n'
