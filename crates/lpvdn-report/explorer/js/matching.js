// Which label goes with which cluster.
(() => {
  /** Pairs clusters with labels, heaviest cell of the confusion first: an array, label of each cluster or -1. */
  function pair(confusion) {
    const cells = confusion.flatMap((counts, cluster) => counts.map((count, label) => ({ count, cluster, label })));
    cells.sort((a, b) => b.count - a.count || a.cluster - b.cluster || a.label - b.label);
    const labelOf = confusion.map(() => -1);
    const taken = new Set();
    for (const { count, cluster, label } of cells) {
      if (count === 0 || labelOf[cluster] >= 0 || taken.has(label)) continue;
      labelOf[cluster] = label;
      taken.add(label);
    }
    return labelOf;
  }

  /** The clusters in the order that makes the diagonal heavy; those left over stand by their commonest label. */
  function diagonalOrder(confusion) {
    const labelOf = pair(confusion);
    const place = confusion.map((counts, cluster) => {
      if (labelOf[cluster] >= 0) return labelOf[cluster];
      const most = Math.max(...counts);
      return most > 0 ? counts.indexOf(most) + 0.5 : Infinity;
    });
    return confusion.map((_, cluster) => cluster).sort((a, b) => (place[a] === place[b] ? a - b : place[a] - place[b]));
  }

  lpvdn.matching = { pair, diagonalOrder };
})();
