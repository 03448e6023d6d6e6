/* The page of a core (cotree crash --format=html, report/crash_html.c): the stack at the left; of the
 * chosen activation the source, with what it ran, and the flow graph, with the way that its history tells. */

const RAN = ['no', 'maybe', 'certain'];

/* What is told of each block and line, and which edges lie on the parts of the history that are shown. */
function readActivation(frame, graph) {
  const blocks = new Array(graph.c.length).fill(1), lines = new Map(), inMain = list => list.filter(l => l.file === frame.main).map(l => l.line);
  if (frame.active) {
    for (const v of frame.active.ruled_out_blocks) blocks[v] = 0;
    for (const v of frame.active.certain_blocks) blocks[v] = 2;
    for (const line of inMain(frame.active.ruled_out)) lines.set(line, 0);
    for (const line of inMain(frame.active.certain)) lines.set(line, 2);
  }
  return {blocks, lines};
}
/* The edges of a part. Where several ways lead on, or out of a loop that was left, none is drawn. */
function edgesOf(part, graph) {
  const found = [], {blocks} = part;
  blocks.forEach((stop, i) => {
    if (stop.gap || (i ? blocks[i - 1].loop : part.region)) return;
    const from = i ? blocks[i - 1].block : graph.c.length + 1;
    graph.e.forEach((e, number) => { if (e[0] === from && e[1] === stop.block && e[2] !== 3) found.push(number); });
  });
  return found;
}

class CrashDrawing extends Drawing {
  constructor(graph, model, frame, told, onBlock) {
    super(graph, model, onBlock);
    Object.assign(this, {frame, told, onWay: new Map()});
  }
  /* parts: of the history, by number */
  drawWays(parts) {
    this.onWay = new Map();
    for (const number of parts) for (const e of edgesOf(this.frame.history[number], this.graph)) this.onWay.set(e, this.frame.history[number].region ? 'round' : 'way');
    this.edges.forEach((p, e) => { if (p.element) this.mark(p.element.querySelector('.edge'), e); });
  }
  mark(element, e) {
    for (const kind of ['way', 'round']) element.classList.toggle(kind, this.onWay.get(e) === kind);
  }
  edge([from, to, kind], number, route) {
    const end = [route.length > 3 ? route[route.length - 2] : route[0], route[route.length - 1]];
    const no = [from, to].some(v => v < this.blocks && this.told.blocks[v] === 0);
    const path = draw('path', {class: 'edge' + (kind === 3 ? ' virtual' : '') + (no ? ' not-run' : ''), d: wayOf(route), 'stroke-width': 1.4, 'data-edge': number});
    this.mark(path, number);
    return draw('g', {}, draw('title', {}, this.name(from) + ' → ' + (kind === 3 ? 'stays' : this.name(to))), path,
      draw('path', {class: 'head', d: 'M' + (end[0] - 5) + ' ' + (end[1] - 8) + 'h10L' + end[0] + ' ' + end[1] + 'z'}));
  }
  box(v) {
    const graph = this.graph, ranges = lineRanges(graph.own[v]), here = v === this.frame.block, ran = RAN[this.told.blocks[v]];
    const first = graph.own[v].length && this.model.lines ? (this.model.lines[graph.own[v][0] - 1] || '').trim() : '';
    const says = here ? 'it stands here' : {no: 'did not run', maybe: 'may have run', certain: 'ran'}[ran];
    return draw('g', {class: 'box ' + ran + (here ? ' here' : ''), tabindex: 0, transform: 'translate(' + graph.n[2 * v] + ' ' + graph.n[2 * v + 1] + ')', 'data-block': v,
      onclick: () => this.onBlock(v), onkeydown: event => { if (event.key === 'Enter' || event.key === ' ') { this.onBlock(v); event.preventDefault(); } }},
    draw('title', {}, 'block ' + v + ': ' + says + (ranges.length ? ', line' + (graph.own[v].length > 1 ? 's ' : ' ') + ranges.join(', ') : '')),
    draw('rect', {class: 'frame', width: BOX_WIDTH, height: BOX_HEIGHT}),
    draw('text', {class: 'small', x: 12, y: 16}, v + (ranges.length ? ' · L' + ranges[0] + (ranges.length > 1 ? ', …' : '') : '')),
    draw('text', {class: 'number', x: BOX_WIDTH - 8, y: 16, 'text-anchor': 'end'}, here ? '●' : {no: '✗', maybe: '', certain: '✓'}[ran]),
    draw('text', {class: 'snippet', x: 12, y: 33}, first.length > 27 ? first.slice(0, 26) + '…' : first));
  }
}

/* ---- The stack ---- */

const shortName = path => path.slice(path.lastIndexOf('/') + 1);
function frameRow(thread, frame) {
  const why = frame.why || (frame.candidates > 1 ? 'one of ' + shown(frame.candidates) + ' ways' : frame.unique ? 'one way' : null);
  return make('a', {class: 'frame' + (frame.key ? '' : ' unknown'), href: '#' + thread.number + '.' + frame.number, 'data-frame': thread.number + '.' + frame.number},
    make('span', {class: 'n'}, '#' + frame.number), make('span', {class: 'f'}, frame.function || '?', frame.inlined ? make('i', {}, ' inlined') : null),
    make('span', {class: 'at'}, frame.file ? shortName(frame.file) + ':' + frame.line : frame.key ? '' : 'no history'), frame.key && why ? make('span', {class: 'why'}, why) : null);
}
function threadList(thread) {
  const rows = [];
  for (const frame of thread.frames) {
    if (frame.skipped) rows.push(make('p', {class: 'none'}, plural(frame.skipped, 'frame') + ' are not in this page (--top=N)'));
    rows.push(frameRow(thread, frame));
  }
  return make('section', {}, make('h2', {}, 'Thread ' + thread.number + ' (' + thread.id + ')' + (thread.signal ? ', which died' : '')), thread.problem ? make('p', {class: 'note'}, thread.problem) : null, ...rows);
}

/* ---- The chosen activation ---- */

/* Parts of the history, each a button that shows its way alone, and lines that can be pressed. */
function historyOf(frame, onPart, onLine) {
  const element = make('div', {class: 'history'});
  if (frame.why) element.append(make('p', {class: 'facts'}, 'The way here is not known: ' + frame.why));
  frame.history.forEach((part, number) => {
    const steps = [];
    part.lines.forEach((l, i) => {
      const last = part.lines[i - 1];
      if (last && last.file === l.file && last.line === l.line && !l.gap && !l.loop) return;
      steps.push(l.gap ? make('span', {class: 'gap', title: 'several ways lead here'}, '…') : null,
        make('button', {type: 'button', 'data-line': l.line, onclick: () => onLine(l)}, (l.loop ? '↺ ' : '') + (l.file === frame.main ? '' : shortName(l.file) + ':') + l.line));
    });
    element.append(make('p', {class: part.region ? 'round' : 'way'},
      make('button', {type: 'button', class: 'part', 'aria-pressed': 'false', title: 'Only this part', onclick: event => onPart(number, event.currentTarget)}, part.kind), ...steps.filter(x => x),
      part.candidates === null ? make('span', {class: 'why'}, ' not known' + (part.why ? ': ' + part.why : '')) : part.candidates > 1 ? make('span', {class: 'why'}, ' one of ' + shown(part.candidates) + ' ways') : null));
  });
  return element;
}
function sourceRows(model, graph, frame, told) {
  const rows = make('div', {class: 'crash-source code', tabindex: 0, role: 'region', 'aria-label': 'Source'});
  if (!model.lines) { rows.append(make('p', {class: 'note'}, 'The source is not here: ' + frame.main + (model.why ? ' (' + model.why + ')' : ''))); return rows; }
  rows.style.setProperty('--number-width', String(model.lines.length).length + 2 + 'ch');
  for (let line = Math.max(1, graph.line - 3); line <= Math.min(model.lines.length, graph.last + 3); line++) {
    const here = line === frame.line && frame.file === frame.main, ran = told.lines.get(line), text = make('code', {class: 'tx'});
    colored(text, model.lines[line - 1] || '', model.comment[line - 1]);
    rows.append(make('div', {class: 'row' + (here ? ' here' : '') + (ran === 0 ? ' no' : ran === 2 ? ' certain' : '') + (line < graph.line || line > graph.last ? ' outside' : ''), 'data-line': line},
      make('span', {class: 'mk', title: here ? 'it stands here' : ran === 0 ? 'this activation did not run it' : ran === 2 ? 'it ran' : null}, here ? '▶' : ran === 0 ? '✗' : ran === 2 ? '✓' : ''),
      make('span', {class: 'ln'}, String(line)), text));
  }
  return rows;
}

async function sourceOf(path) {
  const [, state, why, number] = index.sources.find(s => s[0] === path) || [path, 2, null, 0];
  const model = {lines: null, why, newer: state === 1};
  if (number) {
    model.lines = (await unpack(number).then(r => r.text())).split('\n');
    model.lines.pop();
    model.comment = commentLines(model.lines);
  }
  return model;
}

function readCrashGraph(graph) {
  if (graph.own) return graph;
  const edges = [];
  for (let i = 0; i < graph.e.length; i += 3) edges.push([graph.e[i], graph.e[i + 1], graph.e[i + 2]]);
  Object.assign(graph, {c: new Array(graph.l.length).fill(null), e: edges, own: graph.l, u: [], v: []});
  return Object.assign(graph, layOutGraph(graph.l.length, edges));
}

async function showFrame(frame) {
  const pane = byId('activation');
  for (const row of document.querySelectorAll('#stack .frame')) row.setAttribute('aria-current', String(row.dataset.frame === frame.thread.number + '.' + frame.number));
  const row = document.querySelector('#stack [aria-current="true"]');
  if (row) row.scrollIntoView({block: 'nearest'});
  document.title = '#' + frame.number + ' ' + (frame.function || '?') + ' – ' + baseTitle;
  if (!frame.key) {
    view = null;
    pane.replaceChildren(make('div', {class: 'activation-head'}, make('h2', {}, frame.function || '?'), make('p', {class: 'facts'}, frame.why || 'This code was not compiled with -fcotree=crash.')));
    return;
  }
  const graph = readCrashGraph(index.graphs[frame.key]);
  frame.main = graph.file;
  const model = await sourceOf(graph.file), told = readActivation(frame, graph);
  let only = -1;
  const rows = sourceRows(model, graph, frame, told);
  const mark = lines => {
    for (const r of rows.querySelectorAll('.row')) r.classList.toggle('chosen', lines.includes(Number(r.dataset.line)));
    const first = rows.querySelector('.row.chosen');
    if (first) first.scrollIntoView({block: 'nearest'});
  };
  const drawing = new CrashDrawing(graph, model, frame, told, v => { drawing.choose(new Set([v]), new Set()); mark(graph.own[v]); });
  const canvas = canvasOf(drawing, graph), all = frame.history.map((_, i) => i);
  const ways = historyOf(frame, (number, button) => {
    only = only === number ? -1 : number;
    for (const b of pane.querySelectorAll('.part')) b.setAttribute('aria-pressed', String(b === button && only >= 0));
    drawing.drawWays(only < 0 ? all : [only]);
  }, l => {
    if (l.file !== graph.file) return;
    const blocks = new Set();
    graph.own.forEach((lines, v) => { if (lines.includes(l.line)) blocks.add(v); });
    drawing.choose(blocks, new Set());
    mark([l.line]);
    if (blocks.size) canvas.showBox([...blocks][0]);
  });
  pane.replaceChildren(make('div', {class: 'activation-head'}, make('h2', {}, frame.function), make('span', {class: 'facts'}, frame.file ? frame.file + ':' + frame.line : ''), make('span', {class: 'room'}), zoomButtons(canvas)),
    ways, ...model.newer ? [make('p', {class: 'note'}, 'The source is newer than the program: lines may not match.')] : [], make('div', {class: 'panes split'}, make('div', {class: 'codepane'}, rows),
      make('section', {class: 'sidepane', 'aria-label': 'Flow graph'}, canvas.element, make('div', {class: 'legend'}, 'blue: the way to the loop or to here · violet: the last round · ✓ ran · ✗ this activation did not run it · ● it stands here'))));
  view = {crash: frame, side: canvas, source: null};
  canvas.ready();
  drawing.drawWays(all);
  canvas.showBox(frame.block);
  const here = rows.querySelector('.here');
  if (here) here.scrollIntoView({block: 'center'});
}

function startCrash() {
  const threads = index.crash.threads;
  threads.forEach((thread, t) => {
    thread.number = t + 1;
    let number = 0;
    for (const frame of thread.frames) {
      number += frame.skipped || 0;
      Object.assign(frame, {number: number++, thread});
    }
  });
  byId('overview').classList.add('crash');
  byId('lists').replaceChildren(make('nav', {id: 'stack', 'aria-label': 'Stack'}, ...threads.map(threadList)), make('div', {id: 'activation'}));
}
/* The frame that the address names; else the first that something is known of. */
function addressedFrame() {
  const found = /^#(\d+)\.(\d+)$/.exec(location.hash), {threads} = index.crash;
  const named = found && threads[found[1] - 1] && threads[found[1] - 1].frames.find(f => f.number === Number(found[2]));
  return named || threads[0].frames.find(f => f.key && f.line) || threads[0].frames.find(f => f.key) || threads[0].frames[0];
}
function stepFrame(by) {
  const frame = view && view.crash || addressedFrame(), {frames} = frame.thread, next = frames[frames.indexOf(frame) + by];
  if (next) location.hash = '#' + frame.thread.number + '.' + next.number;
}
async function goCrash() {
  const frame = addressedFrame();
  if (frame) await showFrame(frame);
}
