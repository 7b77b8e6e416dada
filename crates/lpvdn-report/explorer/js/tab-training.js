// How the model was trained, and how to do it again.
(() => {
  const { format, make, words, button, heading } = lpvdn;
  const { manifest } = lpvdn.data;

  async function copy(text, own) {
    try {
      await navigator.clipboard.writeText(text);
      own.textContent = 'Copied';
    } catch {
      own.textContent = 'Select it and copy'; // the browser doesn't let a page write to the clipboard
    }
    setTimeout(() => { own.textContent = 'Copy'; }, 2000);
  }

  function command() {
    if (!manifest.command) return [];
    const own = button('Copy', () => copy(manifest.command, own), { id: 'copy-command' });
    return [heading('To repeat it'), make('div', { class: 'command' }, make('code', { text: manifest.command }), own)];
  }

  function pairs(name, entries) {
    if (!entries?.length) return [];
    return [heading(name), make('dl', { class: 'pairs-list' }, entries.map(([key, value]) => [
      make('dt', {}, words(format.clip(key, 80))), make('dd', {}, words(format.clip(value, 2000), 'data wrapping figure'))]))];
  }

  const content = () => [...lpvdn.trainingCharts(), ...command(), ...pairs('Facts', manifest.facts), ...pairs('Settings', manifest.settings)];

  lpvdn.tabs.add({ id: 'training', title: 'Training', content });
})();
