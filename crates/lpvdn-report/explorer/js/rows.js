// A row shown as what it is: a picture, a text or a line of a table; small in lists, large in the panel.
(() => {
  const { data, names, format, make, words } = lpvdn;
  const CLIPPED = 3; // standard deviations at which a bar ends

  const swatch = (color) => {
    const dot = make('span', { class: 'swatch' });
    dot.style.backgroundColor = lpvdn.colors.css(color);
    return dot;
  };

  function groupChip(by, row) {
    const group = lpvdn.groups[by];
    const index = group.of[row];
    return make('span', { class: 'chip' }, swatch(group.color(index)), words(group.name(index), 'data one-line'));
  }

  const inWords = (row) => `Row ${format.count(data.rowNumber(row))}, ${names.clusterInWords(data.cluster[row])}`;

  /** Standard deviations from the column's mean. */
  const standing = (column, row) => (column.deviation > 0 ? (column.values[row] - column.mean) / column.deviation : 0);

  /** The row's values, the most unusual first; missing ones last. */
  async function values(row) {
    const columns = await data.everyColumn();
    return columns.map((column, index) => ({ index, name: data.columns[index].name, value: column.values[row],
      z: standing(column, row) }));
  }

  const unusualFirst = (a, b) => (Number.isNaN(a.z) ? 1 : Number.isNaN(b.z) ? -1 : Math.abs(b.z) - Math.abs(a.z));

  function fillLater(element, promise) {
    promise.then((children) => element.replaceChildren(...[children].flat())).catch(lpvdn.fail);
    return element;
  }

  async function tableLine(row) {
    if (data.columns.length === 0) return words(inWords(row));
    const top = (await values(row)).sort(unusualFirst).slice(0, 3);
    return top.map(({ name, value, z }) => make('span', { class: 'pair' }, words(format.clip(name, 24), 'data faint'), ' ',
      make('b', { text: format.number(value) }), make('span', { class: 'faint', text: ` ${format.signed(z)}σ` })));
  }

  async function textLine(row) {
    return words(format.clip((await data.text(row)).text, 160));
  }

  /** The content of a row, small. */
  function small(row) {
    if (data.kind === 'pictures') return lpvdn.picture(data.picture(row), 'small');
    if (data.kind === 'texts') return fillLater(make('span', { class: 'snippet' }), textLine(row));
    return fillLater(make('span', { class: 'pairs' }), tableLine(row));
  }

  /** A button that shows a row small and pins it. */
  function card(row, caption) {
    const options = { type: 'button', class: `card card-${data.kind}`, 'aria-label': inWords(row) + (caption ? `, ${caption}` : ''),
      title: inWords(row), on: { click: () => lpvdn.pin(row, { centre: true }) } };
    const note = make('span', { class: 'card-note' }, swatch(lpvdn.groups.cluster.color(lpvdn.groups.cluster.of[row])),
      make('span', { text: caption ?? `#${format.count(data.rowNumber(row))}` }));
    return make('button', { ...options, 'data-row': row }, small(row), note);
  }

  function list(rows, caption = () => undefined) {
    return make('div', { class: `cards cards-${data.kind}` }, Array.from(rows, (row) => card(row, caption(row))));
  }

  /** A bar from the middle: how far from the mean. */
  function standingBar(z) {
    const share = Math.min(1, Math.abs(z) / CLIPPED) * 50;
    const bar = make('span', { class: z < 0 ? 'low' : 'high' });
    bar.style.width = `${share}%`;
    bar.style.left = `${z < 0 ? 50 - share : 50}%`;
    return make('span', { class: 'standing', 'aria-hidden': 'true' }, bar);
  }

  function valueLine({ name, value, z }) {
    const known = !Number.isNaN(z);
    return make('tr', {}, make('th', { scope: 'row' }, words(format.clip(name, 200), 'data wrapping')),
      make('td', { class: 'figure', text: known ? format.number(value) : 'missing' }),
      make('td', {}, known ? standingBar(z) : null),
      make('td', { class: 'figure faint', text: known ? `${format.signed(z)}σ` : '' }));
  }

  async function valueTable(row) {
    if (data.columns.length === 0) return lpvdn.hint('This page holds no columns of the data.');
    const found = await values(row);
    const body = make('tbody');
    const show = (entries) => body.replaceChildren(...entries.map(valueLine));
    const order = make('select', { 'aria-label': 'Order of the columns', on: { change: () => (
      show(order.value === 'given' ? found : [...found].sort(unusualFirst))) } },
    make('option', { value: 'unusual', text: 'most unusual first' }), make('option', { value: 'given', text: 'as in the data' }));
    show([...found].sort(unusualFirst));
    const head = make('thead', {}, make('tr', {}, ['column', 'value', 'from the mean', ''].map((text) => make('th', { text, scope: 'col' }))));
    return [make('div', { class: 'line' }, order), make('table', { class: 'values' }, head, body)];
  }

  async function fullText(row) {
    const { text, terms } = await data.text(row);
    return [make('p', { class: 'full-text' }, words(text, 'data wrapping')),
      terms?.length ? lpvdn.bars(terms.map(([name, value]) => ({ name, value, text: format.number(value) }))) : null].filter(Boolean);
  }

  /** The content of a row, as large as the panel allows. */
  function large(row) {
    if (data.kind === 'pictures') return lpvdn.picture(data.picture(row), 'large');
    const place = make('div', { class: 'content' });
    return fillLater(place, data.kind === 'texts' ? fullText(row) : valueTable(row));
  }

  lpvdn.rows = { small, large, card, list, groupChip, swatch, inWords, fillLater };
})();
