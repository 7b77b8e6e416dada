// Whether the clusters are more than what data without any would give, and which of them refits find again.
(() => {
  const { data, make, words, format } = lpvdn;
  const verdict = data.manifest.verdict ?? null;
  const unstable = new Set(verdict?.unstable ?? []);
  const DOUBTFUL = new Set(['none', 'weak', 'partial']);

  const known = (value) => value !== null && value !== undefined;

  /** The share of a cluster that refits find again, or null. */
  const stability = (index) => verdict?.clusters?.[index] ?? null;
  const isUnstable = (index) => unstable.has(index);

  /** A word, so that nobody has to tell colours apart. */
  function mark(index) {
    return isUnstable(index) ? make('span', { class: 'mark', text: 'unstable', title: 'Refits find less than half of it again' }) : null;
  }

  /** The sentence, with its figures below. */
  function note() {
    if (!verdict) return null;
    const kind = DOUBTFUL.has(verdict.structure) ? 'note warning verdict' : 'note verdict';
    return make('section', { class: kind, 'aria-label': 'Verdict' },
      make('p', {}, make('b', { text: 'Verdict: ' }), words(verdict.sentence, 'data wrapping')),
      known(verdict.figures) ? make('p', { class: 'small' }, words(verdict.figures, 'data wrapping')) : null);
  }

  /** What a list says after the size of a cluster. */
  const inWords = (index) => (known(stability(index)) ? `stability ${format.number(stability(index))}` : null);

  lpvdn.verdict = { note, mark, stability, isUnstable, inWords, isKnown: data.clusters.some((_, index) => known(stability(index))) };
})();
