// Tab "match": start one (people, seats, rules, stakes), see how it stands, settle up.
import { get, newKey } from "./api.js";
import { byId, el, render, replace } from "./dom.js";
import { load } from "./loading.js";
import { choiceName, explained } from "./option-words.js";
import { ask } from "./sheet.js";
import { ENGLISH, WINDS, moment, roundTitle, t, t2 } from "./words.js";

const MOST_PEOPLE = 8;
const COLOURS = document.body.dataset.colours.split(" ");  // one for each of the most people
let app = null;
let root = null;
let shown = null;  // the match on show; none while a new one is put together
let shownLedger = -1;
let asking = 0;
let drawn = 0;
let chosen = null;  // seats chosen and not saved yet
let form = null;  // a new match, as far as it is put together: it stays while somebody looks elsewhere or has to pair first
let asked;  // the match named in the address, if any: it stays on show whatever is played

export async function enter(node, companion, [id]) {
  app = companion;
  root = node;
  shownLedger = -1;
  asked = id;
  const match = id || app.state.table.match;
  if (match) await showMatch(match);
  else await showForm();
}

export function update(state) {
  if (shown && shownLedger !== state.table.ledger) app.orSay(() => showMatch(asked || state.table.match || shown));
}

export function leave() { shown = chosen = null; }

// ---- how it stands --------------------------------------------------------------------------------------------------

async function showMatch(id) {
  shown = id;
  shownLedger = app.state.table.ledger;
  const mine = ++asking;
  let match;
  try { match = await get(`/api/matches/${encodeURIComponent(id)}`); } catch (error) {
    shownLedger = -1;  // asked again at the next event
    throw error;
  }
  if (shown !== id || mine < drawn) return;  // somebody has gone on, or a later answer was quicker
  drawn = mine;
  drawMatch(match);
}

// Only what has changed is drawn anew: somebody may be choosing seats.
function drawMatch(match) {
  if (!root.querySelector("#standing")) {
    root.replaceChildren(el("div", { class: "part", id: "standing" }),
      el("details", { class: "card", id: "change-seats" }, el("summary", {}, t("change_seats")), el("div", { id: "seats-chosen" })),
      el("div", { class: "actions", id: "match-actions" }));
  }
  render(byId("standing"), match, buildStanding);
  byId("change-seats").hidden = match.ended;
  render(byId("seats-chosen"), { seating: match.seating, people: match.people.map(({ id, name }) => ({ id, name })) }, buildSeats);
  render(byId("match-actions"), { match_id: match.match_id, ended: match.ended }, buildActions);
}

function buildStanding(match) {
  const people = [...match.people].sort((a, b) => b.total - a.total);
  return [
    el("section", { class: "card" }, el("h2", {}, match.title || t("tab_match")),
      el("p", { class: "quiet" }, match.ended ? t("end_match") : `${roundTitle({ ...match, dealer_wind: match.dealer_known ? match.seat_winds[match.dealer] : null })}`),
      totalsTable(people)),
    el("section", { class: "card" }, el("h2", {}, t("chart")), chart(match.people)),
    el("section", { class: "card" }, el("h2", {}, t("statistics"), el("small", {}, t2("statistics"))), statsTable(people)),
    match.hands || match.ended ? el("section", { class: "card" }, el("h2", {}, t("settle_up")), transfers(match)) : "",
  ];
}

function buildActions(match) {
  return [
    match.ended ? el("button", { type: "button", class: "primary", onclick: () => load(root, showForm) }, t("start_match"))
      : el("button", { type: "button", class: "warn", id: "end-match", onclick: () => endMatch(match) }, t("end_match")),
    el("a", { class: "button", href: `/sheet/${match.match_id}?lang=${ENGLISH ? "en" : "zh-Hant"}`, target: "_blank" }, t("print")),
  ];
}

function totalsTable(people) {
  return el("ul", { class: "totals" }, people.map((person) => el("li", {},
    swatch(person.colour), el("span", { class: "name" }, person.name), el("b", {}, String(person.total)))));
}

function swatch(colour) {
  const node = el("span", { class: "swatch", "aria-hidden": "true" });
  node.style.background = colour;
  return node;
}

function statsTable(people) {
  const columns = ["wins", "self_draws", "deal_ins", "average", "best"];
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, t("name")), columns.map((name) => el("th", {}, t(name))))),
    el("tbody", {}, people.map((person) => el("tr", {}, el("th", { scope: "row" }, person.name),
      columns.map((name) => el("td", {}, person[name] === null ? "–" : name === "best"
        ? el("a", { href: `#history/${person.best_hand}` }, String(person.best)) : String(person[name]))))))));
}

function chart(people) {
  const width = 640;
  const height = 220;
  const ns = "http://www.w3.org/2000/svg";
  const zero = people[0].course[0];  // everybody begins with the same score
  const all = people.flatMap((person) => person.course);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const steps = Math.max(1, people[0].course.length - 1);
  const x = (at) => 8 + (width - 80) * at / steps;
  const y = (value) => height - 10 - (height - 20) * (value - low) / Math.max(1, high - low);
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", people.map((person) => `${person.name} ${person.total}`).join(", "));
  svg.classList.add("chart");
  for (const value of new Set([low, zero, high])) scaleLine(svg, ns, { value, y: y(value), width, zero: value === zero });
  for (const person of people) {
    const line = document.createElementNS(ns, "polyline");
    line.setAttribute("points", person.course.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" "));
    line.setAttribute("stroke", person.colour);
    svg.append(line);
  }
  return el("figure", {}, svg, el("figcaption", { class: "legend" }, people.map((person) =>
    el("span", {}, swatch(person.colour), person.name))));
}

// The score everybody began with, and how far up and down it went.
function scaleLine(svg, ns, { value, y, width, zero }) {
  const line = document.createElementNS(ns, "line");
  for (const [name, number] of Object.entries({ x1: 0, x2: width - 66, y1: y, y2: y })) line.setAttribute(name, String(number));
  line.classList.add(zero ? "zero" : "scale");
  const label = document.createElementNS(ns, "text");
  label.setAttribute("x", String(width));
  label.setAttribute("y", String(y + 6));
  label.textContent = String(value);
  svg.append(line, label);
}

function transfers(match) {
  if (!match.settle_up.length) return el("p", { class: "quiet" }, t("even"));
  return el("ul", { class: "transfers", id: "transfers" }, match.settle_up.map((one) =>
    el("li", {}, `${one.payer} ${t("pays")} ${one.payee} `, el("b", {}, String(one.amount)))));
}

function buildSeats({ seating: told, people }) {
  if (chosen && chosen.join() !== told.join()) app.toast(t("seats_changed"), "bad");  // on another device
  chosen = null;
  const seating = told.slice();
  const selects = seating.map((person, place) => el("label", {}, `${place + 1}`, el("select", { onchange: (event) => {
    seating[place] = event.target.value;
    chosen = seating;
  } }, people.map((one) => el("option", { value: one.id, selected: one.id === person }, one.name)))));
  return [el("div", { class: "row-fields" }, selects),
    el("div", { class: "actions" }, el("button", { type: "button", onclick: () =>
      app.attempt("POST", "/api/match/seats", { seating }, newKey(), t("seats_changed")) }, t("change_seats")))];
}

async function endMatch(match) {
  const key = newKey();
  if (!(await ask(t("sure_end")))) return;
  if (await app.attempt("POST", "/api/match/end", undefined, key)) app.orSay(() => showMatch(match.match_id));
}

// ---- starting one ---------------------------------------------------------------------------------------------------

async function showForm() {
  shown = null;
  const node = root;
  const [rules, matches, house] = await Promise.all([get("/api/rules"), get("/api/matches"), get("/api/rules/current")]);
  const before = matches.length ? await get(`/api/matches/${matches[0].match_id}`) : null;
  if (!node.isConnected) return;  // somebody has gone to another page meanwhile
  if (!form || form.matches.length !== matches.length) form = newForm({ rules, matches, house, before });
  drawForm();
}

function newForm({ rules, matches, house, before }) {
  return {
    key: newKey(),
    people: before ? ownColours(seatedFirst(before)) : COLOURS.slice(0, 4).map((colour) => ({ name: "", colour })),
    title: "", ruleset: before ? before.ruleset : house.name, options: {},
    di: before ? before.stakes.di : 100, tai: before ? before.stakes.tai : 20,
    start: before ? before.start_score : 0, falseWin: before ? before.false_win : 0, rules, before, matches,
  };
}

/** A match by its name, or by when it began. */
const calledMatch = ({ title, at_utc: at }) => title || moment(at);

// The four at the table in their order, then who sat out.
function seatedFirst({ people, seating }) {
  const seated = seating.map((id) => people.find((person) => person.id === id));
  return [...seated, ...people.filter((person) => !seating.includes(person.id))];
}

// Nobody looks like somebody else: the first of those with one colour keeps it, the others get what nobody has.
function ownColours(people) {
  const given = people.map(({ name, colour }) => ({ name, colour: colour.toLowerCase() }));
  const doubles = given.filter(({ colour }, at) => given.findIndex((other) => other.colour === colour) < at);
  for (const person of doubles) person.colour = freeColour(given);
  return given;
}

const freeColour = (people) => COLOURS.find((one) => people.every((person) => person.colour !== one));

// The first four sit east, south, west, north; the others wait their turn (輪換).
function personRow(person, at) {
  const label = `${t("name")} ${at + 1}`;
  return el("div", { class: "person" }, el("b", {}, at < 4 ? WINDS[["E", "S", "W", "N"][at]][0] : "–"),
    el("input", { type: "color", value: person.colour, "aria-label": `${t("colour")} ${at + 1}`, id: `colour-${at}`,
      oninput: (event) => { person.colour = event.target.value; } }),
    el("input", { type: "text", maxlength: 24, value: person.name, placeholder: at < 4 ? label : t("waits"), id: `name-${at}`,
      autocomplete: "off", "aria-label": label, oninput: (event) => { person.name = event.target.value; } }));
}

function addPerson() {
  form.people.push({ name: "", colour: freeColour(form.people) });
  drawForm();
  document.getElementById(`name-${form.people.length - 1}`).focus();
}

function drawForm() {
  const rule = form.rules.find((one) => one.name === form.ruleset) || form.rules[0];
  const title = el("label", {}, t("title"), el("input", { type: "text", id: "match-title", maxlength: 60, value: form.title, autocomplete: "off",
    oninput: (event) => { form.title = event.target.value; } }));
  const number = (label, name) => el("label", {}, t(label), el("input", { type: "number", id: `match-${name}`, value: form[name],
    inputmode: "numeric", ...whileTyped(form[name], (value) => { form[name] = value; }) }));
  replace(root,
    form.matches.length ? el("details", { class: "card", id: "matches" }, el("summary", {}, `${t("matches_before")} (${form.matches.length})`),
      el("ul", { class: "matches" }, form.matches.map((one) => el("li", {}, el("a", { class: "button", href: `#match/${one.match_id}` }, calledMatch(one)))))) : "",
    el("section", { class: "card" }, el("h2", {}, t("people"), el("small", {}, t2("people"))),
      title, form.people.map(personRow),
      el("div", { class: "actions row" }, el("button", { type: "button", class: "plain", onclick: drawSeats }, t("draw_seats")),
        form.people.length < MOST_PEOPLE ? el("button", { type: "button", class: "plain", id: "add-person", onclick: addPerson }, `+ ${t("add_person")}`) : "")),
    el("section", { class: "card" }, el("h2", {}, t("stakes")), el("div", { class: "row-fields" },
      number("di", "di"), number("tai", "tai"), number("start_score", "start"), number("false_win_points", "falseWin"))),
    el("section", { class: "card" }, el("h2", {}, t("ruleset")),
      el("select", { id: "ruleset", "aria-label": t("ruleset"), onchange: (event) => chooseRules(event.target.value) },
        form.rules.map((one) => el("option", { value: one.name, selected: one.name === form.ruleset },
          ENGLISH ? one.titles.en : one.titles["zh-Hant"]))),
      el("details", { id: "options" }, el("summary", {}, `${t("options")} (${rule.options.length})`), rule.options.map(optionField))),
    el("div", { class: "actions" }, el("button", { type: "button", class: "primary big", id: "start-match", onclick: start }, t("start_match"))));
}

// Points as a rule text prints them are worth what it says; elsewhere the table says what 底 and 台 are worth.
function chooseRules(name) {
  const [was, now] = [form.ruleset, name].map((one) => form.rules.find((rule) => rule.name === one));
  if (now.stake) [form.di, form.tai] = now.stake;
  else if (was.stake) [form.di, form.tai] = [100, 20];
  Object.assign(form, { ruleset: name, options: {} });
  drawForm();
}

// Kept as it is typed; what cannot be a number goes back to what it was, where everybody sees it.
function whileTyped(before, keep) {
  return {
    oninput: ({ target }) => { if (target.value !== "") keep(Number(target.value)); },
    onchange: ({ target }) => { if (target.value === "") { target.value = before; keep(before); } },
  };
}

function optionField(option) {
  const set = (value) => { form.options[option.key] = value; };
  const value = form.options[option.key] ?? option.value;
  let input;
  if (option.kind === "bool") {
    input = el("input", { type: "checkbox", checked: Boolean(value), onchange: (event) => set(event.target.checked) });
  } else if (option.kind === "choice") {
    input = el("select", { onchange: (event) => set(event.target.value) },
      option.choices.map((choice) => el("option", { value: choice, selected: choice === value }, choiceName(option.key, choice))));
  } else if (option.kind === "int") {
    input = el("input", { type: "number", min: 0, value, inputmode: "numeric", ...whileTyped(value, set) });
  } else {
    return "";
  }
  const [text, other] = explained(option);
  return el("label", { class: `option ${option.kind}` }, input, el("span", {}, text, el("small", {}, other)));
}

function drawSeats() {
  const values = crypto.getRandomValues(new Uint32Array(4));
  const drawn = form.people.slice(0, 4).map((person, at) => [values[at], person]).sort((a, b) => a[0] - b[0]);
  form.people = [...drawn.map(([, person]) => person), ...form.people.slice(4)];
  drawForm();
}

async function start() {
  const old = form.before ? form.before.people : [];
  const named = form.people.map((person, at) => ({ ...person, name: person.name.trim() || (at < 4 ? `${t("name")} ${at + 1}` : "") }));
  const people = named.filter((person) => person.name).map(({ name, colour }, at) => {
    const same = old.find((person) => person.name === name);  // the same name is the same person as last time
    return { id: same ? same.id : `p${at}-${newKey().slice(0, 6)}`, name, colour };
  });
  const body = { title: form.title, people, seating: people.slice(0, 4).map((person) => person.id), ruleset: form.ruleset,
    options: form.options, stakes: { di: form.di, tai: form.tai }, start_score: form.start, false_win: form.falseWin };
  const match = await app.attempt("POST", "/api/matches", body, form.key);
  if (match) { form = null; app.go("table"); }
}

