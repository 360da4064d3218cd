// Filling a place of a page from the server: where that fails, the place says why and offers another try.
import { ApiError } from "./api.js";
import { el } from "./dom.js";
import { t } from "./words.js";

const failed = new Map();  // what stands in the places that failed, each with another try

/** Fill a place: `fill` draws into it, and may throw ApiError. */
export async function load(place, fill) {
  place.dataset.loading = t("loading");  // shown while the place is empty
  delete place.dataset.shown;  // whatever `render` drew there is drawn anew
  try { await fill(); } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const again = () => {
      failed.delete(notice);
      place.replaceChildren();
      return load(place, fill);
    };
    const notice = el("div", { class: "card failed", role: "alert" },
      el("p", { class: "problem" }, error.status === 401 ? t("pair_first") : error.message),
      el("div", { class: "actions row" }, error.status === 401 ? el("a", { class: "button primary", href: "#pair" }, t("pair_button"))
        : el("button", { type: "button", class: "primary", onclick: loadAgain }, t("try_again"))));
    failed.set(notice, again);
    place.replaceChildren(notice);
  }
}

/** Try again whatever has failed on this page: by a tap, and by itself once the connection is back. */
export function loadAgain() {
  for (const [notice, again] of failed) {
    if (notice.isConnected) again();
    else failed.delete(notice);
  }
}
