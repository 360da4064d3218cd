// Pairing this device: the code comes from the display at the table, by eye or in the address of its QR picture.
import { newKey } from "./api.js";
import { el } from "./dom.js";
import { t } from "./words.js";

export function enter(node, app, [code = ""]) {
  // The code leaves the address at once: nothing secret stays in the history.
  if (code) history.replaceState(null, "", "#pair");
  const codeInput = el("input", { type: "text", id: "pair-code", inputmode: "numeric", pattern: "[0-9]{6}", maxlength: 6,
    autocomplete: "one-time-code", required: true, value: /^\d{6}$/.test(code) ? code : "" });
  const nameInput = el("input", { type: "text", id: "pair-name", maxlength: 40, value: guess() });
  const submit = async (event) => {
    event.preventDefault();
    const body = { code: codeInput.value.trim(), name: nameInput.value };
    if (await app.attempt("POST", "/api/pair", body, newKey(), t("paired"))) {
      app.go(app.before || "table");
    }
  };
  node.append(el("form", { class: "card pair", onsubmit: submit },
    el("h2", {}, t("pair_title")), el("p", {}, t("pair_hint")),
    el("label", {}, t("pair_code"), codeInput), el("label", {}, t("device_name"), nameInput),
    el("button", { type: "submit", class: "primary big" }, t("pair_button"))));
  (codeInput.value ? nameInput : codeInput).focus();
}

function guess() {
  const agent = navigator.userAgent;
  return (/iPad|iPhone|Android|Windows|Macintosh|Linux/.exec(agent) || [""])[0];
}
