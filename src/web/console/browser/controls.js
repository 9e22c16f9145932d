// Buttons and fields that need a few lines each.

// button[data-copy="text"]: copies the text.

// The clipboard API needs TLS or localhost; the fallback does not.
/** @param {string} text */
function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done ? Promise.resolve() : Promise.reject(new Error("refused"));
}

document.addEventListener("click", (/** @type {any} */ event) => {
  const button = event.target.closest?.("button[data-copy]");
  if (!button) return;
  // A button with an icon only says so in its name.
  const label = all(":scope > span", button).at(-1) ?? button;
  const isIcon = label === button && button.firstElementChild !== null;
  const before = isIcon ? button.ariaLabel : label.textContent;
  /** @param {string} text */
  const say = (text) => {
    if (isIcon) button.ariaLabel = text;
    else label.textContent = text;
  };
  copyText(button.dataset.copy).then(
    () => say("Copied"),
    () => say("Select and copy"),
  );
  setTimeout(() => say(before), 2000);
});

// input[type=range][data-compare]: moves the divider between two screenshots.
document.addEventListener("input", ({ target }) => {
  const range = /** @type {any} */ (target);
  if (range.matches("[data-compare]"))
    range.closest(".compare").style.setProperty("--divider", `${range.value}%`);
});

// The sign-in form sends the time zone of the browser, in which times are then shown.
for (const field of all("input[type=hidden][name=time_zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
}
