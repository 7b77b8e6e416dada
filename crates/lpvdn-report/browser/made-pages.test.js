// Pages that the program made: those in the folder LPVDN_PAGES, and the one that is served at LPVDN_SERVED.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DESK, PHONE, addressOf } from './chromium.js';
import { TABS, freeRow, screen, searchFor, startBrowser, state } from './helper.js';
import { assertInert, tryEverything } from './inert.js';

const browser = startBrowser();
const { LPVDN_PAGES: folder, LPVDN_SERVED: served } = process.env;

const blobCount = (page) => page.evaluate(() => document.querySelectorAll('script[type="application/octet-stream"]').length);

/** The same for every page, whatever it shows. */
async function use(page) {
  const blobs = await blobCount(page);
  await tryEverything(page);
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    const text = await page.innerText(`#panel-${tab}`);
    assert.ok(text.trim().length > 0, tab);
    assert.doesNotMatch(text, /\[object|undefined|NaN/, tab);
  }
  const number = await page.evaluate(() => lpvdn.data.rowNumber(lpvdn.data.rows - 1));
  await searchFor(page, String(number));
  await page.keyboard.press('Enter');
  assert.equal(await state(page, 'pinned'), await page.evaluate(() => lpvdn.data.rows - 1));
  await page.waitForSelector('#neighbours .card');
  await assertInert(page, blobs);
}

async function useOnPhone(page) {
  const row = await freeRow(page);
  const { x, y } = await screen(page, row);
  await page.touchscreen.tap(x, y);
  await page.waitForSelector('#neighbours .card');
  assert.equal(await state(page, 'pinned'), row);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
}

for (const name of ['digits', 'texts', 'table', 'hostile']) {
  const place = folder ? addressOf(join(folder, `${name}.html`)) : '';
  const skip = !folder ? 'LPVDN_PAGES names no folder' : !existsSync(join(folder, `${name}.html`)) && `there is no ${name}.html in it`;
  const own = (url) => url === place || /^(data|blob):/.test(url);
  test(`${name}.html works, asks for nothing, and stays inert`, { skip }, () => browser.onPage(place, own, use, DESK));
  test(`${name}.html works on a phone`, { skip }, () => browser.onPage(place, own, useOnPhone, PHONE));
}

test('the served page works and asks only its server', { skip: !served && 'LPVDN_SERVED names no address' }, () => (
  browser.onPage(served, (url) => url.startsWith(new URL('.', served).href), use, DESK)));
