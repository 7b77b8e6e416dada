// Charts made of plain elements: a list of names with bars.
(() => {
  const { make, words, format } = lpvdn;

  function fill(share, color) {
    const bar = make('span', { class: 'bar-fill' });
    bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    if (color) bar.style.backgroundColor = lpvdn.colors.css(color);
    return make('span', { class: 'bar', 'aria-hidden': 'true' }, bar);
  }

  function line({ name, mark, value, text, color, click, title }, most) {
    const parts = [color ? lpvdn.rows.swatch(color) : null, make('span', { class: 'bar-name' }, words(format.clip(name, 80), 'data one-line'), mark),
      fill(most > 0 ? value / most : 0, color), make('span', { class: 'figure', text })];
    const content = click ? make('button', { type: 'button', class: 'bar-line', title, on: { click } }, parts)
      : make('span', { class: 'bar-line', title }, parts);
    return make('li', {}, content);
  }

  /** Entries are { name, mark?, value, text, color?, click?, title? }; a mark is an element after the name. */
  lpvdn.bars = (entries, most = Math.max(...entries.map((entry) => entry.value))) => (
    make('ul', { class: 'bars' }, entries.map((entry) => line(entry, most))));

  /** What tells rows here from those elsewhere: [{ name, here, elsewhere, score }]. */
  lpvdn.features = (features) => {
    const lines = features.map(({ name, here, elsewhere, score }) => make('tr', {},
      make('th', { scope: 'row' }, words(format.clip(name, 80), 'data wrapping')),
      make('td', { class: 'figure', text: format.number(here) }),
      make('td', { class: 'figure faint', text: format.number(elsewhere) }),
      make('td', { class: 'figure', text: `${here < elsewhere ? '▼' : '▲'} ${format.number(Math.abs(score))}` })));
    const head = ['', 'here', 'elsewhere', 'score'].map((text) => make('th', { text, scope: 'col' }));
    return make('table', { class: 'values features' }, make('thead', {}, make('tr', {}, head)), make('tbody', {}, lines));
  };
})();
