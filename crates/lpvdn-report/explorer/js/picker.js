// The row nearest to a place on the canvas, by an index of square cells that is built when first
// asked for after the points have moved.
(() => {
  const CELL = 16;
  let starts = null; // where each cell's rows begin in `members`
  let members = null;
  let columns = 0;
  let lines = 0;
  let points = null;

  function cellOf(x, y) {
    const [column, line] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    return column >= 0 && line >= 0 && column < columns && line < lines ? line * columns + column : -1;
  }

  function build() {
    const { xs, ys, rows, width, height, shows } = points;
    columns = Math.ceil(width / CELL);
    lines = Math.ceil(height / CELL);
    starts = new Uint32Array(columns * lines + 1);
    const cells = new Int32Array(rows);
    for (let row = 0; row < rows; row++) {
      cells[row] = shows(row) ? cellOf(xs[row], ys[row]) : -1;
      if (cells[row] >= 0) starts[cells[row] + 1]++;
    }
    for (let cell = 0; cell < columns * lines; cell++) starts[cell + 1] += starts[cell];
    const next = starts.slice();
    members = new Uint32Array(starts[columns * lines]);
    cells.forEach((cell, row) => { if (cell >= 0) members[next[cell]++] = row; });
  }

  /** The nearest shown row within `reach` of (x, y), or null. */
  function nearest(x, y, reach) {
    if (!points) return null;
    if (!starts) build();
    let [best, bestSquare] = [null, reach * reach];
    const from = (value) => Math.max(0, Math.floor((value - reach) / CELL));
    const to = (value, end) => Math.min(end - 1, Math.floor((value + reach) / CELL));
    for (let line = from(y); line <= to(y, lines); line++) {
      for (let column = from(x); column <= to(x, columns); column++) {
        const cell = line * columns + column;
        for (let i = starts[cell]; i < starts[cell + 1]; i++) {
          const row = members[i];
          const square = (points.xs[row] - x) ** 2 + (points.ys[row] - y) ** 2;
          if (square < bestSquare) [best, bestSquare] = [row, square];
        }
      }
    }
    return best;
  }

  /** Tells that the points have moved: { xs, ys, rows, width, height, shows }. */
  function moved(now) {
    points = now;
    starts = null;
  }

  lpvdn.picker = { nearest, moved };
})();
