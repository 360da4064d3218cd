// A hand being put together: tiles with their places, and nothing of the page.
export const MELD_KINDS = ["chow", "pung", "kong_exposed", "kong_added", "kong_concealed"];
const SUITED = /^[1-9][mps]$/;
const FLOWER = /^f[1-8]$/;

/** The tiles that are wild when this one was turned up: a flower makes its whole colour so. */
export function wildTiles(codes) {
  return (codes || []).flatMap((code) => (FLOWER.test(code) ? (code < "f5" ? ["f1", "f2", "f3", "f4"] : ["f5", "f6", "f7", "f8"]) : [code]));
}

/** The kind of meld these tiles look like; a kong's kind cannot be seen, so the commonest is guessed. */
export function guessKind(codes, before = "pung") {
  const shown = codes.filter((code) => code !== "back");
  if (codes.length === 4) return before.startsWith("kong") ? before : codes.length > shown.length ? "kong_concealed" : "kong_exposed";
  return new Set(shown).size === 1 ? "pung" : "chow";
}

function order(code) {
  if (SUITED.test(code)) return "mps".indexOf(code[1]) * 10 + Number(code[0]);
  const at = ["E", "S", "W", "N", "C", "F", "P"].indexOf(code);
  return at >= 0 ? 100 + at : 200 + code.charCodeAt(1);
}

/** Tiles are { id, code, place, alternatives, doubtful, index }; place is concealed, win, flower, out or meld:ID. */
export class Draft {
  constructor() {
    this.tiles = [];
    this.melds = [];  // { id, kind, source }: whose discard it took: upper, opposite, lower, or "" while nobody told
    this.next = 1;
    this.wild = [];  // tiles that stand for any other; a flower among them is no flower
  }

  isFlower(code) { return FLOWER.test(code) && !this.wild.includes(code); }

  static fromReading(reading) {
    const draft = new Draft();
    const meldOf = new Map();
    for (const group of reading.groups) {
      const id = draft.addMeld(group.kind);
      group.indices.forEach((index, at) => meldOf.set(index, [id, group.tiles[at]]));
    }
    reading.tiles.forEach((seen, index) => {
      const meld = meldOf.get(index);
      const place = meld ? `meld:${meld[0]}` : { concealed: "concealed", winning: "win", flower: "flower" }[seen.role] || "out";
      const code = meld ? meld[1] : seen.code;
      const odds = [[seen.code, seen.confidence], ...seen.alternatives].filter(([c]) => c !== "back").slice(0, 6);
      draft.tiles.push({ id: draft.next++, code, place, alternatives: odds, doubtful: seen.doubtful, index });
    });
    // A meld may hold tiles that are not seen: beneath another, or hidden where they lay before.
    reading.groups.forEach((group, at) => {
      for (const code of group.tiles.slice(group.indices.length)) {
        draft.tiles.push({ id: draft.next++, code, place: `meld:${draft.melds[at].id}`, alternatives: [], doubtful: false, index: null });
      }
    });
    for (const suggestion of reading.suggestions || []) {
      const seen = draft.tiles.find((one) => one.index === suggestion.tile_index);
      if (seen && !seen.alternatives.some(([code]) => code === suggestion.instead)) {
        seen.alternatives.push([suggestion.instead, suggestion.probability]);
      }
    }
    if (!draft.winning && reading.hand && reading.hand.win_tile) {
      const same = draft.tiles.filter((one) => one.place === "concealed" && one.code === reading.hand.win_tile);
      if (same.length) same[same.length - 1].place = "win";
    }
    return draft.sort();
  }

  /** `sources`: whose discard each meld took, where somebody told. */
  static fromRecord(record, sources = []) {
    const draft = new Draft();
    const concealed = [...(record.concealed || [])];
    const winAt = record.win_tile ? concealed.lastIndexOf(record.win_tile) : -1;
    if (winAt >= 0) concealed.splice(winAt, 1);
    concealed.forEach((code) => draft.add(code, "concealed"));
    if (winAt >= 0) draft.add(record.win_tile, "win");
    (record.melds || []).forEach((meld, at) => {
      const id = draft.addMeld(meld.kind);
      meld.tiles.forEach((code) => draft.add(code, `meld:${id}`));
      Object.assign(draft.meld(id), { kind: meld.kind, source: sources[at] || "" });
    });
    (record.flowers || []).forEach((code) => draft.add(code, "flower"));
    return draft.sort();
  }

  get winning() { return this.tiles.find((one) => one.place === "win") || null; }
  in(place) { return this.tiles.filter((one) => one.place === place); }
  tile(id) { return this.tiles.find((one) => one.id === id); }

  addMeld(kind = "pung") {
    const id = this.next++;
    this.melds.push({ id, kind, source: "" });
    return id;
  }

  add(code, place) {
    this.tiles.push({ id: this.next++, code, place: this.isFlower(code) ? "flower" : place, alternatives: [], doubtful: false, index: null });
    this.settle(place);
    return this;
  }

  change(id, code) {
    const one = this.tile(id);
    one.code = code;
    one.doubtful = false;
    if (this.isFlower(code)) one.place = "flower";
    else if (one.place === "flower") one.place = "concealed";
    this.settle(one.place);
  }

  remove(id) {
    const { place } = this.tile(id);
    this.tiles = this.tiles.filter((one) => one.id !== id);
    this.settle(place);
  }

  move(id, place) {
    const one = this.tile(id);
    const from = one.place;
    if (place === "flower" && !FLOWER.test(one.code)) return;
    if (place === "win" && this.winning && this.winning.id !== id) this.winning.place = "concealed";
    one.place = place === "meld:new" ? `meld:${this.addMeld()}` : place;
    one.doubtful = false;
    this.settle(from);
    this.settle(one.place);
  }

  meld(id) { return this.melds.find((one) => one.id === id); }
  setKind(meldId, kind) {
    this.meld(meldId).kind = kind;
    this.in(`meld:${meldId}`).forEach((one) => { one.doubtful = false; });  // somebody has looked at it
  }

  // Melds left without tiles go; a meld whose tiles changed is named anew.
  settle(place) {
    this.melds = this.melds.filter((meld) => this.in(`meld:${meld.id}`).length || place === `meld:${meld.id}`);
    const meld = this.melds.find((one) => place === `meld:${one.id}`);
    if (meld) {
      const codes = this.in(place).map((one) => one.code);
      if (codes.length) meld.kind = guessKind(codes, meld.kind);
      else this.melds = this.melds.filter((one) => one !== meld);
    }
    this.sort();
  }

  sort() {
    this.tiles.sort((a, b) => order(a.code) - order(b.code) || a.id - b.id);
    return this;
  }

  /** The hand in the fields of a scoring record. */
  toHand() {
    const codes = (place) => this.in(place).map((one) => one.code);
    const win = this.winning;
    return {
      concealed: [...codes("concealed"), ...(win ? [win.code] : [])],
      melds: this.melds.map((meld) => ({ kind: meld.kind, tiles: this.meldTiles(meld) })),
      flowers: codes("flower"),
      win_tile: win ? win.code : null,
    };
  }

  // Face-down tiles of a concealed kong are the same as the ones that show.
  meldTiles(meld) {
    const codes = this.in(`meld:${meld.id}`).map((one) => one.code);
    const face = codes.find((code) => code !== "back");
    return face ? codes.map((code) => (code === "back" ? face : code)) : codes;
  }

  /** How many tiles count towards a full hand: a kong counts as three. */
  get size() {
    const melds = this.melds.reduce((sum, meld) => sum + Math.min(3, this.in(`meld:${meld.id}`).length), 0);
    return this.in("concealed").length + (this.winning ? 1 : 0) + melds;
  }
}
