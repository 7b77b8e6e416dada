// From the coordinates of the map to places on the canvas. Lengths are in CSS pixels but for what
// `project` writes, which is in the canvas's own pixels.
(() => {
  const { data } = lpvdn;
  const MARGIN = 36;
  const GLIDE = 280; // milliseconds
  const camera = { width: 1, height: 1, ratio: 1, inset: 0, top: 0, x: 0, y: 0, scale: 1, fitScale: 1,
    turn: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
  const pivot = [0, 0, 0]; // the middle of the data, about which the map turns
  let extent = [1, 1];
  let radius = 1; // of the ball that holds the data
  let target = null; // where a glide ends

  function findExtent() {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let row = 0; row < data.rows; row++) {
      if (!lpvdn.scene.isPlaced(row)) continue;
      for (let axis = 0; axis < data.axes; axis++) {
        const value = data.map[row * data.axes + axis];
        low[axis] = Math.min(low[axis], value);
        high[axis] = Math.max(high[axis], value);
      }
    }
    const size = low.map((value, axis) => (high[axis] > value ? high[axis] - value : 0));
    low.forEach((value, axis) => { pivot[axis] = high[axis] >= value ? (value + high[axis]) / 2 : 0; });
    const most = Math.max(...size) || 1; // all in one place: any size will do
    extent = [size[0] || most * 1e-3, size[1] || most * 1e-3];
    radius = Math.hypot(...size) / 2 || 0.5;
  }

  const middle = () => ({ x: (camera.width + camera.inset) / 2, y: (camera.height + camera.top) / 2 });

  function fitted() {
    const wide = Math.max(40, camera.width - camera.inset - 2 * MARGIN);
    const high = Math.max(40, camera.height - camera.top - 2 * MARGIN);
    const scale = data.axes === 3 ? Math.min(wide, high) / (1.7 * radius) : Math.min(wide / extent[0], high / extent[1]);
    return { x: 0, y: 0, scale };
  }

  /** `inset` and `top` are the room at the left and above that something lies over. */
  function resize(width, height, ratio, inset, top) {
    Object.assign(camera, { width, height, ratio, inset, top });
    camera.fitScale = fitted().scale;
  }

  /** The rotated coordinates of a row about the pivot. */
  function turned(row) {
    const at = row * data.axes;
    const [a, b] = [data.map[at] - pivot[0], data.map[at + 1] - pivot[1]];
    if (data.axes === 2) return [a, b];
    const c = data.map[at + 2] - pivot[2];
    const m = camera.turn;
    return [m[0] * a + m[1] * b + m[2] * c, m[3] * a + m[4] * b + m[5] * c];
  }

  function screenOf(u, v) {
    const { x, y } = middle();
    return { x: x + (u - camera.x) * camera.scale, y: y - (v - camera.y) * camera.scale };
  }

  const screen = (row) => screenOf(...turned(row));

  function project(xs, ys, depths) {
    if (data.axes === 2) projectFlat(xs, ys);
    else projectTurned(xs, ys, depths);
  }

  function projectFlat(xs, ys) {
    const { map, rows } = data;
    const scale = camera.scale * camera.ratio;
    const shiftX = middle().x * camera.ratio - (camera.x + pivot[0]) * scale;
    const shiftY = middle().y * camera.ratio + (camera.y + pivot[1]) * scale;
    for (let row = 0; row < rows; row++) {
      xs[row] = map[2 * row] * scale + shiftX;
      ys[row] = shiftY - map[2 * row + 1] * scale;
    }
  }

  /** Depths go from 0 (far) to 255 (near). */
  function projectTurned(xs, ys, depths) {
    const { map, rows } = data;
    const scale = camera.scale * camera.ratio;
    const { x, y } = middle();
    const [shiftX, shiftY] = [x * camera.ratio - camera.x * scale, y * camera.ratio + camera.y * scale];
    const [m0, m1, m2, m3, m4, m5, m6, m7, m8] = camera.turn;
    const [p, q, r] = pivot;
    const depthScale = 127 / radius;
    for (let row = 0, at = 0; row < rows; row++, at += 3) {
      const a = map[at] - p;
      const b = map[at + 1] - q;
      const c = map[at + 2] - r;
      xs[row] = (m0 * a + m1 * b + m2 * c) * scale + shiftX;
      ys[row] = shiftY - (m3 * a + m4 * b + m5 * c) * scale;
      depths[row] = 128 + (m6 * a + m7 * b + m8 * c) * depthScale;
    }
  }

  function limited(scale) {
    return Math.min(camera.fitScale * 4000, Math.max(camera.fitScale / 8, scale));
  }

  function pan(dx, dy) {
    target = null;
    camera.x -= dx / camera.scale;
    camera.y += dy / camera.scale;
  }

  /** Zooms so that the place (x, y) stays where it is. */
  function zoomed(factor, x = middle().x, y = middle().y) {
    const from = target ? target.to : camera;
    const scale = limited(from.scale * factor);
    const u = from.x + (x - middle().x) / from.scale;
    const v = from.y - (y - middle().y) / from.scale;
    return { x: u - (x - middle().x) / scale, y: v + (y - middle().y) / scale, scale };
  }

  function zoom(factor, x, y) {
    const view = zoomed(factor, x, y);
    target = null;
    Object.assign(camera, view);
  }

  function times(a, b) {
    return a.map((_, i) => [0, 1, 2].reduce((sum, k) => sum + a[3 * Math.floor(i / 3) + k] * b[3 * k + (i % 3)], 0));
  }

  /** Turns the map as if a ball were rolled by (dx, dy) pixels. */
  function rotate(dx, dy) {
    const [a, b] = [dx / 150, dy / 150];
    const aboutY = [Math.cos(a), 0, Math.sin(a), 0, 1, 0, -Math.sin(a), 0, Math.cos(a)];
    const aboutX = [1, 0, 0, 0, Math.cos(b), -Math.sin(b), 0, Math.sin(b), Math.cos(b)];
    camera.turn = times(aboutX, times(aboutY, camera.turn));
  }

  const calm = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

  function glide(to) {
    if (calm()) {
      Object.assign(camera, to);
      target = null;
      return;
    }
    target = { from: { x: camera.x, y: camera.y, scale: camera.scale }, to, start: performance.now() };
  }

  /** Moves on in a glide; true while one lasts. */
  function advance() {
    if (!target) return false;
    const share = Math.min(1, (performance.now() - target.start) / GLIDE);
    const eased = 1 - (1 - share) ** 3;
    const { from, to } = target;
    camera.scale = from.scale * (to.scale / from.scale) ** eased;
    camera.x = from.x + eased * (to.x - from.x);
    camera.y = from.y + eased * (to.y - from.y);
    if (share === 1) target = null;
    return true;
  }

  /** Brings a row to the middle, near enough to see what lies about it. */
  function centre(row) {
    const [x, y] = turned(row);
    glide({ x, y, scale: Math.max(camera.scale, camera.fitScale * 2.5) });
  }

  function frame(rows) {
    const [us, vs] = [[], []];
    for (const row of rows) {
      if (!lpvdn.scene.isPlaced(row)) continue;
      const [u, v] = turned(row);
      us.push(u);
      vs.push(v);
    }
    if (us.length === 0) return;
    const range = (list) => list.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const [[left, right], [bottom, top]] = [range(us), range(vs)];
    const free = Math.min((camera.width - camera.inset - 4 * MARGIN) / (right - left), (camera.height - camera.top - 4 * MARGIN) / (top - bottom));
    glide({ x: (left + right) / 2, y: (bottom + top) / 2, scale: limited(Math.min(free, camera.fitScale * 40)) });
  }

  Object.assign(camera, { load: findExtent, resize, screen, project, pan, zoom, rotate, advance, centre, frame,
    middle, radius: () => radius,
    fit: () => glide(fitted()),
    fitAtOnce: () => Object.assign(camera, fitted()),
    glideZoom: (factor, x, y) => glide(zoomed(factor, x, y)) });
  lpvdn.camera = camera;
})();
