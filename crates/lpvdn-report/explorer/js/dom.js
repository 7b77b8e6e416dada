// Elements are only ever built here and from `textContent`, so no string of the data becomes markup.
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  // Attributes that could run or load something: nobody needs them, so nobody can pass data there.
  const DANGEROUS = /^(on|style|href|src)/i;

  function setAttribute(element, name, value) {
    if (DANGEROUS.test(name)) throw new Error(`the attribute ${name} isn't allowed`);
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }

  function fill(element, options, children) {
    for (const [name, value] of Object.entries(options)) {
      if (name === 'text') element.textContent = value;
      else if (name === 'on') Object.entries(value).forEach(([event, call]) => element.addEventListener(event, call));
      else setAttribute(element, name, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
  }

  function make(tag, options = {}, ...children) {
    return fill(document.createElement(tag), options, children);
  }

  function svg(tag, options = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), options, children);
  }

  function button(text, click, options = {}) {
    return make('button', { type: 'button', text, ...options, on: { click } });
  }

  /** A string of the data: it keeps its direction of writing to itself. */
  function words(text, className = 'data') {
    return make('bdi', { class: className, text: String(text) });
  }

  function byId(id) {
    return document.getElementById(id);
  }

  function heading(text) {
    return make('h2', { text });
  }

  function hint(text) {
    return make('p', { class: 'hint', text });
  }

  /** Says something to those who hear the page. */
  function announce(text) {
    byId('live').textContent = text;
  }

  Object.assign(lpvdn, { make, svg, button, words, byId, heading, hint, announce });
})();
