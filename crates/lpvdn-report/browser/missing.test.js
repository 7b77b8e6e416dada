// Pages that lack what may be missing.
import assert from 'node:assert/strict';
import { TABS, startBrowser } from './helper.js';
import { PAGES } from './synthetic/index.js';
import { pictures } from './synthetic/pictures.js';

const browser = startBrowser();
const bare = PAGES.bare();

browser.test('without metrics, log, facts, labels, columns', bare, async (page) => {
  assert.deepEqual(await page.$$eval('#color-by option', (options) => options.map((option) => option.value)), ['cluster', 'confidence', 'margin', 'outlier']);
  assert.match(await page.innerText('#panel-overview'), /1 row without a place/);
  await page.click('#tab-quality');
  const quality = await page.innerText('#panel-quality');
  assert.match(quality, /No metrics/);
  assert.doesNotMatch(quality, /true labels|Stability|NaN|undefined|null/);
  await page.click('#tab-training');
  assert.match(await page.innerText('#panel-training'), /no log/);
  await page.click('#tab-clusters');
  await page.locator('.cluster-card >> nth=3').scrollIntoViewIfNeeded();
  await page.waitForSelector('text=No row fell into this cluster.');
});

browser.test('a row without a place can still be found and kept', bare, async (page) => {
  await page.fill('#search', '0');
  await page.press('#search', 'Enter');
  await page.waitForSelector('#neighbours .card');
  assert.match(await page.innerText('#panel-row h2'), /^Row 0$/);
});

browser.test('a single row has no neighbours', PAGES.single(), async (page) => {
  await page.fill('#search', '0');
  await page.press('#search', 'Enter');
  await page.waitForSelector('text=No others.');
});

const unlabelled = pictures({ count: 200, labelled: false });
Object.assign(unlabelled.manifest, { stability: null, training: { epochs: unlabelled.manifest.training.epochs.slice(0, 1), evaluations: [] } });
browser.test('pictures without labels, with a single epoch', unlabelled, async (page) => {
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    assert.doesNotMatch(await page.innerText(`#panel-${tab}`), /NaN|undefined|null/, tab);
  }
});
