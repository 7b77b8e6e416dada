// Selecting rows by boxes, lassos and clusters, and saving them.
import assert from 'node:assert/strict';
import { download, drag, screen, startBrowser, state, still } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();
const made = PAGES.pictures();
const table = PAGES.table();

const BOX = { left: 430, right: 640, top: 280, bottom: 470 };
const DIAMOND = [{ x: 500, y: 250 }, { x: 620, y: 370 }, { x: 500, y: 490 }, { x: 380, y: 370 }];

/** Rows whose places satisfy a test that the page knows nothing of. */
async function rowsWhere(page, inside) {
  const places = await page.evaluate(() => Array.from({ length: lpvdn.data.rows }, (_, row) => lpvdn.debug.screen(row)));
  return places.flatMap((place, row) => (inside(place) ? [row] : []));
}

const selected = async (page) => Object.values((await state(page, 'selection')).rows);

browser.test('a box selects what lies in it', made, async (page) => {
  await page.click('[data-mode="box"]');
  assert.match(await page.innerText('#map-note'), /box/);
  const inside = await rowsWhere(page, ({ x, y }) => x > BOX.left && x < BOX.right && y > BOX.top && y < BOX.bottom);
  await drag(page, [{ x: BOX.left, y: BOX.top }, { x: BOX.right, y: BOX.bottom }]);
  assert.ok(inside.length > 50);
  assert.deepEqual(await selected(page), inside);
  assert.equal(await page.innerText('#selection-count'), `${inside.length} rows selected`);
  const tally = await page.$$eval('#panel-selection .bars', ([bars]) => [...bars.querySelectorAll('.figure')].map((figure) => parseInt(figure.textContent, 10)));
  assert.equal(tally.reduce((sum, count) => sum + count, 0), inside.length);
});

browser.test('shift and drag draws a lasso; Escape clears the selection', made, async (page) => {
  const inside = await rowsWhere(page, ({ x, y }) => Math.abs(x - 500) + Math.abs(y - 370) < 120);
  await page.keyboard.down('Shift');
  await drag(page, DIAMOND);
  await page.keyboard.up('Shift');
  assert.deepEqual(await selected(page), inside);
  await page.keyboard.press('Escape');
  assert.equal(await state(page, 'selection'), null);
});

browser.test('hidden rows are not selected', made, async (page) => {
  await page.click('.legend-switch >> nth=1');
  await page.click('[data-mode="box"]');
  await drag(page, [{ x: BOX.left, y: BOX.top }, { x: BOX.right, y: BOX.bottom }]);
  const rows = await selected(page);
  assert.ok(rows.length > 0 && rows.every((row) => made.rows.cluster[row] !== 1));
});

browser.test('the CSV of a selection has every row as the page knows it', made, async (page) => {
  await page.click('#panel-overview .bar-line >> nth=4');
  const { name, text } = await download(page, '#export-rows');
  assert.equal(name, 'handwritten-digits-selection.csv');
  const lines = text.trimEnd().split('\r\n').map((line) => line.split(','));
  assert.deepEqual(lines[0], ['row', 'id', 'cluster', 'cluster_name', 'label', 'confidence', 'outlier', 'map_x', 'map_y']);
  const members = made.rows.cluster.flatMap((cluster, row) => (cluster === 4 ? [row] : []));
  assert.deepEqual(lines.slice(1).map(([row]) => Number(row)), members);
  lines.slice(1).forEach((line, i) => {
    const row = members[i];
    assert.deepEqual(line.slice(1, 5), ['', '4', '4', String(made.rows.label[row])]);
    const numbers = [made.rows.confidence[row], made.rows.outlier[row], made.rows.map[2 * row], made.rows.map[2 * row + 1]];
    numbers.forEach((value, j) => assert.ok(Math.abs(Number(line[5 + j]) - value) <= 1e-6 * Math.max(1, Math.abs(value))));
  });
});

browser.test('ids that a spreadsheet would run are saved as words, and numbers are those of the data', table, async (page) => {
  for (const [row, saved] of [[3, '"\'=HYPERLINK(""bad"")"'], [4, '"\'@cmd, ""quoted"""']]) {
    await page.click('#tab-overview');
    await page.click(`#panel-overview .bar-line >> nth=${table.rows.cluster[row]}`);
    const { text } = await download(page, '#export-rows');
    assert.ok(text.includes(`\r\n${3 * row + 2},${saved},`), saved);
  }
});

browser.test('a selection of a table tells which columns differ', table, async (page) => {
  await page.click('#panel-overview .bar-line >> nth=2');
  await page.waitForSelector('#selection-features table');
  const shown = await page.$$eval('#selection-features tbody tr', (lines) => lines.map((line) => [...line.children].map((cell) => cell.textContent)));
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [name, here] = shown[0];
  const column = table.columns[table.manifest.columns.findIndex((entry) => entry.name === name)];
  const expected = mean(column.filter((value, row) => table.rows.cluster[row] === 2 && Number.isFinite(value)));
  assert.ok(Math.abs(Number(here) - expected) < 0.01 * Math.abs(expected), `${name} ${here} ${expected}`);
});

browser.test('a bar of the histogram selects its rows, and zooming goes to them', made, async (page) => {
  await page.click('#tab-quality');
  await page.click('.histogram-bar[data-bin="17"]');
  const expected = made.rows.confidence.flatMap((value, row) => (Math.floor(Math.fround(value) * 20) === 17 ? [row] : []));
  assert.deepEqual(await selected(page), expected);
  await page.click('text=Zoom to it');
  await still(page);
  const map = await page.locator('#map').boundingBox();
  for (const row of expected) {
    const { x, y } = await screen(page, row);
    assert.ok(x >= map.x && x <= map.x + map.width && y >= map.y && y <= map.y + map.height);
  }
});
