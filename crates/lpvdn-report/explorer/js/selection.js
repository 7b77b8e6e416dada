// Rows chosen by a box, a lasso, a cluster or a bar of a histogram.
(() => {
  const { data, state, format } = lpvdn;
  const NUMBER_DIGITS = 7; // what a 32-bit float holds

  function choose(rows, about) {
    if (rows.length === 0) {
      lpvdn.announce(`No rows in the ${about}`);
      return;
    }
    state.set('selection', { rows, about });
    state.set('tab', 'selection');
    lpvdn.announce(`${format.plural(rows.length, 'row')} selected: ${about}`);
  }

  /** Whether a place lies within a closed outline: a ray to the right crosses it an odd number of times. */
  function within(outline, x, y) {
    let inside = false;
    for (let i = 0, j = outline.length - 1; i < outline.length; j = i++) {
      const [a, b] = [outline[i], outline[j]];
      if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside;
  }

  function byOutline(outline, about) {
    choose(lpvdn.map.rowsWhere((x, y) => within(outline, x, y)), about);
  }

  const rowsWhere = (test) => Uint32Array.from({ length: data.rows }, (_, row) => row).filter(test);

  function byCluster(index) {
    choose(rowsWhere((row) => data.cluster[row] === index), lpvdn.names.clusterInWords(index));
  }

  function clear() {
    state.set('selection', null);
    lpvdn.announce('Selection cleared');
  }

  const figure = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(NUMBER_DIGITS))) : '');

  async function line(row) {
    const label = data.label && data.label[row] < data.labels.length ? data.labels[data.label[row]] : '';
    const place = data.map.subarray(row * data.axes, (row + 1) * data.axes);
    return [data.rowNumber(row), await data.id(row), data.cluster[row], lpvdn.names.cluster(data.cluster[row]), label,
      figure(data.confidence[row]), figure(data.outlier[row]), ...Array.from(place, figure)];
  }

  async function exportRows() {
    const { rows } = state.get('selection');
    const head = ['row', 'id', 'cluster', 'cluster_name', 'label', 'confidence', 'outlier',
      ...['map_x', 'map_y', 'map_z'].slice(0, data.axes)];
    const lines = [head];
    for (const row of rows) lines.push(await line(row));
    lpvdn.csv.save('selection.csv', 'text/csv', lpvdn.csv.csv(lines));
  }

  /** How the selected rows differ from the rest, column by column, the most telling first. */
  async function distinguishing(rows) {
    const marked = new Uint8Array(data.rows);
    for (const row of rows) marked[row] = 1;
    const columns = await data.everyColumn();
    return columns.map((column, index) => compare(data.columns[index].name, column, marked))
      .filter((feature) => Number.isFinite(feature.score) && feature.score !== 0)
      .sort((a, b) => Math.abs(b.score) - Math.abs(a.score));
  }

  /** The difference of the means in standard deviations of the column. */
  function compare(name, column, marked) {
    const sums = [0, 0];
    const counts = [0, 0];
    column.values.forEach((value, row) => {
      if (!Number.isFinite(value)) return;
      sums[marked[row]] += value;
      counts[marked[row]]++;
    });
    const [elsewhere, here] = sums.map((sum, i) => sum / counts[i]);
    return { name, here, elsewhere, score: column.deviation > 0 ? (here - elsewhere) / column.deviation : NaN };
  }

  /** The mean picture; `going` tells whether it's still wanted. */
  async function meanPicture(rows, going) {
    const { width, height, channels } = data.manifest.picture;
    const sums = new Float64Array(width * height * channels);
    for (const row of rows) {
      const bytes = await data.picture(row);
      for (let i = 0; i < sums.length; i++) sums[i] += bytes[i];
      if (!going()) return null;
    }
    return Uint8Array.from(sums, (sum) => Math.round(sum / rows.length));
  }

  lpvdn.selection = { choose, byOutline, byCluster, rowsWhere, clear, exportRows, distinguishing, meanPicture };
})();
