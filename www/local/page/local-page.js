// In a page of `lessonloop serve`: takes the token out of the address, tells the workers of this origin, and has the list of
// imports from the process, which the command line keeps, too.
{
  const KEY = "lessonloop-token";
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    // For this tab alone, and for a reload of it.
    sessionStorage.setItem(KEY, given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  // The store is the process's: the page offers no space of the browser beside it.
  document.documentElement.dataset.host = "local";
  const tabs = new BroadcastChannel("lessonloop-local");
  tabs.onmessage = ({ data }) => {
    const token = sessionStorage.getItem(KEY);
    if (data?.type === "token?" && token) tabs.postMessage({ type: "token", token });
  };

  // Where the dashboard remembers imports (`import_log.rs`).
  const IMPORTS = "lessonloop.imports";
  const token = sessionStorage.getItem(KEY);
  if (token) {
    const authorization = `Bearer ${token}`;
    // Before the page reads it; the process is on this machine.
    const asked = new XMLHttpRequest();
    asked.open("GET", "/local/imports", false);
    asked.setRequestHeader("authorization", authorization);
    try {
      asked.send();
      if (asked.status === 200) localStorage.setItem(IMPORTS, asked.responseText);
    } catch {
      // The page goes by what it remembers itself.
    }
    const setItem = Storage.prototype.setItem;
    /** @param {string} key @param {string} value */
    Storage.prototype.setItem = function (key, value) {
      setItem.call(this, key, value);
      if (this !== localStorage || key !== IMPORTS) return;
      const headers = { authorization, "content-type": "application/json" };
      void fetch("/local/imports", { method: "PUT", headers, body: value }).catch(() => undefined);
    };
  }
}
