// A page in which every string tries to break out.
import { chunks, floats, json, wholes } from './bytes.js';
import { commonBlobs, makeManifest, withLabels } from './manifest.js';
import { makeRows } from './rows.js';

const CHUNK = 50;
const TRICKS = [
  '</script><script>window.pwned=1</script>',
  '<img src=x onerror=window.pwned=1>',
  '"><svg onload=window.pwned=1>',
  "'; window.pwned=1; //",
  '{{SCRIPT}}', '{{BLOBS}}', '$& $1 $`', ']]>', '<!-- <script>', '&lt;b&gt;', 'javascript:window.pwned=1',
  'line\u2028separator\u2029paragraph', '\u202eoverridden from the right\u202d', '\u0000\u0007control', '__proto__', 'constructor',
  `long ${'<b>W</b>'.repeat(1250)}`,
];

/** A string that holds one trick and says where it stands; `turn` picks which. */
export const trick = (turn, place) => `${place} ${TRICKS[turn % TRICKS.length]}`;

/** All tricks at once, in 10,000 letters and more. */
export const everyTrick = (place) => [place, ...TRICKS].join(' ');

function hostileCard(card, index) {
  const feature = (i) => ({ name: trick(index + i, 'feature'), here: 1, elsewhere: 0.5, score: 2 - 0.1 * i });
  return { ...card, name: trick(index, 'cluster'), features: Array.from({ length: 8 }, (_, i) => feature(i)),
    samples: [[everyTrick('sample'), trick(index, 'sample')], [trick(index + 1, 'sample')]], sample_count: 2 };
}

const pairs = (place) => TRICKS.map((_, turn) => [trick(turn, `${place} name`), trick(turn + 1, `${place} value`)]);

function hostileTraining() {
  const epochs = Array.from({ length: 6 }, (_, i) => ({ phase: trick(i < 3 ? 0 : 1, 'phase'), epoch: i + 1, loss: 6 - i,
    [trick(1, 'term')]: i, '<img src=x onerror=window.pwned=1>': 2 * i, occupancy: [0.5, 0.5] }));
  return { epochs, evaluations: [{ epoch: 1, [trick(0, 'score')]: 0.2 }, { epoch: 2, [trick(0, 'score')]: 0.4 }] };
}

/** Texts, or with `kind: 'table'` a table, made of nothing but tricks. */
export function hostile({ count = 120, kind = 'texts' } = {}) {
  const rows = makeRows({ rows: count, clusters: TRICKS.length, seed: 41 });
  const columns = Array.from({ length: TRICKS.length }, (_, turn) => ({ name: trick(turn, 'column') }));
  const manifest = withLabels(makeManifest(rows, { title: everyTrick('title'), kind, program: everyTrick('program'), method: everyTrick('method'),
    notes: [everyTrick('note')], warnings: [everyTrick('warning')], code_name: trick(1, 'code'), columns, columns_total: columns.length,
    map: { axes: 2, about: everyTrick('about') }, text: kind === 'texts' ? { chunk: CHUNK } : null, ids: { chunk: CHUNK },
    metrics: TRICKS.map((_, turn) => ({ name: trick(turn, 'metric'), value: turn, about: trick(turn + 1, 'about') })),
    verdict: { structure: trick(0, 'structure'), sentence: everyTrick('sentence'), figures: everyTrick('figures'),
      clusters: TRICKS.map((_, turn) => turn / TRICKS.length), unstable: [0, 1, 2] },
    facts: pairs('fact'), settings: pairs('setting'), command: everyTrick('command'), training: hostileTraining() }),
  rows, TRICKS.map((_, turn) => trick(turn, 'label')));
  manifest.clusters = manifest.clusters.map(hostileCard);
  if (kind === 'table') manifest.clusters.forEach((card) => { card.samples = [columns.map((_, i) => i)]; });
  const entries = rows.cluster.map((_, row) => ({ text: row === 0 ? everyTrick('text') : trick(row, 'text'), terms: [[trick(row, 'term'), 1.5], [trick(row + 1, 'term'), 1]] }));
  const ids = rows.cluster.map((_, row) => trick(row, `id${row}`));
  const blobs = [...commonBlobs(rows), ['label', wholes(rows.label)], ...(kind === 'texts' ? chunks('texts', entries, CHUNK, json) : []), ...chunks('ids', ids, CHUNK, json),
    ...columns.map((_, index) => [`column/${index}`, floats(rows.outlier.map((value) => value + index))])];
  return { manifest, blobs: new Map(blobs), rows, ids };
}
