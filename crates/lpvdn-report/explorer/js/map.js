// The canvas of the map: draws a frame when something has changed.
(() => {
  const { data, state, scene, camera, raster, picker, overlay, colors } = lpvdn;
  const canvas = lpvdn.byId('map');
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  const ROUND_FROM = 2.1; // the radius from which points are drawn one by one
  const MOST_RATIO = 2; // finer than this costs time and shows nothing
  const xs = new Float32Array(data.rows);
  const ys = new Float32Array(data.rows);
  const depths = data.axes === 3 ? new Uint8Array(data.rows) : null;
  const frames = { count: 0, last: 0 }; // how many were drawn, and how long the last took
  let style = null;
  let outline = [];
  let requested = false;
  let drawn = null; // resolves the promise of the first frame

  function readStyle() {
    const computed = window.getComputedStyle(canvas);
    const parse = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number);
    style = { ground: computed.backgroundColor, ink: computed.color, accent: computed.outlineColor, font: computed.fontFamily,
      background: colors.pack(parse(computed.backgroundColor)), faded: colors.pack(colors.faded()) };
  }

  /** So that neither the legend nor the buttons lie over points when the map is fitted. */
  function covered() {
    const own = canvas.getBoundingClientRect();
    const legend = lpvdn.byId('legend').getBoundingClientRect();
    const tools = document.querySelector('.map-tools').getBoundingClientRect();
    const folded = lpvdn.byId('legend').classList.contains('folded');
    return { left: !folded && legend.width < own.width / 2 ? legend.right - own.left : 0,
      top: tools.height > 0 && tools.height < own.height / 4 ? tools.bottom - own.top - 16 : 0 };
  }

  function resize() {
    const { width, height } = canvas.getBoundingClientRect();
    const ratio = Math.min(MOST_RATIO, window.devicePixelRatio || 1);
    const wasFitted = camera.x === 0 && camera.y === 0 && Math.abs(camera.scale / camera.fitScale - 1) < 1e-6;
    const { left, top } = covered();
    camera.resize(Math.max(1, width), Math.max(1, height), ratio, left, top);
    if (wasFitted || frames.count === 0) camera.fitAtOnce();
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    raster.resize(context, canvas.width, canvas.height);
    raster.setCrowd(Math.max(10, (40 * data.rows) / (canvas.width * canvas.height)));
    request();
  }

  /** Larger the fewer points there are, and growing as one comes nearer. */
  function pointRadius() {
    const room = Math.sqrt((camera.width * camera.height) / Math.max(1, data.rows));
    const fitted = Math.min(5, Math.max(0.8, 0.2 * room));
    return camera.ratio * Math.min(9, Math.max(0.8, fitted * Math.sqrt(camera.scale / camera.fitScale)));
  }

  /** The far first, so that the near cover them. */
  function byDepth() {
    const starts = new Uint32Array(257);
    const order = new Uint32Array(scene.drawnCount);
    const drawnRows = scene.order.subarray(0, scene.drawnCount);
    for (const row of drawnRows) starts[depths[row] + 1]++;
    for (let depth = 0; depth < 256; depth++) starts[depth + 1] += starts[depth];
    for (const row of drawnRows) order[starts[depths[row]]++] = row;
    return order;
  }

  function drawPoints() {
    const radius = pointRadius();
    raster.clear(style.background);
    if (radius < ROUND_FROM) raster.density(scene, xs, ys, depths, radius, style.faded);
    else raster.roundPoints(scene, depths ? byDepth() : scene.order, xs, ys, depths, radius, style.faded);
    raster.show(context);
  }

  function draw() {
    requested = false;
    const start = performance.now();
    const gliding = camera.advance();
    camera.project(xs, ys, depths);
    picker.moved({ xs, ys, rows: data.rows, width: canvas.width, height: canvas.height, shows: scene.shows });
    drawPoints();
    overlay.draw(context, style, outline, canvas.matches(':focus-visible'));
    frames.last = performance.now() - start;
    frames.count++;
    drawn?.();
    if (gliding) request();
  }

  function request() {
    if (requested) return;
    requested = true;
    window.requestAnimationFrame(draw);
  }

  /** Only the choice made last counts, in whatever order columns arrive. */
  async function recolor() {
    const coloring = await lpvdn.coloring.coloring();
    if (coloring.by !== state.get('colorBy')) return;
    scene.tint = coloring.tint;
    lpvdn.legend.show(coloring);
    request();
  }

  /** The shown row nearest to a place in CSS pixels, or null. */
  const rowAt = (x, y, reach) => picker.nearest(x * camera.ratio, y * camera.ratio, reach * camera.ratio);

  /** The shown rows whose place on the canvas satisfies `inside(x, y)`. */
  function rowsWhere(inside) {
    const found = [];
    for (let row = 0; row < data.rows; row++) {
      if (scene.shows(row) && inside(xs[row] / camera.ratio, ys[row] / camera.ratio)) found.push(row);
    }
    return Uint32Array.from(found);
  }

  async function start() {
    scene.load();
    camera.load();
    readStyle();
    await recolor();
    new ResizeObserver(resize).observe(canvas);
    state.on(['hidden', 'spotlight', 'selection', 'matches', 'pinned', 'neighbours'], () => { scene.updateEmphasis(); request(); });
    state.on(['hover', 'names', 'showNames'], request);
    state.on(['colorBy'], () => recolor().catch(lpvdn.fail));
    state.on(['theme'], () => { readStyle(); recolor().catch(lpvdn.fail); });
    ['focus', 'blur'].forEach((event) => canvas.addEventListener(event, request));
    const first = new Promise((resolve) => { drawn = resolve; });
    resize();
    return first;
  }

  lpvdn.map = { canvas, start, request, rowAt, rowsWhere, frames,
    setOutline: (points) => { outline = points; request(); } };
})();
