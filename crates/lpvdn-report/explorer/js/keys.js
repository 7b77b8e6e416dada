// Keys, and the dialog that lists them.
(() => {
  const { data, state, camera, map, make, tools } = lpvdn;
  const dialog = lpvdn.byId('help');
  const STEP = 60; // pixels that an arrow key moves the map
  const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const REACH = 400; // Enter takes the nearest row within this of the middle

  const KEYS = {
    '+': () => tools.zoom(1.6),
    '=': () => tools.zoom(1.6),
    '-': () => tools.zoom(1 / 1.6),
    0: tools.fit,
    f: tools.fit,
    v: () => state.set('mode', 'pan'),
    t: () => tools.modes.includes('turn') && state.set('mode', 'turn'),
    b: () => state.set('mode', 'box'),
    l: () => state.set('mode', 'lasso'),
    n: () => state.set('showNames', !state.get('showNames')),
    c: () => lpvdn.legend.next(),
    a: () => lpvdn.legend.showAll(),
    d: () => lpvdn.theme.toggle(),
    '/': () => lpvdn.search.focus(),
    '?': () => dialog.showModal(),
    Backspace: () => lpvdn.back(),
    Escape: () => escape(),
  };

  const LIST = [
    ['Drag', data.axes === 3 ? 'move or turn, as the buttons say' : 'move the map'],
    ['Wheel, pinch, + −', 'zoom'], ['Double click', 'zoom in there'], ['0', 'show the whole map'],
    ['Shift and drag', 'lasso'], ['V  B  L', 'drag moves, boxes, lassos'],
    ...(data.axes === 3 ? [['T, Alt and drag', 'turn the map'], ['Arrows', 'turn; with Shift move']] : [['Arrows', 'move the map']]),
    ['Enter', 'on the map: pick the row in the middle'], ['Click', 'keep a row in the panel'], ['Backspace', 'back to the row before'],
    ['/', 'search'], ['C', 'colour by the next'], ['A', 'show all groups'], ['N', 'names on the map'], ['D', 'light or dark'],
    ['Esc', 'close, clear the search, the selection, the row'], ['?', 'this list'],
  ];

  /** Takes away one thing, the uppermost first. */
  function escape() {
    if (lpvdn.gestures.cancel()) return;
    if (state.get('matches')) lpvdn.search.clear();
    else if (state.get('selection')) lpvdn.selection.clear();
    else if (state.get('pinned') !== null) lpvdn.unpin();
  }

  const isTyping = (target) => target.closest('input, select, textarea') !== null;

  function arrows(event) {
    const [dx, dy] = ARROWS[event.key];
    event.preventDefault();
    if (data.axes === 3 && !event.shiftKey) camera.rotate(-STEP * dx / 2, -STEP * dy / 2);
    else camera.pan(STEP * dx, STEP * dy);
    map.request();
  }

  function pickMiddle() {
    const { x, y } = camera.middle();
    const row = map.rowAt(x, y, REACH);
    if (row !== null) lpvdn.pin(row);
  }

  function press(event) {
    if (dialog.open || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.target === map.canvas && event.key in ARROWS) arrows(event);
    else if (event.target === map.canvas && event.key === 'Enter') pickMiddle();
    else if (Object.hasOwn(KEYS, keyName(event))) {
      event.preventDefault();
      KEYS[keyName(event)]();
    }
  }

  const keyName = (event) => (event.key.length === 1 ? event.key.toLowerCase() : event.key);

  function start() {
    const lines = LIST.map(([key, does]) => [make('dt', {}, make('kbd', { text: key })), make('dd', { text: does })]);
    dialog.append(make('h2', { text: 'Keys and gestures' }), make('dl', {}, lines.flat()),
      lpvdn.button('Close', () => dialog.close(), { class: 'primary', autofocus: true }));
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    lpvdn.byId('keys').addEventListener('click', () => dialog.showModal());
    document.addEventListener('keydown', press);
  }

  lpvdn.keys = { start };
})();
