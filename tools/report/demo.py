#!/usr/bin/python3
# Runs the demo: one stream after the other, then table, JSON and page.
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import busy
import files
import page
import table
import tree

ROOT = tree.ROOT
# Programs may run in another folder than ours.
BUILD = os.path.abspath(os.environ.get('RTPADAPT_BUILD', os.path.join(ROOT, 'build')))
RUNNER = os.path.join(BUILD, 'tools', 'demo-run', 'rtpadapt-demo-run')
SIM = os.path.join(BUILD, 'tools', 'rtpadapt-sim')
INTERRUPTED = 130


class DemoError(Exception):
    """Its text is one sentence for the user."""


def names(text):
    found = [word for word in text.split(',') if word]
    if not found:
        raise argparse.ArgumentTypeError('names are needed')
    return found


def positive(text):
    value = float(text)
    if not 0 < value < float('inf'):
        raise argparse.ArgumentTypeError('must be above 0')
    return value


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='tools/demo',
        description='Streams a real clip through an emulated wireless path, '
                    'once per controller and loss differentiator.')
    add = parser.add_argument
    add('--seconds', type=positive, default=60, metavar='N',
        help='of each run (%(default)s)')
    add('--controllers', type=names, metavar='NAME,...',
        help='rate controllers (the default one)')
    add('--controller-params', metavar='TEXT', help='NAME=VALUE,...')
    add('--ldas', type=names, metavar='NAME,...',
        help='loss differentiators, or "all" (the default one and those that '
             'others are compared with)')
    add('--lda-params', metavar='TEXT', help='NAME=VALUE,...')
    add('--fec', metavar='NAME', default='ulp',
        help='rule for the FEC level (%(default)s); none: no repair')
    add('--no-fec', dest='fec', action='store_const', const='none',
        help='the same as --fec none')
    add('--link', metavar='TEXT',
        help='link chain (3 Mb/s, half of it from 45%% to 60%% of the time, '
             'droptail 100 ms, 25 ms one way, jitter of 5 ms, 5%% wireless loss)')
    add('--seed', type=int, default=1, metavar='N',
        help='of the link (%(default)s)')
    add('--clip', metavar='FILE', help='video (what media/fetch gets)',
        default=os.path.join(ROOT, 'media', 'clips', 'cityCC0.mpg'))
    add('--port', type=int, default=0, metavar='N',
        help='UDP port of the stream (any that is free)')
    add('--warmup', type=float, default=2, metavar='S',
        help='at the start of each run, not measured (%(default)s)')
    add('--json', metavar='FILE', help='write everything measured to FILE')
    add('--html', metavar='FILE', help='the page (%(default)s)',
        default=os.path.join('demo-out', 'index.html'))
    args = parser.parse_args(argv)
    if not 0 <= args.warmup < args.seconds:
        parser.error('--warmup must be at least 0 and below --seconds')
    if args.link is None:
        args.link = ('bottleneck rate=3M,%gs:1.5M,%gs:3M queue=100ms '
                     '! delay 25ms ! jitter std=5ms ! bernoulli 5%%'
                     % (.45 * args.seconds, .6 * args.seconds))
    return args


def environment():
    """What meson devenv would set, so that our plugin is found."""
    env = dict(os.environ)
    paths = [os.path.join(BUILD, 'plugins', 'rtpadapt')]
    for variable in ('GST_PLUGIN_PATH_1_0', 'GST_PLUGIN_PATH'):
        if env.get(variable):
            paths.append(env[variable])
            break
    env['GST_PLUGIN_PATH_1_0'] = os.pathsep.join(paths)
    if not env.get('GST_REGISTRY_1_0') and not env.get('GST_REGISTRY'):
        env['GST_REGISTRY_1_0'] = os.path.join(BUILD, 'gst-registry.bin')
    return env


def registry():
    """What `rtpadapt-sim --list=json` says, lists of algorithms by kind."""
    try:
        return json.loads(subprocess.run(
            [SIM, '--list=json'], check=True, capture_output=True,
            text=True).stdout)
    except (OSError, ValueError, subprocess.CalledProcessError):
        raise DemoError('%s does not work; tools/demo builds it'
                        % SIM) from None


def controllers_chosen(words, known):
    """Names for --controllers."""
    return words or [controller['name'] for controller in known
                     if controller['default']]


def ldas_chosen(words, known):
    """Names for --ldas."""
    if words == ['all']:
        return [lda['name'] for lda in known]
    return words or [lda['name'] for lda in known
                     if lda['default'] or lda['reference']]


def run_options(args, controller, lda):
    """The options that the runner and the simulator share."""
    options = ['--controller', controller, '--lda', lda, '--link', args.link,
               '--seed', str(args.seed), '--fec', args.fec]
    if args.controller_params is not None:
        options += ['--controller-params', args.controller_params]
    if args.lda_params is not None:
        options += ['--lda-params', args.lda_params]
    return options


def last_line(text, fallback):
    """What a program of ours said when it failed, without its name."""
    lines = text.strip().splitlines()
    return re.sub(r'^rtpadapt-[a-z-]+: ', '', lines[-1]) if lines else fallback


def check(args, pairs):
    """Finds out before the first run what would fail in the last one."""
    if not os.path.isfile(args.clip):
        raise DemoError('there is no clip %s' % args.clip)
    if not os.access(args.clip, os.R_OK):
        raise DemoError('the clip %s cannot be read' % args.clip)
    for program in (RUNNER, SIM):
        if not os.access(program, os.X_OK):
            raise DemoError('%s is missing; tools/demo builds it' % program)
    for path in filter(None, (args.json, args.html)):
        files.need(os.path.dirname(os.path.abspath(path)), DemoError)
        if os.path.isdir(path):
            raise DemoError('%s cannot be written' % path)
    # The simulator knows all names, parameters and link models, too.
    for controller, lda in pairs:
        found = subprocess.run(
            [SIM, *run_options(args, controller, lda),
             '--seconds', '0.01', '--warmup', '0'],
            capture_output=True, text=True)
        if found.returncode != 0:
            raise DemoError(last_line(
                found.stderr, '%s+%s does not work' % (controller, lda)))


class Progress:
    """A bar that moves on a terminal, plain lines elsewhere."""

    def __init__(self, pairs, seconds):
        self.pairs = pairs
        self.seconds = seconds
        self.tty = sys.stderr.isatty()
        self.width = max(len('+'.join(pair)) for pair in pairs)
        self.begin = time.monotonic()
        self.drawn = False

    def label(self, i):
        return '[%d/%d] %s' % (i + 1, len(self.pairs),
                               '+'.join(self.pairs[i]).ljust(self.width))

    def clear(self):
        if self.drawn:
            sys.stderr.write('\r\033[K')
        self.drawn = False

    def line(self, text):
        self.clear()
        print(text, file=sys.stderr, flush=True)

    def start(self, i):
        if not self.tty:
            self.line('%s  0/%g s' % (self.label(i), self.seconds))

    def left(self, i, elapsed):
        """Seconds to go; a run takes longer than its stream."""
        mean = self.seconds
        if i:
            mean = (time.monotonic() - elapsed - self.begin) / i
        return max(0, mean - elapsed) + mean * (len(self.pairs) - i - 1)

    def update(self, i, elapsed, stopping):
        if not self.tty:
            return
        share = min(1, elapsed / self.seconds)
        bar = ('#' * round(24 * share)).ljust(24, '-')
        left = self.left(i, elapsed)
        if stopping:
            state = 'stopping'
        elif elapsed > self.seconds + 2:
            state = 'comparing pictures'
        else:
            state = '%d:%02d left' % divmod(round(left), 60)
        sys.stderr.write('\r\033[K%s  [%s] %2.0f/%g s  %s' % (
            self.label(i), bar, min(elapsed, self.seconds), self.seconds,
            state))
        sys.stderr.flush()
        self.drawn = True

    def finish(self, i, run, elapsed):
        goodput = '-'
        if run['goodput_bps'] is not None:
            goodput = '%.2f Mb/s' % (run['goodput_bps'] * 1e-6)
        self.line('%s  %.0f/%g s  %s' % (
            self.label(i), min(elapsed, self.seconds), self.seconds, goodput))


class Runs:
    """One child after the other; a signal ends it with what it has."""

    def __init__(self, args, pairs):
        self.args = args
        self.progress = Progress(pairs, args.seconds)
        self.pairs = pairs
        self.child = None
        self.signals = 0
        self.results = []
        self.dir = tempfile.mkdtemp(
            prefix='rtpadapt-demo-', dir=os.environ.get('TMPDIR', '/var/tmp'))

    def on_signal(self, number, frame):
        self.signals += 1
        if self.child and self.child.poll() is None:
            if self.signals == 1:
                self.child.send_signal(signal.SIGINT)
            else:
                self.child.kill()

    def wait(self, i, begin):
        while True:
            try:
                return self.child.communicate(timeout=.25)
            except subprocess.TimeoutExpired:
                self.progress.update(
                    i, time.monotonic() - begin, self.signals > 0)

    def run(self, i):
        args, begin, before = self.args, time.monotonic(), busy.processors()
        command = [
            RUNNER, *run_options(args, *self.pairs[i]), '--clip', args.clip,
            '--dir', self.dir, '--seconds', '%g' % args.seconds,
            '--warmup', '%g' % args.warmup, '--port', str(args.port)]
        self.progress.start(i)
        # In a session of its own: a Ctrl-C at the terminal is for us, and
        # the child hears of it once.
        self.child = subprocess.Popen(
            command, env=environment(), text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        if self.signals:
            self.child.send_signal(signal.SIGINT)
        out, err = self.wait(i, begin)
        self.take(i, out, err, time.monotonic() - begin,
                  busy.shares(before, busy.processors()))

    def take(self, i, out, err, elapsed, processors):
        code = self.child.returncode
        self.progress.clear()
        if code in (0, INTERRUPTED):
            for line in err.splitlines():
                self.progress.line(line)
            found = json.loads(out)
            self.results.append(dict(
                found['run'], series=found['series'],
                losses=found['losses'], cut=code == INTERRUPTED,
                processors_busy=processors[0], processors_stolen=processors[1]))
            self.progress.finish(i, found['run'], elapsed)
        elif not self.signals:
            raise DemoError(self.complaint(code, err))

    @staticmethod
    def complaint(code, err):
        if code < 0:
            return 'rtpadapt-demo-run was ended by %s' % (
                signal.Signals(-code).name)
        text = last_line(err, 'rtpadapt-demo-run failed')
        element = re.search(r'no element "([^"]+)"', text)
        if element:
            text = 'GStreamer has no element %s; %s' % (element[1], (
                'tools/demo builds it' if element[1].startswith('rtpadapt')
                else 'tools/install-deps installs it'))
        return text

    def all(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.on_signal)
        try:
            for i in range(len(self.pairs)):
                if not self.signals:
                    self.run(i)
        finally:
            self.progress.clear()
            shutil.rmtree(self.dir, ignore_errors=True)


def write(path, text):
    try:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    except OSError as error:
        raise DemoError('%s cannot be written: %s' % (
            path, error.strerror)) from None


def report(args, result, references):
    if not result['runs']:
        return
    if args.json:
        write(args.json, json.dumps(result, ensure_ascii=False) + '\n')
    print('\n%s\n' % table.text(result['runs']))
    found = table.sentences(result['runs'], references)
    for sentence in found:
        print(sentence)
    write(args.html, page.render(result, found, args.seconds, args.warmup))
    print('The page with the plots: %s' % args.html)


def main():
    args = parse_args(sys.argv[1:])
    known = registry()
    references = {lda['name']: lda['reference'] for lda in known['lda']
                  if lda['reference']}
    pairs = [(controller, lda)
             for controller in controllers_chosen(
                 args.controllers, known['controller'])
             for lda in ldas_chosen(args.ldas, known['lda'])]
    result = {
        'command': shlex.join(['tools/demo'] + sys.argv[1:]),
        'commit': tree.commit(),
        'seed': args.seed,
        'link': args.link,
        'runs': [],
    }
    check(args, pairs)
    runs = Runs(args, pairs)
    result['runs'] = runs.results
    try:
        runs.all()
    finally:
        report(args, result, references)
    return INTERRUPTED if runs.signals else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except DemoError as sentence:
        print('demo: %s' % sentence, file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        print('demo: %s' % files.why(error), file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
