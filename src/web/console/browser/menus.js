// Menus and explanations (details.opens): one at a time; a click elsewhere and Escape close them.
const openMenus = () => all("details.opens[open], details.me[open]");

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});

/** Closes the menus. The focus returns from within one to its button. @returns {boolean} whether any was open */
function closeMenus() {
  const open = openMenus();
  for (const menu of open) {
    const hadFocus = menu.contains(document.activeElement);
    menu.open = false;
    if (hadFocus) one("summary", menu).focus();
  }
  return open.length > 0;
}
