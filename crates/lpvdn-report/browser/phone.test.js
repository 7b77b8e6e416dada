// A phone: small, upright, with fingers.
import assert from 'node:assert/strict';
import { PHONE } from './chromium.js';
import { TABS, freeRow, screen, startBrowser, state, still } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const made = PAGES.pictures();
const onPhone = (name, page, body) => browser.test(name, page, body, PHONE);

/** Fingers that go along paths of the same length. */
async function fingers(page, context, paths) {
  const session = await context.newCDPSession(page);
  const send = (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
  for (let step = 0; step < paths[0].length; step++) {
    await send(step === 0 ? 'touchStart' : 'touchMove', paths.map((path, id) => ({ ...path[step], id })));
  }
  await send('touchEnd', []);
  await still(page);
}

const line = (from, to, steps = 6) => Array.from({ length: steps + 1 }, (_, i) => (
  { x: from.x + ((to.x - from.x) * i) / steps, y: from.y + ((to.y - from.y) * i) / steps }));

const scale = (page) => page.evaluate(() => lpvdn.camera.scale / lpvdn.camera.fitScale);

onPhone('a tap keeps a row', made, async (page) => {
  const row = await freeRow(page);
  const { x, y } = await screen(page, row);
  await page.touchscreen.tap(x, y);
  await page.waitForSelector('#neighbours .card');
  assert.equal(await state(page, 'pinned'), row);
  assert.equal(await page.isVisible('#hover'), false);
});

onPhone('one finger moves the map', made, async (page, context) => {
  const before = await screen(page, 0);
  await fingers(page, context, [line({ x: 200, y: 300 }, { x: 150, y: 340 })]);
  const after = await screen(page, 0);
  assert.ok(Math.abs(after.x - before.x + 50) < 12 && Math.abs(after.y - before.y - 40) < 12, JSON.stringify([before, after]));
  assert.equal(await state(page, 'pinned'), null);
});

onPhone('two fingers zoom', made, async (page, context) => {
  await fingers(page, context, [line({ x: 180, y: 300 }, { x: 100, y: 300 }), line({ x: 220, y: 300 }, { x: 300, y: 300 })]);
  assert.ok(await scale(page) > 3, String(await scale(page)));
  await fingers(page, context, [line({ x: 100, y: 300 }, { x: 180, y: 300 }), line({ x: 300, y: 300 }, { x: 220, y: 300 })]);
  assert.ok(Math.abs(await scale(page) - 1) < 0.6);
});

onPhone('a finger draws a lasso', made, async (page, context) => {
  await page.tap('[data-mode="lasso"]');
  const corners = [{ x: 100, y: 200 }, { x: 300, y: 200 }, { x: 300, y: 400 }, { x: 100, y: 400 }];
  await fingers(page, context, [corners.flatMap((corner, i) => line(corner, corners[(i + 1) % 4]))]);
  assert.ok((await state(page, 'selection')) !== null);
  assert.equal(await state(page, 'tab'), 'selection');
});

onPhone('the sheet can be raised and lowered', made, async (page) => {
  const height = async () => (await page.locator('#panel').boundingBox()).height;
  const low = await height();
  assert.ok(low < 844 / 2);
  await page.tap('#sheet');
  assert.equal(await page.getAttribute('#sheet', 'aria-expanded'), 'true');
  assert.ok(await height() > 844 * 0.7);
  await page.tap('#sheet');
  assert.ok(Math.abs(await height() - low) < 1);
});

for (const name of ['pictures', 'texts', 'table', 'hostile']) {
  onPhone(`${name}: nothing is wider than the screen`, PAGES[name](), async (page) => {
    await page.evaluate(() => lpvdn.selection.byCluster(0));
    await page.evaluate(() => lpvdn.pin(1));
    for (const tab of TABS) {
      await page.tap(`#tab-${tab}`);
      await page.waitForTimeout(150);
      const widths = await page.evaluate((id) => [document.documentElement.scrollWidth, document.getElementById(`panel-${id}`).scrollWidth], tab);
      assert.ok(widths.every((width) => width <= 390), `${tab}: ${widths}`);
    }
  });
}
