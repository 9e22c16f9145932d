// Helpers shared by all parts of the console's script, and the preparation of new parts of a page.

/**
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {HTMLElement[]}
 */
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function prepare(within) {
  for (const button of all("button[data-copy]", within)) button.hidden = false;
  for (const element of all("[data-script-only]", within)) element.hidden = false;
  for (const element of all("[data-refresh]", within)) later(element);
  if (within.matches?.("[data-refresh]")) later(within);
}

function isTyping(element) {
  return element.matches?.("input:not([type=checkbox]):not([type=radio]), textarea, select") ?? false;
}
