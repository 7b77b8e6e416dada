// What is drawn over the points: names of groups, rings about rows, the outline of a selection.
(() => {
  const { data, state, camera, scene, format } = lpvdn;
  const MOST_RINGS = 400;
  const MOST_NAMES = 60;
  const middles = {}; // by grouping: the row in the midst of each group

  function median(values) {
    values.sort();
    return values[values.length >> 1];
  }

  /** The member nearest to the medians of its group's coordinates: it lies within, wherever the map turns. */
  function middleRow(members) {
    const centre = Array.from({ length: data.axes }, (_, axis) => (
      median(Float32Array.from(members, (row) => data.map[row * data.axes + axis]))));
    let [best, bestSquare] = [members[0], Infinity];
    for (const row of members) {
      const square = centre.reduce((sum, value, axis) => sum + (data.map[row * data.axes + axis] - value) ** 2, 0);
      if (square < bestSquare) [best, bestSquare] = [row, square];
    }
    return best;
  }

  function middlesOf(by) {
    if (middles[by]) return middles[by];
    const group = lpvdn.groups[by];
    const members = Array.from({ length: group.size }, () => []);
    group.of.forEach((index, row) => { if (scene.isPlaced(row)) members[index].push(row); });
    middles[by] = members.map((rows, index) => ({ index, size: rows.length, row: rows.length ? middleRow(rows) : null }))
      .filter((entry) => entry.row !== null).sort((a, b) => b.size - a.size);
    return middles[by];
  }

  const apart = (box, others) => others.every((other) => (
    box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom));

  /** Names of the groups, the largest first; one that would cover another is left out. */
  function drawNames(context, style) {
    const by = state.get('colorBy') === 'label' ? 'label' : 'cluster';
    const hidden = state.get('hidden')[by];
    const boxes = [];
    context.font = `600 12px ${style.font}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (const { index, row } of middlesOf(by)) {
      if (hidden.has(index) || boxes.length >= MOST_NAMES) continue;
      const { x, y } = camera.screen(row);
      const text = format.clip(lpvdn.groups[by].name(index), 22);
      const half = context.measureText(text).width / 2 + 5;
      const box = { left: x - half, right: x + half, top: y - 10, bottom: y + 10 };
      if (!apart(box, boxes)) continue;
      boxes.push(box);
      drawName(context, style, text, x, y);
    }
  }

  function drawName(context, style, text, x, y) {
    context.lineWidth = 4;
    context.lineJoin = 'round';
    context.strokeStyle = style.ground;
    context.fillStyle = style.ink;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }

  function ring(context, row, radius, color, width) {
    const { x, y } = camera.screen(row);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = width;
    context.strokeStyle = color;
    context.stroke();
  }

  function doubleRing(context, style, row, radius) {
    if (row === null || !scene.isPlaced(row)) return;
    ring(context, row, radius, style.ground, 5);
    ring(context, row, radius, style.ink, 2);
  }

  function drawNeighbours(context, style) {
    const pinned = state.get('pinned');
    if (pinned === null || !scene.isPlaced(pinned)) return;
    const from = camera.screen(pinned);
    context.strokeStyle = style.ink;
    context.lineWidth = 1;
    for (const { row } of state.get('neighbours').filter((near) => scene.isPlaced(near.row))) {
      const to = camera.screen(row);
      context.globalAlpha = 0.45;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
      context.stroke();
      context.globalAlpha = 1;
      ring(context, row, 6, style.ink, 1.5);
    }
  }

  function drawMatches(context, style) {
    const matches = state.get('matches');
    if (!matches || matches.length > MOST_RINGS) return;
    matches.forEach((row) => scene.shows(row) && ring(context, row, 6, style.accent, 1.5));
  }

  /** The outline while it's being drawn, in places on the canvas. */
  function drawOutline(context, style, outline) {
    if (outline.length < 2) return;
    context.beginPath();
    outline.forEach(({ x, y }, i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.globalAlpha = 0.12;
    context.fillStyle = style.accent;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.strokeStyle = style.accent;
    context.stroke();
  }

  /** Where Enter would pick, for those who move the map by keys. */
  function drawCross(context, style) {
    const { x, y } = camera.middle();
    context.lineWidth = 1.5;
    context.strokeStyle = style.accent;
    context.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(x + 5 * dx, y + 5 * dy);
      context.lineTo(x + 13 * dx, y + 13 * dy);
    }
    context.stroke();
  }

  function draw(context, style, outline, cross) {
    context.setTransform(camera.ratio, 0, 0, camera.ratio, 0, 0);
    if (state.get('showNames')) drawNames(context, style);
    drawMatches(context, style);
    drawNeighbours(context, style);
    doubleRing(context, style, state.get('pinned'), 9);
    doubleRing(context, style, state.get('hover'), 7);
    drawOutline(context, style, outline);
    if (cross) drawCross(context, style);
  }

  lpvdn.overlay = { draw };
})();
