# A set file: links x systems x seeds, and what is claimed of them.
# SPDX-License-Identifier: LGPL-2.1-or-later
import functools
import hashlib
import itertools
import json
import pathlib
import re
import shlex
import tomllib

from expressions import Expression, PaperError, fill
from paperparts import as_list, check_keys
from runner import digest

SETS = pathlib.Path(__file__).resolve().parent / 'sets'
ROOT = SETS.parents[2]
SET_KEYS = {'title', 'about', 'seeds', 'seconds', 'warmup', 'clip', 'picture',
            'link', 'system', 'claim'}
LINK_KEYS = {'name', 'title', 'about', 'there', 'back', 'seconds', 'warmup',
             'capacity', 'clip', 'others', 'sweep', 'vary', 'where'}
OTHER_KEYS = {'tcp', 'stream', 'a', 'b', 'at', 'seconds'}
SYSTEM_KEYS = {'name', 'title', 'system', 'options', 'receiver-options',
               'bitrate', 'start-bitrate', 'max-bitrate'}
CLAIM_KEYS = {'text', 'check', 'sweep', 'where'}
# What the text of a claim calls the metrics of its sweep.
METRIC_WORDS = {'vmaf': 'VMAF', 'frozen_s': 'time frozen',
                'latency_ms_p95': 'latency'}
TCP_PORT = 5201  # iperf3's own; the next ones for more of them
LEAD_MAX = 60  # s before the stream that is measured
STREAM_PORT = 5104  # of a second stream, and each has the next two as well
STREAM_PORTS = 10
SAME = 'same'  # the system that is measured
# A run takes longer than its stream: starting, ending, comparing pictures.
OVERHEAD_S, OVERHEAD = 4, .15


class CompareError(PaperError):
    """Its text is one sentence for the user."""


def need(table, keys, where):
    for key in keys:
        if key not in table:
            raise CompareError("%s: '%s' is missing" % (where, key))


def number(value, where, least=0):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (
            not least <= value < float('inf')):
        raise CompareError('%s: a number from %g on is needed, not %r' % (
            where, least, value))
    return value


def rate_of(chain):
    """The first rate= of a chain, in bit/s; what it is at the start."""
    found = re.search(r'\brate=([\d.]+(?:[eE]\d+)?)([kMG]?)', chain)
    if not found:
        return None
    return float(found[1]) * {'': 1, 'k': 1e3, 'M': 1e6, 'G': 1e9}[found[2]]


@functools.lru_cache(None)
def content(path, size, changed):
    """SHA-256 of a file that was last changed then."""
    with open(path, 'rb') as file:
        whole = hashlib.sha256()
        while block := file.read(1 << 20):
            whole.update(block)
    return whole.hexdigest()


def file_hash(name):
    """Of what has that name in this tree, or None if nothing has."""
    path = ROOT / name
    try:
        if path.is_file():
            return content(path, path.stat().st_size, path.stat().st_mtime_ns)
    except OSError:
        pass
    return None


def files_of(chain):
    """Of a chain of link models: {name: hash} of the words that are files, as those of
    traces, with "file=" before them or without."""
    names = {word.removeprefix('file=') for word in chain.replace('!', ' ').split()}
    found = {name: file_hash(name) for name in sorted(names)}
    return {name: known for name, known in found.items() if known}


def points(sweep, vary, where):
    """All combinations, or the first of each list and one change at a time."""
    names = list(sweep)
    if vary == 'all':
        return [dict(zip(names, values))
                for values in itertools.product(*sweep.values())]
    if vary != 'one':
        raise CompareError("%s: vary is 'all' or 'one'" % where)
    base = {name: sweep[name][0] for name in names}
    return [base] + [{**base, name: value} for name in names
                     for value in sweep[name][1:]]


def moment(text, names, where, least=0):
    """A number, or a text with one in braces."""
    try:
        return number(float(fill(text, names, where)), where, least)
    except ValueError:
        raise CompareError('%s: no time: %s' % (where, text)) from None


def expand(table, where):
    """The claims of an entry, one per point of its sweep."""
    check_keys(table, CLAIM_KEYS, where)
    need(table, ['text', 'check'], where)
    sweep = {name: as_list(values)
             for name, values in table.get('sweep', {}).items()}
    if not all(sweep.values()):
        raise CompareError('%s: a sweep without a value' % where)
    found = points(sweep, 'all', where)
    if 'where' in table:
        asks = Expression(table['where'], set(sweep), where)
        found = [point for point in found if asks(point)]
    if not found:
        raise CompareError('%s: a claim about no point' % where)
    return [{'text': fill(table['text'], {
        name: METRIC_WORDS.get(value, value) for name, value in point.items()},
                          where),
             'check': fill(table['check'], point, where)} for point in found]


class Other:
    """What runs beside the stream: a TCP, another stream, or commands."""

    def __init__(self, table, index, names, where):
        check_keys(table, OTHER_KEYS, where)
        if sum(key in table for key in ('tcp', 'stream', 'a')) != 1:
            raise CompareError("%s: either 'tcp', 'stream' or 'a' is needed"
                               % where)
        self.stream = table.get('stream')
        self.port = (STREAM_PORT + STREAM_PORTS * index if self.stream
                     else TCP_PORT + index)
        # One before 0 begins before the stream that is measured.
        self.at = moment(table.get('at', 0), names, where, -LEAD_MAX)
        self.seconds = moment(table.get('seconds', 0), names, where)
        self.tcp = fill(table.get('tcp', ''), names, where)
        if self.tcp and not re.fullmatch(r'\w+', self.tcp):
            raise CompareError("%s: no TCP '%s'" % (where, self.tcp))
        self.a = fill(table.get('a', ''), names, where)
        self.b = fill(table.get('b', ''), names, where)

    def commands(self, cell, measure='rtpadapt-measure'):
        """(in a, in b); an empty one is none."""
        last = self.seconds or cell.seconds - self.at
        at = self.at + cell.link.lead
        wait = 'sleep %g; ' % at if at else ''
        if self.stream:
            return self._streams(cell, measure, wait, last)
        if not self.tcp:
            return wait + self.a, self.b
        # The server may not listen yet; what breaks off later has failed.
        client = ('%sbegin=$(date +%%s); until iperf3 -c "$RTPADAPT_B" -p %d '
                  '-C %s -t %g >/dev/null; do [ $(($(date +%%s) - begin)) -lt '
                  '4 ] || { echo "TCP %s does not work" >&2; exit 1; }; '
                  'sleep .2; done' % (wait, self.port, self.tcp, last,
                                      self.tcp))
        # SIGINT is how it is told to end, and not a failure.
        server = ('trap "exit 0" INT; iperf3 -s -p %d >/dev/null & wait'
                  % self.port)
        return client, server


    def _streams(self, cell, measure, wait, last):
        """As the stream that is measured, on other ports; nobody reads what
        they write."""
        system = cell.beside[self.stream]
        send = [measure, 'send', *system.arguments(cell.link), '--clip',
                cell.clip, '--seconds', '%g' % last, '--out', '/dev/null']
        receive = [measure, 'receive', '--system', system.system, '--port',
                   str(self.port), *system.receiver(), '--out', '/dev/null']
        return ('%s%s --to "$RTPADAPT_B:%d"' % (
            wait, shlex.join(send), self.port),
                'trap : INT; %s --from "$RTPADAPT_A"; exit 0' % shlex.join(
                    receive))


class Link:
    """One point of a [[link]]."""

    def __init__(self, table, point, told, where):
        self.group = table['name']
        self.point = point
        self.seconds = number(table.get('seconds', told.seconds), where, 1)
        names = {**point, 'seconds': self.seconds}
        self.warmup = number(table.get('warmup', told.warmup), where)
        self.clip = table.get('clip', told.clip)
        text = {key: fill(table.get(key, ''), names, where)
                for key in ('there', 'back', 'capacity')}
        self.there, self.back = text['there'], text['back']
        self.group_title = table.get('title') or self.group
        if '{' in self.group_title:
            raise CompareError('%s: a title is of all points of the sweep'
                               % where)
        self.about = ' '.join(table.get('about', '').split())
        swept = [name for name in point if len(table['sweep'][name]) > 1]
        words = ['%s=%g' % (name, point[name])
                 if not isinstance(point[name], str) else point[name]
                 for name in swept]
        self.name = ' '.join([self.group] + words)
        self.title = ', '.join([self.group_title] + words)
        try:
            self.capacity = (float(text['capacity']) if text['capacity']
                             else rate_of(self.there))
        except ValueError:
            raise CompareError("%s: no capacity: %s" % (
                where, text['capacity'])) from None
        if not self.capacity:
            raise CompareError("%s: 'capacity' is missing, and no rate= tells "
                               'it' % where)
        self.others = [
            Other(other, i, names, where)
            for i, other in enumerate(table.get('others', []))]
        self.lead = max([0, *(-other.at for other in self.others)])

    def json(self):
        return {'name': self.name, 'title': self.title, 'group': self.group,
                'group_title': self.group_title, 'about': self.about,
                'point': self.point, 'there': self.there, 'back': self.back,
                'seconds': self.seconds, 'warmup': self.warmup,
                'capacity_bps': self.capacity,
                'streams': [other.port for other in self.others
                            if other.stream],
                'tcp': {str(other.port): other.tcp for other in self.others
                        if other.tcp}}


class System:
    def __init__(self, table):
        need(table, ['name'], 'a system')
        self.name = table['name']
        where = 'system ' + self.name
        check_keys(table, SYSTEM_KEYS, where)
        self.title = table.get('title', self.name)
        self.system = table.get('system', self.name)
        self.options = table.get('options', '')
        self.receiver_options = table.get('receiver-options', '')
        # Of the capacity that the link begins with.
        self.share = table.get('bitrate')
        if self.share is not None:
            number(self.share, where)
        self.rates = {key: number(table[key], where)
                      for key in ('start-bitrate', 'max-bitrate')
                      if key in table}

    def arguments(self, link):
        """Of `rtpadapt-measure send`."""
        found = ['--system', self.system]
        if self.options:
            found += ['--options', self.options]
        if self.share is not None:
            found += ['--bitrate', '%.0f' % (self.share * link.capacity)]
        for key, value in self.rates.items():
            found += ['--' + key, '%.0f' % value]
        return found

    def receiver(self):
        """Of `rtpadapt-measure receive`."""
        if not self.receiver_options:
            return []
        return ['--options', self.receiver_options]

    def json(self):
        return {'name': self.name, 'title': self.title,
                'system': self.system, 'options': self.options,
                'share': self.share}


class Cell:
    """One run: link x system x seed."""

    def __init__(self, told, link, system, seed):
        self.link, self.system, self.seed = link, system, seed
        self.ours = system.system.startswith('rtpadapt')  # of our plugin
        self.seconds, self.warmup = link.seconds, link.warmup
        self.beside = {SAME: system,
                       **{one.name: one for one in told.systems}}
        self.clip = link.clip
        # When the pictures are compared: late, and the same for all.
        self.picture = told.picture * link.seconds
        self.label = '%s, %s, seed %d' % (link.name, system.name, seed)
        self.weight = (link.lead + link.seconds * (1 + OVERHEAD)
                       + OVERHEAD_S)
        self.result = self.engine = self.error = None
        self.state = 'not run'  # ok, failed, missing
        self.reason = ''

    @functools.cached_property
    def key(self):
        """What decides about the result; not its names and titles. It is asked for
        when the clip is there."""
        link, system = self.link, self.system
        return digest(json.dumps([
            link.there, link.back, link.seconds,
            *([link.lead] if link.lead else []),
            [other.commands(self) for other in link.others],
            system.arguments(link), system.receiver(), self.seed, self.warmup,
            self.clip, self.picture, file_hash(self.clip),
            files_of(link.there), files_of(link.back)]).encode())


class Set:
    def __init__(self, path, seconds=None, quick=False):
        self.path = pathlib.Path(path)
        self.name = self.path.stem
        try:
            table = tomllib.loads(self.path.read_text(encoding='utf-8'))
        except (OSError, ValueError) as error:
            raise CompareError('%s: %s' % (path, error)) from None
        where = self.path.name
        check_keys(table, SET_KEYS, where)
        need(table, ['title', 'link', 'system'], where)
        self.title = table['title']
        self.about = ' '.join(table.get('about', '').split())
        self.seeds = as_list(table.get('seeds', [1, 2, 3, 4, 5]))
        for seed in self.seeds:
            number(seed, where)
        self.asked = seconds or (15 if quick else None)
        self.seconds = number(table.get('seconds', 60), where, 1)
        self.warmup = number(table.get('warmup', 5), where)
        self.clip = table.get('clip', 'media/clips/cityCC0.mpg')
        self.picture = number(table.get('picture', .8), where)
        self.links = [link for entry in table['link']
                      for link in self._links(entry, where, quick)]
        self.systems = [System(entry) for entry in table['system']]
        for kind in (self.links, self.systems):
            names = [one.name for one in kind]
            for name in names:
                if names.count(name) > 1:
                    raise CompareError("%s: two are named '%s'" % (
                        where, name))
        if quick:
            self.seeds = self.seeds[:1]
        self.claims = []
        for entry in table.get('claim', []):
            self.claims += expand(entry, where + ', claim')
        known = {SAME, *(system.name for system in self.systems)}
        for link in self.links:
            for other in link.others:
                if other.stream and other.stream not in known:
                    raise CompareError("%s, link %s: there is no system '%s'"
                                       % (where, link.name, other.stream))

    def _links(self, table, where, quick):
        need(table, ['name', 'there'], '%s, link' % where)
        where = '%s, link %s' % (where, table['name'])
        check_keys(table, LINK_KEYS, where)
        table = {**table, 'sweep': {
            name: as_list(values)
            for name, values in table.get('sweep', {}).items()}}
        if not all(table['sweep'].values()):
            raise CompareError('%s: a sweep without a value' % where)
        if self.asked:
            # What would be as long as the whole run gets shorter with it.
            whole = number(table.get('seconds', self.seconds), where, 1)
            if self.asked <= table.get('warmup', 0) < whole:
                table['warmup'] *= self.asked / whole
            table['seconds'] = self.asked
        found = points(table['sweep'], table.get('vary', 'all'), where)
        if 'where' in table:
            asks = Expression(table['where'], set(table['sweep']), where)
            found = [point for point in found if asks(point)]
        links = []
        for point in found[:1] if quick else found:
            link = Link(table, point, self, where)
            if not link.warmup < link.seconds:
                raise CompareError('%s: the warm-up of %g s is as long as '
                                   'the run' % (where, link.warmup))
            links.append(link)
        return links

    def cells(self, only=()):
        """Seed by seed, so that what is stopped has all links and systems."""
        chosen = self.choose(only)
        return [Cell(self, link, system, seed) for seed in self.seeds
                for link in self.links for system in self.systems
                if link.name in chosen and system.name in chosen]

    def choose(self, only):
        """Names of links and systems; of a kind not named, all."""
        found = set()
        for kind in ('links', 'systems'):
            members = {}
            for one in getattr(self, kind):
                for name in {one.name, getattr(one, 'group', one.name)}:
                    members.setdefault(name, []).append(one.name)
            named = [word for word in only if word in members]
            for word in named or members:
                found.update(members[word])
        for word in only:
            if word not in found and word not in {
                    link.group for link in self.links}:
                raise CompareError(
                    "there is no link or system '%s'; there are: %s" % (
                        word, ' '.join(dict.fromkeys(
                            [link.group for link in self.links]
                            + [system.name for system in self.systems]))))
        return found
