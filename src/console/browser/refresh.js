// An element with data-refresh="/console/…" is fetched and replaced until it has no such attribute any more.
// data-refresh-ms sets the interval (1000). Pauses while the tab is hidden.
function later(element) {
  setTimeout(() => refresh(element), Number(element.dataset.refreshMs ?? 1000));
}

async function refresh(element) {
  if (!element.isConnected) return;
  if (document.hidden) {
    document.addEventListener("visibilitychange", () => refresh(element), { once: true });
    return;
  }
  try {
    const response = await fetch(element.dataset.refresh, { headers: { "x-fragment": "1" } });
    // Signed out or deleted: the page itself explains.
    if (response.status === 401 || response.status === 404) return location.reload();
    if (!response.ok) return later(element);
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    const fresh = template.content.firstElementChild;
    // An element with focus is not replaced while somebody uses it.
    if (!fresh || element.contains(document.activeElement)) return later(element);
    element.replaceWith(fresh);
    prepare(fresh);
    fresh.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
  } catch {
    later(element);
  }
}
