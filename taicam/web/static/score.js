// The score of the hand being edited: total, every item with its tiles, what was not counted and why, who pays.
import { el, tile } from "./dom.js";
import { ENGLISH, inLanguage, seatName, signed, t, unitName } from "./words.js";

// What is opened stays open while the facts change: every fold has a key of its own, by winner and name.
function item(row, place) {
  return el("details", { class: "item", "data-key": `${place} ${row.name}` },
    el("summary", {}, el("span", {}, ENGLISH && row.name_en ? row.name_en : row.name_zh || row.name),
      el("b", {}, String(row.value))),
    el("p", { class: "from" }, ENGLISH ? row.name_zh : row.name_en),
    row.tiles && row.tiles.length ? el("div", { class: "tile-row small" }, row.tiles.map((code) => tile(code))) : "");
}

function dropped(row) {
  const name = inLanguage(row.name_zh, row.name_en) || row.name;
  const because = inLanguage(row.because_zh, row.because_en);
  return el("li", {}, el("s", {}, `${name} ${row.value ?? ""}`), because ? ` — ${because}` : "", row.quote ? `「${row.quote}」` : "");
}

function unmet(row) {
  return el("li", {}, inLanguage(row.name_zh, row.name_en) || row.name, ` — ${inLanguage(row.because_zh, row.because_en)}`);
}

function folded(key, heading, rows, build) {
  return rows && rows.length
    ? el("details", { class: "more", "data-key": key }, el("summary", {}, `${heading} (${rows.length})`), el("ul", {}, rows.map(build))) : "";
}

// Rules of play that were broken, and what follows; the table decides, the total is as it is.
function violations(wins) {
  const rows = wins.flatMap((win) => win.answer.violations || []);
  return rows.length ? el("ul", { class: "violations", role: "status" }, rows.map((row) =>
    el("li", {}, `${t("violation")}:${inLanguage(row.zh, row.en)} → ${inLanguage(row.consequence_zh, row.consequence_en)}`))) : "";
}

function oneWin(win, name) {
  const { answer } = win;
  return [
    name ? el("h3", {}, name) : "",
    el("p", { class: "sum" }, el("b", { class: "big-total" }, String(answer.total)), " ", unitName(answer.unit)),
    el("div", { class: "items" }, answer.items.length ? answer.items.map((row) => item(row, win.place)) : el("p", { class: "quiet" }, t("zero_items"))),
    folded(`${win.place} not-counted`, t("not_counted"), answer.not_counted, dropped),
    folded(`${win.place} unmet`, t("unmet"), answer.unmet, unmet),
  ];
}

export function buildScore(preview, state) {
  if (!preview) return el("p", { class: "quiet" }, t("give_tiles"));
  const problem = preview.ok ? "" : el("p", { class: "problem", role: "status" },
    inLanguage(preview.problem, preview.problem_en));
  const broken = violations(preview.wins);
  if (!preview.ok && !preview.wins.some((win) => win.answer.wins)) return [problem, broken];
  const names = (place) => (state && state.seats[place] && state.seats[place].name) || seatName(["E", "S", "W", "N"][place]);
  return [
    problem,
    broken,
    preview.wins.filter((win) => win.answer.wins).map((win) => oneWin(win, preview.wins.length > 1 ? names(win.place) : "")),
    preview.changes && preview.ok
      ? el("div", { class: "pay" }, el("h3", {}, t("payments")), el("ul", {}, preview.changes.map((change, place) =>
        el("li", { class: change > 0 ? "up" : change < 0 ? "down" : "" }, `${names(place)} ${signed(change)}`))))
      : problem ? "" : el("p", { class: "quiet" }, t("payments_unknown")),
  ];
}
