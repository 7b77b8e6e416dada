// Colours for categories: told apart by those with colour-blindness, any number of them.
(() => {
  // What those without red or green cones see of linear red, green, blue (Machado et al. 2009).
  const PROTANOPIA = [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998];
  const DEUTERANOPIA = [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881];

  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const gamma = (value) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

  function times(matrix, [a, b, c]) {
    return [0, 3, 6].map((i) => matrix[i] * a + matrix[i + 1] * b + matrix[i + 2] * c);
  }

  /** From linear red, green, blue to OKLab, where distance is what the eye sees. */
  function oklab(rgb) {
    const cones = times([0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566,
      0.0883024619, 0.2817188376, 0.6299787005], rgb).map((value) => Math.cbrt(Math.max(0, value)));
    return times([0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099,
      0.0259040371, 0.7827717662, -0.808675766], cones);
  }

  function linearOfOklch(lightness, chroma, hue) {
    const a = chroma * Math.cos(hue);
    const b = chroma * Math.sin(hue);
    const cones = times([1, 0.3963377774, 0.2158037573, 1, -0.1055613458, -0.0638541728, 1, -0.0894841775,
      -1.291485548], [lightness, a, b]).map((value) => value ** 3);
    return times([4.0767416621, -3.3077115913, 0.2309699292, -1.2684380046, 2.6097574011, -0.3413193965,
      -0.0041960863, -0.7034186147, 1.707614701], cones);
  }

  /** One colour with what three kinds of eyes see of it. */
  function seen(rgb) {
    return { rgb: rgb.map((value) => Math.round(255 * gamma(Math.min(1, Math.max(0, value))))),
      views: [rgb, times(PROTANOPIA, rgb), times(DEUTERANOPIA, rgb)].map(oklab) };
  }

  function difference(one, other) {
    return Math.min(...one.views.map((view, i) => Math.hypot(...view.map((value, j) => value - other.views[i][j]))));
  }

  function candidates([darkest, lightest]) {
    const found = [];
    for (let step = 0; step <= 5; step++) {
      for (let turn = 0; turn < 24; turn++) {
        for (const chroma of [0.07, 0.12, 0.17]) {
          const rgb = linearOfOklch(darkest + (step / 5) * (lightest - darkest), chroma, (turn / 12) * Math.PI);
          if (rgb.every((value) => value >= 0 && value <= 1)) found.push(seen(rgb));
        }
      }
    }
    return found;
  }

  const parse = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

  /** `first` as they are, then each colour as far as can be from all before it, to all eyes. */
  function palette(size, first, lightness) {
    const colors = first.slice(0, size).map((hex) => seen(parse(hex).map((value) => linear(value / 255))));
    if (size <= first.length) return colors.map((color) => color.rgb);
    const pool = candidates(lightness);
    const distance = pool.map((color) => Math.min(...colors.map((other) => difference(color, other))));
    while (colors.length < size) {
      const next = pool[distance.indexOf(Math.max(...distance))];
      colors.push(next);
      pool.forEach((color, i) => { distance[i] = Math.min(distance[i], difference(color, next)); });
    }
    return colors.map((color) => color.rgb);
  }

  lpvdn.palette = { palette, parse };
})();
