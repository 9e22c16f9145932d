// form[data-apply]: a GET form that needs no button: text applies after a pause in typing, everything else applies at once.

const typingMs = 250;
let typingTimer = 0;

/** @param {any} form @param {boolean} isTyped */
async function applyFilters(form, isTyped) {
  clearTimeout(typingTimer);
  const fields = [...new URLSearchParams(/** @type {any} */ (new FormData(form)))];
  const query = new URLSearchParams(fields.filter(([, value]) => value !== ""));
  const address = `${form.action.replace(/\?.*/, "")}${query.size === 0 ? "" : `?${query}`}`;
  try {
    // Letters that follow each other are one step on the way back.
    await showPage(address, isTyped && history.state?.typed ? "replace" : "push");
    if (isTyped) history.replaceState({ ...history.state, typed: true }, "");
    await placePanel();
  } catch (error) {
    showError(/** @type {Error} */ (error));
  }
}

document.addEventListener("input", ({ target }) => {
  const field = /** @type {any} */ (target);
  if (!field.form?.matches("[data-apply]")) return;
  clearTimeout(typingTimer);
  if (field.matches("input[type=search], input[type=text], input:not([type])"))
    typingTimer = setTimeout(() => applyFilters(field.form, true), typingMs);
});
document.addEventListener("change", ({ target }) => {
  const field = /** @type {any} */ (target);
  if (!field.form?.matches("[data-apply]")) return;
  if (!field.matches("input[type=search], input[type=text], input:not([type])"))
    void applyFilters(field.form, false);
});
document.addEventListener("submit", (event) => {
  const form = /** @type {any} */ (event.target);
  if (!form.matches("[data-apply]")) return;
  event.preventDefault();
  void applyFilters(form, false);
});
