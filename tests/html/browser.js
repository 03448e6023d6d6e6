/* Headless Chromium for the tests. A page that asks for anything but itself, logs an error or opens a dialog fails its test. */
'use strict';
const assert = require('node:assert/strict');
const {chromium} = require(process.env.COTREE_NODE + '/playwright-core');

/* run(async browser => ...) where browser.open(FILE, HASH, OPTIONS) gives a page of playwright's that is ready. */
exports.run = async work => {
  const chrome = await chromium.launch({executablePath: process.env.COTREE_CHROMIUM, chromiumSandbox: false,
      args: ['--disable-gpu']});
  let trouble = [];
  const pages = [];
  const open = async (file, hash = '', options = {}) => {
    const page = await chrome.newPage({viewport: {width: 1400, height: 900}, colorScheme: 'light',
        ...options});
    const url = 'file://' + encodeURI(file);
    page.on('request', request => {
        if (request.url().split('#')[0] !== url &&
            request.url() !== 'data:,') trouble.push('asks for ' + request.url()); });
    page.on('console', message => {
        if (['error', 'warning'].includes(message.type())) trouble.push('logs ' + message.text()); });
    page.on('pageerror', error => trouble.push('throws ' + error.stack));
    page.on('dialog', dialog => { trouble.push('a dialog: ' + dialog.message()); dialog.dismiss(); });
    await page.goto(url + hash);
    await page.waitForSelector('html[data-ready]', {timeout: 20000});
    pages.push(page);
    return page;
  };
  try {
    await work({open, expected: pattern => {
        const left = trouble.filter(t => !pattern.test(t));
        assert.notEqual(left.length, trouble.length, "no " + pattern); trouble = left; }});
    for (const page of pages) assert.equal(await page.evaluate(() => window.owned), undefined,
        'a script from a file ran');
    assert.deepEqual(trouble, []);
  } catch (error) {
    console.log(error.stack);
    if (trouble.length) console.log(trouble.join('\n'));
    if (pages.length) await pages[pages.length - 1].screenshot({path: 'failed.png'}).catch(() => {});
    process.exitCode = 1;
  } finally {
    await chrome.close();
  }
};

/* A count as people read it; null: not known. Counts of JSON are text here: numbers of JavaScript are not exact beyond 2^53. */
exports.shown = count => count === null ? '?' : BigInt(count).toLocaleString('en-US');
exports.add = counts => counts.reduce((sum, c) => sum === null || c === null ? null : sum + BigInt(c), 0n);
exports.percent = (part, whole) => {
  const value = 100 * Number(part) / Number(whole);
  return part >= whole ? '100%' : Number(part) === 0 ? '0%' : value > 99.9 ? '>99.9%' : value < 0.1 ? '<0.1%' : value.toFixed(1) + '%';
};
/* JSON with counts as text. */
exports.readJson = file => JSON.parse(require('node:fs').readFileSync(file,
    'utf8').replace(/"(count|entries|block_runs|max_error)":(\d+)/g, '"$1":"$2"'));

/* What the source view shows, line by line: {line: [text of each named cell]}, by scrolling through all of it. */
exports.readRows = (page, ...cells) => page.evaluate(async names => {
  const rows = {}, code = document.querySelector('.code');
  for (let top = 0; ; top += code.clientHeight) {
    code.scrollTop = top;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    for (const row of document.querySelectorAll('.row')) rows[row.dataset.line] = names.map(name => row.querySelector(name)?.textContent ?? null);
    if (top + code.clientHeight >= code.scrollHeight) break;
  }
  code.scrollTop = 0;
  return rows;
}, cells);
exports.at = async (page, hash) => {
  await page.evaluate(h => { location.hash = h; }, hash);
  await page.waitForFunction(h => document.documentElement.dataset.ready === h, hash);
};
exports.assert = assert;
