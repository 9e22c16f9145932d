// form[data-upload]: uploads the file in the background while the page shows the progress, then opens the page of
// the import. A file can also be dropped anywhere.
for (const form of all("form[data-upload]")) {
  const file = form.querySelector("input[type=file]");
  const failed = form.querySelector("[data-upload-error]");
  const leave = (/** @type {Event} */ event) => event.preventDefault();

  /** @param {XMLHttpRequest} request */
  async function watch(request) {
    while (request.readyState !== XMLHttpRequest.DONE) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      if (document.getElementById("import-panel")) continue;
      // Until the import runs, there is none.
      const html = await load("/console/imports/running", "refresh").catch(() => "");
      const panel = parsePart(html);
      if (!panel) continue;
      (form.closest(".cols") ?? form).before(panel);
      prepare(panel);
    }
  }

  /** @param {string} message */
  function showFailure(message) {
    failed.textContent = message;
    failed.hidden = false;
    for (const button of all("button", form)) button.disabled = false;
  }

  form.addEventListener("submit", (/** @type {Event} */ event) => {
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
        showFailure(
          request.status === 400
            ? request.responseText
            : "The upload was interrupted. See the imports below.",
        );
    };
    addEventListener("beforeunload", leave);
    request.send(new FormData(form));
    void watch(request);
  });
  // Submitting another form, such as Cancel, leaves on purpose.
  document.addEventListener("submit", (event) => {
    if (event.target !== form) removeEventListener("beforeunload", leave);
  });
  const holdsFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
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
