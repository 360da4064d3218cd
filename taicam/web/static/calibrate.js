// Where the table lies in the camera's view: drag the four corners, look at the four seats, keep it.
import { get, newKey } from "./api.js";
import { el } from "./dom.js";
import { t } from "./words.js";

const NAMES = ["corner_far_left", "corner_far_right", "corner_near_right", "corner_near_left"];
const ASK_MS = 1000;
let app = null;

export async function enter(node, companion) {
  app = companion;
  const seen = await firstSight(node);
  if (!seen) return;  // somebody has gone to another page meanwhile
  const [width, height] = seen.size;
  let corners = [[0.2, 0.15], [0.8, 0.15], [0.95, 0.95], [0.05, 0.95]].map(([x, y]) => [x * width, y * height]);
  try {
    const kept = await get("/api/calibration");
    corners = kept.corners.map(([x, y]) => [x * width / kept.size[0], y * height / kept.size[1]]);
  } catch (error) { if (error.status !== 404) throw error; /* not calibrated yet: start from a guess */ }

  const outline = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  outline.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const polygon = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
  outline.append(polygon);
  const handles = corners.map((_, at) => el("button", { type: "button", class: "corner", "aria-label": t(NAMES[at]) }, String(at + 1)));
  const stage = el("figure", { class: "photo stage" }, el("img", { src: `/api/camera.jpg?${Date.now()}`, alt: t("camera_view") }), outline, handles);
  stage.style.maxWidth = `calc(60vh * ${width / height})`;  // all four corners in sight at once
  const place = () => {
    polygon.setAttribute("points", corners.map((corner) => corner.join(",")).join(" "));
    handles.forEach((handle, at) => {
      handle.style.left = `${100 * corners[at][0] / width}%`;
      handle.style.top = `${100 * corners[at][1] / height}%`;
    });
  };
  handles.forEach((handle, at) => movable(handle, stage, (dx, dy, absolute) => {
    const [x, y] = absolute ? [dx * width, dy * height] : [corners[at][0] + dx, corners[at][1] + dy];
    corners[at] = [Math.max(0, Math.min(width, x)), Math.max(0, Math.min(height, y))];
    place();
  }));
  const seats = el("div", { class: "seat-views", id: "seat-views" });
  const keep = async () => {
    if (await app.attempt("PUT", "/api/calibration", { corners }, newKey(), t("recorded_toast"))) {
      seats.replaceChildren(...[0, 1, 2, 3].map((seat) => el("figure", {},
        el("img", { src: `/api/calibration/seat/${seat}.jpg?${Date.now()}`, alt: `${t("place")} ${seat + 1}` }),
        el("figcaption", {}, `${t("place")} ${seat + 1}`))));
    }
  };
  const find = async () => {
    const found = await app.orSay(() => get("/api/calibration/found"));
    if (!found) return;
    corners = found.corners.map(([x, y]) => [x * width / found.size[0], y * height / found.size[1]]);
    place();
  };
  const turn = () => { corners = [...corners.slice(1), corners[0]]; place(); };
  place();
  node.replaceChildren(el("section", { class: "card" }, el("h2", {}, t("calibrate")), el("p", { class: "quiet" }, t("calibrate_how")), stage,
    el("div", { class: "actions" },
      el("button", { type: "button", onclick: find }, t("calibrate_find")),
      el("button", { type: "button", onclick: turn }, t("calibrate_turn")),
      el("button", { type: "button", class: "primary", id: "keep-corners", onclick: keep }, t("calibrate_keep"))),
    seats));
}

// What the camera sees, as soon as it has looked: no event tells of its first look.
async function firstSight(node) {
  const waiting = el("p", { class: "card quiet", role: "status" }, t("no_camera"));
  while (node.isConnected) {
    if (app.state.camera !== "off") {
      try { return await get("/api/camera"); } catch { /* not yet, or no network: asked again */ }
    }
    if (!waiting.isConnected) node.append(waiting);
    await new Promise((done) => setTimeout(done, ASK_MS));
  }
  return null;
}

// Drag with finger or mouse; arrow keys move a corner by a pixel, with shift by ten.
function movable(handle, stage, move) {
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = stage.getBoundingClientRect();
    move((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height, true);
  });
  handle.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (by) { event.preventDefault(); move(by[0], by[1], false); }
  });
}
