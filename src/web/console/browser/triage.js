// Triage in the list of threats (form#triage with rows li[data-row][data-id]): j and k move, x selects, o opens, and
// the key of a button decides about the selected rows, or about the current row if none is selected.

/** The row that has, or last had, the focus. */
let currentId = "";
/** The panel was removed at a campaign, which has none, and comes back at the next threat. */
let isPanelWaiting = false;
/** Ids of the decisions on this page by their number, to find the rows again after an undo. */
const decidedIds = /** @type {Map<string, string[]>} */ (new Map());
const decidedIdsMax = 100;
/** Decisions and moves happen one after the other, in the order of the keys. */
let turn = Promise.resolve();

const triageForm = () => one("form#triage");
const rows = () => all("form#triage [data-row]");
/** @param {string} id */
const rowOf = (id) => rows().find((row) => row.dataset.id === id);
/** @param {any} row */
const isDecided = (row) => row.classList.contains("decided");

/** @param {() => unknown} action */
function inTurn(action) {
  turn = runAfter(turn, action);
}

/** @param {Promise<void>} before @param {() => unknown} action */
async function runAfter(before, action) {
  await before;
  try {
    await action();
  } catch (error) {
    showError(/** @type {Error} */ (error));
  }
}

document.addEventListener("focusin", (/** @type {any} */ event) => {
  const row = event.target.closest?.("form#triage [data-row]");
  if (row) currentId = row.dataset.id;
});

/** Focuses a row, and shows its threat if the panel is open. @param {any} row */
function goTo(row) {
  currentId = row.dataset.id;
  one("a.go", row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  if (!shownPanel() && !isPanelWaiting) return;
  // A campaign has no panel, and keys must not decide about a row that is not shown.
  isPanelWaiting = row.dataset.group !== undefined;
  if (isPanelWaiting) removePanel();
  else showPanel(currentId, "replace").catch(showError);
}

/** @param {1 | -1} step */
async function move(step) {
  const list = rows();
  const at = list.findIndex((row) => row.dataset.id === currentId);
  // The panel may show a threat that is not on this page of the list.
  const link = at < 0 && one(`#panel a[data-panel][data-key=${step > 0 ? "j" : "k"}]`);
  if (link) return followPanelLink(link);
  const row = at < 0 ? list[0] : (list[at + step] ?? (await turnPage(step)));
  if (row) goTo(row);
}

/**
 * Loads what follows the rows, or what precedes them, and returns the row to continue with. Rows that were decided have
 * left the view, so the next page begins with other threats than before: what has been seen is skipped.
 * @param {1 | -1} step
 */
async function turnPage(step) {
  if (step < 0) {
    const previous = one("main a[rel=prev]");
    if (!previous) return undefined;
    await showPage(previous.href, "push");
    return rows().at(-1);
  }
  const seen = new Set(rows().map((row) => row.dataset.id));
  const unseen = () => {
    const list = rows();
    return list[list.findLastIndex((row) => seen.has(row.dataset.id)) + 1];
  };
  if (rows().some(isDecided)) {
    await showPage(location.href, "keep");
    const row = unseen();
    if (row) return row;
  }
  const next = one("main a[rel=next]");
  if (!next) return undefined;
  await showPage(next.href, "push");
  return unseen();
}

/**
 * Returns the threat before or after a row; a campaign on the way is expanded.
 * @param {any} row @param {1 | -1} step
 */
async function threatBeside(row, step) {
  let at = row;
  while (at) {
    const list = rows();
    const next = list[list.indexOf(at) + step] ?? (await turnPage(step));
    if (!next?.dataset.group) return next;
    const link = one("a[data-expand]", next);
    if (link.ariaExpanded !== "true") {
      await expand(link);
      const members = rows().filter(({ dataset }) => dataset.member === next.dataset.group);
      if (members.length > 0) return members.at(step > 0 ? 0 : -1);
    }
    at = next;
  }
  return undefined;
}

/** @param {string} selector */
function clickInRow(selector) {
  const row = rowOf(currentId);
  if (row) one(selector, row)?.click();
}

/** @param {string} key @returns {boolean} whether the key has a meaning here */
function pressTriageKey(key) {
  if (!triageForm()) return false;
  if (key === "j" || key === "k") inTurn(() => move(key === "j" ? 1 : -1));
  else if (key === "o") clickInRow("a.go");
  else if (key === "e") clickInRow("a[data-expand]");
  else if (key === "x") inTurn(() => clickInRow("input[type=checkbox]"));
  else {
    const buttons = all("button[name]", triageForm());
    const button = buttons.find(({ dataset }) => (dataset.rowKey ?? dataset.key) === key);
    if (!button) return false;
    press(button);
  }
  return true;
}

/**
 * Decides about the selected rows, or about the current one if none is selected. The decision before may have replaced
 * the rows and the buttons, or left none.
 * @param {string} status
 */
async function decide(status) {
  const form = triageForm();
  if (!form) return;
  const data = new FormData(form);
  data.set("status", status);
  if (!selectCurrent(data)) return;
  const isAll = data.has("all");
  const toast = await send(form.action, data);
  await afterDecision(toast, decidedRows(data), isAll);
}

/** Presses a button of the list: a decision, or a change of cases, after which the rows stay. @param {any} button */
function press(button) {
  inTurn(() => (button.name === "status" ? decide(button.value) : changeCases(button)));
}

/** @param {any} button */
async function changeCases(button) {
  const data = new FormData(triageForm());
  data.set(button.name, button.value);
  if (!selectCurrent(data)) return;
  closeMenus();
  await send(button.formAction, data);
  panels.clear();
  await showPage(location.href, "keep");
  const shown = shownPanel();
  if (shown) await showPanel(shown.dataset.id, "keep");
}

/**
 * Selects the current row if none is selected. @param {FormData} data
 * @returns {boolean} whether anything is selected
 */
function selectCurrent(data) {
  if (data.has("id") || data.has("campaign") || data.has("all")) return true;
  const row = rowOf(currentId);
  const id = row ? currentId : shownPanel()?.dataset.id;
  if (!id) return false;
  if (row?.dataset.group) data.set("campaign", row.dataset.group);
  else data.set("id", id);
  return true;
}

/** Ids of the rows that a decision is about: threats, campaigns, and the shown threats of these. @param {FormData} data */
function decidedRows(data) {
  const campaigns = data.getAll("campaign");
  const members = rows().filter(({ dataset }) => campaigns.includes(dataset.member ?? ""));
  return [
    .../** @type {string[]} */ (data.getAll("id")),
    ...campaigns.map((campaign) => `campaign-${campaign}`),
    ...members.map(({ dataset }) => dataset.id),
  ];
}

/**
 * Sends a form as browsers do without script, and shows the message that it returns.
 * @param {string} path
 * @param {FormData} data
 * @returns {Promise<DOMStringMap>} data of the message: `batch` is the number of the decision if anything changed;
 *   `left` says that the threats have left the view
 */
async function send(path, data) {
  const body = new URLSearchParams(/** @type {any} */ (data));
  const toast = parsePart(await load(path, "toast", { method: "POST", body }));
  showToast(toast);
  return toast.dataset;
}

/**
 * Strikes the rows and moves on: to the next row that is not decided, to the rest of the view, or back to the nearest
 * row that is left. Does nothing after a decision that nothing follows from.
 * @param {DOMStringMap} toast
 * @param {string[]} ids
 * @param {boolean} isAll
 */
async function afterDecision({ batch, left: hasLeft }, ids, isAll) {
  if (batch !== undefined) decidedIds.set(batch, ids);
  else if (hasLeft === undefined) return;
  if (decidedIds.size > decidedIdsMax)
    decidedIds.delete(/** @type {string} */ (decidedIds.keys().next().value));
  forgetPanels(ids);
  updateLater();
  const list = rows();
  for (const row of list) {
    if (isAll || ids.includes(row.dataset.id)) row.classList.add("decided");
  }
  for (const box of all("input[type=checkbox]", triageForm())) box.checked = false;
  showSelected(triageForm());
  const at = list.findIndex((row) => row.dataset.id === currentId);
  const here = list[at];
  if (here && !isDecided(here)) return goTo(here);
  const next = list.slice(at + 1).find((row) => !isDecided(row)) ?? (await turnPage(1));
  if (next) return goTo(next);
  const last = rows().findLast((row) => !isDecided(row));
  if (last) return goTo(last);
  closePanel();
  one("main").focus();
}

// Buttons of the list and of the panel.
document.addEventListener("submit", (/** @type {any} */ event) => {
  const form = event.target;
  const { submitter } = event;
  if (event.defaultPrevented) return;
  // A form that has a field called id has no property id.
  if (form.matches("#triage") && ["status", "change"].includes(submitter?.name)) {
    event.preventDefault();
    press(submitter);
  } else if (triageForm() && form.closest("#panel") && form.action.endsWith("/status")) {
    event.preventDefault();
    const id = shownPanel().dataset.id;
    inTurn(async () => {
      const toast = await send(form.action, new FormData(form, submitter));
      if (rowOf(id)) currentId = id;
      await afterDecision(toast, [id], false);
    });
  } else if (triageForm() && form.closest(".toasts") && form.action.endsWith("/triage")) {
    // Decides about threats that kept another person's decision.
    event.preventDefault();
    inTurn(async () => {
      const data = new FormData(form);
      await afterDecision(await send(form.action, data), /** @type {string[]} */ (data.getAll("id")), false);
    });
  } else if (form.closest(".toasts, dialog") && form.action.endsWith("/undo")) {
    event.preventDefault();
    inTurn(() => undo(form.action, new FormData(form)));
  }
});

/** Undoes the decision of the message, or the visitor's last one. */
async function undoLast() {
  const shown = one(".toasts form[action$='/undo']");
  const fields = new FormData(shown ?? undefined);
  if (!shown) {
    fields.set("form_token", one("input[name=form_token]").value);
    fields.set("act", "latest");
  }
  await undo(/** @type {string} */ (document.body.dataset.undo), fields);
}

/** @param {string} path @param {FormData} fields */
async function undo(path, fields) {
  const { batch = "" } = await send(path, fields);
  panels.clear();
  const ids = decidedIds.get(batch) ?? [];
  const address = new URL(location.href);
  // The page of the list that has the threat of the panel is shown.
  const threatId = ids.find((id) => !id.startsWith("campaign-"));
  if (shownPanel() && threatId) address.searchParams.set("open", threatId);
  if (!isEdited()) await showPage(address.href, "replace");
  const row = ids.map(rowOf).find(Boolean);
  if (row) goTo(row);
  else if (shownPanel()) await showPanel(shownPanel().dataset.id, "replace");
}

// After decisions, the numbers in the navigation and the tabs, and the place in the view, change.
const updateMs = 300;
let updateTimer = 0;

function updateLater() {
  clearTimeout(updateTimer);
  updateTimer = setTimeout(() => {
    fetchPage(location.href).then(updateCounts, () => {});
    void refreshPlace();
  }, updateMs);
}

// data-select-all="names": checks all boxes of these names in its form. [data-selected] shows how many are selected.
document.addEventListener("change", ({ target }) => {
  const box = /** @type {any} */ (target);
  const form = box.form;
  const name = box.dataset?.selectAll;
  if (name) {
    for (const each of all("input[type=checkbox]", form ?? document))
      if (name.split(" ").includes(each.name)) each.checked = box.checked;
  }
  if (!form?.matches("#triage")) return;
  showSelected(form);
});

// a[data-expand] in the row of a campaign: shows its threats below it, or hides them.
document.addEventListener("click", (/** @type {any} */ event) => {
  const link = event.target.closest?.("a[data-expand]");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  inTurn(() => expand(link));
});

/** Ids of the campaigns whose threats are shown. */
const expandedIds = () =>
  all("form#triage a[data-expand][aria-expanded=true]").map(
    (link) => link.closest("[data-group]").dataset.id,
  );

/** Shows the threats of campaigns again after the rows were replaced. @param {string[]} ids */
async function expandAgain(ids) {
  const id = currentId;
  for (const row of ids.map(rowOf)) {
    const link = row && one("a[data-expand]:not([aria-expanded=true])", row);
    if (link) await expand(link);
  }
  currentId = id;
  const row = document.activeElement === document.body && rowOf(id);
  if (row) one("a.go", row).focus({ preventScroll: true });
}

/** @param {any} link */
async function expand(link) {
  const row = link.closest("[data-group]");
  const isShown = link.ariaExpanded === "true";
  link.ariaExpanded = String(!isShown);
  if (isShown) {
    while (row.nextElementSibling?.matches(".member")) row.nextElementSibling.remove();
    if (!rowOf(currentId)) currentId = row.dataset.id;
    return;
  }
  const members = parsePart(await load(link.href, "members"));
  prepare(members);
  row.after(...members.children);
  currentId = row.dataset.id;
  markOpen(shownPanel()?.dataset.id ?? "");
}

/** @param {any} form */
function showSelected(form) {
  const campaigns = all("input[name=campaign]:checked", form).map(({ value }) => value);
  let count = 0;
  for (const box of all("input:is([name=id], [name=campaign]):checked", form)) {
    // A threat of a selected campaign counts once.
    const { member } = box.closest("[data-row]").dataset;
    if (!campaigns.includes(member)) count += Number(box.dataset.count ?? 1);
  }
  for (const label of all("[data-selected]", form))
    label.textContent = count === 0 ? "Selected" : `${count.toLocaleString("en-US")} selected`;
}
