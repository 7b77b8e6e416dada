// Finding rows by number, id and words.
import assert from 'node:assert/strict';
import { searchFor, startBrowser, state } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const pictures = PAGES.pictures();
const texts = PAGES.texts();
const table = PAGES.table();

const matches = async (page) => Object.values((await state(page, 'matches')) ?? {});

browser.test('finds a row by its number, with and without signs', pictures, async (page) => {
  for (const query of ['1234', '#1,234', '1,234']) {
    await searchFor(page, query);
    assert.deepEqual(await matches(page), [1234], query);
    await page.keyboard.press('Enter');
    assert.equal(await state(page, 'pinned'), 1234);
    await page.keyboard.press('Escape');
  }
});

browser.test('of a sample it finds the numbers of the data, and says when there is nothing', table, async (page) => {
  await searchFor(page, '302');
  assert.ok((await matches(page)).includes(100));
  await searchFor(page, '99999999');
  assert.equal(await page.innerText('#results-about'), 'Nothing found');
  assert.equal(await state(page, 'matches'), null);
});

browser.test('finds ids by any part of them', table, async (page) => {
  await searchFor(page, 'PATIENT-010');
  const expected = table.ids.flatMap((id, row) => (id.includes('patient-010') ? [row] : []));
  assert.deepEqual(await matches(page), expected);
  assert.equal(await page.locator('#results li').count(), expected.length);
  await page.click('#results li >> nth=3');
  assert.equal(await state(page, 'pinned'), expected[3]);
  await page.waitForSelector('.id .data');
  assert.equal(await page.innerText('.id'), table.ids[expected[3]]);
});

browser.test('finds words of texts, marks them, and goes through the results by keys', texts, async (page) => {
  await searchFor(page, 'telescope');
  const expected = texts.entries.flatMap(({ text }, row) => (text.includes('telescope') ? [row] : []));
  assert.deepEqual((await matches(page)).sort((a, b) => a - b), expected);
  assert.equal(await page.innerText('#results mark >> nth=0'), 'telescope');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.getAttribute('#search', 'aria-activedescendant'), 'result-1');
  await page.keyboard.press('Enter');
  assert.equal(await state(page, 'pinned'), expected[1]);
  await page.focus('#search');
  await page.keyboard.press('Escape');
  assert.equal(await state(page, 'matches'), null);
  assert.equal(await page.inputValue('#search'), '');
});

browser.test('Enter right after typing goes to the first result of what was typed', texts, async (page) => {
  await searchFor(page, '7');
  await page.fill('#search', '42');
  await page.press('#search', 'Enter');
  await page.waitForFunction(() => lpvdn.debug.state('pinned') !== null);
  assert.equal(await state(page, 'pinned'), 42);
});
