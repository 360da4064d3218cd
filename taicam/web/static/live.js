// The live state: a snapshot at every (re)connection, then one event a change; says so when it is stale.
const SILENCE_MS = 12000;  // the server beats every 5 s
const RETRY_MS = 1000;

/** Follow the table: `onState(state)` at every change, `onStale(true|false)` when the connection goes or returns. */
export function follow(onState, onStale) {
  let source = null;
  let heard = Date.now();
  let stale = false;
  let boot = null;
  let last = -1;
  let retry = null;

  const setStale = (value) => { if (value !== stale) { stale = value; onStale(value); } };
  const listen = (event) => {
    heard = Date.now();
    setStale(false);
    if (event.type === "beat") return;
    const state = JSON.parse(event.data);
    // Within one life of the server numbers only rise: an older view that comes late is not shown.
    if (event.type === "view" && state.boot === boot && state.sequence <= last) return;
    boot = state.boot;
    last = state.sequence;
    onState(state);
  };
  const open = () => {
    clearTimeout(retry);
    if (source) source.close();
    source = new EventSource("/api/events");
    for (const kind of ["snapshot", "view", "beat"]) source.addEventListener(kind, listen);
    source.onerror = () => {
      setStale(true);
      source.close();
      retry = setTimeout(open, RETRY_MS);
    };
  };
  const check = () => {
    if (Date.now() - heard > SILENCE_MS) {
      setStale(true);
      heard = Date.now();
      open();
    }
  };
  setInterval(check, 2000);
  // A tablet that slept may hold a dead connection without knowing it: ask afresh when it wakes.
  document.addEventListener("visibilitychange", () => { if (!document.hidden) open(); });
  window.addEventListener("online", open);
  window.addEventListener("offline", () => setStale(true));
  open();
}
