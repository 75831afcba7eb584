// rtpadapt-monitor's page: a WebSocket's numbers as plots.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each message has what is new of every source; the first one has the last
// minute, or all of a recording. Each is answered, and the next comes after that.
'use strict';

const SETTLE = 2;      // what a stream begins with sets no axis, seconds
const MEAN = 10;       // of shares of packets, in words
const GAP = 3;         // at least: a line is broken there
const GAP_STEPS = 2.5; // of the usual distance of two points
const SILENT_MS = 5000;
const AGAIN_MS = [1000, 2000, 5000];

// `of` is what a share is taken of. A number in words is the last one, or with
// `of` the mean.
const PLOTS = [
  {title: 'Bitrate', unit: 'Mb/s', scale: 1e-6, digits: 2, least: .1, series: [
    {name: 'estimated_bps', text: 'estimated', colour: 'estimated', wide: true},
    {name: 'received_bps', text: 'received', colour: 'received'},
    {name: 'sent_bps', text: 'sent', colour: 'sent'},
    {name: 'encoder_bps', text: 'encoder', colour: 'encoder'}]},
  {title: 'Delay', unit: 'ms', scale: 1, digits: 0, least: 20, series: [
    {name: 'queue_ms', text: 'queue', colour: 'queue', area: true},
    {name: 'backlog_ms', text: 'backlog', colour: 'backlog'},
    {name: 'rtt_ms', text: 'round trip', colour: 'rtt'}]},
  {title: 'Lost packets', unit: '%', scale: 100, digits: 1, least: 5,
    bars: true, series: [
      {name: 'congestion', text: 'congestion', colour: 'congestion',
        of: 'packets'},
      {name: 'wireless', text: 'wireless', colour: 'wireless', of: 'packets'},
      {name: 'unjudged', text: 'lost', colour: 'unjudged',
        of: 'packets'},
      {name: 'residual_loss', text: 'still missing', colour: 'missing',
        words: true}]},
  {title: 'FEC', unit: '%', scale: 1, digits: 0, least: 10, series: [
    {name: 'fec_percent', text: 'repair', colour: 'fec', area: true}]},
  {title: 'Delayed packets', unit: '%', scale: 100, digits: 1, least: 5,
    series: [
      {name: 'delayed_ratio_all', text: 'of all so far', colour: 'all'},
      {name: 'delayed_ratio', text: 'now', colour: 'delayed', area: true}]},
];

const KINDS = {send: 'sender', recv: 'receiver', src: 'receiver'};

const sources = new Map();
let span = 60;         // what is shown, seconds
let clock = 0;         // performance.now() minus the monitor's time, seconds
let pointed = null;    // seconds before now, where the pointer is
let attempts = 0;
let ended = null;
let drawing = false;

function make(tag, parent, className) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  parent.append(element);
  return element;
}

function say(text, className) {
  const state = document.getElementById('state');
  if (state.textContent !== text) state.textContent = text;
  state.className = className;
}

// --- what there is ---------------------------------------------------------

function makePlot(plot, parent) {
  const figure = make('figure', parent);
  const caption = make('figcaption', figure);
  make('h3', caption).textContent = plot.title;
  const list = make('dl', caption);
  const words = plot.series.map((s) => {
    const row = make('div', list);
    const term = make('dt', row);
    term.textContent = s.text;
    term.style.setProperty('--colour', `var(--${s.colour})`);
    return {row, value: make('dd', row)};
  });
  const canvas = make('canvas', figure);
  canvas.setAttribute('role', 'img');
  canvas.addEventListener('pointermove', (event) => {
    const x = event.offsetX - GUTTER;
    pointed = Math.min(span,
        Math.max(0, span * (1 - x / (canvas.clientWidth - GUTTER))));
    redraw();
  });
  canvas.addEventListener('pointerleave', () => {
    pointed = null;
    redraw();
  });
  return {plot, figure, words, canvas};
}

function makeSource() {
  const section = make('section', document.getElementById('sources'), 'source');
  const header = make('header', section);
  const view = {section, points: [], gap: GAP, name: make('h2', header),
    about: make('p', header), breaker: make('p', header, 'breaker'),
    grid: make('div', section, 'plots')};
  view.plots = PLOTS.map((plot) => makePlot(plot, view.grid));
  return view;
}

function describe(view, info, recorded) {
  view.since = info.since;
  const element = info.element.split(':').pop();
  const about = [`${info.program}, pid ${info.pid}`];
  if (info.controller) about.push(`controller ${info.controller}`);
  if (info.lda) about.push(`LDA ${info.lda}`);
  if (info.fec) about.push(`FEC ${info.fec}`);
  if (info.feedback) about.push(`feedback ${info.feedback}`);
  if (info.queue) about.push(`queue ${info.queue}`);
  if (info.limit) about.push(`limit ${info.limit}`);
  if (info.dropped) about.push(`${info.dropped} messages dropped`);
  if (!info.live && !recorded) about.push('ended');
  view.name.textContent = `${element}, ${KINDS[info.kind]}`;
  view.name.title = info.element;
  view.about.textContent = about.join(' · ');
  view.breaker.textContent =
      info.breaker ? `circuit breaker: ${info.breaker}` : '';
  view.section.classList.toggle('ended', !info.live && !recorded);
  view.section.style.order = info.kind === 'send' ? 0 : 1;
}

// An element may post its statistics each 5 s: its points belong together.
function gapOf(points) {
  const steps = points.slice(1).map((point, i) => point.t - points[i].t)
      .sort((a, b) => a - b);
  return Math.max(GAP, GAP_STEPS * (steps[steps.length >> 1] || 0));
}

function take(message) {
  clock = performance.now() / 1000 - message.now;
  span = message.span;
  if (message.recorded !== null) ended = message.now;
  const known = new Set();
  for (const info of message.sources) {
    if (!sources.has(info.id)) sources.set(info.id, makeSource());
    const view = sources.get(info.id);
    known.add(info.id);
    describe(view, info, message.recorded !== null);
    // A recording may have more points than a call may have arguments.
    for (const point of info.points) view.points.push(point);
    while (view.points.length
        && view.points[0].t < message.now - span - view.gap)
      view.points.shift();
    view.gap = gapOf(view.points);
  }
  for (const [id, view] of sources) {
    if (known.has(id)) continue;
    view.section.remove();
    sources.delete(id);
  }
  document.getElementById('span').textContent = message.recorded === null
      ? `The last ${span} seconds.` : 'All of the recording.';
  const command = message.command || '';
  document.getElementById('command').textContent = command;
  document.title = command ? `${command} - rtpadapt-monitor`
      : 'rtpadapt-monitor';
  let state = message.recorded === null ? 'Live.'
      : `Recorded ${message.recorded}.`;
  if (message.recorded !== null && !sources.size)
    state += ' There are no statistics in it.';
  else if (!sources.size && message.now * 1000 > SILENT_MS)
    state = 'No statistics yet. They come from rtpadapt elements of a program ' +
        'whose GStreamer has the plugin rtpadaptmonitor.';
  if (message.bad_lines)
    state += ` ${message.bad_lines} messages could not be read.`;
  say(state, 'live');
}

// --- drawing ---------------------------------------------------------------

const GUTTER = 40;
const BELOW = 16;

function valueOf(point, series) {
  const value = point[series.name];
  if (value === undefined) return null;
  if (!series.of) return value;
  return point[series.of] > 0 ? value / point[series.of] : null;
}

function roundTop(value) {
  const scale = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((m) => value <= m * scale * 1.0001) * scale;
}

function limitOf(plot, points, since) {
  const settled = points.filter((point) => point.t >= since + SETTLE);
  let most = plot.least;
  for (const point of settled.length ? settled : points) {
    const values = plot.series.filter((s) => !s.words)
        .map((s) => plot.scale * (valueOf(point, s) || 0));
    most = Math.max(most, plot.bars ? values.reduce((a, b) => a + b)
        : Math.max(...values));
  }
  return plot.bars ? Math.min(roundTop(most), 100) : roundTop(most);
}

// Points that belong together, as [x, y].
function runs(points, series, axes) {
  const found = [];
  let last = -Infinity;
  for (const point of points) {
    const value = valueOf(point, series);
    if (value === null) continue;
    if (point.t - last > axes.gap) found.push([]);
    found[found.length - 1].push([axes.x(point.t), axes.y(value)]);
    last = point.t;
  }
  return found;
}

function drawLine(g, points, series, axes, colour) {
  for (const run of runs(points, series, axes)) {
    g.beginPath();
    run.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
    g.globalAlpha = series.wide ? .45 : 1;
    g.lineWidth = series.wide ? 5 : 1.5;
    g.lineJoin = 'round';
    g.strokeStyle = colour;
    g.stroke();
    if (!series.area) continue;
    g.lineTo(run[run.length - 1][0], axes.y(0));
    g.lineTo(run[0][0], axes.y(0));
    g.globalAlpha = .25;
    g.fillStyle = colour;
    g.fill();
  }
  g.globalAlpha = 1;
}

// A bar is as broad as the time that it is about.
function drawBars(g, points, plot, axes, colours) {
  for (let i = 1; i < points.length; i++) {
    if (points[i].t - points[i - 1].t > axes.gap) continue;
    const left = axes.x(points[i - 1].t);
    const width = axes.x(points[i].t) - left;
    let sum = 0;
    for (const series of plot.series) {
      const value = series.words ? null : valueOf(points[i], series);
      if (!value) continue;
      g.fillStyle = colours(series.colour);
      g.fillRect(left, axes.y(sum + value), Math.max(width - .5, 1),
          axes.y(sum) - axes.y(sum + value));
      sum += value;
    }
  }
}

function drawAxes(g, plot, axes, colours) {
  g.font = '11px system-ui, "DejaVu Sans", sans-serif';
  g.lineWidth = 1;
  g.strokeStyle = colours('line');
  g.fillStyle = colours('soft');
  g.textBaseline = 'middle';
  g.textAlign = 'right';
  for (const part of [0, .5, 1]) {
    const y = Math.round(axes.y(part * axes.top / plot.scale)) + .5;
    g.beginPath();
    g.moveTo(GUTTER, y);
    g.lineTo(axes.width, y);
    g.stroke();
    g.fillText(`${+(part * axes.top).toPrecision(3)}`, GUTTER - 6, y);
  }
  g.textBaseline = 'bottom';
  for (let third = 0; third <= 3; third++) {
    const ago = third * span / 3;
    g.textAlign = third ? (third === 3 ? 'left' : 'center') : 'right';
    g.fillText(third ? `−${+ago.toPrecision(3)} s` : `${ended === null ? 'now' : 'end'}, ${plot.unit}`,
        axes.x(axes.now - ago), axes.height);
  }
}

function drawCanvas({canvas, plot}, {points, since, gap}, now, colours) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)
      || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const limit = limitOf(plot, points, since);
  const axes = {now, width, height, gap, top: limit,
    x: (t) => GUTTER + (width - GUTTER) * (1 - (now - t) / span),
    y: (v) => 7 + (height - BELOW - 7)
        * (1 - Math.min(v * plot.scale / limit, 1))};
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  drawAxes(g, plot, axes, colours);
  g.save();
  g.beginPath();
  g.rect(GUTTER, 0, width - GUTTER, height);
  g.clip();
  if (plot.bars) {
    drawBars(g, points, plot, axes, colours);
  } else {
    for (const series of plot.series)
      drawLine(g, points, series, axes, colours(series.colour));
  }
  if (pointed !== null) {
    g.fillStyle = colours('soft');
    g.fillRect(axes.x(now - pointed), 0, 1, height - BELOW);
  }
  g.restore();
}

// --- words -----------------------------------------------------------------

// The last one that is known, or the mean share, up to then.
function numberAt(points, series, until) {
  let sum = 0;
  let packets = 0;
  let last = null;
  for (const point of points) {
    if (point.t > until || point[series.name] === undefined) continue;
    last = point[series.name];
    if (series.of && point.t > until - MEAN && point[series.of] !== undefined) {
      sum += last;
      packets += point[series.of];
    }
  }
  if (series.of) return packets > 0 ? sum / packets : null;
  return last;
}

function fillWords(drawn, points, until) {
  const {plot} = drawn;
  const said = [];
  let any = false;
  plot.series.forEach((series, i) => {
    const known = points.some((p) => p[series.name] !== undefined);
    const value = numberAt(points, series, until);
    const text = value === null ? '–'
        : `${(value * plot.scale).toFixed(plot.digits)} ${plot.unit}`;
    drawn.words[i].row.hidden = !known;
    drawn.words[i].value.textContent = text;
    any = any || (known && !series.words);
    if (known) said.push(`${series.text} ${text}`);
  });
  drawn.figure.hidden = !any;
  drawn.canvas.setAttribute('aria-label', `${plot.title}: ${said.join(', ')}`);
}

function draw() {
  drawing = false;
  const now = ended === null ? performance.now() / 1000 - clock : ended;
  const style = getComputedStyle(document.documentElement);
  const colours = (name) => style.getPropertyValue(`--${name}`);
  for (const view of sources.values()) {
    for (const drawn of view.plots)
      fillWords(drawn, view.points, now - (pointed || 0));
    const shown = view.plots.filter((drawn) => !drawn.figure.hidden).length;
    view.grid.classList.toggle('odd', shown % 2 === 1);
    for (const drawn of view.plots) {
      if (!drawn.figure.hidden)
        drawCanvas(drawn, view, now, colours);
    }
  }
}

function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(draw);
}

// --- the connection --------------------------------------------------------

function connect() {
  const socket = new WebSocket(`ws://${location.host}/live`);
  let first = true;
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.ended !== undefined) {
      ended = performance.now() / 1000 - clock;
      say(`The program has ended with status ${message.ended}.`, '');
      return;
    }
    if (first) {
      for (const view of sources.values()) view.section.remove();
      sources.clear();
      ended = null;
      attempts = 0;
      first = false;
    }
    take(message);
    redraw();
    socket.send('ok');
  };
  socket.onclose = ({reason}) => {
    if (ended === null)
      say(`${reason ? `Refused: ${reason}` : 'Connection lost'}, trying again.`,
          'lost');
    setTimeout(connect,
        AGAIN_MS[Math.min(attempts++, AGAIN_MS.length - 1)]);
  };
}

addEventListener('resize', redraw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
setInterval(redraw, 500);
connect();
