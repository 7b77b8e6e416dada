// Digits of 8 × 8 points with noise.
import { chunks, wholes } from './bytes.js';
import { commonBlobs, makeManifest, withLabels } from './manifest.js';
import { normal, uniform } from './random.js';
import { makeRows } from './rows.js';

const SIDE = 8;
const CHUNK = 512;
const SAMPLES = 6;
// Each digit as seven lines of five points.
const GLYPHS = ['0e11191513110e', '040c040404040e', '0e11010204081f', '1f02040201110e', '02060a121f0202', '1f101e0101110e',
  '0608101e11110e', '1f010204080808', '0e11110e11110e', '0e11110f01020c'].map((lines) => lines.match(/../g).map((line) => parseInt(line, 16)));

function lit(digit, x, y) {
  return y >= 0 && y < 7 && x >= 0 && x < 5 && ((GLYPHS[digit][y] >> (4 - x)) & 1) === 1;
}

function digit(value, next, bell) {
  const [shiftX, shiftY] = [1 + Math.floor(2 * next()), Math.floor(2 * next())];
  return Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [(at % SIDE) - shiftX, Math.floor(at / SIDE) - shiftY];
    const near = lit(value, x - 1, y) || lit(value, x, y - 1) ? 60 : 0;
    return Math.max(0, Math.min(255, (lit(value, x, y) ? 215 : near) + 22 * bell()));
  });
}

/** A page of pictures with labels. */
export function pictures({ count = 2000, labelled = true } = {}) {
  const rows = makeRows({ rows: count, clusters: 10, seed: 3 });
  const next = uniform(5);
  const bell = normal(next);
  const manifest = makeManifest(rows, { title: 'Handwritten digits', kind: 'pictures', picture: { width: SIDE, height: SIDE, channels: 1, chunk: CHUNK } });
  if (labelled) withLabels(manifest, rows, Array.from({ length: 10 }, (_, value) => String(value)));
  manifest.clusters.forEach((cluster) => { cluster.sample_count = SAMPLES; });
  const images = rows.label.map((value) => digit(value, next, bell));
  const samples = Array.from({ length: 10 * SAMPLES }, (_, at) => digit(Math.floor(at / SAMPLES), next, () => 0)).flat();
  const blobs = [...commonBlobs(rows), ...(labelled ? [['label', wholes(rows.label)]] : []),
    ...chunks('pictures', images, CHUNK, (part) => Uint8Array.from(part.flat())), ['samples', Uint8Array.from(samples)]];
  return { manifest, blobs: new Map(blobs), rows };
}
