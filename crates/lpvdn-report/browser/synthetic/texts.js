// Short documents about a few subjects, some of them with strings that look like markup.
import { chunks, json, wholes } from './bytes.js';
import { commonBlobs, makeManifest, withLabels } from './manifest.js';
import { uniform } from './random.js';
import { makeRows } from './rows.js';

const CHUNK = 256;
const SUBJECTS = {
  space: ['orbit', 'launch', 'shuttle', 'moon', 'telescope', 'rocket', 'lunar', 'satellite'],
  hockey: ['goal', 'season', 'team', 'puck', 'coach', 'playoff', 'league', 'score'],
  medicine: ['patient', 'disease', 'doctor', 'treatment', 'symptom', 'dose', 'therapy', 'trial'],
  cars: ['engine', 'brake', 'dealer', 'mileage', 'gear', 'tyre', 'clutch', 'turbo'],
  graphics: ['image', 'pixel', 'render', 'polygon', 'shader', 'format', 'palette', 'vector'],
};
const FILLERS = ['the', 'and', 'of', 'with', 'after', 'before', 'a', 'new', 'our', 'this', 'was', 'for'];
export const HOSTILE_TEXT = '</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> in row two';

function write(subject, next) {
  const own = SUBJECTS[subject];
  const length = 12 + Math.floor(60 * next());
  const words = Array.from({ length }, () => (next() < 0.4 ? own[Math.floor(next() * own.length)] : FILLERS[Math.floor(next() * FILLERS.length)]));
  return `${words.join(' ')}.`;
}

function termsOf(text) {
  const counts = new Map();
  text.split(/\W+/).filter((word) => word.length > 3).forEach((word) => counts.set(word, (counts.get(word) ?? 0) + 1));
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([word, count]) => [word, count * 0.137]);
}

function features(subject) {
  return SUBJECTS[subject].map((name, i) => ({ name, here: 0.31 - 0.03 * i, elsewhere: 0.01, score: 4.1 - 0.4 * i }));
}

/** A page of texts. */
export function texts({ count = 600 } = {}) {
  const subjects = Object.keys(SUBJECTS);
  const rows = makeRows({ rows: count, clusters: subjects.length, seed: 11 });
  const next = uniform(13);
  const manifest = withLabels(makeManifest(rows, { title: 'News groups', kind: 'texts', text: { chunk: CHUNK } }), rows, subjects);
  manifest.clusters.forEach((cluster, index) => Object.assign(cluster, { features: features(subjects[index]),
    samples: Array.from({ length: 4 }, (_, i) => SUBJECTS[subjects[index]].slice(i, i + 5)), sample_count: 4 }));
  const entries = rows.label.map((label) => write(subjects[label], next)).map((text) => ({ text, terms: termsOf(text) }));
  entries[1] = { text: HOSTILE_TEXT, terms: [['<b>onerror</b>', 2], ['script', 1]] };
  const blobs = [...commonBlobs(rows), ['label', wholes(rows.label)], ...chunks('texts', entries, CHUNK, json)];
  return { manifest, blobs: new Map(blobs), rows, entries };
}
