# What is read from the cells: metrics, means over seeds, places, claims.
# SPDX-License-Identifier: LGPL-2.1-or-later
import ast
import math
import statistics

from expressions import Expression, NotRun, PaperError, jain
from setfile import CompareError

# Student's t, 0.975, for 1 to 30 degrees of freedom (any book's table); above
# 30 the last one, which is a little too wide.
T975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


class Metric:
    def __init__(self, part, name, title, heading, digits, better, text,
                 scale=1):
        self.part, self.name, self.title = part, name, title
        self.heading = heading  # two lines
        self.digits, self.scale = digits, scale
        self.better = better    # 1: high, -1: low, 0: neither
        self.text = text

    def show(self, value):
        if value is None:
            return '–'
        return '%.*f' % (self.digits, value * self.scale)

    def sentence(self, found):
        """Figures of one system or of two, with what they are."""
        title, _, unit = self.title.partition(', ')
        return ' '.join(filter(None, (title, ' against '.join(found), unit)))


METRICS = [Metric(*row) for row in (
    ('viewer', 'ssim', 'SSIM', ('', 'SSIM'), 3, 1,
     'likeness of what was on the screen and the clip; 1 is the same'),
    ('viewer', 'vmaf', 'VMAF', ('', 'VMAF'), 1, 1,
     'what viewers would say of it, 0 to 100'),
    ('viewer', 'frozen_s', 'frozen, s', ('frozen', 's'), 1, -1,
     'time for which the picture stood still, or was too damaged to tell '
     'which one it was'),
    ('viewer', 'longest_freeze_s', 'longest freeze, s', ('longest', 's'), 1,
     -1, 'longest time for which it did'),
    ('viewer', 'latency_ms_p50', 'latency p50, ms', ('latency', 'p50 ms'), 0,
     -1, 'from a frame’s entry into the sender to the screen: median of those '
     'that were shown'),
    ('viewer', 'latency_ms_p95', 'latency p95, ms', ('', 'p95 ms'), 0, -1,
     '19 of 20 frames that were shown stay below'),
    ('viewer', 'latency_ms_p99', 'latency p99, ms', ('', 'p99 ms'), 0, -1,
     '99 of 100 frames that were shown stay below'),
    ('viewer', 'latency_step_ms', 'latency step, ms', ('', 'step ms'), 0, -1,
     'the largest change of the latency from a frame to the next'),
    ('path', 'utilisation', 'link used', ('link', 'used'), 2, 1,
     'share of the bottleneck’s capacity that the stream used'),
    ('path', 'goodput_bps', 'goodput, Mb/s', ('goodput', 'Mb/s'), 2, 1,
     'what arrived of the stream', 1e-6),
    ('path', 'queue_ms_p95', 'queue p95, ms', ('queue', 'p95 ms'), 0, -1,
     'time in the bottleneck’s queue, 19 of 20 packets stay below'),
    ('path', 'ramp_s', 'until .9 of the line, s', ('until', '.9, s'), 1, -1,
     'from the first packet until half a second used .9 of the line; the whole '
     'run if none did'),
    ('path', 'rate_settle_s', 'rate follows, s', ('rate', 'follows s'), 1, -1,
     'after a step of the line to .75 or less: until the estimated bitrate was '
     'no more than the line; the slowest'),
    ('path', 'queue_settle_s', 'queue drained, s', ('queue', 'drained s'), 1,
     -1, 'after such a step: until nothing had waited for 25 ms for half a '
     'second; the slowest'),
    ('viewer', 'delayed_packet_ratio', 'late packets, %', ('late', '%'), 2, -1,
     'packets that came more than 75 ms after the one before', 100),
    ('stream', 'm_c', 'M_c', ('', 'M_c'), 2, -1,
     'share of the congestion losses that were taken for wireless'),
    ('stream', 'm_w', 'M_w', ('', 'M_w'), 2, -1,
     'share of the wireless losses that were taken for congestion'),
    ('stream', 'fec_overhead', 'FEC, %', ('FEC', '%'), 0, 0,
     'repair packets per media packet', 100),
    ('stream', 'residual_loss', 'still lost, %', ('still', 'lost %'), 2, -1,
     'media packets that were missing after repair', 100),
    ('stream', 'source_skipped', 'frames skipped', ('frames', 'skipped'), 0,
     0, 'that this machine was too slow to hand to the sender: a few are '
     'nothing, many make the run worthless'),
)]
BY_NAME = {metric.name: metric for metric in METRICS}
BETTER = {'own_share': 1, 'least_share': 1, 'jain': 1,
          **{name: metric.better for name, metric in BY_NAME.items()}}
# What a viewer notices decides about the place.
PLACE_BY = ('ssim', 'frozen_s', 'latency_ms_p95')
PARTS = ('viewer', 'path', 'stream')
# Without such a loss there is no share of them, on a link or in a seed.
MAY_LACK = ('m_c', 'm_w')


def known(value):
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and math.isfinite(value))


def fair(result, link):
    """What each of the flows that are meant to run would have, in bit/s."""
    capacity = (result.get('path') or {}).get('capacity_bps')
    if not known(capacity) or not capacity > 0:
        return None
    return capacity / (1 + len(link['tcp']) + len(link.get('streams', ())))


def shares(result, link):
    """{"cubic 5201": of a fair share} of the TCPs beside the stream."""
    each = fair(result, link)
    if each is None or result.get('others') is None:
        return {}
    # One that got less than 1 % is not among the others.
    found = {tcp + ' ' + port: 0 for port, tcp in link['tcp'].items()}
    for other in result['others']:
        port = str(other.get('name', '')).split(' ')[-1]
        if port in link['tcp'] and known(other.get('goodput_bps')):
            found[link['tcp'][port] + ' ' + port] += (
                other['goodput_bps'] / each)
    return found


def fairness(result, link):
    """Jain's index of the stream and the streams beside it, without TCPs."""
    own = (result.get('path') or {}).get('goodput_bps')
    if not link.get('streams') or not known(own) or (
            result.get('others') is None):
        return None
    # One that got less than 1 % is not among the others.
    found = {'udp %d' % port: 0 for port in link['streams']}
    for other in result['others']:
        if other.get('name') in found and known(other.get('goodput_bps')):
            found[other['name']] += other['goodput_bps']
    index = jain([own, *found.values()])
    return index if known(index) else None


def value_of(result, name, link):
    """A metric of one run, None if it is not known."""
    if name in ('least_share', 'most_share'):
        found = shares(result, link).values()
        if not found:
            return None
        return (min if name == 'least_share' else max)(found)
    if name == 'own_share':
        each = fair(result, link)
        goodput = (result.get('path') or {}).get('goodput_bps')
        return goodput / each if each and known(goodput) else None
    if name == 'jain':
        return fairness(result, link)
    for part in PARTS:
        value = (result.get(part) or {}).get(name)
        if known(value):
            return value
    return None


NAMES = {'least_share', 'most_share', 'own_share', 'jain', 'capacity_bps',
         'frames_sent', 'frames_shown', 'freezes', 'queue_ms_p50', 'sent',
         'congestion_losses', 'wireless_losses', 'packet_loss_ratio',
         'encoder_bps', 'sender_cpu_s', 'receiver_cpu_s', *BY_NAME}


def metric_of(name):
    """With a title also where no table shows it."""
    return BY_NAME.get(name) or Metric(
        '', name, name.replace('_', ' '), ('', ''), 2, 0, '')


class Spread:
    """A mean over seeds, and how sure it is."""

    def __init__(self, values):
        self.values = values
        self.n = len(values)
        self.mean = statistics.fmean(values) if values else None
        self.half = None
        if self.n > 1:
            self.half = (T975[min(self.n - 1, len(T975)) - 1]
                         * statistics.stdev(values) / math.sqrt(self.n))

    def text(self, metric):
        if self.mean is None:
            return '–'
        text = metric.show(self.mean)
        return text if self.half is None else '%s ± %s' % (
            text, metric.show(self.half))

    def range(self, metric):
        """Of the seeds."""
        return ' to '.join(dict.fromkeys(
            metric.show(value) for value in (min(self.values), max(self.values))))

    def json(self):
        return {'mean': self.mean, 'half': self.half, 'n': self.n}


class Figures:
    """Of results.json: its links, systems and cells."""

    def __init__(self, found):
        self.links = {link['name']: link for link in found['links']}
        self.systems = {system['name']: system for system in found['systems']}
        self.cells = {}  # (link, system): {seed: cell}
        for cell in found['cells']:
            self.cells.setdefault((cell['link'], cell['system']), {})[
                cell['seed']] = cell
        self.groups = {}
        for link in found['links']:
            self.groups.setdefault(link['group'], []).append(link)

    def cell(self, link, system, seed):
        return self.cells.get((link, system), {}).get(seed)

    def state(self, links, system):
        """Of a row of a table: why there is nothing, or not everything."""
        found = [cell for link in links
                 for cell in self.cells.get((link['name'], system), {})
                 .values()]
        missing = [cell for cell in found if cell['state'] == 'missing']
        failed = [cell for cell in found if cell['state'] == 'failed']
        if missing:
            return 'not installed: ' + missing[0]['reason']
        if failed:
            return '%d of %d runs failed: %s' % (
                len(failed), len(found), failed[0]['reason'])
        return '' if found else 'not run'

    def seeds(self, link, system):
        return {seed: cell['result'] for seed, cell
                in self.cells.get((link['name'], system), {}).items()
                if cell['state'] == 'ok'}

    def over_seeds(self, links, system, read, partial=False):
        """Per seed the mean over the links, where all of them have run;
        partial: over those of them where it is known."""
        runs = [(link, self.seeds(link, system)) for link in links]
        found = []
        for seed in sorted(set.intersection(*(set(r) for _, r in runs))
                           if runs else ()):
            values = [read(results[seed], link) for link, results in runs]
            if partial:
                values = [value for value in values if value is not None]
            if values and None not in values:
                found.append(statistics.fmean(values))
        return Spread(found)

    def spread(self, name, links, system):
        return self.over_seeds(
            links, system, lambda result, link: value_of(result, name, link),
            name in MAY_LACK)

    def asked(self, links, system):
        """How many seeds were meant to give a value: those that ran on all links, and
        those that failed. A link may have more seeds than another."""
        return len(set.intersection(*(
            {seed for seed, cell in self.cells.get((link['name'], system), {}).items()
             if cell['state'] != 'not run'} for link in links)))

    def share(self, who, links, system):
        return self.over_seeds(links, system, lambda result, link: shares(
            result, link).get(who))

    def tcps(self, links):
        """"cubic 5201" of the TCPs beside the stream, in their order."""
        return list(dict.fromkeys(
            '%s %s' % (name, port) for link in links
            for port, name in sorted(link['tcp'].items())))

    def ran(self, links):
        """Systems with a result, the best place first."""
        ran = [system for system in self.systems
               if any(self.seeds(link, system) for link in links)]
        places = self.places(links, ran)
        return sorted(ran, key=lambda system: places[system])

    def places(self, links, systems):
        """Mean place in PLACE_BY; what is not known comes last."""
        total = {system: [] for system in systems}
        for name in PLACE_BY:
            means = {system: self.spread(name, links, system).mean
                     for system in systems}
            if all(value is None for value in means.values()):
                continue
            # As they are shown: what looks the same has the same place.
            metric = BY_NAME[name]
            order = {system: math.inf if value is None
                     else -metric.better * float(metric.show(value))
                     for system, value in means.items()}
            for system in systems:
                total[system].append(1 + sum(
                    other < order[system] for other in order.values()))
        return {system: statistics.fmean(places) if places else math.nan
                for system, places in total.items()}

    def best(self, metric, links, systems):
        """Systems whose mean, as it is shown, is the best; more than one must
        have run."""
        if not metric.better:
            return set()
        means = {system: self.spread(metric.name, links, system).mean
                 for system in systems}
        shown = {system: float(metric.show(value))
                 for system, value in means.items() if value is not None}
        if len(shown) < 2 or len(set(shown.values())) == 1:
            return set()
        best = (max if metric.better > 0 else min)(shown.values())
        return {system for system, value in shown.items() if value == best}


# What a claim calls, and what its words are.
CLAIM_NAMES = {'m': ('metric', 'system', 'group'),
               'each': ('metric', 'system', 'group'),
               'not_worse': ('metric', 'system', 'system', 'group'),
               'better': ('metric', 'system', 'system', 'group')}
DECIDE = ('not_worse', 'better', 'all', 'any')


class Claims:
    """m('ssim', 'default', 'bernoulli', loss=.05): the mean over the seeds and
    the matching links; each(...): its values; not_worse('vmaf', 'default', 'gcc',
    'bernoulli', loss=.05) and better(...): whether the difference of two means
    is within, or beyond, its 95 % interval."""

    def __init__(self, figures):
        self.figures = figures
        self.said = {}  # {metric: {whose: figure}}, in the order of the claim

    def _ask(self, name, system, group, at, show=Spread.text):
        """The spread of what a claim asks for; NotRun's text says what there is
        nothing of."""
        figures = self.figures
        if name not in NAMES:
            raise PaperError("there is no metric '%s'" % name)
        if system not in figures.systems:
            raise NotRun(system)
        links = [link for link in figures.groups.get(group, [])
                 if all(link['point'].get(key) == value
                        for key, value in at.items())]
        if not links:
            raise NotRun(group)
        title = figures.systems[system]['title']
        if not all(figures.seeds(link, system) for link in links):
            raise NotRun(title)
        metric = metric_of(name)
        spread = figures.spread(name, links, system)
        what = '%s of %s' % (metric.title.partition(', ')[0], title)
        if not spread.values:
            raise NotRun(what)
        # The seeds that lack it may be the worst: the mean of the others is no figure.
        lacking = figures.asked(links, system) - spread.n
        if lacking > 0 and name not in MAY_LACK:
            raise NotRun('%s in %d of %d seeds' % (what, lacking, lacking + spread.n))
        self.said.setdefault(name, {})[system, group, *at.items()] = show(
            spread, metric)
        return spread

    def m(self, name, system, group, **at):
        return self._ask(name, system, group, at).mean

    def each(self, name, system, group, **at):
        return self._ask(name, system, group, at, Spread.range).values

    def _gain(self, name, system, other, group, at):
        """By how much the mean is better than the other's, and the 95 %
        interval of that difference (Welch: the squares of both add up)."""
        better = BETTER.get(name, 0)
        if not better:
            raise PaperError("of '%s' neither more nor less is better" % name)
        one, two = (self._ask(name, who, group, at) for who in (system, other))
        if one.half is None or two.half is None:
            raise NotRun('a second seed')
        return (better * (one.mean - two.mean),
                math.hypot(one.half, two.half))

    def not_worse(self, name, system, other, group, **at):
        gain, half = self._gain(name, system, other, group, at)
        return gain >= -half

    def better(self, name, system, other, group, **at):
        gain, half = self._gain(name, system, other, group, at)
        return gain > half

    def check(self, claim):
        """{text, check, holds: True, False or None, figures, missing: what it
        asks for in vain}."""
        self.said, missing = {}, ''
        names = {name: getattr(self, name) for name in CLAIM_NAMES}
        try:
            holds = Expression(claim['check'], set(names), 'claim')(names)
        except NotRun as error:
            holds, missing = None, str(error)
        # A division by 0; as a condition it would hold.
        if isinstance(holds, float) and math.isnan(holds):
            holds, missing = None, 'a quotient, whose divisor is 0'
        if holds is not None and not isinstance(holds, bool):
            raise PaperError('claim: neither yes nor no: %s' % claim['check'])
        said = [metric_of(name).sentence(found.values())
                for name, found in self.said.items()]
        if missing:
            said.append('nothing of ' + missing)
        return {'text': claim['text'], 'check': claim['check'],
                'holds': holds, 'figures': '; '.join(said), 'missing': missing}


def decides(node):
    """Whether what an expression gives is yes or no."""
    if isinstance(node, ast.BoolOp):
        return all(map(decides, node.values))
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in DECIDE
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def check_claims(told):
    """Before anything runs: names that a claim asks for."""
    groups = {link.group: link for link in told.links}
    systems = {system.name for system in told.systems}
    kinds = {'metric': NAMES, 'system': systems, 'group': groups}
    where = '%s, claim' % told.path.name
    for claim in told.claims:
        asks = Expression(claim['check'], set(CLAIM_NAMES), where)
        if asks.empty_or(CLAIM_NAMES):
            raise CompareError("%s: a side of 'or' asks for no number: %s" % (
                where, claim['check']))
        if not decides(asks.tree.body):
            raise CompareError('%s: neither yes nor no: %s' % (where, claim['check']))
        for node in ast.walk(asks.tree):
            if not isinstance(node, ast.Call) or not (
                    isinstance(node.func, ast.Name)
                    and node.func.id in CLAIM_NAMES):
                continue
            for word, kind in zip(node.args, CLAIM_NAMES[node.func.id]):
                known_ones = kinds[kind]
                if isinstance(word, ast.Constant) and (
                        word.value not in known_ones):
                    raise CompareError("%s: there is no '%s' in: %s" % (
                        where, word.value, claim['check']))
