// Lines of a table with ids, missing values and many columns; the page holds a sample of them.
import { chunks, floats, json, wholes } from './bytes.js';
import { commonBlobs, makeManifest } from './manifest.js';
import { normal, uniform } from './random.js';
import { makeRows } from './rows.js';

const CHUNK = 300;
const NAMES = ['age', 'income', 'body mass index', 'blood pressure', 'heart rate', 'glucose', 'cholesterol', 'years of schooling'];

function columnNames(count) {
  return Array.from({ length: count }, (_, index) => NAMES[index] ?? `measurement ${index + 1 - NAMES.length} of the second visit`);
}

/** Values that depend on the cluster in the first columns, with holes in the third. */
function column(index, rows, bell, next) {
  const spread = 1 + (index % 5);
  return rows.cluster.map((cluster) => {
    const value = 10 * (index + 1) + (index < 12 ? ((cluster * (index + 3)) % 5) * spread : 0) + spread * bell();
    return index === 2 && next() < 0.1 ? NaN : value;
  });
}

function mean(values, keep) {
  const kept = values.filter((value, row) => keep(row) && Number.isFinite(value));
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

function featuresOf(index, columns, names, rows) {
  return columns.slice(0, 12).map((values, j) => {
    const here = mean(values, (row) => rows.cluster[row] === index);
    const elsewhere = mean(values, (row) => rows.cluster[row] !== index);
    return { name: names[j], here, elsewhere, score: (here - elsewhere) / (2 + (j % 5)) };
  }).sort((a, b) => Math.abs(b.score) - Math.abs(a.score));
}

/** Ids of which some would be formulas in a spreadsheet. */
function idOf(row) {
  if (row === 3) return '=HYPERLINK("bad")';
  if (row === 4) return '@cmd, "quoted"';
  return `patient-${String(row + 1).padStart(4, '0')}`;
}

/** A page of a table. */
export function table({ count = 1200, columnCount = 40 } = {}) {
  const rows = makeRows({ rows: count, clusters: 6, seed: 17 });
  const next = uniform(19);
  const bell = normal(next);
  const names = columnNames(columnCount);
  const columns = names.map((_, index) => column(index, rows, bell, next));
  const manifest = makeManifest(rows, { title: 'Health survey', ids: { chunk: CHUNK }, rows_total: 3 * count, columns: names.map((name) => ({ name })),
    columns_total: columnCount + 160, notes: ['The map was made from a sample of the rows.'],
    warnings: [`Column “${names[2]}” has ${columns[2].filter(Number.isNaN).length} missing values; they were replaced by its mean.`] });
  manifest.clusters.forEach((cluster, index) => Object.assign(cluster, { features: featuresOf(index, columns, names, rows),
    samples: Array.from({ length: 3 }, (_, i) => columns.map((values) => values[cluster.typical[i]])), sample_count: 3 }));
  const ids = rows.cluster.map((_, row) => idOf(row));
  const blobs = [...commonBlobs(rows), ['number', wholes(ids.map((_, row) => 3 * row + 2))], ...chunks('ids', ids, CHUNK, json),
    ...columns.map((values, index) => [`column/${index}`, floats(values)])];
  return { manifest, blobs: new Map(blobs), rows, ids, columns };
}
