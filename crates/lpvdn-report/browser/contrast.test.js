// All text can be read: 4.5 to 1 against what it stands on, in both themes.
import assert from 'node:assert/strict';
import { DESK } from './chromium.js';
import { TABS, startBrowser } from './helper.js';
import { PAGES } from './synthetic/index.js';

const browser = startBrowser();

/** The texts on the page with too little contrast. */
function faint() {
  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((value, i) => a * value + (1 - a) * under[i]);
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const own = parse(getComputedStyle(element).backgroundColor);
    return own.length === 3 ? own : over(own, ground(element.parentElement));
  };
  const light = (color) => color.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const shows = (element) => element.checkVisibility() && !element.closest(':disabled, script, style, noscript, option, .unseen, .legend-only');
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  return [...document.body.querySelectorAll('*')].filter((element) => hasText(element) && shows(element)).flatMap((element) => {
    const style = getComputedStyle(element);
    const under = ground(element);
    const color = parse(element.closest('svg') ? style.fill : style.color);
    const ratio = contrast(light(over(color, under)), light(under));
    return ratio < 4.5 ? [`${element.tagName}.${element.getAttribute('class')} “${element.textContent.slice(0, 20)}” ${ratio.toFixed(2)}`] : [];
  });
}

for (const colorScheme of ['light', 'dark']) {
  for (const name of ['pictures', 'table']) {
    browser.test(`${name} in ${colorScheme} colours`, PAGES[name](), async (page) => {
      await page.evaluate(() => { lpvdn.selection.byCluster(0); lpvdn.pin(3); });
      await page.waitForSelector('#neighbours .card');
      for (const tab of TABS) {
        await page.click(`#tab-${tab}`);
        await page.waitForTimeout(100);
        assert.deepEqual(await page.evaluate(faint), [], tab);
      }
    }, { ...DESK, colorScheme });
  }
}
