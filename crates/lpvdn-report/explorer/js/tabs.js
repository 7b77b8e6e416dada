// The tabs of the side panel. A tab is drawn when it shows and something it shows has changed.
(() => {
  const { state, make } = lpvdn;
  const bar = lpvdn.byId('tabs');
  const panels = lpvdn.byId('tab-panels');
  const tabs = [];
  let started = false; // before that there are no rows to draw

  function draw(tab) {
    if (!tab.stale) return;
    tab.stale = false;
    keepFocus(tab, () => tab.panel.replaceChildren(...tab.content().filter(Boolean)));
  }

  /** Who pressed a button that goes away stays in the panel, and doesn't start anew at the top of the page. */
  function keepFocus(tab, change) {
    const within = panels.contains(document.activeElement);
    change();
    if (within && !tab.panel.contains(document.activeElement)) tab.panel.focus({ preventScroll: true });
  }

  function outdate(tab) {
    tab.stale = true;
    if (started && state.get('tab') === tab.id) draw(tab);
  }

  function show(id) {
    keepFocus(tabs.find((tab) => tab.id === id), () => tabs.forEach((tab) => showOrHide(tab, id)));
  }

  function showOrHide(tab, id) {
    const current = tab.id === id;
    tab.button.setAttribute('aria-selected', String(current));
    tab.button.tabIndex = current ? 0 : -1;
    tab.panel.hidden = !current;
    if (!current) return;
    draw(tab);
    tab.button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  function step(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    const at = tabs.findIndex((tab) => tab.id === state.get('tab'));
    const to = Number.isFinite(steps[event.key]) ? (at + steps[event.key] + tabs.length) % tabs.length
      : steps[event.key] < 0 ? 0 : tabs.length - 1;
    state.set('tab', tabs[to].id);
    tabs[to].button.focus();
  }

  /** `content()` gives the elements of the tab anew; `keys` are the values of the state that it shows. */
  function add({ id, title, content, keys = [] }) {
    const tab = { id, content, stale: true,
      button: make('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`, text: title,
        on: { click: () => state.set('tab', id) } }),
      panel: make('div', { role: 'tabpanel', id: `panel-${id}`, class: 'tab-panel', 'aria-labelledby': `tab-${id}`, tabindex: '0', hidden: true }) };
    tabs.push(tab);
    bar.append(tab.button);
    panels.append(tab.panel);
    state.on([...keys, 'theme'], () => outdate(tab));
  }

  function start() {
    started = true;
    bar.addEventListener('keydown', step);
    state.on('tab', show);
    show(state.get('tab'));
  }

  lpvdn.tabs = { add, start };
})();
