'use strict';
const assert = require('node:assert/strict'), vm = require('node:vm');
vm.runInThisContext(require('node:fs').readFileSync(process.argv[2], 'utf8') + '\n;globalThis.sizes = {BOX_WIDTH, BOX_HEIGHT, END_WIDTH, END_HEIGHT};');
/* global layOutGraph, sizes */

let seed = 1;
const below = limit => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor(seed / 2 ** 32 * limit); };

/* From "0>1 1>x" and the number of blocks: entry first, as graphs have it. */
const graphOf = (blocks, text) => [[blocks + 1, 0, 2], ...text.split(' ').map(e => e.split('>')).map(([a, b]) => b === 'x' ? [Number(a), blocks, 1] : [Number(a), Number(b), 0])];
/* Every block reaches the exit: those that do not lead to it by an edge of their own. */
function complete(blocks, edges) {
  for (;;) {
    const reaching = new Set([blocks]);
    for (let size = -1; size !== reaching.size;) {
      size = reaching.size;
      for (const [from, to] of edges) if (reaching.has(to) && from < blocks) reaching.add(from);
    }
    const stuck = [...Array(blocks).keys()].filter(v => !reaching.has(v)).pop();
    if (stuck === undefined) return edges;
    edges.push([stuck, blocks, 3]);
  }
}

function check(blocks, edges) {
  const l = layOutGraph(blocks, complete(blocks, edges)), boxes = [];
  for (let v = 0; v < blocks + 2; v++) {
    const [x, y] = [l.n[2 * v], l.n[2 * v + 1]], end = v >= blocks;
    boxes.push({left: x, top: y, right: x + (end ? sizes.END_WIDTH : sizes.BOX_WIDTH), bottom: y + (end ? sizes.END_HEIGHT : sizes.BOX_HEIGHT)});
  }
  const hold = (fact, what = '') => { if (!fact) assert.fail(what + ' ' + blocks + ' blocks: ' + edges.map(e => e.slice(0, 2).join('>')).join(' ')); };
  const inside = b => b.left >= 0 && b.top >= 0 && b.right <= l.w && b.bottom <= l.h;
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  boxes.forEach((b, v) => {
    hold(inside(b));
    for (const other of boxes.slice(0, v)) hold(!meet(b, other), 'boxes overlap');
  });
  assert.equal(l.routes.length, edges.length);
  /* Every piece of every edge, from the bottom of its source to the top of its target, outside all boxes. */
  const pieces = [];
  edges.forEach(([from, to], e) => {
    const route = l.routes[e], a = boxes[from], b = boxes[to];
    hold(route.length >= 3 && route.length % 2 === 1);
    let [x, y] = route;
    hold(x > a.left && x < a.right && y === a.bottom);
    for (let i = 2; i < route.length; i++) {
      const nextX = i % 2 ? route[i] : x, nextY = i % 2 ? y : route[i];
      const p = {left: Math.min(x, nextX), right: Math.max(x, nextX), top: Math.min(y, nextY), bottom: Math.max(y, nextY), e};
      hold(inside(p));
      /* A line has no inside: it is in a box when it passes between the box's sides. */
      for (const other of boxes) hold(!meet(p, other), 'an edge through a box');
      /* Nor do two lie on each other: they may cross. */
      for (const other of pieces) {
        const along = p.top === p.bottom && other.top === other.bottom && p.top === other.top && p.left < other.right && other.left < p.right && p.left < p.right && other.left < other.right;
        hold(other.e === e || !along, 'edges lie on each other');
      }
      pieces.push(p);
      x = nextX;
      y = nextY;
    }
    hold(x > b.left && x < b.right && y === b.top);
    hold(route[2] > route[1] && route[route.length - 1] > route[route.length === 3 ? 1 : route.length - 3], 'it leaves downwards, and arrives from above');
  });
  return boxes;
}

for (const [blocks, text] of [[1, '0>x'], [1, '0>0'], [2, '0>1 1>0'], [4, '0>1 0>2 1>3 2>3 3>x'], [4, '0>1 1>2 1>3 2>1 3>x'], [3, '0>1 0>2 1>2 2>1 1>x'],
  [6, '0>1 0>2 0>3 0>4 1>5 2>5 3>x 4>4 5>0'], [2, '0>1 0>1 0>1 1>x 1>x']]) check(blocks, graphOf(blocks, text));
for (let round = 0; round < 400; round++) {
  const blocks = 1 + below(round < 385 ? 24 : 120), edges = [[blocks + 1, 0, 2]];
  for (let v = 1; v < blocks; v++) edges.push([below(v), v, 0]); /* all are reached */
  for (let i = below(2 * blocks + 1); i > 0; i--) edges.push([below(blocks), below(blocks), 0]);
  for (let i = below(3); i > 0; i--) edges.push([below(blocks), blocks, 1]);
  check(blocks, edges);
}

/* The arms of a condition stand beside each other, what comes after it below them, in the middle. */
let b = check(4, graphOf(4, '0>1 0>2 1>3 2>3 3>x'));
assert.equal(b[1].top, b[2].top);
assert.ok(b[1].left < b[2].left && b[0].top < b[1].top && b[1].top < b[3].top);
assert.equal(b[0].left, b[3].left);
/* What comes after a loop stands below it. */
b = check(5, graphOf(5, '0>1 1>2 2>3 3>1 1>4 4>x'));
assert.ok(b[4].top > b[3].top);

/* A long chain, a wide switch and deep loops: no stack overflows, and they take seconds at most. */
const many = [...Array(5000).keys()], start = performance.now();
layOutGraph(5000, [[5001, 0], ...many.map(v => [v, v + 1])]);
layOutGraph(5000, [[5001, 0], ...many.slice(1, -1).flatMap(v => [[0, v], [v, 4999]]), [4999, 5000]]);
layOutGraph(600, [[601, 0], ...many.slice(0, 600).flatMap(v => [[v, v + 1], [v, 599 - v]])]);
assert.ok(performance.now() - start < 5000, 'too slow: ' + (performance.now() - start) + ' ms');
