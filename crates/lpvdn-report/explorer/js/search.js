// Finds rows by number, id or words of their text.
(() => {
  const { data, state, format, make, words, byId } = lpvdn;
  const input = byId('search');
  const box = byId('results-box');
  const list = byId('results');
  const MOST_SHOWN = 50;
  const PAUSE = 160; // milliseconds without typing before the search starts
  let found = []; // [{ row, text }]
  let answered = ''; // what they were found for
  let current = -1;
  let timer = 0;
  let run = 0; // the latest search; the results of earlier ones are dropped

  function byNumber(query) {
    const digits = query.replace(/^#/, '').replaceAll(',', '');
    const row = /^\d+$/.test(digits) ? data.rowOfNumber(Number(digits)) : -1;
    return row >= 0 ? [{ row, text: '' }] : [];
  }

  async function search(query) {
    const own = ++run;
    const wanted = query.toLowerCase();
    const results = new Map(byNumber(query).map((result) => [result.row, result]));
    const look = (textOf) => (entry, row) => {
      const text = textOf(entry);
      if (!results.has(row) && text.toLowerCase().includes(wanted)) results.set(row, { row, text });
      return own === run;
    };
    await data.everyRow('ids', data.manifest.ids, look(String));
    await data.everyRow('texts', data.manifest.text, look((entry) => entry.text));
    if (own === run) show([...results.values()], query);
  }

  /** A piece of the text about what was found, with that marked. */
  function excerpt(text, wanted) {
    const line = text.replace(/\s+/g, ' ');
    const at = line.toLowerCase().indexOf(wanted);
    if (at < 0) return words(format.clip(line, 90), 'data one-line');
    const start = Math.max(0, at - 30);
    return make('bdi', { class: 'data one-line' }, (start > 0 ? '…' : '') + line.slice(start, at),
      make('mark', { text: line.slice(at, at + wanted.length) }), line.slice(at + wanted.length, at + 90));
  }

  function option({ row, text }, index, wanted) {
    const number = make('b', { class: 'figure', text: `#${format.count(data.rowNumber(row))}` });
    return make('li', { role: 'option', id: `result-${index}`, 'aria-selected': 'false', on: {
      mousedown: (event) => event.preventDefault(), click: () => jump(index) } }, number, text ? excerpt(text, wanted) : null,
    lpvdn.rows.groupChip('cluster', row));
  }

  function show(results, query) {
    found = results;
    answered = query;
    current = -1;
    state.set('matches', results.length ? Uint32Array.from(results, ({ row }) => row) : null);
    list.replaceChildren(...results.slice(0, MOST_SHOWN).map((result, index) => option(result, index, query.toLowerCase())));
    const more = results.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} listed` : '';
    byId('results-about').textContent = results.length ? `${format.plural(results.length, 'row')} found${more}` : 'Nothing found';
    lpvdn.announce(byId('results-about').textContent);
    open(true);
  }

  function open(opened) {
    box.hidden = !opened;
    input.setAttribute('aria-expanded', String(opened));
    if (!opened) input.removeAttribute('aria-activedescendant');
  }

  function mark(index) {
    current = index;
    [...list.children].forEach((line, i) => line.setAttribute('aria-selected', String(i === index)));
    list.children[index].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', `result-${index}`);
  }

  function jump(index) {
    open(false);
    if (found.length === 1) state.set('matches', null); // the ring shows it; the others may have their colours back
    lpvdn.pin(found[index].row, { centre: true });
  }

  function clear() {
    run++;
    input.value = '';
    found = [];
    answered = '';
    open(false);
    state.set('matches', null);
  }

  function typed() {
    clearTimeout(timer);
    const query = input.value.trim();
    if (query === '') clear();
    else timer = setTimeout(() => search(query).catch(lpvdn.fail), PAUSE);
  }

  /** Enter searches at once if the results aren't there yet. */
  async function enter() {
    clearTimeout(timer);
    const query = input.value.trim();
    if (query && query !== answered) await search(query);
    if (found.length && query === answered) jump(Math.max(0, current));
  }

  function key(event) {
    const shown = list.children.length;
    if (event.key === 'ArrowDown' && shown && !box.hidden) mark((current + 1) % shown);
    else if (event.key === 'ArrowUp' && shown && !box.hidden) mark((current - 1 + shown) % shown);
    else if (event.key === 'Enter') enter().catch(lpvdn.fail);
    else if (event.key === 'Escape' && input.value) clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function start() {
    const what = ['row number', data.manifest.ids ? 'id' : null, data.kind === 'texts' ? 'words' : null].filter(Boolean);
    input.placeholder = `Search by ${what.join(', ')}  ( / )`;
    input.setAttribute('aria-label', `Search by ${what.join(', ')}`);
    input.addEventListener('input', typed);
    input.addEventListener('keydown', key);
    input.addEventListener('focus', () => found.length && open(true));
    input.addEventListener('blur', () => open(false));
  }

  lpvdn.search = { start, clear, focus: () => { input.focus(); input.select(); } };
})();
