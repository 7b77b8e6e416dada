// The two ways rows fall into groups: by cluster, and by true label where it's known.
(() => {
  const { data, names, colors } = lpvdn;

  /** The group of each row with those of none in a last group. */
  function grouping(of, size, name, colorIndex) {
    const counts = new Array(size + 1).fill(0);
    const group = Uint32Array.from(of, (value) => Math.min(value, size));
    group.forEach((index) => { counts[index]++; });
    const shown = counts[size] > 0 ? size + 1 : size; // “none” only shows if there are such rows
    return { of: group, size: shown, counts, name, color: (index) => colors.category(index < size ? colorIndex(index) : Infinity, colorCount()) };
  }

  const colorCount = () => Math.max(data.clusters.length, data.labels?.length ?? 0);

  /** Labels take the colour of the cluster they go with, so that switching keeps the colours. */
  function labelColors() {
    const color = new Array(data.labels.length).fill(-1);
    if (data.manifest.confusion) {
      lpvdn.matching.pair(data.manifest.confusion).forEach((label, cluster) => { if (label >= 0) color[label] = cluster; });
    }
    const taken = new Set(color);
    const free = Array.from({ length: colorCount() }, (_, i) => i).filter((i) => !taken.has(i));
    return color.map((index) => (index >= 0 ? index : free.shift()));
  }

  function load() {
    lpvdn.groups = { cluster: grouping(data.cluster, data.clusters.length, names.cluster, (index) => index) };
    if (!data.label) return;
    const color = labelColors();
    lpvdn.groups.label = grouping(data.label, data.labels.length, names.label, (index) => color[index]);
  }

  /** How many of `rows` are in each group, as [index, count], the largest first. */
  function tally(by, rows) {
    const group = lpvdn.groups[by];
    const counts = new Array(group.size).fill(0);
    for (const row of rows) counts[group.of[row]]++;
    return counts.map((count, index) => [index, count]).filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  }

  lpvdn.loadGroups = load;
  lpvdn.tally = tally;
})();
