/* Source with counts: the contents of a file, and the view, which makes only the lines on the screen. */

const WORDS = new Set(('alignas alignof asm auto bool break case catch char class co_await co_return co_yield concept const consteval constexpr constinit const_cast ' +
  'continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept ' +
  'nullptr operator private protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch ' +
  'template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while').split(' '));
const TOKEN = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\b\d[\w.']*|[A-Za-z_]\w*|^\s*#\s*\w+|[^A-Za-z_0-9"'\/]+|./g;

/* For each line, whether it begins inside a comment. */
function commentLines(lines) {
  const inside = new Uint8Array(lines.length);
  const mark = /\/\*|\/\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+'/g;
  let open = false;
  for (let i = 0; i < lines.length; i++) {
    inside[i] = open ? 1 : 0;
    const line = lines[i];
    let at = 0;
    if (!open && line.indexOf('/*') < 0) continue;
    for (;;) {
      if (open) {
        const end = line.indexOf('*/', at);
        if (end < 0) break;
        open = false;
        at = end + 2;
      }
      mark.lastIndex = at;
      const found = mark.exec(line);
      if (!found || found[0] === '//') break;
      at = mark.lastIndex;
      if (found[0] === '/*') open = true;
    }
  }
  return inside;
}
function colored(element, text, inComment) {
  let at = 0;
  const put = (part, type) => element.append(type ? make('span', {class: type}, part) : part);
  if (text.length > 2000) { put(text); return; }
  if (inComment) {
    const end = text.indexOf('*/');
    put(end < 0 ? text : text.slice(0, end + 2), 'c');
    if (end < 0) return;
    at = end + 2;
  }
  let plain = '';
  for (const [token] of text.slice(at).matchAll(TOKEN)) {
    const c = token[0];
    const type = c === '/' && (token[1] === '/' || token[1] === '*') ? 'c' : c === '"' || c === "'" ? 's' : c >= '0' && c <= '9' ? 'n' :
      WORDS.has(token) ? 'k' : /^\s*#/.test(token) ? 'p' : null;
    if (!type) { plain += token; continue; }
    if (plain) put(plain);
    plain = '';
    put(token, type);
  }
  if (plain) put(plain);
}

let redrawStrip = () => {};

/* The contents of a file: counts, branches and text of its lines. */
async function loadFile(file) {
  if (file.model) return file.model;
  const [data, text] = await Promise.all([file.data ? island(file.data) : null, file.text ? unpack(file.text).then(r => r.text()) : null]);
  /* `numbers` lists the lines that have counts; the other lists are indexed by line. */
  const model = {file, lines: text === null ? null : text.split('\n'), numbers: [], most: 1};
  if (model.lines) model.lines.pop();
  let line = 0;
  if (data) for (const step of data.l) model.numbers.push(line += step);
  for (const list of ['count', 'old', 'oldLine', 'exact', 'least', 'ways']) model[list] = new Array(line + 1);
  if (data) {
    for (let i = 0; i < data.l.length; i++) {
      line = model.numbers[i];
      model.count[line] = data.c[i];
      if (data.o) { model.old[line] = data.o[i]; model.oldLine[line] = data.q[i]; }
      model.most = Math.max(model.most, Number(data.c[i]) || 0);
    }
    line = 0;
    for (const place of data.x) model.exact[model.numbers[place]] = false;
    for (const place of data.g || []) model.least[model.numbers[place]] = true;
    for (let i = 0; data.b && i < data.b.length;) {
      line += data.b[i];
      const many = data.b[i + 2], ways = data.b.slice(i + 3, i + 3 + many);
      ways.column = data.b[i + 1];
      ways.names = data.b.slice(i + 3 + many, i + 3 + 2 * many).map(name => name ? data.n[name - 1] : '');
      (model.ways[line] ||= []).push(ways);
      i += 3 + 2 * many;
    }
  }
  model.last = Math.max(model.lines ? model.lines.length : 0, model.count.length - 1);
  model.comment = model.lines ? commentLines(model.lines) : null;
  file.model = model;
  return model;
}

class SourceView {
  constructor(model) {
    this.model = model;
    this.folded = new Set();
    this.chosen = new Set();
    this.query = '';
    this.matches = [];
    this.at = -1;
    this.target = 0;
    this.members = new Map();
    for (const f of model.file.members) if (!this.members.has(f.line)) this.members.set(f.line, f);
    this.rows = make('div', {class: 'rows'});
    this.room = make('div', {class: 'spacer', 'aria-hidden': 'true'});
    this.code = make('div', {class: 'code', tabindex: 0, role: 'region', 'aria-label': 'Source'}, this.room, this.rows);
    this.strip = make('canvas', {class: 'strip', title: 'The whole file: dark where it runs most, red where it never ran', onpointerdown: event => this.jumpTo(event)});
    this.element = make('div', {class: 'codepane'}, this.code, this.strip);
    let width = 5;
    const most = model.numbers.reduce((a, line) => Math.max(a, Number(model.count[line]) || 0, Number(model.old[line]) || 0), 0);
    width = Math.max(width, shown(most).length + (model.exact.includes(false) ? 1 : 0));
    this.code.style.setProperty('--count-width', width + 2 + 'ch');
    this.code.style.setProperty('--number-width', String(model.last).length + 2 + 'ch');
    this.code.addEventListener('scroll', () => this.render(), {passive: true});
    this.code.addEventListener('click', event => this.clicked(event));
    this.resized = new ResizeObserver(() => { this.render(); this.drawStrip(); });
    this.resized.observe(this.code);
    this.partly = model.ways.map((list, line) => Number(model.count[line]) > 0 && list.some(ways => ways.includes(0)));
    this.layOut();
  }
  /* The lines that are shown: all but those of folded functions; without the source, those with counts. */
  layOut() {
    const shownLines = [];
    for (let line = 1; line <= this.model.last; line++) {
      if (!this.model.lines && this.model.count[line] === undefined) continue;
      shownLines.push(line);
      const f = this.folded.has(line) ? this.members.get(line) : null;
      if (f) line = Math.max(line, f.last);
    }
    this.shownLines = shownLines;
    this.room.style.height = shownLines.length * LINE + 8 + 'px';
    this.from = this.to = -1;
    this.render();
    this.drawStrip();
  }
  place(line) { /* the index of the row that shows the line, or else of the row before it */
    let low = 0, high = this.shownLines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shownLines[middle] <= line) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  render(force) {
    const height = this.printing ? this.shownLines.length * LINE : this.code.clientHeight, top = this.printing ? 0 : this.code.scrollTop;
    const from = Math.max(0, Math.floor(top / LINE) - 15), to = Math.min(this.shownLines.length, Math.ceil((top + height) / LINE) + 15);
    if (!force && from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const part = document.createDocumentFragment();
    for (let i = from; i < to; i++) part.append(this.row(this.shownLines[i]));
    this.rows.replaceChildren(part);
    this.rows.style.transform = 'translateY(' + from * LINE + 'px)';
  }
  row(line) {
    const m = this.model, count = m.count[line], known = count !== undefined, ran = Number(count) > 0;
    const never = known && count !== null && !ran, partly = this.partly[line];
    const unsure = m.exact[line] === false;
    const f = this.members.get(line), diff = index.kind === 'diff';
    const changed = diff && known && m.old[line] !== count, way = changed ? direction(m.old[line], count) : 0;
    const row = make('div', {class: 'row' + (changed ? ' changed' : '') + (known ? ' code-line' : '') + (never ? ' never' : '') + (partly ? ' partly' : '') + (line === this.target ? ' target' : '') +
      (this.chosen.has(line) ? ' chosen' : ''), 'data-line': line});
    if (diff) row.append(make('span', {class: 'ct old', title: known ? 'line ' + m.oldLine[line] + ' before' : null}, known ? shown(m.old[line]) : ''));
    row.append(make('span', {class: 'ct', title: m.least[line] ? 'at least so often, for certain' : known && count === null ? 'may have run or not: no counter tells' : null},
      known ? markedNumber(count, !unsure, m.least[line]) : ''));
    const heat = make('span', {class: 'heat'});
    if (ran) {
      const warm = heat.appendChild(make('i'));
      warm.style.width = Math.max(4, 100 * Math.log2(1 + Number(count)) / Math.log2(1 + m.most)) + '%';
      warm.style.opacity = 0.25 + 0.75 * Math.log2(1 + Number(count)) / Math.log2(1 + m.most);
    }
    row.append(heat, make('a', {class: 'ln', href: fileHash(m.file, line)}, String(line)));
    row.append(make('span', {class: 'mk', title: never ? 'never ran' : partly ? 'a way was never taken' : null},
      way > 0 ? '+' : way < 0 ? '−' : never ? '✗' : partly ? '◐' : ''));
    if (!diff) row.append(this.branches(line));
    row.append(f && f.last > line ? make('button', {type: 'button', class: 'fold', 'data-fold': line, 'aria-label': (this.folded.has(line) ? 'Unfold ' : 'Fold ') + f.name,
      'aria-expanded': String(!this.folded.has(line))}, this.folded.has(line) ? '▸' : '▾') : make('span', {class: 'fold'}));
    const text = make('code', {class: 'tx'});
    const content = m.lines ? m.lines[line - 1] || '' : '';
    if (this.query) this.marked(text, content, line);
    else colored(text, content, m.comment && m.comment[line - 1]);
    row.append(text);
    if (f && this.folded.has(line)) row.append(make('span', {class: 'folded-note'}, '… ' + plural(f.last - line, 'line') + ', ' + (f.lines ? percent(f.run, f.lines) + ' of the code ran' : '')));
    if (f && index.graphs) row.append(make('a', {class: 'graph-link', href: functionHash(f)}, 'flow graph'));
    return row;
  }
  branches(line) {
    const cell = make('span', {class: 'br'}), list = this.model.ways[line];
    if (!list) return cell;
    cell.title = list.map(ways => (ways.column ? 'column ' + ways.column + ': ' : 'goes ') +
      ways.map((way, k) => (ways.names[k] ? ways.names[k] + ': ' : '') + shown(way)).join(', ')).join('\n');
    list.slice(0, 3).forEach((ways, i) => {
      if (i) cell.append(' | ');
      const few = ways.length > 4;
      ways.slice(0, few ? 3 : 4).forEach((way, k) => cell.append(k ? ' ' : '', {True: 'T ', False: 'F '}[ways.names[k]] || '', way === 0 ? make('b', {}, '✗0') : shown(way)));
      if (few) cell.append(' +' + (ways.length - 3));
    });
    return cell;
  }
  marked(element, text, line) {
    const low = text.toLowerCase(), now = this.matches[this.at] === line;
    let at = 0;
    for (let found; (found = low.indexOf(this.query, at)) >= 0; at = found + this.query.length)
      element.append(text.slice(at, found), make('mark', {class: now ? 'now' : null}, text.slice(found, found + this.query.length)));
    element.append(text.slice(at));
  }
  clicked(event) {
    const fold = event.target.closest('[data-fold]');
    if (fold) {
      const line = Number(fold.dataset.fold);
      if (!this.folded.delete(line)) this.folded.add(line);
      this.layOut();
      return;
    }
    const row = event.target.closest('.row');
    if (row && !event.target.closest('a') && this.onLine) this.onLine(Number(row.dataset.line));
  }
  show(line, above) { /* scrolls to the line, with `above` lines above it; without `above`, only if it is not on the screen */
    for (const start of this.folded) { /* unfolds the function that has the line */
      const f = this.members.get(start);
      if (line > start && line <= f.last) { this.folded.delete(start); this.layOut(); }
    }
    const at = this.place(line) * LINE, height = this.code.clientHeight;
    if (above !== undefined) this.code.scrollTop = Math.max(0, at - above * LINE);
    else if (at < this.code.scrollTop + LINE || at > this.code.scrollTop + height - 3 * LINE) this.code.scrollTop = Math.max(0, Math.floor((at - height / 3) / LINE) * LINE);
    this.render(true);
  }
  setTarget(line) { this.target = line; this.show(line); }
  setChosen(lines) { this.chosen = new Set(lines); this.render(true); this.drawStrip(); }
  foldAll() {
    if (this.folded.size) this.folded.clear();
    else for (const [line, f] of this.members) if (f.last > line) this.folded.add(line);
    this.layOut();
  }
  search(query) {
    this.query = query.toLowerCase();
    this.matches = [];
    this.at = -1;
    if (this.query && this.model.lines)
      this.model.lines.forEach((text, i) => { if (text.toLowerCase().includes(this.query)) this.matches.push(i + 1); });
    if (this.matches.length) this.step(1);
    else this.render(true);
  }
  step(by) {
    if (!this.matches.length) return;
    if (this.at < 0) {
      const first = this.shownLines[Math.max(0, Math.ceil(this.code.scrollTop / LINE))] || 1;
      this.at = this.matches.findIndex(line => line >= first);
      if (this.at < 0) this.at = 0;
    } else this.at = (this.at + by + this.matches.length) % this.matches.length;
    this.show(this.matches[this.at]);
  }
  /* The next line for which `test` is true, after the marked line or else the first on the screen. Lines that
   * follow each other count once. */
  next(by, test) {
    const here = this.target || (this.shownLines[Math.ceil(this.code.scrollTop / LINE)] || 1) - by;
    const code = this.model.numbers;
    const good = code.filter((line, i) => test(line) && !(i && test(code[i - 1])));
    if (!good.length) return;
    const found = by > 0 ? good.find(line => line > here) || good[0] : good.filter(line => line < here).pop() || good[good.length - 1];
    history.replaceState(null, '', fileHash(this.model.file, found));
    this.setTarget(found);
  }
  isChanged(line) { return this.model.count[line] !== undefined && this.model.old[line] !== this.model.count[line]; }
  isNever(line) { const count = this.model.count[line]; return count !== undefined && count !== null && Number(count) === 0; }
  drawStrip() {
    const height = this.strip.clientHeight;
    if (!height) return;
    const style = getComputedStyle(root), color = name => style.getPropertyValue(name).trim();
    this.strip.width = 16;
    this.strip.height = height;
    const context = this.strip.getContext('2d'), rows = this.shownLines.length, step = Math.min(LINE, height / Math.max(1, rows));
    const bad = color('--bad'), heat = color('--heat'), path = color('--path'), size = Math.max(1, step), log = Math.log2(1 + this.model.most);
    const hot = new Float64Array(Math.ceil(height) + 1), never = new Uint8Array(Math.ceil(height) + 1), chosen = new Uint8Array(Math.ceil(height) + 1);
    for (let i = 0; i < rows; i++) {
      const line = this.shownLines[i], count = this.model.count[line], y = Math.floor(i * step);
      if (count === undefined || count === null) continue;
      if (Number(count)) hot[y] = Math.max(hot[y], Number(count));
      else never[y] = 1;
      if (this.chosen.has(line)) chosen[y] = 1;
    }
    for (let y = 0; y <= height; y++) {
      if (hot[y]) {
        context.fillStyle = heat;
        const part = Math.log2(1 + hot[y]) / log;
        context.globalAlpha = 0.2 + 0.8 * part;
        context.fillRect(8, y, 8 * part, size);
        context.globalAlpha = 1;
      }
      if (never[y]) { context.fillStyle = bad; context.fillRect(1, y, 5, size); }
      if (chosen[y]) { context.fillStyle = path; context.fillRect(6, y, 2, size); }
    }
    this.stripStep = step;
  }
  jumpTo(event) {
    const move = e => {
      const box = this.strip.getBoundingClientRect();
      this.code.scrollTop = (e.clientY - box.top) / this.stripStep * LINE - this.code.clientHeight / 2;
    };
    move(event);
    this.strip.setPointerCapture(event.pointerId);
    this.strip.onpointermove = move;
    this.strip.onpointerup = () => { this.strip.onpointermove = null; };
  }
  release() { this.resized.disconnect(); }
}
