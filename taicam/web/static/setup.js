// Tab "setup": language, look, voice, pairing, paired devices, health.
import { get, newKey } from "./api.js";
import { cameraCard } from "./camera.js";
import { el } from "./dom.js";
import { setsCard } from "./enroll.js";
import { theme, setTheme, voice, setVoice } from "./preferences.js";
import { ENGLISH, inLanguage, t } from "./words.js";

let app = null;
let root = null;

export async function enter(node, companion) {
  app = companion;
  root = node;
  root.append(preferences(), el("div", { id: "setup-sets" }), el("div", { id: "setup-camera" }), el("section", { class: "card", id: "capture" }),
    el("section", { class: "card", id: "pairing" }), el("section", { class: "card", id: "about" }));
  await Promise.all([drawPairing(), drawAbout(), drawCapture(), fill("setup-sets", setsCard), fill("setup-camera", cameraCard)]);
}

async function fill(id, card) {
  const made = await card(app);
  const place = document.getElementById(id);
  if (place) place.replaceWith(made);
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

async function drawPairing(node = document.getElementById("pairing")) {
  const told = await get("/api/pairing");
  if (!told.pairing) { node.append(el("p", { class: "quiet" }, t("pairing_off"))); return; }
  if (!told.may_change) {
    node.append(el("p", {}, t("pair_first")), el("a", { class: "button", href: "#pair" }, t("pair_title")));
    return;
  }
  const devices = await get("/api/devices");
  node.append(el("h2", {}, t("pair_another")),
    el("div", { class: "pair-show" }, el("img", { src: `/api/pairing/qr.svg?${told.code}`, alt: t("pair_code"), width: 160, height: 160 }),
      el("p", { class: "code" }, told.code)),
    el("h2", {}, t("devices")), el("ul", { class: "devices" }, devices.map((device) => el("li", {}, el("span", {}, device.name),
      el("time", { class: "quiet", datetime: device.seen_utc }, new Date(device.seen_utc).toLocaleString()),
      el("button", { type: "button", class: "warn", onclick: () => revoke(device) }, t("revoke"))))));
}

async function drawCapture() {
  const node = document.getElementById("capture");
  let told;
  try { told = await get("/api/capture"); } catch { node.remove(); return; }
  node.replaceChildren(el("h2", {}, t("capture")), el("p", { class: "quiet" }, t("capture_why")),
    chips(t("capture_consent"), [[true, t("yes")], [false, t("no")]], told.consent, (given) =>
      app.attempt("POST", "/api/capture/consent", { given }, newKey(), t("recorded_toast"))),
    el("p", {}, `${told.samples} · ${(told.bytes / 1e6).toFixed(1)} MB ${inLanguage(told.problem_zh, told.problem)}`),
    el("div", { class: "actions row" }, el("button", { type: "button", onclick: keepView }, t("capture_keep")),
      el("a", { class: "button", href: "#review" }, t("review"))));
}

async function keepView() {
  const answer = await app.attempt("POST", "/api/capture/keep", undefined, newKey());
  if (answer) app.toast(answer.status === "queued" ? t("recorded_toast") : t("capture_not_kept"));
}

async function revoke(device) {
  const node = document.getElementById("pairing");  // somebody may look elsewhere before it is done
  await app.attempt("DELETE", `/api/devices/${device.id}`, undefined, newKey(), t("revoked"));
  node.replaceChildren();
  drawPairing(node);
}

async function drawAbout() {
  const node = document.getElementById("about");
  const told = await get("/healthz");
  node.append(el("h2", {}, t("health")),
    el("ul", {}, el("li", {}, `${t("camera")}: ${t(told.camera)}`), el("li", {}, `${t("machine")}: ${t(told.machine)}`),
      el("li", {}, `${t("version")}: ${told.version}`)));
}
