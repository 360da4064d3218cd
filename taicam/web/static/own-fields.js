// What only some rulesets read of a win: one input each, shown where the ruleset in force reads it.
import { el, tile } from "./dom.js";
import { chooseTile } from "./sheet.js";
import { ENGLISH, t, wind } from "./words.js";

// `shared`: the same for every winner of the hand.
export const FIELDS = {
  wild: { words: ["百搭(財神)", "Wild tile"], kind: "tile", shared: true },
  bird_number: { words: ["鳥牌點數", "Number on the bird"], kind: "number", low: 1, high: 9, shared: true },
  dice: { words: ["兩顆骰子", "The two dice"], kind: "dice", shared: true },
  dingque: { words: ["定缺", "Void suit"], kind: "suit" },
  huangfan: { words: ["荒番(流局數)", "Drawn games before"], kind: "number", low: 0, high: 99, shared: true },
  won: { words: ["已經胡的人", "Out already"], kind: "players", shared: true },
  contractor: { words: ["承包", "Answers for the winner"], kind: "players" },
  contractors: { words: ["互相承包", "Mutual contract"], kind: "players" },
  claimed_from_winner: { words: ["吃碰贏家幾攤", "Sets claimed from the winner"], kind: "claims" },
  meld_from: { words: ["副露是誰打的", "Whose discard each meld took"], kind: "sources" },
  flower_seat: { words: ["花牌位", "Seat the flowers count from"], kind: "wind" },
  streak_shown: { words: ["連莊示記", "Streak the marker shows"], kind: "number", low: 0, high: 99 },
  table_kongs: { words: ["全桌槓數", "Kongs on the table"], kind: "number", low: 0, high: 16, shared: true },
  discards_count: { words: ["已打出張數", "Tiles discarded so far"], kind: "number", low: 0, high: 144, shared: true },
  eyed_players: { words: ["眼牌的人", "Players with a locked hand"], kind: "players" },
  robbed_player: { words: ["被搶花的人", "Whose flower was robbed"], kind: "player" },
};
const SUITS = [["m", "萬", "characters"], ["p", "筒", "dots"], ["s", "索", "bamboos"]];
const SOURCES = [["upper", "上家", "Before"], ["opposite", "對家", "Opposite"], ["lower", "下家", "After"]];
const two = (zh, en) => (ENGLISH ? en : zh);

function select(label, value, options, take) {
  return el("select", { "aria-label": label, onchange: (event) => take(event.target.value === "" ? null : event.target.value) },
    [["", "—"], ...options].map(([code, name]) => el("option", { value: code, selected: String(value ?? "") === String(code) }, name)));
}

const range = (low, high) => Array.from({ length: high - low + 1 }, (_, at) => [low + at, String(low + at)]);
const asNumber = (take) => (value) => take(value === null ? null : Number(value));

const INPUTS = {
  number: ({ label, value, take, spec }) => (spec.high <= 16
    ? select(label, value, range(spec.low, spec.high), asNumber(take))
    : el("input", { type: "number", "aria-label": label, min: spec.low, max: spec.high, value: value ?? "", inputmode: "numeric",
      onchange: (event) => take(event.target.value === "" ? null
        : Math.max(spec.low, Math.min(spec.high, Math.round(Number(event.target.value) || 0)))) })),
  suit: ({ label, value, take }) => select(label, value, SUITS.map(([code, zh, en]) => [code, two(zh, en)]), take),
  wind: ({ label, value, take }) => select(label, value, ["E", "S", "W", "N"].map((code) => [code, wind(code)]), take),
  player: ({ label, value, take, names }) => select(label, value, names.map((name, place) => [place, name]), asNumber(take)),
  // Both dice or nothing: while only one is chosen the other shows as one.
  dice: ({ label, value, take }) => [0, 1].map((at) => select(`${label} ${at + 1}`, value && value[at], range(1, 6), (pips) => {
    const dice = value ? value.slice() : [1, 1];
    dice[at] = Number(pips);
    take(pips === null ? null : dice);
  })),
  players: ({ value, take, names }) => el("div", { class: "chips" }, names.map((name, place) => {
    const on = (value || []).includes(place);
    return el("button", { type: "button", class: on ? "on" : "", "aria-pressed": String(on), onclick: () =>
      take(on ? value.filter((one) => one !== place) : [...(value || []), place]) }, name);
  })),
  claims: ({ label, value, take, names, mine }) => names.map((name, place) => (place === mine ? ""
    : el("label", {}, name, select(`${label}: ${name}`, value && value[place], range(1, 4), (count) => {
      const claims = { ...value };
      if (count === null) delete claims[place];
      else claims[place] = Number(count);
      take(claims);
    })))),
  tile: ({ label, value, take }) => el("button", { type: "button", "aria-label": label, class: "tile-button", onclick: async () => {
    const chosen = await chooseTile(label, { actions: [{ value: "remove", label: t("remove"), kind: "warn" }] });
    if (chosen) take(chosen.code ? [chosen.code] : null);
  } }, value && value.length ? tile(value[0]) : "+"),
  // The answer stays with its meld, whatever becomes of the others; a concealed kong is nobody's discard.
  sources: ({ label, melds, set }) => melds.map((meld, at) => (meld.kind === "kong_concealed" ? ""
    : el("label", {}, `${t(meld.kind)} ${at + 1}`, select(`${label} ${at + 1}`, meld.source,
      SOURCES.map(([code, zh, en]) => [code, two(zh, en)]), (source) => { meld.source = source || ""; set({}); })))),
};

/** The inputs for the winner being edited; `known` are the fields the ruleset reads. */
export function buildFields({ facts, current, melds, names, known, set }) {
  const mine = facts.fields[current] || {};
  const rows = Object.entries(FIELDS).filter(([name, spec]) => known.includes(name) && !(spec.kind === "sources" && !melds.length))
    .map(([name, spec]) => {
      const label = two(...spec.words);
      const take = (value) => set({ fields: facts.winners.map((_, at) =>
        (at === current || spec.shared ? { ...facts.fields[at], [name]: value } : facts.fields[at] || {})) });
      const input = INPUTS[spec.kind]({ label, value: mine[name], take, set, spec, names, melds, mine: facts.winners[current] });
      return el("div", { class: "own-field", role: "group", "aria-label": label, "data-field": name }, el("h3", {}, label),
        el("div", { class: "own-inputs" }, input));
    });
  if (!rows.length) return "";
  const given = Object.values(mine).filter((value) => value !== null && value !== undefined).length
    + (known.includes("meld_from") ? melds.filter((meld) => meld.source).length : 0);
  return el("details", { class: "field", id: "own-fields", open: given > 0 || facts.fieldsOpen,
    ontoggle: (event) => { facts.fieldsOpen = event.currentTarget.open; } },
    el("summary", {}, `${t("own_fields")}${given ? ` (${given})` : ""}`), el("div", { class: "own-grid" }, rows));
}
