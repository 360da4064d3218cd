// What no camera sees: who won and how, who dealt in, and the circumstances this ruleset knows.
import { get } from "./api.js";
import { el } from "./dom.js";
import { FLAG_WORDS, RARE_WORDS } from "./flag-words.js";
import { FIELDS, buildFields } from "./own-fields.js";
import { ENGLISH, WINDS, seatName, t, wind } from "./words.js";

const WIND_CODES = ["E", "S", "W", "N"];
const pick = (pair) => pair[ENGLISH ? 1 : 0];
const known = new Map();

// A running match knows these by itself.
const MATCH_KNOWS = ["won", "huangfan"];

/** What the ruleset in force knows: { ruleset, unit, flags, fields, hand_size, multi_win }. */
export async function rulesOf(state) {
  const name = state && state.table.match ? state.table.match : "free";
  if (!known.has(name)) known.set(name, await get("/api/rules/current"));
  return known.get(name);
}

export function emptyFacts() {
  return { winners: [0], loser: null, selfDraw: false, flags: [[]], fields: [{}], seatWinds: [null], roundWind: "E", dealer: null, streak: 0 };
}

export function factsFromRecord(record) {
  const facts = emptyFacts();
  const place = record.winner ?? WIND_CODES.indexOf(record.seat_wind || "E");
  return { ...facts, winners: [place], loser: record.loser ?? null, selfDraw: Boolean(record.self_draw), flags: [record.flags || []],
    fields: [Object.fromEntries(Object.keys(FIELDS).filter((name) => record[name] !== undefined).map((name) => [name, record[name]]))],
    roundWind: record.round_wind || "E", dealer: record.dealer_player ?? null, streak: record.streak || 0 };
}

export function factsFromSubmission(submission, free) {
  const { wins } = submission;
  return { winners: wins.map((win) => win.place), loser: submission.loser ?? null, selfDraw: wins.some((win) => win.self_draw),
    flags: wins.map((win) => win.flags || []), fields: wins.map((win) => withoutSources(win.fields)), seatWinds: wins.map((win) => win.seat_wind || null),
    roundWind: free.round_wind || "E", dealer: free.dealer_player ?? null, streak: free.streak || 0 };
}

// Whose discard a meld took stays with the meld, in the draft.
function withoutSources(fields) {
  return Object.fromEntries(Object.entries(fields || {}).filter(([name]) => name !== "meld_from"));
}

/** What the server is told. */
export function submissionOf(work) {
  const { facts, drafts } = work;
  if (work.outcome === "draw") return { outcome: "draw", wins: [] };
  if (work.outcome === "false_win") return { outcome: "false_win", wins: [], place: work.offender };
  return {
    outcome: "win",
    wins: facts.winners.map((place, at) => ({
      place, hand: drafts[at].toHand(), self_draw: facts.selfDraw, flags: facts.flags[at] || [],
      fields: { ...facts.fields[at], ...sourcesOf(work, at) }, seat_wind: facts.seatWinds[at] || null,
    })),
    loser: facts.selfDraw ? null : facts.loser,
    facts: { round_wind: facts.roundWind, dealer_player: facts.dealer, streak: facts.streak },
  };
}

function sourcesOf({ rules, drafts }, at) {
  const sources = drafts[at].melds.map((meld) => (meld.kind === "kong_concealed" ? "" : meld.source));
  return rules.fields.includes("meld_from") && sources.some(Boolean) ? { meld_from: sources } : {};
}

function chip(label, on, onclick, disabled = false) {
  return el("button", { type: "button", class: on ? "on" : "", "aria-pressed": String(on), disabled, onclick }, label);
}

function group(label, children, id = "") {
  return el("div", { class: "field", role: "group", "aria-label": label, id: id || null },
    el("h3", {}, label), el("div", { class: "chips" }, children));
}

export function buildFacts(work, state, inMatch, changed) {
  const { facts, current, rules } = work;
  const seats = state ? state.seats : WIND_CODES.map((code) => ({ wind: code, name: "" }));
  const label = (seat) => `${WINDS[seat.wind][0]} ${seat.name || seatName(seat.wind)}`;
  const set = (change) => { Object.assign(facts, change); changed(); };
  const mine = facts.winners[current];
  const names = seats.map(label);
  const out = inMatch && state && work.kind !== "edit" ? state.table.out : [];  // 血戰: they have won this hand already
  const known = rules.fields.filter((name) => !(inMatch && MATCH_KNOWS.includes(name)));
  return [
    group(t("winner_is"), seats.map((seat, place) => chip(label(seat), mine === place, () => {
      facts.winners[current] = place;
      set({ loser: facts.winners.includes(facts.loser) ? null : facts.loser });
    }, out.includes(place) || (facts.winners.includes(place) && mine !== place))), "winner"),
    group(t("how_won"), [
      chip(t("self_draw"), facts.selfDraw, () => (facts.selfDraw ? null : set({ ...alone(facts, current), selfDraw: true, loser: null }))),
      chip(t("ron"), !facts.selfDraw, () => set({ selfDraw: false })),
    ], "how"),
    facts.selfDraw ? "" : group(t("loser_is"), seats.map((seat, place) =>
      chip(label(seat), facts.loser === place, () => set({ loser: place }), out.includes(place) || facts.winners.includes(place))), "loser"),
    inMatch ? "" : freeFields(facts, set),
    flagChips(work, set),
    buildFields({ facts, current, melds: work.drafts[current].melds, names, known, set }),
    inMatch ? seatWindField(facts, current, set) : "",
    inMatch && mayWinToo(facts, rules) ? addWinner(work, seats, out, set) : "",
  ];
}

function freeFields(facts, set) {
  const dealers = [null, 0, 1, 2, 3];
  return el("div", { class: "row-fields" },
    el("label", {}, t("round_wind"), el("select", { id: "round-wind", onchange: (event) => set({ roundWind: event.target.value }) },
      WIND_CODES.map((code) => el("option", { value: code, selected: code === facts.roundWind }, wind(code))))),
    el("label", {}, t("is_dealer"), el("select", { id: "dealer", onchange: (event) =>
      set({ dealer: event.target.value === "" ? null : Number(event.target.value) }) },
      dealers.map((place) => el("option", { value: place === null ? "" : place, selected: place === facts.dealer },
        place === null ? "?" : seatName(WIND_CODES[place]))))),
    el("label", {}, t("streak"), el("input", { type: "number", id: "streak", min: 0, max: 99, value: facts.streak, inputmode: "numeric",
      onchange: (event) => set({ streak: Math.max(0, Number(event.target.value) || 0) }) })));
}

function flagChips(work, set) {
  const { facts, current, rules } = work;
  const mine = facts.flags[current] || [];
  const toggle = (flag) => {
    const flags = facts.flags.slice();
    flags[current] = mine.includes(flag) ? mine.filter((one) => one !== flag) : [...mine, flag];
    const shown = work.drafts[current];
    // On the tiles as dealt no tile has completed the hand: they all lie in it.
    if (flag === "initial" && !mine.includes(flag) && shown.winning) shown.move(shown.winning.id, "concealed");
    set({ flags });
  };
  const chipsOf = (words) => Object.keys(words).filter((flag) => rules.flags.includes(flag)).map((flag) =>
    chip(pick(words[flag]), mine.includes(flag), () => toggle(flag)));
  const rare = chipsOf(RARE_WORDS);
  const open = mine.length > 0 || facts.flagsOpen;
  return el("details", { class: "field", id: "flags", open, ontoggle: (event) => { facts.flagsOpen = event.currentTarget.open; } },
    el("summary", {}, `${t("facts")}${mine.length ? ` (${mine.length})` : ""}`),
    el("div", { class: "chips" }, chipsOf(FLAG_WORDS)), rare.length ? el("div", { class: "chips rare" }, rare) : "");
}

function seatWindField(facts, current, set) {
  return el("div", { class: "row-fields" }, el("label", {}, t("seat_wind"), el("select", { id: "seat-wind", onchange: (event) => {
    const seatWinds = facts.seatWinds.slice();
    seatWinds[current] = event.target.value || null;
    set({ seatWinds });
  } }, ["", ...WIND_CODES].map((code) => el("option", { value: code, selected: (facts.seatWinds[current] || "") === code },
    code ? wind(code) : t("by_seat"))))));
}

// Several win one discard where the ruleset pays them all; by themselves only on the tiles as dealt (起手胡).
const DEALT = ["initial", "heavenly"];
function mayWinToo(facts, rules) {
  if (!facts.selfDraw) return rules.multi_win && facts.winners.length < 3;
  return rules.dealt_wins && facts.winners.length < 4 && facts.flags.every((flags) => flags.some((flag) => DEALT.includes(flag)));
}

function alone(facts, at) {
  return { winners: [facts.winners[at]], flags: [facts.flags[at] || []], fields: [facts.fields[at] || {}], seatWinds: [facts.seatWinds[at] || null] };
}

/** The facts without one of several winners. */
export function withoutWinner(facts, at) {
  const rest = (list) => list.filter((_, other) => other !== at);
  return { ...facts, winners: rest(facts.winners), flags: rest(facts.flags), fields: rest(facts.fields), seatWinds: rest(facts.seatWinds) };
}

function addWinner(work, seats, out, set) {
  const { facts } = work;
  const free = seats.findIndex((_, place) => !facts.winners.includes(place) && place !== facts.loser && !out.includes(place));
  return free < 0 ? "" : el("button", { type: "button", class: "plain", onclick: () => {
    work.current = facts.winners.length;
    set({ winners: [...facts.winners, free], flags: [...facts.flags, facts.selfDraw ? ["initial"] : []],
      fields: [...facts.fields, shared(facts.fields[0])], seatWinds: [...facts.seatWinds, null] });
  } }, `+ ${t("second_winner")}`);
}

// What is true of the whole hand is not asked again for the next winner.
function shared(fields) {
  return Object.fromEntries(Object.entries(fields || {}).filter(([name]) => FIELDS[name].shared));
}
