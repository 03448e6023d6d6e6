/* Tables that can be sorted by each column. */

/*
 * Makes a table. A column has a name; `value`, by which rows are sorted; `cell`, which makes the content of a
 * td; `up`, if the first click sorts the smallest first; and a class. A row is made when it is scrolled to.
 */
function table({columns, rows, sort, descending, empty, first, id, onsort}) {
  const PART = 100;
  const body = make('tbody');
  const heads = columns.map((column, i) => make('th', {scope: 'col', class: column.class === 'wide' ? 'wide' : null}, make('button', {type: 'button', onclick: () => {
    if (state.sort === i) state.descending = !state.descending;
    else { state.sort = i; state.descending = !column.up; }
    render();
  }}, column.name)));
  const element = make('table', {id}, make('thead', {}, make('tr', {}, ...heads)), body);
  const rest = make('p', {class: 'more'});
  const state = {sort, descending, rows, shown: 0, sorted: []};
  function order(list) {
    const value = columns[state.sort].value, sign = state.descending ? -1 : 1;
    const keyed = list.map((row, i) => [value(row), i, row]);
    keyed.sort((a, b) => {
      const x = a[0] === null ? -1 : a[0], y = b[0] === null ? -1 : b[0];
      if (typeof x === 'string' && typeof y === 'string' && !/^\d+$/.test(x + y)) return sign * (x < y ? -1 : x > y ? 1 : 0) || a[1] - b[1];
      return sign * (Number(x) - Number(y)) || a[1] - b[1];
    });
    return keyed.map(k => k[2]);
  }
  function more(count) {
    const part = document.createDocumentFragment();
    for (const row of state.sorted.slice(state.shown, state.shown + count)) {
      const tr = make('tr', {});
      for (const column of columns) column.cell(row, tr.appendChild(make('td', {class: column.class})), tr);
      part.append(tr);
    }
    body.append(part);
    state.shown = Math.min(state.sorted.length, state.shown + count);
    const left = state.sorted.length - state.shown;
    rest.replaceChildren(...left > 0 ? [make('button', {type: 'button', onclick: () => more(PART * 10)}, plural(left, 'more row'))] : []);
    if (!state.sorted.length) rest.replaceChildren(make('span', {class: 'none'}, empty || 'Nothing.'));
  }
  function render() {
    heads.forEach((th, i) => {
      th.removeAttribute('aria-sort');
      th.firstChild.textContent = columns[i].name;
      if (i === state.sort) {
        th.setAttribute('aria-sort', state.descending ? 'descending' : 'ascending');
        th.firstChild.textContent += state.descending ? ' ↓' : ' ↑';
      }
    });
    state.sorted = (onsort || order)(state.rows, order);
    body.replaceChildren();
    state.shown = 0;
    more(first || PART);
  }
  render();
  return {element: make('div', {}, element, rest), setRows(list) { state.rows = list; render(); }, render};
}

const shareCell = (part, whole) => (cell => {
  cell.classList.add('share');
  if (!whole) { cell.append('–'); cell.classList.add('quiet'); return; }
  if (!part) cell.classList.add('never');
  cell.append(bar(part, whole), percentWord(part, whole));
});
const share = (part, whole) => whole ? part / whole : 2;
/* A count that is not exact: 5+ is at least 5, ~5 is about 5. */
const markedNumber = (count, exact, least) => exact || count === null ? shown(count) : least ? shown(count) + '+' : '~' + shown(count);
function countCell(cell, count, exact, least) {
  cell.append(markedNumber(count, exact !== 1, least));
  if (least) cell.title = 'at least so often, for certain';
  if (count === 0) cell.classList.add('never');
}
function nameCell(cell, f) {
  cell.title = f.name + (f.file ? '\n' + f.file.path + ':' + f.line : '');
  cell.append(f.file ? make('a', {href: functionHash(f)}, f.name) : f.name);
  if (f.file) cell.append(make('span', {class: 'place'}, f.file.name + ':' + f.line));
}
