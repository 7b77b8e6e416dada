// Rows in heaps about the places of their clusters: what every page has, whatever its rows are.
import { normal, uniform } from './random.js';

const CODE_SIZE = 8;

/** The middles of the clusters on a spiral, so that neighbours differ in distance. */
function middles(clusters, axes) {
  return Array.from({ length: clusters }, (_, index) => {
    const turn = 2.4 * index;
    const far = 2.2 * Math.sqrt(index + 0.4);
    return [far * Math.cos(turn), far * Math.sin(turn), axes === 3 ? 3 * Math.sin(1.7 * index) : 0].slice(0, axes);
  });
}

/** Clusters of uneven sizes. */
function clusterOfEach(rows, clusters, next) {
  const weights = Array.from({ length: clusters }, (_, index) => 1 + (index % 4) / 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: rows }, () => {
    let left = next() * total;
    return weights.findIndex((weight) => (left -= weight) < 0);
  });
}

/** { clusters, axes, codeSize, cluster, label, map, codes, confidence, margin, outlier } of so many rows. */
export function makeRows({ rows, clusters, axes = 2, seed = 1, strays = 0.06 }) {
  const next = uniform(seed);
  const bell = normal(next);
  const cluster = clusterOfEach(rows, clusters, next);
  const places = middles(clusters, axes);
  const codeMiddles = Array.from({ length: clusters }, () => Array.from({ length: CODE_SIZE }, () => 3 * bell()));
  const made = { rows, clusters, axes, codeSize: CODE_SIZE, cluster, map: [], codes: [], confidence: [], margin: [], outlier: [], label: [] };
  for (let row = 0; row < rows; row++) {
    const own = cluster[row];
    const offset = Array.from({ length: axes }, () => 0.55 * bell() * (next() < 0.05 ? 2.5 : 1));
    made.map.push(...places[own].map((value, axis) => value + offset[axis]));
    made.codes.push(...codeMiddles[own].map((value) => value + 0.5 * bell()));
    const far = Math.hypot(...offset);
    made.confidence.push(Math.max(0.3, 1 - 0.12 * far ** 2 - 0.1 * next() ** 4));
    made.margin.push(Math.max(-1, 1 - 0.5 * far));
    made.outlier.push(far ** 2 + 0.3 * next());
    made.label.push(next() < strays ? Math.floor(next() * clusters) : own);
  }
  return made;
}
