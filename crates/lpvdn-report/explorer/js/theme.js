// Light or dark: as the system has it until the user says otherwise.
(() => {
  const { state, storage } = lpvdn;
  const KEY = 'lpvdn:theme';
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const button = lpvdn.byId('theme');

  const chosen = () => (['light', 'dark'].includes(storage.read(KEY)) ? storage.read(KEY) : null);
  const ofSystem = () => (dark.matches ? 'dark' : 'light');

  function apply(theme) {
    document.documentElement.dataset.theme = theme;
    const other = theme === 'dark' ? 'light' : 'dark';
    button.textContent = theme === 'dark' ? '☀' : '☾';
    button.setAttribute('aria-label', `Switch to the ${other} theme`);
    button.title = `Switch to the ${other} theme (D)`;
    state.set('theme', theme);
  }

  function toggle() {
    const theme = state.get('theme') === 'dark' ? 'light' : 'dark';
    storage.write(KEY, theme);
    apply(theme);
  }

  function start() {
    apply(chosen() ?? ofSystem());
    dark.addEventListener('change', () => chosen() ?? apply(ofSystem()));
    button.addEventListener('click', toggle);
  }

  lpvdn.theme = { start, toggle };
})();
