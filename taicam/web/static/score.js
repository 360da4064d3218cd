// The score of the hand being edited: total, every item with its tiles, what was not counted and why, who pays.
import { el, tile } from "./dom.js";
import { ENGLISH, seatName, signed, t, unitName } from "./words.js";

function item(row) {
  return el("details", { class: "item" },
    el("summary", {}, el("span", {}, ENGLISH && row.name_en ? row.name_en : row.name_zh || row.name),
      el("b", {}, String(row.value))),
    el("p", { class: "from" }, ENGLISH ? row.name_zh : row.name_en),
    row.tiles && row.tiles.length ? el("div", { class: "tile-row small" }, row.tiles.map((code) => tile(code))) : "");
}

function dropped(row) {
  return el("li", {}, el("s", {}, `${row.name} ${row.value ?? ""}`), ` — ${row.by_name || ""}${row.quote ? `:「${row.quote}」` : ""}`);
}

function oneWin(win) {
  const { answer } = win;
  return [
    el("p", { class: "sum" }, el("b", { class: "big-total" }, String(answer.total)), " ", unitName(answer.unit)),
    el("div", { class: "items" }, answer.items.length ? answer.items.map(item) : el("p", { class: "quiet" }, t("zero_items"))),
    answer.not_counted && answer.not_counted.length
      ? el("details", { class: "more" }, el("summary", {}, `${t("not_counted")} (${answer.not_counted.length})`),
        el("ul", {}, answer.not_counted.map(dropped))) : "",
  ];
}

export function buildScore(preview, state) {
  if (!preview) return el("p", { class: "quiet" }, t("give_tiles"));
  const problem = preview.ok ? "" : el("p", { class: "problem", role: "status" },
    ENGLISH && preview.problem_en ? preview.problem_en : preview.problem);
  if (!preview.ok && !preview.wins.some((win) => win.answer.wins)) return problem;
  const names = (place) => (state && state.seats[place] && state.seats[place].name) || seatName(["E", "S", "W", "N"][place]);
  return [
    problem,
    preview.wins.filter((win) => win.answer.wins).map(oneWin),
    preview.changes && preview.ok
      ? el("div", { class: "pay" }, el("h3", {}, t("payments")), el("ul", {}, preview.changes.map((change, place) =>
        el("li", { class: change > 0 ? "up" : change < 0 ? "down" : "" }, `${names(place)} ${signed(change)}`))))
      : problem ? "" : el("p", { class: "quiet" }, t("payments_unknown")),
  ];
}
