// Messages above the page. One stays until it is dismissed or the next one comes.

const toasts = document.createElement("div");
toasts.className = "toasts";
toasts.setAttribute("role", "status");
document.body.append(toasts);

/** @param {any} toast */
function showToast(toast) {
  toast.classList.add("fixed");
  // The element around it is the live region.
  toast.removeAttribute("role");
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn plain small square";
  close.textContent = "×";
  close.ariaLabel = "Dismiss";
  close.dataset.dismiss = "";
  toast.append(close);
  toasts.replaceChildren(toast);
}

/**
 * Functions that are called with `void` show their errors with it.
 * @param {Error} error
 */
function showError(error) {
  // An empty message: the page is about to be loaded again.
  if (error.name === "AbortError" || error.message === "") return;
  const toast = document.createElement("div");
  toast.className = "toast bad";
  toast.textContent = error.message;
  showToast(toast);
}

document.addEventListener("click", (/** @type {any} */ event) => {
  if (event.target.closest?.("[data-dismiss]")) toasts.replaceChildren();
});
