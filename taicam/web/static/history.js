// Tab "history": every hand, newest first; look closer, correct, void, restore; take the account elsewhere.
import { get, newKey } from "./api.js";
import { el, replace, tile } from "./dom.js";
import { ENGLISH, WINDS, clock, inLanguage, seatName, signed, t, unitName } from "./words.js";

let app = null;
let root = null;
let shownLedger = -1;
let asking = 0;
let drawn = 0;

export async function enter(node, companion, [handId = ""]) {
  app = companion;
  root = node;
  await draw();
  const wanted = handId && node.querySelector(`[data-hand="${CSS.escape(handId)}"]`);
  if (wanted) {
    wanted.querySelector("details").open = true;
    wanted.scrollIntoView({ block: "center" });
  }
}

export function update(state) { if (state.table.ledger !== shownLedger) app.orSay(draw); }

async function draw() {
  shownLedger = app.state.table.ledger;
  const mine = ++asking;
  let hands;
  try { hands = await get("/api/hands"); } catch (error) {
    shownLedger = -1;  // asked again at the next event
    throw error;
  }
  if (mine < drawn) return;  // a later answer was quicker
  drawn = mine;
  replace(root,
    el("div", { class: "actions row" },
      el("a", { class: "button", href: "/api/export.csv", download: true }, t("export_csv")),
      el("a", { class: "button", href: "/api/export.jsonl", download: true }, t("export_json"))),
    hands.length ? el("ol", { class: "hands", id: "hands" }, hands.flatMap((hand, at) => [newDay(hand, hands[at - 1]), row(hand)])) : el("p", { class: "quiet card" }, t("nothing_yet")));
  // What stays open is filled at once: the page keeps its height.
  for (const one of root.querySelectorAll("details[open]")) more(one, hands.find((hand) => hand.hand_id === one.dataset.key));
}

const day = (hand) => new Date(hand.at_utc).toLocaleDateString(ENGLISH ? "en-GB" : "zh-TW", { dateStyle: "full" });

// A line between days: the evenings of a year stand in one list.
function newDay(hand, before) {
  return before && day(before) === day(hand) ? "" : el("li", { class: "day quiet" }, day(hand));
}

// Outside a match people are called by their seats.
const called = ({ name, wind }) => (wind ? seatName(wind) : name);

function heading(hand) {
  if (hand.outcome === "draw") return t("hand_drawn");
  if (hand.outcome === "false_win") return `${t("hand_false_win")} ${hand.offender || ""}`;
  return hand.wins.map((win) => `${called(win)} ${win.self_draw ? t("self_draw") : t("winner")} ${win.total ?? ""} ${unitName(win.unit)}`).join(" · ") +
    (hand.loser ? ` ← ${called({ name: hand.loser, wind: hand.loser_wind })}` : "");
}

function row(hand) {
  const deal = hand.match_id && hand.hand_number ? `${WINDS[hand.round_wind][0]}${hand.hand_number}` : "";
  return el("li", { class: `card hand-row${hand.voided ? " voided" : ""}`, "data-hand": hand.hand_id },
    el("details", { "data-key": hand.hand_id, ontoggle: (event) => { if (event.target.open && event.target === event.currentTarget) more(event.target, hand); } },
      el("summary", {}, el("time", { datetime: hand.at_utc }, clock(hand.at_utc)), deal && el("span", { class: "deal" }, deal), el("span", { class: "what" }, heading(hand) || t("voided")),
        hand.corrections ? el("span", { class: "tag" }, t("corrected_by")) : "", hand.voided ? el("span", { class: "tag" }, t("voided")) : ""),
      el("div", { class: "more-of-hand" })));
}

// The tiles in the hand before the winning one came.
function before({ concealed, win_tile: win }) {
  const at = win ? concealed.lastIndexOf(win) : -1;
  return concealed.filter((_, other) => other !== at);
}

function more(details, hand) {
  const body = details.querySelector(".more-of-hand");
  if (body.childElementCount) return;
  body.append(
    ...hand.wins.flatMap((win) => [
      el("div", { class: "hand-line" }, before(win.hand).map((code) => tile(code)), win.hand.win_tile && tile(win.hand.win_tile, "winning"),
        win.hand.melds.map((meld) => el("span", { class: "meld" }, meld.tiles.map((code) => tile(code)))),
        win.hand.flowers.length ? el("span", { class: "meld" }, win.hand.flowers.map((code) => tile(code))) : ""),
      el("p", {}, win.items.map((item) => `${ENGLISH && item.name_en ? item.name_en : item.name_zh || item.name} ${item.value}`).join(" · ")),
    ]),
    hand.changes.length ? el("p", { class: "pay-line" }, hand.changes.map((one) =>
      el("span", { class: one.change > 0 ? "up" : one.change < 0 ? "down" : "" }, `${called(one)} ${signed(one.change)} `))) : "",
    hand.problem ? el("p", { class: "problem" }, inLanguage(hand.problem, hand.problem_en)) : "",
    hand.picture_id ? el("img", { class: "photo-small", src: `/api/pictures/${hand.picture_id}.jpg`, alt: t("picture"), loading: "lazy" }) : "",
    el("div", { class: "actions row" },
      !hand.voided && (hand.outcome === "win" || hand.match_id) ? el("a", { class: "button", href: `#hand/edit/${hand.hand_id}` }, t("edit_button")) : "",
      hand.voided
        ? el("button", { type: "button", onclick: () => change(hand, "restore") }, t("restore_button"))
        : el("button", { type: "button", class: "warn", onclick: () => change(hand, "void") }, t("void_button"))));
}

async function change(hand, verb) {
  const body = verb === "void" ? { reason: "" } : undefined;
  await app.attempt("POST", `/api/hands/${encodeURIComponent(hand.hand_id)}/${verb}`, body, newKey(), t("recorded_toast"));
  app.orSay(draw);
}
