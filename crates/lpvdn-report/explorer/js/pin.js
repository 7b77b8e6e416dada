// The row in the side panel, its neighbours, and the way back.
(() => {
  const { data, state, camera, map } = lpvdn;
  const history = [];

  async function show(row) {
    state.set('neighbours', []);
    state.set('pinned', row);
    if (row === null) return;
    lpvdn.announce(lpvdn.rows.inWords(row));
    if (!data.manifest.code_size) return;
    const found = await lpvdn.neighbours(row);
    if (state.get('pinned') === row) state.set('neighbours', found);
  }

  function pin(row, { centre = false } = {}) {
    const before = state.get('pinned');
    if (before !== null && before !== row) history.push(before);
    if (centre) bringToMiddle(row);
    state.set('tab', 'row');
    show(row).catch(lpvdn.fail);
  }

  function bringToMiddle(row) {
    if (!lpvdn.scene.isPlaced(row)) return;
    camera.centre(row);
    map.request();
  }

  function back() {
    if (history.length === 0) return;
    const row = history.pop();
    bringToMiddle(row);
    state.set('tab', 'row');
    show(row).catch(lpvdn.fail);
  }

  function unpin() {
    history.length = 0;
    show(null);
  }

  lpvdn.pin = pin;
  lpvdn.unpin = unpin;
  lpvdn.back = back;
  lpvdn.canGoBack = () => history.length > 0;
  lpvdn.bringToMiddle = bringToMiddle;
})();
