// Comfort for the console's pages; everything works without it.
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Copy buttons are shown only where they can work: the clipboard needs TLS or localhost, the fallback does not.
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
    () => (button.textContent = "Select it and copy"),
  );
  setTimeout(() => (button.textContent = before), 2000);
});

// An element with data-refresh="/console/…" is fetched again and replaced while it says so. It has an id, by
// which it is found in the answer; data-refresh-ms says how often (1000). Waits while the tab is hidden.
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
    const answer = await fetch(element.dataset.refresh, { headers: { "x-fragment": "1" } });
    // Signed out, or gone: the page itself says what is the matter.
    if (answer.status === 401 || answer.status === 404) return location.reload();
    if (!answer.ok) return later(element);
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    const fresh = template.content.firstElementChild;
    // What somebody is typing into, or has chosen, is not taken away under their hands.
    if (!fresh || element.contains(document.activeElement)) return later(element);
    element.replaceWith(fresh);
    prepare(fresh);
    fresh.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
  } catch {
    later(element);
  }
}

// data-select-all="name": sets all boxes of that name in its form.
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

// data-key="x": the key does what a click there does; a field is gone into. Not while somebody types.
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

// Rows ([data-row], each with a link and a box) that j and k go through, x chooses and o opens. A key of a button
// [data-row-key] decides on the rows that are chosen, or where none is on the one that was gone to.
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

// After a decision on one row: back to its place, where the next one stands now.
const arrivedAt = /^#row-([0-9]+)$/.exec(location.hash)?.[1];
if (arrivedAt) {
  const rows = all("[data-row]");
  (rows[arrivedAt] ?? rows.at(-1))?.querySelector("a").focus();
}

// form[data-upload]: its file is sent while the page stays and shows how far it is; then the page of the import
// comes. A file that is dropped anywhere is taken too.
for (const form of all("form[data-upload]")) {
  const file = form.querySelector("input[type=file]");
  const failed = form.querySelector("[data-upload-error]");
  const leave = (event) => event.preventDefault();

  async function watch(request) {
    while (request.readyState !== XMLHttpRequest.DONE) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      if (document.getElementById("import-panel")) continue;
      const answer = await fetch("/console/imports/running", { headers: { "x-fragment": "1" } }).catch(
        () => {},
      );
      if (answer?.status !== 200) continue;
      form.closest(".cards").insertAdjacentHTML("beforebegin", await answer.text());
      prepare(document.getElementById("import-panel"));
    }
  }

  function tell(message) {
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
        tell(
          request.status === 400
            ? request.responseText
            : "It could not be sent to its end. See the list below.",
        );
    };
    addEventListener("beforeunload", leave);
    request.send(new FormData(form));
    watch(request);
  });
  // Whoever cancels from here means to leave.
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
