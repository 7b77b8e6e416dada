// What the user has chosen. The parts of the page don't call each other: they set a value here, and
// those who show it listen.
(() => {
  const values = {
    colorBy: 'cluster', // or 'label', 'confidence', 'margin', 'outlier', 'column/J'
    hidden: { cluster: new Set(), label: new Set() },
    spotlight: null, // { by, index }: the legend entry under the pointer
    selection: null, // { rows: Uint32Array, about }
    matches: null, // Uint32Array: rows found by the search
    pinned: null, // the row in the side panel
    neighbours: [], // [{ row, distance }] of the pinned row
    hover: null, // the row under the pointer
    mode: 'pan', // what dragging does: 'pan', 'turn', 'box', 'lasso'
    tab: 'overview',
    theme: 'light',
    names: 0, // counts the renamings
    showNames: true, // names on the map
  };
  const listeners = [];

  function set(key, value) {
    if (values[key] === value) return;
    values[key] = value;
    listeners.filter((entry) => entry.keys.includes(key)).forEach((entry) => entry.call(value));
  }

  function on(keys, call) {
    listeners.push({ keys: [keys].flat(), call });
  }

  lpvdn.state = { get: (key) => values[key], set, on };
})();
