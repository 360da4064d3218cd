// Small helpers to build elements; text always goes in as text, never as markup.
import { tileName } from "./words.js";

export const byId = (id) => document.getElementById(id);
const version = document.body.dataset.version;

/** An element: `el("p", { class: "x", hidden: true }, "text", child, …)`. */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function tileUrl(code) { return `/tiles/${code}.svg?v=${version}`; }

/** The drawing of a tile, named for screen readers. */
export function tile(code, extra = "") {
  return el("img", {
    class: `tile ${extra}`, src: tileUrl(code), alt: tileName(code), title: tileName(code),
    width: 75, height: 100, draggable: "false",
  });
}

const keyOf = (one) => one.dataset.key || one.id;

/** Replace the children of `node`. What was opened there, rolled aside or had the focus is found again by its id or `data-key`. */
export function replace(node, ...children) {
  const open = new Set(Array.from(node.querySelectorAll("details[open]"), keyOf).filter(Boolean));
  const rolled = Array.from(node.querySelectorAll(".scroll"), (one) => one.scrollLeft);
  const at = node.contains(document.activeElement) && document.activeElement.id;
  node.replaceChildren(...children.flat(Infinity).filter((child) => child || child === 0));
  for (const one of node.querySelectorAll("details")) if (open.has(keyOf(one))) one.open = true;
  node.querySelectorAll(".scroll").forEach((one, place) => { one.scrollLeft = rolled[place] || 0; });
  if (at && byId(at)) byId(at).focus({ preventScroll: true });
}

/** The same, only when what the children come from has changed. */
export function render(node, data, build) {
  const text = JSON.stringify(data);
  if (node.dataset.shown === text) return;
  node.dataset.shown = text;
  replace(node, build(data));
}
