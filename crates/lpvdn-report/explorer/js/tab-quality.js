// How good the clustering is, and where it's in doubt.
(() => {
  const { data, names, format, make, words, heading, hint, rows } = lpvdn;
  const { manifest } = data;
  const MOST_ROWS = data.kind === 'pictures' ? 24 : 8;
  const MOST_CELLS = 60; // lines, or columns, of a table that can still be read
  const known = (value) => value !== null && value !== undefined;

  function metrics() {
    if (!manifest.metrics?.length) return [hint('No metrics were computed.')];
    return [make('dl', { class: 'metrics' }, manifest.metrics.map((metric) => make('div', {},
      make('dt', {}, words(metric.name)), make('dd', { class: 'figure', text: format.number(metric.value) }),
      make('dd', { class: 'faint' }, words(metric.about ?? '', 'data wrapping')))))];
  }

  function confusion() {
    if (!manifest.confusion?.length || !data.labels?.length) return [];
    const sizes = [data.clusters.length, data.labels.length];
    const table = Math.max(...sizes) <= MOST_CELLS ? lpvdn.confusionTable(manifest.confusion)
      : hint(`A table of ${format.plural(sizes[0], 'cluster')} and ${format.plural(sizes[1], 'label')} is too large to read.`);
    return [heading('Clusters and true labels'), table];
  }

  function silhouetteBar(value) {
    const bar = make('span', { class: value < 0 ? 'low' : 'high' });
    bar.style.width = `${50 * Math.min(1, Math.abs(value))}%`;
    bar.style.left = `${value < 0 ? 50 - 50 * Math.min(1, -value) : 50}%`;
    return make('span', { class: 'standing', 'aria-hidden': 'true' }, bar);
  }

  function silhouettes() {
    if (!data.clusters.some((cluster) => known(cluster.silhouette))) return [];
    const lines = data.clusters.map((cluster, index) => make('tr', {},
      make('th', { scope: 'row' }, words(format.clip(names.clusterInWords(index), 60), 'data one-line')),
      make('td', {}, known(cluster.silhouette) ? silhouetteBar(cluster.silhouette) : null),
      make('td', { class: 'figure', text: format.number(cluster.silhouette) })));
    return [heading('Silhouette by cluster'), make('table', { class: 'values silhouettes' }, make('tbody', {}, lines)),
      hint('From −1 to 1: how much nearer a cluster’s rows are to each other than to the next cluster.')];
  }

  function candidateTable(candidates) {
    const head = ['seed', 'score', 'agreement', ''].map((text) => make('th', { text, scope: 'col' }));
    const lines = candidates.map((candidate) => make('tr', { class: candidate.chosen ? 'chosen' : '' },
      make('td', { class: 'figure', text: String(candidate.seed) }), make('td', { class: 'figure', text: format.number(candidate.score) }),
      make('td', { class: 'figure', text: format.number(candidate.agreement) }), make('td', { text: candidate.chosen ? 'chosen' : '' })));
    return make('table', { class: 'values' }, make('thead', {}, make('tr', {}, head)), make('tbody', {}, lines));
  }

  function stability() {
    const found = manifest.stability;
    if (!found) return [];
    return [heading('Stability'), make('p', {}, 'Fits from other seeds agree on ', make('b', { class: 'figure', text: format.number(found.agreement) }), ' on average.'),
      found.candidates?.length ? candidateTable(found.candidates) : null];
  }

  /** The rows with the smallest (sign 1) or largest (sign -1) values. */
  function extreme(values, sign) {
    const all = Uint32Array.from({ length: data.rows }, (_, row) => row).filter((row) => Number.isFinite(values[row]));
    return all.sort((a, b) => sign * (values[a] - values[b]) || a - b).subarray(0, MOST_ROWS);
  }

  function doubtful() {
    // By the margin, which tells rows apart where the model is sure of all of them.
    const list = rows.list(extreme(data.margin, 1), (row) => format.short(data.margin[row]));
    list.id = 'least-sure';
    return [heading('Least sure'), list, hint('With the margin: how much nearer the middle of a row’s own cluster is than that of the next, from −1 to 1.'), heading('Least like the rest'), rows.list(extreme(data.outlier, -1), (row) => format.number(data.outlier[row]))];
  }

  function content() {
    return [...(manifest.warnings ?? []).map((warning) => make('p', { class: 'note warning' }, words(warning, 'data wrapping'))),
      ...metrics(), heading('Confidence'), lpvdn.confidenceHistogram(), ...confusion(), ...silhouettes(), ...stability(), ...doubtful()];
  }

  lpvdn.tabs.add({ id: 'quality', title: 'Quality', content, keys: ['names'] });
})();
