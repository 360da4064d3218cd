// The camera's settings: what it can be told, what it was told, what it made of that.
import { get, newKey } from "./api.js";
import { el } from "./dom.js";
import { inLanguage, t } from "./words.js";

let app = null;

/** The card of the setup page. Throws ApiError. */
export async function drawCamera(node, companion) {
  app = companion;
  const told = await get("/api/camera-settings");
  if (told.live) draw(node, told);
  else node.append(el("h2", {}, t("camera_settings")), el("p", { class: "quiet" }, t("camera_none")));
}

function draw(node, told, after = null) {
  const fields = told.settings.map((one) => [one, input(one)]);
  const apply = async (values) => {
    const line = node.querySelector("#camera-line");
    line.textContent = t("camera_applying");
    const answer = await app.attempt("PUT", "/api/camera-settings", { values }, newKey());
    if (answer) draw(node, answer, answer);
    else line.textContent = "";
  };
  const send = () => apply(Object.fromEntries(fields.map(([one, field]) => [one.name, valueOf(one, field)])));
  const has = Object.entries(told.applied).map(([key, value]) => `${word(key)} ${value}`).join(" · ");
  node.replaceChildren(el("h2", {}, t("camera_settings")), el("p", { class: "quiet" }, `${told.source} · ${t(told.state)} ${inLanguage(told.reason_zh, told.reason)}`),
    el("div", { class: "camera-form" }, fields.map(([one, field]) => el("label", { class: "field" }, word(one.name), field))),
    el("p", { id: "camera-line", role: "status" }, after && !told.refused.length ? t("camera_applied") : ""),
    told.refused.length ? el("div", { class: "problem", role: "alert", id: "camera-refused" }, el("p", {}, `${t("camera_refused")}:`),
      el("ul", {}, told.refused.map((one) => el("li", {}, `${word(one.name)}: ${one.wanted} → ${one.got ?? "–"}`)))) : "",
    has ? el("p", { class: "quiet", id: "camera-has" }, `${t("camera_has")}: ${has}`) : "",
    el("div", { class: "actions" },
      el("button", { type: "button", class: "primary", id: "camera-apply", onclick: send }, t("camera_apply")),
      el("button", { type: "button", onclick: () => apply({}) }, t("camera_reset"))));
}

function word(name) { const key = `set_${name}`; return t(key) === key ? name : t(key); }

function input(one) {
  const id = `camera-${one.name}`;
  if (one.kind === "choice") {
    return el("select", { id }, one.choices.map((value) => el("option", { value: String(value), selected: value === one.value },
      value === null ? t("by_itself") : String(value))));
  }
  if (one.kind === "text") return el("input", { type: "text", id, value: one.value ?? "" });
  return el("input", { type: "number", id, value: one.value ?? "", min: one.minimum, max: one.maximum,
    step: one.kind === "integer" ? 1 : "any", placeholder: one.nullable ? t("by_itself") : "" });
}

function valueOf(one, field) {
  if (one.kind === "choice") return one.choices.find((value) => String(value) === field.value);
  if (one.kind === "text") return field.value;
  return field.value === "" ? null : Number(field.value);
}
