// data-select-all="name": checks all boxes of that name in its form.
document.addEventListener("change", (event) => {
  const name = event.target.dataset?.selectAll;
  if (!name) return;
  const form = event.target.form ?? document;
  for (const box of all(`input[type=checkbox][name="${CSS.escape(name)}"]`, form)) {
    box.checked = event.target.checked;
  }
});

// Rows ([data-row], each with a link and a checkbox): j and k move, x selects, o opens. The key of a button
// [data-row-key] applies it to the selected rows, or to the current row if none is selected.
let rowHere = -1;

document.addEventListener("focusin", (event) => {
  const row = event.target.closest?.("[data-row]");
  if (row) rowHere = all("[data-row]").indexOf(row);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
  const rows = all("[data-row]");
  const row = rows[rowHere];
  const box = row?.querySelector("input[type=checkbox]");
  if (event.key === "j" || event.key === "k") {
    const next = rows[event.key === "j" ? rowHere + 1 : rowHere - 1] ?? row ?? rows[0];
    next?.querySelector("a").focus();
    next?.scrollIntoView({ block: "nearest" });
  } else if (event.key === "o") row?.querySelector("a").click();
  else if (event.key === "x") {
    if (box) box.checked = !box.checked;
  } else {
    const button = all("button[data-row-key]").find((one) => one.dataset.rowKey === event.key);
    if (!button) return;
    const form = button.form;
    if (!form.querySelector("input[type=checkbox]:checked")) {
      if (!box) return;
      box.checked = true;
      const place = form.querySelector("input[name=at]");
      if (place) place.value = String(rowHere);
    }
    button.click();
  }
});

// After a decision on one row: focus the row that took its place.
const arrivedAt = /^#row-([0-9]+)$/.exec(location.hash)?.[1];
if (arrivedAt) {
  const rows = all("[data-row]");
  (rows[arrivedAt] ?? rows.at(-1))?.querySelector("a").focus();
}
