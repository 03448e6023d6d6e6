/* The start of the page: its theme, its keys, and the view that the address names. */
/* ---- Theme, keys ---- */

const root = document.documentElement;
const stored = name => { try { return localStorage.getItem(name); } catch { return null; } };
function setTheme(theme) { root.dataset.theme = theme; redrawStrip(); }
function switchTheme() {
  setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark');
  try { localStorage.setItem('cotree-theme', root.dataset.theme); } catch { /* a page that was opened from a file may not be allowed to store anything */ }
}
const KEYS = [
  ['/', 'filter, or search the source'], ['Enter, Shift+Enter', 'next, previous match'], ['u, U', 'next, previous line that never ran; in a comparison: that differs'],
  ['b, B', 'next, previous branch with a way not taken'], ['f', 'fold or unfold all functions'], ['g', 'flow graph of the function here; close it'],
  ['n, p', 'next, previous path'], ['j, k', 'of a core: the caller, the callee'], ['+, −', 'larger, smaller flow graph; also: the wheel with Ctrl'], ['o', 'overview'], ['t', 'light or dark'], ['Esc', 'leave the field, close'], ['?', 'these keys'],
];
function showKeys() {
  const help = byId('help');
  help.replaceChildren(make('h2', {}, 'Keys'), make('table', {}, make('tbody', {}, ...KEYS.map(([keys, what]) => make('tr', {},
    make('td', {}, ...keys.split(', ').map(key => make('kbd', {}, key))), make('td', {}, what))))), make('button', {type: 'button', onclick: () => help.close()}, 'Close'));
  help.showModal();
}

/* ---- The address ---- */

function readHash() {
  let text = location.hash.slice(1);
  try { text = decodeURIComponent(text); } catch { /* an address that is not well encoded is taken as it is */ }
  const result = {};
  let found;
  if ((found = /^(.*):L(\d+)$/s.exec(text))) { text = found[1]; result.line = Number(found[2]); }
  if ((found = /^(.*):p=(\d+)$/s.exec(text))) { text = found[1]; result.path = found[2]; }
  if ((found = /^(.*?):f=(.*)$/s.exec(text))) { text = found[1]; result.f = found[2]; }
  result.file = text ? findFile(text) : null;
  if (result.f !== undefined && result.file) {
    const numbered = /^(.*):(\d+)$/s.exec(result.f), name = result.f, same = n => result.file.members.filter(f => f.linkage === n || f.name === n);
    result.f = same(name)[0] || numbered && same(numbered[1])[numbered[2] - 1];
  }
  return result;
}
let busy = Promise.resolve();
function go() {
  busy = busy.then(async () => {
    const where = index.kind === 'crash' ? null : readHash();
    if (!where) await goCrash();
    else if (where.file) await showFile(where.file, where);
    else showOverview();
    root.dataset.ready = location.hash || '#';
    performance.mark('ready');
  }).catch(error => {
    byId('overview').prepend(make('p', {class: 'note'}, 'This page is damaged: ' + error.message));
    byId('overview').hidden = false;
  });
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || byId('help').open) return;
  if (index.kind === 'crash' && (event.key === 'j' || event.key === 'k')) stepFrame(event.key === 'j' ? 1 : -1);
  const typing = event.target.closest('input');
  if (typing) {
    if (event.key === 'Escape') typing.blur();
    return;
  }
  const source = view && view.source, wanted = line => index.kind === 'diff' ? source.isChanged(line) : source.isNever(line);
  const partly = line => source.partly[line];
  const actions = {
    '?': showKeys, t: switchTheme, o: () => { location.hash = ''; },
    '/': () => { const field = view && view.search || document.querySelector('#overview input'); if (field) field.focus(); },
    u: () => source && source.next(1, wanted), U: () => source && source.next(-1, wanted),
    b: () => source && source.next(1, partly), B: () => source && source.next(-1, partly),
    f: () => source && source.foldAll(),
    g: () => {
      if (!source) return;
      if (view.side) { location.hash = fileHash(view.file, view.side.f.line); return; }
      const line = source.target || source.shownLines[Math.ceil(source.code.scrollTop / LINE)];
      const f = view.file.members.filter(m => m.line <= line && line <= m.last).pop() || view.file.members.find(m => m.line >= line);
      if (f) location.hash = functionHash(f);
    },
    '+': () => view && view.side && view.side.zoomBy(1.25), '-': () => view && view.side && view.side.zoomBy(0.8),
    n: () => view && view.side && view.side.paths && view.side.paths.step(1), p: () => view && view.side && view.side.paths && view.side.paths.step(-1),
  };
  if (Object.hasOwn(actions, event.key)) { event.preventDefault(); actions[event.key](); }
}

/* A file is printed with all its lines, not just those on the screen, unless it is very long. */
function printing(on) {
  if (!view || !view.source || view.source.shownLines.length > 20000) return;
  view.source.printing = on;
  view.source.render(true);
}

async function start() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  setTheme(stored('cotree-theme') || (dark.matches ? 'dark' : 'light'));
  dark.addEventListener('change', () => { if (!stored('cotree-theme')) setTheme(dark.matches ? 'dark' : 'light'); });
  if (typeof DecompressionStream === 'undefined') {
    byId('lists').append(make('p', {class: 'note'}, 'This browser cannot unpack the data of this page: it needs DecompressionStream, which browsers have since 2023.'));
    return;
  }
  byId('theme').addEventListener('click', switchTheme);
  byId('keys').addEventListener('click', showKeys);
  document.addEventListener('keydown', pressed);
  addEventListener('hashchange', go);
  addEventListener('beforeprint', () => printing(true));
  addEventListener('afterprint', () => printing(false));
  index = await island(0);
  if (index.kind === 'crash') startCrash();
  else readIndex();
  go();
}
start();
