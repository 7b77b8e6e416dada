// What the colours mean: choosing it, hiding groups, light and dark.
import assert from 'node:assert/strict';
import { DESK } from './chromium.js';
import { freeRow, hoverRow, startBrowser, state, still } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const pictures = PAGES.pictures();
const table = PAGES.table();

/** The colour in the middle of a row's dot. */
function pixel(page, row) {
  return page.evaluate((wanted) => {
    const { canvas } = lpvdn.map;
    const { x, y } = lpvdn.camera.screen(wanted);
    const { ratio } = lpvdn.camera;
    return [...canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data].slice(0, 3);
  }, row);
}

/** A row with no other near enough to cover its dot. */
function loneRow(page) {
  return page.evaluate(() => {
    const places = Array.from({ length: lpvdn.data.rows }, (_, row) => lpvdn.camera.screen(row));
    return places.findIndex((own, row) => places.every((other, i) => i === row || Math.hypot(own.x - other.x, own.y - other.y) > 14));
  });
}

/** Without names over the dots. */
async function withoutNames(page) {
  await page.click('#show-names');
  await still(page);
}

const near = (one, other) => one.every((value, i) => Math.abs(value - other[i]) < 40);

async function colourBy(page, key) {
  await page.selectOption('#color-by', key);
  await page.waitForTimeout(100);
  await still(page);
}

browser.test('colours by cluster and by label, in the same colours where they agree', pictures, async (page) => {
  await withoutNames(page);
  const row = await loneRow(page);
  const own = await page.evaluate((index) => lpvdn.groups.cluster.color(index), pictures.rows.cluster[row]);
  assert.ok(near(await pixel(page, row), own));
  await colourBy(page, 'label');
  assert.equal(await page.locator('.legend-switch').count(), 10);
  const label = await page.evaluate((index) => lpvdn.groups.label.color(index), pictures.rows.label[row]);
  assert.ok(near(await pixel(page, row), label));
});

browser.test('colours by confidence, outlier score and a column, with a scale', table, async (page) => {
  await withoutNames(page);
  assert.equal(await page.locator('#color-by option').count(), 4 + table.columns.length);
  for (const key of ['confidence', 'margin', 'outlier', 'column/2']) {
    await colourBy(page, key);
    assert.equal(await page.locator('.scale').count(), 1, key);
    assert.equal(await state(page, 'colorBy'), key);
  }
  const missing = table.columns[2].filter((value) => Number.isNaN(value)).length;
  assert.match(await page.innerText('.legend-body'), new RegExp(`${missing} missing`));
  const row = await loneRow(page);
  const expected = await page.evaluate((wanted) => {
    const packed = lpvdn.scene.tint[wanted];
    return [packed & 255, (packed >> 8) & 255, (packed >> 16) & 255];
  }, row);
  assert.ok(near(await pixel(page, row), expected));
});

browser.test('the legend hides groups, shows one only, and all again', pictures, async (page) => {
  const shows = (row) => page.evaluate((wanted) => lpvdn.debug.shows(wanted), row);
  const first = pictures.rows.cluster.indexOf(0);
  const other = pictures.rows.cluster.indexOf(5);
  await page.click('.legend-switch >> nth=0');
  assert.equal(await page.getAttribute('.legend-switch >> nth=0', 'aria-pressed'), 'false');
  assert.equal(await shows(first), false);
  assert.equal(await shows(other), true);
  assert.match(await page.innerText('.legend-foot'), /1 hidden/);
  await page.hover('.legend-list li >> nth=0');
  await page.click('.legend-only >> nth=0');
  assert.equal(await shows(first), true);
  assert.equal(await shows(other), false);
  assert.match(await page.innerText('.legend-foot'), /9 hidden/);
  await page.click('.legend-foot button');
  assert.equal(await shows(other), true);
});

browser.test('pointing at a group of the legend lights it up', pictures, async (page) => {
  await page.hover('.legend-list li >> nth=3');
  assert.deepEqual(await state(page, 'spotlight'), { by: 'cluster', index: 3 });
  const emphasis = await page.evaluate(() => [...lpvdn.scene.emphasis]);
  emphasis.forEach((value, row) => assert.equal(value, pictures.rows.cluster[row] === 3 ? 2 : 1));
  await page.mouse.move(600, 600);
  assert.equal(await state(page, 'spotlight'), null);
});

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

browser.test('light and dark: as the system has it, then as chosen, which lasts', pictures, async (page) => {
  assert.equal(await state(page, 'theme'), 'dark');
  const dark = await ground(page);
  await page.click('#theme');
  assert.equal(await state(page, 'theme'), 'light');
  assert.notEqual(await ground(page), dark);
  await still(page);
  assert.deepEqual(await page.evaluate(() => [...lpvdn.map.canvas.getContext('2d').getImageData(2, 2, 1, 1).data]), [255, 255, 255, 255]);
  await page.reload();
  await page.waitForSelector('body[data-ready="true"]');
  assert.equal(await state(page, 'theme'), 'light');
}, { ...DESK, colorScheme: 'dark' });

browser.test('the legend folds', pictures, async (page) => {
  await page.click('.fold');
  assert.equal(await page.isVisible('.legend-list'), false);
  await page.click('.fold');
  assert.equal(await page.isVisible('.legend-list'), true);
  await hoverRow(page, await freeRow(page));
});
