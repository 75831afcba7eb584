# What tools/papers says on a terminal, and to a test harness (TAP).
# SPDX-License-Identifier: LGPL-2.1-or-later
import math

from verdict import Claims, answers, number_text, verdict


def ours_text(experiment, metric, point, results):
    """Mean, and the standard deviation of the seeds."""
    text = number_text(results.mean(metric, point),
                       experiment.metrics[metric].digits)
    spread = results.sd(metric, point)
    if not math.isnan(spread):
        digits = len(text.partition('.')[2])
        text += ' ± ' + number_text(spread, max(digits, 1))
    return text


def rows(experiment, results):
    """One per point and metric: words, metric, published, ours, verdict."""
    published = {}
    for entry in experiment.published:
        published.setdefault((results.key(entry.point), entry.metric),
                             []).append(entry)
    for point in experiment.points:
        if not results.seeds(point):
            continue
        for metric in experiment.metrics:
            ours = ours_text(experiment, metric, point, results)
            words = Claims.words(experiment, point)
            for entry in published.get((results.key(point), metric), [None]):
                if entry is None:
                    yield words, metric, '', ours, ''
                else:
                    found = verdict(experiment, entry, results)
                    yield (words, metric, entry.target.text, ours, found.text)


def print_table(lines):
    lines = [tuple(map(str, line)) for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print('  ' + '  '.join(
            cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


MARKS = {True: 'yes', False: 'NO', None: '–'}


def show(experiment, record):
    """Numbers and claims of one experiment."""
    results = record.results.get(experiment.name)
    if results is None:
        return
    print('%s: %s: %s' % (experiment.paper.name, experiment.name,
                          experiment.title))
    print_table([('', '', 'published', 'ours', ''),
                 *rows(experiment, results)])
    for answer in answers(experiment, record):
        print('  %s%s: %s (%s)' % (
            MARKS[answer.holds], ' (must)' if answer.claim.must else '',
            answer.text, answer.numbers))
        for failed in answer.failed:
            print('      not %s' % failed)
    print(flush=True)


class Tap:
    """A line for each claim that must hold or is for the subset.

    What was not asked, or not run, is no line: it could not fail.
    """

    def __init__(self):
        self.count = self.failed = self.excused = 0

    def line(self, good, text, directive='', said=()):
        self.count += 1
        print('%sok %d - %s%s' % ('' if good else 'not ', self.count,
                                  text.replace('#', ''), directive))
        for line in said:
            print('# ' + line)

    def experiment(self, experiment, record, subset):
        for answer in answers(experiment, record):
            claim = answer.claim
            if not (claim.must or claim.short) or not answer.done:
                continue
            text = '%s: %s: %s' % (experiment.paper.name, experiment.name,
                                   answer.text)
            said = [answer.numbers, *answer.failed]
            if answer.holds:
                self.line(True, text, '', said[:1])
            elif answer.excused:
                # No worse than what the reason names; else a failure.
                self.excused += 1
                self.line(False, text, ' # TODO %s' % ' '.join(
                    answer.reason.split()), said)
            else:
                self.failed += 1
                self.line(False, text, '', said + [
                    'not excused: %s, margin %.3f' % (
                        point.where or 'here', point.margin)
                    for point in answer.wrong if not point.excused])

    def plan(self):
        if self.count:
            print('# %d lines, each can fail; %d fail, %d of them excused '
                  'down to a bound' % (self.count,
                                       self.failed + self.excused,
                                       self.excused))
            print('1..%d' % self.count)
        else:
            print('1..0 # SKIP no claim is marked must or short')
