# SPDX-License-Identifier: LGPL-2.1-or-later
"""The paths of tests/bench/delay and delay-ablations, and how they are run.

Frames at 25 Hz, feedback per packet once per frame (or a report per RTT), 60 s
without the first 5, start at 500 kbit/s, cap and breakers on, unless a row says
otherwise.
"""
import csv
import json
import math
import random
import subprocess
import tempfile


def commit():
    return subprocess.run(['git', 'describe', '--always', '--abbrev=7', '--dirty', '--exclude=*'],
                          check=True, capture_output=True,
                          text=True).stdout.strip()


def path(rate='3M', queue='150ms', way='25ms', loss=0, more=''):
    return (f'bottleneck rate={rate} queue={queue} ! delay {way}'
            + more + (f' ! bernoulli {loss}%' if loss else ''))


def drift(ppm, way, seconds=600, steps=60):
    """The schedule of a delay whose clocks part."""
    return f'{way}ms' + ''.join(
        f',{i * seconds // steps}s:{way + ppm * 1e-3 * i * seconds / steps:.4f}ms'
        for i in range(1, steps))


def hops(seconds=60, step=1):
    """A delay that hops by 2 to 10 ms, as where an access point aggregates."""
    draw = random.Random(1)
    count = int(seconds / step)
    return '25ms' + ''.join(
        f',{i * step:g}s:{25 + draw.uniform(2, 10):.2f}ms'
        for i in range(1, count))


def fades(folder):
    """Two made traces in mahimahi's format: a slow deep fade without an
    outage, and a walk between .5 and 4 Mbit/s with outages of 200 ms."""
    draw = random.Random(2)
    level = 2.0
    walk = []
    for i in range(200):  # of 100 ms each
        level = min(4., max(.5, level * math.exp(draw.gauss(0, .15))))
        walk.append(0 if i % 67 in (40, 41) else level)
    shapes = {'slow fade': (lambda t: 2 + 1.6 * math.sin(2 * math.pi * t / 12),
                            12),
              'walk': (lambda t: walk[int(t * 10)], 20)}
    for name, (rate, seconds) in shapes.items():
        bits = 0.
        file = f'{folder}/{name.replace(" ", "-")}.trace'
        with open(file, 'w') as out:
            for ms in range(seconds * 1000):
                bits += 1000 * rate(ms / 1000)
                while bits >= 12032:
                    bits -= 12032
                    print(ms + 1, file=out)
            print(seconds * 1000, file=out)
        yield name, file


class Bench:
    """One build, one count of seeds."""

    def __init__(self, build, seeds):
        self.build, self.seeds = build, seeds
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        self.traces = {'fade.trace': 'media/traces/fade.trace'}
        self.traces |= dict(fades(self.folder))

    # --- paths: name, link, further options ---

    def rows(self):
        for p in 0, 1, 2, 5, 10, 15, 20, 30:
            yield f'loss {p} %', path(loss=p), {}
        for n, p5, p10 in (2, .0263, .0556), (4, .0132, .0278), (
                10, .00526, .0111):
            for p, enter in (5, p5), (10, p10):
                yield f'bursts of {n}, {p} %', path(
                    queue='100ms', more=f' ! gilbert p={enter} r={1 / n}'), {}
        for p in 0, 5:
            for q in '20ms', '40ms', '400ms':
                yield f'queue {q}, {p} %', path(queue=q, loss=p), {}
            yield f'RTT 20, {p} %', path(way='10ms', loss=p), {
                'feedback-delay': '10ms'}
            yield f'jitter 5 ms, {p} %', path(loss=p, more=' ! jitter 5ms'), {}
            yield f'hops of 2 to 10 ms, {p} %', path(way=hops(), loss=p), {}
            yield f'3, 1.5, 3 Mb/s, {p} %', path(
                '3M,20s:1.5M,40s:3M', '100ms', loss=p), {}
            yield f'3, .75, 3 Mb/s, {p} %', path(
                '3M,20s:750k,40s:3M', loss=p), {}
            for r in '300k', '1M', '10M', '50M':
                yield f'{r}, {p} %', path(r, loss=p), {}
        for p in 0, 3, 5:
            yield f'RTT 200, {p} %', path(way='100ms', loss=p), {
                'feedback-delay': '100ms'}
        yield 'RTT 200, 5 %, no cap', path(way='100ms', loss=5), {
            'feedback-delay': '100ms', 'friendliness-cap': 0, 'breakers': 0}
        for p in 0, 5:
            for n in 4, 8:
                yield f'{n} flows, 8 Mb/s, {p} %', path(
                    '8M', '100ms', loss=p), {'flows': n}
            yield f'a report per RTT, {p} %', path(loss=p), {'per-packet': 0}
            yield f'4 flows, 8 Mb/s, a report per RTT, {p} %', path(
                '8M', '100ms', loss=p), {'flows': 4, 'per-packet': 0}
        for p in 0, 2, 5:
            yield f'3 flows, 10 s apart, 6 Mb/s, {p} %', path(
                '6M', '100ms', loss=p), {
                    'flows': 3, 'stagger': 10, 'seconds': 120, 'warmup': 30}
            yield f'a second flow after 60 s, 4 Mb/s, {p} %', path(
                '4M', '100ms', loss=p), {
                    'flows': 2, 'stagger': 60, 'seconds': 120, 'warmup': 65}
        for queue in '50ms', '200ms':
            yield f'8 flows, 1.3 s apart, 8 Mb/s, queue {queue}', path('8M', queue), {
                'flows': 8, 'stagger': 1.3, 'seconds': 120, 'warmup': 30}
        yield '16 flows, 3 Mb/s', path(queue='100ms'), {'flows': 16}
        for p in 0, 5:
            yield f'16 flows, 2 s apart, 6 Mb/s, {p} %', path(
                '6M', '100ms', loss=p), {
                    'flows': 16, 'stagger': 2, 'seconds': 90, 'warmup': 35}
        for p in 0, 5:
            for ppm in 100, -100:
                yield f'clocks {ppm} ppm apart, {p} %', path(
                    way=drift(ppm, 90 if ppm < 0 else 25), loss=p), {
                        'seconds': 600}
            yield f'a route 40 ms longer, {p} %', path(
                way='25ms,30s:65ms', loss=p), {}
            yield f'a handover, {p} %', path(
                '4M,30s:1.5M', '100ms', '25ms,30s:95ms',
                more=f' ! bernoulli {p}%,30s:100%,30300ms:{p}%'), {}
            yield f'satellites, {p} %', path(
                '6M', '150ms', '30ms,15s:40ms,30s:18ms,45s:40ms,60s:55ms',
                more=f' ! bernoulli {p}%' + ''.join(
                    f',{s}s:100%,{s}150ms:{p}%' for s in (15, 30, 45, 60))), {
                        'seconds': 75}
            yield f'a route 40 ms shorter, {p} %', path(
                way='65ms,30s:25ms', loss=p), {}
            for share in '.05', '.2':
                yield f'{share} of feedback lost, {p} %', path(loss=p), {
                    'feedback-loss': share}
            yield f'2 s of 10 kb/s, {p} %', path(
                '3M,20s:10k,22s:3M', '300ms', loss=p), {}
            for s in 10, 20:
                yield f'{s} s of nothing, {p} %', path(
                    f'3M,20s:0,{20 + s}s:3M', '300ms', loss=p), {
                        'seconds': 90}
            for name, file in self.traces.items():
                yield f'{name}, {p} %', f'trace {file} ! delay 25ms' + (
                    f' ! bernoulli {p}%' if p else ''), {}
            yield f'a queue of one packet, {p} %', path(
                '2M', '5ms', loss=p), {}
            yield f'a policer of 2 Mb/s, 10 packets, {p} %', (
                f'policer rate=2M burst=12000 ! delay 25ms ! bernoulli {p}%'
            ), {}
            yield f'half of it wanted, {p} %', path(loss=p), {'max': '1.5M'}
            yield f'I, P, B frames, {p} %', path(loss=p), {'mpeg': 1}
            yield f'reordering by 10 ms of 2 %, {p} %', path(
                loss=p, more=' ! arq 2% delay=10ms'), {}
            yield f'RED, {p} %', (
                f'red rate=3M ! delay 25ms ! bernoulli {p}%'), {}
        yield 'an hour, 1 %', path(loss=1), {'seconds': 3600}

    def shared(self):
        for rate in '1M', '4M', '10M':
            for queue in '25ms', '40ms', '100ms', '300ms':
                yield f'{rate}, queue {queue}', path(rate, queue)

    # --- runs ---

    def sim(self, link, options, *more):
        words = {'per-packet': 1, 'fps': 25, 'start': '500k', 'warmup': 5,
                 'seconds': 60} | options
        run = subprocess.run(
            [f'{self.build}/tools/rtpadapt-sim', '--link', link,
             *(w for k, v in words.items() for w in (f'--{k}={v}',)), *more],
            check=True, capture_output=True, text=True)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def sweep(self):
        return '--sweep', f'seed=1..{self.seeds}'

    def measure(self, link, options, algorithms):
        """Use, least use, p95, congestion loss, M_c, M_w, Jain's index, and
        the least of it.  M_c and M_w are of the flows of which losses were judged,
        nan where none were."""
        seeds = 1 if options.get('seconds') == 3600 else self.seeds
        runs = self.sim(link, options, *algorithms, '--sweep',
                        f'seed=1..{seeds}')
        flows = [flow for run in runs for flow in run['runs']]
        n = len(flows) / len(runs)
        jain = [run['jain'] for run in runs]
        return (mean(f['let_through'] for f in flows) * n,
                min(f['let_through'] for f in flows) * n,
                mean(f['queue_ms_p95'] for f in flows),
                mean(f['congestion_loss'] for f in flows),
                mean(f['m_c'] for f in flows if f['judged_congestion']),
                mean(f['m_w'] for f in flows if f['judged_wireless']),
                mean(jain), min(jain))

    def share(self, link, ours):
        """Of fair, beside one newreno, per seed."""
        runs = self.sim(link, {'seconds': 90}, '--mix',
                        f'{ours}; newreno + none', *self.sweep())
        rates = [[f['throughput_bps'] for f in run['runs']] for run in runs]
        return [2 * r[0] / sum(r) for r in rates]

    def trace(self, link, options, algorithms, seed):
        """What was observed, each 20 ms: rows by name."""
        name = f'{self.folder}/trace.csv'
        self.sim(link, options | {'seed': seed}, *algorithms,
                 '--interval', '20', '--csv', name)
        with open(name) as out:
            lines = (line for line in out if not line.startswith('#'))
            return [{k: v if k in ('controller', 'lda', 'flow')
                     else float(v or 0) for k, v in row.items()}
                    for row in csv.DictReader(lines)]


def mean(values):
    values = [v or 0 for v in values]
    return sum(values) / len(values) if values else math.nan


def cell(value):
    """Three digits, or nothing."""
    return '' if math.isnan(value) else f'{value:.3f}'


def first(rows, begin, holds):
    """Seconds from `begin` until a row holds, or nothing."""
    for row in rows:
        if row['time'] >= begin and holds(row):
            return row['time'] - begin
    return None
