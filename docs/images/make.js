/* Makes the pictures beside it from a page that `cotree report --format=html` wrote of a program with paths:
 *
 *     COTREE_NODE=build/node COTREE_CHROMIUM=$(command -v chromium) node docs/images/make.js PAGE FILE FUNCTION
 *
 * html-overview.png is the first screen; html-function.png is FUNCTION of FILE with its hottest path chosen.
 * (tests/html/browser.sh fetches what COTREE_NODE holds.) The page of docs/guide.md was taken:
 * lib/diffseq.h, diag. */
'use strict';
const {chromium} = require(process.env.COTREE_NODE + '/playwright-core');
(async () => {
  const [page, file, name] = process.argv.slice(2);
  const chrome = await chromium.launch({executablePath: process.env.COTREE_CHROMIUM, chromiumSandbox: false, args: ['--disable-gpu', '--hide-scrollbars']});
  const shot = async (hash, height, target, prepare) => {
    const tab = await chrome.newPage({viewport: {width: 1440, height}});
    await tab.goto('file://' + page + hash);
    await tab.waitForSelector('html[data-ready]');
    if (prepare) await prepare(tab);
    await tab.waitForTimeout(500);
    await tab.screenshot({path: __dirname + '/' + target});
    await tab.close();
  };
  await shot('', 760, 'html-overview.png');
  await shot(`#${file}:f=${name}`, 860, 'html-function.png', async tab => {
    await tab.locator('tr', {has: tab.locator('td', {hasText: '→'})}).first().click();
  });
  await chrome.close();
})();
