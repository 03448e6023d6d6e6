/* A file with, beside it, a function: its graph drawn, blocks and lines that show each other. */

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
    const tools = index.kind === 'diff' ? [] : [make('button', {type: 'button', title: 'Next line that never ran (u)', onclick: () => source.next(1, l => source.isNever(l))}, 'Next never run'),
      make('button', {type: 'button', title: 'Fold or unfold all functions (f)', onclick: () => source.foldAll()}, 'Fold')];
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
  else if (f && path === undefined) view.source.show(f.line);
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

async function showFunction(f, path) {
  if (!view.side || view.side.f !== f) {
    const [number, place] = index.graphs[f.number];
    const graph = (await island(number))[place];
    /* Lines of each block: of this file, and of others. */
    graph.own = graph.l.map(list => { const own = []; for (let i = 0; i < list.length; i++) if (list[i] < 0) i++; else own.push(list[i]); return own; });
    if (view.side) view.side.element.remove();
    view.side = functionPane(f, graph);
    view.panes.append(view.side.element);
    view.panes.classList.add('split');
    view.side.ready();
    view.source.onLine = line => view.side.chooseLine(line);
  }
  if (path !== undefined) view.side.choosePath(path);
}

/* The way of an edge (report/layout.h) with round corners. */
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

function drawGraph(graph, model, onBlock) {
  const blocks = graph.c.length, WIDTH = 208, HEIGHT = 42, END_WIDTH = 56, END_HEIGHT = 22;
  const most = Math.max(1, ...graph.c.map(c => Number(c) || 0)), log = Math.log2(1 + most);
  const svg = draw('svg', {viewBox: '0 0 ' + graph.w + ' ' + graph.h, role: 'img', 'aria-label': 'Flow graph'});
  const outs = new Map();
  for (const e of graph.e) outs.set(e[0], (outs.get(e[0]) || 0) + 1);
  const edges = draw('g'), boxes = draw('g'), edgeElements = [], boxElements = [];
  for (const [from, to, kind, count, probe, ...route] of graph.e) {
    const zero = count !== null && Number(count) === 0, width = count === null ? 1.2 : 1 + 4 * (Math.log2(1 + Number(count)) / log) ** 2;
    const group = draw('g', {}), end = [route.length > 3 ? route[route.length - 2] : route[0], route[route.length - 1]];
    const line = draw('path', {class: 'edge' + (zero ? ' zero' : '') + (kind === 3 ? ' virtual' : ''), d: wayOf(route), 'stroke-width': width.toFixed(2)});
    const size = 4 + width / 2;
    group.append(draw('title', {}, name(from) + ' → ' + (kind === 3 ? 'stays' : name(to)) + ': ' + shown(count) + (probe >= 0 ? ', counter ' + probe : '')), line,
      draw('path', {class: 'head', d: 'M' + (end[0] - size) + ' ' + (end[1] - 8) + 'h' + 2 * size + 'L' + end[0] + ' ' + end[1] + 'z'}));
    if ((outs.get(from) || 0) > 1 && outs.get(from) <= 3 || from === blocks + 1)
      group.append(draw('text', {class: 'edge-count', x: route[0] + 5, y: route[1] + 12}, shown(count)));
    if (probe >= 0) group.append(draw('circle', {class: 'probe', cx: route[0], cy: route[1] + 8, r: 4.5}));
    edges.append(group);
    edgeElements.push(line);
  }
  function name(v) { return v === blocks ? 'exit' : v === blocks + 1 ? 'entry' : 'block ' + v; }
  const counters = new Map(graph.v);
  const own = graph.own;
  for (let v = 0; v < blocks; v++) {
    const count = graph.c[v], zero = count !== null && Number(count) === 0, ranges = lineRanges(own[v]);
    const first = own[v].length && model.lines ? (model.lines[own[v][0] - 1] || '').trim() : '';
    const part = zero || count === null ? 0 : Math.log2(1 + Number(count)) / log;
    const left = graph.u.filter(u => u[0] === v);
    const box = draw('g', {class: 'box' + (zero ? ' zero' : '') + (counters.has(v) ? ' counter' : ''), tabindex: 0, transform: 'translate(' + graph.n[2 * v] + ' ' + graph.n[2 * v + 1] + ')',
      'data-block': v, onclick: () => onBlock(v), onkeydown: event => { if (event.key === 'Enter' || event.key === ' ') { onBlock(v); event.preventDefault(); } }},
      draw('title', {}, 'block ' + v + ': ' + shown(count) + (ranges.length ? ', line' + (own[v].length > 1 ? 's ' : ' ') + ranges.join(', ') : '') +
        (counters.has(v) ? ', counter ' + counters.get(v) : '') + left.map(u => (u[1] ? ', left for ever: ' + shown(u[1]) : '') + (u[2] ? ', resumed: ' + shown(u[2]) : '')).join('')),
      draw('rect', {class: 'frame', width: WIDTH, height: HEIGHT}));
    if (part) {
      const warm = draw('rect', {class: 'warm', x: 1, y: 1, width: 5, height: HEIGHT - 2});
      warm.style.opacity = 0.2 + 0.8 * part;
      box.append(warm);
    }
    const where = ranges.length ? 'L' + ranges[0] + (ranges.length > 1 ? ', …' : '') : '';
    box.append(draw('text', {class: 'small', x: 12, y: 16}, v + (where ? ' · ' + where : '')),
      draw('text', {class: 'number', x: WIDTH - 8, y: 16, 'text-anchor': 'end'}, (zero ? '✗ ' : '') + shown(count)),
      draw('text', {class: 'snippet', x: 12, y: 33}, first.length > 27 ? first.slice(0, 26) + '…' : first));
    boxes.append(box);
    boxElements.push(box);
  }
  for (const v of [blocks, blocks + 1]) {
    if (!graph.e.some(e => e[0] === v || e[1] === v)) continue;
    boxes.append(draw('g', {class: 'end', transform: 'translate(' + graph.n[2 * v] + ' ' + graph.n[2 * v + 1] + ')'}, draw('rect', {width: END_WIDTH, height: END_HEIGHT}),
      draw('text', {x: END_WIDTH / 2, y: 15}, name(v))));
  }
  svg.append(edges, boxes);
  return {svg, boxElements, edgeElements};
}

function functionPane(f, graph) {
  const source = view.source, drawing = drawGraph(graph, source.model, block => chooseBlock(block));
  let scale = 1;
  const canvas = make('div', {class: 'drawing', tabindex: 0, 'aria-label': 'Flow graph'}, drawing.svg);
  const zoom = value => {
    scale = Math.min(2, Math.max(0.08, value));
    drawing.svg.setAttribute('width', graph.w * scale);
    drawing.svg.setAttribute('height', graph.h * scale);
  };
  const head = make('div', {class: 'sidehead'}, make('h2', {}, f.name),
    make('span', {class: 'room'}), make('span', {class: 'group'}, make('button', {type: 'button', title: 'Smaller', onclick: () => zoom(scale / 1.25)}, '−'),
      make('button', {type: 'button', title: 'The whole graph', onclick: () => fit(0.08)}, 'Fit'), make('button', {type: 'button', title: 'Larger', onclick: () => zoom(scale * 1.25)}, '+')),
    make('a', {href: fileHash(f.file, f.line), title: 'Close (g)'}, 'Close'),
    make('span', {class: 'facts'}, (f.exact === 0 ? 'no counts: ' + (f.why || '') : shown(f.entries) + (Number(f.entries) === 1 ? ' entry' : ' entries') + ' · ' + shown(f.runs) + ' block runs' +
      (Number(index.totals.executions) && f.runs !== null ? ', ' + percent(f.runs, index.totals.executions) : '') + ' · ' + plural(f.blocks, 'block') + ' · ' +
      (f.exact === 2 ? 'exact' : 'not exact: ' + (f.why || '') + (f.error === null ? '' : ' (off by ' + shown(f.error) + ' at most)')))));
  const fit = least => zoom(Math.max(least, Math.min(1, (canvas.clientWidth - 16) / graph.w, least < 0.2 ? (canvas.clientHeight - 16) / graph.h : 1)));
  const legend = make('div', {class: 'legend'}, '● carries a counter · wider: ran more often · dashed, ✗: never ran · dotted: stays for ever');
  const marks = (blocks, edges) => {
    drawing.boxElements.forEach((box, v) => box.classList.toggle('chosen', blocks.has(v)));
    drawing.edgeElements.forEach((edge, e) => edge.classList.toggle('chosen', edges.has(e)));
  };
  const linesOf = blocks => [...blocks].flatMap(v => graph.own[v]);
  const showBox = v => drawing.boxElements[v].scrollIntoView({block: 'nearest', inline: 'nearest'});
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
    showBox([...blocks][0]);
  }
  const paths = graph.p ? pathsPane(f, graph, (path, quiet) => {
    const blocks = new Set(path.slice(4)), edges = new Set();
    graph.e.forEach((e, i) => {
      for (let k = 4; k < path.length; k++)
        if (e[0] === path[k] && e[1] === (k + 1 < path.length ? path[k + 1] : path[3] < 0 ? graph.c.length : path[3])) edges.add(i);
      if (path[2] && e[2] === 2) edges.add(i);
    });
    marks(blocks, edges);
    source.setChosen(linesOf(blocks));
    const lines = linesOf(blocks);
    if (lines.length) source.show(Math.min(...lines));
    if (path.length > 4) showBox(path[4]);
    if (!quiet) history.replaceState(null, '', functionHash(f, path[0]));
  }) : null;
  const element = make('section', {class: 'sidepane', 'aria-label': 'Function ' + f.name}, head, paths && paths.element, canvas, legend);
  return {f, element, paths, chooseLine, choosePath: id => { const place = graph.p ? graph.p.findIndex(p => String(p[0]) === id) : -1; if (place >= 0) paths.choose(place, true); },
    ready: () => { fit(0.55); canvas.scrollLeft = graph.n[0] * scale - canvas.clientWidth / 2 + 104 * scale; }};
}
