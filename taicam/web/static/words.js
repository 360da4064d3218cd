// Every word the pages show: Traditional Chinese first, English second.
const WORDS = {
  idle: ["待機", "Idle"],
  aiming: ["對準中", "Aiming"],
  reading: ["辨識中…", "Reading…"],
  confirm: ["請確認", "Confirm?"],
  recorded: ["已記錄", "Recorded"],
  not_winning: ["未成胡", "No win"],
  camera: ["鏡頭", "Camera"],
  machine: ["麻將機", "Machine"],
  ok: ["正常", "ok"],
  warn: ["注意", "check"],
  fail: ["故障", "failed"],
  stale: ["連線中斷,畫面可能不是最新", "Connection lost: this may be out of date"],
  restored: ["已恢復連線", "Connected again"],
  no_network: ["連不上 taicam,請再試一次", "taicam cannot be reached: try again"],
  loading: ["載入中…", "Loading…"],
  try_again: ["再試一次", "Try again"],
  concealed: ["手牌", "Hand"],
  win_tile: ["胡牌", "Winning tile"],
  melds: ["副露", "Melds"],
  flowers: ["花牌", "Flowers"],
  chow: ["吃", "Chow"],
  pung: ["碰", "Pung"],
  kong_exposed: ["明槓", "Kong"],
  kong_added: ["加槓", "Added kong"],
  kong_concealed: ["暗槓", "Concealed kong"],
  dealer: ["莊", "Dealer"],
  winner: ["胡", "Win"],
  nothing: ["請把胡牌攤開,放到鏡頭下", "Lay the winning hand face up under the camera"],
  pair_code: ["配對碼", "Pairing code"],
  pair_here: ["平板掃描配對", "Scan to pair a tablet"],
  is_out: ["已胡", "Out"],
  each: ["各", "each"],
  zero_items: ["屁胡,只計底", "No items: base only"],
};
export const WINDS = { E: ["東", "East"], S: ["南", "South"], W: ["西", "West"], N: ["北", "North"] };
const SUITS = { m: ["萬", "characters"], p: ["筒", "dots"], s: ["索", "bamboo"] };
const DIGITS = "一二三四五六七八九";
const SINGLES = {
  E: ["東", "east wind"], S: ["南", "south wind"], W: ["西", "west wind"], N: ["北", "north wind"],
  C: ["中", "red dragon"], F: ["發", "green dragon"], P: ["白", "white dragon"], back: ["牌背", "face down"],
  f1: ["春", "spring"], f2: ["夏", "summer"], f3: ["秋", "autumn"], f4: ["冬", "winter"],
  f5: ["梅", "plum"], f6: ["蘭", "orchid"], f7: ["菊", "chrysanthemum"], f8: ["竹", "bamboo plant"],
};

function chosen() {
  const asked = new URLSearchParams(location.search).get("lang");
  if (asked) { try { localStorage.setItem("taicam-lang", asked); } catch { /* private mode: forget it */ } }
  let kept = null;
  try { kept = localStorage.getItem("taicam-lang"); } catch { /* private mode */ }
  return (asked || kept || "zh-Hant").startsWith("en") ? "en" : "zh-Hant";
}
export const LANG = chosen();
export const ENGLISH = LANG === "en";
document.documentElement.lang = ENGLISH ? "en" : "zh-Hant-TW";
const pick = (pair) => pair[ENGLISH ? 1 : 0];

/** The word for `key` in the chosen language. */
export function t(key) { return WORDS[key] ? pick(WORDS[key]) : key; }
/** The other language's word, shown small beside it. */
export function t2(key) { return WORDS[key] ? WORDS[key][ENGLISH ? 0 : 1] : ""; }
export function addWords(more) { Object.assign(WORDS, more); }
/** Of a text the server sends in both languages, the one of this page; the other where it has only that. */
export function inLanguage(zh, en) { return (ENGLISH ? en || zh : zh || en) || ""; }
export function wind(code) { return WINDS[code] ? pick(WINDS[code]) : code; }
export function seatName(code) { return ENGLISH ? `${wind(code)} seat` : `${wind(code)}家`; }
export function tileName(code) {
  if (SINGLES[code]) return pick(SINGLES[code]);
  const suit = SUITS[code[1]];
  return ENGLISH ? `${code[0]} ${suit[1]}` : DIGITS[code[0] - 1] + suit[0];
}
export function unitName(unit) { return ENGLISH ? ({ "台": "tai", "番": "fan", "花": "hua", "分": "points", "勒子": "lezi" }[unit] || unit) : unit; }
export function roundTitle(view) {
  if (!view.dealer_wind) {
    return ENGLISH ? `${wind(view.round_wind)} round · hand ${view.hand_number} · dealer not told yet`
      : `${wind(view.round_wind)}風圈 第${view.hand_number}局 · 莊家未定`;
  }
  const dealer = wind(view.dealer_wind);
  if (ENGLISH) {
    return `${wind(view.round_wind)} round · hand ${view.hand_number} · dealer ${dealer}` +
      (view.streak ? ` · streak ${view.streak}` : "");
  }
  return `${wind(view.round_wind)}風圈 第${view.hand_number}局 · 莊${dealer}` +
    (view.streak ? ` · 連${view.streak}拉${view.streak}` : "");
}
/** The time of day of a moment, as this page's language writes it. */
export function clock(moment) {
  return new Date(moment).toLocaleTimeString(ENGLISH ? "en-GB" : "zh-TW", { hour: "2-digit", minute: "2-digit" });
}
/** The day and time of a moment. */
export function moment(at) {
  return new Date(at).toLocaleString(ENGLISH ? "en-GB" : "zh-TW", { dateStyle: "medium", timeStyle: "short" });
}
export function signed(value) { return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0"; }
