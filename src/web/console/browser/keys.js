// All keys of the page; the command bar has its own while it is open. Single keys act while no field has the focus,
// unless they are switched off (<body data-shortcuts> says that they are on). <body data-undo> is the address that undoes
// decisions, for those who may.
//
// data-key="x" clicks the element, or focuses a field; data-key="g t" is two keys, one after the other.

/** The first key of two. */
let keyBefore = "";
let keyBeforeAt = 0;
const keyPauseMsMax = 1500;

/** @param {string} keys */
function pressElement(keys) {
  const element = all("[data-key]").find(
    (candidate) => candidate.dataset.key === keys && !candidate.disabled && candidate.checkVisibility(),
  );
  if (!element) return false;
  if (element.matches("input:not([type=checkbox]), textarea, select")) element.focus();
  else element.click();
  return true;
}

document.addEventListener("keydown", (/** @type {any} */ event) => {
  const { key, target } = event;
  if (event.isComposing || event.altKey) return;
  if (event.ctrlKey || event.metaKey) {
    if (key.toLowerCase() !== "k" || event.shiftKey) return;
    event.preventDefault();
    return openCommandBar();
  }
  if (one("dialog[open]")) return;
  if (key === "Escape") return leave(target);
  if (isTyping(target)) return;
  // A key that is held down moves, but never decides.
  if (event.repeat && key !== "j" && key !== "k") return;
  if (document.body.dataset.shortcuts === undefined) return;
  const isSecond = keyBefore !== "" && Date.now() - keyBeforeAt < keyPauseMsMax;
  const keys = isSecond ? `${keyBefore} ${key}` : key;
  keyBefore = "";
  if (key === "g" && !isSecond) {
    keyBefore = key;
    keyBeforeAt = Date.now();
  } else if (pressTriageKey(keys) || pressElement(keys) || pressGlobalKey(keys)) event.preventDefault();
});

/** Escape: leaves the innermost of menu, field and panel. @param {any} target */
function leave(target) {
  // The browser closes it.
  if (one(":popover-open") || closeMenus()) return;
  if (isTyping(target)) target.blur();
  else closePanel();
}

/** @param {string} key */
function pressGlobalKey(key) {
  if (key === "u" && document.body.dataset.undo !== undefined) inTurn(undoLast);
  else if (key === "?") void openShortcuts();
  else return false;
  return true;
}
