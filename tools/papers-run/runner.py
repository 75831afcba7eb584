# Runs scenarios through the engine, on all cores; what has run is kept.
# SPDX-License-Identifier: LGPL-2.1-or-later
import collections
import concurrent.futures
import ctypes
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from expressions import PaperError


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Programs:
    """Programs and what they load from this build, by their content."""

    def __init__(self, build, programs):
        build = os.path.abspath(build)
        files = {os.path.abspath(program) for program in programs}
        found = subprocess.run(['ldd', *programs], capture_output=True, text=True)
        for path in re.findall(r'=> (/\S+)', found.stdout):
            if os.path.abspath(path).startswith(build + '/'):
                files.add(path)
        self.files = sorted(files)
        self.stats = self._stats()
        self.hash = self._hash()

    def _stats(self):
        found = map(os.stat, self.files)
        return [(stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in found]

    def _hash(self):
        whole = hashlib.sha256()
        for path in self.files:
            with open(path, 'rb') as file:
                whole.update(file.read())
        return whole.hexdigest()[:16]

    def check(self):
        """Raises where a build has made others since: what ran would have the hash of
        those before."""
        try:
            # What was written again may be the same; to look at times costs no time.
            stats = self._stats()
            same = stats == self.stats or self._hash() == self.hash
        except OSError:
            same = False  # a linker removes a file first
        if not same:
            raise PaperError('the programs were built again during the runs: what ran before '
                             'is kept, and the same command begins with the new ones')


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Job:
    """One scenario, for all the points that need it."""

    def __init__(self, scenario, label):
        self.scenario = scenario
        self.key = digest(scenario.encode())
        self.label = label
        seconds = re.search(r'^seconds=([\d.]+)', scenario, re.M)
        count = sum(int(n) for n in re.findall(r'^count=(\d+)', scenario,
                                               re.M))
        # Only for the time left: work grows with flows and seconds.
        self.weight = (float(seconds[1]) if seconds else 1) * max(count, 1)
        self.result = None   # of the engine
        self.engine = None   # that made it
        self.error = None


class Cache:
    """Results by scenario and engine, one file each."""

    def __init__(self, folder, engine):
        self.folder = folder
        self.engine = engine
        os.makedirs(folder, exist_ok=True)
        self.others = collections.defaultdict(list)
        for name in sorted(os.listdir(folder)):
            match = re.fullmatch(r'([0-9a-f]{16})-([0-9a-f]{16})\.json', name)
            if match and match[2] != engine:
                self.others[match[1]].append(match[2])

    def path(self, key, engine):
        return os.path.join(self.folder, '%s-%s.json' % (key, engine))

    def read(self, key, engine):
        try:
            with open(self.path(key, engine), encoding='utf-8') as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def load(self, job, keep):
        """Whether there is a result; keep: of an older engine, too."""
        engines = [self.engine]
        if keep:
            # The newest of the others.
            engines += sorted(
                self.others[job.key], reverse=True,
                key=lambda name: os.path.getmtime(self.path(job.key, name)))
        for engine in engines:
            result = self.read(job.key, engine)
            if result is not None:
                job.result, job.engine = result, engine
                return True
        return False

    def store(self, job):
        """Whole or not at all: the program may be stopped at any time."""
        handle, name = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(handle, 'w', encoding='utf-8') as file:
            json.dump(job.result, file)
        os.replace(name, self.path(job.key, self.engine))


class Progress:
    """A line that is rewritten on a terminal; elsewhere one now and then."""

    def __init__(self, jobs, workers):
        self.todo = sum(job.weight for job in jobs)
        self.count, self.done, self.weight = len(jobs), 0, 0.0
        self.workers = workers
        self.tty = sys.stderr.isatty()
        self.begin = time.monotonic()
        self.said = self.begin
        self.lock = threading.Lock()

    def line(self, text):
        if self.tty:
            sys.stderr.write('\r\033[K')
        print(text, file=sys.stderr, flush=True)

    def finished(self, job):
        with self.lock:
            self.done += 1
            self.weight += job.weight
            if job.error:
                self.line('FAILED %s' % job.error)
            now = time.monotonic()
            if self.tty or now - self.said > 15 or self.done == self.count:
                self.said = now
                self.show(job, now - self.begin)

    def show(self, job, elapsed):
        left = elapsed * (self.todo - self.weight) / self.weight
        text = '[%d/%d] %s, about %s left' % (
            self.done, self.count, job.label, duration(left))
        if self.tty:
            sys.stderr.write('\r\033[K' + text[:100])
            if self.done == self.count:
                sys.stderr.write('\r\033[K')
            sys.stderr.flush()
        else:
            self.line(text)


def duration(seconds):
    if seconds < 90:
        return '%d s' % round(seconds)
    minutes = round(seconds / 60)
    return ('%d min' % minutes if minutes < 90
            else '%d h %02d min' % divmod(minutes, 60))


class Runner:
    def __init__(self, engine, folder, workers, timeout):
        self.engine = engine
        self.folder = folder
        self.workers = workers
        self.timeout = timeout
        self.stopping = False
        self.running = set()
        self.lock = threading.Lock()
        self.programs = Programs(os.path.abspath(engine).split('/tests/papers/')[0], [engine])
        self.cache = Cache(os.path.join(folder, 'cache'), self.programs.hash)

    def _fail(self, job, why):
        folder = os.path.join(self.folder, 'failed')
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, job.key + '.scenario')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(job.scenario)
        job.error = '%s: %s\n  again: %s < %s' % (
            job.label, why, self.engine, path)

    def _run(self, job):
        with self.lock:
            if self.stopping:
                return
            process = subprocess.Popen(
                ['nice', '-n', '10', self.engine], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                start_new_session=True,  # Ctrl-C is for us alone
                preexec_fn=die_with_parent)
            self.running.add(process)
        try:
            out, err = process.communicate(job.scenario, self.timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self._fail(job, 'no result after %s' % duration(self.timeout))
            return
        finally:
            with self.lock:
                self.running.discard(process)
        if self.stopping:
            return
        self._take(job, process.returncode, out, err)

    def _take(self, job, status, out, err):
        last = (err.strip().splitlines() or ['it says nothing'])[-1]
        if status != 0:
            self._fail(job, 'exit status %d: %s' % (status, last))
            return
        try:
            result = json.loads(out)
            missing = {'seconds', 'flows', 'hops'} - set(result)
            if missing:
                raise ValueError('no ' + ', '.join(sorted(missing)))
        except ValueError as error:
            self._fail(job, 'not a result: %s' % error)
            return
        self.programs.check()
        job.result, job.engine = result, self.cache.engine
        self.cache.store(job)

    def stop(self):
        """Ends what runs; what is done is kept."""
        with self.lock:
            self.stopping = True
            for process in self.running:
                process.terminate()

    def run(self, jobs, keep, finished):
        """Calls finished(job) for each as it ends, from this thread.

        Returns False if it was stopped.
        """
        todo = []
        for job in jobs:
            if self.cache.load(job, keep):
                finished(job)
            else:
                todo.append(job)
        progress = Progress(todo, self.workers)
        pool = concurrent.futures.ThreadPoolExecutor(self.workers)
        futures = {pool.submit(self._run, job): job for job in todo}
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
                job = futures[future]
                progress.finished(job)
                finished(job)
        except KeyboardInterrupt:
            self.stop()
        except BaseException:
            self.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return not self.stopping
