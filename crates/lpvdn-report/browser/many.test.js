// A hundred thousand rows: that it works; how fast is measured by bench.js.
import assert from 'node:assert/strict';
import { clickRow, drag, freeRow, hoverRow, searchFor, startBrowser, state, still } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const made = PAGES.many();

browser.test('100,000 rows can be moved, pointed at, kept, found and selected', made, async (page) => {
  const drawn = () => page.evaluate(() => lpvdn.debug.frames.count);
  const before = await drawn();
  await drag(page, [{ x: 500, y: 400 }, { x: 520, y: 400 }, { x: 540, y: 420 }, { x: 500, y: 400 }]);
  await still(page);
  assert.ok(await drawn() > before);
  const row = await freeRow(page, 10);
  await hoverRow(page, row);
  await page.waitForSelector('#hover:not([hidden])');
  await clickRow(page, row);
  await page.waitForSelector('#neighbours .card');
  assert.equal(await page.locator('#neighbours .card').count(), 10);
  await searchFor(page, '99,999');
  await page.keyboard.press('Enter');
  assert.equal(await state(page, 'pinned'), 99999);
  await page.keyboard.press('Escape');
  await page.click('#tab-overview');
  await page.click('#panel-overview .bar-line >> nth=0');
  const size = made.manifest.clusters[0].size;
  assert.equal(await page.innerText('#selection-count'), `${size.toLocaleString('en-US')} rows selected`);
});
