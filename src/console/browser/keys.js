// data-key="x": the key clicks the element, or focuses a field. Ignored while typing.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const element = all("[data-key]").find((one) => one.dataset.key === event.key && !one.disabled);
  if (!element) return;
  event.preventDefault();
  if (element.matches("input:not([type=checkbox]), textarea, select")) element.focus();
  else element.click();
});
