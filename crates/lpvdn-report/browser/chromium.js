// The system's Chromium, and pages in it.
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { chromium } from 'playwright-core';

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

export const DESK = { viewport: { width: 1280, height: 720 } };
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

export const launch = () => chromium.launch({ executablePath: process.env.LPVDN_CHROMIUM || '/usr/bin/chromium', args: ARGS });

/** A path as an address; an address stays as it is. */
export const addressOf = (place) => (/^https?:/.test(place) ? place : pathToFileURL(resolve(place)).href);

/** Opens a page and waits until it has drawn its first frame. */
export async function openPage(context, place) {
  const page = await context.newPage();
  await page.goto(addressOf(place));
  await page.waitForSelector('body[data-ready="true"]');
  return page;
}
