// Helpers shared by all parts of the script.

/** @type {(selector: string, within?: ParentNode) => any[]} */
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
/** @type {(selector: string, within?: ParentNode) => any} */
const one = (selector, within = document) => within.querySelector(selector);

/**
 * Returns the first element of a part of a page that the server sent.
 * @param {string} html
 * @returns {any}
 */
function parsePart(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

/**
 * Fetches a part of a page. Rejects with the server's reason, and its status if there was a response.
 * @param {string} path
 * @param {string} kind value of the header x-fragment
 * @param {RequestInit} [options]
 */
async function load(path, kind, options) {
  const response = await fetch(path, { ...options, headers: { "x-fragment": kind } }).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("phishwatch cannot be reached. Try again.");
  });
  // Signed out: the page itself explains.
  if (response.status === 401) location.reload();
  const text = await response.text();
  if (!response.ok) throw Object.assign(new Error(text), { status: response.status });
  return text;
}

/** Returns whether an element takes the letters that are typed. @param {any} element */
const isTyping = (element) =>
  element.isContentEditable ||
  (element.matches?.("input:not([type=checkbox], [type=radio], [type=range]), textarea, select") ?? false);

/** Prepares a new part of the page. @param {any} within */
function prepare(within) {
  for (const element of all("button[data-copy], [data-script-only]", within)) element.hidden = false;
  for (const element of all("[data-refresh]", within)) refreshLater(element);
  if (within.matches?.("[data-refresh]")) refreshLater(within);
}
