// The page's script without a browser: what it says, and where its lines break.
// SPDX-License-Identifier: LGPL-2.1-or-later
// usage: node page.js tools/monitor/page.js; it prints "ok TEXT" or "no TEXT" lines.
'use strict';

const fs = require('fs');
const vm = require('vm');

// An element of a page that is as broad as it needs; its canvas counts the lines.
let lines = [];
const made = [];

function element() {
  const one = {
    style: {setProperty() {}}, classList: {toggle() {}}, clientWidth: 1000,
    clientHeight: 100, append() {}, remove() {}, setAttribute() {}, addEventListener() {},
    getContext: () => new Proxy({}, {get: (_, name) => (...words) => {
      if (name === 'moveTo' || name === 'lineTo') lines.push(name);
    }, set: () => true}),
  };
  made.push(one);
  return one;
}

const byId = {};
const sockets = [];
const context = vm.createContext({
  document: {createElement: element, documentElement: {}, title: '',
    getElementById: (id) => byId[id] = byId[id] || element()},
  window: {devicePixelRatio: 1}, location: {host: 'x'},
  getComputedStyle: () => ({getPropertyValue: () => ''}),
  matchMedia: () => ({addEventListener() {}}), addEventListener() {},
  requestAnimationFrame: (draw) => draw(), setInterval() {}, setTimeout() {},
  performance: {now: () => 0},
  WebSocket: class {
    constructor() { sockets.push(this); }
    send() {}
  },
});
vm.runInContext(fs.readFileSync(process.argv[2], 'utf8'), context);

function check(good, text, said) {
  console.log(`${good ? 'ok' : 'no'} ${text}${good ? '' : `: ${said}`}`);
}

function show(recorded, span, times, more = {}) {
  lines = [];
  sockets[0].onmessage({data: JSON.stringify({
    now: times[times.length - 1], span, command: null, recorded, bad_lines: 0,
    sources: [{id: 1, program: 'p', pid: 1, element: 'e', kind: 'send', dropped: 0,
      since: 0, live: true, points: times.map((t) => ({t, estimated_bps: 1e6})), ...more}]})});
  // Three lines of the grid come first; only one plot has numbers.
  return lines.join(' ').replace(/^(moveTo lineTo ){3}/, '');
}

const steps = (n, step, begin = 0) => Array.from({length: n}, (_, i) => begin + i * step);

check(show(null, 60, steps(5, 5)) === 'moveTo lineTo lineTo lineTo lineTo',
    'points that are 5 s apart belong together', lines);
check(byId.span.textContent === 'The last 60 seconds.', 'live it says how long',
    byId.span.textContent);
const says = (text) => made.some((one) => one.textContent === text);
check(says('p, pid 1'), 'of an older sender no limit is known', '');
show(null, 60, steps(5, 5), {limit: 'loss'});
check(says('p, pid 1 · limit loss'), 'what holds the rate', '');
sockets[0].onclose({reason: ''});
check(byId.state.textContent === 'Connection lost, trying again.', 'a connection that broke',
    byId.state.textContent);
vm.runInContext('sources.clear(); connect()', context);
sockets.shift();
// .5 s apart, then nothing for 4 s, above the 3 s.
check(show(null, 60, [...steps(4, .5), ...steps(2, .5, 5.5)])
    === 'moveTo lineTo lineTo lineTo moveTo lineTo', 'a pause breaks the line', lines);
vm.runInContext('sources.clear(); connect()', context);
sockets.shift();
// 20 hours of points each .5 s: more than the arguments of a call.
check(show('today', 72000, steps(144000, .5)).split(' ').length === 144000,
    'a recording of 20 hours', lines.length);
check(byId.span.textContent === 'All of the recording.', 'it says that it is all',
    byId.span.textContent);
vm.runInContext('sources.clear(); ended = null; connect()', context);
sockets.shift();
sockets[0].onclose({reason: 'too many viewers'});
check(byId.state.textContent === 'Refused: too many viewers, trying again.',
    'one viewer too many', byId.state.textContent);
