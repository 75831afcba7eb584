# The pages of docs/papers: from the papers' files and records alone.
# SPDX-License-Identifier: LGPL-2.1-or-later
import math
import re

import plots
from expressions import text_of
from paperfile import matches
from terminal import ours_text
from verdict import (DIFFERENT, MISSING, ORDER, WITHIN, Claims, answers,
                     number_text, verdict)

# What the five papers compare, by the names that they use.
SYSTEMS = [
    'TFRC', 'Biaz', 'mBiaz', 'Spike', 'ZigZag', 'ZBS', 'omniscient',
    'NewReno', 'NewReno-FF', 'NewReno-LL', 'NewReno-PL', 'Westwood',
    'TCP-DCR', 'SACK', 'SSVP', 'SSVP-LD', 'GAIMD', 'Vegas predictor',
    'WLED-ARC', 'ARC']
NOT_EDITED = ('<!-- SPDX-License-Identifier: LGPL-2.1-or-later\n'
              '     Written by tools/papers; not to be edited. -->\n')


def anchor(title):
    """Of a heading, as GitHub and GitLab make it."""
    return re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')


def heading(experiment):
    return '%s: %s' % (experiment.source, experiment.title)


def cells(values):
    return '| ' + ' | '.join(
        str(value).replace('|', '\\|') for value in values) + ' |\n'


def table(head, lines):
    lines = list(lines)
    if not lines:
        return ''
    return (cells(head) + '|' + '---|' * len(head) + '\n'
            + ''.join(cells(line) for line in lines) + '\n')


def title_of(metric):
    return metric.title + (', ' + metric.unit if metric.unit else '')


def varying(experiment):
    return [name for name, values in experiment.sweep.items()
            if len(values) > 1]


def point_cells(experiment, point):
    return [experiment.label(name, point[name])
            for name in varying(experiment)]


def difference(experiment, entry, results):
    metric = experiment.metrics[entry.metric]
    ours = results.mean(entry.metric, entry.point)
    if math.isnan(ours):
        return '–'
    exact = entry.target.low is not None and entry.target.high is not None
    miss = ours - entry.target.number if exact else entry.target.miss(ours)
    text = number_text(miss, metric.digits)
    text = '+' + text if miss > 0 else text
    if metric.compare == 'relative' and entry.target.number:
        text += ' (%+.0f %%)' % (100 * miss / abs(entry.target.number))
    return text.replace('-', '−')


class Notes:
    """Reasons, each once, with a number."""

    def __init__(self):
        self.texts = []

    def mark(self, text):
        text = ' '.join(text.split())
        if text not in self.texts:
            self.texts.append(text)
        return ' (%d)' % (self.texts.index(text) + 1)

    def markdown(self):
        return ''.join('%d. %s\n' % (i + 1, text)
                       for i, text in enumerate(self.texts)) + (
            '\n' if self.texts else '')


def verdict_text(found, notes):
    if found.kind == MISSING or found.kind == WITHIN:
        return found.text
    if found.reason:
        return found.text + notes.mark(found.reason)
    return found.text + (
        ', reason unknown' if found.kind == DIFFERENT else '')


READ = {'printed': '', 'text': ' (text)', 'by-eye': ' (by eye)',
        'ns-2': ' (ns-2)'}


def comparison(experiment, results, notes):
    """One line per published number."""
    lines = []
    for entry in experiment.published:
        metric = experiment.metrics[entry.metric]
        lines.append([
            *point_cells(experiment, entry.point), title_of(metric),
            entry.target.text + READ[entry.read],
            ours_text(experiment, entry.metric, entry.point, results),
            difference(experiment, entry, results),
            verdict_text(verdict(experiment, entry, results), notes)])
    return table([*(experiment.labels.get(name, name)
                    for name in varying(experiment)), '', 'published',
                  'ours', 'difference', 'verdict'], lines)


def pivot(experiment, metric, results):
    """All of ours: the series side by side, the rest below each other."""
    series = experiment.series
    rest = [name for name in varying(experiment) if name != series]
    columns = experiment.sweep[series] if series else [None]
    lines = {}
    for point in experiment.points:
        line = lines.setdefault(tuple(text_of(point[n]) for n in rest),
                                (point, {}))[1]
        if results.seeds(point):
            line[point.get(series)] = ours_text(experiment, metric, point,
                                                results)
    return table(
        [*(experiment.labels.get(name, name) for name in rest),
         *(experiment.label(series, value) if series else 'ours'
           for value in columns)],
        ([*(experiment.label(name, point[name]) for name in rest),
          *(line.get(value, '–') for value in columns)]
         for point, line in lines.values()))


MARKS = {True: '**yes**', False: '**no**', None: 'not run'}


def claim_lines(experiment, record, notes):
    for answer in answers(experiment, record):
        claim = answer.claim
        holds = MARKS[answer.holds]
        if answer.holds is False:
            holds += (notes.mark(answer.reason) if answer.reason
                      else ', reason unknown')
        numbers = answer.numbers
        if answer.failed:
            numbers += '; not ' + '; not '.join(answer.failed)
        yield [answer.text + (' *(must hold)*' if claim.must else ''),
               claim.source, holds, numbers]


def has_list(experiment, metric, results):
    return any(results.first(metric, point) for point in experiment.points)


def figures(experiment, results, folder):
    """Draws, and says where the pictures are."""
    out = ''
    if experiment.kind == 'table' or (
            experiment.x is None and experiment.kind != 'series'):
        return out
    for metric in experiment.show:
        if has_list(experiment, metric, results) != (
                experiment.kind in ('scatter', 'series')):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        name = '%s-%s.svg' % (experiment.name, metric)
        plots.plot(experiment, metric, results, folder / name)
        out += '![%s: %s](%s/%s)\n\n' % (
            experiment.title, experiment.metrics[metric].title, folder.name,
            name)
    return out


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
               for point in claims.experiment.points):
        return ''
    holds, numbers, spreads = claims.at(claim, bound)
    if holds is None:
        return '–'
    text = ' / '.join(figure_text(number, spread)
                      for number, spread in zip(numbers, spreads))
    return text if holds else '**%s**' % text


def grids(experiment, record):
    """Claims that are shown as tables, one number to a cell."""
    claims = Claims(experiment, record)
    out = ''
    for claim in experiment.claims:
        if claim.grid is None:
            continue
        columns, tables = claim.grid['columns'], claim.grid['tables']
        rows = [name for name in claim.over if name not in [columns, *tables]]
        bounds = claims.bounds(claim)
        out += '%s; **bold**: outside the bounds.\n\n' % claim.grid['title']
        for at in combinations(bounds, tables):
            out += ', '.join(labelled(experiment, at, tables)) + ':\n\n'
            out += table(
                [', '.join(experiment.labels.get(name, name)
                           for name in rows),
                 *('%s %s' % (experiment.labels.get(columns, columns),
                              experiment.label(columns, value))
                   for value in experiment.sweep[columns])],
                ([', '.join(labelled(experiment, row, rows)),
                  *(claim_cell(claims, claim, {**at, **row, columns: value})
                    for value in experiment.sweep[columns])]
                 for row in combinations(
                     [b for b in bounds if matches(b, at)], rows)))
    return out


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


def overview(paper, record, told):
    """The claims of all experiments that have a line, for some systems."""
    lines = []
    columns = told['columns']
    for experiment in paper.experiments.values():
        if experiment.name not in record.results:
            continue
        claims = Claims(experiment, record)
        for claim in experiment.claims:
            if claim.line is None:
                continue
            fixed = list(columns[0])
            rest = [name for name in claim.over if name not in fixed]
            for at in combinations(claims.bounds(claim), rest):
                found = [claim_cell(claims, claim, {**at, **column})
                         for column in columns]
                if any(found):
                    case = '[%s](#%s)' % (experiment.title.split()[0],
                                          anchor(heading(experiment)))
                    seen = any(case == line[0] for line in lines)
                    lines.append([
                        '' if seen else case,
                        '; '.join([claim.line, *labelled(
                            experiment, at, rest)]),
                        claim.bound + (', must' if claim.must else ''),
                        *found])
    first = next(iter(paper.experiments.values()))
    head = ['case', 'what', 'bound', *(
        ', '.join(labelled(first, column, column)) for column in columns)]
    return '## %s\n\n' % told['title'] + (
        told['about'].strip() + '\n\n' if 'about' in told else '') + table(
            head, lines)


def section(experiment, record, folder):
    out = '## %s\n\n' % heading(experiment)
    if experiment.about:
        out += experiment.about.strip() + '\n\n'
    results = record.results.get(experiment.name)
    if results is None:
        return out + 'Not run.\n\n'
    notes = Notes()
    out += figures(experiment, results, folder)
    out += comparison(experiment, results, notes)
    out += table(['the paper says', 'where', 'ours', 'numbers'],
                 claim_lines(experiment, record, notes))
    out += notes.markdown()
    out += grids(experiment, record)
    told = {(entry.metric, results.key(entry.point))
            for entry in experiment.published}
    for metric in experiment.show:
        if has_list(experiment, metric, results) or all(
                (metric, results.key(point)) in told
                for point in experiment.points):
            continue
        out += 'All of ours, %s:\n\n' % title_of(experiment.metrics[metric])
        out += pivot(experiment, metric, results)
    return out + made(record.made[experiment.name])


def made(how):
    command, _, rest = how.partition(';')
    return '`%s`;%s.\n\n' % (command, rest)


def count(paper, record):
    """{kind: how many numbers}, and the claims as [held, not, not run]."""
    kinds = dict.fromkeys((WITHIN, ORDER, DIFFERENT, MISSING), 0)
    claims = []
    for experiment in paper.experiments.values():
        results = record.results.get(experiment.name)
        told = [entry for entry in experiment.published if entry.original]
        if results is None:
            kinds[MISSING] += len(told)
            continue
        for entry in told:
            kinds[verdict(experiment, entry, results).kind] += 1
        claims += [(experiment, answer)
                   for answer in answers(experiment, record)]
    return kinds, claims


def unexplained(paper, record):
    """What differs and says no reason, for whoever writes the paper's file."""
    for experiment in paper.experiments.values():
        results = record.results.get(experiment.name)
        for entry in experiment.published if results else []:
            found = verdict(experiment, entry, results)
            if found.kind == DIFFERENT and not found.reason:
                yield '%s: %s: %s at %s' % (
                    paper.name, experiment.name, entry.metric,
                    ' '.join(point_cells(experiment, entry.point)))
        for answer in answers(experiment, record) if results else []:
            if answer.holds is False and not answer.reason:
                yield '%s: %s: %s' % (paper.name, experiment.name,
                                      answer.text)


def page(paper, record, folder):
    out = NOT_EDITED + '\n# %s\n\n' % paper.title
    if paper.about:
        out += paper.about.strip() + '\n\n'
    out += ('Ours: mean ± standard deviation over the seeds. '
            '[How a verdict is found](README.md#verdicts).\n\n')
    for told in paper.table.get('overview', []):
        out += overview(paper, record, told)
    for experiment in paper.experiments.values():
        out += section(experiment, record, folder / paper.name)
    return out.rstrip() + '\n'


def summary(papers, records):
    lines = []
    for paper in papers:
        kinds, claims = count(paper, records[paper.name])
        held = sum(answer.holds is True for _, answer in claims)
        ran = sum(answer.holds is not None for _, answer in claims)
        lines.append([
            '[%s](%s.md)' % (paper.name, paper.name), paper.title,
            kinds[WITHIN], kinds[ORDER], kinds[DIFFERENT], kinds[MISSING],
            '%d of %d' % (held, ran)])
    return table(['', 'paper', 'reproduced', 'same ordering', 'different',
                  'not run', 'statements that hold'], lines)


def link(experiment):
    return '[%s](%s.md#%s)' % (
        experiment.source, experiment.paper.name, anchor(heading(experiment)))


def must_hold(papers, records):
    lines = []
    for paper in papers:
        for experiment, answer in count(paper, records[paper.name])[1]:
            if answer.claim.must:
                lines.append([paper.name, link(experiment), answer.text,
                              MARKS[answer.holds]])
    return table(['', 'where', 'what must hold', 'ours'], lines)


def first_numbers(experiment, value, results):
    """The first published number of a system, as cells."""
    for entry in experiment.published:
        if entry.point.get('system') == value and entry.original:
            metric = experiment.metrics[entry.metric]
            rest = ', '.join('%s %s' % (
                experiment.labels.get(name, name),
                experiment.label(name, entry.point[name]))
                for name in varying(experiment) if name != 'system')
            return [title_of(metric) + (' (%s)' % rest if rest else ''),
                    entry.target.text + READ[entry.read],
                    ours_text(experiment, entry.metric, entry.point, results),
                    difference(experiment, entry, results),
                    verdict(experiment, entry, results).text]
    return ['no number published', '–', '–', '–', '–']


def system_index(papers, records):
    """Which experiments show a system, and what came out."""
    found = {name.lower(): [] for name in SYSTEMS}
    for paper in papers:
        for experiment in paper.experiments.values():
            results = records[paper.name].results.get(experiment.name)
            for value in experiment.sweep.get('system', []):
                name = experiment.system(value).lower()
                if name in found and results is not None:
                    found[name].append(
                        [paper.name[:3] + ' ' + link(experiment),
                         *first_numbers(experiment, value, results)])
    lines = []
    for name in SYSTEMS:
        rows = found[name.lower()] or [['no row', *'–––––']]
        lines += [[name if row is rows[0] else '', *row] for row in rows]
    return table(['system', 'where', 'for example', 'published', 'ours',
                  'difference', 'verdict'], lines)


VERDICTS = '''## Verdicts

- **reproduced within x**: our mean is that near to the published number: per
  cent of it, or points where the number is itself a share in per cent. A bound
  or range of the paper is reproduced when our mean is inside.
- **same ordering**: further away, but wherever the paper puts this number
  clearly above or below one of its row or column, ours is, too.
- **different**: neither; with the reason, where one was found.

What the paper says in words is asked of our means; beside the answer are the
numbers that were asked for.

A number is as printed in a table, unless it says *(text)*, for a sentence of the
paper, or *(by eye)*, with a tolerance. *(ns-2)* is no number of the paper, but
what Debian's ns-2, the papers' simulator, gives in the same network today; the
summary does not count it. What was only in a drawn curve cannot be had from the
text that we have of the papers, and nothing stands for it here.
'''


PAPERS = '''## The papers

- S. Cen, P. C. Cosman, G. M. Voelker: *End-to-End Differentiation of Congestion
  and Wireless Losses*, IEEE/ACM Transactions on Networking 11(5), 2003,
  [10.1109/TNET.2003.818187](https://doi.org/10.1109/TNET.2003.818187).
  Biaz, mBiaz, Spike, ZigZag, ZBS and the omniscient bound.
- P. Papadimitriou, V. Tsaoussidis, C. Zhang: *End-to-end loss differentiation
  for video streaming with wireless link errors*, Springer, 2009. SSVP, LD, the
  Vegas predictor, GAIMD; metrics.
- D. Barman, I. Matta: *Effectiveness of Loss Labeling in Improving TCP
  Performance in Wired/Wireless Networks*, Boston University. Flip-flop,
  loss labelling, NewReno with either; P[C|C] and P[W|W].
- S. Bhandarkar, N. E. Sadry, A. L. N. Reddy, N. H. Vaidya: *TCP-DCR: A Novel
  Protocol for Tolerating Wireless Channel Errors*, IEEE Transactions on Mobile
  Computing 4(5), 2005. DCR.
- K. D. Singh, D. Ros, L. Toutain, C. Viho: *Improvement of Multimedia Streaming
  using Estimation of Wireless losses*, IRISA PI 1792, 2006,
  [inria-00001168](https://inria.hal.science/inria-00001168). WLED, ARC.
- S. Floyd, M. Handley, J. Padhye, J. Widmer: *TCP Friendly Rate Control
  (TFRC)*, [RFC 5348](https://www.rfc-editor.org/rfc/rfc5348), 2008.
'''


def readme(papers, records):
    return (NOT_EDITED + '\n# The papers, reproduced\n\n'
            'The library in ns-3, in the networks of the papers, beside '
            "ns-3's own TCP.\nHow it is done: "
            '[tests/papers](../../tests/papers/README.md). All of it again: '
            '`tools/papers`.\n\n'
            + summary(papers, records)
            + '## What must hold\n\n' + must_hold(papers, records)
            + '## Systems\n\n' + system_index(papers, records) + VERDICTS
            + '\n' + PAPERS)


def write(folder, papers, records, changed):
    """The pages of what changed, and the summary of all."""
    folder.mkdir(parents=True, exist_ok=True)
    for paper in papers:
        if paper.name in changed:
            text = page(paper, records[paper.name], folder)
            (folder / (paper.name + '.md')).write_text(text, encoding='utf-8')
    (folder / 'README.md').write_text(readme(papers, records),
                                      encoding='utf-8')
