// A reporter for node's test runner: appends a line for each skipped test to the file that LPVDN_SKIPS names, which
// `cargo xtask test` lists at its end.
import { appendFileSync } from 'node:fs';

/** Writes nothing to its own destination. */
export default async function* skips(events) {
  const file = process.env.LPVDN_SKIPS;
  for await (const { type, data } of events) {
    if (type !== 'test:pass' || data.skip === undefined || !file) continue;
    const reason = data.skip === true ? 'no reason is given' : data.skip;
    appendFileSync(file, `SKIPPED: ${data.name.replaceAll(': ', ' ')}: ${reason}\n`);
  }
  yield '';
}
