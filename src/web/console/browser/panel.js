// The panel beside the list: shows a threat of the list without leaving it. On a narrow window a row opens the page.

const wideWindow = matchMedia("(min-width: 1200px)");
/** Panels that were fetched ahead, by path. */
const panels = /** @type {Map<string, Promise<string>>} */ (new Map());
const panelsMax = 8;
const panelMsMax = 30_000;
let wantedPanel = "";

const shownPanel = () => document.getElementById("panel");

/** @param {string} id */
function panelPath(id) {
  const link = rowOf(id) && one("a.go", rowOf(id));
  if (link) return link.href;
  const view = new URLSearchParams(location.search);
  view.delete("open");
  view.delete("page");
  return `${location.pathname}/${encodeURIComponent(id)}?${view}`;
}

/** Forgets what a decision has changed. @param {string[]} ids */
function forgetPanels(ids) {
  for (const path of panels.keys()) if (ids.some((id) => path.includes(id))) panels.delete(path);
}

/** @param {string} path */
function fetchPanel(path) {
  const known = panels.get(path);
  if (known !== undefined) return known;
  const html = load(path, "panel");
  panels.set(path, html);
  html.catch(() => panels.delete(path));
  setTimeout(() => panels.get(path) === html && panels.delete(path), panelMsMax);
  for (const oldest of panels.keys()) {
    if (panels.size <= panelsMax) break;
    panels.delete(oldest);
  }
  return html;
}

/**
 * @param {string} id
 * @param {"push" | "replace" | "keep"} how what happens to the address of the tab
 */
async function showPanel(id, how) {
  const path = panelPath(id);
  wantedPanel = path;
  markOpen(id);
  if (how !== "keep") {
    const address = new URL(location.href);
    address.searchParams.set("open", id);
    setAddress(address, how);
  }
  // Until it arrives, the panel is seen to show another threat.
  shownPanel()?.setAttribute("aria-busy", "true");
  const fresh = parsePart(await fetchPanel(path).catch((error) => keepPanel(path, error)));
  if (wantedPanel !== path) return;
  if (fresh?.id !== "panel") return location.assign(path);
  const shown = shownPanel();
  const focused = /** @type {any} */ (document.activeElement);
  const hadFocus = shown?.contains(focused);
  if (shown) shown.replaceWith(fresh);
  else one(".split").append(fresh);
  prepare(fresh);
  if (hadFocus) {
    const key = focused.dataset.key;
    (key ? one(`[data-key="${key}"]`, fresh) : one("a, button", fresh))?.focus({ preventScroll: true });
  }
  for (const near of neighborsOf(id)) fetchPanel(panelPath(near)).catch(() => {});
}

/**
 * A threat could not be loaded: goes back to the one in the panel, so that no decision is about another one.
 * @param {string} path @param {Error} error @returns {never}
 */
function keepPanel(path, error) {
  const shown = shownPanel();
  if (shown && wantedPanel === path) {
    const { id } = shown.dataset;
    shown.removeAttribute("aria-busy");
    wantedPanel = panelPath(id);
    currentId = id;
    markOpen(id);
    const address = new URL(location.href);
    address.searchParams.set("open", id);
    setAddress(address, "replace");
    const row = rowOf(id);
    if (row) one("a.go", row).focus({ preventScroll: true });
  }
  throw error;
}

/** Ids of the threats that are likely to be shown next. @param {string} id */
function neighborsOf(id) {
  const list = rows().filter((row) => row.dataset.id === id || !(isDecided(row) || row.dataset.group));
  const at = list.findIndex((row) => row.dataset.id === id);
  return [list[at + 1], list[at - 1]].filter((row) => at >= 0 && row).map((row) => row.dataset.id);
}

/** @param {string} id empty: none */
function markOpen(id) {
  for (const row of rows()) row.classList.toggle("open", row.dataset.id === id);
}

/** Removes the panel for a row that has none; the focus stays. */
function removePanel() {
  wantedPanel = "";
  shownPanel()?.remove();
  markOpen("");
  const address = new URL(location.href);
  address.searchParams.delete("open");
  setAddress(address, "replace");
}

function closePanel() {
  isPanelWaiting = false;
  const shown = shownPanel();
  if (!shown) return;
  const address = new URL(location.href);
  address.searchParams.delete("open");
  setAddress(address, "push");
  hidePanel(shown);
}

/** After another view was listed: shows the threat of the panel in it, or no panel if it is not listed. */
async function placePanel() {
  const shown = shownPanel();
  if (!shown) return;
  const { id } = shown.dataset;
  if (rowOf(id)) return showPanel(id, "replace");
  wantedPanel = "";
  shown.remove();
}

/** @param {any} shown */
function hidePanel(shown) {
  wantedPanel = "";
  const { id } = shown.dataset;
  shown.remove();
  markOpen("");
  const row = rowOf(id) ?? rowOf(currentId);
  if (row) one("a.go", row).focus({ preventScroll: true });
}

/** @param {any} link */
async function followPanelLink(link) {
  const id = link.pathname.split("/").at(-1);
  const here = one("form#triage [data-group]") && rowOf(shownPanel()?.dataset.id);
  // The rows of campaigns are in another order than the threats of the view.
  const row = here ? await threatBeside(here, link.dataset.key === "j" ? 1 : -1) : rowOf(id);
  if (row) return goTo(row);
  if (here) return;
  currentId = "";
  await showPanel(id, "replace");
}

/** Corrects the place in the view, which a decision has changed. */
async function refreshPlace() {
  const shown = shownPanel();
  const path = wantedPanel;
  const bar = shown && one(".bar", shown);
  if (!bar || path === "") return;
  panels.delete(path);
  const fresh = parsePart(await fetchPanel(path).catch(() => ""));
  const next = fresh && one(".bar", fresh);
  if (next && wantedPanel === path && bar.isConnected && !bar.contains(document.activeElement))
    bar.replaceWith(next);
}

document.addEventListener("click", (/** @type {any} */ event) => {
  const link = event.target.closest?.("a");
  if (!link || !triageForm() || event.defaultPrevented || event.button !== 0) return;
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.altKey ||
    !wideWindow.matches ||
    !one(".split")
  )
    return;
  if (link.matches("[data-panel-close]")) closePanel();
  else if (link.matches("#panel a[data-panel]")) inTurn(() => followPanelLink(link));
  else if (link.matches("form#triage [data-row]:not([data-group]) a.go")) {
    const { id } = link.closest("[data-row]").dataset;
    currentId = id;
    showPanel(id, "push").catch(showError);
  } else return;
  event.preventDefault();
});

// Back and forward: what is the same stays in place.
async function goBack() {
  if (!triageForm() && !one("form[data-apply]")) return;
  const { y } = history.state ?? {};
  const isOtherView = viewOf(location.href) !== listedView;
  try {
    if (isOtherView) {
      await showPage(location.href, "keep");
      if (y !== undefined) scrollTo(0, y);
    }
    const id = new URLSearchParams(location.search).get("open");
    const shown = shownPanel();
    // The place of a threat, and the threats next to it, depend on the view.
    if (id && wideWindow.matches && (isOtherView || shown?.dataset.id !== id)) await showPanel(id, "keep");
    else if (!id && shown) hidePanel(shown);
    // Keys decide about the row that has the focus, so it is the one in the panel.
    const focused = /** @type {Element} */ (document.activeElement);
    const row = id && (focused === document.body || focused.closest("[data-row]")) && rowOf(id);
    if (row) one("a.go", row).focus({ preventScroll: true });
  } catch (error) {
    showError(/** @type {Error} */ (error));
  }
}
addEventListener("popstate", () => void goBack());

// The page was opened with a panel.
function startPanel() {
  const shown = shownPanel();
  if (!shown || !triageForm()) return;
  const id = shown.dataset.id;
  currentId = id;
  wantedPanel = panelPath(id);
  markOpen(id);
  for (const near of neighborsOf(id)) fetchPanel(panelPath(near)).catch(() => {});
}
