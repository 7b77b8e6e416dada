// Clusters get the names that people give them.
import assert from 'node:assert/strict';
import { download, startBrowser } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const made = PAGES.pictures();
const NAME = '=zeros, "round"';

async function rename(page, cluster, name) {
  await page.click('#tab-clusters');
  await page.fill(`.name-input[data-cluster="${cluster}"]`, name);
  await page.press(`.name-input[data-cluster="${cluster}"]`, 'Enter');
}

const inLegend = (page, cluster) => page.innerText(`.legend-list li >> nth=${cluster} >> .data`);

browser.test('a new name shows everywhere and lasts', made, async (page) => {
  await rename(page, 0, NAME);
  assert.equal(await inLegend(page, 0), NAME);
  await page.click('#tab-overview');
  assert.equal(await page.innerText('#panel-overview .bar-name >> nth=0'), NAME);
  await page.reload();
  await page.waitForSelector('body[data-ready="true"]');
  assert.equal(await inLegend(page, 0), NAME);
  await rename(page, 0, '  ');
  assert.equal(await inLegend(page, 0), '0');
  await page.reload();
  await page.waitForSelector('body[data-ready="true"]');
  assert.equal(await inLegend(page, 0), '0');
});

browser.test('names are saved as JSON and CSV, and reset', made, async (page) => {
  await rename(page, 0, NAME);
  const json = await download(page, '#names-json');
  assert.equal(json.name, 'handwritten-digits-cluster-names.json');
  const saved = JSON.parse(json.text);
  assert.equal(saved.title, made.manifest.title);
  assert.deepEqual(saved.names.map(({ name }) => name), [NAME, '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  const csv = await download(page, '#names-csv');
  assert.equal(csv.text.split('\r\n')[1], `0,"'=zeros, ""round""",0,${made.manifest.clusters[0].size}`);
  await page.click('#names-reset');
  assert.equal(await inLegend(page, 0), '0');
  assert.equal(await page.inputValue('.name-input[data-cluster="0"]'), '0');
});
