// Copies a text. The clipboard API needs TLS or localhost; the fallback does not.
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

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[data-copy]");
  if (!button) return;
  const before = button.textContent;
  copyText(button.dataset.copy).then(
    () => (button.textContent = "Copied"),
    () => (button.textContent = "Select and copy"),
  );
  setTimeout(() => (button.textContent = before), 2000);
});
