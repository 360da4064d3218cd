// Tab "hand": confirm a hand that was read, correct an older one, or put one together; the score follows as you go.
import { get, newKey } from "./api.js";
import { Draft, MELD_KINDS, wildTiles } from "./draft.js";
import { el, replace, tileUrl } from "./dom.js";
import { buildFacts, emptyFacts, factsFromRecord, factsFromSubmission, rulesOf, submissionOf, withoutWinner } from "./facts.js";
import { buildScore } from "./score.js";
import { chooseTile } from "./sheet.js";
import { inLanguage, seatName, t, tileName, unitName } from "./words.js";

const PREVIEW_PAUSE_MS = 150;
let app = null;
let root = null;
let work = null;  // what is being edited: { kind, id, drafts, facts, key, picture, reading }
let timer = null;
let asked = 0;
const kept = new Map();  // what was put together and not saved, by address: somebody looked elsewhere, or had to pair first

export async function enter(node, companion, [mode = "new", id = ""]) {
  app = companion;
  root = node;
  const began = {};
  work = began;
  const made = await begin(mode, id);
  if (work !== began) return;  // somebody has gone to another page meanwhile
  if (!made) { app.go("table"); return; }
  work = { ...made, route: `${mode}/${id}` };
  resume();
  draw();
  preview();
  update(app.state);  // what happened while it was loaded
}

export function leave() {
  if (work && work.touched && work.kind !== "edit") kept.set(work.route, { ...work, hands: app.state.table.hands });
  work = null;
  clearTimeout(timer);
}

// Only while it is still the same hand of the match.
function resume() {
  const before = kept.get(work.route);
  kept.delete(work.route);
  if (!before || before.hands !== app.state.table.hands) return;
  work = { ...before, rules: work.rules };
  app.toast(t("draft_kept"));
}

// The draft is the player's own: live events do not touch it. But another device may have been quicker.
export function update(state) {
  if (!work || work.saving) return;
  if (work.kind === "offer" && !work.gone && !state.table.offers.some((offer) => offer.offer_id === work.id)) {
    work.gone = true;
    draw();
  }
  if (work.kind === "edit" && work.ledger !== state.table.ledger) reload(state.table.ledger);
}

async function reload(ledger) {
  const mine = work;
  mine.ledger = ledger;
  const made = await app.orSay(() => begin("edit", mine.id));
  if (!made) mine.ledger = -1;  // asked again at the next event
  if (work !== mine || !made || made.version === mine.version) return;
  work = made;
  app.toast(t("changed_elsewhere"), "bad");
  draw();
  preview();
  update(app.state);
}

async function begin(mode, id) {
  const ledger = app.state.table.ledger;  // what is loaded is at least as new as this
  const base = { key: newKey(), facts: emptyFacts(), drafts: [new Draft()], current: 0, preview: null, picture: "", reading: null };
  base.rules = await rulesOf(app.state);
  base.facts.winners = [[0, 1, 2, 3].find((place) => !app.state.table.out.includes(place))];
  try {
    if (mode === "offer") {
      const offer = await get(`/api/offers/${encodeURIComponent(id)}`);
      return { ...base, kind: "offer", id, drafts: [Draft.fromReading(offer.reading)], picture: offer.picture_id,
        reading: offer.reading, doubts: doubtsOf(offer), facts: { ...factsFromRecord(offer.record), ...(offer.place === null ? {} : { winners: [offer.place] }),
          ...(offer.loser === null ? {} : { loser: offer.loser }) } };
    }
    if (mode === "edit") {
      const hand = await get(`/api/hands/${encodeURIComponent(id)}`);
      const { submission } = hand;
      const won = submission.wins.length > 0;
      return { ...base, version: hand.history.length, ledger, kind: "edit", id, rules: hand.rules, seats: hand.seats, picture: hand.picture_id, inMatch: hand.match_id !== null,
        outcome: submission.outcome, offender: submission.place, drafts: won ? submission.wins.map((win) => Draft.fromRecord(win.hand, win.fields?.meld_from || undefined)) : base.drafts,
        facts: won ? factsFromSubmission(submission, hand.free) : emptyFacts() };
    }
  } catch (error) {
    if (error.status !== 404) throw error;
    app.toast(error.message, "bad");  // another try would find no more
    return null;
  }
  if (id || mode === "self_draw") base.facts.selfDraw = (id || mode) === "self_draw";
  return { ...base, kind: "new" };
}

// What is asked, in words: of a tile while it is marked, the rest until it is confirmed.
function doubtsOf({ reading, doubts = [], doubts_en: english = [] }) {
  const seen = reading.doubts.map((one) => ({ zh: one.message_zh, en: one.message_en, tile: one.tile_index }));
  return [...seen, ...doubts.slice(seen.length).map((zh, at) => ({ zh, en: english[seen.length + at], tile: null }))];
}

const draft = () => work.drafts[work.current];

/** The table as it was when the hand was played: people move between hands. */
const tableOf = () => (work.seats ? { ...app.state, seats: work.seats } : app.state);

function draw() {
  const inMatch = work.inMatch ?? app.state.table.match !== null;
  const won = !work.outcome || work.outcome === "win";
  work.drafts.forEach((one, at) => { one.wild = wildTiles((work.facts.fields[at] || {}).wild); });
  root.replaceChildren(
    el("div", { class: "editor" },
      el("div", { class: "editor-tiles" }, work.kind === "edit" && inMatch ? outcomes() : "",
        gone(), won ? [toAnswer(), work.picture ? picture() : photoInput(), winnerTabs(), sections(), tools()] : ""),
      el("div", { class: "editor-side" },
        won ? el("section", { class: "card facts" }, buildFacts(work, tableOf(), inMatch, changed)) : "",
        root.querySelector("#score") || el("section", { class: "card", id: "score", "aria-live": "polite" }),
        commitButtons())));
  drawScore();
}

function toAnswer() {
  const open = (work.doubts || []).filter((one) => one.tile === null || draft().tiles.some((tile) => tile.index === one.tile && tile.doubtful));
  return open.length ? el("section", { class: "card asking", id: "doubts" }, el("h3", {}, t("to_answer")),
    el("ul", {}, open.map((one) => el("li", {}, inLanguage(one.zh, one.en))))) : "";
}

function gone() {
  if (!work.gone) return "";
  const newest = app.state.table.offers.at(-1);
  return el("section", { class: "card", id: "gone", role: "alert" }, el("p", { class: "problem" }, t("settled_elsewhere")),
    newest ? el("a", { class: "button", href: `#hand/offer/${newest.offer_id}` }, t("open_newest"))
      : el("a", { class: "button", href: "#table" }, t("back_to_table")));
}

// What an older hand was after all: a win, a draw, a false win and whose.
function outcomes() {
  const choice = (label, on, change) => el("button", { type: "button", class: on ? "on" : "", "aria-pressed": String(on),
    onclick: () => { Object.assign(work, change); changed(); } }, label);
  const of = (outcome, label) => choice(label, work.outcome === outcome, { outcome, offender: outcome === "false_win" ? work.offender ?? 0 : null });
  return el("section", { class: "card field", id: "outcome", role: "group", "aria-label": t("outcome") }, el("h3", {}, t("outcome")),
    el("div", { class: "chips" }, of("win", t("win_button")), of("draw", t("hand_drawn")), of("false_win", t("hand_false_win"))),
    work.outcome === "false_win" ? el("div", { class: "chips", id: "offender" }, tableOf().seats.map((seat, place) =>
      choice(seat.name || seatName(seat.wind), work.offender === place, { offender: place }))) : "");
}

function winnerTabs() {
  if (work.drafts.length < 2) return "";
  const { seats } = tableOf();
  const name = (place) => seats[place].name || seatName(seats[place].wind);
  return el("div", { class: "chips", id: "winners" }, work.facts.winners.map((place, at) =>
    el("button", { type: "button", "aria-pressed": String(at === work.current), class: at === work.current ? "on" : "",
      onclick: () => { work.current = at; changed(); } }, `${t("winner_is")} ${at + 1}: ${name(place)}`)),
  el("button", { type: "button", class: "warn", id: "drop-winner", onclick: dropWinner }, `− ${t("drop_winner")}`));
}

function dropWinner() {
  work.facts = withoutWinner(work.facts, work.current);
  work.drafts.splice(work.current, 1);
  changed();
}

// ---- tiles ---------------------------------------------------------------------------------------------------------

function sections() {
  const hand = draft();
  const out = hand.in("out");
  return el("div", { class: "sections" },
    section("concealed", t("concealed"), hand.in("concealed"), el("span", { class: "count" }, `${hand.size} ${t("tiles_count")}`)),
    section("win", t("win_tile"), hand.in("win")),
    hand.melds.map((meld, at) => section(`meld:${meld.id}`, meldSelect(meld), hand.in(`meld:${meld.id}`), "", `${t(meld.kind)} ${at + 1}`)),
    section("meld:new", t("new_meld"), []),
    work.rules.codes.some((code) => /^f/.test(code)) || hand.in("flower").length ? section("flower", t("flowers"), hand.in("flower")) : "",
    out.length ? section("out", t("left_out"), out) : "");
}

function section(place, heading, tiles, extra = "", name = heading) {
  return el("section", { class: `place ${place.split(":")[0]}`, "data-place": place },
    el("header", {}, el("h3", {}, heading), extra),
    el("div", { class: "tile-row" }, tiles.map(tileFor),
      place === "out" ? "" : el("button", { type: "button", class: "add", "aria-label": `${t("add_tile")}: ${name}`,
        onclick: () => add(place) }, "+")));
}

function meldSelect(meld) {
  return el("select", { "aria-label": t("meld_kind"), onchange: (event) => { draft().setKind(meld.id, event.target.value); changed(); } },
    MELD_KINDS.map((kind) => el("option", { value: kind, selected: kind === meld.kind }, t(kind))));
}

function tileFor(one) {
  const label = tileName(one.code) + (one.doubtful ? " ?" : "");
  const button = el("button", { type: "button", class: `tile-button${one.doubtful ? " doubtful" : ""}`, "aria-label": label,
    "data-tile": one.code, "data-id": one.id, onclick: () => edit(one) },
    el("img", { class: "tile", src: tileUrl(one.code), alt: "", draggable: "false", width: 75, height: 100 }));
  dragging(button, one);
  return button;
}

async function edit(one) {
  const places = [["win", t("set_win")], ["concealed", t("concealed")], ["meld:new", t("new_meld")],
    ...draft().melds.map((meld, at) => [`meld:${meld.id}`, `${t(meld.kind)} ${at + 1}`]), ["flower", t("flowers")]]
    .filter(([place]) => place !== one.place && (place !== "flower" || /^f/.test(one.code)));
  const actions = [...places.map(([place, label]) => ({ value: place, label: `→ ${label}` })),
    { value: "remove", label: t("remove"), kind: "warn" }];
  const chosen = await chooseTile(`${t("choose_tile")}: ${tileName(one.code)}`,
    { alternatives: one.alternatives, actions, current: one.code, codes: work.rules.codes });
  if (!chosen || !work) return;
  if (chosen.code) draft().change(one.id, chosen.code);
  else if (chosen.action === "remove") draft().remove(one.id);
  else draft().move(one.id, chosen.action);
  changed();
}

async function add(place) {
  let where = place;
  const stay = (code) => {
    if (where === "meld:new") where = `meld:${draft().addMeld()}`;
    draft().add(code, where === "win" && draft().winning ? "concealed" : where);
    app.toast(`+ ${tileName(code)} (${draft().size} ${t("tiles_count")})`);
  };
  await chooseTile(t("add_tile"), { stay, codes: work.rules.codes });
  if (work) changed();
}

// Tap works everywhere; dragging is a short cut for those who try it. A finger must rest first: else it scrolls the page.
const HOLD_MS = 200;
function dragging(button, one) {
  let from = null;
  let ghost = null;
  let since = 0;
  const held = (event) => event.pointerType === "mouse" || event.timeStamp - since > HOLD_MS;
  button.addEventListener("pointerdown", (event) => {
    from = event.isPrimary ? [event.clientX, event.clientY] : null;
    since = event.timeStamp;
    button.setPointerCapture(event.pointerId);  // a quick mouse is off the tile before it has moved twice
  });
  button.addEventListener("touchmove", (event) => {
    if (event.cancelable && (ghost || (from && event.timeStamp - since > HOLD_MS))) event.preventDefault();
  }, { passive: false });
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("pointermove", (event) => {
    if (!from || event.buttons === 0) return;
    if (!ghost && Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 12) {
      if (!held(event)) { from = null; return; }
      ghost = button.querySelector("img").cloneNode();
      ghost.classList.add("ghost");
      document.body.append(ghost);
    }
    if (ghost) {
      ghost.style.left = `${event.clientX}px`;
      ghost.style.top = `${event.clientY}px`;
    }
  });
  const drop = (event) => {
    if (ghost) {
      ghost.remove();
      ghost = null;
      const under = document.elementFromPoint(event.clientX, event.clientY);
      const place = under && under.closest("[data-place]");
      button.addEventListener("click", (click) => click.stopImmediatePropagation(), { capture: true, once: true });
      if (place && place.dataset.place !== one.place) { draft().move(one.id, place.dataset.place); changed(); }
    }
    from = null;
  };
  button.addEventListener("pointerup", drop);
  button.addEventListener("pointercancel", drop);
}

// ---- picture -------------------------------------------------------------------------------------------------------

function picture() {
  const box = el("div", { class: "boxes" });
  const [width, height] = work.reading ? work.reading.size : [0, 0];
  if (width) {
    for (const one of draft().tiles.filter((tile) => tile.index !== null)) {
      const [x1, y1, x2, y2] = work.reading.tiles[one.index].box;
      const mark = el("button", { type: "button", class: `box ${one.place.split(":")[0]}${one.doubtful ? " doubtful" : ""}`,
        "aria-label": tileName(one.code), tabindex: "-1", onclick: () => edit(one) });
      mark.style.left = `${100 * x1 / width}%`;
      mark.style.top = `${100 * y1 / height}%`;
      mark.style.width = `${100 * (x2 - x1) / width}%`;
      mark.style.height = `${100 * (y2 - y1) / height}%`;
      box.append(mark);
    }
  }
  const figure = el("figure", { class: width ? "photo" : "photo plain" }, el("img", { src: `/api/pictures/${work.picture}.jpg`, alt: t("picture") }), box);
  if (width) figure.style.maxWidth = `calc(34vh * ${width / height})`;  // the tiles below stay in sight
  return figure;
}

function photoInput() {
  if (work.kind !== "new") return "";
  const input = el("input", { type: "file", accept: "image/*", class: "visually-hidden", id: "photo",
    onchange: (event) => readPhoto(event.target.files[0]) });
  return el("div", { class: "photo-input" }, input, el("label", { for: "photo", class: "button" }, t("photo")));
}

async function readPhoto(file) {
  if (!file) return;
  app.toast(t("photo_reading"));
  const form = new FormData();
  form.append("photo", file);
  const answer = await app.attempt("POST", "/api/photo", form, newKey());
  if (!answer || !work) return;
  work.drafts[work.current] = Draft.fromReading(answer.reading);
  Object.assign(work, { picture: answer.picture_id, reading: answer.reading, doubts: doubtsOf(answer), photo: answer.photo_id });
  if (answer.problem) app.toast(inLanguage(answer.problem, answer.problem_en), "bad");
  changed();
}

function tools() {
  return work.kind === "new" && draft().tiles.length
    ? el("button", { type: "button", class: "plain", onclick: () => { work.drafts[work.current] = new Draft(); work.doubts = []; changed(); } }, t("clear"))
    : "";
}

// ---- score ---------------------------------------------------------------------------------------------------------

function changed() {
  if (!work) return;
  while (work.drafts.length < work.facts.winners.length) work.drafts.push(new Draft());
  work.drafts.length = Math.max(1, work.facts.winners.length);
  work.current = Math.min(work.current, work.drafts.length - 1);
  work.stale = true;
  work.touched = true;
  draw();
  preview();
}

function preview() {
  clearTimeout(timer);
  const mine = ++asked;  // from now on: the score of before this change may still be on its way
  timer = setTimeout(async () => {
    const body = submissionOf(work);
    if (body.wins.some((win) => win.hand.concealed.length === 0)) { showScore(null); return; }
    const about = work.kind === "edit" ? `?hand_id=${encodeURIComponent(work.id)}` : "";
    const answer = await app.attempt("POST", `/api/preview${about}`, body, newKey());
    if (!work || mine !== asked) return;
    showScore(answer);
  }, PREVIEW_PAUSE_MS);
}

function showScore(answer) {
  Object.assign(work, { preview: answer, stale: false });
  drawScore();
}

function drawScore() {
  const node = document.getElementById("score");
  if (!node) return;
  node.classList.toggle("old", Boolean(work.stale));
  replace(node, buildScore(work.preview, tableOf()));
  const button = document.getElementById("commit");
  button.disabled = work.gone || work.stale || !(work.preview && work.preview.ok);  // what is saved is what was shown
  const why = work.preview && !work.preview.ok ? inLanguage(work.preview.problem, work.preview.problem_en) : "";
  document.getElementById("why").textContent = why;  // the score may be out of sight
  const total = work.preview && work.preview.ok ? work.preview.wins.map((win) => `${win.answer.total} ${unitName(win.answer.unit)}`).join(" + ") : "";
  button.textContent = `${t(work.kind === "edit" ? "save_button" : "confirm_button")} ${total}`;
}

function commitButtons() {
  return el("div", { class: "actions commit" }, el("p", { id: "why", class: "problem", "aria-hidden": "true" }),
    el("button", { type: "button", id: "commit", class: "primary big", disabled: true, onclick: commit }, t("confirm_button")),
    work.kind === "offer" && el("button", { type: "button", class: "warn", onclick: dismiss }, t("dismiss")));
}

async function commit() {
  const button = document.getElementById("commit");
  button.disabled = true;
  const body = { ...submissionOf(work), offer_id: work.kind === "offer" ? work.id : null, photo_id: work.photo || null };
  const [method, path] = work.kind === "edit" ? ["PUT", `/api/hands/${encodeURIComponent(work.id)}`] : ["POST", "/api/hands"];
  const mine = work;
  mine.saving = true;
  const done = await app.attempt(method, path, body, mine.key, t("recorded_toast"));
  mine.saving = false;
  if (done) finished(mine, mine.kind === "edit" ? "history" : "table");
  else if (work === mine) { update(app.state); drawScore(); }
}

async function dismiss() {
  const path = `/api/offers/${encodeURIComponent(work.id)}/dismiss`;
  const mine = work;
  mine.saving = true;
  const done = await app.attempt("POST", path, undefined, mine.key, t("dismissed"));
  mine.saving = false;
  if (done) finished(mine, "table");
  else if (work === mine) update(app.state);
}

function finished(mine, page) {
  mine.touched = false;
  kept.delete(mine.route);
  if (work === mine) app.go(page);
}
