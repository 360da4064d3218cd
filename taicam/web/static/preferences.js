// Choices a device keeps for itself: look and voice. Nothing here leaves it.
import { ENGLISH, unitName } from "./words.js";

function kept(name, otherwise) { try { return localStorage.getItem(name) ?? otherwise; } catch { return otherwise; } }
function keep(name, value) { try { localStorage.setItem(name, value); } catch { /* private mode: for this visit only */ } }

export function theme() { return kept("taicam-theme", "auto"); }
export function setTheme(value) {
  keep("taicam-theme", value);
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}
export function voice() { return kept("taicam-voice", "false") === "true"; }
export function setVoice(value) { keep("taicam-voice", String(value)); }

/** Say the result of a hand aloud with the browser's own voice, once for each. */
let counted = null;  // the hands of the match when last looked: a correction of an older one is no news
export function announce(state) {
  const mark = `${state.table.match}:${state.table.hands}`;
  const news = counted !== null && counted !== mark;
  counted = mark;
  if (!news || !voice() || state.state !== "recorded" || state.total === null || !("speechSynthesis" in window)) return;
  const winner = state.seats.find((seat) => seat.winner);
  const items = state.items.map((item) => (ENGLISH ? item.name_en : item.name_zh)).join("、");
  const said = new SpeechSynthesisUtterance(`${winner ? winner.name : ""} ${items} ${state.total} ${unitName(state.unit)}`);
  said.lang = ENGLISH ? "en" : "zh-TW";
  speechSynthesis.speak(said);
}
setTheme(theme());
