// The sheet that rises from below: choose a tile, say yes or no, choose a person.
import { byId, el, tile } from "./dom.js";
import { t, tileName } from "./words.js";

const SUIT = (letter) => Array.from("123456789", (digit) => digit + letter);
const ROWS = [SUIT("m"), SUIT("p"), SUIT("s"), ["E", "S", "W", "N", "C", "F", "P"],
  ["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"]];

function open(title, nodes) {
  const sheet = byId("sheet");
  return new Promise((done) => {
    const finish = (value) => { sheet.close(); done(value); };
    sheet.replaceChildren(
      el("header", { class: "sheet-head" }, el("h2", { id: "sheet-title" }, title),
        el("button", { type: "button", class: "plain", onclick: () => finish(null) }, t("close"))),
      ...nodes(finish));
    sheet.oncancel = (event) => { event.preventDefault(); finish(null); };
    sheet.onclick = (event) => { if (event.target === sheet) finish(null); };
    sheet.showModal();
  });
}

function percent(odds) { return odds < 0.001 ? "<0.1%" : `${(odds * 100).toFixed(odds < 0.1 ? 1 : 0)}%`; }

/** A tile to press; `note` stands under it. */
export function tileButton(code, onclick, note = "", extra = "") {
  return el("button", { type: "button", class: `tile-button ${extra}`, "aria-label": tileName(code) + (note ? ` ${note}` : ""),
    onclick }, tile(code), note && el("span", { class: "note" }, note));
}

/** Choose a tile: likely ones first, then all of the set (`codes`). `actions` are [{ label, value, kind }] above the tiles. */
export function chooseTile(title, { alternatives = [], actions = [], current = null, stay = null, codes = ROWS.flat() } = {}) {
  const rows = ROWS.map((row) => row.filter((code) => codes.includes(code))).filter((row) => row.length);
  return open(title, (finish) => {
    const pick = (code) => (stay ? stay(code) : finish({ code }));
    const likely = alternatives.length ? el("section", { class: "likely" }, el("h3", {}, t("alternatives")),
      el("div", { class: "tile-row" }, alternatives.map(([code, odds]) =>
        tileButton(code, () => pick(code), percent(odds), code === current ? "current" : "")))) : "";
    return [
      likely,
      actions.length ? el("div", { class: "actions" }, actions.map((action) =>
        el("button", { type: "button", class: action.kind || "", onclick: () => finish({ action: action.value }) },
          action.label))) : "",
      el("section", { class: "grid" }, el("h3", {}, t("all_tiles")), rows.map((row) =>
        el("div", { class: "tile-row" }, row.map((code) =>
          tileButton(code, () => pick(code), "", code === current ? "current" : ""))))),
    ];
  });
}

/** Ask yes or no. */
export function ask(question) {
  return open(question, (finish) => [el("div", { class: "actions two" },
    el("button", { type: "button", class: "primary", onclick: () => finish(true) }, t("yes")),
    el("button", { type: "button", onclick: () => finish(null) }, t("no")))]);
}

/** Choose one of [{ label, value }]. */
export function choose(question, options) {
  return open(question, (finish) => [el("div", { class: "actions" }, options.map((option) =>
    el("button", { type: "button", onclick: () => finish({ value: option.value }) }, option.label)))]);
}
