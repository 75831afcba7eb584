# The page of results.json: one HTML file with everything in it.
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import re
from html import escape

import chart
import panels
from figures import BY_NAME, METRICS, PLACE_BY, Figures, known

RARE = ('rate_settle_s', 'queue_settle_s')
HERE = os.path.dirname(os.path.abspath(__file__))
ANSWERS = {True: ('yes', 'yes'), False: ('no', 'no'),
           None: ('open', 'not known')}


def sub(text):
    return re.sub(r'\bM_([cw])\b', r'M<sub>\1</sub>', text)


def slug(name):
    return 'link-' + re.sub(r'[^a-z0-9]+', '-', name.lower())


def cell(text, value, best=False, half=None):
    inner = escape(text)
    if best:
        inner = '<b class="best" title="the best">%s</b>' % inner
    if half:
        inner += '<small>± %s</small>' % escape(half)
    return '<td data-v="%s">%s</td>' % (
        '' if value is None else '%.6g' % value, inner)


def metric_cells(figures, links, system, systems, metrics):
    found = ''
    for metric in metrics:
        spread = figures.spread(metric.name, links, system)
        found += cell(metric.show(spread.mean), spread.mean,
                      system in figures.best(metric, links, systems),
                      None if spread.half is None
                      else metric.show(spread.half))
    return found


def share_cells(figures, links, system, tcps, streams):
    spreads = [figures.share(tcp, links, system) for tcp in tcps]
    if streams:
        spreads.append(figures.spread('jain', links, system))
    if tcps or streams:
        spreads.insert(0, figures.spread('own_share', links, system))
    return ''.join(cell(
        '–' if spread.mean is None else '%.2f' % spread.mean, spread.mean,
        half=None if spread.half is None else '%.2f' % spread.half)
        for spread in spreads)


def seeds_text(figures, links, system):
    counts = {len(figures.seeds(link, system)) for link in links}
    return '–'.join(str(n) for n in sorted({min(counts), max(counts)}))


def ranking(figures, links):
    """The table of one group."""
    ran = figures.ran(links)
    places = figures.places(links, ran)
    tcps = figures.tcps(links)
    streams = any(link.get('streams') for link in links)
    # Who has no step has no column for it.
    metrics = [metric for metric in METRICS if metric.name not in RARE or any(
        figures.spread(metric.name, links, system).mean is not None
        for system in ran)]
    heads = [('', ''), ('mean', 'place'), ('', 'seeds')]
    if tcps or streams:
        heads += [('own', 'share')]
        heads += [(tcp.split()[0], 'share') for tcp in tcps]
        heads += [('', 'Jain')] if streams else []
    heads += [metric.heading for metric in metrics]
    head = ''.join('<th scope="col">%s</th>' % sub('<br>'.join(
        filter(None, map(escape, two)))) for two in heads)
    body = []
    for system in ran:
        body.append(
            '<tr><th scope="row">%s</th>%s%s%s%s</tr>' % (
                escape(figures.systems[system]['title']),
                cell('%.1f' % places[system], places[system]),
                cell(seeds_text(figures, links, system),
                     len(figures.seeds(links[0], system))),
                share_cells(figures, links, system, tcps, streams),
                metric_cells(figures, links, system, ran, metrics)))
    for system in figures.systems:
        why = figures.state(links, system)
        if why or system not in ran:
            body.append(
                '<tr class="none"><th scope="row">%s</th><td colspan="%d">'
                '<span>%s</span></td></tr>' % (
                    escape(figures.systems[system]['title']),
                    len(heads) - 1, escape(why or 'not run')))
    return ('<div class="wide" tabindex="0" role="region" aria-label="%s">'
            '<table class="sortable"><thead><tr>%s</tr></thead><tbody>%s'
            '</tbody></table></div>' % (
                escape(links[0]['group_title']), head, '\n'.join(body)))


def meaning():
    rows = [('place', 'mean of the places by %s: what a viewer notices' %
             '; '.join(BY_NAME[name].title for name in PLACE_BY))]
    rows += [(metric.title, metric.text) for metric in METRICS]
    rows += [('share', 'of TCPs beside the stream, and of the stream: what '
              'came through the line over capacity by the number of flows; 1 is fair'),
             ('Jain', 'index of fairness of the stream and those beside it: 1 '
              'if all have the same, 1/n if one has all'),
             ('±', 'half the 95 % confidence interval of the mean over the '
              'seeds (Student’s t)'),
             ('bold', 'the best mean of the column')]
    return ('<details><summary>What the columns mean</summary><dl>%s</dl>'
            '</details>' % ''.join('<dt>%s</dt><dd>%s</dd>' % (
                sub(escape(name)), escape(text)) for name, text in rows))


def claims(found):
    if not found:
        return ''
    rows = ''.join(
        '<tr><td class="answer %s">%s</td><td>%s<small>%s</small>'
        '<code>%s</code></td></tr>' % (
            *ANSWERS[claim['holds']], escape(claim['text']),
            escape(claim['figures']), escape(claim['check']))
        for claim in found)
    return ('<h2 id="claims">Claims</h2><table class="claims"><tbody>%s'
            '</tbody></table>' % rows)


def said(result):
    """A few numbers of one run, over its panel."""
    words = []
    for name, form in (('ssim', 'SSIM %s'), ('frozen_s', 'frozen %s s'),
                       ('latency_ms_p95', 'latency p95 %s ms'),
                       ('utilisation', 'link used %s')):
        metric = BY_NAME[name]
        value = (result.get(metric.part) or {}).get(name)
        if known(value):
            words.append(form % metric.show(value))
    return '; '.join(words)


def strip(figures, link, chosen, at):
    pictures = ''
    for system, seed in chosen.items():
        found = figures.cell(link['name'], system, seed)
        title = figures.systems[system]['title']
        if found.get('picture'):
            pictures += (
                '<figure><img src="%s" alt="What %s showed at %g s" '
                'loading="lazy"><figcaption>%s</figcaption></figure>' % (
                    escape(found['picture']), escape(title), at,
                    escape(title)))
    if not pictures:
        return ''
    return ('<p class="soft">On the screen %g s after the start:</p>'
            '<div class="strip">%s</div>' % (at, pictures))


def over_time(figures, link, told):
    """Picture strip and panels of one link, of the first seed there is."""
    # In the set's order, which is the same for all links.
    chosen = {system: min(figures.seeds(link, system))
              for system in figures.systems if figures.seeds(link, system)}
    if not chosen:
        return '<p class="soft">Nothing has run on this link.</p>'
    first = min(chosen.values())
    results = {system: figures.seeds(link, system)[seed]
               for system, seed in chosen.items()}
    axes = panels.Axes(link, link.get('warmup', told['warmup']), [
        result.get('series') or {} for result in results.values()])
    shown = ''.join(panels.panel(
        axes, figures.systems[system]['title'] + (
            '' if chosen[system] == first else ' (seed %d)' % chosen[system]),
        said(result), result.get('series') or {})
        for system, result in results.items())
    at = told['picture'] * link['seconds']
    return ('%s<p class="soft">Over time, seed %d:</p><div class="panels">%s'
            '</div>' % (strip(figures, link, chosen, at), first, shown))


def link_section(figures, link, told, unfold):
    beside = ''
    if link['tcp']:
        beside += '; beside it TCP ' + ', '.join(link['tcp'].values())
    if link.get('streams'):
        beside += '; beside it %d more streams' % len(link['streams'])
    return ('<details class="link"%s><summary><h3>%s</h3></summary>'
            '<p class="soft"><code>%s</code>, back <code>%s</code>%s</p>%s'
            '</details>' % (
                ' open' if unfold else '', escape(link['title']),
                escape(link['there'] or 'at once'),
                escape(link['back'] or 'at once'), escape(beside),
                over_time(figures, link, told)))


def group_section(figures, links):
    systems = figures.ran(links)
    about = links[0]['about']
    return '<section><h3 id="%s">%s</h3>%s%s%s</section>' % (
        slug(links[0]['group']), escape(links[0]['group_title']),
        '<p>%s</p>' % escape(about) if about else '',
        ranking(figures, links),
        panels.sweep_charts(figures, links, systems))


def made(found):
    machine = found['machine']
    jobs = max([1] + [cell.get('jobs', 1) for cell in found['cells']])
    rows = (('Command', '<code>%s</code>' % escape(found['command'])),
            ('Commit', escape(found['commit'])),
            ('Date', escape(found['date'])),
            ('Runs', escape(found['runs'])),
            ('Seeds', escape(' '.join(map(str, found['seeds'])))),
            ('Machine', escape('%d cores%s, Linux %s, load %.1f' % (
                machine['cores'],
                ' of ' + machine['cpu'] if machine['cpu'] else '',
                machine['kernel'], machine['load']))),
            *([('Beware', escape('some results are of other builds: %s' %
                                 ' '.join(found['older'])))]
              if found['older'] else []))
    return ('<h2 id="made">How it was made</h2><p>Each run is in real time: '
            'rtpadapt-link joins two network namespaces by the link’s text, '
            'rtpadapt-measure sends the clip from one to the other and '
            'compares what came on the screen with it. The same clip, encoder '
            'settings and seeds for all; %s.</p>'
            '<dl class="made">%s</dl>' % (
                'one run at a time' if jobs == 1
                else 'up to %d runs at a time' % jobs, ''.join(
                    '<dt>%s</dt><dd>%s</dd>' % row for row in rows)))


SCRIPT = '''document.querySelectorAll("table.sortable").forEach(table => {
  table.querySelectorAll("thead th").forEach((head, i) => {
    if (i == 0) return;
    const sort = () => {
      const up = head.getAttribute("aria-sort") != "ascending";
      table.querySelectorAll("thead th").forEach(
        other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const value = row => row.cells[i] && row.cells[i].dataset.v
        ? +row.cells[i].dataset.v : NaN;
      [...body.rows].sort((a, b) => {
        const x = value(a), y = value(b);
        if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
        return up ? x - y : y - x;
      }).forEach(row => body.append(row));
    };
    head.tabIndex = 0;
    head.title = "sort";
    head.addEventListener("click", sort);
    head.addEventListener("keydown", event => {
      if (event.key == "Enter") sort();
    });
  });
});'''

PAGE = '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{css}</style>
</head>
<body>
<h1>{title}</h1>
{about}
<nav>{nav}</nav>
<h2>Ranking</h2>
{groups}
{meaning}
{claims}
<h2 id="time">Over time</h2>
<p>All panels of a link have the same scales. A good run follows the edge of
the grey capacity without filling the queue. Lost packets stand upwards by
their true cause, which the link tells; downwards by what the sender said of
them, where it judges losses at all. The shaded start is not measured. Point at
a plot for its numbers.</p>
{key}
{links}
{made}
<script>
{script}
</script>
</body>
</html>
'''


def render(found):
    """The page of what results.json has."""
    figures = Figures(found)
    groups = list(figures.groups.values())
    nav = [(slug(links[0]['group']), links[0]['group_title'])
           for links in groups]
    if found['claims']:
        nav.append(('claims', 'Claims'))
    nav += [('time', 'Over time'), ('made', 'How it was made')]
    with open(os.path.join(HERE, 'compare.css'), encoding='utf-8') as file:
        css = chart.style('page.css') + file.read()
    sections = []
    for links in groups:
        for i, link in enumerate(links):
            sections.append(link_section(figures, link, found, i == 0))
    return PAGE.format(
        title=escape(found['title']),
        about='<p>%s</p>' % escape(found['about']) if found['about'] else '',
        css=css, nav=' '.join('<a href="#%s">%s</a>' % (
            anchor, escape(title)) for anchor, title in nav),
        groups='\n'.join(group_section(figures, links) for links in groups),
        meaning=meaning(), claims=claims(found['claims']), key=panels.key(),
        links='\n'.join(sections), made=made(found), script=SCRIPT)


COLUMNS = ('ssim', 'vmaf', 'frozen_s', 'longest_freeze_s', 'latency_ms_p95',
           'utilisation', 'queue_ms_p95', *RARE, 'delayed_packet_ratio',
           'fec_overhead', 'residual_loss')


def markdown(found):
    """The README's table: what has been measured, nothing else."""
    figures = Figures(found)
    lines = ['`%s`, commit %s, %s:' % (
        found['command'], found['commit'], found['runs']), '']
    for links in figures.groups.values():
        ran = figures.ran(links)
        shown = [BY_NAME[name] for name in COLUMNS if any(
            figures.spread(name, links, system).mean is not None
            for system in ran)]
        tcps = figures.tcps(links)
        streams = any(link.get('streams') for link in links)
        heads = ([links[0]['group_title']]
                 + [metric.title for metric in shown]
                 + (['own share'] if tcps or streams else [])
                 + ['share of ' + tcp.split()[0] for tcp in tcps]
                 + (['Jain'] if streams else []))
        lines += ['| %s |' % ' | '.join(heads), '|%s' % ('---|' * len(heads))]
        share = BY_NAME['utilisation']
        for system in ran:
            spreads = [(metric, figures.spread(metric.name, links, system))
                       for metric in shown]
            if tcps or streams:
                spreads.append((share, figures.spread('own_share', links,
                                                      system)))
            spreads += [(share, figures.share(tcp, links, system))
                        for tcp in tcps]
            if streams:
                spreads.append((share, figures.spread('jain', links, system)))
            lines.append('| %s |' % ' | '.join(
                [figures.systems[system]['title'].replace('|', '\\|')]
                + [spread.text(metric) for metric, spread in spreads]))
        lines.append('')
    return '\n'.join(lines)


def summary(found):
    """Means of all groups, for who reads results.json."""
    figures = Figures(found)
    return {group: {system: {
        metric.name: figures.spread(metric.name, links, system).json()
        for metric in METRICS} for system in figures.ran(links)}
        for group, links in figures.groups.items()}
