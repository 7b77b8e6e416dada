// Strings that try to break out stay strings.
import assert from 'node:assert/strict';
import { TABS, clickRow, download, freeRow, hoverRow, searchFor, startBrowser } from './helper.js';
import { assertInert, tryEverything } from './inert.js';
import { PAGES } from './synthetic/index.js';
import { HOSTILE_TEXT } from './synthetic/texts.js';

const browser = startBrowser();

for (const name of ['hostile', 'hostile-table']) {
  const made = PAGES[name]();
  browser.test(`${name}: nothing runs, whatever is opened`, made, async (page) => {
    await assertInert(page, made.blobs.size);
    await tryEverything(page);
    await assertInert(page, made.blobs.size);
  });

  browser.test(`${name}: strings are shown as they are`, made, async (page) => {
    // Not assert.equal, which would print the 10,000 letters twice.
    const shows = async (selector, text) => assert.ok(await page.$eval(selector, (element) => element.textContent) === text, selector);
    await shows('#title', made.manifest.title);
    assert.ok((await page.title()).startsWith('title </script><script>window.pwned=1</script> <img src=x'));
    await shows('#panel-overview .verdict .small', made.manifest.verdict.figures);
    await shows('#panel-overview .verdict bdi', made.manifest.verdict.sentence);
    await shows('#panel-overview .note:not(.verdict)', made.manifest.notes[0]);
    await shows('#panel-overview .warning:not(.verdict)', made.manifest.warnings[0]);
    await page.click('#tab-training');
    await shows('.command code', made.manifest.command);
    await page.click('#tab-clusters');
    assert.equal(await page.inputValue('.name-input[data-cluster="0"]'), made.manifest.clusters[0].name);
  });

  browser.test(`${name}: a name typed in stays a name`, made, async (page) => {
    await page.click('#tab-clusters');
    await page.fill('.name-input[data-cluster="0"]', HOSTILE_TEXT);
    await page.press('.name-input[data-cluster="0"]', 'Enter');
    await searchFor(page, '<img src=x onerror=window.pwned=1>');
    await page.keyboard.press('Escape');
    for (const tab of TABS) await page.click(`#tab-${tab}`);
    await page.reload();
    await page.waitForSelector('body[data-ready="true"]');
    await assertInert(page, made.blobs.size);
  });

  browser.test(`${name}: saved files hold the strings, and none that a spreadsheet runs`, made, async (page) => {
    await page.click('#panel-overview .bar-line >> nth=0');
    const { name: file, text } = await download(page, '#export-rows');
    assert.match(file, /^[a-z0-9-]+-selection\.csv$/);
    assert.doesNotMatch(text, /(^|[\r\n,])"?[=@+]/);
  });
}

const texts = PAGES.texts();
browser.test('a text with markup is shown as text', texts, async (page) => {
  await searchFor(page, 'onerror=window.pwned');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.full-text');
  assert.equal(await page.innerText('.full-text'), HOSTILE_TEXT);
  await clickRow(page, await freeRow(page));
  await hoverRow(page, await freeRow(page, 4));
  await assertInert(page, texts.blobs.size);
});

browser.test('should a string get through, the policy stops it', texts, async (page, _, problems) => {
  await page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.pwned=1><a id=trap href="javascript:window.pwned=1">a</a>');
    const script = document.createElement('script');
    script.textContent = 'window.pwned = 1';
    document.body.append(script);
    document.getElementById('trap').click();
  });
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  const refused = problems.splice(0).filter((problem) => /Content Security Policy/.test(problem));
  assert.ok(refused.length >= 3, 'the image, its handler and the script');
});
