// From what the user colours by to one pixel value for each row.
(() => {
  const { data, state, colors } = lpvdn;
  const STEPS = 256;

  /** What rows can be coloured by, as [key, title]. */
  function choices() {
    const found = [['cluster', 'cluster']];
    if (data.label) found.push(['label', 'true label']);
    found.push(['confidence', 'confidence'], ['margin', 'margin'], ['outlier', 'outlier score']);
    data.columns.forEach((column, index) => found.push([`column/${index}`, lpvdn.format.clip(column.name, 60)]));
    return found;
  }

  function byGroup(by) {
    const group = lpvdn.groups[by];
    const packed = Array.from({ length: group.size }, (_, index) => colors.pack(group.color(index)));
    return { by, group, tint: Uint32Array.from(group.of, (index) => packed[index]) };
  }

  async function described(by) {
    if (by.startsWith('column/')) return data.column(Number(by.slice('column/'.length)));
    return data.describe(data[by]);
  }

  async function byValue(by) {
    const { values, min, max, missing } = await described(by);
    const packed = Array.from({ length: STEPS }, (_, step) => colors.pack(colors.scale(step / (STEPS - 1))));
    const none = colors.pack(colors.none());
    const range = max > min ? max - min : 1;
    const tint = Uint32Array.from(values, (value) => (
      Number.isFinite(value) ? packed[Math.round(((value - min) / range) * (STEPS - 1))] : none));
    return { by, tint, min, max, missing };
  }

  /** { by, tint, and group or min, max, missing } for the choice of the moment. */
  const coloring = async () => {
    const by = state.get('colorBy');
    return by === 'cluster' || by === 'label' ? byGroup(by) : byValue(by);
  };

  lpvdn.coloring = { choices, coloring };
})();
