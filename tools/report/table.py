# Results as rows of text, for the terminal and the page.
# SPDX-License-Identifier: LGPL-2.1-or-later
import busy


def name(run):
    return '%s+%s' % (run['controller'], run['lda'])


def _number(form, scale=1, unit=''):
    def show(value):
        return '-' if value is None else form % (value * scale) + unit
    return show


# Keys of the result, heading in two lines, how to show, what it means.
COLUMNS = (
    (('utilisation',), 'link', 'used', _number('%.2f'),
     'share of the bottleneck’s capacity that was used'),
    (('goodput_bps',), 'goodput', 'Mb/s', _number('%.2f', 1e-6),
     'what arrived at the receiver'),
    (('m_c',), '', 'M_c', _number('%.2f'),
     'share of the congestion losses that were taken for wireless; '
     'high harms others'),
    (('m_w',), '', 'M_w', _number('%.2f'),
     'share of the wireless losses that were taken for congestion; '
     'high harms oneself'),
    (('queue_ms_p50',), 'wait', 'p50', _number('%.0f'),
     'how much later than the fastest packet the median one came, in ms: the '
     'bottleneck’s queue, and jitter'),
    (('queue_ms_p95',), 'wait', 'p95', _number('%.0f'),
     'the same, which 19 of 20 packets stay below'),
    (('delayed_packet_ratio',), 'late', '%', _number('%.2f', 100),
     'packets that came more than 75 ms after the one before'),
    (('fec_overhead',), 'FEC', '%', _number('%.0f', 100),
     'repair packets per media packet'),
    (('residual_loss',), 'still', 'lost %', _number('%.2f', 100),
     'media packets that were missing after repair'),
    (('frozen_s',), 'frozen', 's', _number('%.1f'),
     'time for which frames were missing and the last one stood still'),
    (('frames_decoded', 'frames_sent'), 'frames', 'shown',
     _number('%d'), 'that the decoder gave out, of those encoded'),
    (('ssim',), '', 'SSIM', _number('%.3f'),
     'likeness of what was shown and the clip, 1 is the same; '
     'a missing frame repeats the last one'),
)


def cells(run):
    return [name(run)] + ['/'.join(show(run.get(key)) for key in keys)
                          for keys, _, _, show, _ in COLUMNS]


def text(runs):
    """The table for a terminal: heading in two lines, a line per run."""
    rows = [[''] + [column[1] for column in COLUMNS],
            [''] + [column[2] for column in COLUMNS]]
    rows += [cells(run) for run in runs]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        line = [row[0].ljust(widths[0])]
        line += [cell.rjust(w) for cell, w in zip(row[1:], widths[1:])]
        lines.append('  '.join(line).rstrip())
    return '\n'.join(lines)


def _by_lda(runs):
    """Per controller, its runs that carried something to the end, by LDA."""
    found = {}
    for run in runs:
        if run['goodput_bps'] and not run['cut']:
            found.setdefault(run['controller'], {})[run['lda']] = run
    return found


def _sentence(ldas, references):
    known = [ldas[lda] for lda in references if lda in ldas]
    others = [run for lda, run in ldas.items() if lda not in references]
    if not others or not known:
        return None
    best, least = max(others, key=lambda run: run['goodput_bps']), known[0]
    text = '%s carries %s.' % (name(best), ', and '.join(
        '%.2f times what %s does, which %s' % (
            best['goodput_bps'] / run['goodput_bps'], name(run),
            references[run['lda']]) for run in known))
    if None not in (least['frozen_s'], best['frozen_s']):
        text += ' The picture stands still for %.1f s, with %s for %.1f s.' % (
            best['frozen_s'], name(least), least['frozen_s'])
    if None not in (least['ssim'], best['ssim']):
        text += ' Its likeness to the clip (SSIM) is %.3f, with %s %.3f.' % (
            best['ssim'], name(least), least['ssim'])
    return text


def _cut(run):
    series = run['series']
    return '%s was ended after %.0f s, and its row is of these alone.' % (
        name(run), len(series['queue_ms']) * series['bin_s'])


def _busy(runs):
    """Of the runs that the machine may have spoilt."""
    found = [run for run in runs if run['processors_busy'] > busy.MOST
             or run['processors_stolen'] > busy.STOLEN]
    if not found:
        return None
    return ('The machine had too much to do (%s), so the numbers may not be those of '
            'the algorithms; run it again when the machine is idle.' % ', '.join(
                '%s: %.0f %% busy, %.0f %% taken by its host' % (
                    name(run), 100 * run['processors_busy'],
                    100 * run['processors_stolen']) for run in found))


def sentences(runs, references):
    """What the numbers say: one or two sentences for each controller, which runs
    were cut short, and during which the machine was too busy.
    `references`: what the LDAs do with a loss that others are compared with."""
    found = [_sentence(ldas, references) for ldas in _by_lda(runs).values()]
    found += [_cut(run) for run in runs if run['cut']]
    found.append(_busy(runs))
    return [sentence for sentence in found if sentence]
