// Tab "table": the live state, what waits to be confirmed, and the big buttons.
import { get, newKey } from "./api.js";
import { el, render, tile } from "./dom.js";
import { ask, choose } from "./sheet.js";
import { ENGLISH, WINDS, clock, inLanguage, seatName, signed, t, t2, unitName } from "./words.js";

let app = null;
let root = null;
let undoKey = null;

export function enter(node, companion) {
  app = companion;
  root = node;
  root.append(el("div", { id: "waiting" }), el("div", { id: "notices" }), el("section", { id: "now", class: "card" }),
    el("section", { id: "seats", class: "seats" }), el("section", { id: "buttons", class: "big-buttons" }), cameraView());
  update(app.state);
}

export function update(state) {
  render(document.getElementById("waiting"), state.table.offers, (offers) => offers.map((offer) =>
    el("a", { class: "card waiting", href: `#hand/offer/${offer.offer_id}` },
      el("strong", {}, t("confirm_this")), el("time", { datetime: offer.at_utc }, clock(offer.at_utc)),
      el("span", { class: "asked" }, inLanguage(offer.doubts, offer.doubts_en).join(" ")), el("span", { class: "go" }, "›"))));
  const { finished, seat_change_due, dealer_known, east_known, match } = state.table;
  render(document.getElementById("notices"), { table: { finished, seat_change_due, dealer_known, east_known, match }, seats: state.seats.map((seat) => seat.name || seat.wind) }, buildNotices);
  render(document.getElementById("now"), { ...state, sequence: 0, camera: 0, machine: 0 }, buildNow);
  render(document.getElementById("seats"), state.seats, buildSeats);
  render(document.getElementById("buttons"), [state.table.match !== null, state.table.hands > 0], buildButtons);
}

// What the match waits for besides the next hand: where the wall was broken, a drawing of seats, its end.
function buildNotices({ table, seats }) {
  if (table.finished) return el("a", { class: "card waiting", href: "#match" }, el("strong", {}, t("match_over")), el("span", { class: "go" }, "›"));
  if (table.seat_change_due) {
    return el("section", { class: "card" }, el("strong", {}, t("seats_due")),
      el("button", { type: "button", class: "primary", onclick: drawSeats }, t("draw_seats")));
  }
  if (!table.dealer_known) {
    return el("section", { class: "card" }, el("strong", {}, t("dealer_unknown")),
      el("div", { class: "chips" }, seats.map((name, place) => el("button", { type: "button", onclick: () =>
        app.attempt("POST", "/api/match/dealer", { place }, newKey(), t("recorded_toast")) }, name))));
  }
  if (table.east_known || !table.match) return [];
  return el("details", { class: "card east" }, el("summary", {}, t("east_unknown")),
    el("div", { class: "chips" }, seats.map((name, place) => el("button", { type: "button", onclick: () =>
      app.attempt("POST", "/api/match/east", { place }, newKey(), t("recorded_toast")) }, name))));
}

// Draw until the order is another one: the rules do not let four people sit as before.
async function drawSeats() {
  const key = newKey();
  const match = await app.orSay(() => get(`/api/matches/${app.state.table.match}`));
  if (!match) return;
  const order = (seating) => { const at = seating.indexOf(match.seating[0]); return [...seating.slice(at), ...seating.slice(0, at)].join(); };
  let seating;
  do {
    const values = crypto.getRandomValues(new Uint32Array(4));
    seating = match.seating.map((person, at) => [values[at], person]).sort((a, b) => a[0] - b[0]).map(([, person]) => person);
  } while (order(seating) === order(match.seating));
  await app.attempt("POST", "/api/match/seats", { seating }, key, t("seats_changed"));
}

// The camera's view with the boxes as read, refreshed only while somebody looks at it.
function cameraView() {
  const figure = el("figure", { class: "photo" });
  let timer = null;
  const refresh = async () => {
    if (!details.open || !details.isConnected) { clearInterval(timer); return; }
    try {
      const seen = await get("/api/camera");
      const [width, height] = seen.size;
      const boxes = seen.tiles.map((one) => {
        const mark = el("span", { class: `box ${one.role}${one.doubtful ? " doubtful" : ""}`, title: one.code });
        const [x1, y1, x2, y2] = one.box;
        Object.assign(mark.style, { left: `${100 * x1 / width}%`, top: `${100 * y1 / height}%`,
          width: `${100 * (x2 - x1) / width}%`, height: `${100 * (y2 - y1) / height}%` });
        return mark;
      });
      const picture = el("img", { alt: t("camera_view"), src: `/api/camera.jpg?${Date.now()}` });
      await picture.decode();
      figure.replaceChildren(picture, el("div", { class: "boxes" }, boxes), el("figcaption", {}, (ENGLISH ? seen.quality_en : seen.quality).join(" ")));
    } catch (error) { figure.replaceChildren(el("p", { class: "quiet card" }, error.message)); }
  };
  const details = el("details", { class: "card", id: "camera-view", ontoggle: () => {
    clearInterval(timer);
    if (details.open) { refresh(); timer = setInterval(refresh, 1500); }
  } }, el("summary", {}, t("camera_view")), figure);
  return details;
}

function buildNow(state) {
  const message = inLanguage(state.message, state.message_en);
  if (!state.hand) return el("p", { class: "quiet" }, state.state === "idle" ? t("nothing") : message);
  return [
    t(state.state) === message ? "" : el("p", { class: "message" }, message),
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
    el("p", { class: "who" }, el("b", {}, WINDS[seat.wind][0]), el("span", { class: "name" }, seat.name || seatName(seat.wind)),
      seat.dealer && el("span", { class: "mark dealer" }, t("dealer")),
      seat.out && el("span", { class: "mark win" }, t("is_out"))),
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

