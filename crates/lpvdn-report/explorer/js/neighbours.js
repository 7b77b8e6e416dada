// The rows most like a row: nearest in the space of codes, by Euclidean distance, exactly.
(() => {
  const { data } = lpvdn;
  const COUNT = 10;

  function squareDistance(codes, size, a, b) {
    let sum = 0;
    for (let i = 0; i < size; i++) sum += (codes[a * size + i] - codes[b * size + i]) ** 2;
    return sum;
  }

  /** Puts an entry in its place in a short sorted list; of equals the one that came first stays first. */
  function insert(best, entry) {
    let at = best.length;
    while (at > 0 && best[at - 1].square > entry.square) at--;
    best.splice(at, 0, entry);
    if (best.length > COUNT) best.pop();
  }

  /** [{ row, distance }], nearest first, ties by row. */
  async function neighbours(row) {
    const codes = await data.codes();
    const size = data.manifest.code_size;
    const best = [];
    for (let other = 0; other < data.rows; other++) {
      if (other === row) continue;
      const square = squareDistance(codes, size, row, other);
      if (Number.isNaN(square) || (best.length === COUNT && square >= best[COUNT - 1].square)) continue;
      insert(best, { row: other, square });
    }
    return best.map((entry) => ({ row: entry.row, distance: Math.sqrt(entry.square) }));
  }

  lpvdn.neighbours = neighbours;
})();
