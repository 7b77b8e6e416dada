// How sure the model is of the rows; a bar selects its rows.
(() => {
  const { data, format, make, selection } = lpvdn;
  const BINS = 20;

  const binOf = (value) => Math.min(BINS - 1, Math.max(0, Math.floor(value * BINS)));

  function bar(count, bin, most) {
    const range = `${format.percent(bin / BINS)}–${format.percent((bin + 1) / BINS)}`;
    const fill = make('span', { class: 'histogram-fill' });
    fill.style.height = `${count === 0 ? 0 : Math.max(2, (100 * count) / most)}%`;
    const select = () => selection.choose(selection.rowsWhere((row) => binOf(data.confidence[row]) === bin), `confidence ${range}`);
    const own = make('button', { type: 'button', class: 'histogram-bar', 'data-bin': bin, title: `${range}: ${format.plural(count, 'row')}`,
      'aria-label': `Select the ${format.plural(count, 'row')} with confidence ${range}`, on: { click: select } }, fill);
    own.disabled = count === 0;
    return own;
  }

  lpvdn.confidenceHistogram = () => {
    const counts = new Array(BINS).fill(0);
    data.confidence.forEach((value) => { if (Number.isFinite(value)) counts[binOf(value)]++; });
    const most = Math.max(...counts);
    return make('div', { class: 'histogram' },
      make('div', { class: 'histogram-bars' }, counts.map((count, bin) => bar(count, bin, most))),
      make('div', { class: 'scale-ends figure faint' }, make('span', { text: '0' }), make('span', { text: 'probability of its cluster' }), make('span', { text: '1' })));
  };
})();
