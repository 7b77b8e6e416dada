// The first thing to read: what this is, how good it is, which clusters there are.
(() => {
  const { data, format, make, words, heading, hint, names } = lpvdn;
  const { manifest } = data;
  const NOUNS = { pictures: ['picture', 'pictures'], texts: ['text', 'texts'], table: ['row', 'rows'] };
  const MOST_METRICS = 6;

  const rowsInWords = (count) => format.plural(count, ...(NOUNS[data.kind] ?? NOUNS.table));

  function sampleNote() {
    if (!data.sampled()) return null;
    return make('p', { class: 'note', text: `This page shows a sample of ${rowsInWords(data.rows)} out of ${format.count(manifest.rows_total)}.` });
  }

  function fact(name, value) {
    return make('div', { class: 'fact' }, make('span', { class: 'faint', text: name }), make('b', { class: 'figure', text: value }));
  }

  function facts() {
    return make('div', { class: 'facts' },
      fact(NOUNS[data.kind]?.[1] ?? 'rows', format.count(manifest.rows_total ?? data.rows)),
      fact('clusters', format.count(data.clusters.length)),
      (manifest.metrics ?? []).slice(0, MOST_METRICS).map((metric) => fact(metric.name, format.number(metric.value))));
  }

  function clusterBars() {
    const entries = data.clusters.map((cluster, index) => ({ name: names.clusterInWords(index), value: cluster.size,
      text: format.count(cluster.size), color: lpvdn.groups.cluster.color(index), mark: lpvdn.verdict.mark(index),
      title: ['Select its rows', lpvdn.verdict.inWords(index)].filter(Boolean).join('; '),
      click: () => lpvdn.selection.byCluster(index) }));
    return lpvdn.bars(entries);
  }

  function content() {
    return [lpvdn.verdict.note(), sampleNote(),
      ...(manifest.notes ?? []).map((note) => make('p', { class: 'note' }, words(note, 'data wrapping'))),
      ...(manifest.warnings ?? []).map((warning) => make('p', { class: 'note warning' }, words(warning, 'data wrapping'))),
      facts(), heading('Clusters'), clusterBars(), heading('The map'),
      manifest.map?.about ? make('p', {}, words(manifest.map.about, 'data wrapping')) : null,
      lpvdn.scene.unplacedCount ? hint(`${format.plural(lpvdn.scene.unplacedCount, 'row')} without a place on the map.`) : null,
      hint('Point at a dot to see it, click to keep it here with its neighbours. Shift and drag draws a lasso. Press ? for all keys.'),
      make('p', { class: 'faint small' }, words([manifest.program, manifest.method].filter(Boolean).join(' · ')))];
  }

  lpvdn.rowsInWords = rowsInWords;
  lpvdn.tabs.add({ id: 'overview', title: 'Overview', content, keys: ['names'] });
})();
