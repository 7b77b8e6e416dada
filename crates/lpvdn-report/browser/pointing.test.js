// Pointing at rows, keeping them, and going from one to its neighbours.
import assert from 'node:assert/strict';
import { clickRow, drag, freeRow, hoverRow, screen, startBrowser, state, still } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const made = PAGES.pictures();

/** The rows nearest in code, as the page should find them. */
function nearest(row, count = 10) {
  const { codes, codeSize, rows } = made.rows;
  const codeOf = (which) => Float32Array.from(codes.slice(which * codeSize, (which + 1) * codeSize));
  const own = codeOf(row);
  const square = (other) => codeOf(other).reduce((sum, value, i) => sum + (value - own[i]) ** 2, 0);
  return Array.from({ length: rows }, (_, other) => other).filter((other) => other !== row)
    .map((other) => [square(other), other]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, count).map(([, other]) => other);
}

const neighboursShown = (page) => page.$$eval('#neighbours .card', (cards) => cards.map((card) => Number(card.dataset.row)));

browser.test('hovering shows a card beside the row, leaving hides it', made, async (page) => {
  const row = await freeRow(page);
  await hoverRow(page, row);
  await page.waitForSelector('#hover:not([hidden])');
  assert.match(await page.innerText('#hover'), new RegExp(`#${row.toLocaleString('en-US')}\\b`));
  assert.equal(await page.locator('#hover canvas').count(), 1);
  const card = await page.locator('#hover').boundingBox();
  const map = await page.locator('#map').boundingBox();
  assert.ok(card.x >= map.x && card.x + card.width <= map.x + map.width && card.y >= map.y && card.y + card.height <= map.y + map.height);
  await page.mouse.wheel(0, -200);
  await page.waitForSelector('#hover', { state: 'hidden' });
});

browser.test('the card shows the picture of the row', made, async (page) => {
  await hoverRow(page, await freeRow(page));
  await page.waitForSelector('#hover:not([hidden])');
  await page.waitForTimeout(300); // and read once: Chromium warns of pages that read canvases again and again
  const brightest = await page.$eval('#hover canvas', (canvas) => (
    Math.max(...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((_, i) => i % 4 < 3))));
  assert.ok(brightest > 150);
});

browser.test('a click keeps the row with its ten nearest neighbours; one of them leads on, and back', made, async (page) => {
  const row = await freeRow(page, 5);
  await clickRow(page, row);
  await page.waitForSelector('#neighbours .card');
  assert.match(await page.innerText('#panel-row h2'), new RegExp(`^Row ${row.toLocaleString('en-US')}$`));
  const near = nearest(row);
  assert.deepEqual(await neighboursShown(page), near);
  await page.click('#neighbours .card >> nth=2');
  await page.waitForFunction((wanted) => lpvdn.debug.state('pinned') === wanted, near[2]);
  await still(page);
  const middle = await page.evaluate(() => {
    const box = lpvdn.map.canvas.getBoundingClientRect();
    const { x, y } = lpvdn.camera.middle();
    return { x: x + box.left, y: y + box.top };
  });
  const place = await screen(page, near[2]);
  assert.ok(Math.hypot(place.x - middle.x, place.y - middle.y) < 1, 'the neighbour is in the middle');
  await page.click('#back');
  assert.equal(await state(page, 'pinned'), row);
  assert.equal(await page.isDisabled('#back'), true);
});

browser.test('dragging moves the map and keeps no row; the wheel zooms where it points', made, async (page) => {
  const before = await screen(page, 0);
  await drag(page, [{ x: 500, y: 400 }, { x: 540, y: 430 }]);
  await still(page);
  const after = await screen(page, 0);
  assert.ok(Math.abs(after.x - before.x - 40) < 0.5 && Math.abs(after.y - before.y - 30) < 0.5);
  assert.equal(await state(page, 'pinned'), null);
  const row = await freeRow(page);
  await hoverRow(page, row);
  const pointed = await screen(page, row);
  await page.mouse.wheel(0, -300);
  await still(page);
  const zoomed = await screen(page, row);
  assert.ok(Math.hypot(zoomed.x - pointed.x, zoomed.y - pointed.y) < 1);
  assert.ok(await page.evaluate(() => lpvdn.camera.scale / lpvdn.camera.fitScale) > 1.5);
  await page.click('#fit');
  await still(page);
  assert.ok(Math.abs(await page.evaluate(() => lpvdn.camera.scale / lpvdn.camera.fitScale) - 1) < 1e-9);
});
