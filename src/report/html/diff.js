/* The lists of `cotree diff`: what differs between two profiles. */

const bothKnown = (before, now) => before !== null && now !== null;
function change(before, now) {
  if (!bothKnown(before, now)) return '?';
  if (before === now) return '=';
  if (Number(before) === 0) return 'new';
  if (Number(now) === 0) return 'gone';
  const value = (Number(now) - Number(before)) / Number(before) * 100;
  return value >= 1000 ? '×' + thousands.format(Number((Number(now) / Number(before)).toPrecision(3))) : (value > 0 ? '+' : '') + (Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(1)) + '%';
}
function difference(before, now) {
  if (!bothKnown(before, now)) return '?';
  const d = BigInt(now) - BigInt(before);
  return (d > 0n ? '+' : d < 0n ? '−' : '') + shown(d < 0n ? -d : d);
}
const size = (before, now) => !bothKnown(before, now) ? -1 : Math.abs(Number(now) - Number(before));
/* The direction of a change: 1 for more now, -1 for less, 0 if nothing changed or it is not known. */
const direction = (before, now) => !bothKnown(before, now) || BigInt(before) === BigInt(now) ? 0 : BigInt(now) > BigInt(before) ? 1 : -1;
const ratio = (before, now) => !bothKnown(before, now) ? null : Number(before) ? Number(now) / Number(before) : Infinity;
const changeCell = (cell, before, now) => { cell.append(change(before, now)); cell.classList.add({'1': 'more-new', '-1': 'more-old', '0': 'quiet'}[direction(before, now)]); };
const markedCount = (count, exact) => (exact || count === null ? '' : '~') + shown(count);

function diffTables() {
  const rows = functions.map((f, i) => { const d = index.differences[i]; return {f, match: d[0], before: d[1], now: d[2], entriesBefore: d[3], entries: d[4], exactBefore: d[5], exact: d[6]}; });
  const differs = r => r.before !== r.now || r.entriesBefore !== r.entries;
  const kinds = {
    differ: ['All that differ', differs], more: ['More', r => direction(r.before, r.now) > 0 && r.before !== 0], less: ['Less', r => direction(r.before, r.now) < 0 && r.now !== 0],
    newly: ['Newly', r => direction(r.before, r.now) > 0 && r.before === 0], gone: ['No longer', r => direction(r.before, r.now) < 0 && r.now === 0],
  };
  const matches = ['', 'another graph', 'only before', 'only now'];
  let which = 'differ', filter = '';
  const choose = () => rows.filter(r => kinds[which][1](r) && r.f.name.toLowerCase().includes(filter));
  const list = table({id: 'functions', rows: choose(), sort: 3, descending: true, empty: 'None.', first: 30, columns: [
    {name: 'Function', class: 'name', up: true, value: r => r.f.name, cell: (r, cell) => {
      cell.title = r.f.name;
      cell.append(r.f.file ? make('a', {href: fileHash(r.f.file, r.f.line)}, r.f.name) : r.f.name);
      if (matches[r.match]) cell.append(make('span', {class: 'place'}, matches[r.match]));
    }},
    {name: 'Before', value: r => r.before, cell: (r, cell) => cell.append(markedCount(r.before, r.exactBefore))},
    {name: 'Now', value: r => r.now, cell: (r, cell) => cell.append(markedCount(r.now, r.exact))},
    {name: 'Difference', value: r => size(r.before, r.now), cell: (r, cell) => cell.append(difference(r.before, r.now))},
    {name: 'Change', value: r => ratio(r.before, r.now), cell: (r, cell) => changeCell(cell, r.before, r.now)},
    {name: 'Entries', value: r => r.entries, cell: (r, cell) => cell.append(shown(r.entriesBefore) + ' → ' + shown(r.entries))},
  ]});
  const choices = Object.entries(kinds).map(([key, [name, test]]) => make('button', {type: 'button', 'aria-pressed': String(key === which), onclick: event => {
    which = key;
    choices.forEach(c => c.setAttribute('aria-pressed', String(c === event.currentTarget)));
    list.setRows(choose());
  }}, name + ' ' + rows.filter(test).length));
  const functionsElement = panel('Functions', 'panel-functions', filterField('Filter functions', text => { filter = text; list.setRows(choose()); }), make('span', {class: 'group'}, ...choices));
  functionsElement.append(list.element);
  const lineRows = index.lines.map(l => ({file: files[l[0]], line: l[1], oldLine: l[2], before: l[3], now: l[4]}));
  const lines = table({id: 'lines', rows: lineRows, sort: 3, descending: true, empty: 'No line differs.', first: 30, columns: [
    {name: 'Line', class: 'name', up: true, value: l => l.file.name + ':' + String(l.line).padStart(9, '0'), cell: (l, cell) => {
      const text = l.file.model && l.file.model.lines ? (l.file.model.lines[l.line - 1] || '').trim() : '';
      cell.append(make('a', {href: fileHash(l.file, l.line)}, l.file.name + ':' + l.line), make('span', {class: 'place'}, (l.oldLine !== l.line ? '(was ' + l.oldLine + ') ' : '') + text));
    }},
    {name: 'Before', value: l => l.before, cell: (l, cell) => cell.append(shown(l.before))},
    {name: 'Now', value: l => l.now, cell: (l, cell) => cell.append(shown(l.now))},
    {name: 'Difference', value: l => size(l.before, l.now), cell: (l, cell) => cell.append(difference(l.before, l.now))},
    {name: 'Change', value: l => ratio(l.before, l.now), cell: (l, cell) => changeCell(cell, l.before, l.now)},
  ]});
  const linesElement = panel('Lines', 'panel-lines');
  linesElement.append(lines.element);
  /* The list is shown first; the sources that it quotes are unpacked afterwards. */
  Promise.all([...new Set(lineRows.slice(0, 200).map(l => l.file))].slice(0, 20).map(loadFile)).then(() => lines.render());
  return [functionsElement, linesElement, index.paths && diffPaths()].filter(Boolean);
}

/* The list of paths that ran more or less often. Paths that did not end have no number. */
function diffPaths() {
  const rows = index.paths.map(p => ({f: functions[p[0]], id: p[1], before: p[2], now: p[3], blocks: p[4], lines: p.slice(5)}));
  const name = p => p.f.name + (p.id < 0 ? ', unfinished' : '#' + p.id);
  const list = table({id: 'paths', rows, sort: 3, descending: true, empty: 'No path differs.', first: 30, columns: [
    {name: 'Path', class: 'name', up: true, value: name, cell: (p, cell) => {
      const text = 'lines ' + p.lines.join(' ');
      cell.title = name(p) + ': ' + text;
      cell.append(p.f.file ? make('a', {href: fileHash(p.f.file, p.lines[0] || p.f.line)}, name(p)) : name(p), make('span', {class: 'place'}, text));
    }},
    {name: 'Before', value: p => p.before, cell: (p, cell) => cell.append(markedCount(p.before, index.differences[functions.indexOf(p.f)][5]))},
    {name: 'Now', value: p => p.now, cell: (p, cell) => cell.append(markedCount(p.now, index.differences[functions.indexOf(p.f)][6]))},
    {name: 'Difference', value: p => size(p.before, p.now), cell: (p, cell) => cell.append(difference(p.before, p.now))},
    {name: 'Change', value: p => ratio(p.before, p.now), cell: (p, cell) => changeCell(cell, p.before, p.now)},
  ]});
  const element = panel('Paths', 'panel-paths');
  element.append(list.element);
  return element;
}
