// Makes pages from the template as the program does: the same places, the same policy, the same packing.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const explorer = new URL('../explorer/', import.meta.url);
const read = (name) => readFileSync(new URL(name, explorer), 'utf8');

/** The names of the scripts, in their order. */
export const scriptNames = () => [...read('scripts.rs').matchAll(/"([^"]+)"/g)].map(([, name]) => name);

const script = () => scriptNames().map((name) => read(`js/${name}`)).join('\n');

const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

function policy(ownScript, style, more) {
  return `default-src 'none'; script-src '${hash(ownScript)}'; style-src '${hash(style)}'; img-src data: blob:; `
    + `base-uri 'none'; form-action 'none'${more}`;
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const inAttribute = (text) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]);

/** JSON that cannot end the element it stands in. */
const inertJson = (value) => JSON.stringify(value)
  .replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const element = ([name, bytes]) => (
  `<script type="application/octet-stream" id="blob:${inAttribute(name)}">${gzipSync(bytes).toString('base64')}</script>\n`);

/** Fills each place of the template once; what the data holds is never looked at again. */
function fill(manifest, more, blobs) {
  const [ownScript, style] = [script(), read('style.css')];
  const places = { CSP: () => inAttribute(policy(ownScript, style, more)), TITLE: () => inAttribute(manifest.title),
    STYLE: () => style, MANIFEST: () => inertJson(manifest), BLOBS: () => blobs, SCRIPT: () => ownScript };
  return read('page.html').replace(/\{\{(\w+)\}\}/g, (_, name) => places[name]());
}

/** A page that needs nothing but itself: `blobs` maps names to bytes. */
export function assemble({ manifest, blobs }) {
  return fill(manifest, '', [...blobs].map(element).join(''));
}

/** The same page for a server, which has the blobs. */
export function assembleServed({ manifest }) {
  return fill({ ...manifest, served: true }, "; connect-src 'self'", '');
}
