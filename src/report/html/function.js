/* The view of a function: its file on one side, its graph on the other. A chosen block marks its lines,
 * a chosen line its blocks. */

async function showFile(file, {line, f, path}) {
  if (!view || view.file !== file) {
    const model = await loadFile(file);
    if (view) view.source.release();
    const source = new SourceView(model);
    const search = make('input', {type: 'search', placeholder: 'Search source', 'aria-label': 'Search source', id: 'search', oninput: () => { source.search(search.value); say(); },
      onkeydown: event => { if (event.key === 'Enter') { source.step(event.shiftKey ? -1 : 1); say(); event.preventDefault(); } }});
    const found = make('span', {class: 'found', role: 'status'});
    const say = () => { found.textContent = !source.query ? '' : source.matches.length ? source.at + 1 + ' of ' + source.matches.length : 'not found'; };
    const facts = [];
    if (file.lines) facts.push(plural(file.run, 'line') + ' of ' + shown(file.lines) + ' ran, ' + percent(file.run, file.lines));
    if (file.ways) facts.push(percent(file.taken, file.ways) + ' of the branches taken');
    const diff = index.kind === 'diff';
    const tools = [make('button', diff ? {type: 'button', title: 'Next line that differs (u)', onclick: () => source.next(1, l => source.isChanged(l))} :
      {type: 'button', title: 'Next line that never ran (u)', onclick: () => source.next(1, l => source.isNever(l))}, diff ? 'Next difference' : 'Next never run'),
      ...diff ? [] : [make('button', {type: 'button', title: 'Fold or unfold all functions (f)', onclick: () => source.foldAll()}, 'Fold')]];
    view = {file, source, panes: make('div', {class: 'panes'}, source.element), side: null, search};
    const note = file.state === 2 ? 'Source not found (' + file.why + '): ' + file.path + '. --source-map=OLD=NEW says where it is.' :
      file.state === 1 ? 'The source is newer than the program: lines may not match.' : file.state === 3 ? 'Sources were left out: --no-source.' :
      model.lines && model.count.length - 1 > model.lines.length ? 'The program knows more lines than the source has: is it another version?' : null;
    byId('file').replaceChildren(make('div', {class: 'filebar'}, make('span', {class: 'facts'}, facts.join(' · ')), make('span', {class: 'room'}), found, search, ...tools),
      ...note ? [make('p', {class: 'note'}, note)] : [], view.panes);
    source.code.focus({preventScroll: true});
  }
  byId('overview').hidden = true;
  byId('file').hidden = false;
  redrawStrip = () => view && view.source.drawStrip();
  byId('trail').replaceChildren(make('a', {href: '#'}, 'Overview'), ' / ' + file.name + (f ? ' / ' + f.name : ''));
  document.title = (f ? f.name : file.name) + ' – ' + baseTitle;
  view.source.layOut();
  if (f && index.graphs) await showFunction(f, path);
  else if (view.side) closeFunction();
  if (line) view.source.setTarget(line);
  else if (f && path === undefined) view.source.show(f.line, 2);
}
function closeFunction() {
  view.side.element.remove();
  view.panes.classList.remove('split');
  view.side = null;
  view.source.onLine = null;
  view.source.setChosen([]);
}

/* ---- A function ---- */

const lineRanges = lines => {
  const sorted = [...new Set(lines)].sort((a, b) => a - b), parts = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i];
    while (sorted[i + 1] === sorted[i] + 1) i++;
    parts.push(first === sorted[i] ? String(first) : first + '–' + sorted[i]);
  }
  return parts;
};

/*
 * The graph of a function, read from its island (report/html_graphs.c), with the position of its blocks and
 * the lines of this file that each block has. An edge is [from, to, kind, count, counter]: the kind is 0 for
 * flow, 1 for an exit, 2 for the entry, 3 where control stays for ever; the counter is -1 if the edge has
 * none, and -2 if paths are counted on it.
 */
function readGraph(graph) {
  if (graph.own) return graph;
  const edges = [], exit = graph.c.length;
  for (let i = 0, from = 0; i < graph.e.length; i += 3) {
    from += graph.e[i];
    const to = from + graph.e[i + 1];
    edges.push([from, to, from > exit ? 2 : to === exit ? 1 : 0, graph.e[i + 2], -1]);
  }
  for (const e of graph.s) edges[e][2] = 3;
  for (let i = 0, e = 0; i < graph.a.length; i += 2) edges[e += graph.a[i]][4] = graph.a[i + 1];
  graph.e = edges;
  graph.own = graph.l.map(list => { const own = []; for (let i = 0; i < list.length; i++) if (list[i] < 0) i++; else own.push(list[i]); return own; });
  graph.place = placesOf(graph);
  return Object.assign(graph, layOutGraph(graph.c.length, edges));
}

/* The line at which each block is shown: its first one. A block without lines is shown where it goes on, if
 * it has one successor. */
function placesOf(graph) {
  const next = new Map();
  for (const [from, to, kind] of graph.e) if (kind !== 3) next.set(from, next.has(from) || kind ? -1 : to);
  return graph.own.map((own, v) => {
    for (const seen = new Set(); v >= 0 && !graph.l[v].length && !seen.has(v); v = next.has(v) ? next.get(v) : -1) seen.add(v);
    return v >= 0 ? graph.own[v][0] : undefined;
  });
}

async function showFunction(f, path) {
  if (!view.side || view.side.f !== f) {
    const [number, place] = index.graphs[f.number];
    const graph = readGraph((await island(number))[place]);
    if (view.side) view.side.element.remove();
    view.side = functionPane(f, graph);
    view.panes.append(view.side.element);
    view.panes.classList.add('split');
    view.side.ready();
    view.source.onLine = line => view.side.chooseLine(line);
  }
  if (path !== undefined) view.side.choosePath(path);
}

/* The route of an edge (layout.js) as a path of SVG, with round corners. */
function wayOf(route) {
  const points = [[route[0], route[1]]];
  for (let i = 2; i < route.length; i++) {
    const [x, y] = points[points.length - 1];
    points.push(i % 2 ? [route[i], y] : [x, route[i]]);
  }
  const R = 5;
  let d = 'M' + points[0];
  for (let i = 1; i < points.length - 1; i++) {
    const [a, b, c] = [points[i - 1], points[i], points[i + 1]];
    const before = Math.min(R, (Math.abs(b[0] - a[0]) + Math.abs(b[1] - a[1])) / 2), after = Math.min(R, (Math.abs(c[0] - b[0]) + Math.abs(c[1] - b[1])) / 2);
    d += 'L' + [b[0] - Math.sign(b[0] - a[0]) * before, b[1] - Math.sign(b[1] - a[1]) * before] + 'Q' + b + ' ' +
      [b[0] + Math.sign(c[0] - b[0]) * after, b[1] + Math.sign(c[1] - b[1]) * after];
  }
  const [x, y] = points[points.length - 1];
  return d + 'L' + [x, y - 5];
}

const MANY = 300; /* of a graph with more blocks, only those on the screen are drawn */

/* The drawing: a list of pieces and their rectangles. The element of a piece is made when the piece is first
 * shown. */
class Drawing {
  constructor(graph, model, onBlock) {
    Object.assign(this, {graph, model, onBlock, blocks: graph.c.length, pieces: [], boxes: [], edges: [], chosenBlocks: new Set(), chosenEdges: new Set()});
    this.log = Math.log2(1 + graph.c.reduce((a, c) => Math.max(a, Number(c) || 0), 1));
    this.outs = new Map();
    for (const e of graph.e) this.outs.set(e[0], (this.outs.get(e[0]) || 0) + 1);
    this.counters = new Map(graph.v);
    this.edgeLayer = draw('g');
    this.boxLayer = draw('g');
    this.svg = draw('svg', {viewBox: '0 0 ' + graph.w + ' ' + graph.h, role: 'img', 'aria-label': 'Flow graph'}, this.edgeLayer, this.boxLayer);
    graph.e.forEach((e, i) => {
      const route = graph.routes[i], xs = [route[0]], ys = [route[1]];
      route.slice(2).forEach((n, k) => (k % 2 ? xs : ys).push(n));
      const piece = {layer: this.edgeLayer, left: Math.min(...xs) - 60, top: Math.min(...ys), right: Math.max(...xs) + 60, bottom: Math.max(...ys), make: () => this.edge(e, i, route)};
      this.edges.push(piece);
      this.pieces.push(piece);
    });
    for (let v = 0; v < this.blocks + 2; v++) {
      if (v >= this.blocks && !graph.e.some(e => e[0] === v || e[1] === v)) continue;
      const left = graph.n[2 * v], top = graph.n[2 * v + 1];
      const piece = {layer: this.boxLayer, left, top, right: left + BOX_WIDTH, bottom: top + BOX_HEIGHT, make: () => v < this.blocks ? this.box(v) : this.end(v)};
      if (v < this.blocks) this.boxes.push(piece);
      this.pieces.push(piece);
    }
  }
  name(v) { return v === this.blocks ? 'exit' : v === this.blocks + 1 ? 'entry' : 'block ' + v; }
  /* Shows the pieces that lie in the rectangle; of a graph that is not large, all pieces. */
  show(left, top, right, bottom) {
    for (const p of this.pieces) {
      const wanted = this.blocks <= MANY || p.left < right && p.right > left && p.top < bottom && p.bottom > top;
      if (wanted && !p.shown) p.layer.append(p.element ||= p.make());
      else if (!wanted && p.shown) p.element.remove();
      p.shown = wanted;
    }
  }
  choose(blocks, edges) {
    this.chosenBlocks = blocks;
    this.chosenEdges = edges;
    this.boxes.forEach((p, v) => p.element && p.element.classList.toggle('chosen', blocks.has(v)));
    this.edges.forEach((p, e) => p.element && p.element.querySelector('.edge').classList.toggle('chosen', edges.has(e)));
  }
  edge([from, to, kind, count, probe], number, route) {
    const zero = count !== null && Number(count) === 0, width = count === null ? 1.2 : 1 + 4 * (Math.log2(1 + Number(count)) / this.log) ** 2;
    const end = [route.length > 3 ? route[route.length - 2] : route[0], route[route.length - 1]], size = 4 + width / 2;
    const group = draw('g', {}, draw('title', {}, this.name(from) + ' → ' + (kind === 3 ? 'stays' : this.name(to)) + ': ' + shown(count) + (probe >= 0 ? ', counter ' + probe : probe === -2 ? ', paths are counted here' : '')),
      draw('path', {class: 'edge' + (zero ? ' zero' : '') + (kind === 3 ? ' virtual' : '') + (this.chosenEdges.has(number) ? ' chosen' : ''), d: wayOf(route), 'stroke-width': width.toFixed(2)}),
      draw('path', {class: 'head', d: 'M' + (end[0] - size) + ' ' + (end[1] - 8) + 'h' + 2 * size + 'L' + end[0] + ' ' + end[1] + 'z'}));
    const outs = this.outs.get(from);
    if (outs > 1 && outs <= 3 || from === this.blocks + 1) group.append(draw('text', {class: 'edge-count', x: route[0] + 5, y: route[1] + 12}, shown(count)));
    if (probe !== -1) group.append(draw('circle', {class: 'probe', cx: route[0], cy: route[1] + 8, r: 4.5}));
    return group;
  }
  box(v) {
    const graph = this.graph, count = graph.c[v], zero = count !== null && Number(count) === 0, own = graph.own[v], ranges = lineRanges(own);
    const first = own.length && this.model.lines ? (this.model.lines[own[0] - 1] || '').trim() : '';
    const part = zero || count === null ? 0 : Math.log2(1 + Number(count)) / this.log;
    const left = graph.u.filter(u => u[0] === v), counter = this.counters.get(v);
    const box = draw('g', {class: 'box' + (zero ? ' zero' : '') + (counter !== undefined ? ' counter' : '') + (this.chosenBlocks.has(v) ? ' chosen' : ''), tabindex: 0,
      transform: 'translate(' + graph.n[2 * v] + ' ' + graph.n[2 * v + 1] + ')', 'data-block': v, onclick: () => this.onBlock(v),
      onkeydown: event => { if (event.key === 'Enter' || event.key === ' ') { this.onBlock(v); event.preventDefault(); } }},
      draw('title', {}, 'block ' + v + ': ' + shown(count) + (ranges.length ? ', line' + (own.length > 1 ? 's ' : ' ') + ranges.join(', ') : '') + (counter !== undefined ? ', counter ' + counter : '') +
        left.map(u => (u[1] ? ', left for ever: ' + shown(u[1]) : '') + (u[2] ? ', resumed: ' + shown(u[2]) : '')).join('')),
      draw('rect', {class: 'frame', width: BOX_WIDTH, height: BOX_HEIGHT}));
    if (part) {
      const warm = draw('rect', {class: 'warm', x: 1, y: 1, width: 5, height: BOX_HEIGHT - 2});
      warm.style.opacity = 0.2 + 0.8 * part;
      box.append(warm);
    }
    const where = ranges.length ? 'L' + ranges[0] + (ranges.length > 1 ? ', …' : '') : '';
    box.append(draw('text', {class: 'small', x: 12, y: 16}, v + (where ? ' · ' + where : '')),
      draw('text', {class: 'number', x: BOX_WIDTH - 8, y: 16, 'text-anchor': 'end'}, (zero ? '✗ ' : '') + shown(count)),
      draw('text', {class: 'snippet', x: 12, y: 33}, first.length > 27 ? first.slice(0, 26) + '…' : first));
    return box;
  }
  end(v) {
    return draw('g', {class: 'end', transform: 'translate(' + this.graph.n[2 * v] + ' ' + this.graph.n[2 * v + 1] + ')'}, draw('rect', {width: END_WIDTH, height: END_HEIGHT}),
      draw('text', {x: END_WIDTH / 2, y: 15}, this.name(v)));
  }
}

/* The window in which a drawing is seen: scrolled, scaled, dragged. */
function canvasOf(drawing, graph) {
  let scale = 1;
  const canvas = make('div', {class: 'drawing', tabindex: 0, 'aria-label': 'Flow graph'}, drawing.svg);
  const update = () => {
    const x = (canvas.scrollLeft - 200) / scale, y = (canvas.scrollTop - 200) / scale;
    drawing.show(x, y, x + (canvas.clientWidth + 400) / scale, y + (canvas.clientHeight + 400) / scale);
  };
  canvas.addEventListener('scroll', update, {passive: true});
  /* Scales the drawing. The point that is at x, y of its window stays there. */
  const zoom = (value, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) => {
    const before = scale, edge = () => Math.max(0, (canvas.clientWidth - graph.w * scale) / 2); /* a small drawing is centred */
    const at = [(canvas.scrollLeft + x - edge()) / before, (canvas.scrollTop + y) / before];
    scale = Math.min(2, Math.max(0.08, value));
    drawing.svg.setAttribute('width', graph.w * scale);
    drawing.svg.setAttribute('height', graph.h * scale);
    canvas.scrollLeft = at[0] * scale + edge() - x;
    canvas.scrollTop = at[1] * scale - y;
    update();
  };
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(scale * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
  /* Dragging with the mouse moves the drawing. A press that hardly moves stays a click on a block. */
  canvas.addEventListener('pointerdown', event => {
    if (event.button || event.pointerType !== 'mouse') return;
    const from = [canvas.scrollLeft + event.clientX, canvas.scrollTop + event.clientY];
    let moved = false;
    const move = e => {
      if (!moved && Math.hypot(e.clientX - event.clientX, e.clientY - event.clientY) < 4) return;
      if (!moved) { moved = true; canvas.classList.add('dragged'); canvas.setPointerCapture(event.pointerId); }
      canvas.scrollTo(from[0] - e.clientX, from[1] - e.clientY);
    };
    canvas.addEventListener('pointermove', move);
    addEventListener('pointerup', () => {
      canvas.removeEventListener('pointermove', move);
      canvas.classList.remove('dragged');
    }, {once: true});
  });
  const fit = least => zoom(Math.max(least, Math.min(1, (canvas.clientWidth - 16) / graph.w, least < 0.2 ? (canvas.clientHeight - 16) / graph.h : 1)));
  const showBox = v => { /* scrolls a block that is not on the screen into the middle */
    const p = drawing.boxes[v];
    if (p.left * scale < canvas.scrollLeft || p.right * scale > canvas.scrollLeft + canvas.clientWidth) canvas.scrollLeft = (p.left + p.right) * scale / 2 - canvas.clientWidth / 2;
    if (p.top * scale < canvas.scrollTop || p.bottom * scale > canvas.scrollTop + canvas.clientHeight) canvas.scrollTop = p.top * scale - canvas.clientHeight / 2;
  };
  return {element: canvas, update, zoom, fit, showBox, zoomBy: factor => zoom(scale * factor), ready: () => {
    fit(0.55);
    canvas.scrollLeft = (graph.n[0] + BOX_WIDTH / 2) * scale - canvas.clientWidth / 2;
    update();
  }};
}
const zoomButtons = canvas => make('span', {class: 'group'}, make('button', {type: 'button', title: 'Smaller', onclick: () => canvas.zoomBy(0.8)}, '−'),
  make('button', {type: 'button', title: 'The whole graph', onclick: () => canvas.fit(0.08)}, 'Fit'), make('button', {type: 'button', title: 'Larger', onclick: () => canvas.zoomBy(1.25)}, '+'));

function functionPane(f, graph) {
  const source = view.source, drawing = new Drawing(graph, source.model, block => chooseBlock(block)), canvas = canvasOf(drawing, graph);
  const head = make('div', {class: 'sidehead'}, make('h2', {}, f.name),
    make('span', {class: 'room'}), zoomButtons(canvas),
    make('a', {href: fileHash(f.file, f.line), title: 'Close (g)'}, 'Close'),
    make('span', {class: 'facts'}, (f.exact === 0 ? 'no counts: ' + (f.why || '') : shown(f.entries) + (Number(f.entries) === 1 ? ' entry' : ' entries') + ' · ' + shown(f.runs) + ' block runs' +
      (Number(index.totals.executions) && f.runs !== null ? ', ' + percent(f.runs, index.totals.executions) : '') + ' · ' + plural(f.blocks, 'block') + ' · ' +
      (f.exact === 2 ? 'exact' : 'not exact: ' + (f.why || '') + (f.error === null ? '' : ' (off by ' + shown(f.error) + ' at most)')))));
  const legend = make('div', {class: 'legend'}, '● carries a counter · wider: ran more often · dashed, ✗: never ran · dotted: stays for ever');
  const marks = (blocks, edges) => drawing.choose(blocks, edges);
  const linesOf = blocks => [...blocks].flatMap(v => graph.own[v]);
  function chooseBlock(v) {
    marks(new Set([v]), new Set());
    if (paths) paths.choose(-1);
    source.setChosen(graph.own[v]);
    if (graph.own[v].length) source.show(graph.own[v][0]);
  }
  function chooseLine(line) {
    const blocks = new Set();
    graph.own.forEach((lines, v) => { if (lines.includes(line)) blocks.add(v); });
    if (!blocks.size) return;
    marks(blocks, new Set());
    if (paths) paths.choose(-1);
    source.setChosen(linesOf(blocks));
    canvas.showBox([...blocks][0]);
  }
  const paths = graph.p ? pathsPane(f, graph, (path, quiet) => {
    const blocks = new Set(path.slice(4)), edges = new Set();
    graph.e.forEach((e, i) => {
      for (let k = 4; k < path.length; k++)
        if (e[0] === path[k] && e[1] === (k + 1 < path.length ? path[k + 1] : path.lastLines ? -1 : path[3] < 0 ? graph.c.length : path[3])) edges.add(i);
      if (path[2] && e[2] === 2) edges.add(i);
    });
    marks(blocks, edges);
    const lines = path.slice(4).flatMap((_, i) => pathLines(graph, path, i));
    source.setChosen(lines);
    if (lines.length) source.show(Math.min(...lines));
    if (path.length > 4) canvas.showBox(path[4]);
    if (!quiet) history.replaceState(null, '', functionHash(f, path[0] === null ? undefined : path[0]));
  }) : null;
  const element = make('section', {class: 'sidepane', 'aria-label': 'Function ' + f.name}, head, paths && paths.element, paths && paths.neighbours, canvas.element, legend);
  return {f, element, paths, chooseLine, zoomBy: canvas.zoomBy, choosePath: id => { const place = graph.p ? graph.p.findIndex(p => String(p[0]) === id) : -1; if (place >= 0) paths.choose(place, true); },
    ready: canvas.ready};
}
