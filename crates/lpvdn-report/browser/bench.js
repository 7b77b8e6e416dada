// How fast a page is: node bench.js [--seconds 3] [PAGE]
// Without a page it takes a synthetic one of 100,000 rows. Prints the time until the page answers, and the frames per
// second while the map is dragged, for some seconds in each view.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DESK, PHONE, addressOf, launch } from './chromium.js';
import { assemble } from './fixture.js';
import { PAGES } from './synthetic/index.js';

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Milliseconds from asking for the page until it has drawn its map and its panel. */
async function open(context, place) {
  const page = await context.newPage();
  const start = performance.now();
  await page.goto(addressOf(place));
  await page.waitForSelector('body[data-ready="true"]');
  return { page, ready: performance.now() - start };
}

/** Moves the map a little in every frame for so many seconds: { gaps, draws } in milliseconds. */
function pan(page, scale, seconds) {
  return page.evaluate(async ({ scale: factor, seconds: length }) => {
    lpvdn.camera.zoom(factor);
    lpvdn.map.request();
    await lpvdn.debug.still();
    const [gaps, draws, times] = [[], [], []];
    const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    const end = performance.now() + 1000 * length;
    for (let i = 0; performance.now() < end; i++) {
      lpvdn.camera.pan(8 * Math.cos(i / 9), 8 * Math.sin(i / 9));
      lpvdn.map.request();
      times.push(await frame());
      draws.push(lpvdn.debug.frames.last);
    }
    for (let i = 1; i < times.length; i++) gaps.push(times[i] - times[i - 1]);
    lpvdn.camera.zoom(1 / factor);
    return { gaps, draws };
  }, { scale, seconds });
}

async function measure(browser, place, name, look, seconds) {
  const context = await browser.newContext(look);
  const { page, ready } = await open(context, place);
  console.log(`${name}: ${Math.round(ready)} ms until ready`);
  for (const [view, scale] of [['whole map', 1], ['4 times nearer', 4], ['16 times nearer', 16]]) {
    const { gaps, draws } = await pan(page, scale, seconds);
    const slow = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length * 0.95)];
    console.log(`  ${view}: ${(1000 / median(gaps)).toFixed(0)} frames per second (95% of the gaps below ${slow.toFixed(0)} ms), drawing takes ${median(draws).toFixed(1)} ms`);
  }
  await context.close();
}

const { values, positionals } = parseArgs({ options: { seconds: { type: 'string', default: '3' } }, allowPositionals: true });
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'lpvdn-'));
const browser = await launch();
try {
  let [place] = positionals;
  if (!place) {
    place = join(folder, 'many.html');
    writeFileSync(place, assemble(PAGES.many()));
  }
  await measure(browser, place, 'desk', DESK, seconds);
  await measure(browser, place, 'phone', PHONE, seconds);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
