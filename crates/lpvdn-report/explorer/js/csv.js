// CSV that spreadsheets read as it's meant, and files for the user to keep.
(() => {
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const FORMULA = /^[=+\-@\t\r]/;

  /** A cell that a spreadsheet would take for a formula gets an apostrophe; plain numbers stay. */
  function cell(value) {
    let text = value === null || value === undefined ? '' : String(value);
    if (FORMULA.test(text) && !NUMBER.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  const csv = (lines) => lines.map((line) => line.map(cell).join(',') + '\r\n').join('');

  /** A part of a file name from any string. */
  const fileName = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 40) || 'lpvdn';

  function save(name, type, text) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `${fileName(lpvdn.manifest.title ?? '')}-${name}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  lpvdn.csv = { csv, save };
})();
