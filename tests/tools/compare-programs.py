#!/usr/bin/python3 -IS
# Stands in for rtpadapt-link and rtpadapt-measure: no network, no time,
# made-up results. Its name says which of them it is.
# It starts hundreds of times: what few of them need is imported there.
# SPDX-License-Identifier: LGPL-2.1-or-later
import fcntl
import json
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
# Per system: share of the line, SSIM, frozen s, M_w; made up.
NATURE = {'rtpadapt': (.93, .955, .4, .1), 'gcc': (.35, .90, .9, None),
          'rtp': (.8, .86, 6.5, None), 'srt': (.86, .93, 2.2, None)}


def options(argv):
    found = {}
    for key, value in zip(argv[::2], argv[1::2]):
        found.setdefault(key.lstrip('-'), []).append(value)
    return found


def log(word):
    with open(os.path.join(HERE, 'calls'), 'a', encoding='ascii') as file:
        file.write(word + '\n')


def host():
    """1,000 units pass, of which it takes the first number of a file.  Several
    programs may run at once."""
    stat, stolen = (os.path.join(HERE, name) for name in ('stat', 'stolen'))
    with open(stolen, 'r+', encoding='ascii') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        left = file.read().split() or ['0']
        file.seek(0)
        file.truncate()
        file.write(' '.join(left[1:]))
        with open(stat, encoding='ascii') as old:
            times = [int(word) for word in old.read().split()[1:]]
        times[0] += 1000 - int(left[0])
        times[7] += int(left[0])
        with open(stat + '.new', 'w', encoding='ascii') as new:
            new.write('cpu %s\n' % ' '.join(map(str, times)))
        os.replace(stat + '.new', stat)


def link(told):
    if told['there'] == ['nonsense']:
        sys.exit("rtpadapt-link: no link model 'nonsense'")
    env = dict(os.environ, RTPADAPT_A='10.78.0.1', RTPADAPT_B='10.78.0.2')
    if 'log' in told:
        with open(told['log'][0], 'w', encoding='ascii') as file:
            json.dump({'seed': int(told['seed'][0]),
                       'there': told['there'][0]}, file)
        host()
    worst = 0
    for command in told.get('b', []) + told['a']:
        if 'iperf3' not in command:
            worst = os.spawnvpe(os.P_WAIT, 'sh', ['sh', '-c', command],
                                env) or worst
    return 1 if worst else 0


def send(told):
    system = told['system'][0]
    log('send ' + system)
    if system == 'scream':
        print('rtpadapt-measure: there is no element screamtx; '
              'tools/install-rivals says where it is', file=sys.stderr)
        return 77
    if system == 'flaky' and not os.path.exists(os.path.join(HERE, 'once')):
        open(os.path.join(HERE, 'once'), 'w', encoding='ascii').close()
        sys.exit('rtpadapt-measure: once is nothing')
    if system == 'broken':
        sys.exit('rtpadapt-measure: <it> broke & fell')
    with open(told['out'][0], 'w', encoding='utf-8') as file:
        json.dump({'system': system, 'seconds': float(told['seconds'][0]),
                   'options': told.get('options', [''])[0]}, file)
    return 0


def picture(path, shade):
    """A PNG of 64x36."""
    import struct
    import zlib

    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data
                + struct.pack('>I', zlib.crc32(kind + data)))
    rows = b''.join(b'\0' + bytes((shade + x * 2 + y) % 256
                                  for x in range(64)) for y in range(36))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack(
            '>IIBBBBB', 64, 36, 8, 0, 0, 0, 0)) + chunk(
                b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def skipped():
    """Frames that the machine was too slow for: the file's numbers, one a run;
    the last one goes on."""
    name = os.path.join(HERE, 'skipped')
    if not os.path.exists(name):
        return 0
    with open(name, encoding='ascii') as file:
        numbers = file.read().split()
    with open(name, 'w', encoding='ascii') as file:
        file.write(' '.join(numbers[1:] or numbers))
    return int(numbers[0])


def series(seconds, share, judged, dice):
    count = int(seconds * 2)
    t = [i / 2 for i in range(count)]
    capacity = [1.5e6 if .45 < i / count < .6 else 3e6 for i in range(count)]
    ramp = [min(1, .2 + i / 12) for i in range(count)]
    rate = [c * share * r * dice.uniform(.93, 1.05)
            for c, r in zip(capacity, ramp)]
    wireless = [dice.choice([2, 4, 7, 9]) for _ in t]
    jam = [dice.choice([0, 3, 12]) if c < 2e6 else 0 for c in capacity]
    # The first second of an estimate is not known.
    found = {
        't': t, 'capacity_bps': capacity, 'rate_bps': rate,
        'estimated_bps': [None, None] + [r * 1.02 for r in rate[2:]]
        if judged or share < .5 else [None] * count,
        'encoder_bps': [r * .72 for r in rate],
        'queue_ms': [25 + 40 * share * abs(math.sin(i / 7))
                     + (40 if c < 2e6 else 0) for i, c in enumerate(capacity)],
        'congestion': jam, 'wireless': wireless,
        'called_congestion': [j + w // 5 for j, w in zip(jam, wireless)]
        if judged else [None] * count,
        'called_wireless': [w - w // 5 for w in wireless]
        if judged else [None] * count,
        'frames': [dice.choice([12, 13]) if judged or dice.random() > .2
                   else dice.choice([0, 4]) for _ in t],
        'ssim': [.9] * count}
    return found


def score(told):
    import random

    log('score')
    with open(told['sent'][0], encoding='utf-8') as file:
        sent = json.load(file)
    with open(told['log'][0], encoding='utf-8') as file:
        run = json.load(file)
    share, ssim, frozen, m_w = NATURE.get(sent['system'], NATURE['rtp'])
    dice = random.Random('%s %s %s' % (sent['system'], run['seed'],
                                       run['there']))

    def near(value, spread=.04):
        return None if value is None else value * dice.uniform(
            1 - spread, 1 + spread)
    picture(told['strip'][0], int(255 * (1 - ssim)))
    judged = m_w is not None
    json.dump({
        'system': sent['system'], 'options': sent['options'],
        'seconds': sent['seconds'], 'warmup': float(told['warmup'][0]),
        'viewer': {
            'delayed_packet_ratio': near(.002), 'frames_sent': 1000,
            'frames_shown': 960, 'frozen_s': near(frozen, .3),
            'longest_freeze_s': near(frozen / 3, .3), 'freezes': 3,
            'latency_ms_p50': near(262), 'latency_ms_p95': near(291),
            'latency_ms_p99': near(330), 'latency_step_ms': near(40),
            'ssim': min(1, near(ssim, .01)),
            # A judge that broke down.
            'vmaf': None if os.path.exists(os.path.join(HERE, 'blind')) else near(90)},
        'path': {
            'capacity_bps': 3e6, 'utilisation': near(share),
            'goodput_bps': near(share * 2.85e6), 'queue_ms_p50': near(22),
            'queue_ms_p95': near(64), 'sent': 9000, 'congestion_losses': 40,
            'wireless_losses': 450, 'packet_loss_ratio': .054},
        'stream': {
            'encoder_bps': near(1.9e6), 'fec_overhead': near(.38)
            if judged else None, 'residual_loss': near(.006)
            if judged else None, 'm_c': near(.02) if judged else None,
            'm_w': near(m_w), 'sender_cpu_s': 9.1, 'receiver_cpu_s': 4.2,
            'source_skipped': skipped()},
        'others': [{'name': 'tcp 5201', 'goodput_bps': 1.6e6,
                    'share': near(.8)}],
        'series': series(sent['seconds'], share, judged, dice)}, sys.stdout)
    return 0


def main():
    if 'link' in os.path.basename(sys.argv[0]):
        return link(options(sys.argv[1:]))
    command = {'send': send, 'receive': lambda told: 0, 'score': score}
    return command[sys.argv[1]](options(sys.argv[2:]))


sys.exit(main())
