// Tab "table": the live state, what waits to be confirmed, and the big buttons.
import { newKey } from "./api.js";
import { el, render, tile } from "./dom.js";
import { ask, choose } from "./sheet.js";
import { ENGLISH, WINDS, seatName, signed, t, t2, unitName } from "./words.js";

let app = null;
let root = null;
let undoKey = null;

export function enter(node, companion) {
  app = companion;
  root = node;
  root.append(el("div", { id: "waiting" }), el("section", { id: "now", class: "card" }),
    el("section", { id: "seats", class: "seats" }), el("section", { id: "buttons", class: "big-buttons" }));
  if (app.state) update(app.state);
}

export function update(state) {
  if (!root.isConnected || !document.getElementById("waiting")) return;
  render(document.getElementById("waiting"), state.table.offers, (offers) => offers.map((offer) =>
    el("a", { class: "card waiting", href: `#hand/offer/${offer.offer_id}` },
      el("strong", {}, t("confirm_this")), el("span", {}, `${offer.picture}`), el("span", { class: "go" }, "›"))));
  render(document.getElementById("now"), { ...state, sequence: 0, camera: 0, machine: 0 }, buildNow);
  render(document.getElementById("seats"), state.seats, buildSeats);
  render(document.getElementById("buttons"), [state.table.match !== null, state.table.hands > 0], buildButtons);
}

function buildNow(state) {
  if (!state.hand) return el("p", { class: "quiet" }, state.state === "idle" ? t("nothing") : state.message);
  return [
    [t(state.state), t2(state.state)].includes(state.message) ? "" : el("p", { class: "message" }, state.message),
    el("div", { class: "hand-line" }, state.hand.concealed.map((code) => tile(code)),
      state.hand.win_tile && tile(state.hand.win_tile, "winning")),
    el("div", { class: "hand-line" }, state.hand.melds.map((meld) =>
      el("span", { class: "meld" }, meld.tiles.map((code) => tile(code)))),
      state.hand.flowers.length ? el("span", { class: "meld" }, state.hand.flowers.map((code) => tile(code))) : ""),
    state.total === null ? "" : el("p", { class: "sum" }, el("b", {}, `${state.total} ${unitName(state.unit)}`),
      " ", state.items.map((item) => `${ENGLISH && item.name_en ? item.name_en : item.name_zh} ${item.value}`).join(" · ")),
  ];
}

function buildSeats(seats) {
  return seats.map((seat) => el("article", { class: `seat${seat.winner ? " won" : ""}` },
    el("p", { class: "who" }, el("b", {}, WINDS[seat.wind][0]), " ", seat.name || seatName(seat.wind),
      seat.dealer && el("span", { class: "mark dealer" }, t("dealer"))),
    el("p", { class: "points" }, String(seat.total)),
    el("p", { class: seat.change > 0 ? "up" : seat.change < 0 ? "down" : "" }, seat.change ? signed(seat.change) : " ")));
}

function button(key, kind, onclick) {
  return el("button", { type: "button", class: `big ${kind}`, onclick, id: `do-${key}` }, t(key), el("small", {}, t2(key)));
}

function buildButtons([inMatch, hasHands]) {
  return [
    button("win_button", "primary", () => app.go("hand/new/ron")),
    button("self_draw_button", "primary", () => app.go("hand/new/self_draw")),
    inMatch && button("draw_button", "", recordDraw),
    inMatch && button("false_win_button", "", recordFalseWin),
    hasHands && button("undo_button", "warn", undo),
  ].filter(Boolean);
}

async function recordDraw() {
  const key = newKey();
  if (await ask(t("sure_draw"))) {
    await app.attempt("POST", "/api/hands", { outcome: "draw", wins: [] }, key, t("recorded_toast"));
  }
}

async function recordFalseWin() {
  const key = newKey();
  const people = app.state.seats.map((seat, place) => ({ label: seat.name || seatName(seat.wind), value: place }));
  const chosen = await choose(t("who_false_win"), people);
  if (chosen) {
    await app.attempt("POST", "/api/hands", { outcome: "false_win", wins: [], place: chosen.value }, key, t("recorded_toast"));
  }
}

async function undo() {
  undoKey = undoKey || newKey();
  if (await ask(t("sure_undo"))) {
    const key = undoKey;
    undoKey = null;
    await app.attempt("POST", "/api/undo", undefined, key, t("undone"));
  }
}

