// Named arrays of bytes: packed into the page, or fetched from the server that serves it.
(() => {
  const LIMIT = 96 * 1024 * 1024; // bytes kept; pictures beyond are unpacked anew when needed
  const kept = new Map(); // name → { promise, size }, the least recently used first
  let total = 0;

  function bytesOfBase64(text) {
    const letters = atob(text.trim());
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
  }

  async function unpack(name) {
    const element = lpvdn.byId('blob:' + name);
    if (!element) throw new Error(`the page holds no data named “${name}”`);
    const packed = new Blob([bytesOfBase64(element.textContent)]);
    const stream = packed.stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  async function fetchFromServer(name) {
    const answer = await fetch('blob/' + name);
    if (!answer.ok) throw new Error(`the server answered ${answer.status} for “${name}”`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  function forget(name) {
    total -= kept.get(name).size;
    kept.delete(name);
  }

  function keep(name, entry, size) {
    if (kept.get(name) !== entry) return;
    entry.size = size;
    total += size;
    for (const oldest of kept.keys()) {
      if (total <= LIMIT || oldest === name) break;
      forget(oldest);
    }
  }

  function load(name) {
    const entry = { size: 0 };
    entry.promise = lpvdn.manifest.served ? fetchFromServer(name) : unpack(name);
    entry.promise.then((bytes) => keep(name, entry, bytes.length), () => kept.get(name) === entry && forget(name));
    return entry;
  }

  lpvdn.manifest = JSON.parse(lpvdn.byId('manifest').textContent);

  lpvdn.blob = (name) => {
    const entry = kept.get(name) ?? load(name);
    kept.delete(name);
    kept.set(name, entry);
    return entry.promise;
  };
})();
