// Talking to the server. Every write carries a key made once per action, so a repeated tap or a retry counts once.
import { ENGLISH, t } from "./words.js";

const RETRIES = 4;
const PATIENCE_MS = 30000;  // a network may swallow a question without a word

/** A refusal with its reason in the page's language; status 0 where nothing answered at all. */
export class ApiError extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

/** A key for one action: make it when the action begins and keep it through every retry. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function ask(path, options) {
  let response;
  let text;
  try {
    response = await fetch(path, options);
    text = await response.text();
  } catch { throw new ApiError(0, t("no_network")); }
  let body = null;
  try { body = text ? JSON.parse(text) : null; } catch { /* not JSON: the text itself is the message */ }
  if (response.ok) return body;
  const { detail = "", detail_zh: chinese = "" } = body || {};
  const english = Array.isArray(detail) ? detail.map((d) => `${d.loc.join(".")}: ${d.msg}`).join("; ") : detail;
  throw new ApiError(response.status, (ENGLISH ? english : chinese || english) || text || response.statusText);
}

/** The JSON behind a path. Throws ApiError. */
export function get(path) {
  return ask(path, { headers: { accept: "application/json" }, signal: AbortSignal.timeout?.(PATIENCE_MS) });  // older tablets wait for ever
}

/** Send a change; when the network fails it is sent again under the same key. Throws ApiError. */
export async function send(method, path, body, key = newKey()) {
  const isForm = body instanceof FormData;
  const headers = { "idempotency-key": key, accept: "application/json" };
  if (!isForm && body !== undefined) headers["content-type"] = "application/json";
  const payload = body === undefined ? undefined : isForm ? body : JSON.stringify(body);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask(path, { method, headers, body: payload });
    } catch (error) {
      if (error.status !== 0 || attempt >= RETRIES) throw error;
      await pause(500 * 2 ** attempt);
    }
  }
}
