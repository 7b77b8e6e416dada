// What the colours mean, and switches to hide groups.
(() => {
  const { state, format, make, words, button, colors, coloring } = lpvdn;
  const MOST_ENTRIES = 200;
  const box = lpvdn.byId('legend');
  const chooser = make('select', { id: 'color-by', on: { change: () => state.set('colorBy', chooser.value) } });
  const body = make('div', { class: 'legend-body' });
  const foot = make('div', { class: 'legend-foot' });
  let shown = null; // the colouring that is shown
  let entries = []; // the lines of its groups

  function setHidden(by, indices) {
    state.set('hidden', { ...state.get('hidden'), [by]: indices });
  }

  function toggle(by, index) {
    const hidden = new Set(state.get('hidden')[by]);
    if (!hidden.delete(index)) hidden.add(index);
    setHidden(by, hidden);
  }

  function only(by, index) {
    const others = Array.from({ length: lpvdn.groups[by].size }, (_, i) => i).filter((i) => i !== index);
    setHidden(by, new Set(others));
  }

  const showAll = () => state.set('hidden', { cluster: new Set(), label: new Set() });

  function entry(by, group, index) {
    const switcher = make('button', { type: 'button', class: 'legend-switch', on: {
      click: () => toggle(by, index), dblclick: () => only(by, index) } },
    lpvdn.rows.swatch(group.color(index)), words(format.clip(group.name(index), 80), 'data one-line'),
    make('span', { class: 'figure faint', text: format.count(group.counts[index]) }));
    const single = button('only', () => only(by, index), { class: 'legend-only', 'aria-label': `Only ${group.name(index)}` });
    const spotlight = () => state.set('spotlight', { by, index });
    const dim = () => state.set('spotlight', null);
    return { index, switcher, element: make('li', { on: { mouseenter: spotlight, mouseleave: dim } }, switcher, single) };
  }

  function showGroups({ by, group }) {
    entries = Array.from({ length: Math.min(group.size, MOST_ENTRIES) }, (_, index) => entry(by, group, index));
    const more = group.size - entries.length;
    body.replaceChildren(make('ul', { class: 'legend-list' }, entries.map(({ element }) => element)),
      more > 0 ? make('p', { class: 'faint', text: `and ${format.count(more)} more` }) : '');
  }

  function showScale({ min, max, missing }) {
    entries = [];
    const strip = make('canvas', { class: 'scale', width: 128, height: 1, 'aria-hidden': 'true' });
    const context = strip.getContext('2d');
    for (let i = 0; i < 128; i++) {
      context.fillStyle = colors.css(colors.scale(i / 127));
      context.fillRect(i, 0, 1, 1);
    }
    const ends = make('div', { class: 'scale-ends figure' }, make('span', { text: format.number(min) }), make('span', { text: format.number(max) }));
    body.replaceChildren(make('div', { class: 'scale-box' }, strip, ends,
      missing ? make('p', { class: 'faint', text: `${format.count(missing)} missing, in grey` }) : ''));
  }

  function updateSwitches() {
    const hidden = state.get('hidden');
    entries.forEach(({ index, switcher }) => switcher.setAttribute('aria-pressed', String(!hidden[shown.by].has(index))));
    const count = hidden.cluster.size + hidden.label.size;
    foot.replaceChildren(...(count === 0 ? [] : [
      make('span', { class: 'faint', text: `${format.count(count)} hidden` }), button('all', showAll, { class: 'small' })]));
  }

  function show(now) {
    shown = now;
    chooser.value = now.by;
    if (now.group) showGroups(now);
    else showScale(now);
    updateSwitches();
  }

  function next() {
    const keys = coloring.choices().map(([key]) => key);
    state.set('colorBy', keys[(keys.indexOf(state.get('colorBy')) + 1) % keys.length]);
  }

  function start() {
    chooser.append(...coloring.choices().map(([key, title]) => make('option', { value: key, text: title })));
    const folder = button('', () => fold(!box.classList.contains('folded')), { class: 'icon fold', 'aria-label': 'Fold the legend' });
    const fold = (folded) => {
      box.classList.toggle('folded', folded);
      folder.setAttribute('aria-expanded', String(!folded));
    };
    fold(window.matchMedia('(max-width: 760px)').matches); // on a phone the map needs the room
    box.append(make('div', { class: 'legend-head' }, make('label', { for: 'color-by', text: 'Colour' }), chooser, folder), body, foot);
    state.on('hidden', updateSwitches);
    state.on('names', () => shown && show(shown));
  }

  lpvdn.legend = { start, show, next, showAll };
})();
