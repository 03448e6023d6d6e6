/* When pages are there: `node bench/html.js PAGE...` prints, for each, the milliseconds from the start of navigation, the least of three. Of a page of
   cotree's that is when its script says so and it is painted, of another one when it is loaded and painted. */
'use strict';
const {chromium} = require(process.env.COTREE_NODE + '/playwright-core');
const PATIENCE = 60000;
(async () => {
  const chrome = await chromium.launch({executablePath: process.env.COTREE_CHROMIUM, chromiumSandbox: false,
      args: ['--disable-gpu']});
  const times = [];
  for (const url of process.argv.slice(2)) {
    let least = Infinity;
    for (let i = 0; i < 3; i++) {
      const page = await chrome.newPage({viewport: {width: 1400, height: 900}});
      const loaded = await page.goto('file://' + url,
          {waitUntil: 'load', timeout: PATIENCE}).catch(() => null);
      if (!loaded) break; /* what has not come by then is not tried again */
      const own = await page.evaluate(() => document.querySelector('meta[name=generator]')?.content === 'cotree');
      if (own) await page.waitForSelector('html[data-ready]');
      least = Math.min(least, await page.evaluate(async mine => {
        await new Promise(requestAnimationFrame);
        await new Promise(done => setTimeout(done));
        const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime || 0;
        return Math.max(paint, mine ? performance.getEntriesByName('ready')[0].startTime : performance.getEntriesByType('navigation')[0].loadEventStart);
      }, own));
      await page.close();
    }
    times.push(least === Infinity ? '>' + PATIENCE : Math.round(least));
  }
  console.log(times.join(' '));
  await chrome.close();
})();
