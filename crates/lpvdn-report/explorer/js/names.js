// Names of clusters, which the user may change, and of labels.
(() => {
  const { data, state, storage } = lpvdn;
  const fingerprint = (data.manifest.facts ?? []).filter(([fact]) => /fingerprint/i.test(fact)).map(([, value]) => value);
  // With the sizes, since the same data fitted anew have other clusters.
  const KEY = ['lpvdn:names', data.manifest.title, ...fingerprint, data.clusters.map((cluster) => cluster.size)].join(':');

  const given = data.clusters.map((cluster, index) => String(cluster.name ?? index));
  let chosen = read();

  function read() {
    try {
      const found = JSON.parse(storage.read(KEY));
      return found && typeof found === 'object' ? found : {};
    } catch {
      return {};
    }
  }

  function changed() {
    storage.write(KEY, Object.keys(chosen).length ? JSON.stringify(chosen) : null);
    state.set('names', state.get('names') + 1);
  }

  function rename(index, name) {
    const trimmed = name.trim();
    if (trimmed === '' || trimmed === given[index]) delete chosen[index];
    else chosen[index] = trimmed;
    changed();
  }

  function reset() {
    chosen = {};
    changed();
  }

  const cluster = (index) => String(chosen[index] ?? given[index] ?? 'none');
  /** A name that says by itself that it's a cluster's: “cluster 3”, but “zeros” as it is. */
  const clusterInWords = (index) => (/^\d*$/.test(cluster(index)) ? `cluster ${cluster(index)}` : cluster(index));
  const label = (index) => String(data.labels?.[index] ?? 'no label');

  lpvdn.names = { cluster, clusterInWords, label, rename, reset, given: (index) => given[index],
    isChanged: () => Object.keys(chosen).length > 0 };
})();
