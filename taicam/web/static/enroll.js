// Teaching the reader one's own tiles: photos, a look at what was read, learning, the report.
import { get, newKey } from "./api.js";
import { byId, el, render, tile } from "./dom.js";
import { load } from "./loading.js";
import { ask, chooseTile } from "./sheet.js";
import { inLanguage, t, tileName } from "./words.js";

const POLL_MS = 700;
const SURE = 0.8;
let app = null;
let root = null;
let state = null;
let here = false;
let name = "";
let busy = false;

export async function enter(node, companion) {
  app = companion;
  root = node;
  here = true;
  busy = false;
  state = await get("/api/enrolment");
  draw();
  if (state.learning) follow();
}

export function leave() { here = false; }

async function change(method, path, body) {
  const told = await app.attempt(method, path, body, newKey());
  if (told) state = told;
  if (here) draw();
  return Boolean(told);
}

function draw() {
  if (!state.open) { root.replaceChildren(beginning()); return; }
  if (!root.querySelector("#set-name")) root.replaceChildren(part("enroll-photos"), learnCard(), part("enroll-result"));
  byId("enroll-photos").replaceChildren(photosCard(), ...state.photos.map(photoCard));
  byId("enroll-learning").replaceChildren(...learning());
  byId("enroll-result").replaceChildren(state.result ? reportCard(state.result) : "");
}

const part = (id) => el("div", { class: "part", id });

function beginning() {
  const flowers = el("input", { type: "checkbox", id: "set-flowers", checked: true });
  return el("section", { class: "card" }, el("h2", {}, t("enroll")), el("p", { class: "quiet" }, t("enroll_how")),
    el("label", { class: "check" }, flowers, t("enroll_flowers")),
    el("div", { class: "actions" }, el("button", { type: "button", class: "primary", id: "enroll-begin",
      onclick: () => change("POST", "/api/enrolment", { flowers: flowers.checked }) }, t("enroll_begin")),
      el("a", { class: "button", href: "#setup" }, t("close"))));
}

function photosCard() {
  const file = el("input", { type: "file", id: "enroll-file", accept: "image/*", multiple: true, "aria-label": t("enroll_photo"),
    onchange: () => upload(file) });
  return el("section", { class: "card" }, el("h2", {}, t("enroll_step_1")), el("p", { class: "quiet" }, t("enroll_how")),
    el("div", { class: "actions" },
      el("span", { class: "button primary pick" }, t("enroll_photo"), file),
      el("button", { type: "button", id: "enroll-camera", onclick: fromCamera }, t("enroll_camera"))),
    el("p", { class: "quiet", id: "enroll-busy", role: "status" }, busy ? t("enroll_finding") : ""), faceMap());
}

function faceMap() {
  const missing = new Set(state.missing);
  const thin = new Set(state.thin);
  const groups = ["m", "p", "s", ""].map((suit) => state.wanted.filter((code) => (suit ? code[1] === suit && code[0] !== "f" : !/^\d/.test(code))));
  const face = (code) => {
    const kind = missing.has(code) ? "missing" : thin.has(code) ? "thin" : "";
    const count = state.counts[code] || 0;
    return el("li", { class: kind, "data-code": code }, tile(code), count ? el("b", { "aria-label": `× ${count}` }, String(count)) : "");
  };
  const line = missing.size ? `${t("enroll_missing")}: ${missing.size} ${t("faces")}` : t("enroll_all");
  return el("div", { class: "face-map" }, el("p", { id: "enroll-missing", role: "status" }, el("b", {}, line),
    missing.size && state.photos.length && missing.size < 12 ? ` ${state.missing.map(tileName).join("、")}` : ""),
    groups.map((codes) => el("ul", {}, codes.map(face))));
}

async function upload(file) {
  const files = [...file.files];
  for (const one of files) {
    const form = new FormData();
    form.append("photo", one);
    working(true);
    await change("POST", "/api/enrolment/photos", form);
  }
  working(false);
}

async function fromCamera() {
  working(true);
  await change("POST", "/api/enrolment/camera");
  working(false);
}

function working(now) {
  busy = now;
  const line = document.getElementById("enroll-busy");
  if (line) line.textContent = now ? t("enroll_finding") : "";
}

function photoCard(photo, number) {
  const [width, height] = photo.size;
  const path = `/api/enrolment/photos/${encodeURIComponent(photo.name)}`;
  const boxes = photo.tiles.map((one, index) => {
    const [x1, y1, x2, y2] = one.box;
    const mark = el("button", { type: "button", class: `box ${kind(one)}`, tabindex: "-1", "aria-hidden": "true", onclick: () => correct(photo, index) });
    Object.assign(mark.style, { left: `${100 * x1 / width}%`, top: `${100 * y1 / height}%`,
      width: `${100 * (x2 - x1) / width}%`, height: `${100 * (y2 - y1) / height}%` });
    return mark;
  });
  return el("section", { class: "card enrol-photo", "data-photo": photo.name }, el("h2", {}, `${t("enroll_step_2")} · ${t("picture")} ${number + 1}`),
    el("p", { class: "quiet" }, t("enroll_check")),
    el("figure", { class: "photo" }, el("img", { src: `${path}/picture.jpg`, alt: `${t("picture")} ${number + 1}` }), el("div", { class: "boxes" }, boxes)),
    el("div", { class: "pairs" }, photo.tiles.map((one, index) => pairButton(photo, one, index, `${path}/crops.jpg`))),
    el("div", { class: "actions row" }, el("button", { type: "button", class: "warn", onclick: () => change("DELETE", path) }, t("remove_photo"))));
}

function kind(one) { return one.code === null ? "out" : one.confidence < SURE ? "doubtful" : ""; }

// The tile as it was cut out beside the face it was read as.
function pairButton(photo, one, index, strip) {
  const crop = el("span", { class: one.turned ? "crop turned" : "crop" });
  crop.style.backgroundImage = `url("${strip}")`;
  crop.style.backgroundSize = `${36 * photo.tiles.length}px 48px`;
  crop.style.backgroundPosition = `${-36 * index}px 0`;
  const look = one.code === null ? "out" : one.code !== one.read ? "changed" : one.confidence < SURE ? "unsure" : "";
  const word = one.code === null ? t("left_out_tile") : tileName(one.code);
  return el("button", { type: "button", class: `pair-button ${look}`, "data-index": index, "aria-label": `${index + 1}: ${word}`,
    onclick: () => correct(photo, index) }, crop, one.code === null ? t("left_out_tile") : tile(one.code));
}

async function correct(photo, index) {
  const one = photo.tiles[index];
  const chosen = await chooseTile(`${t("choose_tile")}: ${one.code === null ? t("left_out_tile") : tileName(one.code)}`, {
    alternatives: one.alternatives, current: one.code,
    actions: [{ value: "turn", label: t("upside_down") }, { value: "none", label: t("no_tile"), kind: "warn" }] });
  if (!chosen) return;
  const body = { code: one.code, turned: one.turned };
  if (chosen.code) body.code = chosen.code;
  else if (chosen.action === "turn") body.turned = !one.turned;
  else body.code = null;
  await change("PUT", `/api/enrolment/photos/${encodeURIComponent(photo.name)}/tiles/${index}`, body);
}

// Made once: somebody may be typing the name while a photo is read.
function learnCard() {
  const field = el("input", { type: "text", id: "set-name", maxlength: 60, value: name, placeholder: t("set_name_hint"), autocomplete: "off",
    oninput: () => { name = field.value; } });
  return el("section", { class: "card" }, el("h2", {}, t("enroll_step_3")),
    el("label", { class: "field" }, t("set_name"), field), part("enroll-learning"));
}

function learning() {
  return [
    state.learning ? el("div", { role: "status" }, el("p", {}, t("enroll_learning")),
      el("progress", { max: 1, value: state.progress, "aria-label": t("enroll_learning") })) : "",
    state.problem ? el("p", { class: "problem", role: "alert" }, inLanguage(state.problem_zh, state.problem)) : "",
    el("div", { class: "actions" },
      el("button", { type: "button", class: "primary", id: "enroll-learn", disabled: state.learning || !state.photos.length, onclick: learn }, t("enroll_learn")),
      el("button", { type: "button", id: "enroll-stop", class: state.result ? "" : "warn", disabled: state.learning, onclick: stop },
        t(state.result ? "enroll_done" : "enroll_stop")))];
}

async function learn() {
  if (!name.trim()) { app.toast(t("set_name"), "bad"); document.getElementById("set-name").focus(); return; }
  if (await change("POST", "/api/enrolment/learn", { name })) follow();
}

async function follow() {
  while (here && state.learning) {
    await new Promise((done) => setTimeout(done, POLL_MS));
    try { state = await get("/api/enrolment"); } catch { continue; }
    const bar = root.querySelector("progress");
    if (bar && state.learning) bar.value = state.progress;
    else if (here) draw();
  }
  if (here && state.result) document.getElementById("enroll-report").scrollIntoView({ block: "start" });
}

async function stop() {
  if (!state.result && state.photos.length && !(await ask(t("sure_stop")))) return;
  if (await change("DELETE", "/api/enrolment")) { name = ""; app.go("setup"); }
}

const percent = (share) => `${(100 * share).toFixed(1)}%`;

function reportCard(result) {
  const told = result.report;
  const measured = told.tiles > 0;
  const box = (kind_, share) => el("div", { class: kind_ }, t(kind_), el("b", {}, percent(share)));
  return el("section", { class: "card", id: "enroll-report" }, el("h2", {}, `${t("report")}: ${result.name}`),
    measured ? [el("p", {}, t(told.held_back_photos ? "report_right" : "report_crops")),
      el("div", { class: "accuracy" }, box("before", told.before), box("after", told.after)),
      el("p", { class: "quiet" }, `${t("report_counts")}: ${told.tiles} · ${told.mended} · ${told.broken}`),
      el("h3", {}, t("report_confused")),
      told.confused.length ? el("ul", { class: "confused" }, told.confused.map(([truth, called, times]) =>
        el("li", {}, tile(truth), el("span", { "aria-hidden": "true" }, "→"), tile(called), times > 1 ? `× ${times}` : "")))
        : el("p", {}, t("report_none_confused"))] : el("p", {}, t("report_nothing_held")),
    result.changes_nothing ? el("p", {}, t("report_same")) : "",
    told.missing.length ? el("p", { class: "quiet" }, `${t("report_missing")}: ${told.missing.map(tileName).join("、")}`) : "");
}

/** The card of the setup page: the sets learnt, which one is used, the way into the wizard. Throws ApiError. */
export async function drawSets(node, companion) {
  app = companion;
  render(node, await get("/api/tile-sets"), (told) => buildSets(told, () => load(node, () => drawSets(node, app))));
}

function buildSets(told, again) {
  const choices = [["auto", t("set_auto")], ...told.sets.map((one) => [one.name, one.name]), ["none", t("set_none")]];
  const use = el("select", { id: "set-choice", onchange: async () => {
    await app.attempt("PUT", "/api/tile-sets/choice", { choice: use.value }, newKey(), t("recorded_toast"));
    await again();
  } }, choices.map(([value, word]) => el("option", { value, selected: value === told.choice }, word)));
  return [el("h2", {}, t("tile_sets")), el("p", { class: "quiet" }, t("tile_sets_why")),
    told.sets.length ? [el("label", { class: "field" }, t("set_use"), use),
      el("ul", { class: "set-list" }, told.sets.map((one) => setRow(one, again)))] : el("p", {}, t("set_none_yet")),
    told.problems.map((one) => el("p", { class: "problem" }, inLanguage(one.zh, one.en))),
    el("div", { class: "actions row" }, el("a", { class: "button primary", href: "#enroll", id: "to-enroll" }, t("enroll")))];
}

function setRow(one, again) {
  const worth = one.report && one.report.tiles ? `${percent(one.report.before)} → ${percent(one.report.after)}` : t("not_measured");
  return el("li", {}, el("span", { class: "what" }, el("b", {}, one.name), ` · ${one.faces} ${t("faces")} · ${worth}`),
    el("button", { type: "button", class: "warn", "aria-label": `${t("set_delete")} ${one.name}`, onclick: async () => {
      if (!(await ask(`${t("sure_delete_set")} ${one.name}`))) return;
      await app.attempt("DELETE", `/api/tile-sets/${encodeURIComponent(one.name)}`, undefined, newKey());
      await again();
    } }, t("set_delete")));
}
