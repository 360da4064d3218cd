// The companion: one page, one live state, a tab for each thing people do at the table.
import { ApiError, get, send } from "./api.js";
import { byId, el, render } from "./dom.js";
import { follow } from "./live.js";
import { load, loadAgain } from "./loading.js";
import { ENGLISH, roundTitle, t, t2 } from "./words.js";
import "./companion-words.js";
import "./enroll-words.js";
import * as calibrate from "./calibrate.js";
import * as enroll from "./enroll.js";
import * as history from "./history.js";
import * as hand from "./hand.js";
import * as match from "./match.js";
import { announce } from "./preferences.js";
import * as pair from "./pair.js";
import * as review from "./review.js";
import * as setup from "./setup.js";
import * as table from "./table.js";

const PAGES = { calibrate, enroll, table, hand, match, history, setup, pair, review };
const TABS = ["table", "hand", "match", "history", "setup"];
const WITHOUT_STATE = ["pair", "setup"];  // pages of use before this device may see the table
const STATE_PATIENCE_MS = 2000;
const ICONS = { table: "▦", hand: "✎", match: "☰", history: "↺", setup: "⚙" };

let gotState = null;
const firstState = new Promise((done) => { gotState = done; });
export const app = { state: null, page: null, route: "", toast, go, attempt, orSay, sayWhoMayChange, before: "" };
let toastTimer = null;

/** A line at the foot of the page that goes away by itself. */
function toast(text, kind = "") {
  const node = byId("toast");
  node.textContent = text;
  node.className = `toast ${kind}`;
  node.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { node.hidden = true; }, kind === "bad" ? 8000 : 3500);
}

function go(hash) { location.hash = hash; }

/** Do what may fail, and say so at the foot of the page: what is on show stays. */
async function orSay(work) {
  try { return await work(); } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast(error.message, "bad");
    return null;
  }
}

/** Do a change and say how it went; a device that is not paired is taken to the pairing page. */
function attempt(method, path, body, key, done) {
  return orSay(async () => {
    try {
      const result = await send(method, path, body, key);
      if (done) toast(done);
      return result;
    } catch (error) {
      if (error.status !== 401) throw error;
      toast(t("pair_first"), "bad");
      go("pair");
      return null;
    }
  });
}

/** Say on every page that this device may only look, before somebody puts a whole hand together in vain. */
function sayWhoMayChange(told) {
  const node = byId("only-looking");
  node.hidden = told.may_change;
  render(node, told.pairing, (pairing) => (pairing
    ? [el("span", {}, t("only_looking")), el("a", { class: "button", href: "#pair" }, t("pair_button"))]
    : el("span", {}, t("pairing_off"))));
}

// The live state; where it does not come, asking for it says why.
async function stateThere() {
  while (!app.state) {
    await Promise.race([firstState, new Promise((done) => setTimeout(done, STATE_PATIENCE_MS))]);
    if (!app.state) await get("/api/state");
  }
}

function show() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  const page = PAGES[name] || table;
  const route = `${name}/${rest.join("/")}`;
  if (app.page && app.page.leave && app.route !== route) app.page.leave();
  if (page !== pair) app.before = location.hash.slice(1);  // back to it once paired
  app.page = null;
  app.route = route;
  render(byId("tabs"), [name || "table", ENGLISH], ([current]) => TABS.map((tab) =>
    el("a", { href: `#${tab}`, "aria-current": tab === current ? "page" : null, class: "tab" },
      el("span", { class: "icon", "aria-hidden": "true" }, ICONS[tab]),
      el("span", {}, t(`tab_${tab}`)), el("small", {}, t2(`tab_${tab}`)))));
  // A place of its own for each visit: what a page left behind still loads must not be drawn over the next one.
  const place = el("div", { class: "visit" });
  byId("page").replaceChildren(place);
  load(place, async () => {
    if (!app.state && !WITHOUT_STATE.includes(name)) await stateThere();
    if (!place.isConnected) return;  // somebody has gone to another page meanwhile
    app.page = page;
    await page.enter(place, app, rest);
  });
  get("/api/pairing").then(sayWhoMayChange, () => { /* asked again on the next page */ });
}

// The companion is about the hand to be played next, also while the last one is still on show.
function atTable(state) {
  const { next, out } = state.table;
  if (!next) return state;
  const seats = state.seats.map((seat, place) =>
    ({ ...seat, wind: next.seat_winds[place], dealer: next.dealer === place, out: out.includes(place) }));
  return { ...state, ...next, dealer: undefined, seats };
}

function onState(told) {
  const state = atTable(told);
  app.state = state;
  gotState();
  document.body.dataset.state = state.state;
  document.body.dataset.sequence = String(state.sequence);
  byId("round").textContent = roundTitle(state);
  render(byId("state"), state.state, (name) => t(name));
  announce(state);
  if (app.page && app.page.update) app.page.update(state);
}

byId("lang").textContent = ENGLISH ? "中文" : "English";
byId("lang").lang = ENGLISH ? "zh-Hant" : "en";
byId("lang").addEventListener("click", () => {
  const url = new URL(location.href);
  url.searchParams.set("lang", ENGLISH ? "zh-Hant" : "en");
  location.replace(url);
});
window.addEventListener("hashchange", show);
show();
follow(onState, (stale) => {
  if (!stale) loadAgain();
  byId("stale").hidden = !stale;
  byId("stale").textContent = `${t("stale")} · ${t2("stale")}`;
});
if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/sw.js").catch(() => {});
