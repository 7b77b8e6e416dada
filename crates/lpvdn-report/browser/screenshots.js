// Takes pictures of pages: node screenshots.js [--tab TAB] [--row NUMBER] [--look LOOK …] PAGE PREFIX [PAGE PREFIX …]
// writes PREFIX-light.png, PREFIX-dark.png and PREFIX-phone.png, or those of them that are named.
import { parseArgs } from 'node:util';
import { DESK, PHONE, launch, openPage } from './chromium.js';

const LOOKS = {
  light: { ...DESK, colorScheme: 'light' },
  dark: { ...DESK, colorScheme: 'dark' },
  phone: { ...PHONE, colorScheme: 'light' },
};

/** Shows what the picture is to show. */
async function prepare(page, { tab, row }) {
  if (row) {
    await page.fill('#search', row);
    await page.press('#search', 'Enter');
    await page.waitForSelector('#neighbours');
  }
  if (tab) await page.click(`#tab-${tab}`);
  await page.evaluate(() => lpvdn.debug.still());
  await page.waitForTimeout(300); // pictures and texts arrive a moment later
}

async function take(browser, place, prefix, options) {
  const wanted = Object.entries(LOOKS).filter(([name]) => options.look?.includes(name) ?? true);
  for (const [name, look] of wanted) {
    const context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
    const page = await openPage(context, place);
    await prepare(page, options);
    await page.screenshot({ path: `${prefix}-${name}.png` });
    await context.close();
  }
}

const { values, positionals } = parseArgs({ options: { tab: { type: 'string' }, row: { type: 'string' }, look: { type: 'string', multiple: true } }, allowPositionals: true });
if (positionals.length === 0 || positionals.length % 2 === 1) {
  console.error('node screenshots.js [--tab TAB] [--row NUMBER] [--look LOOK …] PAGE PREFIX [PAGE PREFIX …]');
  process.exit(2);
}
const browser = await launch();
try {
  for (let i = 0; i < positionals.length; i += 2) await take(browser, positionals[i], positionals[i + 1], values);
} finally {
  await browser.close();
}
