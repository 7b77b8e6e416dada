// All synthetic pages by name. From a command line: node synthetic/index.js NAME FILE
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assemble } from '../fixture.js';
import { hostile } from './hostile.js';
import { pictures } from './pictures.js';
import { bare, many, single, solid } from './plain.js';
import { table } from './table.js';
import { texts } from './texts.js';

export const PAGES = { pictures, texts, table, solid, many, bare, single, hostile, 'hostile-table': () => hostile({ kind: 'table' }) };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, file] = process.argv.slice(2);
  if (!Object.hasOwn(PAGES, name ?? '') || !file) {
    console.error(`node synthetic/index.js NAME FILE, where NAME is one of ${Object.keys(PAGES).join(', ')}`);
    process.exit(2);
  }
  writeFileSync(file, assemble(PAGES[name]()));
}
