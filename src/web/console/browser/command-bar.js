// The command bar (Ctrl-K) and the list of shortcuts (?): dialogs, behind which the page is inert.

const commandsPath = "/console/commands";
let commandQuery = 0;

/** @param {string} className @param {string} label @param {string} html */
function openDialog(className, label, html) {
  const dialog = document.createElement("dialog");
  dialog.className = className;
  dialog.ariaLabel = label;
  dialog.innerHTML = html;
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  // A click outside.
  dialog.addEventListener("mousedown", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("click", (/** @type {any} */ event) => {
    if (event.target.closest("[data-close]")) dialog.close();
  });
  dialog.showModal();
  return dialog;
}

function openCommandBar() {
  if (one("dialog[open]")) return;
  const dialog = openDialog(
    "dialog command",
    "Search or run a command",
    `<input class="input" type="text" role="combobox" aria-expanded="true" aria-controls="command-results"
      aria-autocomplete="list" aria-label="Search or run a command" placeholder="Search or run a command"
      autocomplete="off" spellcheck="false" maxlength="300">
    <div id="command-results" role="listbox" aria-label="Results"></div>
    <footer class="line"><span><kbd>↑</kbd> <kbd>↓</kbd> move</span> <span><kbd>↵</kbd> open</span>
      <button type="button" class="btn plain small push" data-close>Close <kbd>Esc</kbd></button></footer>`,
  );
  const field = one("input", dialog);
  const options = () => all("[role=option]", dialog);
  const chosen = () => one("[aria-selected=true]", dialog);

  /** @param {any} option */
  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  }

  async function search() {
    commandQuery += 1;
    const mine = commandQuery;
    const html = await load(`${commandsPath}?${new URLSearchParams({ q: field.value })}`, "commands");
    if (mine !== commandQuery || !dialog.isConnected) return;
    one("#command-results", dialog).replaceWith(parsePart(html));
    choose(options()[0]);
  }

  field.addEventListener("input", () => search().catch(failed));
  field.addEventListener("keydown", (/** @type {any} */ event) => {
    if (event.isComposing) return;
    const list = options();
    const at = list.indexOf(chosen());
    if (event.key === "ArrowDown") choose(list[(at + 1) % list.length]);
    else if (event.key === "ArrowUp") choose(list.at(at < 1 ? -1 : at - 1));
    else if (event.key === "Enter") run(chosen(), event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("mousemove", (/** @type {any} */ event) => {
    const option = event.target.closest("[role=option]");
    if (option && option !== chosen()) choose(option);
  });
  dialog.addEventListener("click", (/** @type {any} */ event) => {
    const link = event.target.closest("a[role=option]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    run(link, false);
  });

  /** @param {any} option @param {boolean} inNewTab @returns {void} */
  function run(option, inNewTab) {
    if (!option) return;
    const { href } = option;
    if (inNewTab && href) return void open(href, "_blank", "noopener");
    // The button of a form.
    if (!href) option.click();
    dialog.close();
    if (option.getAttribute("href") === `${commandsPath}/shortcuts`) void openShortcuts();
    else if (href) location.assign(href);
  }

  /** @param {Error} error */
  function failed(error) {
    dialog.close();
    showError(error);
  }
  search().catch(failed);
}

async function openShortcuts() {
  try {
    const html = await load(`${commandsPath}/shortcuts`, "dialog");
    if (one("dialog[open]")) return;
    openDialog(
      "dialog keys-dialog",
      "Keyboard shortcuts",
      `<header class="line"><b>Keyboard shortcuts</b>
        <button type="button" class="btn plain small push" data-close autofocus>Close <kbd>Esc</kbd></button></header>${html}`,
    );
  } catch (error) {
    showError(/** @type {Error} */ (error));
  }
}

// Links to the search and the shortcuts open the dialogs.
document.addEventListener("click", (/** @type {any} */ event) => {
  const link = event.target.closest?.("a");
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const path = link.getAttribute("href");
  if (path === commandsPath) openCommandBar();
  else if (path === `${commandsPath}/shortcuts`) void openShortcuts();
  else return;
  event.preventDefault();
});
