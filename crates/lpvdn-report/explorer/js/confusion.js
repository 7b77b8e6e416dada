// The table of clusters against true labels.
(() => {
  const { data, names, format, make, words } = lpvdn;
  const STEPS = 10; // shades, from the style sheet
  const MOST_ACROSS = 6; // columns with long names that fit side by side

  /** Shaded by the share of the cluster's rows. */
  function cell(count, total) {
    const step = count === 0 ? 0 : Math.max(1, Math.round((STEPS * count) / total));
    return make('td', { class: `figure heat-${step}`, text: count === 0 ? '·' : format.count(count) });
  }

  function line(confusion, cluster, labels) {
    const counts = confusion[cluster];
    const total = counts.reduce((sum, count) => sum + count, 0);
    const head = make('th', { scope: 'row' }, words(format.clip(names.clusterInWords(cluster), 40), 'data one-line'));
    return make('tr', { 'data-cluster': cluster }, head, labels.map((label) => cell(counts[label], total)));
  }

  /** Many long names stand upright, so that the columns stay narrow. */
  const isUpright = () => data.labels.length > MOST_ACROSS && data.labels.some((_, label) => names.label(label).length > 3);

  lpvdn.confusionTable = (confusion) => {
    const labels = data.labels.map((_, label) => label);
    const head = labels.map((label) => make('th', { scope: 'col', title: format.clip(names.label(label), 200) },
      words(format.clip(names.label(label), 12))));
    return make('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Clusters against labels' },
      make('table', { class: isUpright() ? 'confusion upright' : 'confusion', id: 'confusion' }, make('thead', {}, make('tr', {}, make('td'), head)),
        make('tbody', {}, lpvdn.matching.diagonalOrder(confusion).map((cluster) => line(confusion, cluster, labels)))));
  };
})();
