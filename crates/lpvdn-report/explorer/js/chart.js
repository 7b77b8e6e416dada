// Line charts as SVG.
(() => {
  const { svg, make, format, colors } = lpvdn;
  const [WIDTH, HEIGHT] = [400, 130];
  const BOX = { left: 46, right: 392, top: 10, bottom: 104 };
  const NEAR = 0.02; // of the range: room above and below the lines

  function range(values) {
    const finite = values.filter(Number.isFinite);
    if (finite.length === 0) return [0, 1];
    const [low, high] = finite.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
    if (low === high) return [low - (Math.abs(low) / 2 || 0.5), high + (Math.abs(high) / 2 || 0.5)];
    return [low - NEAR * (high - low), high + NEAR * (high - low)];
  }

  /** Three or so round numbers within a range. */
  function ticks([low, high]) {
    const rough = (high - low) / 3;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const found = [];
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Number(value.toPrecision(12)));
    return found;
  }

  const placer = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);

  function axes(xRange, yRange, x, y, xTitle) {
    const across = ticks(yRange).map((value) => [
      svg('line', { class: 'grid', x1: BOX.left, x2: BOX.right, y1: y(value), y2: y(value) }),
      svg('text', { class: 'tick', x: BOX.left - 5, y: y(value) + 3.5, 'text-anchor': 'end', text: format.brief(value) })]);
    const along = ticks(xRange).filter(Number.isInteger).map((value) => (
      svg('text', { class: 'tick', x: x(value), y: BOX.bottom + 12, 'text-anchor': 'middle', text: format.brief(value) })));
    const title = svg('text', { class: 'tick', x: (BOX.left + BOX.right) / 2, y: HEIGHT - 2, 'text-anchor': 'middle', text: xTitle });
    return [across, along, title, svg('line', { class: 'axis', x1: BOX.left, x2: BOX.right, y1: BOX.bottom, y2: BOX.bottom })];
  }

  /** A path through the points, broken where a value is missing. */
  function path(points, x, y) {
    let pen = 'M';
    return points.map(([at, value]) => {
      if (!Number.isFinite(value)) {
        pen = 'M';
        return '';
      }
      const part = `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = 'L';
      return part;
    }).join('');
  }

  function drawLine({ points, color }, x, y) {
    const own = color ? { stroke: colors.css(color) } : {};
    const finite = points.filter(([, value]) => Number.isFinite(value));
    if (finite.length === 1) return svg('circle', { class: 'line-dot', cx: x(finite[0][0]), cy: y(finite[0][1]), r: 2.5 });
    return svg('path', { class: 'line-path', d: path(points, x, y), ...own });
  }

  /** Says the value under the pointer. */
  function readout(picture, lines, xRange, place) {
    picture.addEventListener('pointermove', (event) => {
      const box = picture.getBoundingClientRect();
      const across = ((event.clientX - box.left) / box.width) * WIDTH;
      const at = xRange[0] + ((across - BOX.left) / (BOX.right - BOX.left)) * (xRange[1] - xRange[0]);
      const said = lines.map(({ name, points }) => {
        const nearest = points.reduce((best, point) => (Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best));
        return `${lines.length > 1 ? `${name} ` : `${format.count(nearest[0])}: `}${format.number(nearest[1])}`;
      });
      place.textContent = said.join(' · ');
    });
    picture.addEventListener('pointerleave', () => { place.textContent = ''; });
  }

  function frame(title, picture, place) {
    return make('figure', { class: 'chart' }, make('figcaption', {}, lpvdn.words(format.clip(title, 60)), place), picture);
  }

  function blank(title) {
    return svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title });
  }

  /** `lines` are { name, points: [[x, y]…], color? }. */
  function lineChart({ title, lines, xTitle = 'epoch' }) {
    const all = lines.flatMap(({ points }) => points);
    const xRange = range(all.map(([x]) => x));
    const yRange = range(all.map(([, y]) => y));
    const [x, y] = [placer(xRange, BOX.left, BOX.right), placer(yRange, BOX.bottom, BOX.top)];
    const picture = blank(title);
    const parts = [axes(xRange, yRange, x, y, xTitle), lines.map((line) => drawLine(line, x, y))];
    picture.append(...parts.flat(3).filter(Boolean));
    const place = make('span', { class: 'figure faint readout' });
    readout(picture, lines, xRange, place);
    return frame(title, picture, place);
  }

  /** Shares that sum to one, stacked: `shares[i]` are those at `xs[i]`. */
  function stackedChart({ title, xs, shares, color, xTitle = 'epoch' }) {
    const xRange = range(xs);
    const [x, y] = [placer(xRange, BOX.left, BOX.right), placer([0, 1], BOX.bottom, BOX.top)];
    const floor = xs.map(() => 0);
    const areas = shares[0].map((_, index) => {
      const lower = xs.map((at, i) => `${x(at).toFixed(1)} ${y(floor[i]).toFixed(1)}`);
      xs.forEach((_at, i) => { floor[i] += shares[i][index] ?? 0; });
      const upper = xs.map((at, i) => `${x(at).toFixed(1)} ${y(floor[i]).toFixed(1)}`).reverse();
      return svg('path', { d: `M${[...lower, ...upper].join('L')}Z`, fill: colors.css(color(index)), class: 'area' });
    });
    const picture = blank(title);
    picture.append(...[areas, axes(xRange, [0, 1], x, y, xTitle)].flat(3).filter(Boolean));
    return frame(title, picture, null);
  }

  lpvdn.chart = { lineChart, stackedChart };
})();
