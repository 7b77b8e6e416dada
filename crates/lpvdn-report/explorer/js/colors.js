// The colours of the map in the theme of the moment.
(() => {
  const THEMES = {
    light: {
      first: ['#2f6bd0', '#e27500', '#12946d', '#d0458b', '#7c4bc4', '#a8950e', '#38aede', '#a5342b', '#86a13b', '#6b7280'],
      lightness: [0.38, 0.76],
      scale: [0, 0.92], // the palest end would vanish on white
      none: [148, 155, 164],
      faded: [208, 212, 218],
    },
    dark: {
      first: ['#6ea1ff', '#ff9d3c', '#2fc797', '#f07db8', '#a98bf5', '#d9c740', '#6fd3f7', '#e0685c', '#a9c65b', '#a3adba'],
      lightness: [0.55, 0.9],
      scale: [0.14, 1], // and the darkest on black
      none: [112, 119, 129],
      faded: [58, 64, 73],
    },
  };
  const MOST_COLOURS = 64;
  // Viridis at nine even places.
  const VIRIDIS = ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725']
    .map(lpvdn.palette.parse);

  const palettes = {};
  const theme = () => THEMES[lpvdn.state.get('theme')];

  /** Of many groups some share a colour: nobody tells more apart. */
  function category(index, size) {
    if (index >= size) return theme().none;
    const different = Math.min(size, MOST_COLOURS);
    const key = `${lpvdn.state.get('theme')}/${different}`;
    palettes[key] = palettes[key] ?? lpvdn.palette.palette(different, theme().first, theme().lightness);
    return palettes[key][index % different];
  }

  /** The colour of a share from 0 to 1 of a range. */
  function scale(share) {
    if (Number.isNaN(share)) return theme().none;
    const [low, high] = theme().scale;
    const place = (low + Math.min(1, Math.max(0, share)) * (high - low)) * (VIRIDIS.length - 1);
    const at = Math.min(VIRIDIS.length - 2, Math.floor(place));
    return VIRIDIS[at].map((value, i) => Math.round(value + (place - at) * (VIRIDIS[at + 1][i] - value)));
  }

  const css = ([red, green, blue]) => `rgb(${red}, ${green}, ${blue})`;
  /** As a pixel of an ImageData seen as Uint32Array. */
  const pack = ([red, green, blue]) => (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

  lpvdn.colors = { category, scale, css, pack, faded: () => theme().faded, none: () => theme().none };
})();
