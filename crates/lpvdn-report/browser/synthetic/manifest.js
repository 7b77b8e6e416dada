// The small part of a page: facts that follow from the rows, and a history such as a fit leaves behind.
import { floats, wholes } from './bytes.js';
import { uniform } from './random.js';

const SHOWN = 10; // typical rows, and those on the boundary

function membersOf(rows, index) {
  return rows.cluster.flatMap((own, row) => (own === index ? [row] : []));
}

function card(rows, index) {
  const members = membersOf(rows, index).sort((a, b) => rows.confidence[b] - rows.confidence[a] || a - b);
  const sum = members.reduce((total, row) => total + rows.confidence[row], 0);
  return { size: members.length, name: String(index), typical: members.slice(0, SHOWN), boundary: members.slice(-SHOWN).reverse(),
    features: [], samples: null, sample_count: 0, label: null, purity: null, silhouette: 0.62 - 0.09 * (index % 8),
    confidence: members.length ? sum / members.length : null };
}

export function confusionOf(rows, labelCount) {
  const counts = Array.from({ length: rows.clusters }, () => new Array(labelCount).fill(0));
  rows.cluster.forEach((own, row) => { counts[own][rows.label[row]]++; });
  return counts;
}

/** Adds what is known once true classes are. */
export function withLabels(manifest, rows, labels) {
  const confusion = confusionOf(rows, labels.length);
  manifest.clusters.forEach((own, index) => {
    own.label = confusion[index].indexOf(Math.max(...confusion[index]));
    own.purity = own.size ? Math.max(...confusion[index]) / own.size : null;
  });
  return Object.assign(manifest, { labels, confusion });
}

function pretraining(count, next) {
  return Array.from({ length: count }, (_, i) => {
    const loss = 0.02 + 0.08 * Math.exp(-i / 8) + 0.0006 * next();
    return { phase: 'pretrain', epoch: i + 1, epochs: count, reconstruction: loss, loss, learning_rate: 0.001,
      rows_per_second: 21000 + 900 * next(), seconds: 0.4 * (i + 1), seconds_left: 0.4 * (count - i) };
  });
}

function jointTraining(count, clusters, next) {
  return Array.from({ length: count }, (_, i) => {
    const ease = Math.exp(-i / 18);
    const weights = Array.from({ length: clusters }, (_unused, k) => 1 + ease * ((k * 7) % 5) + 0.1 * next());
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const [reconstruction, divergence, locality] = [88 + 40 * ease + next(), 14 + 5 * ease + 0.3 * next(), 0.3 + 1.1 * ease + 0.02 * next()];
    return { phase: 'joint', epoch: i + 1, epochs: count, reconstruction, divergence, mutual_information_loss: 0.12 + 0.5 * ease,
      information: Math.log(2) - 0.12 - 0.5 * ease, locality, loss: reconstruction + divergence + locality,
      learning_rate: 0.002 * 0.95 ** Math.floor(i / 10), occupancy: weights.map((weight) => weight / total),
      effective_clusters: clusters - 2.5 * ease, rows_per_second: 5200 + 200 * next(), seconds: 20 + 1.6 * i, seconds_left: 1.6 * (count - i) };
  });
}

export function trainingOf(clusters, pretrain = 50, joint = 120) {
  const next = uniform(7);
  const evaluations = Array.from({ length: joint / 10 }, (_, i) => {
    const rise = 1 - Math.exp(-(i + 1) / 3);
    return { epoch: 10 * (i + 1), acc: 0.5 + 0.44 * rise, purity: 0.52 + 0.43 * rise, nmi: 0.45 + 0.44 * rise, ari: 0.4 + 0.48 * rise,
      mixture_acc: 0.42 + 0.45 * rise + 0.02 * next(), seconds: 20 + 16 * i };
  });
  return { epochs: [...pretraining(pretrain, next), ...jointTraining(joint, clusters, next)], evaluations };
}

const METRICS = [
  { name: 'accuracy', value: 0.9412, about: 'share of rows whose cluster, paired best with the classes, is theirs' },
  { name: 'NMI', value: 0.8931, about: 'normalised mutual information of clusters and classes' },
  { name: 'ARI', value: 0.8807, about: 'adjusted Rand index' },
  { name: 'silhouette', value: 0.4126, about: 'mean over all rows, in the space of codes' },
];

/** Of clusters one of which refits do not find again. */
export function verdictOf(clusters) {
  return { structure: 'partial', sentence: 'structure, but cluster 1 is not found again in refits',
    figures: 'halves of the rows are divided alike with an ARI of 0.81, with permuted columns 0.05 ± 0.02, as a Gaussian 0.31 ± 0.08',
    clusters: Array.from({ length: clusters }, (_, index) => (index === 1 ? 0.312 : 0.95 - 0.02 * index)), unstable: [1] };
}

const SETTINGS = [['clusters', '10'], ['latent-size', '10'], ['epochs', '120'], ['batch-size', '256'], ['learning-rate', '0.002'], ['seed', '1']];

/** A manifest for the rows, with everything that may be missing there but labels and what hangs on the kind. */
export function makeManifest(rows, own) {
  return {
    version: 1, served: false, title: 'Synthetic rows', program: 'lpvdn 0.0.0', method: 'lpvdn', kind: 'table',
    rows: rows.rows, rows_total: rows.rows, notes: [], picture: null, text: null, ids: null, columns: [], columns_total: 0,
    map: { axes: rows.axes, about: 'A map of the codes: rows that lie near each other have similar codes. Distances between far groups mean little.' },
    code_size: rows.codeSize, code_name: 'mean of q(z|x)', labels: null,
    clusters: Array.from({ length: rows.clusters }, (_, index) => card(rows, index)),
    metrics: METRICS, confusion: null, verdict: verdictOf(rows.clusters),
    stability: { agreement: 0.8713, candidates: [{ seed: 1, score: 0.412, chosen: true, agreement: 0.891 },
      { seed: 2, score: 0.398, chosen: false, agreement: 0.874 }, { seed: 3, score: 0.371, chosen: false, agreement: 0.849 }] },
    warnings: [], training: trainingOf(rows.clusters),
    facts: [['method', 'lpvdn'], ['parameters', '1,204,514'], ['fingerprint of the data', '5f1c09ab77e2'], ['trained for', '3 min 32 s']],
    settings: SETTINGS, command: 'lpvdn fit rows.npy --clusters 10 --seed 1 --out model.lpvdn', ...own,
  };
}

/** The blobs that every page has. */
export function commonBlobs(rows) {
  return [['map', floats(rows.map)], ['cluster', wholes(rows.cluster)], ['confidence', floats(rows.confidence)], ['margin', floats(rows.margin)],
    ['outlier', floats(rows.outlier)], ['codes', floats(rows.codes)]];
}
