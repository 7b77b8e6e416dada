// Mouse, touch and pen on the map.
(() => {
  const { state, camera, map } = lpvdn;
  const { canvas } = map;
  const CLICK = 5; // a press that moves less is a click
  const REACH = { mouse: 14, pen: 18, touch: 26 }; // how near to a point one must be
  const pressed = new Map(); // pointers that are down
  let drag = null;
  let pinch = null;

  function place(event) {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  function modeOf(event) {
    if (event.shiftKey) return 'lasso';
    if (event.altKey && lpvdn.data.axes === 3) return 'turn';
    return event.button === 1 ? 'pan' : state.get('mode');
  }

  function press(event) {
    if (event.button > 1) return;
    canvas.setPointerCapture(event.pointerId);
    const at = place(event);
    pressed.set(event.pointerId, at);
    state.set('hover', null);
    if (pressed.size === 2) startPinch();
    else if (pressed.size === 1) drag = { mode: modeOf(event), start: at, last: at, path: [at], moved: false };
  }

  function startPinch() {
    drag = null;
    map.setOutline([]);
    pinch = spread();
  }

  function spread() {
    const [a, b] = [...pressed.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  }

  function movePinch() {
    const now = spread();
    camera.pan(now.x - pinch.x, now.y - pinch.y);
    camera.zoom(now.distance / pinch.distance, now.x, now.y);
    pinch = now;
    map.request();
  }

  function boxPath({ x, y }, to) {
    return [{ x, y }, { x: to.x, y }, to, { x, y: to.y }];
  }

  function moveDrag(at) {
    drag.moved ||= Math.hypot(at.x - drag.start.x, at.y - drag.start.y) > CLICK;
    if (!drag.moved) return;
    const [dx, dy] = [at.x - drag.last.x, at.y - drag.last.y];
    drag.last = at;
    if (drag.mode === 'pan') camera.pan(dx, dy);
    else if (drag.mode === 'turn') camera.rotate(dx, dy);
    else {
      drag.path = drag.mode === 'box' ? boxPath(drag.start, at) : [...drag.path, at];
      map.setOutline(drag.path);
    }
    map.request();
  }

  function move(event) {
    const at = place(event);
    if (pressed.has(event.pointerId)) pressed.set(event.pointerId, at);
    if (pinch && pressed.size === 2) movePinch();
    else if (drag) moveDrag(at);
    else if (event.pointerType !== 'touch') hover(at, event.pointerType);
  }

  function hover(at, pointer) {
    state.set('hover', map.rowAt(at.x, at.y, REACH[pointer] ?? REACH.mouse));
  }

  function release(event) {
    pressed.delete(event.pointerId);
    if (pinch) {
      if (pressed.size === 0) pinch = null;
      return;
    }
    if (!drag) return;
    const done = drag;
    drag = null;
    map.setOutline([]);
    if (event.type === 'pointercancel') return;
    if (!done.moved) click(done.start, event.pointerType);
    else if (done.mode === 'box' || done.mode === 'lasso') lpvdn.selection.byOutline(done.path, done.mode);
  }

  function click({ x, y }, pointer) {
    const row = map.rowAt(x, y, REACH[pointer] ?? REACH.mouse);
    if (row !== null) lpvdn.pin(row);
  }

  function wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const { x, y } = place(event);
    state.set('hover', null); // its row moves away from its card
    camera.zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) / 420), x, y);
    map.request();
  }

  function doubleClick(event) {
    const { x, y } = place(event);
    camera.glideZoom(event.shiftKey ? 0.5 : 2, x, y);
    map.request();
  }

  /** Gives up what is being drawn; true if there was something. */
  function cancel() {
    if (!drag?.moved) return false;
    drag = null;
    map.setOutline([]);
    return true;
  }

  canvas.addEventListener('pointerdown', press);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => state.set('hover', null));
  canvas.addEventListener('wheel', wheel, { passive: false });
  canvas.addEventListener('dblclick', doubleClick);
  lpvdn.gestures = { cancel };
})();
