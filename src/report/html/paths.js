/* The paths of a function: their list, the curve of their shares, and the branches that were not taken. */

/* The lines of this file in block i of a path. */
const pathLines = (graph, path, i) => path.lastLines && i + 5 === path.length ? path.lastLines : graph.own[path[i + 4]];

function pathsPane(f, graph, onChoose) {
  /* Paths that ended come first. A path that did not end has no id, and its last block has only the lines
   * that had begun. Shares are of the paths that ended. */
  const ended = graph.p, weight = p => Number(p[1]) * (p.length - 4), all = ended.reduce((sum, p) => sum + weight(p), 0);
  const list = [...ended, ...graph.q.map(([count, fromEntry, lastLines, ...blocks]) => Object.assign([null, count, fromEntry, -1, ...blocks], {lastLines}))];
  const firstLine = v => graph.place[v] ? 'line ' + graph.place[v] : 'block ' + v;
  /* The words for a path: where it starts, the lines of its blocks, where it goes on. */
  const wayText = p => [p[2] ? 'entry' : null, ...p.slice(4).map((v, i) => lineRanges(pathLines(graph, p, i)).join(',') || graph.place[v] || '#' + v), p.lastLines ? 'left there' : p[3] < 0 ? 'end' : '↺ ' + (graph.place[p[3]] || '#' + p[3])].filter(x => x !== null)
    .filter((x, i, all) => x !== all[i - 1]).join(' → ');
  const body = make('tbody'), rows = [], neighbours = make('div', {class: 'neighbours'});
  let chosen = -1, made = 0;
  function more(count) {
    for (const end = Math.min(list.length, made + count); made < end; made++) {
      const p = list[made], place = made;
      const row = make('tr', {tabindex: 0, 'aria-selected': 'false', 'data-path': p[0], class: p.lastLines ? 'cut' : null, onclick: () => choose(place), onkeydown: event => { if (event.key === 'Enter') choose(place); }},
        make('td', {class: 'name', title: (p.lastLines ? 'unfinished: ' : '') + wayText(p)}, p.lastLines ? make('span', {class: 'cut-mark'}, '✂ ') : null, wayText(p)),
        make('td', {}, shown(p[1])), make('td', {class: 'share'}, bar(weight(p), all), percentWord(weight(p), all)), make('td', {}, shown(p.length - 4)));
      rows.push(row);
      body.append(row);
    }
    rest.hidden = made === list.length;
    rest.textContent = plural(list.length - made, 'more path');
  }
  const rest = make('button', {type: 'button', onclick: () => more(500)});
  function choose(place, quiet) {
    if (place >= made) more(place + 1 - made);
    if (chosen >= 0) rows[chosen].setAttribute('aria-selected', 'false');
    chosen = place;
    neighbours.replaceChildren();
    if (place < 0) return;
    rows[place].setAttribute('aria-selected', 'true');
    rows[place].scrollIntoView({block: 'nearest'});
    if (place < ended.length) showNeighbours(place);
    else neighbours.replaceChildren(make('h3', {}, 'It did not end: it was left in its last block'));
    onChoose(list[place], quiet);
  }
  /* The paths that differ from this one in one branch, and never ran. */
  function showNeighbours(place) {
    const flat = graph.m[place], found = [];
    for (let i = 0; flat && i < flat.length; i += 2) found.push(flat.slice(i, i + 2));
    const to = v => v === graph.c.length ? 'end' : firstLine(v);
    const taken = (from, v) => { const e = graph.e.find(x => x[0] === from && x[1] === v); return e && Number(e[3]) > 0 ? ' (taken on other paths, ' + (Number(e[3]) === 1 ? 'once' : shown(e[3]) + ' times') + ')' : ' (never taken at all)'; };
    neighbours.replaceChildren(make('h3', {}, !flat ? 'Only the first ' + graph.m.length + ' paths have neighbours listed' : found.length ? 'One branch away, and never run' : 'All paths that are one branch away ran'),
      make('ul', {}, ...found.map(([from, other]) => make('li', {}, firstLine(from) + ' → ' + to(other) + (to(other) === firstLine(from) ? ', block ' + other : '') + taken(from, other)))));
  }
  /* The curve: which share the first n paths have together. */
  function curve() {
    const W = 190, H = 74, points = [], sums = [];
    let sum = 0;
    ended.forEach((p, i) => { sum += weight(p); sums[i] = sum / all; });
    const x = i => 4 + (W - 8) * (ended.length > 1 ? Math.log(i + 1) / Math.log(ended.length) : 1), y = s => H - 14 - (H - 22) * s;
    sums.forEach((s, i) => { if (i < 100 || i % Math.ceil(ended.length / 400) === 0 || i === ended.length - 1) points.push((points.length ? 'L' : 'M') + x(i).toFixed(1) + ' ' + y(s).toFixed(1)); });
    const need = part => sums.findIndex(s => s >= part - 1e-12);
    const svg = draw('svg', {class: 'curve', width: W, height: H, role: 'img', 'aria-label': 'How much the first paths make together'},
      draw('line', {class: 'axis', x1: 4, x2: W - 4, y1: y(0), y2: y(0)}), draw('line', {class: 'axis', x1: 4, x2: W - 4, y1: y(1), y2: y(1)}), draw('path', {d: points.join('')}));
    for (const part of [0.5, 0.9, 0.99]) { const i = need(part); if (i >= 0) svg.append(draw('circle', {cx: x(i), cy: y(sums[i]), r: 3}, draw('title', {}, i + 1 + ' paths make ' + 100 * part + ' %'))); }
    svg.append(draw('text', {x: W - 4, y: y(1) + 12, 'text-anchor': 'end'}, '100 %'), draw('text', {x: 4, y: H - 2}, '1 path'), draw('text', {x: W - 4, y: H - 2, 'text-anchor': 'end'}, String(ended.length)));
    return [svg, all ? [0.5, 0.9, 0.99].map(part => shown(need(part) + 1)).join(', ') + ' of them make 50, 90, 99 %' : ''];
  }
  const [svg, words] = ended.length ? curve() : [null, ''];
  let left = 0;
  for (let i = 1; i < graph.z.length; i += 2) left += Number(graph.z[i]);
  const cut = graph.q.reduce((sum, q) => sum + Number(q[0]), 0) + left;
  const cutWords = cut ? '. ✂ ' + plural(cut, 'execution') + ' did not end' + (left ? ', ' + shown(left) + ' of them by ways that cannot be told apart (' +
    graph.z.filter((_, i) => i % 2 === 0).map(v => firstLine(v)).join(', ') + ')' : '') : '';
  more(50);
  const element = make('div', {class: 'paths'}, svg, make('p', {class: 'facts'}, plural(ended.length, 'path') + ' of ' + shown(graph.k) + ' ran' + (graph.k < graph.t ? ' (' + shown(graph.t) + ' exist, the others are not watched)' : '') + (words ? '; ' + words + ' of the blocks they ran' : '') + cutWords),
    make('table', {id: 'paths'}, make('thead', {}, make('tr', {}, ...['Path', 'Count', 'Share', 'Blocks'].map(n => make('th', {scope: 'col'}, n)))), body), rest);
  /* If no path is chosen, the next one is the first, and the previous one is the last. */
  function step(by) {
    if (list.length) choose(chosen < 0 && by < 0 ? list.length - 1 : (chosen + by + list.length) % list.length);
  }
  return {element, neighbours, choose, step};
}
