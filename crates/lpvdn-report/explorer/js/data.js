// The rows: what every view needs is loaded at the start, the rest when first asked for.
(() => {
  const { manifest } = lpvdn;
  const NONE = 0xffffffff;
  const once = new Map(); // what was loaded and is kept for good

  const data = { manifest, rows: manifest.rows, kind: manifest.kind, NONE,
    axes: manifest.map?.axes ?? 2, clusters: manifest.clusters ?? [], labels: manifest.labels ?? null,
    columns: manifest.columns ?? [] };

  /** What failed is tried again the next time. */
  function keepOnce(key, load) {
    if (!once.has(key)) once.set(key, load().catch((error) => { once.delete(key); throw error; }));
    return once.get(key);
  }

  async function numbers(name, Type, length) {
    const bytes = await lpvdn.blob(name);
    if (bytes.byteLength !== length * Type.BYTES_PER_ELEMENT) {
      throw new Error(`the data named “${name}” has ${bytes.byteLength} bytes, not ${length * Type.BYTES_PER_ELEMENT}`);
    }
    return new Type(bytes.buffer, bytes.byteOffset, length);
  }

  /** Read anew each time: blobs are kept as long as there is room, and what is read from them isn't. */
  async function json(name) {
    return JSON.parse(new TextDecoder().decode(await lpvdn.blob(name)));
  }

  const sampled = () => (manifest.rows_total ?? manifest.rows) > manifest.rows;

  async function load() {
    const { rows } = data;
    [data.map, data.cluster, data.confidence, data.margin, data.outlier, data.label, data.number] = await Promise.all([
      numbers('map', Float32Array, rows * data.axes),
      numbers('cluster', Uint32Array, rows),
      numbers('confidence', Float32Array, rows),
      numbers('margin', Float32Array, rows),
      numbers('outlier', Float32Array, rows),
      data.labels ? numbers('label', Uint32Array, rows) : null,
      sampled() ? numbers('number', Uint32Array, rows) : null,
    ]);
  }

  /** The number of a row in the data as it was given, from 0, as in every file that the program writes. */
  const rowNumber = (row) => (data.number ? data.number[row] : row);

  /** The row of this page with that number, or -1. */
  function rowOfNumber(number) {
    if (data.number) return data.number.indexOf(number);
    return Number.isInteger(number) && number >= 0 && number < data.rows ? number : -1;
  }

  const codes = () => keepOnce('codes', () => numbers('codes', Float32Array, data.rows * manifest.code_size));

  async function picture(row) {
    const { width, height, channels, chunk } = manifest.picture;
    const size = width * height * channels;
    const bytes = await lpvdn.blob('pictures/' + Math.floor(row / chunk));
    return bytes.subarray((row % chunk) * size, (row % chunk + 1) * size);
  }

  async function samplePicture(cluster, sample) {
    const { width, height, channels } = manifest.picture;
    const size = width * height * channels;
    const at = (cluster * data.clusters[cluster].sample_count + sample) * size;
    return (await lpvdn.blob('samples')).subarray(at, at + size);
  }

  async function text(row) {
    const { chunk } = manifest.text;
    return (await json('texts/' + Math.floor(row / chunk)))[row % chunk];
  }

  /** The id of a row, or null when rows have none. */
  async function id(row) {
    if (!manifest.ids) return null;
    const { chunk } = manifest.ids;
    return (await json('ids/' + Math.floor(row / chunk)))[row % chunk];
  }

  const chunkCount = (part) => (part ? Math.ceil(data.rows / part.chunk) : 0);

  /** Calls `call(entry, row)` for every row's text (or id), chunk by chunk; stops when it gives false. */
  async function everyRow(name, part, call) {
    for (let chunk = 0; chunk < chunkCount(part); chunk++) {
      const entries = await json(`${name}/${chunk}`);
      for (let i = 0; i < entries.length; i++) {
        if (call(entries[i], chunk * part.chunk + i) === false) return;
      }
    }
  }

  function describe(values) {
    let [sum, squares, present, min, max] = [0, 0, 0, Infinity, -Infinity];
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      present++;
      sum += value;
      squares += value * value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    const mean = present ? sum / present : NaN;
    const deviation = present ? Math.sqrt(Math.max(0, squares / present - mean * mean)) : NaN;
    return { values, mean, deviation, min, max, missing: values.length - present };
  }

  const column = (index) => keepOnce('column/' + index,
    async () => describe(await numbers('column/' + index, Float32Array, data.rows)));

  const everyColumn = () => Promise.all(data.columns.map((_, index) => column(index)));

  Object.assign(data, { load, rowNumber, rowOfNumber, codes, picture, samplePicture, text, id, everyRow, column,
    everyColumn, describe, sampled });
  lpvdn.data = data;
})();
