# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two hosts for the tests: network namespaces joined by a veth pair, which end
with the test; TAP; and gst-launch lines in them.

Works as root, and where the kernel lets users make namespaces.
"""
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

A4, B4 = '10.77.0.1', '10.77.0.2'
A6, B6 = 'fd77::1', 'fd77::2'
PATIENCE = 60  # seconds for what takes about five


def enter():
    """Goes on in a network namespace of our own; all in it ends with us."""
    if os.environ.get('RTPADAPT_NET') == '1':
        return
    flags = ['-n'] if os.getuid() == 0 else ['-Urn']
    probe = subprocess.run(['unshare', *flags, 'true'],
                           stderr=subprocess.PIPE, text=True)
    if probe.returncode:
        print('1..0 # SKIP no network namespace of our own: '
              + probe.stderr.strip())
        sys.exit(0)
    os.environ['RTPADAPT_NET'] = '1'
    os.execvp('unshare', ['unshare', *flags, sys.executable, *sys.argv])


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def run(*command):
    subprocess.run(command, check=True)


class Hosts:
    """a and b, prefixes of a command that run it there."""

    def __init__(self):
        self.holders = [subprocess.Popen(['unshare', '-n', 'sleep', 'infinity'],
                                         preexec_fn=die_with_parent)
                        for _ in 'ab']
        own = os.readlink('/proc/self/ns/net')
        for holder in self.holders:  # until it has left ours
            while os.readlink(f'/proc/{holder.pid}/ns/net') == own:
                time.sleep(.001)
        self.a, self.b = (['nsenter', '-n', '-t', str(h.pid)]
                          for h in self.holders)
        self.name = f'p{self.holders[0].pid}'
        run('ip', 'link', 'add', self.name, 'type', 'veth', 'peer', 'name',
            'b' + self.name)
        for host, holder, link, v4, v6 in (
                (self.a, self.holders[0], self.name, A4, A6),
                (self.b, self.holders[1], 'b' + self.name, B4, B6)):
            run('ip', 'link', 'set', link, 'netns', str(holder.pid))
            run(*host, 'ip', 'link', 'set', link, 'name', 'path')
            run(*host, 'ip', 'address', 'add', v4 + '/24', 'dev', 'path')
            run(*host, 'ip', '-6', 'address', 'add', v6 + '/64', 'dev', 'path',
                'nodad')
            run(*host, 'ip', 'link', 'set', 'path', 'up')
            run(*host, 'ip', 'link', 'set', 'lo', 'up')

    def limit(self, rate):
        """A queue of 100 ms at `rate`, tc's notation, from a to b."""
        run(*self.a, 'tc', 'qdisc', 'add', 'dev', 'path', 'root', 'tbf', 'rate',
            rate, 'burst', '3000', 'latency', '100ms')

    def close(self):
        for holder in self.holders:
            holder.kill()
            holder.wait()


class Launch:
    """gst-launch-1.0 in a host; its lines are kept."""

    def __init__(self, host, line, *options):
        self.lines = []
        self.process = subprocess.Popen(
            [*host, 'gst-launch-1.0', *options, *line.split()],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors='replace', preexec_fn=die_with_parent)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        self.lines.extend(self.process.stdout)

    def wait(self):
        """The exit status, or None if it does not end."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def stop(self):
        """As Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.reader.join()

    def history(self, element):
        """The fields of all statistics that `element`, a factory, posted:
        gst-launch-1.0 -m."""
        pattern = f'application/x-{element}-stats, '
        return [fields(line.split(pattern, 1)[1]) for line in self.lines
                if pattern in line]

    def stats(self, element):
        """The last ones."""
        return (self.history(element) or [{}])[-1]

    def problems(self):
        return ''.join(line for line in self.lines
                       if re.search('ERROR|WARN|CRITICAL', line))


class Relay:
    """tests/net/relay in a host: what a sends to 127.0.0.1:PORT."""

    def __init__(self, host, *args):
        path = os.path.join(os.path.dirname(__file__), 'relay')
        self.process = subprocess.Popen(
            [*host, path, *map(str, args)], stdout=subprocess.PIPE, text=True,
            preexec_fn=die_with_parent)
        self.process.stdout.readline()

    def stop(self):
        """Its letters, see there."""
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=PATIENCE)
        return out.strip()


def fields(text):
    """Numbers and words of a serialized structure, those of nested ones, too:
    the first of a name counts."""
    found = {}
    for name, kind, value in re.findall(
            r'([\w.-]+)=\((\w+)\)("[^"]*"|[^,;\\]*)', text):
        if kind in ('string', 'GstStructure'):
            found.setdefault(name, value.strip('"'))
        else:
            try:
                found.setdefault(name, float(value))
            except ValueError:
                pass
    return found


class Tap:
    def __init__(self):
        self.n = 0
        self.lock = threading.Lock()

    def check(self, ok, name, *why):
        with self.lock:
            self.n += 1
            print(f"{'' if ok else 'not '}ok {self.n} {name}", flush=True)
            if not ok:
                for line in '\n'.join(map(str, why)).splitlines():
                    print('# ' + line, flush=True)

    def tried(self, failed):
        """Shows the names and reasons of what failed in a try that is not the last."""
        with self.lock:
            for words in failed:
                for line in '\n'.join(map(str, words)).splitlines():
                    print('# tried again: ' + line, flush=True)

    def skip(self, name, why):
        with self.lock:
            self.n += 1
            print(f'ok {self.n} {name} # SKIP {why}', flush=True)

    def done(self):
        print(f'1..{self.n}', flush=True)


def missing(*programs):
    return [p for p in programs if not shutil.which(p)]
