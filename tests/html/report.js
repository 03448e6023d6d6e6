'use strict';
const {run, shown, add, percent, readJson, readRows, at, assert} = require('./browser.js');
const here = process.argv[2];
const json = readJson(here + '/report.json');
const fileOf = end => json.files.find(f => f.file.endsWith(end));
const functionOf = name => json.functions.find(f => f.name === name);
const runsOf = f => add(f.blocks.map(b => b.count));
const texts = (page, selector) => page.locator(selector).allTextContents();
const marked = page => page.locator('.row.chosen').evaluateAll(rows => rows.map(r => Number(r.dataset.line)));
const unique = list => [...new Set(list)].sort((a, b) => a - b);

run(async ({open, expected}) => {
  /* Overview: the sums, the files, the functions are those of JSON. */
  let page = await open(here + '/report.html');
  assert.match(await page.title(), /^prog/);
  assert.equal(await page.locator('h1').textContent(), 'prog');
  assert.match(await page.locator('.exactness').textContent(), /Exact.*3 runs/);
  assert.match(await page.locator('#head .facts').textContent(),
      / · build [0-9a-f]{16} · counters: edges,paths$/);
  const lines = json.files.flatMap(f => f.lines), ran = lines.filter(l => l.count !== '0');
  assert.equal(await page.locator('[data-sum=Lines] span').textContent(),
      `${shown(ran.length)} of ${shown(lines.length)} ran`);
  assert.equal(await page.locator('[data-sum=Functions] span').textContent(),
      `${json.functions.filter(f => f.entries !== '0').length} of ${json.functions.length} ran`);
  const paths = json.functions.flatMap(f => f.paths),
      total = json.functions.reduce((sum, f) => sum + f.path_total, 0);
  assert.equal(await page.locator('[data-sum=Paths] span').textContent(), `${paths.length} of ${total} ran`);
  const all = add(json.functions.map(runsOf));
  const readTable = selector => page.locator(selector + ' tbody tr').evaluateAll(rows => rows.map(r => [...r.cells].map(c => c.textContent)));
  const byRuns = [...json.functions].sort((a, b) => Number(runsOf(b) - runsOf(a)));
  let rows = await readTable('#functions');
  assert.deepEqual(rows.map(r => r.slice(1, 4)),
      byRuns.map(f => [percent(runsOf(f), all), shown(runsOf(f)), shown(f.entries)]));
  rows.forEach((r, i) => assert.ok(r[0].startsWith(byRuns[i].name), r[0]));
  assert.deepEqual((await texts(page, '#never tbody a')), ['unused']);

  const weigh = p => Number(p.count) * p.blocks.length;
  const hottest = json.functions.flatMap(f => f.paths.map(p => [f.name, weigh(p), p]))
      .sort((a, b) => b[1] - a[1]);
  assert.deepEqual((await readTable('#all-paths')).map(r => [r[1], r[2]]),
    hottest.slice(0, 10).map(h => [percent(h[1], hottest.reduce((sum, x) => sum + x[1], 0)),
    shown(h[2].count)]));

  /* Sorted by entries, then the other way round; by the keyboard, too. */
  await page.locator('#functions th button', {hasText: 'Entries'}).click();
  rows = await readTable('#functions');
  const entries = json.functions.map(f => BigInt(f.entries)).sort((a, b) => (a > b ? -1 : 1)).map(shown);
  assert.deepEqual(rows.map(r => r[3]), entries);
  await page.locator('#functions th button', {hasText: 'Entries'}).press('Enter');
  assert.deepEqual((await readTable('#functions')).map(r => r[3]), entries.reverse());
  assert.equal(await page.locator('#functions th[aria-sort=ascending]').textContent(), 'Entries ↑');
  await page.locator('#panel-functions button', {hasText: 'Never ran'}).click();
  assert.deepEqual((await readTable('#functions')).map(r => r[3]), ['0']);

  /* The tree and its sums; a flat list; a filter. */
  rows = await readTable('#files');
  const sums = files => { const l = files.flatMap(f => f.lines); return [percent(l.filter(x => x.count !== '0').length, l.length), shown(l.filter(x => x.count !== '0').length), shown(l.length)]; };
  assert.deepEqual(rows.find(r => r[0].includes('deep/')).slice(1, 4),
      sums(json.files.filter(f => f.file.includes('/deep/'))));
  assert.equal(rows.length, json.files.length + 1);
  await page.getByRole('button', {name: 'Close deep'}).click();
  assert.equal((await readTable('#files')).length, json.files.length - 2);
  await page.getByRole('button', {name: 'Flat'}).click();
  for (const f of json.files) {
    const name = f.file.slice(f.file.indexOf('/src/') + 5);
    const row = (await readTable('#files')).find(r => r[0] === name);
    assert.deepEqual(row.slice(1, 4), sums([f]), name);
  }
  await page.keyboard.press('Escape');
  await page.locator('h1').click();
  await page.keyboard.press('/');
  await page.keyboard.type('CLASS');
  assert.deepEqual((await readTable('#files')).map(r => r[0]), ['deep/classify.c']);

  /* A file: every count is JSON's, every line is there. */
  await page.locator('#files a').click();
  await page.waitForSelector('.row');
  for (const [end, hash] of [['classify.c', null], ['main.c', '#main.c'], ['long.c', '#deep/long.c']]) {
    if (hash) await at(page, hash);
    const found = await readRows(page, '.ct', '.tx', '.mk'), file = fileOf(end);
    const source = require('node:fs').readFileSync(file.file, 'utf8').split('\n').slice(0, -1);
    assert.deepEqual(Object.keys(found).map(Number), source.map((_, i) => i + 1), end);
    source.forEach((text, i) => assert.equal(found[i + 1][1], text));
    const counts = Object.fromEntries(Object.entries(found).filter(([, r]) => r[0]).map(([l, r]) => [l,
        r[0]]));
    assert.deepEqual(counts, Object.fromEntries(file.lines.map(l => [l.line, shown(l.count)])), end);
    for (const l of file.lines) assert.equal(found[l.line][2] === '✗', l.count === '0', end + ':' + l.line);
  }
  assert.ok(await page.locator('.row').count() < 200, 'only what is on the screen is made');

  /* An anchor, by the end of a path; the link at a line is one. */
  await at(page, '#long.c:L3003');
  assert.equal(await page.locator('.row.target').getAttribute('data-line'), '3003');
  assert.ok(await page.locator('.row.target').isVisible());
  const box = await page.locator('.row.target').boundingBox();
  assert.ok(box.y > 80 && box.y < 880, 'on the screen');
  const fresh = await open(here + '/report.html', '#main.c:L16');
  assert.equal(await fresh.locator('.row.target .ln').getAttribute('href'), '#main.c:L16');

  /* Branches: what flows out of the blocks that end on the line. */
  const classify = functionOf('classify');
  const first = classify.blocks.find(b => b.lines.length && b.lines[b.lines.length - 1].line === 4 &&
      classify.edges.filter(e => e.from === b.id).length > 1);
  await at(page, '#deep/classify.c:L4');
  assert.equal(await page.locator('.row[data-line="4"] .br').textContent(),
      classify.edges.filter(e => e.from === first.id)
          .map((e, i) => (i ? 'F ' : 'T ') + shown(e.count)).join(' '));
  assert.equal(await page.locator('.row[data-line="7"] .mk').textContent(), '◐');

  /* Search; the next line that never ran; folding. */
  await at(page, '#deep/long.c');
  await page.locator('.code').focus();
  await page.keyboard.press('/');
  await page.keyboard.type('NEEDLE');
  await page.waitForSelector('mark');
  assert.equal(await page.locator('mark.now').textContent(), 'needle');
  assert.equal(await page.locator('.found').textContent(), '1 of 1');
  assert.equal(await page.locator('.row:has(mark)').getAttribute('data-line'), '3003');
  await page.keyboard.press('Escape');
  await at(page, '#main.c');
  await page.locator('.code').focus();
  const never = fileOf('main.c').lines.filter((l, i, list) => l.count === '0' &&
      (i === 0 || list[i - 1].count !== '0')).map(l => l.line);
  for (const line of [...never, never[0]]) {
    await page.keyboard.press('u');
    assert.equal(await page.locator('.row.target').getAttribute('data-line'), String(line));
  }
  await page.keyboard.press('f');
  assert.equal(await page.locator('.row[data-line="17"]').count(), 0, 'main is folded');
  assert.equal(await page.locator('.row[data-line="16"] .folded-note').count(), 1);
  await page.locator('.row[data-line="16"] .fold').click();
  assert.equal(await page.locator('.row[data-line="17"]').count(), 1);
  assert.equal(await page.locator('.row[data-line="10"]').count(), 0, 'the other one stays folded');
  await page.evaluate(() => { location.hash = '#main.c:L11'; });
  await page.waitForSelector('.row.target[data-line="11"]');

  /* A function: its graph has the blocks and edges of JSON, with their counts and counters. */
  await at(page, '#deep/classify.c');
  await page.locator('.graph-link').click();
  await page.waitForSelector('.box');
  assert.deepEqual(await texts(page, '.box .number'),
      classify.blocks.map(b => (b.count === '0' ? '✗ ' : '') + shown(b.count)));
  const titles = classify.edges.map(e => (e.from === null ? 'entry' : 'block ' + e.from) + ' → ' + (e.virtual ? 'stays' : e.to === null ? 'exit' : 'block ' + e.to) + ': ' + shown(e.count));
  assert.deepEqual((await page.locator('.edge').evaluateAll(list => list.map(e => e.parentNode.querySelector('title').textContent.replace(/, (counter \d+|paths are counted here)$/, '')))), titles);
  /* Paths are counted where they end: at edges that cut them, and at the end of the function. */
  const ends = classify.edges.filter(e => classify.paths_cut_at.includes(e.id) || e.kind === 'exit' &&
      !e.virtual);
  assert.equal(await page.locator('g:has(> title:text("paths are counted here")) .probe').count() + await page.locator('g:has(> title:text(", counter")) .probe').count(), await page.locator('.probe').count());
  assert.ok(await page.locator('.probe').count() >= ends.length && ends.length >= 2);
  /* A block shows its lines, a line its blocks. */
  const middle = classify.blocks.find(b => b.lines.some(l => l.line === 6));
  await page.locator(`.box[data-block="${middle.id}"]`).click();
  assert.deepEqual(await marked(page), unique(middle.lines.map(l => l.line)));
  await page.locator('.row[data-line="11"] .tx').click();
  assert.deepEqual(await page.locator('.box.chosen').evaluateAll(list => list.map(b => Number(b.dataset.block))),
    classify.blocks.filter(b => b.lines.some(l => l.line === 11)).map(b => b.id));
  /* Paths: all that ran, by what they make of the work; the chosen one is marked in source and graph. */
  const weight = weigh;
  const sorted = [...classify.paths].sort((a, b) => weight(b) - weight(a) || a.id - b.id);
  const work = sorted.reduce((sum, p) => sum + weight(p), 0);
  assert.deepEqual(await page.locator('#paths tbody tr').evaluateAll(list => list.map(r => [r.dataset.path,
      r.cells[1].textContent, r.cells[2].textContent])),
    sorted.map(p => [String(p.id), shown(p.count), percent(weight(p), work)]));
  let sum = 0;
  const half = sorted.findIndex(p => (sum += weight(p)) >= work / 2) + 1;
  assert.match(await page.locator('.paths .facts').textContent(),
      new RegExp(`^${sorted.length} paths of ${classify.path_total} ran; ${half}, \\d+, \\d+ of them make 50, 90, 99 %`));
  for (const p of [sorted[1], sorted[sorted.length - 1]]) {
    await page.locator(`#paths tr[data-path="${p.id}"]`).click();
    assert.deepEqual(await marked(page), unique(p.lines));
    assert.deepEqual(await page.locator('.box.chosen').evaluateAll(list => list.map(b => Number(b.dataset.block))), unique(p.blocks));
    assert.equal(new URL(page.url()).hash, '#deep/classify.c:f=classify:p=' + p.id);
  }
  /* n > 10000 never was: from line 7 to line 8 nothing went, on any path. */
  await page.locator(`#paths tr[data-path="${sorted.find(p => p.lines.includes(7)).id}"]`).click();
  assert.ok((await texts(page, '.neighbours li')).some(t => t === 'line 7 → line 8 (never taken at all)'),
      (await texts(page, '.neighbours li')).join());
  const again = await open(here + '/report.html', '#deep/classify.c:f=classify:p=' + sorted[1].id);
  await again.waitForSelector('.row.chosen');
  assert.deepEqual(await marked(again), unique(sorted[1].lines));

  /* By keys: the first path is next, the last one previous, when none is chosen; a function of which no path ran has neither. */
  for (const [key, ...places] of [['n', 0, 1], ['p', sorted.length - 1, sorted.length - 2]]) {
    await at(page, '#deep/classify.c');
    await at(page, '#deep/classify.c:f=classify');
    await page.waitForSelector('.box');
    for (const place of places) {
      await page.keyboard.press(key);
      assert.equal(await page.locator('#paths tr[aria-selected=true]').getAttribute('data-path'),
          String(sorted[place].id), key);
    }
  }
  await at(page, '#main.c:f=unused');
  await page.waitForSelector('.box');
  await page.keyboard.press('n');
  await page.keyboard.press('p');
  assert.equal(await page.locator('#paths tbody tr').count(), 0);

  /* Paths that did not end come behind the others, with the lines that had begun. */
  const left = readJson(here + '/cut.json'), other = await open(here + '/cut.html');
  const cut = left.functions.flatMap(f => f.paths.filter(p => !p.finished)),
      unknown = left.functions.flatMap(f => f.paths_unknown);
  assert.ok(cut.length, 'some path did not end');
  assert.match(await other.locator('#panel-paths .facts').textContent(),
      new RegExp(`✂ ${Number(add([...cut, ...unknown].map(p => p.count)))} executions? did not end`));
  for (const f of left.functions) {
    const ended = f.paths.filter(p => p.finished), not = f.paths.filter(p => !p.finished);
    await at(other, '#' + f.file.split('/').pop() + ':f=' + f.linkage_name);
    await other.waitForSelector('.box');
    const rows = await other.locator('#paths tbody tr').evaluateAll(list => list.map(r => [r.dataset.path ?? null, r.classList.contains('cut'), r.cells[1].textContent]));
    assert.deepEqual(rows.slice(ended.length), not.map(p => [null, true, shown(p.count)]), f.name);
    for (const [i, p] of not.entries()) {
      await other.locator('#paths tbody tr').nth(ended.length + i).click();
      assert.deepEqual(await marked(other), unique(p.lines), f.name);
      assert.deepEqual(await other.locator('.box.chosen').evaluateAll(list => list.map(b => Number(b.dataset.block))), unique(p.blocks));
      assert.match(await other.locator('#paths tbody tr').nth(ended.length + i).locator('td').first().textContent(), /^✂ .*→ left there$/);
      assert.equal(await other.locator('.edge.chosen').count(), p.blocks.length - 1 + (p.from_entry ? 1 : 0));
    }
  }

  /* The drawing is larger and smaller by keys and wheel, and moved by the mouse. */
  await at(page, '#deep/classify.c:f=classify');
  await page.waitForSelector('.box');
  const width = () => page.locator('.drawing svg').evaluate(svg => svg.getBoundingClientRect().width);
  const wide = await width();
  await page.keyboard.press('+');
  assert.ok(Math.abs(await width() / wide - 1.25) < 0.01);
  await page.keyboard.press('-');
  assert.ok(Math.abs(await width() / wide - 1) < 0.01);
  const place = await page.locator('.drawing').boundingBox(), block = page.locator('.box').first();
  await page.mouse.move(place.x + 60, place.y + 60);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await page.waitForFunction(was => document.querySelector('.drawing svg').getBoundingClientRect().width > 1.5 * was, wide);
  const before = await block.boundingBox();
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 2 - 30, place.y + place.height / 2 - 40, {steps: 4});
  await page.mouse.up();
  const after = await block.boundingBox();
  assert.deepEqual([Math.round(after.x - before.x), Math.round(after.y - before.y)], [-30, -40]);
  assert.equal(await page.locator('.box.chosen').count(), 0, 'moving chooses nothing');

  /* On a narrow screen: what an anchor names is on it, and so is a function's graph; nothing is cut off. */
  const narrow = await open(here + '/report.html', '#deep/long.c:L3003',
      {viewport: {width: 420, height: 800}});
  const onScreen = selector => narrow.locator(selector).first().evaluate(e => {
      const b = e.getBoundingClientRect();
      return b.top >= 0 && b.bottom <= innerHeight && b.height > 0 && b.left < innerWidth; });
  assert.ok(await onScreen('.row.target'), 'the line is on the screen');
  await at(narrow, '#deep/classify.c:f=classify');
  await narrow.waitForSelector('.box');
  assert.ok(await onScreen('.box') && await onScreen('.sidehead') &&
      await onScreen('.row'), 'graph and source are on the screen');
  for (const hash of ['', '#deep/classify.c', '#deep/classify.c:f=classify']) {
    await narrow.evaluate(h => { location.hash = h; }, hash);
    await narrow.waitForTimeout(50);
    assert.equal(await narrow.evaluate(() => document.documentElement.scrollWidth), 420);
  }

  /* Hostile names and sources are text. */
  const evil = json.files.find(f => f.file.includes('<img'));
  await at(page, '#' + encodeURIComponent('deep/' + evil.file.split('/').pop()).replace(/%2F/g, '/'));
  assert.match((await readRows(page, '.tx'))[4][0], /<img src=x onerror=window\.owned=1>$/);
  assert.equal(await page.locator('img, main script, svg[onload]').count(), 0);
  assert.equal(await page.locator('#trail').textContent(), 'Overview / deep/' + evil.file.split('/').pop());
  await page.locator('.graph-link').click();
  await page.waitForSelector('.box');
  assert.match(await page.locator('.sidehead h2').textContent(), /^<svg onload=window\.owned=1>/);
  /* What the policy is for: even a script that got into the page would not run. */
  await page.evaluate(() => {
      const s = document.createElement('script'); s.textContent = 'window.blocked = 1';
      document.addEventListener('securitypolicyviolation', () => { window.seen = 1; });
      document.body.append(s); });
  await page.waitForFunction(() => window.seen);
  assert.equal(await page.evaluate(() => window.blocked), undefined);
  expected(/^logs .*Content Security Policy/);
}).then(() => run(async ({open}) => {
  /* Dark and light: what the system asks for, then what the key says. */
  const ground = p => p.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await open(here + '/report.html'),
      dark = await open(here + '/report.html', '', {colorScheme: 'dark'});
  assert.equal(await ground(light), 'rgb(255, 255, 255)');
  assert.notEqual(await ground(dark), 'rgb(255, 255, 255)');
  await light.keyboard.press('t');
  assert.equal(await ground(light), await ground(dark));
  await light.keyboard.press('?');
  assert.ok(await light.locator('dialog[open]').isVisible());
  await light.keyboard.press('Escape');

  /* In print a file has all its lines. */
  const print = await open(here + '/report.html', '#deep/long.c');
  await print.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await print.locator('.row').count(), 3004);
  await print.emulateMedia({media: 'print', colorScheme: 'dark'});
  assert.ok((await print.locator('.row').first().boundingBox()).y < 150,
      'the first line is on the first page');
  assert.equal(await ground(print), 'rgb(255, 255, 255)');
  await print.evaluate(() => dispatchEvent(new Event('afterprint')));

  /* Without sources: the lines that have counts, by number. Missing ones are named. */
  const file = fileOf('main.c');
  for (const [name, note] of [['bare', /--no-source/],
      ['missing', /Source not found.*\/elsewhere\/main\.c/]]) {
    const page = await open(here + '/' + name + '.html', '#main.c');
    assert.match(await page.locator('#file .note').textContent(), note);
    assert.deepEqual(Object.entries(await readRows(page, '.ct')).map(([l, r]) => [Number(l), r[0]]),
        file.lines.map(l => [l.line, shown(l.count)]));
  }
  assert.match(await (await open(here + '/missing.html')).locator('#missing').textContent(),
      /4 sources not found.*elsewhere/);

  /* Absolute and relative paths together: both are named in full. */
  const mixed = await open(here + '/mixed.html');
  await mixed.getByRole('button', {name: 'Flat'}).click();
  const mixedNames = await mixed.locator('#files tbody a').allTextContents();
  assert.ok(mixedNames.includes('src/main.c') &&
      mixedNames.includes(fileOf('classify.c').file), mixedNames.join());
  for (const [hash, end] of [['#src/main.c', 'main.c'],
      ['#' + encodeURIComponent(fileOf('classify.c').file).replace(/%2F/g, '/'), 'classify.c']]) {
    await at(mixed, hash);
    const counts = Object.entries(await readRows(mixed,
        '.ct')).filter(([, r]) => r[0]).map(([l, r]) => [Number(l), r[0]]);
    assert.deepEqual(counts, fileOf(end).lines.map(l => [l.line, shown(l.count)]), end);
  }

  /* A hostile program name. */
  const named = await open(here + '/named.html');
  assert.equal(await named.locator('h1').textContent(), '<script>window.owned=1<&');
  assert.match(await named.title(), /^<script>window\.owned=1<& /);
  assert.equal(await named.locator('main img, h1 *').count(), 0);

  /* Counts beyond 2^53 to the last digit; what is not exact, and why. */
  const made = readJson(here + '/made.json');
  const page = await open(here + '/made.html', '#shapes.c');
  const counts = Object.entries(await readRows(page, '.ct')).map(([l, r]) => [Number(l), r[0]]);
  assert.deepEqual(counts, made.files.find(f => f.file.endsWith('shapes.c')).lines.map(l => [l.line,
      (l.exact || l.count === null ? '' : '~') + shown(l.count)]));
  const area = made.functions.find(f => f.name.includes('area'));
  await at(page, '#shapes.c:f=' + area.linkage_name);
  assert.deepEqual(await texts(page, '.box .number'), area.blocks.map(b => shown(b.count)));
  assert.ok((await texts(page, '.box .number')).includes('9,223,372,036,854,775,807'));
  await at(page, '#');
  assert.match(await page.locator('.exactness').textContent(), /Not exact.*2 runs/);
  const notes = (await page.locator('#head .note').allTextContents()).join('\n');
  for (const f of made.functions.filter(x => !x.exact)) assert.ok(notes.includes(f.why), f.why);
}));
