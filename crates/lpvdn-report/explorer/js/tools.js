// The buttons over the map: what dragging does, zoom, names.
(() => {
  const { data, state, camera, map, make, button } = lpvdn;
  const MODES = [['pan', 'Move', 'V'], ['turn', 'Turn', 'T'], ['box', 'Box', 'B'], ['lasso', 'Lasso', 'L']]
    .filter(([mode]) => mode !== 'turn' || data.axes === 3);

  const NOTES = { turn: 'Drag turns the map; with Alt held it does in every mode.', box: 'Drag a box over the rows to select.',
    lasso: 'Draw around the rows to select.' };

  function zoom(factor) {
    camera.glideZoom(factor);
    map.request();
  }

  function fit() {
    camera.fit();
    map.request();
  }

  function modeButton([mode, title, key]) {
    const own = button(title, () => state.set('mode', mode), { title: `${title} (${key})`, 'data-mode': mode });
    const update = () => own.setAttribute('aria-pressed', String(state.get('mode') === mode));
    state.on('mode', update);
    update();
    return own;
  }

  function namesButton() {
    const own = button('Names', () => state.set('showNames', !state.get('showNames')), { title: 'Names on the map (N)', id: 'show-names' });
    const update = () => own.setAttribute('aria-pressed', String(state.get('showNames')));
    state.on('showNames', update);
    update();
    return own;
  }

  function showMode(mode) {
    map.canvas.dataset.mode = mode;
    lpvdn.byId('map-note').textContent = NOTES[mode] ?? '';
  }

  function start() {
    if (data.axes === 3) state.set('mode', 'turn');
    lpvdn.byId('modes').append(...MODES.map(modeButton));
    lpvdn.byId('zooms').append(namesButton(),
      button('−', () => zoom(1 / 1.6), { title: 'Zoom out (−)', 'aria-label': 'Zoom out', id: 'zoom-out' }),
      button('+', () => zoom(1.6), { title: 'Zoom in (+)', 'aria-label': 'Zoom in', id: 'zoom-in' }),
      button('Fit', fit, { title: 'Show the whole map (0)', id: 'fit' }));
    state.on('mode', showMode);
    showMode(state.get('mode'));
    map.canvas.setAttribute('aria-label', 'Map of the rows. Arrow keys move it, plus and minus zoom, Enter picks the row in the middle.');
  }

  lpvdn.tools = { start, zoom, fit, modes: MODES.map(([mode]) => mode) };
})();
