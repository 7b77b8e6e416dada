// Starts the page.
(() => {
  const { data, state, map, camera, byId, format } = lpvdn;

  /** Says what went wrong, where the user sees it. */
  lpvdn.fail = (error) => {
    const place = byId('failure');
    place.textContent = `Something went wrong: ${error.message}`;
    place.hidden = false;
    console.error(error);
  };

  function writeHead() {
    const title = data.manifest.title ?? '';
    byId('title').replaceChildren(lpvdn.words(title, 'data one-line'));
    byId('subtitle').textContent = `${lpvdn.rowsInWords(data.rows)}${data.sampled() ? ` of ${format.count(data.manifest.rows_total)}` : ''} in ${format.plural(data.clusters.length, 'cluster')}`;
  }

  /** On a phone the panel is a sheet that can be drawn up. */
  function startSheet() {
    const button = byId('sheet');
    const raise = (raised) => {
      document.body.classList.toggle('sheet-raised', raised);
      button.setAttribute('aria-expanded', String(raised));
      button.setAttribute('aria-label', raised ? 'Lower the panel' : 'Raise the panel');
      button.textContent = raised ? '⌄' : '⌃';
    };
    raise(false);
    button.addEventListener('click', () => raise(!document.body.classList.contains('sheet-raised')));
  }

  async function start() {
    lpvdn.theme.start();
    writeHead();
    startSheet();
    await data.load();
    lpvdn.loadGroups();
    lpvdn.legend.start();
    lpvdn.tools.start();
    lpvdn.keys.start();
    lpvdn.search.start();
    await map.start();
    lpvdn.tabs.start();
    document.body.dataset.ready = 'true';
  }

  /** For tests, and for nothing else: where rows are on the page, and how frames go. */
  lpvdn.debug = {
    screen: (row) => {
      const box = map.canvas.getBoundingClientRect();
      const { x, y } = camera.screen(row);
      return { x: x + box.left, y: y + box.top };
    },
    shows: (row) => lpvdn.scene.shows(row),
    frames: map.frames,
    state: (key) => state.get(key),
    /** Resolves when the map stands still. */
    still: async () => {
      for (let before = -1; before !== map.frames.count;) {
        before = map.frames.count;
        await new Promise((resolve) => { setTimeout(resolve, 60); });
      }
    },
  };

  lpvdn.ready = start();
  lpvdn.ready.catch(lpvdn.fail);
})();
