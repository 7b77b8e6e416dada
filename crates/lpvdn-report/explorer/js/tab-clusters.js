// All clusters as cards; a card fills when it comes into view, since there may be hundreds.
(() => {
  const { data, names, format, make, button, hint, clusterCard } = lpvdn;
  const ORDERS = [
    ['given', 'as numbered', (a, b) => a - b],
    ['size', 'largest first', (a, b) => data.clusters[b].size - data.clusters[a].size],
    ['stability', 'least stable first', (a, b) => (lpvdn.verdict.stability(a) ?? 2) - (lpvdn.verdict.stability(b) ?? 2)],
    ['silhouette', 'least coherent first', (a, b) => (data.clusters[a].silhouette ?? 2) - (data.clusters[b].silhouette ?? 2)],
    ['purity', 'least pure first', (a, b) => (data.clusters[a].purity ?? 2) - (data.clusters[b].purity ?? 2)],
    ['name', 'by name', (a, b) => names.cluster(a).localeCompare(names.cluster(b), 'en', { numeric: true })],
  ].filter(([key]) => (key !== 'purity' || data.labels) && (key !== 'stability' || lpvdn.verdict.isKnown));
  let order = 'given';

  const cards = make('div', { class: 'cluster-cards' });
  const filler = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
    filler.unobserve(target);
    target.querySelector('.cluster-body').replaceChildren(...clusterCard.body(Number(target.dataset.cluster)));
  }), { rootMargin: '300px' });

  function showCards() {
    const compare = ORDERS.find(([key]) => key === order)[2];
    filler.disconnect();
    cards.replaceChildren(...data.clusters.map((_, index) => index).sort((a, b) => compare(a, b) || a - b).map(clusterCard.card));
    [...cards.children].forEach((card) => filler.observe(card));
  }

  function nameList() {
    return data.clusters.map((cluster, index) => ({ cluster: index, name: names.cluster(index), given: names.given(index), size: cluster.size }));
  }

  function exportJson() {
    lpvdn.csv.save('cluster-names.json', 'application/json', JSON.stringify({ title: data.manifest.title, names: nameList() }, null, 2) + '\n');
  }

  function exportCsv() {
    const lines = nameList().map((entry) => [entry.cluster, entry.name, entry.given, entry.size]);
    lpvdn.csv.save('cluster-names.csv', 'text/csv', lpvdn.csv.csv([['cluster', 'name', 'given_name', 'size'], ...lines]));
  }

  function resetNames() {
    names.reset();
    showCards();
    lpvdn.announce('Names reset');
  }

  function content() {
    const sorter = make('select', { 'aria-label': 'Order of the clusters', on: { change: () => { order = sorter.value; showCards(); } } },
      ORDERS.map(([key, title]) => make('option', { value: key, text: title, selected: key === order })));
    showCards();
    return [make('div', { class: 'line' }, make('b', { text: format.plural(data.clusters.length, 'cluster') }), sorter),
      make('div', { class: 'line' }, make('span', { class: 'faint', text: 'Names' }),
        button('JSON', exportJson, { id: 'names-json', 'aria-label': 'Export names as JSON' }),
        button('CSV', exportCsv, { id: 'names-csv', 'aria-label': 'Export names as CSV' }),
        button('Reset', resetNames, { id: 'names-reset', 'aria-label': 'Reset names' })),
      data.clusters.length ? cards : hint('There are no clusters.')];
  }

  lpvdn.tabs.add({ id: 'clusters', title: 'Clusters', content });
})();
