// Shows another version of the current page without leaving it: its content and the numbers in the navigation are
// replaced. A field that has the focus stays, with what is typed in it.

/** The last request for a version of the page. Earlier ones are cancelled, so that none replaces a newer one. */
let latest = new AbortController();

/** The part of an address that decides which rows are listed. @param {string} address */
function viewOf(address) {
  const url = new URL(address);
  url.searchParams.delete("open");
  return `${url.pathname}${url.search}`;
}
let listedView = viewOf(location.href);

/**
 * @param {string} address
 * @returns {Promise<Document>}
 */
async function fetchPage(address) {
  const html = await load(address, "page", { signal: latest.signal });
  return new DOMParser().parseFromString(html, "text/html");
}

/**
 * Shows the page of an address.
 * @param {string} address
 * @param {"push" | "replace" | "keep"} how what happens to the address of the tab
 */
async function showPage(address, how) {
  latest.abort();
  latest = new AbortController();
  const fresh = await fetchPage(address);
  if (how !== "keep") setAddress(address, how);
  listedView = viewOf(location.href);
  const ids = expandedIds();
  swapContent(fresh);
  await expandAgain(ids);
}

/** @param {Document} fresh */
function swapContent(fresh) {
  const focused = /** @type {any} */ (document.activeElement);
  const [main, next] = [one("main"), one("main", fresh)];
  const isField = focused.id && focused.matches("input:not([type=checkbox]), textarea, select");
  const field = isField && main.contains(focused) && one(`[id="${CSS.escape(focused.id)}"]`, next);
  if (field) replaceAround(main, focused, next, field);
  else main.replaceChildren(...next.childNodes);
  prepare(main);
  if (!focused.isConnected) sameElement(focused, main)?.focus({ preventScroll: true });
  document.title = fresh.title;
  updateCounts(fresh);
}

/**
 * Replaces the content of an element, except for a field and what contains it.
 * @param {any} old @param {any} field @param {any} next @param {any} nextField
 */
function replaceAround(old, field, next, nextField) {
  if (old === field || next === nextField) return;
  /** @param {any} parent @param {any} within */
  const childWith = (parent, within) => [...parent.children].find((child) => child.contains(within));
  const kept = childWith(old, field);
  const nextKept = childWith(next, nextField);
  const nodes = [...next.childNodes];
  const at = nodes.indexOf(nextKept);
  for (const node of Array.from(old.childNodes)) if (node !== kept) node.remove();
  kept.before(...nodes.slice(0, at));
  kept.after(...nodes.slice(at + 1));
  replaceAround(kept, field, nextKept, nextField);
}

/** Returns whether a form was filled in that a new version of the page would reset. */
const isEdited = () =>
  all("main form:not(#triage, [data-apply]) :is(input:not([type=hidden]), textarea, select)").some(isChanged);

/** @param {any} field */
function isChanged(field) {
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  if (!field.matches("select")) return field.value !== field.defaultValue;
  // Without a default, the first option is selected.
  const byDefault = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(byDefault, 0);
}

/** Finds what has taken the place of an element that was replaced. @param {any} old @param {any} within */
function sameElement(old, within) {
  if (old.id) return document.getElementById(old.id);
  // The link of a row contains the view, which may be another one now.
  if (old.matches("[data-row] a.go")) {
    const row = rowOf(old.closest("[data-row]").dataset.id);
    return row && one("a.go", row);
  }
  const value = old.type === "checkbox" || old.type === "radio" ? `[value="${CSS.escape(old.value)}"]` : "";
  if (old.name) return one(`[name="${CSS.escape(old.name)}"]${value}`, within);
  const href = old.getAttribute("href");
  return href && one(`a[href="${CSS.escape(href)}"]`, within);
}

// The browser may keep a page for the way back, as it was before decisions on other pages.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  if (isEdited()) fetchPage(location.href).then(updateCounts, () => {});
  else showPage(location.href, "keep").catch(showError);
});

/** Copies the numbers beside the entries of the navigation and the tabs. @param {Document} fresh */
function updateCounts(fresh) {
  const next = all("nav a[href]", fresh);
  for (const [index, link] of all("nav a[href]").entries()) {
    const other = next[index];
    if (other?.getAttribute("href") !== link.getAttribute("href")) return;
    if (other.innerHTML !== link.innerHTML) link.replaceChildren(...other.childNodes);
  }
}

/**
 * Sets the address of the tab. The position in the page is kept for the way back.
 * @param {string | URL} address
 * @param {"push" | "replace"} how
 */
function setAddress(address, how) {
  if (new URL(address, location.href).href === location.href) return;
  if (how === "replace") return history.replaceState(history.state, "", address);
  history.replaceState({ ...history.state, y: scrollY }, "");
  history.pushState({}, "", address);
}
