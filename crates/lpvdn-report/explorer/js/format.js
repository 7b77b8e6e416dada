// Numbers and strings as a reader wants them.
(() => {
  const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  const MINUS = '\u2212';

  const withMinus = (text) => text.replace(/^-/, MINUS);

  function count(value) {
    return withMinus(grouped.format(value));
  }

  function number(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return '–';
    if (!Number.isFinite(value)) return value > 0 ? '∞' : MINUS + '∞';
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e12) return count(value);
    if (size >= 1e6 || size < 1e-4) return withMinus(value.toExponential(2));
    if (size >= 1000) return count(value);
    return withMinus(size >= 1 ? value.toPrecision(4) : value.toFixed(4));
  }

  /** For axes and tight places: at most three digits that matter. */
  function brief(value) {
    const size = Math.abs(value);
    if (size !== 0 && Number.isFinite(value) && (size >= 1e5 || size < 1e-4)) {
      return withMinus(value.toExponential(0));
    }
    return withMinus(String(Number(value.toPrecision(3))));
  }

  /** Always three digits, so that numbers side by side compare. */
  function short(value) {
    const size = Math.abs(value);
    return size >= 0.001 && size < 1000 ? withMinus(value.toPrecision(3)) : brief(value);
  }

  function percent(share) {
    if (share === null || share === undefined || Number.isNaN(share)) return '–';
    const value = 100 * share;
    return `${value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0)}%`;
  }

  function signed(value) {
    return (value < 0 ? MINUS : '+') + Math.abs(value).toFixed(1);
  }

  /** No longer than `length`, on one line: for places where a string can't wrap. */
  function clip(text, length) {
    const line = String(text).replace(/\s+/g, ' ').trim();
    return line.length > length ? line.slice(0, length - 1).trimEnd() + '…' : line;
  }

  function plural(amount, singular, many = singular + 's') {
    return `${count(amount)} ${amount === 1 ? singular : many}`;
  }

  lpvdn.format = { count, number, brief, short, percent, signed, clip, plural };
})();
