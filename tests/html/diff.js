'use strict';
const {run, shown, readJson, readRows, at, assert} = require('./browser.js');
const here = process.argv[2];
const json = readJson(here + '/diff.json');

run(async ({open}) => {
  const page = await open(here + '/diff.html');
  const readTable = selector => page.locator(selector + ' tbody tr').evaluateAll(rows => rows.map(r => [...r.cells].map(c => c.textContent)));
  assert.equal(await page.locator('.exactness').count(), 2);
  assert.equal(await page.locator('[data-sum=Functions] span').textContent(),
      `${json.functions_differing} of ${json.functions.length} differ`);
  assert.equal(await page.locator('[data-sum=Lines] span').textContent(),
      `${json.lines_differing} of ${json.lines.length} differ`);
  assert.equal(await page.locator('[data-sum="Block runs"] b').textContent(), shown(json.new_block_runs));

  /* All that differ, and each kind of difference. */
  const differing = json.functions.filter(f => f.old.block_runs !== f.new.block_runs);
  const rows = await readTable('#functions');
  assert.deepEqual(rows.map(r => r.slice(0, 3)).sort(),
      differing.map(f => [f.name, shown(f.old.block_runs), shown(f.new.block_runs)]).sort());
  assert.ok(!rows.some(r => r[0] === 'same'));
  for (const [button, name, change] of [['More', 'more', '+800.0%'], ['Less', 'less', '-88.9%'],
      ['Newly', 'newly', 'new'], ['No longer', 'gone', 'gone']]) {
    await page.locator('#panel-functions button', {hasText: new RegExp('^' + button + ' \\d')}).click();
    const row = (await readTable('#functions')).find(r => r[0] === name);
    assert.equal(row && row[4], change, button);
  }
  assert.deepEqual((await readTable('#functions')).map(r => r[0]), ['gone']);

  /* Lines, with their text, and the source with both counts. */
  await page.waitForFunction(() => /return n \* 2/.test(document.querySelector('#lines').textContent));
  const lines = json.lines.filter(l => l.old.count !== l.new.count);
  assert.deepEqual((await readTable('#lines')).map(r => [Number(/:(\d+)/.exec(r[0])[1]), r[1], r[2]])
      .sort((a, b) => a[0] - b[0]),
    lines.map(l => [l.new.line, shown(l.old.count), shown(l.new.count)]).sort((a, b) => a[0] - b[0]));
  await at(page, '#prog.c:L2');
  const found = await readRows(page, '.ct.old', '.ct:not(.old)', '.mk');
  for (const l of json.lines) {
    assert.deepEqual(found[l.new.line].slice(0, 2), [shown(l.old.count), shown(l.new.count)]);
    const mark = Number(l.new.count) > Number(l.old.count) ? '+' : Number(l.new.count) < Number(l.old.count) ? '−' : Number(l.new.count) ? '' : '✗';
    assert.equal(found[l.new.line][2], mark, String(l.new.line));
  }

  /* From one line that differs to the next. */
  const differ = json.lines.filter(l => l.old.count !== l.new.count).map(l => l.new.line)
      .sort((a, b) => a - b);
  const visited = [];
  for (let i = 0; i < differ.length; i++) {
    await page.keyboard.press('u');
    visited.push(Number(/:L(\d+)$/.exec(page.url())[1]));
  }
  assert.ok(new Set(visited).size > 1 && visited.every(line => differ.includes(line)), visited.join());

  /* Paths. */
  assert.equal(await page.locator('#panel-paths').count(), 0);
  const cut = readJson(here + '/cut.json'), cutPage = await open(here + '/cut.html');
  assert.ok(cut.paths.filter(p => !p.finished).length === 2 &&
      cut.paths.some(p => p.finished), 'main was left by two ways');
  assert.equal(await cutPage.locator('[data-sum=Paths] b').textContent(), String(cut.paths_differing));
  const pathRows = await cutPage.locator('#paths tbody tr').evaluateAll(list => list.map(r => [r.cells[0].title, r.cells[1].textContent, r.cells[2].textContent]));
  assert.deepEqual(pathRows.sort(),
      cut.paths.map(p => [p.name + (p.finished ? '#' + p.id : ', unfinished') + ': lines ' + p.lines.join(' '), shown(p.old), shown(p.new)]).sort());
  const report = readJson(here + '/cut-report.json'), reportPage = await open(here + '/cut-report.html'),
      main = report.functions.find(f => f.name === 'main');
  await reportPage.locator('#functions a', {hasText: /^main$/}).first().click();
  await reportPage.waitForSelector('#paths tbody tr');
  const listed = await reportPage.locator('#paths tbody tr').evaluateAll(list => list.map(r => [/^unfinished: .* left there$/.test(r.cells[0].title), r.cells[1].textContent, r.cells[3].textContent]));
  assert.deepEqual(listed.filter(r => r[0]),
      main.paths.filter(p => !p.finished).map(p => [true, shown(p.count), String(p.blocks.length)]));
  assert.equal(listed.filter(r => !r[0]).length, main.paths.filter(p => p.finished).length);
  await reportPage.locator('#paths tbody tr').last().click();
  assert.match(await reportPage.locator('.neighbours').textContent(), /did not end/);

  /* Not counted on one side: neither new nor gone, more nor less. */
  for (const name of ['appears', 'vanishes']) {
    const two = readJson(here + '/' + name + '.json'), level = two.functions.find(f => f.name === 'level');
    assert.ok((level.old.block_runs === null) !== (level.new.block_runs === null), 'one side is not known');
    const other = await open(here + '/' + name + '.html');
    const names = () => other.locator('#functions tbody td:first-child a').allTextContents();
    assert.ok((await names()).includes('level'));
    const cells = await other.locator('#functions tbody tr',
        {has: other.locator('a', {hasText: /^level$/})}).locator('td').evaluateAll(list => list.map(c => [c.textContent, c.className]));
    assert.deepEqual(cells.slice(1, 5),
        [[shown(level.old.block_runs), ''], [shown(level.new.block_runs), ''], ['?', ''], ['?', 'quiet']]);
    for (const button of ['More', 'Less', 'Newly', 'No longer']) {
      await other.locator('#panel-functions button', {hasText: new RegExp('^' + button + ' \\d')}).click();
      assert.ok(!(await names()).includes('level'), name + ': ' + button);
    }
    assert.ok(!two.lines.some(l => l.new.line <= 4),
        'lines of a function that is not counted are not compared');
    await at(other, '#early.c');
    assert.deepEqual((await readRows(other, '.ct.old', '.ct:not(.old)', '.mk'))[3], ['', '', '']);
  }
});
