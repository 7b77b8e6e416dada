// Everything without a mouse.
import assert from 'node:assert/strict';
import { screen, startBrowser, state, still } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const made = PAGES.pictures();

const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.className);

async function tabTo(page, id) {
  for (let i = 0; i < 40; i++) {
    if (await focused(page) === id) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab doesn't lead to ${id}`);
}

browser.test('Tab reaches the map; arrows move it, Enter keeps the row in the middle', made, async (page) => {
  await tabTo(page, 'map');
  const before = await screen(page, 0);
  await page.keyboard.press('ArrowLeft');
  await still(page);
  assert.ok((await screen(page, 0)).x > before.x + 50);
  await page.keyboard.press('+');
  await still(page);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#neighbours .card');
  assert.notEqual(await state(page, 'pinned'), null);
  assert.equal(await focused(page), 'map');
  await page.keyboard.press('0');
  await still(page);
  assert.ok(Math.abs((await screen(page, 0)).x - before.x) < 1);
});

browser.test('from a neighbour to its neighbours by Enter, and back by Backspace', made, async (page) => {
  await page.evaluate(() => lpvdn.pin(7));
  await page.waitForSelector('#neighbours .card');
  await page.focus('#neighbours .card');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => lpvdn.debug.state('pinned') !== 7);
  assert.equal(await focused(page), 'panel-row');
  await page.keyboard.press('Backspace');
  assert.equal(await state(page, 'pinned'), 7);
  await page.keyboard.press('Escape');
  assert.equal(await state(page, 'pinned'), null);
});

browser.test('keys choose the mode, the colour, the theme, the search', made, async (page) => {
  for (const [key, mode] of [['b', 'box'], ['l', 'lasso'], ['v', 'pan'], ['t', 'pan']]) {
    await page.keyboard.press(key);
    assert.equal(await state(page, 'mode'), mode);
  }
  await page.keyboard.press('c');
  assert.equal(await state(page, 'colorBy'), 'label');
  await page.keyboard.press('d');
  assert.equal(await state(page, 'theme'), 'dark');
  await page.keyboard.press('n');
  assert.equal(await state(page, 'showNames'), false);
  await page.keyboard.press('/');
  assert.equal(await focused(page), 'search');
  await page.keyboard.type('dbl');
  assert.equal(await state(page, 'mode'), 'pan');
  assert.equal(await page.inputValue('#search'), 'dbl');
});

browser.test('arrows go through the tabs', made, async (page) => {
  await page.focus('#tab-overview');
  for (const tab of ['row', 'selection', 'clusters', 'quality', 'training', 'overview']) {
    await page.keyboard.press('ArrowRight');
    assert.equal(await state(page, 'tab'), tab);
    assert.equal(await focused(page), `tab-${tab}`);
    assert.equal(await page.getAttribute(`#tab-${tab}`, 'aria-selected'), 'true');
  }
  await page.keyboard.press('End');
  assert.equal(await state(page, 'tab'), 'training');
});

browser.test('a cluster is selected by Enter, and the focus goes along', made, async (page) => {
  await page.focus('#panel-overview .bar-line');
  await page.keyboard.press('Enter');
  assert.equal(await state(page, 'tab'), 'selection');
  assert.equal(await focused(page), 'panel-selection');
});

browser.test('? lists the keys, Escape closes the list', made, async (page) => {
  await page.keyboard.press('?');
  assert.equal(await page.isVisible('#help'), true);
  await page.keyboard.press('Escape');
  assert.equal(await page.isVisible('#help'), false);
});

browser.test('what has the focus can be seen to have it', made, async (page) => {
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      return document.activeElement === document.body ? 'none of it' : `${outlineStyle} ${outlineWidth}`;
    });
    assert.match(outline, /none of it|solid [1-9]/);
  }
});
