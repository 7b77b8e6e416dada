// A map with three axes.
import assert from 'node:assert/strict';
import { clickRow, drag, freeRow, screen, startBrowser, state, still } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const made = PAGES.solid();

const turn = (page) => page.evaluate(() => [...lpvdn.camera.turn]);

/** Whether nine numbers are a rotation: its lines are of length 1 and at right angles. */
function isRotation(m) {
  const lines = [m.slice(0, 3), m.slice(3, 6), m.slice(6, 9)];
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return lines.every((a, i) => lines.every((b, j) => Math.abs(dot(a, b) - (i === j ? 1 : 0)) < 1e-9));
}

browser.test('dragging turns the map, in the mode of moving it moves', made, async (page) => {
  assert.equal(await state(page, 'mode'), 'turn');
  const before = await turn(page);
  await drag(page, [{ x: 500, y: 400 }, { x: 640, y: 330 }]);
  await still(page);
  const after = await turn(page);
  assert.notDeepEqual(after, before);
  assert.ok(isRotation(after));
  await page.click('[data-mode="pan"]');
  const place = await screen(page, 0);
  await drag(page, [{ x: 500, y: 400 }, { x: 540, y: 400 }]);
  await still(page);
  assert.deepEqual(await turn(page), after);
  assert.ok(Math.abs((await screen(page, 0)).x - place.x - 40) < 0.5);
});

browser.test('keys turn it, with Shift they move it; Alt and drag turns in any mode', made, async (page) => {
  await page.focus('#map');
  const start = await turn(page);
  await page.keyboard.press('ArrowRight');
  const turned = await turn(page);
  assert.notDeepEqual(turned, start);
  await page.keyboard.press('Shift+ArrowRight');
  assert.deepEqual(await turn(page), turned);
  await page.keyboard.press('b');
  await page.keyboard.down('Alt');
  await drag(page, [{ x: 500, y: 400 }, { x: 600, y: 400 }]);
  await page.keyboard.up('Alt');
  assert.notDeepEqual(await turn(page), turned);
});

browser.test('after turning, a click keeps the row that is seen there', made, async (page) => {
  await drag(page, [{ x: 500, y: 400 }, { x: 640, y: 470 }]);
  await still(page);
  const row = await freeRow(page, 3);
  await clickRow(page, row);
  assert.equal(await state(page, 'pinned'), row);
});
