// The kiosk display: draws the whole state from each event; nothing is kept between them.
import { byId, el, render, tile } from "./dom.js";
import { follow } from "./live.js";
import { ENGLISH, WINDS, inLanguage, roundTitle, seatName, signed, t, t2, unitName } from "./words.js";

const MARKS = { ok: "●", warn: "▲", fail: "✕", off: "○" };

function group(kind, codes, extra = "") {
  const label = el("p", { class: "label" }, t(kind), el("small", { lang: ENGLISH ? "zh-Hant" : "en" }, t2(kind)));
  return el("div", { class: `group ${kind} ${extra}` }, label, el("div", { class: "tiles" }, codes.map((c) => tile(c))));
}

// A concealed kong lies with its outer tiles face down, as on the table.
function meldTiles(meld) {
  if (meld.kind !== "kong_concealed") return meld.tiles;
  return ["back", meld.tiles[0], meld.tiles[0], "back"];
}

// Up to ten tiles lie in one row, more in two equal ones: the tiles stay large enough for the far side of the room.
function columns(count) { return count <= 10 ? Math.max(count, 6) : Math.ceil(count / 2); }

function buildHand({ hand, message, doubts, state }) {
  const nodes = [];
  if (hand) {
    nodes.push(el("div", { class: "row" },
      group("concealed", hand.concealed),
      hand.win_tile && group("win_tile", [hand.win_tile])));
    const rest = [
      ...hand.melds.map((meld) => group(meld.kind, meldTiles(meld), "meld")),
      hand.flowers.length ? group("flowers", hand.flowers) : null,
    ].filter(Boolean);
    if (rest.length) nodes.push(el("div", { class: "row" }, rest));
  } else if (state === "idle") {
    nodes.push(el("p", { class: "invite" }, t("nothing"), el("small", {}, t2("nothing"))));
  }
  if (message && state !== "idle" && t(state) !== message) nodes.push(el("p", { class: `message ${state}` }, message));
  if (doubts.length) nodes.push(el("ul", { class: "doubts" }, doubts.map((doubt) => el("li", {}, doubt))));
  return nodes;
}

function buildItems(items) {
  if (!items.length) return el("li", { class: "none" }, t("zero_items"));
  return items.map((item, at) => {
    const row = el("li", {},
      el("span", { class: "name" }, ENGLISH && item.name_en ? item.name_en : item.name_zh,
        el("small", {}, ENGLISH ? item.name_zh : item.name_en)),
      el("span", { class: "value" }, String(item.value)));
    row.style.setProperty("--at", String(at));
    return row;
  });
}

// The items come one after the other and the total grows with them, where it is their sum.
const ITEM_MS = 300;  // as in display.css
let growing = [];
let grown = "";
function showTotal({ items, total }) {
  const what = JSON.stringify([items, total]);
  if (what === grown) return;
  grown = what;
  growing.forEach(clearTimeout);
  growing = [];
  const sum = items.reduce((all, item) => all + item.value, 0);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  byId("total").textContent = String(total);
  if (still || sum !== total || items.length < 2) return;
  let part = 0;
  items.forEach((item, at) => {
    part += item.value;
    const shown = String(part);
    if (at === 0) byId("total").textContent = shown;
    else growing.push(setTimeout(() => { byId("total").textContent = shown; }, at * ITEM_MS));
  });
}

// Who pays whom; several payers to one winner share a line where they pay the same.
function buildTransfers(transfers) {
  const lines = new Map();
  for (const [payer, payee, amount] of transfers) {
    const line = `${payee}|${amount}`;
    lines.set(line, { payers: [...(lines.get(line)?.payers || []), payer], payee, amount });
  }
  return [...lines.values()].map(({ payers, payee, amount }) => el("li", {},
    el("span", {}, `${payers.join(ENGLISH ? ", " : "、")} → ${payee}`),
    el("b", {}, payers.length > 1 ? `${t("each")} ${amount}` : String(amount))));
}

function buildSeats(seats) {
  return seats.map((seat) => el("article", { class: `seat${seat.winner ? " won" : ""}`, "data-wind": seat.wind },
    el("p", { class: "who" },
      el("b", { class: "wind" }, WINDS[seat.wind][0]),
      el("span", { class: "name" }, seat.name || seatName(seat.wind)),
      seat.dealer && el("span", { class: "mark dealer" }, t("dealer")),
      seat.winner ? el("span", { class: "mark win" }, t("winner")) : seat.out && el("span", { class: "mark win" }, t("is_out"))),
    el("p", { class: "points" }, String(seat.total)),
    el("p", { class: `change ${seat.change > 0 ? "up" : seat.change < 0 ? "down" : ""}` },
      seat.change ? signed(seat.change) : " ")));
}

// The largest tiles that leave nothing cut off.
function fit() {
  const node = byId("hand");
  for (let size = 5; size >= 2; size -= 0.25) {
    node.style.setProperty("--size", String(size));
    if (node.scrollHeight <= node.clientHeight && node.scrollWidth <= node.clientWidth) return;
  }
}
window.addEventListener("resize", fit);

export function show(state) {
  document.body.dataset.state = state.state;
  document.body.dataset.sequence = String(state.sequence);
  const { next, out = [] } = state.table;
  // A won hand is shown with the deal it was won in; otherwise the coming one, whose dealer may not be told yet.
  const coming = next && next.hand_number === state.hand_number ? { ...state, dealer_wind: next.dealer_wind } : state;
  byId("round").textContent = roundTitle(coming);
  render(byId("state"), state.state, (name) => [t(name), el("small", {}, t2(name))]);
  render(byId("health"), [state.camera, state.machine], ([camera, machine]) =>
    [["camera", camera], ["machine", machine]].filter(([, mark]) => mark !== "off").map(([name, mark]) =>
      el("li", { class: mark }, `${MARKS[mark]} ${t(name)} `, el("span", {}, t(mark)))));
  render(byId("hand"), { hand: state.hand, message: inLanguage(state.message, state.message_en), doubts: inLanguage(state.doubts, state.doubts_en), state: state.state }, buildHand);
  byId("hand").style.setProperty("--cols", String(state.hand ? columns(state.hand.concealed.length) : 8));
  byId("score").hidden = state.total === null;
  document.body.classList.toggle("scored", state.total !== null);
  if (state.total !== null) {
    showTotal(state);
    byId("unit").textContent = unitName(state.unit);
    const many = state.items.length > 5;  // two columns in one language, or nobody reads them from the table
    byId("items").classList.toggle("many", many);
    byId("items").style.setProperty("--rows", String(Math.max(1, many ? Math.ceil(state.items.length / 2) : state.items.length)));
    render(byId("items"), state.items, buildItems);
  }
  render(byId("pay"), state.total === null ? [] : state.transfers, buildTransfers);
  byId("pay").hidden = !byId("pay").childElementCount;
  byId("items").style.setProperty("--pays", String(byId("pay").childElementCount));
  render(byId("seats"), state.seats.map((seat, place) => ({ ...seat, out: out.includes(place) })), buildSeats);
  showPairing();
  fit();
}

// The pairing code is shown only where the server lets it be: on the machine's own screen, or on a paired one.
let pairing = { code: null };
function showPairing() {
  const node = byId("pairing");
  node.hidden = !pairing.code || document.body.dataset.state !== "idle";
  if (node.hidden) return;
  render(node, pairing, ({ code, url }) => [
    el("img", { src: `/api/pairing/qr.svg?${code}`, alt: t("pair_code"), width: 120, height: 120 }),
    el("p", {}, el("small", {}, t("pair_here")), el("b", {}, code), el("small", {}, url))]);
}
// No event tells that a code has been used up or has expired.
async function askPairing() {
  try {
    const { code, url } = await (await fetch("/api/pairing")).json();
    pairing = { code, url };
  } catch { pairing = { code: null }; }  // the next round asks again
  showPairing();
}
setInterval(askPairing, 5000);
setTimeout(askPairing, 800);

// A kiosk must not fall asleep in the middle of a hand; browsers allow it on localhost and over https.
async function stayAwake() {
  try { await navigator.wakeLock?.request("screen"); } catch { /* not allowed here: the screen's own settings rule */ }
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) stayAwake(); });
stayAwake();

follow(show, (stale) => {
  byId("stale").hidden = !stale;
  byId("stale").textContent = `${t("stale")} · ${t2("stale")}`;
});
