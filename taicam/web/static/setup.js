// Tab "setup": language, look, voice, pairing, paired devices, health.
import { ApiError, get, newKey } from "./api.js";
import { drawCamera } from "./camera.js";
import { byId, el, render } from "./dom.js";
import { drawSets } from "./enroll.js";
import { load } from "./loading.js";
import { theme, setTheme, voice, setVoice } from "./preferences.js";
import { ENGLISH, inLanguage, moment, t } from "./words.js";

const ASK_MS = 5000;
const CARDS = { "tile-sets": drawSets, "camera-settings": drawCamera, capture: drawCapture, pairing: drawPairing, about: drawAbout };
let app = null;
let asking = 0;
let drawn = 0;

export async function enter(node, companion) {
  app = companion;
  const cards = Object.entries(CARDS).map(([id, draw]) => [el("section", { class: "card", id }), draw]);
  node.append(preferences(), ...cards.map(([card]) => card));
  await Promise.all(cards.map(([card, draw]) => load(card, () => draw(card, app))));
  keepUp(cards.filter(([, draw]) => draw !== drawCamera));  // somebody may be typing there
}

// Others pair, revoke, teach and keep views meanwhile, and codes expire: no event tells of it.
async function keepUp(cards) {
  for (;;) {
    await new Promise((done) => setTimeout(done, ASK_MS));
    const there = cards.filter(([card]) => card.isConnected);
    if (!there.length) return;
    if (document.hidden) continue;
    for (const [card, draw] of there) {
      try { await draw(card, app); } catch (error) { if (!(error instanceof ApiError)) throw error; /* asked again */ }
    }
  }
}

function chips(label, options, current, onchange) {
  const group = el("div", { class: "field", role: "group", "aria-label": label }, el("h3", {}, label));
  const draw = (value) => {
    const row = el("div", { class: "chips" }, options.map(([option, word]) => el("button", { type: "button",
      class: option === value ? "on" : "", "aria-pressed": String(option === value), onclick: () => { onchange(option); draw(option); } }, word)));
    group.replaceChildren(group.firstChild, row);
  };
  draw(current);
  return group;
}

function preferences() {
  return el("section", { class: "card" },
    chips(t("language"), [["zh-Hant", "中文"], ["en", "English"]], ENGLISH ? "en" : "zh-Hant", (value) => {
      const url = new URL(location.href);
      url.searchParams.set("lang", value);
      location.replace(url);
    }),
    chips(t("theme"), [["auto", t("auto")], ["dark", t("dark")], ["light", t("light")]], theme(), setTheme),
    "speechSynthesis" in window ? chips(t("voice"), [[true, t("on")], [false, t("off")]], voice(), setVoice) : "",
    el("div", { class: "actions row" }, el("a", { class: "button", href: "#calibrate" }, t("calibrate")),
      el("a", { class: "button", href: "/display", target: "_blank" }, t("open_display"))));
}

async function drawPairing(node) {
  const mine = ++asking;
  const told = await get("/api/pairing");
  const devices = told.pairing && told.may_change ? await get("/api/devices") : [];
  if (mine < drawn) return;  // a later answer was quicker
  drawn = mine;
  app.sayWhoMayChange(told);
  render(node, { pairing: told.pairing, may: told.may_change, code: told.code, devices }, buildPairing);
}

function buildPairing({ pairing, may, code, devices }) {
  if (!pairing) return el("p", { class: "quiet" }, t("pairing_off"));
  if (!may) return [el("p", {}, t("pair_first")), el("a", { class: "button", href: "#pair" }, t("pair_title"))];
  return [el("h2", {}, t("pair_another")),
    el("div", { class: "pair-show" }, el("img", { src: `/api/pairing/qr.svg?${code}`, alt: t("pair_code"), width: 160, height: 160 }),
      el("p", { class: "code" }, code)),
    el("h2", {}, t("devices")), el("ul", { class: "devices" }, devices.map((device) => el("li", {}, el("span", {}, device.name),
      el("time", { class: "quiet", datetime: device.seen_utc }, moment(device.seen_utc)),
      el("button", { type: "button", class: "warn", id: `revoke-${device.id}`, "aria-label": `${t("revoke")} ${device.name}`,
        onclick: () => revoke(device) }, t("revoke")))))];
}

async function revoke(device) {
  const node = byId("pairing");  // somebody may look elsewhere before it is done
  await app.attempt("DELETE", `/api/devices/${device.id}`, undefined, newKey(), t("revoked"));
  await load(node, () => drawPairing(node));
}

async function drawCapture(node) {
  let told;
  try { told = await get("/api/capture"); } catch (error) {
    if (error.status !== 404) throw error;
    node.remove();  // this appliance keeps no views
    return;
  }
  const again = () => load(node, () => drawCapture(node));
  render(node, told, ({ consent, samples, bytes, problem, problem_zh: chinese }) => [el("h2", {}, t("capture")), el("p", { class: "quiet" }, t("capture_why")),
    chips(t("capture_consent"), [[true, t("yes")], [false, t("no")]], consent, async (given) => {
      await app.attempt("POST", "/api/capture/consent", { given }, newKey(), t("recorded_toast"));
      await again();
    }),
    el("p", {}, `${samples} · ${(bytes / 1e6).toFixed(1)} MB ${inLanguage(chinese, problem)}`),
    el("div", { class: "actions row" }, el("button", { type: "button", onclick: keepView }, t("capture_keep")),
      el("a", { class: "button", href: "#review" }, t("review")))]);
}

async function keepView() {
  const answer = await app.attempt("POST", "/api/capture/keep", undefined, newKey());
  if (answer) app.toast(answer.status === "queued" ? t("recorded_toast") : t("capture_not_kept"));
}

async function drawAbout(node) {
  const { camera, machine, version } = await get("/healthz");
  render(node, { camera, machine, version }, () => [el("h2", {}, t("health")),
    el("ul", {}, el("li", {}, `${t("camera")}: ${t(camera)}`), el("li", {}, `${t("machine")}: ${t(machine)}`),
      el("li", {}, `${t("version")}: ${version}`))]);
}
