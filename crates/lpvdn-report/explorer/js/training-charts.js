// The course of the training. Each phase has charts of its own: what a loss measures differs from phase to phase.
(() => {
  const { data, format, make, heading, hint, chart } = lpvdn;
  const { training } = data.manifest;
  const PHASES = { pretrain: 'Pre-training', joint: 'Training', settle: 'Settling' };
  const NOT_TERMS = ['epoch', 'epochs', 'phase', 'occupancy', 'seconds', 'seconds_left', 'rows_per_second'];
  const LAST = ['effective_clusters', 'learning_rate'];

  const title = (key) => key.replaceAll('_', ' ').replace(/\b(acc|nmi|ari)\b/g, (name) => name.toUpperCase());

  const place = (name) => (name === 'loss' ? -1 : LAST.indexOf(name) + 1);

  /** Every name under which some entry has a number: the loss first, what is no loss last. */
  function terms(entries) {
    const names = new Set(entries.flatMap((entry) => Object.keys(entry).filter((key) => typeof entry[key] === 'number')));
    return [...names].filter((name) => !NOT_TERMS.includes(name)).sort((a, b) => place(a) - place(b));
  }

  /** [{ name, epochs }] in the order of the log. */
  function phasesOf(epochs) {
    const phases = [];
    for (const epoch of epochs) {
      const name = String(epoch.phase ?? '');
      if (phases.at(-1)?.name !== name) phases.push({ name, epochs: [] });
      phases.at(-1).epochs.push(epoch);
    }
    return phases;
  }

  const at = (entry, index) => entry.epoch ?? index + 1;

  function termCharts(epochs) {
    return terms(epochs).map((name) => chart.lineChart({ title: title(name),
      lines: [{ name, points: epochs.map((epoch, i) => [at(epoch, i), epoch[name] ?? NaN]) }] }));
  }

  function occupancy(epochs) {
    const known = epochs.map((epoch, i) => [at(epoch, i), epoch.occupancy]).filter(([, shares]) => Array.isArray(shares) && shares.length > 0);
    if (known.length < 2) return [];
    return [chart.stackedChart({ title: 'share of rows in each cluster', xs: known.map(([epoch]) => epoch),
      shares: known.map(([, shares]) => shares), color: (index) => lpvdn.groups.cluster.color(index) })];
  }

  function phase({ name, epochs }) {
    const charts = [...termCharts(epochs), ...occupancy(epochs)];
    const own = Object.hasOwn(PHASES, name) ? PHASES[name] : format.clip(name, 60) || 'Training';
    return charts.length ? [heading(own), ...charts] : [];
  }

  function evaluations(found) {
    if (!found?.length) return [];
    const lines = terms(found).map((name, i) => ({ name: title(name), color: lpvdn.colors.category(i, 10),
      points: found.map((evaluation, index) => [at(evaluation, index), evaluation[name] ?? NaN]) }));
    const key = make('p', { class: 'chart-key' }, lines.map(({ name, color }) => make('span', {}, lpvdn.rows.swatch(color), format.clip(name, 40))));
    return [heading('Evaluations'), chart.lineChart({ title: 'against the true labels', lines }), key];
  }

  lpvdn.trainingCharts = () => {
    const parts = [...evaluations(training?.evaluations), ...phasesOf(training?.epochs ?? []).flatMap(phase)];
    return parts.length ? parts : [hint('There is no log of the training in this page.')];
  };
})();
