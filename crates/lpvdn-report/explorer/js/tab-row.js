// One row with all that is known of it.
(() => {
  const { data, state, format, make, words, button, heading, hint, rows } = lpvdn;

  function meter(share) {
    const bar = make('span', { class: 'bar-fill' });
    bar.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    return make('span', { class: 'bar', 'aria-hidden': 'true' }, bar);
  }

  function fact(name, ...value) {
    return [make('dt', { text: name }), make('dd', {}, value)];
  }

  /** The share of the other rows that are less of an outlier. */
  function outlierRank(row) {
    const below = data.outlier.reduce((sum, value) => sum + (value < data.outlier[row] ? 1 : 0), 0);
    return data.rows > 1 ? below / (data.rows - 1) : 0;
  }

  function idFact(row) {
    if (!data.manifest.ids) return [];
    return fact('Id', rows.fillLater(make('span', { class: 'id' }), data.id(row).then((id) => words(format.clip(id, 300), 'data wrapping'))));
  }

  function facts(row) {
    return make('dl', { class: 'row-facts' }, idFact(row),
      fact('Cluster', rows.groupChip('cluster', row)),
      data.label ? fact('True label', rows.groupChip('label', row)) : [],
      fact('Confidence', meter(data.confidence[row]), make('span', { class: 'figure', text: format.number(data.confidence[row]) })),
      fact('Margin', make('span', { class: 'figure', text: format.number(data.margin[row]) })),
      fact('Outlier score', make('span', { class: 'figure', text: format.number(data.outlier[row]) }),
        make('span', { class: 'faint', text: `above ${format.percent(outlierRank(row))} of the rows` })));
  }

  function head(row) {
    const back = button('← Back', lpvdn.back, { id: 'back', title: 'To the row before (Backspace)' });
    back.disabled = !lpvdn.canGoBack();
    return make('div', { class: 'row-head' }, make('h2', { text: `Row ${format.count(data.rowNumber(row))}` }), back,
      button('Centre', () => lpvdn.bringToMiddle(row)), button('Close', lpvdn.unpin));
  }

  function neighbours() {
    const near = state.get('neighbours');
    if (!data.manifest.code_size) return [];
    const distance = new Map(near.map((entry) => [entry.row, format.short(entry.distance)]));
    const about = `The rows whose codes ${data.manifest.code_name ? `(${data.manifest.code_name}) ` : ''}are nearest, with the distance.`;
    const list = rows.list(near.map((entry) => entry.row), (row) => distance.get(row));
    list.id = 'neighbours';
    return [heading('Nearest neighbours'), near.length ? list : hint(data.rows > 1 ? 'Looking for them…' : 'No others.'), hint(about)];
  }

  function content() {
    const row = state.get('pinned');
    if (row === null) return [hint('No row is pinned. Click a point of the map, search for a row, or press Enter on the map.')];
    const parts = [rows.large(row), facts(row)];
    if (data.kind !== 'pictures') parts.reverse(); // texts and tables are long: the facts first
    return [head(row), make('div', { class: `row-body row-${data.kind}` }, parts), ...neighbours()];
  }

  lpvdn.tabs.add({ id: 'row', title: 'Row', content, keys: ['pinned', 'neighbours', 'names'] });
  state.on('pinned', () => { lpvdn.byId('panel-row').scrollTop = 0; });
})();
