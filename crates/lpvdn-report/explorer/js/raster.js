// Points written by hand into the pixels of an image: as fast in a browser without a graphics card.
// Small points add up, so that crowds differ from lone points; large ones are round.
(() => {
  const UNIT = 16; // the weight of a pixel that a point covers whole
  const LEVELS = 4096; // weights told apart by the table of opacities
  const PHASES = 4; // places of a disc's middle within a pixel, along each axis
  const FADE_WEIGHT = 3; // of a point that stands back

  const raster = { width: 0, height: 0, pixels: null };
  let image = null;
  let sums = null; // of red, green, blue times weight, and of weight, for each pixel; all 0 between frames
  let background = 0xffffffff;
  const opacity = new Uint16Array(LEVELS);
  const discs = new Map(); // radius → kernels, one for each phase

  function resize(context, width, height) {
    if (width === raster.width && height === raster.height) return;
    Object.assign(raster, { width, height });
    image = context.createImageData(width, height);
    raster.pixels = new Uint32Array(image.data.buffer);
    sums = new Uint32Array(4 * width * height);
  }

  /** How opaque a pixel is by the weight on it; `crowd` points on one pixel make it solid. */
  function setCrowd(crowd) {
    for (let level = 0; level < LEVELS; level++) {
      const points = level / UNIT;
      const share = 0.5 * Math.min(1, points) + 0.5 * Math.min(1, Math.log1p(points) / Math.log1p(crowd));
      opacity[level] = Math.round(256 * share);
    }
  }

  function clear(color) {
    background = color;
    raster.pixels.fill(color);
  }

  /** [offset, weight] of the pixels that a small point covers. */
  function softKernel(radius) {
    const reach = Math.ceil(radius);
    const kernel = [];
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const weight = Math.round(UNIT * Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy))));
        if (weight > 0) kernel.push([dy * raster.width + dx, weight]);
      }
    }
    return { reach, offsets: Int32Array.from(kernel, ([offset]) => offset), weights: Int32Array.from(kernel, ([, weight]) => weight) };
  }

  /** In the order of the rows: sums don't depend on it, and memory is read from front to back. */
  function addUp(scene, xs, ys, depths, kernel, faded) {
    const { emphasis, tint, HIDDEN, FADED } = scene;
    const { reach, offsets, weights } = kernel;
    const right = raster.width - reach;
    const bottom = raster.height - reach;
    for (let row = 0; row < xs.length; row++) {
      if (emphasis[row] === HIDDEN) continue;
      const x = Math.round(xs[row]);
      const y = Math.round(ys[row]);
      if (x < reach || y < reach || x >= right || y >= bottom) continue;
      const back = emphasis[row] === FADED;
      const color = back ? faded : tint[row];
      const share = back ? FADE_WEIGHT : depths ? 4 + depths[row] * (12 / 255) : UNIT;
      const red = color & 255;
      const green = (color >> 8) & 255;
      const blue = (color >> 16) & 255;
      const middle = y * raster.width + x;
      for (let i = 0; i < offsets.length; i++) {
        const at = 4 * (middle + offsets[i]);
        const weight = Math.max(1, (weights[i] * share) >> 4);
        sums[at] += red * weight;
        sums[at + 1] += green * weight;
        sums[at + 2] += blue * weight;
        sums[at + 3] += weight;
      }
    }
  }

  /** Makes colours of the sums, and leaves them 0 for the next frame. */
  function writeSums() {
    const { pixels } = raster;
    const [red, green, blue] = [background & 255, (background >> 8) & 255, (background >> 16) & 255];
    for (let pixel = 0, at = 0; pixel < pixels.length; pixel++, at += 4) {
      const weight = sums[at + 3];
      if (weight === 0) continue;
      const alpha = opacity[weight < LEVELS ? weight : LEVELS - 1];
      const r = red + (((sums[at] / weight - red) * alpha) >> 8);
      const g = green + (((sums[at + 1] / weight - green) * alpha) >> 8);
      const b = blue + (((sums[at + 2] / weight - blue) * alpha) >> 8);
      pixels[pixel] = 0xff000000 | (b << 16) | (g << 8) | r;
      sums[at] = sums[at + 1] = sums[at + 2] = sums[at + 3] = 0;
    }
  }

  function density(scene, xs, ys, depths, radius, faded) {
    addUp(scene, xs, ys, depths, softKernel(radius), faded);
    writeSums();
  }

  /** Pixels of a disc whose middle lies (fx, fy) into its pixel: offsets, coverage, and where the rim is. */
  function discKernel(radius, fx, fy) {
    const reach = Math.ceil(radius + 1);
    const [dxs, dys, cover, rim] = [[], [], [], []];
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const distance = Math.hypot(dx - fx, dy - fy);
        const covered = Math.min(1, Math.max(0, radius + 0.5 - distance));
        if (covered === 0) continue;
        dxs.push(dx);
        dys.push(dy);
        cover.push(Math.round(256 * covered));
        rim.push(Math.round(150 * Math.min(1, Math.max(0, distance - radius + 1.3))));
      }
    }
    return { dxs: Int32Array.from(dxs), dys: Int32Array.from(dys), cover: Int32Array.from(cover), rim: Int32Array.from(rim) };
  }

  function kernelsOf(radius) {
    const key = Math.round(4 * radius) / 4;
    if (!discs.has(key)) {
      discs.set(key, Array.from({ length: PHASES * PHASES }, (_, i) => (
        discKernel(key, ((i % PHASES) + 0.5) / PHASES - 0.5, (Math.floor(i / PHASES) + 0.5) / PHASES - 0.5))));
    }
    return discs.get(key);
  }

  function mix(from, to, share) {
    const red = from & 255;
    const green = (from >> 8) & 255;
    const blue = (from >> 16) & 255;
    return 0xff000000
      | ((blue + ((((to >> 16) & 255) - blue) * share >> 8)) << 16)
      | ((green + ((((to >> 8) & 255) - green) * share >> 8)) << 8)
      | (red + (((to & 255) - red) * share >> 8));
  }

  function paintDisc(kernel, x, y, color, alpha) {
    const { dxs, dys, cover, rim } = kernel;
    const { width, height, pixels } = raster;
    for (let i = 0; i < dxs.length; i++) {
      const px = x + dxs[i];
      const py = y + dys[i];
      if (px < 0 || py < 0 || px >= width || py >= height) continue;
      const at = py * width + px;
      const own = rim[i] ? mix(color, background, rim[i]) : color;
      pixels[at] = mix(pixels[at], own, (cover[i] * alpha) >> 8);
    }
  }

  function roundPoints(scene, order, xs, ys, depths, radius, faded) {
    const kernels = kernelsOf(radius);
    const reach = radius + 2;
    for (let k = 0; k < scene.drawnCount; k++) {
      const row = order[k];
      const x = xs[row];
      const y = ys[row];
      if (!(x > -reach && y > -reach && x < raster.width + reach && y < raster.height + reach)) continue;
      const [px, py] = [Math.round(x), Math.round(y)];
      const phase = PHASES * Math.min(PHASES - 1, Math.floor((y - py + 0.5) * PHASES)) + Math.min(PHASES - 1, Math.floor((x - px + 0.5) * PHASES));
      const back = scene.emphasis[row] === scene.FADED;
      const alpha = depths ? 70 + depths[row] * (160 / 255) : 230;
      paintDisc(kernels[phase], px, py, back ? faded : scene.tint[row], back ? alpha * 0.6 : alpha);
    }
  }

  Object.assign(raster, { resize, setCrowd, clear, density, roundPoints, show: (context) => context.putImageData(image, 0, 0) });
  lpvdn.raster = raster;
})();
