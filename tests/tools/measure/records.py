# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records of a run that nobody made: what `rtpadapt-measure send` and `receive`
and `rtpadapt-link` would have written; and TAP."""
import json
import os
import subprocess

T0 = 10 ** 12  # ns, when the stream and the link's log begin
MS = 10 ** 6
FPS = 10
SECONDS = 4
FRAMES = 50  # send goes on after SECONDS

count = 0


def ok(good, text, said=''):
    global count
    count += 1
    print('%sok %d - %s' % ('' if good else 'not ', count, text), flush=True)
    if not good:
        for line in str(said).splitlines()[-40:]:
            print('# ' + line)


def plan():
    print('1..%d' % count)


def lines(path, objects):
    with open(path, 'w', encoding='utf-8') as file:
        for o in objects:
            file.write(json.dumps(o) + '\n')


def sent_at(n):
    return T0 + n * 100 * MS


def sent_lines(extra=()):
    """Frame n enters at n * 100 ms; four packets of RTP timestamp 9000 n."""
    yield {'send': {
        'system': 'rtpadapt', 'options': 'lda=zbs', 'port': 5004, 'width': 640,
        'height': 360, 'fps_n': FPS, 'fps_d': 1, 'milliseconds': SECONDS * 1000,
        'start_ns': T0, 'start_real_ns': T0 + 7}}
    for n in range(FRAMES):
        t = sent_at(n)
        yield {'frame': {'n': n, 'mono': t, 'real': t + 7, 'pts': 500 + t - T0}}
        yield {'rtp': {'ts': 9000 * n, 'n': 4, 'mono': t, 'pts': 500 + t - T0}}
    for k in range(10 * SECONDS + 1):  # 10,000 bytes in 100 ms: 0.8 Mb/s
        yield {'rate': {'mono': T0 + k * 100 * MS, 'estimated_bps': 900000,
                        'encoder_bps': 800000, 'encoded_bytes': 10000 * k}}
    yield from extra
    yield {'end': {'cpu_ns': 1500 * MS, 'encoded_bytes': 400000, 'skipped': 3,
                   'stats': ''}}


def received_lines(shown, came=()):
    """`shown`: pairs of a frame's number, None if it cannot be read, and when
    it was shown, in ms since T0; sometimes a pts on top. `came`: packets of the
    frames that did not all come."""
    yield {'receive': {'system': 'rtpadapt', 'port': 5004, 'start_ns': T0}}
    yield {'video': {'width': 640, 'height': 360}}
    came = dict(came)
    for n in range(FRAMES):
        yield {'rtp': {'ts': 9000 * n, 'n': came.get(n, 4),
                       'mono': sent_at(n) + 50 * MS, 'pts': 77 + n * 100 * MS}}
    for n, ms, *pts in shown:
        yield {'shown': {'n': n, 'mono': T0 + round(ms * MS),
                         'real': T0 + round(ms * MS) + 7, 'at': None,
                         'pts': pts[0] if pts else 0}}
    yield {'end': {'cpu_ns': 500 * MS, 'shown': len(shown),
                   'unreadable': sum(n is None for n, *_ in shown),
                   'stats': ''}}


def even(*missing):
    """Every frame but these is shown 200 ms after it entered."""
    return [(n, n * 100 + 200) for n in range(FRAMES) if n not in missing]


class Measure:
    def __init__(self, program, scratch):
        self.program = program
        self.scratch = scratch

    def path(self, name):
        return os.path.join(self.scratch, name)

    def run(self, *args, **more):
        return subprocess.run([self.program, *args], capture_output=True,
                              text=True, timeout=250, **more)

    def complains(self, why, words, *args, status=1):
        """One sentence that has these words, and nothing else."""
        done = self.run(*args)
        said = done.stderr.strip()
        ok(done.returncode == status and not done.stdout
           and len(said.splitlines()) == 1
           and said.startswith('rtpadapt-measure: ')
           and all(word in said for word in words),
           why, '%s\n%s%s' % (done.returncode, done.stdout, said))
