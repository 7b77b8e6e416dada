// Pages open by themselves, from a file and from a server, with nothing left undrawn.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { DESK } from './chromium.js';
import { assembleServed, scriptNames } from './fixture.js';
import { TABS, clickRow, freeRow, startBrowser } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();

test('every script is in the list, once', () => {
  const files = readdirSync(new URL('../explorer/js/', import.meta.url));
  assert.deepEqual([...scriptNames()].sort(), files.sort());
});

test('style and scripts load nothing and can stand in a page', () => {
  const read = (name) => readFileSync(new URL(`../explorer/${name}`, import.meta.url), 'utf8');
  assert.doesNotMatch(read('style.css'), /url\(|@import|<\/style/i);
  for (const name of scriptNames()) assert.doesNotMatch(read(`js/${name}`), /<\/script|<!--|innerHTML|eval\(|https?:\/\/(?!www\.w3\.org)/i, name);
});

async function drawEveryTab(page) {
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    const text = await page.innerText(`#panel-${tab}`);
    assert.ok(text.trim().length > 0, tab);
    assert.doesNotMatch(text, /\[object|undefined|NaN/, tab);
  }
}

for (const name of ['pictures', 'texts', 'table', 'solid', 'bare', 'single']) {
  const made = PAGES[name]();
  browser.test(`${name}: opens from a file and draws every tab`, made, async (page) => {
    assert.equal(await page.innerText('#title'), made.manifest.title);
    assert.match(await page.innerText('#subtitle'), new RegExp(`in ${made.manifest.clusters.length} cluster`));
    await drawEveryTab(page);
    await clickRow(page, await freeRow(page));
    await page.waitForSelector('#panel-row .row-head');
    await page.click('#tab-overview');
    await page.click('#panel-overview .bar-line');
    await drawEveryTab(page);
  });
}

/** A server of a page and its blobs, and of nothing else. */
function serve(made) {
  const page = assembleServed(made);
  const server = createServer((request, answer) => {
    const name = decodeURIComponent(request.url).replace(/^\/blob\//, '');
    if (request.url === '/') answer.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    else if (made.blobs.has(name)) answer.end(made.blobs.get(name));
    else answer.writeHead(404).end();
  });
  return new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(server)); });
}

test('a served page asks for its blobs and works like a file', async () => {
  const server = await serve(PAGES.pictures());
  const place = `http://127.0.0.1:${server.address().port}/`;
  try {
    await browser.onPage(place, (url) => url === place || url.startsWith(`${place}blob/`), async (page) => {
      await drawEveryTab(page);
      await clickRow(page, await freeRow(page));
      await page.waitForSelector('#neighbours .card');
    }, DESK);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
