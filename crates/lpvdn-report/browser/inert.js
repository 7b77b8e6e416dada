// Checks that no string of the data has become a part of the page that acts.
import assert from 'node:assert/strict';
import { TABS, clickRow, freeRow, hoverRow, searchFor } from './helper.js';

/** What could act, as found in the page of the moment. */
function acting() {
  const all = [...document.querySelectorAll('*')];
  return {
    pwned: window.pwned,
    scripts: document.scripts.length,
    foreign: all.filter((element) => element.matches('img, iframe, object, embed, link, base, form, video, audio, a[href], [src], use, animate, foreignObject'))
      .map((element) => element.outerHTML.slice(0, 200)),
    handlers: all.flatMap((element) => [...element.attributes].filter(({ name }) => /^on/i.test(name)).map(({ name }) => `${element.tagName} ${name}`)),
  };
}

/** Beside the blobs a page has two scripts: the manifest and its own. */
export async function assertInert(page, blobs) {
  assert.deepEqual(await page.evaluate(acting), { pwned: undefined, scripts: blobs + 2, foreign: [], handlers: [] });
}

async function openTabs(page) {
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    await page.$eval(`#panel-${tab}`, async (panel) => {
      for (let at = 0; at < Math.min(panel.scrollHeight, 20000); at += 1500) {
        panel.scrollTop = at;
        await new Promise((resolve) => { setTimeout(resolve, 15); });
      }
      panel.scrollTop = 0;
    });
  }
}

/** Uses all there is: rows, clusters, colours, search, tabs. */
export async function tryEverything(page) {
  const row = await freeRow(page);
  await hoverRow(page, row);
  await page.waitForSelector('#hover:not([hidden])');
  await clickRow(page, row);
  await page.waitForSelector('#neighbours .card');
  await page.click('#neighbours .card');
  await page.click('#tab-overview');
  await page.click('#panel-overview .bar-line >> nth=0');
  await searchFor(page, 'e');
  await page.keyboard.press('Escape');
  const choices = await page.$$eval('#color-by option', (options) => options.map((option) => option.value));
  for (const choice of choices.slice(0, 8)) await page.selectOption('#color-by', choice);
  await page.selectOption('#color-by', 'cluster');
  await page.hover('.legend-list li >> nth=0');
  await openTabs(page);
  await page.keyboard.press('?');
  await page.keyboard.press('Escape');
}
