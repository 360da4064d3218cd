// Going through kept views: look, tap a wrong box, draw a missing one, accept or discard, next. By touch or by keyboard.
import { get, newKey } from "./api.js";
import { el, tile } from "./dom.js";
import { load } from "./loading.js";
import { chooseTile } from "./sheet.js";
import { t, tileName } from "./words.js";

let app = null;
let root = null;
let rows = [];
let at = 0;
let asking = 0;
let sample = null;
let changed = false;
let drawing = null; // while a box is drawn: { index } of the box to draw anew, null for a new one
const LEAST = 6; // pixels of the screen a drawn box has at least; less was a tap

export async function enter(node, companion) {
  app = companion;
  root = node;
  document.addEventListener("keydown", onKey);
  rows = await get("/api/capture/samples?state=proposed");
  at = 0;
  await open();
}

export function leave() { document.removeEventListener("keydown", onKey); asking += 1; sample = null; }

async function open() {
  if (!rows.length) { root.replaceChildren(el("p", { class: "card quiet" }, t("review_none"))); return; }
  at = Math.max(0, Math.min(at, rows.length - 1));
  const mine = ++asking;
  let found;
  try { found = await get(`/api/capture/samples/${encodeURIComponent(rows[at].id)}`); } catch (error) {
    if (mine !== asking) return;
    sample = null;  // nothing is on show that could be judged
    throw error;
  }
  if (mine !== asking) return;  // somebody has gone on meanwhile
  sample = found;
  changed = false;
  drawing = null;
  draw();
}

function draw() {
  const boxes = sample.boxes.map((one, index) => {
    const [x1, y1, x2, y2] = one.box;
    const mark = el("button", { type: "button", class: `box ${one.role || ""}`, "aria-label": tileName(one.code), title: tileName(one.code),
      onclick: () => correct(index) });
    Object.assign(mark.style, { left: `${100 * x1 / sample.width}%`, top: `${100 * y1 / sample.height}%`,
      width: `${100 * (x2 - x1) / sample.width}%`, height: `${100 * (y2 - y1) / sample.height}%` });
    return mark;
  });
  const picture = `/api/capture/samples/${encodeURIComponent(sample.id)}/picture`;
  const layer = el("div", { class: drawing ? "boxes drawing" : "boxes" }, boxes);
  if (drawing) layer.addEventListener("pointerdown", (event) => stretch(layer, event));
  root.replaceChildren(el("section", { class: "card" },
    el("p", { class: "quiet", "aria-live": "polite" }, drawing ? t("review_draw")
      : `${at + 1} / ${rows.length} · ${sample.reason} · ${sample.captured_at || ""} · ${t("review_keys")}`),
    el("figure", { class: "photo" }, el("img", { src: picture, alt: t("picture"), draggable: "false" }), layer),
    el("div", { class: "tile-row small" }, sample.boxes.map((one, index) =>
      el("button", { type: "button", class: "tile-button", "aria-label": tileName(one.code), onclick: () => correct(index) }, tile(one.code)))),
    el("div", { class: "actions" },
      el("button", { type: "button", id: "add-box", "aria-pressed": String(Boolean(drawing)), onclick: () => { drawing = drawing ? null : { index: null }; draw(); } }, t("review_add")),
      el("button", { type: "button", id: "accept", class: "primary", onclick: () => judge("accepted") }, t("accept")),
      el("button", { type: "button", id: "discard", class: "warn", onclick: () => judge("discarded") }, t("discard")))));
}

async function correct(index) {
  const one = sample.boxes[index];
  const chosen = await chooseTile(`${t("choose_tile")}: ${tileName(one.code)}`, { alternatives: one.alternatives, current: one.code,
    actions: [{ value: "redraw", label: t("review_redraw") }, { value: "remove", label: t("remove"), kind: "warn" }] });
  if (!chosen || !sample) return;
  if (chosen.action === "redraw") { drawing = { index }; draw(); return; }
  if (chosen.code) one.code = chosen.code;
  else sample.boxes.splice(index, 1);
  changed = true;
  draw();
}

// A box drawn by dragging over the picture.
function stretch(layer, down) {
  down.preventDefault();
  layer.setPointerCapture(down.pointerId);
  const frame = layer.getBoundingClientRect();
  const within = (event) => [Math.max(0, Math.min(frame.width, event.clientX - frame.left)), Math.max(0, Math.min(frame.height, event.clientY - frame.top))];
  const from = within(down);
  const mark = layer.appendChild(el("div", { class: "drawn" }));
  const corners = (event) => {
    const to = within(event);
    return [Math.min(from[0], to[0]), Math.min(from[1], to[1]), Math.max(from[0], to[0]), Math.max(from[1], to[1])];
  };
  layer.onpointermove = (event) => {
    const [x1, y1, x2, y2] = corners(event);
    Object.assign(mark.style, { left: `${x1}px`, top: `${y1}px`, width: `${x2 - x1}px`, height: `${y2 - y1}px` });
  };
  layer.onpointercancel = draw;
  layer.onpointerup = (event) => {
    const [x1, y1, x2, y2] = corners(event);
    if (Math.min(x2 - x1, y2 - y1) < LEAST) { draw(); return; }
    const across = sample.width / frame.width, down_ = sample.height / frame.height;
    place([x1 * across, y1 * down_, x2 * across, y2 * down_]);
  };
}

async function place(box) {
  const { index } = drawing;
  drawing = null;
  if (index === null) {
    const chosen = await chooseTile(t("choose_tile"));
    if (!sample) return;
    if (chosen?.code) { sample.boxes.push({ box, code: chosen.code, alternatives: [] }); changed = true; }
  } else { sample.boxes[index].box = box; changed = true; }
  draw();
}

async function judge(state) {
  const boxes = changed ? sample.boxes.map(({ box, code }) => ({ box, code })) : null;
  const { id } = sample;  // not rows[at]: the next one may be on its way already
  const path = `/api/capture/samples/${encodeURIComponent(id)}/review`;
  if (!(await app.attempt("POST", path, { state, boxes }, newKey()))) return;
  rows = rows.filter((row) => row.id !== id);
  await load(root, open);
}

function onKey(event) {
  if (!sample || document.querySelector("#sheet[open]") || event.target.closest("button, input, select, a")) return;
  if (event.key === "Escape" && drawing) { drawing = null; draw(); return; }
  const action = { ArrowLeft: () => { at -= 1; load(root, open); }, ArrowRight: () => { at += 1; load(root, open); },
    Enter: () => judge("accepted"), Delete: () => judge("discarded") }[event.key];
  if (action) { event.preventDefault(); action(); }
}
