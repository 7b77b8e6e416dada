// The small card beside the row under the pointer.
(() => {
  const { data, state, camera, format, make, rows } = lpvdn;
  const box = lpvdn.byId('hover');
  const GAP = 16;

  function content(row) {
    const facts = [make('b', { text: `#${format.count(data.rowNumber(row))}` }), rows.groupChip('cluster', row)];
    if (data.label) facts.push(make('span', { class: 'faint', text: 'is' }), rows.groupChip('label', row));
    facts.push(make('span', { class: 'faint', text: `${format.percent(data.confidence[row])} sure` }));
    return [make('div', { class: 'hover-content' }, rows.small(row)), make('div', { class: 'hover-facts' }, facts)];
  }

  function place(row) {
    const { x, y } = camera.screen(row);
    const { offsetWidth: width, offsetHeight: height } = box;
    const right = x + GAP + width < camera.width ? x + GAP : x - GAP - width;
    box.style.left = `${Math.max(4, right)}px`;
    box.style.top = `${Math.max(4, Math.min(camera.height - height - 4, y - height / 2))}px`;
  }

  state.on('hover', (row) => {
    box.hidden = row === null;
    if (row === null) return;
    box.replaceChildren(...content(row));
    place(row);
  });

  // Texts and values arrive after the card shows; it must not grow over its row.
  new ResizeObserver(() => {
    if (state.get('hover') !== null) place(state.get('hover'));
  }).observe(box);
})();
