// localStorage may be switched off, full, or absent: then choices last as long as the page.
(() => {
  function read(key) {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function write(key, value) {
    try {
      if (value === null) window.localStorage.removeItem(key);
      else window.localStorage.setItem(key, value);
    } catch {
      // Nothing to do: the page works without.
    }
  }

  lpvdn.storage = { read, write };
})();
