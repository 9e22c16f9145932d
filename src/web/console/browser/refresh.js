// An element with data-refresh="/console/…" is fetched and replaced until it has no such attribute any more.
// data-refresh-ms sets the interval (1000). Pauses while the tab is hidden. With data-refresh-page, the page around the
// element is shown again at the end.

/** @param {any} element */
function refreshLater(element) {
  setTimeout(() => refresh(element), Number(element.dataset.refreshMs ?? 1000));
}

/** @param {any} element */
async function refresh(element) {
  if (!element.isConnected) return;
  if (document.hidden) {
    document.addEventListener("visibilitychange", () => void refresh(element), { once: true });
    return;
  }
  try {
    const fresh = parsePart(await load(element.dataset.refresh, "refresh"));
    if (!fresh || isInUse(element)) return refreshLater(element);
    element.replaceWith(fresh);
    prepare(fresh);
    fresh.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
    const isLast = fresh.dataset.refresh === undefined;
    if (isLast && element.dataset.refreshPage !== undefined && !isEdited())
      await showPage(location.href, "keep");
  } catch (error) {
    // Deleted: the page itself explains. Anything else passes.
    if (/** @type {any} */ (error).status === 404) location.reload();
    else refreshLater(element);
  }
}

/**
 * Returns whether somebody uses an element, which is not replaced meanwhile: it has the focus, or is pressed. A press
 * does not focus a button in Safari, and the click would be lost if the button were replaced before its release.
 * @param {any} element
 */
const isInUse = (element) => element.contains(document.activeElement) || element.matches(":active");

// [data-fresh="/console/…"]: asks how many new threats there are. The response replaces the element; nothing else
// moves. A hidden tab asks less often, and shows the number in its title.
const freshMs = 10_000;
const freshHiddenMs = 60_000;
const ownTitle = () => document.title.replace(/^\([0-9,+]+\) /, "");
let freshAskedAt = Date.now();

async function askForNew() {
  const element = one("[data-fresh]");
  const now = Date.now();
  if (!element || now - freshAskedAt < (document.hidden ? freshHiddenMs : freshMs)) return;
  freshAskedAt = now;
  const path = element.dataset.fresh;
  const html = await load(path, "fresh").catch(() => {});
  const fresh = html && parsePart(html);
  const shown = one("[data-fresh]");
  if (!fresh || shown?.dataset.fresh !== path || isInUse(shown)) return;
  shown.replaceWith(fresh);
  if (fresh.dataset.count !== shown.dataset.count) updateLater();
  const count = Number(fresh.dataset.count ?? 0);
  document.title = `${count > 0 ? `(${count}) ` : ""}${ownTitle()}`;
}
setInterval(askForNew, 1000);
