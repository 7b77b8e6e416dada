// What all tests share: a browser for a file of tests, and pages that are watched for anything unseemly.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DESK, addressOf, launch } from './chromium.js';
import { assemble } from './fixture.js';

export const TABS = ['overview', 'row', 'selection', 'clusters', 'quality', 'training'];

/** Notes every error, every request but for the page itself, and every dialog. */
export function watch(page, allowed) {
  const problems = [];
  const note = (kind, what) => problems.push(`${kind}: ${what}`);
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && note('console', message.text()));
  page.on('pageerror', (error) => note('error', error.stack));
  page.on('popup', (popup) => note('popup', popup.url()));
  page.on('dialog', (dialog) => {
    note('dialog', dialog.message());
    dialog.dismiss();
  });
  page.on('request', (request) => !allowed(request.url()) && note('request', request.url()));
  return problems;
}

/** `test(name, made, body, look)` runs `body` on a page made anew, and fails if anything unseemly happened there that
 * `body` hasn't taken from the list it is given. */
export function startBrowser() {
  let browser;
  let folder;
  let count = 0;
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), 'lpvdn-'));
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  async function onPage(place, allowed, body, look) {
    const context = await browser.newContext({ reducedMotion: 'reduce', colorScheme: 'light', ...look });
    try {
      const page = await context.newPage();
      const problems = watch(page, allowed);
      await page.goto(place);
      await page.waitForSelector('body[data-ready="true"]');
      await body(page, context, problems);
      assert.deepEqual(problems, []);
      assert.equal(await page.isVisible('#failure'), false);
    } finally {
      await context.close();
    }
  }

  /** The address of a page written to a file. */
  function write(made) {
    const file = join(folder, `${count++}.html`);
    writeFileSync(file, assemble(made));
    return addressOf(file);
  }

  const own = (name, made, body, look = DESK) => test(name, async () => {
    const place = write(made);
    await onPage(place, (url) => url === place || /^(data|blob):/.test(url), body, look);
  });

  return { test: own, onPage };
}

export const still = (page) => page.evaluate(() => lpvdn.debug.still());
export const state = (page, key) => page.evaluate((name) => lpvdn.debug.state(name), key);
export const screen = (page, row) => page.evaluate((wanted) => lpvdn.debug.screen(wanted), row);

/** A row that is the nearest to its own place, where nothing covers the map; `skip` leaves out the first so many. */
export function freeRow(page, skip = 0) {
  return page.evaluate((left) => {
    const box = lpvdn.map.canvas.getBoundingClientRect();
    for (let row = 0; row < lpvdn.data.rows; row++) {
      if (!lpvdn.debug.shows(row)) continue;
      const { x, y } = lpvdn.debug.screen(row);
      const free = document.elementFromPoint(x, y) === lpvdn.map.canvas && lpvdn.map.rowAt(x - box.left, y - box.top, 5) === row;
      if (free && left-- === 0) return row;
    }
    return null;
  }, skip);
}

export async function hoverRow(page, row) {
  const { x, y } = await screen(page, row);
  await page.mouse.move(x, y);
}

export async function clickRow(page, row) {
  const { x, y } = await screen(page, row);
  await page.mouse.click(x, y);
}

/** Drags along places on the page. */
export async function drag(page, [first, ...rest]) {
  await page.mouse.move(first.x, first.y);
  await page.mouse.down();
  for (const { x, y } of rest) await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
}

/** Clicks, and gives the name and the text of the file that is saved then. */
export async function download(page, selector) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
  const parts = [];
  for await (const part of await file.createReadStream()) parts.push(part);
  return { name: file.suggestedFilename(), text: Buffer.concat(parts).toString('utf8') };
}

export async function searchFor(page, query) {
  await page.fill('#search', query);
  await page.waitForFunction(() => !document.getElementById('results-box').hidden);
  await page.waitForTimeout(250); // the pause after typing, and the search itself
}
