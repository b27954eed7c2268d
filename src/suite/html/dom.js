// Elements and texts that the page and its player share.

/** Creates an element with attributes and children; `on...` attributes are event handlers. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null && child !== false));
  return node;
}

/** A length in metres as millimetres with three or four digits. */
function millimetres(metres) {
  if (metres == null || !Number.isFinite(metres)) return "not finite";
  const mm = 1000 * metres;
  const digits = mm >= 100 ? 0 : mm >= 10 ? 1 : mm >= 1 ? 2 : 3;
  return `${mm > 0 && mm < 0.0005 ? "< 0.001" : mm.toFixed(digits)} mm`;
}

/** Makes control characters and marks of direction visible. */
function plain(text) {
  const hidden = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  return String(text).replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
