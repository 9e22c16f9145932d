// Returns the markup of the page and of its frames and shadow roots. Runs in the browser.
function readMarkup(lengthMax, elementsMax) {
  const parts = [];
  let length = 0;
  const add = (text) => {
    parts.push(text.slice(0, lengthMax - length));
    length += text.length;
  };
  const read = (root, depth) => {
    if (root === null || root === undefined || length >= lengthMax || depth > 3) return;
    // Nobody sees comments, and a long one would displace the page.
    const comments = document.createNodeIterator(root, NodeFilter.SHOW_COMMENT);
    for (let comment = comments.nextNode(); comment !== null; comment = comments.nextNode()) comment.remove();
    add(root.outerHTML ?? root.innerHTML);
    let count = 0;
    for (const element of root.querySelectorAll("*")) {
      if (++count > elementsMax || length >= lengthMax) return;
      if (element.shadowRoot) read(element.shadowRoot, depth + 1);
      else if (element.tagName === "IFRAME" || element.tagName === "FRAME")
        try {
          read(element.contentDocument?.documentElement, depth + 1);
        } catch {}
    }
  };
  read(document.documentElement, 0);
  return parts.join("\n").slice(0, lengthMax);
}
