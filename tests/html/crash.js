/* The page of a core: crash.test.sh. */
'use strict';
const assert = require('node:assert/strict');
const {run} = require('./browser.js');
const directory = process.argv[2];
const read = name => JSON.parse(require('node:fs').readFileSync(directory + '/' + name + '.json', 'utf8'));

/* What the page shows of the chosen frame. */
const shownFrame = page => page.evaluate(() => {
  const rows = {}, all = selector => [...document.querySelectorAll(selector)];
  for (const row of all('.crash-source .row'))
    rows[row.dataset.line] = [...row.classList].filter(c => ['no', 'certain', 'here'].includes(c)).join(' ');
  const ways = kind => all('.edge.' + kind)
    .map(e => e.closest('g').querySelector('title').textContent).sort();
  return {name: document.querySelector('#activation h2').textContent, rows, way: ways('way'),
    round: ways('round'),
    blocks: all('.box').map(b => [Number(b.dataset.block), b.getAttribute('class')]),
    parts: all('.history p').map(p => p.textContent)};
});

/* The steps of the parts of a kind, as titles of edges: none after a gap, or out of a loop that was left. */
function steps(frame, isRound) {
  const found = new Set();
  for (const part of frame.history) {
    if (Boolean(part.region) !== isRound) continue;
    part.blocks.forEach((stop, i) => {
      const before = part.blocks[i - 1];
      if (stop.gap || (before && before.loop) || (!before && part.region)) return;
      found.add((before ? 'block ' + before.block : 'entry') + ' → block ' + stop.block);
    });
  }
  return [...found].sort();
}

async function checkFrame(page, frame) {
  const seen = await shownFrame(page), file = frame.file;
  assert.equal(seen.name, frame.function);
  const own = list => list.filter(l => l.file === file).map(l => l.line);
  const no = own(frame.active.ruled_out), certain = own(frame.active.certain);
  for (const [line, classes] of Object.entries(seen.rows)) {
    const here = Number(line) === frame.line;
    const wanted = [here ? 'here' : '', no.includes(Number(line)) ? 'no' : '',
      certain.includes(Number(line)) ? 'certain' : ''].filter(x => x).join(' ');
    assert.equal(classes, wanted, frame.function + ' line ' + line);
  }
  for (const line of [...no, ...certain]) assert.ok(line in seen.rows, 'line ' + line + ' is not shown');
  const both = steps(frame, false).filter(e => steps(frame, true).includes(e));
  assert.deepEqual(both, []);
  assert.deepEqual(seen.way, steps(frame, false));
  assert.deepEqual(seen.round, steps(frame, true));
  assert.ok(seen.blocks.length);
  for (const [block, classes] of seen.blocks) {
    const ran = frame.active.ruled_out_blocks.includes(block) ? 'no' :
      frame.active.certain_blocks.includes(block) ? 'certain' : 'maybe';
    assert.deepEqual(classes.split(' ').sort(),
      ['box', ran, ...block === frame.block ? ['here'] : []].sort(), 'block ' + block);
  }
  assert.equal(seen.parts.length, frame.history.length);
}

const rowsOf = page => page.$$eval('#stack .frame',
  rows => rows.map(r => [r.dataset.frame, r.querySelector('.f').textContent.replace(/ inlined$/, '')]));

run(async browser => {
  const few = read('few'), frames = few.threads[0].frames;
  const page = await browser.open(directory + '/few.html');
  assert.equal(await page.textContent('h1'), few.cause);
  assert.match(await page.textContent('#head .facts'), /in walk at .*list\.c:26$/);
  assert.deepEqual(await rowsOf(page), frames.map((f, i) => ['1.' + i, f.function || '?']));
  /* The first frame of which something is known is shown, then each that is chosen. */
  const known = frames.map((f, i) => [f, i]).filter(([f]) => f.key);
  assert.ok(known.length >= 6);
  await checkFrame(page, known[0][0]);
  assert.ok(known.some(([f]) => f.history.length > 1 && steps(f, true).length), 'no frame in a loop');
  for (const [frame, number] of known) {
    await page.click('[data-frame="1.' + number + '"]');
    await page.waitForSelector('html[data-ready="#1.' + number + '"]');
    await checkFrame(page, frame);
    assert.equal(await page.getAttribute('[data-frame="1.' + number + '"]', 'aria-current'), 'true');
  }
  /* Only one part of a history; a line of it. */
  const [, inLoop] = known.find(([f]) => f.history.length > 1);
  await page.click('[data-frame="1.' + inLoop + '"]');
  await page.waitForSelector('html[data-ready="#1.' + inLoop + '"]');
  await page.click('.history .round .part');
  assert.deepEqual((await shownFrame(page)).way, []);
  assert.deepEqual((await shownFrame(page)).round, steps(frames[inLoop], true));
  await page.click('.history .round .part');
  await checkFrame(page, frames[inLoop]);
  await page.click('.history [data-line="21"] >> nth=0');
  assert.equal(await page.getAttribute('.row.chosen', 'data-line'), '21');
  assert.ok(await page.$('.box.chosen'));
  /* Keys: the caller and back; frames that nothing is known of. */
  await page.keyboard.press('j');
  await page.waitForSelector('html[data-ready="#1.' + (inLoop + 1) + '"]');
  await page.keyboard.press('k');
  await page.waitForSelector('html[data-ready="#1.' + inLoop + '"]');
  const unknown = frames.findIndex(f => !f.key);
  await page.click('[data-frame="1.' + unknown + '"]');
  await page.waitForSelector('html[data-ready="#1.' + unknown + '"]');
  assert.equal(await page.textContent('#activation h2'), frames[unknown].function);
  assert.ok(!await page.$('#activation .drawing'));
  /* An address names a frame. */
  const [last, place] = known[known.length - 1];
  await checkFrame(await browser.open(directory + '/few.html', '#1.' + place, {colorScheme: 'dark'}), last);
  /* A deep stack is folded, and numbers stay. */
  const deep = read('deep').threads[0].frames, deepPage = await browser.open(directory + '/deep.html');
  const rows = await rowsOf(deepPage);
  assert.ok(rows.length < deep.length && rows.length > 30);
  for (const [frame, name] of rows) assert.equal(name, deep[Number(frame.split('.')[1])].function || '?');
  assert.match(await deepPage.textContent('#stack .none'),
    new RegExp('^' + (deep.length - rows.length) + ' frames are not in this page'));
  /* Sources that are missing, or newer. */
  const missing = await browser.open(directory + '/missing.html');
  assert.match(await missing.textContent('.codepane .note'), /The source is not here: .*list\.c/);
  assert.ok((await missing.$$('.box')).length);
  const newer = await browser.open(directory + '/newer.html');
  assert.match(await newer.textContent('#activation > .note'), /newer than the program/);
});
