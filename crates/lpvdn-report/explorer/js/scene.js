// What is drawn and how: for each row its colour, whether it shows, and the order of drawing.
(() => {
  const { data, state } = lpvdn;
  const HIDDEN = 0;
  const FADED = 1;
  const PLAIN = 2;

  const scene = { HIDDEN, FADED, PLAIN, tint: null, emphasis: new Uint8Array(data.rows),
    order: new Uint32Array(data.rows), fadedCount: 0, drawnCount: 0 };
  let placed = null; // rows that have a place on the map
  let shuffled = null; // so that no group lies on top of another only because its rows come later

  function findPlaced() {
    placed = new Uint8Array(data.rows).fill(1);
    data.map.forEach((value, i) => { if (!Number.isFinite(value)) placed[Math.floor(i / data.axes)] = 0; });
  }

  function shuffle() {
    shuffled = Uint32Array.from({ length: data.rows }, (_, row) => row);
    let random = 1;
    for (let i = data.rows - 1; i > 0; i--) {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
      const j = Math.floor((random / 2 ** 32) * (i + 1));
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
  }

  /** The pinned row and its neighbours: who looks at them wants their colours. */
  function inPanel() {
    const pinned = state.get('pinned');
    return pinned === null ? [] : [pinned, ...state.get('neighbours').map(({ row }) => row)];
  }

  /** Rows that stand out before the others, or null if none do. */
  function standingOut() {
    const spotlight = state.get('spotlight');
    if (spotlight) {
      const { of } = lpvdn.groups[spotlight.by];
      return (row) => of[row] === spotlight.index;
    }
    const rows = state.get('matches') ?? state.get('selection')?.rows;
    if (!rows) return null;
    const marked = new Uint8Array(data.rows);
    for (const row of rows) marked[row] = 1;
    for (const row of inPanel()) marked[row] = 1;
    return (row) => marked[row] === 1;
  }

  function updateEmphasis() {
    const hidden = state.get('hidden');
    const { cluster, label } = lpvdn.groups;
    const stands = standingOut();
    for (let row = 0; row < data.rows; row++) {
      const shows = placed[row] && !hidden.cluster.has(cluster.of[row]) && !(label && hidden.label.has(label.of[row]));
      scene.emphasis[row] = !shows ? HIDDEN : stands && !stands(row) ? FADED : PLAIN;
    }
    updateOrder();
  }

  /** Those that stand out are drawn last, on top. */
  function updateOrder() {
    let count = 0;
    const append = (emphasis) => {
      for (const row of shuffled) if (scene.emphasis[row] === emphasis) scene.order[count++] = row;
      return count;
    };
    scene.fadedCount = append(FADED);
    scene.drawnCount = append(PLAIN);
  }

  scene.load = () => {
    findPlaced();
    shuffle();
    updateEmphasis();
    const missing = data.rows - placed.reduce((sum, value) => sum + value, 0);
    scene.unplacedCount = missing;
  };
  scene.updateEmphasis = updateEmphasis;
  scene.shows = (row) => scene.emphasis[row] !== HIDDEN;
  scene.isPlaced = (row) => placed[row] === 1;
  lpvdn.scene = scene;
})();
