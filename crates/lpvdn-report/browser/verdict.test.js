// Whether there are clusters at all stands first, and clusters that are not found again are named in words.
import assert from 'node:assert/strict';
import { startBrowser } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const table = PAGES.table();
const { verdict } = table.manifest;

browser.test('the verdict stands first, its figures in smaller letters', table, async (page) => {
  const first = page.locator('#panel-overview > * >> nth=0');
  assert.equal(await first.innerText(), `Verdict: ${verdict.sentence}\n\n${verdict.figures}`);
  const size = (selector) => page.$eval(selector, (element) => parseFloat(getComputedStyle(element).fontSize));
  assert.ok(await size('.verdict .small') < await size('.verdict p'));
});

browser.test('a cluster that is not found again is marked by a word, wherever clusters are listed', table, async (page) => {
  const marked = (selector) => page.$$eval(selector, (lines) => lines.map((line) => line.querySelector('.mark')?.textContent ?? ''));
  const wanted = table.manifest.clusters.map((_, index) => (index === 1 ? 'unstable' : ''));
  assert.deepEqual(await marked('#panel-overview .bars li'), wanted);
  await page.click('#tab-clusters');
  assert.deepEqual(await marked('.cluster-card'), wanted);
  assert.match(await page.innerText('.cluster-card[data-cluster="1"] .small-facts'), /stability 0\.3120/);
  await page.selectOption('#panel-clusters select', 'stability');
  assert.equal(await page.getAttribute('.cluster-card >> nth=0', 'data-cluster'), '1');
});

const clear = PAGES.solid();
clear.manifest.verdict = { structure: 'clear', sentence: 'clear structure: every cluster is found again in refits', figures: verdict.figures,
  clusters: clear.manifest.clusters.map((_, index) => (index === 2 ? null : 0.97)), unstable: [] };
browser.test('clear structure is no warning, and a stability that is not known is left out', clear, async (page) => {
  assert.equal(await page.locator('.verdict').count(), 1);
  assert.equal(await page.locator('.verdict.warning, .mark').count(), 0);
  await page.click('#tab-clusters');
  assert.match(await page.innerText('.cluster-card[data-cluster="0"] .small-facts'), /stability 0\.9700/);
  assert.doesNotMatch(await page.innerText('.cluster-card[data-cluster="2"] .small-facts'), /stability/);
});

const unjudged = PAGES.solid();
unjudged.manifest.verdict = { structure: 'not-judged', sentence: 'not judged: there is a single cluster', figures: null, clusters: [], unstable: [] };
browser.test('what was not judged has a sentence and no figures', unjudged, async (page) => {
  assert.equal(await page.innerText('.verdict'), 'Verdict: not judged: there is a single cluster');
});

const old = PAGES.solid();
delete old.manifest.verdict;
browser.test('without a verdict nothing is said of one', old, async (page) => {
  assert.equal(await page.locator('.verdict, .mark').count(), 0);
  await page.click('#tab-clusters');
  assert.doesNotMatch(await page.innerText('#panel-clusters'), /stab/i);
});
