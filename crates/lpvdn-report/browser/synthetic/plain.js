// Pages with no more than what every page has.
import { commonBlobs, makeManifest } from './manifest.js';
import { makeRows } from './rows.js';

const NOTHING = { metrics: [], verdict: null, stability: null, training: null, facts: [], settings: [], command: '', code_name: '' };

/** A map with three axes. */
export function solid({ count = 3000 } = {}) {
  const rows = makeRows({ rows: count, clusters: 7, axes: 3, seed: 23 });
  return { manifest: makeManifest(rows, { title: 'Rows in space' }), blobs: new Map(commonBlobs(rows)), rows };
}

/** As many rows as a page should bear. */
export function many({ count = 100000 } = {}) {
  const rows = makeRows({ rows: count, clusters: 24, seed: 29 });
  return { manifest: makeManifest(rows, { title: 'A hundred thousand rows' }), blobs: new Map(commonBlobs(rows)), rows };
}

/** Everything that may be missing is; one cluster has no rows, one row no place. */
export function bare({ count = 40 } = {}) {
  const rows = makeRows({ rows: count, clusters: 3, seed: 31 });
  rows.map[0] = NaN;
  const manifest = makeManifest(rows, { ...NOTHING, title: '' });
  manifest.clusters.push({ ...manifest.clusters[0], size: 0, name: '3', typical: [], boundary: [], silhouette: null, confidence: null });
  return { manifest, blobs: new Map(commonBlobs(rows)), rows };
}

/** A single row. */
export function single() {
  const rows = makeRows({ rows: 1, clusters: 1, seed: 37 });
  return { manifest: makeManifest(rows, { ...NOTHING, title: 'One row' }), blobs: new Map(commonBlobs(rows)), rows };
}
