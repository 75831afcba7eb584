# Runs cells, in real time, one at a time or a few. What has run is kept.
# SPDX-License-Identifier: LGPL-2.1-or-later
import base64
import concurrent.futures
import contextlib
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import busy
import demo
from disturbance import disturbance
from runner import Cache, Programs, Progress, die_with_parent, digest, duration
from setfile import CompareError

ROOT, BUILD = demo.ROOT, demo.BUILD
RIVALS = os.path.join(BUILD, 'rivals')
PORT = 5004
MISSING = 77       # of rtpadapt-measure: a system that is not installed
MARGIN_S = 20      # after which a stream that should have ended is ended
PATIENCE_S = 600   # for comparing pictures
ATTEMPTS = 3
PICTURE_WIDTH = 448
PARTS = ('viewer', 'path', 'stream', 'series')


def find_programs(folder):
    """(rtpadapt-link, rtpadapt-measure), of the build or of a folder."""
    found = [os.path.abspath(os.path.join(folder, name)) if folder
             else os.path.join(BUILD, 'tools', name[len('rtpadapt-'):], name)
             for name in ('rtpadapt-link', 'rtpadapt-measure')]
    for path in found:
        if not os.access(path, os.X_OK):
            raise CompareError('there is no %s; tools/compare builds it'
                               % path)
    return found


def environment():
    env = demo.environment()
    if os.path.isdir(RIVALS):
        env['GST_PLUGIN_PATH_1_0'] += os.pathsep + RIVALS
        ffmpeg = os.path.join(RIVALS, 'ffmpeg')  # one that knows VMAF
        if os.access(ffmpeg, os.X_OK):
            env.setdefault('RTPADAPT_FFMPEG', ffmpeg)
    return env


def knows_vmaf(env):
    """Whether the ffmpeg that compares pictures has VMAF."""
    with contextlib.suppress(OSError):
        found = subprocess.run(
            [env.get('RTPADAPT_FFMPEG', 'ffmpeg'), '-hide_banner', '-filters'],
            capture_output=True, text=True, check=False)
        return ' libvmaf ' in found.stdout
    return False


def first_lines(command, env):
    """Of what it says of its version."""
    with contextlib.suppress(OSError):
        found = subprocess.run(command, env=env, capture_output=True, text=True, check=False,
                               stdin=subprocess.DEVNULL)
        return found.stdout.splitlines()[:2]
    return []


def machinery(env):
    """What decides about results and comes from elsewhere: GStreamer, which encodes and
    decodes, the ffmpeg that judges, and the kernel with its TCPs."""
    # Without a registry it does not look at each plugin first.
    return [first_lines(['gst-inspect-1.0', '--version'], {**env, 'GST_REGISTRY_DISABLE': 'yes'}),
            first_lines([env.get('RTPADAPT_FFMPEG', 'ffmpeg'), '-version'], env),
            os.uname().release]


def last_line(path, fallback):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return demo.last_line(file.read(), fallback)
    except OSError:
        return fallback


def clip_fetch(clip):
    """media/fetch knows the clips of the sets by their files' names."""
    found = subprocess.run(
        [os.path.join(ROOT, 'media', 'fetch'), os.path.basename(clip)],
        capture_output=True, text=True)
    if found.returncode:
        raise CompareError('there is no clip %s. %s' % (
            clip, demo.last_line(found.stderr, 'media/fetch failed')))


class Failure(Exception):
    """Of one cell; its text is the reason."""


class Missing(Exception):
    """A system that is not installed; its text says what to do."""


class Stopped(Exception):
    """By Ctrl-C."""


class Turns:
    """Streams run beside streams, and scores beside scores: a score takes all
    processors for moments, which a stream that is measured would feel."""

    def __init__(self):
        self.changed = threading.Condition()
        self.streams = 0
        self.scores = 0  # those that wait for their turn, too

    @contextlib.contextmanager
    def stream(self, stopping):
        """A score has to follow, unless this ends by an exception."""
        with self.changed:
            self.wait(stopping, lambda: self.scores == 0)
            self.streams += 1
        follows = 0
        try:
            yield
            follows = 1
        finally:
            with self.changed:
                self.streams -= 1
                self.scores += follows
                self.changed.notify_all()

    @contextlib.contextmanager
    def score(self, stopping):
        try:
            with self.changed:
                self.wait(stopping, lambda: self.streams == 0)
            yield
        finally:
            with self.changed:
                self.scores -= 1
                self.changed.notify_all()

    def wait(self, stopping, until):
        while not until():
            if stopping.is_set():
                raise Stopped
            self.changed.wait(.2)


class CellProgress(Progress):
    """Also within a cell, whose length is known."""

    def __init__(self, cells, jobs):
        super().__init__(cells, jobs)

    def left(self, elapsed=0):
        """What was done says how long a second of ours takes."""
        pace = 1 / self.workers
        if self.weight:
            pace = (time.monotonic() - elapsed - self.begin) / self.weight
        return max(0, pace * (self.todo - self.weight) - elapsed)

    def tick(self, cell, elapsed):
        if self.tty:
            share = min(1, elapsed / cell.weight)
            text = '[%d/%d] %s  [%s]  about %s left' % (
                self.done + 1, self.count, cell.label,
                ('#' * round(16 * share)).ljust(16, '-'),
                duration(self.left(elapsed)))
            wide = shutil.get_terminal_size().columns - 1
            sys.stderr.write('\r\033[K' + text[:wide])
            sys.stderr.flush()

    def ended(self, cell):
        with self.lock:
            self._ended(cell)

    def _ended(self, cell):
        self.done += 1
        self.weight += cell.weight
        said = cell.reason
        if cell.state == 'ok':
            viewer = cell.result['result'].get('viewer') or {}
            said = 'SSIM %s, frozen %s s' % tuple(
                '–' if viewer.get(key) is None else '%.3g' % viewer[key]
                for key in ('ssim', 'frozen_s'))
        self.line('[%d/%d] %s: %s; about %s left' % (
            self.done, self.count, cell.label,
            said if cell.state == 'ok' else '%s: %s' % (
                cell.state.upper(), said), duration(self.left())))


class Work:
    """The commands of one cell, and the folder of their files."""

    def __init__(self, cell, link, measure, folder):
        self.cell, self.link, self.measure = cell, link, measure
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def kept(self, name, words):
        """A command whose words and status are looked at afterwards."""
        # In quotes, "$RTPADAPT_B" must stay what it is.
        text = ' '.join(word if word.startswith('"') else shlex.quote(word)
                        for word in words)
        if name == 'send' and self.cell.link.lead:
            text = 'sleep %g; %s' % (self.cell.link.lead, text)
        # SIGINT is for the program; the shell stays to write the status.
        return 'trap : INT; %s 2>%s; s=$?; echo $s >%s; exit $s' % (
            text, shlex.quote(self.path(name + '.err')),
            shlex.quote(self.path(name + '.status')))

    def stream(self):
        cell = self.cell
        send = [self.measure, 'send', *cell.system.arguments(cell.link),
                '--clip', cell.clip, '--to', '"$RTPADAPT_B:%d"' % PORT,
                '--seconds', '%g' % cell.seconds,
                '--out', self.path('sent.jsonl')]
        receive = [self.measure, 'receive', '--system', cell.system.system,
                   '--port', str(PORT), '--from', '"$RTPADAPT_A"',
                   *cell.system.receiver(),
                   '--out', self.path('received.jsonl'),
                   '--frames', self.path('frames')]
        link = [self.link, '--there', cell.link.there,
                '--back', cell.link.back, '--seed', str(cell.seed),
                '--seconds',
                '%g' % (cell.link.lead + cell.seconds + MARGIN_S),
                '--log', self.path('link.jsonl'),
                '--packets', self.path('packets.csv'),
                '--b', self.kept('receive', receive),
                '--a', self.kept('send', send)]
        for other in cell.link.others:
            for where, command in zip(('--a', '--b'),
                                      other.commands(cell,
                                                      self.measure)):
                link += [where, command] if command else []
        return link

    def score(self):
        cell = self.cell
        return [self.measure, 'score', '--sent', self.path('sent.jsonl'),
                '--received', self.path('received.jsonl'),
                '--frames', self.path('frames'), '--clip', cell.clip,
                '--packets', self.path('packets.csv'),
                '--log', self.path('link.jsonl'),
                '--strip', self.path('strip.jpg'),
                '--at', '%g' % cell.picture, '--warmup', '%g' % cell.warmup]

    def status(self, name):
        with contextlib.suppress(OSError, ValueError):
            with open(self.path(name + '.status'), encoding='ascii') as file:
                return int(file.read())
        return None

    def picture(self, env):
        """As a data URI, smaller where there is ffmpeg."""
        name, small = self.path('strip.jpg'), self.path('small.jpg')
        with contextlib.suppress(OSError):
            done = subprocess.run(
                [env.get('RTPADAPT_FFMPEG', 'ffmpeg'), '-v', 'error', '-y',
                 '-i', name, '-vf', 'scale=%d:-2' % PICTURE_WIDTH, '-q:v', '6',
                 small], stdin=subprocess.DEVNULL, capture_output=True)
            name = small if done.returncode == 0 else name
        with contextlib.suppress(OSError), open(name, 'rb') as file:
            return 'data:image/jpeg;base64,' + base64.b64encode(
                file.read()).decode()
        return None


class Cells:
    """Runs cells that are not kept yet."""

    def __init__(self, folder, keep, programs):
        self.link, self.measure = find_programs(programs)
        self.folder, self.keep = folder, keep
        self.env = environment()
        self.machinery = machinery(self.env)
        self.vmaf = knows_vmaf(self.env)
        self.programs, self.caches = {}, {}
        self.missing = {}  # system: why
        self.stopping = threading.Event()
        self.turns = Turns()
        self.lock = threading.Lock()

    def cache(self, cell):
        """Rivals do not change with our plugin, nor we with theirs."""
        ours = cell.ours
        if ours not in self.caches:
            files = [self.link, self.measure] + glob.glob(os.path.join(
                BUILD, 'plugins/rtpadapt/*.so') if ours
                else os.path.join(RIVALS, '*.so'))
            files += glob.glob(os.path.join(
                ROOT, 'tools/measure/systems.ini'))
            self.programs[ours] = Programs(BUILD, files)
            self.caches[ours] = Cache(self.folder, digest(json.dumps(
                [self.programs[ours].hash, self.machinery]).encode()))
        return self.caches[ours]

    def kept(self, cell):
        if not self.cache(cell).load(cell, self.keep):
            return False
        if disturbance(cell.result) > 1 and not self.keep:
            return False
        # A judge that broke down may not again.
        viewer = cell.result['result'].get('viewer') or {}
        if self.vmaf and viewer.get('vmaf') is None and not self.keep:
            return False
        cell.state = 'ok'
        return True

    def fetch(self, cells):
        """The clips, which decide about what is kept."""
        for clip in {cell.clip for cell in cells}:
            if not os.path.isfile(os.path.join(ROOT, clip)):
                clip_fetch(clip)

    def check(self, cells):
        """What would fail in every cell, before the first."""
        if any(other.tcp for cell in cells for other in cell.link.others):
            if not shutil.which('iperf3', path=os.environ.get(
                    'PATH', '') + ':/usr/sbin'):
                raise CompareError('iperf3 is missing, for the TCPs beside '
                                   'the stream; tools/install-deps installs '
                                   'it')
        for chains in {(cell.link.there, cell.link.back) for cell in cells}:
            found = subprocess.run(
                [self.link, '--there', chains[0], '--back', chains[1],
                 '--a', 'true'], cwd=ROOT, capture_output=True, text=True)
            if found.returncode:
                raise CompareError(demo.last_line(
                    found.stderr, 'rtpadapt-link does not work'))

    def call(self, command, said, seconds, cell, begin):
        """Exit status and standard output; complaints go to `said`.err."""
        with (open(said + '.err', 'wb') as err,
              open(said + '.out', 'wb') as out):
            # In a session of its own: a Ctrl-C at the terminal is for us.
            child = subprocess.Popen(
                command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True,
                preexec_fn=die_with_parent)
        end = time.monotonic() + seconds
        try:
            while child.poll() is None:
                if self.stopping.is_set():
                    raise Stopped
                if time.monotonic() > end:
                    raise Failure('it did not end in %s' % duration(seconds))
                self.progress.tick(cell, time.monotonic() - begin)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(.5)
        finally:
            self.stop(child)
        with open(said + '.out', encoding='utf-8', errors='replace') as file:
            return child.returncode, file.read()

    def stop(self, child):
        """Ends what runs, and all that belongs to it."""
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def attempt(self, cell, folder):
        work = Work(cell, self.link, self.measure, folder)
        begin = time.monotonic()
        with self.turns.stream(self.stopping):
            before = busy.processors()
            status, _ = self.call(work.stream(), work.path('link'),
                                  cell.link.lead + cell.seconds + 3 * MARGIN_S,
                                  cell, time.monotonic())
            _, stolen = busy.shares(before, busy.processors())
        with self.turns.score(self.stopping):
            result = self.scored(cell, work, status)
        return {'result': result, 'picture': work.picture(self.env),
                'stolen': stolen,
                'load': os.getloadavg()[0], 'jobs': self.progress.workers,
                'took_s': round(time.monotonic() - begin, 1)}

    def scored(self, cell, work, status):
        """The result of a stream that ended so."""
        for name in ('send', 'receive'):
            if work.status(name) == MISSING:
                raise Missing(last_line(work.path(name + '.err'),
                                        'not installed'))
        if status:
            for name in ('send', 'receive', 'link'):
                if name == 'link' or work.status(name):
                    raise Failure('%s: %s' % (name, last_line(
                        work.path(name + '.err'), 'it says nothing')))
        status, out = self.call(work.score(), work.path('score'),
                                PATIENCE_S, cell, time.monotonic())
        if status:
            raise Failure('score: ' + last_line(work.path('score.err'),
                                                'it says nothing'))
        try:
            result = json.loads(out)
            lacking = [part for part in PARTS if part not in result]
        except (ValueError, TypeError) as error:
            raise Failure('score: not a result: %s' % error) from None
        if lacking:
            raise Failure('score: the result has no ' + ', '.join(lacking))
        return result

    def one(self, cell):
        """Runs it, once more if it fails, and until the machine does not
        disturb it, or the least disturbed counts; says how it ended in it."""
        failures, found = 0, []
        while failures < 2 and len(found) + failures < ATTEMPTS:
            # The pictures of a minute are half a gigabyte.
            with tempfile.TemporaryDirectory(
                    prefix='rtpadapt-compare-',
                    dir=os.environ.get('TMPDIR', '/var/tmp')) as folder:
                try:
                    result = self.attempt(cell, folder)
                    found.append((disturbance(result), len(found), result))
                    if found[-1][0] <= 1:
                        break
                except Missing as error:
                    cell.state, cell.reason = 'missing', str(error)
                    self.missing[cell.system.system] = str(error)
                    return
                except Failure as error:
                    failures += 1
                    cell.state, cell.reason = 'failed', str(error)
        if found:
            cell.result = min(found)[2]
            cell.result['attempts'] = len(found)
            # The result alone would look like that of a run without trouble.
            cell.result.update(failures=failures, failure=cell.reason)
            cell.state, cell.reason = 'ok', ''
            cell.engine = self.cache(cell).engine
            self.programs[cell.ours].check()
            try:
                self.cache(cell).store(cell)
            except OSError as error:
                raise CompareError('%s cannot be written: %s' % (
                    self.folder, error.strerror)) from None

    def engines(self):
        return [cache.engine for cache in self.caches.values()]

    def worker(self, todo):
        """Takes one after the other, until there is none."""
        while not self.stopping.is_set():
            with self.lock:
                cell = next(todo, None)
            if cell is None:
                return
            why = self.missing.get(cell.system.system)
            if why:
                cell.state, cell.reason = 'missing', why
            else:
                try:
                    self.one(cell)
                except Stopped:
                    return
            self.progress.ended(cell)

    def run(self, cells, jobs=1):
        """Whether it came to the end."""
        todo = [cell for cell in cells if not self.kept(cell)]
        if not todo:
            return True
        self.check(todo)
        self.progress = CellProgress(todo, jobs)
        left = iter(todo)
        # They end their children, which would die with the thread.
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            workers = [pool.submit(self.worker, left) for _ in range(jobs)]
            try:
                for worker in concurrent.futures.as_completed(workers):
                    worker.result()
            except BaseException as error:
                self.stopping.set()
                if isinstance(error, KeyboardInterrupt):
                    return False
                raise
        return True


def machine():
    """Where the numbers come from."""
    cpu = ''
    with contextlib.suppress(OSError):
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            found = re.search(r'^model name\s*: (.*)$', file.read(), re.M)
            cpu = found[1] if found else ''
    return {'cores': len(os.sched_getaffinity(0)), 'cpu': cpu,
            'kernel': os.uname().release, 'load': os.getloadavg()[0]}
