// The rows of a selection: what they are and how they differ from the rest.
(() => {
  const { data, state, format, make, words, button, heading, hint, rows, selection } = lpvdn;
  const PAGE = data.kind === 'pictures' ? 60 : 20;
  const MOST_GROUPS = 12;
  const MOST_FEATURES = 12;

  function tallyBars(by, chosen) {
    const group = lpvdn.groups[by];
    const tally = lpvdn.tally(by, chosen.rows);
    const entries = tally.slice(0, MOST_GROUPS).map(([index, count]) => ({ name: group.name(index), value: count,
      text: `${format.count(count)} · ${format.percent(count / chosen.rows.length)}`, color: group.color(index) }));
    const more = tally.length - entries.length;
    return [heading(by === 'cluster' ? 'By cluster' : 'By true label'), lpvdn.bars(entries), more > 0 ? hint(`and ${more} more`) : null];
  }

  function mean(chosen) {
    if (data.kind !== 'pictures') return [];
    const promise = selection.meanPicture(chosen.rows, () => state.get('selection') === chosen);
    return [heading('Mean picture'), lpvdn.picture(promise, 'medium mean')];
  }

  function features(chosen) {
    if (data.columns.length === 0 || chosen.rows.length === data.rows) return [];
    const place = make('div', { id: 'selection-features' }, hint('Comparing…'));
    const found = selection.distinguishing(chosen.rows).then((all) => (
      all.length ? lpvdn.features(all.slice(0, MOST_FEATURES)) : hint('No column differs.')));
    const among = (data.manifest.columns_total ?? 0) > data.columns.length
      ? hint(`Among the ${format.count(data.columns.length)} columns of ${format.count(data.manifest.columns_total)} that this page holds.`) : null;
    return [heading(data.kind === 'texts' ? 'Distinguishing terms' : 'Distinguishing columns'), rows.fillLater(place, found),
      hint('Means here and elsewhere; the score is their difference in standard deviations.'), among];
  }

  /** Page by page, so that a large selection costs no more than a small one. */
  function sheet(chosen) {
    const pages = Math.ceil(chosen.rows.length / PAGE);
    const place = make('div', { id: 'sheet-rows' });
    const at = make('span', { class: 'figure faint' });
    let page = 0;
    const turn = (step) => {
      page = Math.max(0, Math.min(pages - 1, page + step));
      place.replaceChildren(rows.list(chosen.rows.subarray(page * PAGE, (page + 1) * PAGE)));
      at.textContent = `${page + 1} / ${pages}`;
      [before, after].forEach((own, i) => { own.disabled = page === (i ? pages - 1 : 0); });
    };
    const before = button('‹', () => turn(-1), { 'aria-label': 'Page before' });
    const after = button('›', () => turn(1), { 'aria-label': 'Next page' });
    turn(0);
    const pager = pages > 1 ? make('div', { class: 'line pager' }, before, at, after) : null;
    return [heading('Rows'), pager, place];
  }

  function head(chosen) {
    return [make('div', { class: 'row-head' },
      make('h2', { id: 'selection-count', text: `${format.plural(chosen.rows.length, 'row')} selected` }),
      make('span', { class: 'faint figure', text: format.percent(chosen.rows.length / data.rows) })),
    make('div', { class: 'line' }, button('Export CSV', () => selection.exportRows().catch(lpvdn.fail), { id: 'export-rows' }),
      button('Zoom to it', () => { lpvdn.camera.frame(chosen.rows); lpvdn.map.request(); }),
      button('Clear', selection.clear), words(format.clip(`by ${chosen.about}`, 60), 'data faint one-line'))];
  }

  function content() {
    const chosen = state.get('selection');
    if (!chosen) return [hint('Nothing is selected. Draw a box (B) or a lasso (L, or Shift and drag) on the map, or select the rows of a cluster.')];
    return [...head(chosen), ...tallyBars('cluster', chosen), ...(data.label ? tallyBars('label', chosen) : []),
      ...mean(chosen), ...features(chosen), ...sheet(chosen)];
  }

  lpvdn.tabs.add({ id: 'selection', title: 'Selection', content, keys: ['selection', 'names'] });
})();
