// Enhancements for the console's pages; everything works without them.
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

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

function prepare(within) {
  for (const button of all("button[data-copy]", within)) button.hidden = false;
  for (const element of all("[data-script-only]", within)) element.hidden = false;
  for (const element of all("[data-refresh]", within)) later(element);
  if (within.matches?.("[data-refresh]")) later(within);
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

// An element with data-refresh="/console/…" is fetched and replaced until it has no such attribute any more.
// data-refresh-ms sets the interval (1000). Pauses while the tab is hidden.
function later(element) {
  setTimeout(() => refresh(element), Number(element.dataset.refreshMs ?? 1000));
}

async function refresh(element) {
  if (!element.isConnected) return;
  if (document.hidden) {
    document.addEventListener("visibilitychange", () => refresh(element), { once: true });
    return;
  }
  try {
    const response = await fetch(element.dataset.refresh, { headers: { "x-fragment": "1" } });
    // Signed out or deleted: the page itself explains.
    if (response.status === 401 || response.status === 404) return location.reload();
    if (!response.ok) return later(element);
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    const fresh = template.content.firstElementChild;
    // An element with focus is not replaced while somebody uses it.
    if (!fresh || element.contains(document.activeElement)) return later(element);
    element.replaceWith(fresh);
    prepare(fresh);
    fresh.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
  } catch {
    later(element);
  }
}

// data-select-all="name": checks all boxes of that name in its form.
document.addEventListener("change", (event) => {
  const name = event.target.dataset?.selectAll;
  if (!name) return;
  const form = event.target.form ?? document;
  for (const box of all(`input[type=checkbox][name="${CSS.escape(name)}"]`, form)) {
    box.checked = event.target.checked;
  }
});

function isTyping(element) {
  return element.matches?.("input:not([type=checkbox]):not([type=radio]), textarea, select") ?? false;
}

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

// form[data-upload]: uploads the file in the background while the page shows the progress, then opens the page of
// the import. A file can also be dropped anywhere.
for (const form of all("form[data-upload]")) {
  const file = form.querySelector("input[type=file]");
  const failed = form.querySelector("[data-upload-error]");
  const leave = (event) => event.preventDefault();

  async function watch(request) {
    while (request.readyState !== XMLHttpRequest.DONE) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      if (document.getElementById("import-panel")) continue;
      const response = await fetch("/console/imports/running", { headers: { "x-fragment": "1" } }).catch(
        () => {},
      );
      if (response?.status !== 200) continue;
      form.closest(".cards").insertAdjacentHTML("beforebegin", await response.text());
      prepare(document.getElementById("import-panel"));
    }
  }

  function showError(message) {
    failed.textContent = message;
    failed.hidden = false;
    for (const button of all("button", form)) button.disabled = false;
  }

  form.addEventListener("submit", (event) => {
    if (file.files.length === 0) return;
    event.preventDefault();
    failed.hidden = true;
    for (const button of all("button", form)) button.disabled = true;
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("x-fragment", "1");
    request.onloadend = () => {
      removeEventListener("beforeunload", leave);
      if (request.status === 200) location.assign(request.responseText);
      else
        showError(
          request.status === 400
            ? request.responseText
            : "The upload was interrupted. See the imports below.",
        );
    };
    addEventListener("beforeunload", leave);
    request.send(new FormData(form));
    watch(request);
  });
  // Submitting another form, such as Cancel, leaves on purpose.
  document.addEventListener("submit", (event) => {
    if (event.target !== form) removeEventListener("beforeunload", leave);
  });
  const holdsFile = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    file.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

prepare(document);
