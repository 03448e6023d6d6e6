/*
 * The layout of a flow graph: the position of each block, and the route of each edge.
 *
 * Rows: a block stands below all its predecessors, but for back edges. The blocks to which a loop goes on
 * when it is done stand below the whole loop.
 *
 * Columns: a block stands in the middle above the blocks that it immediately dominates. Those stand side by
 * side if they share rows (the two arms of a condition), and below each other, in the middle, if they do not
 * (the block after the condition). Subtrees are packed by their outlines, row by row.
 *
 * Edges: an edge leaves its block downwards, runs in the gap between two rows, then up or down in a column in
 * which no block is in its way, then in the gap above its target. Pieces that would lie on each other get
 * tracks of their own. Columns and gaps are as wide as their tracks need.
 *
 * No function recurses. The layout does not depend on counts.
 */
const BOX_WIDTH = 208, BOX_HEIGHT = 42, END_WIDTH = 56, END_HEIGHT = 22; /* the size of a block, and of entry and exit */
const TRACK = 9;          /* the distance between two pieces beside each other */
const COLUMN_MARGIN = 9;  /* the distance between a box and a piece beside it */
const GAP_ABOVE = 18;     /* from a box to the first track below it: room for a count */
const GAP_BELOW = 14;     /* from the last track to the box below it: room for the arrow's head */
const BORDER = 8, OUT_SPREAD = BOX_WIDTH / 2, IN_SPREAD = 20;
const numbers = (count, value = 0) => new Int32Array(count).fill(value);
const half = n => Math.trunc(n / 2);

/* ---- The graph: vertices are blocks, the exit, the entry ---- */

/* A depth-first search from block 0. It takes the edges out of a block in their order. */
function searchDepthFirst(w) {
  const {out, edges, exit} = w, preorder = numbers(exit + 1, -1), last = numbers(exit + 1, -1), next = numbers(exit + 1), stack = [0], postorder = [];
  w.retreating = new Uint8Array(edges.length);
  let number = 1;
  preorder[0] = 0;
  while (stack.length) {
    const v = stack[stack.length - 1];
    if (v !== exit && next[v] < out[v].length) {
      const e = out[v][next[v]++], to = edges[e][1];
      if (preorder[to] < 0) { preorder[to] = number++; stack.push(to); }
      else w.retreating[e] = last[to] < 0 ? 1 : 0; /* the target is an ancestor: reached, but not finished */
      continue;
    }
    stack.pop();
    last[v] = number - 1;
    postorder.push(v);
  }
  Object.assign(w, {preorder, last, order: postorder.reverse()});
}
/* Immediate dominators (Cooper, Harvey and Kennedy 2001); -1 at the root. */
function findDominators({order, edges, into, exit}) {
  const place = numbers(exit + 1, -1), dominator = numbers(exit + 1, -1);
  order.forEach((v, i) => { place[v] = i; });
  dominator[0] = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (const v of order.slice(1)) {
      let best = -1;
      for (const e of into[v]) {
        let from = edges[e][0];
        if (from > exit || place[from] < 0 || dominator[from] < 0) continue;
        if (best < 0) { best = from; continue; }
        while (best !== from)
          if (place[best] > place[from]) best = dominator[best];
          else from = dominator[from];
      }
      if (dominator[v] !== best) { dominator[v] = best; changed = true; }
    }
  }
  dominator[0] = -1;
  return dominator;
}
/* The loops, one for each target of retreating edges: the target (the head), and those of its descendants
 * from which the sources of these edges can be reached. */
function findLoops({edges, into, retreating, preorder, last}) {
  const loops = new Map();
  edges.forEach(([from, to], e) => { if (retreating[e]) loops.has(to) ? loops.get(to).push(from) : loops.set(to, [from]); });
  return [...loops].map(([head, sources]) => {
    const body = new Set([head]), waiting = sources.slice();
    while (waiting.length) {
      const v = waiting.pop();
      if (body.has(v)) continue;
      body.add(v);
      for (const e of into[v]) if (preorder[edges[e][0]] >= preorder[head] && preorder[edges[e][0]] <= last[head]) waiting.push(edges[e][0]);
    }
    return {head, body};
  });
}

/* ---- Rows ---- */

/* The length of the longest way to each vertex; an edge is [from, to, rows]. Null if there is a cycle. */
function longestWays(edges, vertices) {
  const waits = numbers(vertices), out = Array.from({length: vertices}, () => []), found = numbers(vertices), ready = [];
  for (const edge of edges) { waits[edge[1]]++; out[edge[0]].push(edge); }
  for (let v = 0; v < vertices; v++) if (!waits[v]) ready.push(v);
  for (const v of ready) /* the list grows while it is read */
    for (const [, to, rows] of out[v]) {
      found[to] = Math.max(found[to], found[v] + rows);
      if (!--waits[to]) ready.push(to);
    }
  return ready.length === vertices ? found : null;
}
function setRows(w) {
  const {edges, out, exit, entry, retreating} = w, vertices = exit + 1, plain = [], loops = findLoops(w), ordered = [];
  edges.forEach(([from, to], e) => { if (from !== entry && !retreating[e]) plain.push([from, to, 1]); });
  /* A loop that ends at its head, or at a block that leads back to the head, goes on below itself: each loop
   * has a vertex that stands for its end, above which all its blocks are. */
  loops.forEach(({head, body}, l) => {
    for (const v of body) {
      ordered.push([v, vertices + l, 0]);
      if (v !== head && !out[v].some(e => edges[e][1] === head)) continue;
      for (const e of out[v]) if (edges[e][1] !== exit && !body.has(edges[e][1]) && !retreating[e]) ordered.push([vertices + l, edges[e][1], 1]);
    }
  });
  const row = longestWays([...plain, ...ordered], vertices + loops.length) || longestWays(plain, vertices); /* loops with several entries may make cycles */
  w.row = numbers(vertices + 1);
  w.rows = 0;
  for (let v = 0; v < exit; v++) {
    w.row[v] = row[v] + 1; /* the entry comes first */
    w.rows = Math.max(w.rows, w.row[v] + 1);
  }
  w.row[exit] = w.rows++;
}

/* ---- Columns: half a box wide ---- */

/* The outline of a packed subtree: for each row, how far the subtree reaches to the left and to the right of
 * its root. In a row that it does not reach, left is more than right. */
class Outline {
  constructor(top, bottom) {
    Object.assign(this, {top, bottom, shift: 0, left: numbers(bottom - top + 1, 1e9), right: numbers(bottom - top + 1, -1e9)});
  }
  join(o, by) {
    for (let r = o.top; r <= o.bottom; r++) {
      const i = r - this.top, k = r - o.top;
      if (o.left[k] > o.right[k]) continue;
      this.left[i] = Math.min(this.left[i], o.left[k] + o.shift + by - this.shift);
      this.right[i] = Math.max(this.right[i], o.right[k] + o.shift + by - this.shift);
    }
  }
}
/* The least distance between the roots of `left` and `right`; -Infinity if they share no row. */
function distance(left, right) {
  let least = -Infinity;
  for (let r = Math.max(left.top, right.top), end = Math.min(left.bottom, right.bottom); r <= end; r++) {
    const i = r - left.top, k = r - right.top;
    if (left.left[i] <= left.right[i] && right.left[k] <= right.right[k])
      least = Math.max(least, left.right[i] + left.shift - right.left[k] - right.shift + 2);
  }
  return least;
}
/* Packs the subtrees of v's children, and makes the outline of v's subtree. */
function pack(w, v, children, outlines, offset) {
  const all = new Outline(w.row[v], children.reduce((a, c) => Math.max(a, outlines[c].bottom), w.row[v]));
  const isArm = c => w.row[c] === w.row[v] + 1, arms = children.filter(isArm); /* children in the next row lie beside each other */
  let first = 0, last = 0;
  arms.forEach((c, i) => {
    const at = i ? Math.max(distance(all, outlines[c]), last + 2) : 0;
    offset[c] = at;
    all.join(outlines[c], at);
    if (!i) first = at;
    last = at;
  });
  const middle = half(first + last);
  all.shift = -middle;
  for (const c of arms) offset[c] -= middle;
  for (const c of children) { /* the other children come after the arms: in the middle, or at the nearer side */
    if (isArm(c)) continue;
    const right = distance(all, outlines[c]), left = distance(outlines[c], all);
    offset[c] = right > 0 && left > 0 ? (right <= left ? right : -left) : 0;
    all.join(outlines[c], offset[c]);
  }
  all.left[0] = all.right[0] = -all.shift; /* v itself */
  outlines[v] = all;
  for (const c of children) outlines[c] = null;
}
function setColumns(w) {
  const {order, exit, entry} = w, dominator = findDominators(w), children = Array.from({length: exit + 1}, () => []);
  const outlines = [], offset = numbers(exit + 1), column = w.column = numbers(exit + 2);
  const backwards = order.slice().reverse(); /* the search finished the first successor of a block last */
  for (const v of backwards) if (dominator[v] >= 0) children[dominator[v]].push(v);
  for (const v of backwards) pack(w, v, children[v], outlines, offset);
  let least = 0, most = 0;
  for (const v of order) {
    column[v] = dominator[v] < 0 ? 0 : column[dominator[v]] + offset[v];
    least = Math.min(least, column[v]);
    most = Math.max(most, column[v]);
  }
  for (let v = 0; v <= exit; v++) {
    if (w.preorder[v] < 0) column[v] = most += 2; /* a block that cannot be reached stands at the side */
    column[v] += 1 - least; /* columns at either side stay free: an edge may pass there */
  }
  column[entry] = column[0];
  w.columns = most - least + 3;
  w.inColumn = Array.from({length: w.columns}, () => []); /* for each column, the rows in which it has a block */
  for (let v = 0; v <= entry; v++) w.inColumn[column[v]].push(w.row[v]);
  for (const rows of w.inColumn) rows.sort((a, b) => a - b);
}

/* ---- Edges ---- */

function columnIsFree(w, column, top, bottom) {
  const rows = w.inColumn[column];
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < top) low = middle + 1;
    else high = middle;
  }
  return low === rows.length || rows[low] > bottom;
}
/* The free column with the shortest route between two others; the target's own column if it is free. */
function chooseColumn(w, from, to, top, bottom) {
  let best = -1, cost = Infinity;
  for (let c = 0; c < w.columns; c++) {
    const sum = Math.abs(c - from) + Math.abs(c - to) + (c !== to ? 1 : 0);
    if (sum < cost && columnIsFree(w, c, top, bottom)) { best = c; cost = sum; }
  }
  return best;
}
/* A route: gap r is above row r; `column` is where its vertical piece runs between the two gaps, -1 if they
 * are the same gap. */
function setRoutes(w) {
  w.routes = w.edges.map(([from, to], number) => {
    const r = {number, from, to, gapFrom: w.row[from] + 1, gapTo: w.row[to], column: -1, track: 0, startX: 0, endX: 0, wayX: 0, y: [-1, -1]};
    if (r.gapTo !== r.gapFrom) r.column = chooseColumn(w, w.column[from], w.column[to], Math.min(r.gapFrom, r.gapTo), Math.max(r.gapFrom, r.gapTo) - 1);
    return r;
  });
}
/* Gives each piece the lowest free track of its line, so that no two pieces lie on each other. Returns the
 * number of tracks of each line. */
function giveTracks(pieces, lines) {
  const tracks = numbers(lines);
  let line = -1, ends = [];
  pieces.sort((a, b) => a.line - b.line || a.from - b.from || b.to - a.to || a.route.number - b.route.number);
  for (const p of pieces) {
    if (p.line !== line) { line = p.line; ends = []; }
    let track = 0;
    while (track < ends.length && ends[track] >= p.from) track++;
    ends[track] = p.to;
    p.track = track;
    tracks[line] = Math.max(tracks[line], track + 1);
  }
  return tracks;
}
const piece = (line, a, b, route, which) => ({line, from: Math.min(a, b), to: Math.max(a, b), route, which, track: 0});
/* Computes the middle of each column. */
function setColumnPlaces(w) {
  const pieces = w.routes.filter(r => r.column >= 0).map(r => piece(r.column, r.gapFrom, r.gapTo, r, 0)), tracks = giveTracks(pieces, w.columns), x = numbers(w.columns);
  for (const p of pieces) p.route.track = p.track;
  let at = BORDER + (half(tracks[0]) + 1) * TRACK;
  for (let c = 0; c < w.columns; c++) {
    if (c) at += (half(tracks[c - 1]) + half(tracks[c])) * TRACK + COLUMN_MARGIN + (w.inColumn[c].length || w.inColumn[c - 1].length ? BOX_WIDTH / 2 : 0);
    x[c] = at;
  }
  w.width = at + (half(tracks[w.columns - 1]) + 1) * TRACK + BORDER;
  /* Tracks are numbered from the middle outwards: 0, 1 to the right, 1 to the left, ... */
  for (const r of w.routes) if (r.column >= 0) r.wayX = x[r.column] + half(r.track + 1) * (r.track % 2 ? TRACK : -TRACK);
  w.x = x;
}
/* Computes where edges leave and reach their boxes: side by side, in the order of where they run to. */
function setPorts(w, isOut) {
  const ports = w.routes.map(r => ({vertex: isOut ? r.from : r.to, route: r, towards: r.column >= 0 ? r.wayX : w.x[w.column[isOut ? r.to : r.from]]}));
  ports.sort((a, b) => a.vertex - b.vertex || a.towards - b.towards || a.route.number - b.route.number);
  for (let i = 0, end; i < ports.length; i = end) {
    for (end = i; end < ports.length && ports[end].vertex === ports[i].vertex;) end++;
    const {vertex} = ports[i], count = end - i, room = (vertex >= w.exit ? END_WIDTH : BOX_WIDTH) - 20;
    let spread = isOut ? OUT_SPREAD : IN_SPREAD;
    if (count > 1 && spread * (count - 1) > room) spread = Math.trunc(room / (count - 1));
    for (let k = 0; k < count; k++) ports[i + k].route[isOut ? 'startX' : 'endX'] = w.x[w.column[vertex]] + half((2 * k - count + 1) * spread);
  }
}
/* Computes where each row begins, and the position of horizontal pieces in the gaps. */
function setRowPlaces(w) {
  const pieces = [], y = w.y = numbers(w.rows);
  for (const r of w.routes) {
    const turn = r.column < 0 ? r.endX : r.wayX; /* a route without horizontal pieces does not bend */
    if (r.startX !== turn) pieces.push(piece(r.gapFrom, r.startX, turn, r, 0));
    if (turn !== r.endX) pieces.push(piece(r.gapTo, turn, r.endX, r, 1));
  }
  const tracks = giveTracks(pieces, w.rows + 1), height = r => r === 0 || r === w.rows - 1 ? END_HEIGHT : BOX_HEIGHT;
  let at = BORDER;
  for (let r = 0; r < w.rows; r++) {
    if (r) at += GAP_ABOVE + (tracks[r] ? tracks[r] - 1 : 0) * TRACK + GAP_BELOW;
    y[r] = at;
    at += height(r);
  }
  w.height = at + BORDER;
  for (const p of pieces) p.route.y[p.which] = y[p.line - 1] + height(p.line - 1) + GAP_ABOVE + p.track * TRACK;
}

/*
 * Lays out a graph. An edge is [from, to, ...]; the vertices are the blocks, then the exit, then the entry.
 * The answer has the size of the drawing (w, h), the upper left corner of each vertex (n: x, y, x, y, ...),
 * and the route of each edge: x and y of its start, then in turn the y of the next point (on the same x) and
 * the x of the next point (on the same y). The last number is a y.
 */
function layOutGraph(blocks, edges) {
  const w = {edges, exit: blocks, entry: blocks + 1, out: Array.from({length: blocks + 2}, () => []), into: Array.from({length: blocks + 2}, () => [])};
  edges.forEach(([from, to], e) => { w.out[from].push(e); w.into[to].push(e); });
  searchDepthFirst(w);
  setRows(w);
  setColumns(w);
  setRoutes(w);
  setColumnPlaces(w);
  setPorts(w, true);
  setPorts(w, false);
  setRowPlaces(w);
  const n = [], isEnd = v => v >= blocks;
  for (let v = 0; v < blocks + 2; v++) n.push(w.x[w.column[v]] - (isEnd(v) ? END_WIDTH : BOX_WIDTH) / 2, w.y[w.row[v]]);
  const routes = w.routes.map(r => {
    const route = [r.startX, w.y[w.row[r.from]] + (isEnd(r.from) ? END_HEIGHT : BOX_HEIGHT)];
    if (r.y[0] >= 0) route.push(r.y[0], r.column < 0 ? r.endX : r.wayX);
    if (r.column >= 0 && r.y[1] >= 0) route.push(r.y[1], r.endX);
    route.push(w.y[w.row[r.to]]);
    return route;
  });
  return {w: w.width, h: w.height, n, routes};
}
