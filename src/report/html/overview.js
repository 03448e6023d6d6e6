/* The first screen: the lists of files, of functions, of code that never ran, and of what is not exact. */

function panel(title, id, ...tools) {
  const element = make('section', {class: 'panel', id}, make('div', {class: 'title'}, make('h2', {}, title), make('span', {class: 'room'}), ...tools));
  return element;
}
function filterField(label, onchange) {
  return make('input', {type: 'search', placeholder: label, 'aria-label': label, oninput: event => onchange(event.target.value.toLowerCase())});
}

/* The tree of directories, with the sums of their files. A directory that holds nothing but another one is
 * joined with it. */
function directoryTree(list) {
  const top = {name: '', directories: new Map(), files: []};
  for (const f of list) {
    let at = top;
    const parts = f.name.split('/');
    const absolute = parts[0] === '';
    if (absolute) parts.splice(0, 2, '/' + parts[1]);
    for (const part of parts.slice(0, -1)) {
      if (!at.directories.has(part)) at.directories.set(part, {name: part, directories: new Map(), files: []});
      at = at.directories.get(part);
    }
    at.files.push(f);
  }
  const sum = (node, path) => {
    node.directories = [...node.directories.values()];
    while (node !== top && !node.files.length && node.directories.length === 1) {
      const only = node.directories[0];
      node.name += '/' + only.name;
      node.files = only.files;
      node.directories = [...only.directories.values()];
    }
    node.path = path + node.name + '/';
    Object.assign(node, {lines: 0, run: 0, ways: 0, taken: 0, functions: 0, functionsRun: 0, runs: 0, directory: true});
    for (const d of node.directories) sum(d, node === top ? '' : node.path);
    for (const x of [...node.directories, ...node.files]) {
      for (const key of ['lines', 'run', 'ways', 'taken', 'functions', 'functionsRun']) node[key] += x[key];
      node.runs = add(node.runs, x.runs);
    }
    return node;
  };
  return sum(top, '');
}

function filesPanel() {
  let tree = files.some(f => f.name.includes('/')), filter = '';
  const open = new Map();
  const chosen = () => files.filter(f => f.path.toLowerCase().includes(filter));
  const columns = [
    {name: 'File', class: 'name', up: true, value: x => (x.directory ? x.path : x.name), cell: (x, cell) => {
      const depth = x.depth || 0;
      cell.style.paddingLeft = 4 + depth * 18 + 'px';
      if (x.directory) {
        const isOpen = isOpenNow(x);
        cell.append(make('button', {type: 'button', class: 'twist', 'aria-expanded': String(isOpen), 'aria-label': (isOpen ? 'Close ' : 'Open ') + x.name,
          onclick: () => { open.set(x.path, !isOpen); list.render(); }}, isOpen ? '▾' : '▸'), make('span', {class: 'dir'}, x.name + '/'));
      } else {
        cell.title = x.path;
        cell.append(make('a', {href: fileHash(x)}, tree ? x.name.slice(x.name.lastIndexOf('/') + 1) : x.name));
        if (x.state === 2) cell.append(make('span', {class: 'place'}, 'source not found'));
      }
    }},
    {name: 'Lines', value: x => share(x.run, x.lines), up: true, cell: (x, cell) => shareCell(x.run, x.lines)(cell)},
    {name: 'ran', value: x => x.run, cell: (x, cell) => cell.append(shown(x.run))},
    {name: 'of', value: x => x.lines, cell: (x, cell) => cell.append(shown(x.lines))},
    {name: 'Branches', value: x => share(x.taken, x.ways), up: true, cell: (x, cell) => cell.append(x.ways ? percent(x.taken, x.ways) : '–')},
    {name: 'Functions', class: 'wide', value: x => share(x.functionsRun, x.functions), up: true, cell: (x, cell) => cell.append(x.functions ? percent(x.functionsRun, x.functions) : '–')},
    {name: 'Block runs', value: x => x.runs, cell: (x, cell) => countCell(cell, x.runs)},
  ];
  const isOpenNow = x => filter ? true : open.has(x.path) ? open.get(x.path) : !isSystem(x.path) && files.length <= 60 || x.depth === 0 && !isSystem(x.path);
  function inTree(list, order) {
    const result = [];
    const put = (node, depth) => {
      for (const x of order([...node.directories, ...node.files])) {
        x.depth = depth;
        result.push(x);
        if (x.directory && isOpenNow(x)) put(x, depth + 1);
      }
    };
    put(directoryTree(list), 0);
    return result;
  }
  const list = table({columns, rows: chosen(), sort: 0, descending: false, id: 'files', empty: 'No file matches.', first: 200,
    onsort: (rows, order) => tree ? inTree(rows, order) : (rows.forEach(x => { x.depth = 0; }), order(rows))});
  const choices = [['Tree', true], ['Flat', false]].map(([name, value]) => make('button', {type: 'button', 'aria-pressed': String(tree === value), onclick: () => {
    tree = value;
    choices.forEach(c => c.setAttribute('aria-pressed', String((c.textContent === 'Tree') === tree)));
    list.render();
  }}, name));
  const element = panel('Files', 'panel-files', filterField('Filter files', text => { filter = text; list.setRows(chosen()); }), make('span', {class: 'group'}, ...choices));
  element.append(list.element);
  return element;
}

function functionsPanel() {
  const total = index.totals.executions;
  let filter = '', which = 'all';
  const matches = f => (which === 'all' || which === 'never' && f.exact && f.entries === 0 && f.runs === 0 || which === 'unsure' && f.exact < 2) &&
    (f.name.toLowerCase().includes(filter) || f.file && f.file.name.toLowerCase().includes(filter));
  const columns = [
    {name: 'Function', class: 'name', up: true, value: f => f.name, cell: (f, cell) => nameCell(cell, f)},
    {name: 'Share', value: f => f.runs, cell: (f, cell) => {
      if (f.runs === null || !total) { cell.append('–'); return; }
      cell.append(bar(f.runs, total), percentWord(f.runs, total));
      cell.classList.add('share');
    }},
    {name: 'Block runs', value: f => f.runs, cell: (f, cell) => countCell(cell, f.runs, f.exact, f.bounds & 2)},
    {name: 'Entries', value: f => f.entries, cell: (f, cell) => countCell(cell, f.entries, f.exact, f.bounds & 1)},
    {name: 'Lines', value: f => share(f.run, f.lines), up: true, cell: (f, cell) => cell.append(f.exact && f.lines ? percent(f.run, f.lines) : '–')},
  ];
  const list = table({columns, rows: functions, sort: 1, descending: true, id: 'functions', empty: 'No function matches.', first: 15});
  const update = () => list.setRows(functions.filter(matches));
  const names = [['all', 'All'], ['never', 'Never ran']];
  if (functions.some(f => f.exact < 2)) names.push(['unsure', 'Not exact']);
  const choices = names.map(([key, name]) => make('button', {type: 'button', 'aria-pressed': String(key === which), onclick: event => {
    which = key;
    choices.forEach(c => c.setAttribute('aria-pressed', String(c === event.target)));
    update();
  }}, name));
  const element = panel('Hottest functions', 'panel-functions', filterField('Filter functions', text => { filter = text; update(); }), make('span', {class: 'group'}, ...choices));
  element.append(list.element);
  return element;
}

/* Code that never ran, the largest pieces first: they are most worth a test. */
function neverPanel() {
  const never = functions.filter(f => f.exact && f.entries === 0 && f.runs === 0);
  const columns = [
    {name: 'Function', class: 'name', up: true, value: f => f.name, cell: (f, cell) => nameCell(cell, f)},
    {name: 'Lines', value: f => f.lines, cell: (f, cell) => cell.append(shown(f.lines))},
    {name: 'Blocks', value: f => f.blocks, cell: (f, cell) => cell.append(shown(f.blocks))},
  ];
  const element = panel('Never ran: ' + plural(never.length, 'function'), 'panel-never');
  element.append(table({columns, rows: never, sort: 1, descending: true, id: 'never', empty: 'Every function ran.', first: 12}).element);
  return element;
}

function pathsPanel() {
  const [, , ran, half, most, nearly, cut] = index.path_sums;
  const columns = [
    {name: 'Path', class: 'name', up: true, value: p => p.f.name, cell: (p, cell) => {
      cell.append(p.f.file ? make('a', {href: functionHash(p.f, p.id)}, p.f.name) : p.f.name, make('span', {class: 'place'}, '#' + p.id + ', ' + plural(p.blocks, 'block')));
    }},
    {name: 'Share', value: p => p.weight, cell: (p, cell) => cell.append(bar(p.weight, index.path_blocks), percentWord(p.weight, index.path_blocks))},
    {name: 'Count', value: p => p.count, cell: (p, cell) => countCell(cell, p.count)},
  ];
  const rows = index.paths.map(p => ({f: functions[p[0]], id: p[1], count: p[2], blocks: p[3], weight: Number(p[2]) * p[3]}));
  const element = panel('Hottest paths', 'panel-paths');
  element.append(make('p', {class: 'facts'}, plural(ran, 'path') + ' ran; ' + [half, most, nearly].map(shown).join(', ') + ' of them make 50, 90, 99 % of the blocks they ran.' + (cut ? ' ✂ ' + plural(cut, 'execution') + ' did not end.' : '')),
    table({columns, rows, sort: 1, descending: true, id: 'all-paths', empty: 'No path ran.', first: 10}).element);
  return element;
}

/* The functions that are not exact, with the reasons, and the sources that are missing. */
function notes() {
  const result = [];
  const groups = new Map();
  for (const f of functions)
    if (f.exact < 2) {
      const why = (f.exact ? '≈ not exact: ' : '? no counts: ') + (f.why || 'no reason given');
      if (!groups.has(why)) groups.set(why, []);
      groups.get(why).push(f);
    }
  for (const [why, list] of groups) {
    const worst = list.some(f => f.error === null) ? null : list.reduce((a, f) => Math.max(a, Number(f.error)), 0);
    result.push(make('p', {class: 'note'}, why + (list[0].exact ? worst === null ? ' (by how much is not known)' : ' (no count is off by more than ' + shown(worst) + ')' : '') +
      ' – ' + plural(list.length, 'function') + ': ', ...list.slice(0, 6).flatMap((f, i) => [i ? ', ' : '', f.file ? make('a', {href: functionHash(f)}, f.name) : f.name]),
      list.length > 6 ? ', …' : ''));
  }
  const missing = files.filter(f => f.state === 2 && f.lines);
  if (missing.length)
    result.push(make('p', {class: 'note', id: 'missing'}, plural(missing.length, 'source') + ' not found, shown by line number; --source-map=OLD=NEW says where they are: ' +
      missing.slice(0, 8).map(f => f.path).join(', ') + (missing.length > 8 ? ', …' : '')));
  return result;
}

let overviewMade = false;
function showOverview() {
  byId('file').hidden = true;
  byId('overview').hidden = false;
  byId('trail').textContent = '';
  document.title = baseTitle;
  view = null;
  if (overviewMade) return;
  overviewMade = true;
  if (index.kind === 'diff') {
    byId('lists').classList.add('one');
    byId('lists').replaceChildren(...diffTables());
    return;
  }
  byId('head').append(...notes());
  byId('lists').replaceChildren(make('div', {}, filesPanel(), files.length <= 12 && neverPanel()), make('div', {}, functionsPanel(), index.paths && pathsPanel(), files.length > 12 && neverPanel()));
}
const baseTitle = document.title;
