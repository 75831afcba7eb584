# The pages of docs/papers: from the papers' files and records alone.
# SPDX-License-Identifier: LGPL-2.1-or-later
import math
import re

import plots
from expressions import text_of
from markup import LINES, anchor, folded, not_edited, shorten, table
from terminal import ours_text
from verdict import (DIFFERENT, MISSING, ONE, ORDER, WITHIN, Claims, answers,
                     number_text, verdict)

# What a reader takes in: tests/papers/test-papers holds the pages to it.
COLUMNS = 7
WORDS = 3000
NOT_EDITED = not_edited('tools/papers')
RECORD = '../../tests/papers/results/%s.csv'


def heading(experiment):
    if experiment.title.startswith(tuple('0123456789')):
        return experiment.title
    return '%s: %s' % (experiment.source, experiment.title)


def title_of(metric):
    return metric.title + (', ' + metric.unit if metric.unit else '')


def varying(experiment):
    return [name for name, values in experiment.sweep.items()
            if len(values) > 1]


def point_words(experiment, point):
    """Words bare, numbers with what they are: TFRC, flows 4."""
    found = []
    for name in varying(experiment):
        label = experiment.label(name, point[name])
        found.append(label if isinstance(point[name], str) else '%s %s' % (
            experiment.labels.get(name, name), label))
    return ', '.join(found)


READ = {'printed': '', 'text': ' (text)', 'by-eye': ' (by eye)',
        'ns-2': ' (ns-2)'}
# Where the verdict's own words are longer.
VERDICTS_SHORT = {ONE: '1 seed, near', ORDER: 'same order', DIFFERENT: '**different**'}
COUNTED = {WITHIN: 'reproduced', ONE: 'near with 1 seed',
           ORDER: 'in the same order', DIFFERENT: 'different',
           MISSING: 'not measured'}


MEAN = 'mean'


class Notes:
    """Reasons, each once, with a number; they have a page of their own."""

    def __init__(self, name):
        self.name, self.texts = name, []

    def mark(self, text):
        text = ' '.join(text.split())
        if text not in self.texts:
            self.texts.append(text)
        number = self.texts.index(text) + 1
        return ' [(%d)](%s/notes.md#reasons)' % (number, self.name)


def cutoff_text(metric, found):
    if math.isnan(found.cutoff):
        return '–'
    return number_text(found.cutoff)


def comparison(experiment, results, notes):
    """One line per published number."""
    lines, kinds = [], dict.fromkeys(COUNTED, 0)
    for entry in experiment.published:
        metric = experiment.metrics[entry.metric]
        found = verdict(experiment, entry, results)
        kinds[found.kind] += 1
        text = VERDICTS_SHORT.get(found.kind, found.text)
        if found.reason:
            text += notes.mark(found.reason)
        lines.append([
            point_words(experiment, entry.point), title_of(metric),
            entry.target.text + READ[entry.read],
            ours_text(experiment, entry.metric, entry.point, results),
            len(results.seeds(entry.point)), cutoff_text(metric, found),
            text])
    out = table(['', '', 'published', 'ours ± sd', 'seeds', 'cutoff',
                 'verdict'], lines)
    if len(lines) <= LINES:
        return out
    return folded('%d published numbers: %s' % (len(lines), ', '.join(
        '%d %s' % (number, COUNTED[kind])
        for kind, number in kinds.items() if number)), out)


MARKS = {True: 'yes', False: '**no**', None: 'not run'}


def claim_line(experiment, answer, notes):
    """- **no** (2 of 6): the sentence. Worst: ..."""
    claim = answer.claim
    out = '- ' + MARKS[answer.holds]
    if claim.over and answer.done:
        out += ' (%d of %d)' % (answer.held, answer.done)
    out += ': ' + (claim.line + (': ' + answer.title if answer.title else '')
                   if claim.line else answer.text)
    if claim.must:
        out += ' *(must)*'
    if answer.holds is False:
        worst = answer.worst
        out += '; %s%s' % (worst.where + ': ' if worst.where else '',
                           shorten(worst.said, 90))
        out += notes.mark(answer.reason) if answer.reason else (
            ', reason unknown')
    return out + '\n'


def claim_lists(experiment, record, notes, tabled=None):
    """What the paper says, then what we ask beyond it.

    Not of those whose numbers are in a table.
    """
    found = answers(experiment, record)
    out = ''
    for ours, title in ((False, 'The paper says'), (True, 'Bounds of ours')):
        lines = [claim_line(experiment, answer, notes) for answer in found
                 if answer.claim.ours == ours
                 and not (tabled and answer.title == tabled)]
        if lines:
            out += '%s:\n\n%s\n' % (title, ''.join(lines))
    return out


def has_list(experiment, metric, results):
    return any(results.first(metric, point) for point in experiment.points)


def varies(experiment, metric, results):
    found = {round(results.mean(metric, point), 6)
             for point in experiment.points
             if not math.isnan(results.mean(metric, point))}
    return len(found) > 1


def figures(experiment, record, results, folder):
    """One picture of an experiment, and where it is."""
    path = folder / (experiment.name + '.svg')
    folder.mkdir(parents=True, exist_ok=True)
    claims = Claims(experiment, record)
    drawn = False
    for claim in experiment.claims:
        if claim.grid is not None:
            drawn = plots.heat(experiment, claims, claim, path)
            break
    else:
        lines = [claim for claim in experiment.claims if claim.line]
        if experiment.paper.table.get('overview') and lines:
            drawn = plots.bars(experiment, claims, lines,
                               experiment.paper.table['overview'][0], path)
        else:
            metrics = [metric for metric in experiment.show
                       if has_list(experiment, metric, results) == (
                           experiment.kind in ('scatter', 'series'))]
            # What is the same everywhere is no picture.
            metrics = [metric for metric in metrics if experiment.kind in (
                'scatter', 'series') or varies(experiment, metric, results)]
            if metrics and (experiment.x is not None
                            or experiment.kind == 'series'):
                drawn = plots.plot(experiment, metrics, results, path)
    return '![%s](%s/%s)\n\n' % (experiment.title, folder.name, path.name) if (
        drawn) else ''


def figure_text(number, spread):
    """Two decimals of what is about 1, none of hundreds."""
    digits = 2 if abs(number) < 10 else 0
    text = number_text(number, digits)
    if not math.isnan(spread):
        text += ' ± ' + number_text(spread, digits)
    return text


def claim_cell(claims, claim, bound):
    """What a claim asks about, at one combination; bold: it does not hold."""
    if not any(all(point.get(name) == value for name, value in bound.items())
               for point in claims.experiment.points) or (
            claim.where is not None and not claim.where(bound)):
        return ''
    holds, numbers, spreads = claims.at(claim, bound)
    if holds is None:
        return '–'
    text = ' / '.join(figure_text(number, spread)
                      for number, spread in zip(numbers, spreads))
    return text if holds else '**%s**' % text


def combinations(bounds, names):
    """The different values that these names have together, in order."""
    found = []
    for bound in bounds:
        part = {name: bound[name] for name in names}
        if part not in found:
            found.append(part)
    return found


def labelled(experiment, at, names):
    """Words bare, numbers with what they are: Cubic, RTT 20."""
    for name in names:
        label = experiment.label(name, at[name])
        bare = isinstance(at[name], str) or label != text_of(at[name])
        yield label if bare else '%s %s' % (
            experiment.labels.get(name, name), label)


def matrix(paper, record, told):
    """Each case by each column: how many of its bounds are kept."""
    columns = told['columns']
    first = next(iter(paper.experiments.values()))
    lines = []
    for experiment in paper.experiments.values():
        if experiment.name not in record.results:
            continue
        claims = Claims(experiment, record)
        line = ['[%s](#%s)' % (experiment.title.split()[0],
                               anchor(heading(experiment))),
                shorten(experiment.title.partition(' ')[2], 52)]
        for column in columns:
            held = done = 0
            for claim in experiment.claims:
                if claim.line is None:
                    continue
                for bound in claims.bounds(claim):
                    if any(bound.get(k, v) != v for k, v in column.items()):
                        continue
                    holds = claims.at(claim, bound)[0]
                    done += holds is not None
                    held += holds is True
            line.append('–' if not done else 'all %d' % done if held == done
                        else '**%d of %d**' % (held, done))
        lines.append(line)
    return table(['case', '', *(', '.join(labelled(first, column, column))
                                for column in columns)], lines)


def bounds_table(experiment, record, told):
    """The bounds of one case, with the numbers of the columns."""
    columns = told['columns']
    claims = Claims(experiment, record)
    lines = []
    for claim in experiment.claims:
        if claim.line is None:
            continue
        rest = [name for name in claim.over if name not in columns[0]]
        for at in combinations(claims.bounds(claim), rest):
            found = [claim_cell(claims, claim, {**at, **column})
                     for column in columns]
            if any(found):
                lines.append([shorten('; '.join(
                    [claim.line, *labelled(experiment, at, rest)])),
                    claim.bound + (', must' if claim.must else ''), *found])
    return table(['', 'bound', *(', '.join(labelled(
        experiment, column, column)) for column in columns)], lines)


def duration_text(seconds):
    if seconds < 120:
        return '%.0f s' % seconds
    if seconds < 7200:
        return '%.0f min' % (seconds / 60)
    return '%.1f h' % (seconds / 3600)


def made(experiment, results, how):
    """The command, how long it takes, and of which commit the record is."""
    runs = [row for point in experiment.points
            for row in results.seeds(point).values()]
    seconds = sum(row.get('wall_s', 0) for row in runs)
    seeds = sorted({len(results.seeds(point)) for point in experiment.points
                    if results.seeds(point)})
    commits = list(dict.fromkeys(re.findall(r'commit ([0-9a-f]+(?:-dirty)?)',
                                            how)))
    return '`tools/papers %s --only %s`: %d runs, %s of one core; %s %s; %s.\n\n' % (
        experiment.paper.name, experiment.name, len(runs),
        duration_text(seconds),
        '%d to %d' % (seeds[0], seeds[-1]) if len(seeds) > 1 else seeds[0],
        'seed, no interval' if seeds[-1] == 1 else 'seeds',
        'commit ' + ', '.join(commits[:3]) + (
            ' and older' if len(commits) > 3 else '') if commits
        else 'commit unknown')


def section(experiment, record, folder, notes):
    out = '## %s\n\n' % heading(experiment)
    results = record.results.get(experiment.name)
    if results is None:
        return out + 'Not run yet.\n\n'
    told = experiment.paper.table.get('overview')
    out += figures(experiment, record, results, folder)
    if told:
        out += bounds_table(experiment, record, told[0])
    out += comparison(experiment, results, notes)
    lists = claim_lists(experiment, record, notes,
                        told and told[0].get('tabled'))
    if told and lists:
        lists = folded('Each controller against the bounds', lists)
    return out + lists + made(experiment, results,
                              record.made.get(experiment.name, ''))


def count(paper, record):
    """{kind: how many numbers}, and the answers with their experiments. MEAN: of those
    that are reproduced, within 2 standard errors of our mean."""
    kinds = dict.fromkeys((WITHIN, ONE, ORDER, DIFFERENT, MISSING, MEAN), 0)
    claims = []
    for experiment in paper.experiments.values():
        results = record.results.get(experiment.name)
        told = [entry for entry in experiment.published if entry.original]
        if results is None:
            kinds[MISSING] += len(told)
            continue
        for entry in told:
            found = verdict(experiment, entry, results)
            kinds[found.kind] += 1
            kinds[MEAN] += found.mean
        claims += [(experiment, answer)
                   for answer in answers(experiment, record)]
    return kinds, claims


def held_of(claims, wanted):
    found = [answer for _, answer in claims
             if answer.holds is not None and wanted(answer.claim)]
    return '%d of %d' % (sum(answer.holds for answer in found),
                         len(found)) if found else '–'


def unexplained(paper, record):
    """What differs and says no reason, for whoever writes the paper's file."""
    for experiment in paper.experiments.values():
        results = record.results.get(experiment.name)
        for entry in experiment.published if results else []:
            found = verdict(experiment, entry, results)
            if found.kind == DIFFERENT and not found.reason:
                yield '%s: %s: %s at %s' % (
                    paper.name, experiment.name, entry.metric,
                    point_words(experiment, entry.point))
        for answer in answers(experiment, record) if results else []:
            if answer.holds is False and not answer.reason:
                yield '%s: %s: %s' % (paper.name, experiment.name,
                                      answer.text)


def opening(paper, record):
    """At most ten lines: what came out, and what to conclude."""
    kinds, claims = count(paper, record)
    lines = []
    if sum(kinds.values()):
        lines.append(
            'Published numbers: %d reproduced, %d of them within 2 standard '
            'errors of our mean; %d near with 1 seed (no interval), %d in the '
            'same order, %d different, %d not measured.' % (
                kinds[WITHIN], kinds[MEAN], kinds[ONE], kinds[ORDER],
                kinds[DIFFERENT], kinds[MISSING]))
    for text, wanted in (
            ("Statements of the paper that hold", lambda c: not c.ours),
            ('Bounds of ours that hold', lambda c: c.ours),
            ('Of all, musts that hold', lambda c: c.must)):
        held = held_of(claims, wanted)
        if held != '–':
            lines.append('%s: %s.' % (text, held))
    lines += [' '.join(text.split())
              for text in paper.table.get('conclude', [])]
    return ''.join('- %s\n' % line for line in lines) + '\n'


def left_out(paper):
    lines = ['- %s: %s\n' % (what, ' '.join(why.split()))
             for what, why in paper.table.get('left-out', {}).items()]
    return '## Not reproduced, because\n\n%s\n' % ''.join(lines) if (
        lines) else ''


def page(paper, record, folder):
    notes = Notes(paper.name)
    out = NOT_EDITED + '\n# %s\n\n' % paper.title + opening(paper, record)
    out += ('[How a verdict is found](README.md#verdicts); [the networks, and '
            'reasons](%s/notes.md); [all numbers](%s).\n\n' % (
                paper.name, RECORD % paper.name))
    for told in paper.table.get('overview', []):
        out += matrix(paper, record, told)
        if 'about' in told:
            out += told['about'].strip() + '\n\n'
    for experiment in paper.experiments.values():
        out += section(experiment, record, folder / paper.name, notes)
    out += left_out(paper)
    return out.rstrip() + '\n', notes


def notes_page(paper, notes):
    out = NOT_EDITED + '\n# %s: networks and reasons\n\n' % paper.title
    out += '[Back to the results](../%s.md)\n\n' % paper.name
    if paper.about:
        out += paper.about.strip() + '\n\n'
    for experiment in paper.experiments.values():
        if experiment.about:
            out += '## %s\n\n%s\n\n' % (heading(experiment),
                                       experiment.about.strip())
    if notes.texts:
        out += '## Reasons\n\n' + ''.join(
            '%d. %s\n' % (i + 1, text)
            for i, text in enumerate(notes.texts))
    return out.rstrip() + '\n'


def summary(papers, records):
    lines, mean = [], 0
    for paper in papers:
        kinds, claims = count(paper, records[paper.name])
        if 'seed-text' in paper.table:
            mean += kinds[MEAN]
        lines.append([
            '[%s](%s.md)' % (paper.name, paper.name),
            *(['%d + %d' % (kinds[WITHIN], kinds[ONE]), kinds[ORDER],
               kinds[DIFFERENT]] if sum(kinds.values()) else '–––'), held_of(claims, lambda c: not c.ours),
            held_of(claims, lambda c: c.ours),
            held_of(claims, lambda c: c.must)])
    return table(['', 'reproduced + 1 seed', 'same order', 'different',
                  "paper's statements", 'ours', 'musts'], lines) + (
        "Of 000 to 004's reproduced numbers %d are within 2 standard errors of our mean.\n\n"
        % mean)


def numbers(papers, records):
    """The numbers that a paper's file says matter."""
    lines = []
    for paper in papers:
        for told in paper.table.get('number', []):
            experiment = paper.experiments[told['experiment']]
            results = records[paper.name].results.get(experiment.name)
            if results is None:
                continue
            point = experiment.point(told['at'], 'number')
            metric = experiment.metrics[told['metric']]
            lines.append([
                '[%s](%s.md#%s)' % (experiment.source, paper.name,
                                    anchor(heading(experiment))),
                told['text'] + (', ' + metric.unit if metric.unit else ''),
                told['published'],
                ours_text(experiment, told['metric'], point, results),
                len(results.seeds(point))])
    return table(['', '', 'published, or bound', 'ours ± sd', 'seeds'], lines)


VERDICTS = '''## Verdicts

- **reproduced**: our mean is within 2 standard deviations of our seeds, and
  within a tenth of the published number (shares below 10 %: within 1 point). The
  row has this cutoff. Deviations of single seeds count, as a published number of one
  run is as much by chance as one of ours; paper 000 has means of ten runs, so that the
  deviation of the difference of two means counts. How many are within 2 standard errors
  of our mean alone, as if what is published were exact, each page says. A printed number
  counts as known to half of its last digit; a bound or a range is reproduced when our
  mean is inside.
- **1 seed, near**: within the tenth or the point, but of one seed, so that there
  is no interval. Not counted as reproduced.
- **same order**: further away, but with two pairs or more of its row or column
  that the paper puts clearly apart, all in the same order with us.
- **different**: none of these; the number in brackets leads to the reason.

A statement is asked at each point by itself. *(must)*: the tests hold it; where it
fails, a reason excuses the points in
[excused.csv](../../tests/papers/results/excused.csv), down to the margin there,
and no others. *(text)*: from a sentence; *(ns-2)*: what Debian's ns-2 gives in the
same network, not counted. What is true by definition (M_c of TFRC without an LDA),
or was fitted, has no row.
'''


PAPERS = '''## The papers

- 000: S. Cen, P. C. Cosman, G. M. Voelker: *End-to-End Differentiation of
  Congestion and Wireless Losses*, IEEE/ACM ToN 11(5), 2003.
- 001: D. Barman, I. Matta: *Effectiveness of Loss Labeling in Improving TCP
  Performance in Wired/Wireless Networks*, Boston University.
- 002: S. Bhandarkar, N. E. Sadry, A. L. N. Reddy, N. H. Vaidya: *TCP-DCR*, IEEE
  TMC 4(5), 2005.
- 003: P. Papadimitriou, V. Tsaoussidis, C. Zhang: *End-to-end loss
  differentiation for video streaming with wireless link errors*, 2009.
- 004: K. D. Singh, D. Ros, L. Toutain, C. Viho: *Improvement of Multimedia
  Streaming using Estimation of Wireless losses*, IRISA PI 1792, 2006.
- S. Floyd, M. Handley, J. Padhye, J. Widmer: *TFRC*,
  [RFC 5348](https://www.rfc-editor.org/rfc/rfc5348), 2008.
'''


def readme(papers, records):
    return (NOT_EDITED + '\n# The papers, reproduced\n\n'
            'The library in ns-3, in the networks of the papers, beside '
            "ns-3's own TCP; and the\ncases of RFC 8867. All of it again: "
            '`tools/papers`; how it is done: '
            '[tests/papers](../../tests/papers/README.md).\n\n'
            '## The ten numbers that matter\n\n' + numbers(papers, records)
            + '## Paper by paper\n\n' + summary(papers, records)
            + VERDICTS + '\n' + PAPERS)


def write(folder, papers, records, changed):
    """The pages of what changed, and the summary of all."""
    folder.mkdir(parents=True, exist_ok=True)
    for paper in papers:
        if paper.name in changed:
            text, notes = page(paper, records[paper.name], folder)
            (folder / (paper.name + '.md')).write_text(text, encoding='utf-8')
            (folder / paper.name).mkdir(exist_ok=True)
            (folder / paper.name / 'notes.md').write_text(
                notes_page(paper, notes), encoding='utf-8')
    (folder / 'README.md').write_text(readme(papers, records),
                                      encoding='utf-8')
