// In a page of `lessonloop serve`: takes the token out of the address, and tells the workers of this origin.
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
}
