import type { Clock } from "../../../platform/lib/clock.ts";

const htmlLengthMax = 1024 * 1024;
const elementsMax = 20_000;
const readTimeoutMs = 2_000;

/**
 * Returns the markup of what the page shows: of the document, of its frames from the same site, and of shadow roots. Runs in
 * a world of its own, so that the page cannot replace the functions that are used.
 */
export async function renderedHtml(view: Bun.WebView, clock: Clock): Promise<string | undefined> {
  const { frameTree } = await view.cdp<{ frameTree: { frame: { id: string } } }>("Page.getFrameTree");
  const { executionContextId } = await view.cdp<{ executionContextId: number }>("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  const evaluated = view.cdp<{ result: { value?: unknown } }>("Runtime.evaluate", {
    expression: `(${readMarkup})(${htmlLengthMax}, ${elementsMax})`,
    contextId: executionContextId,
    returnByValue: true,
    timeout: readTimeoutMs,
  });
  const read = await Promise.race([
    evaluated,
    new Promise<undefined>((resolve) => void clock.after(readTimeoutMs, () => resolve(undefined))),
  ]);
  const value = read?.result.value;
  return typeof value === "string" ? value : undefined;
}

/** Source of a function that runs in the browser. */
const readMarkup = `(lengthMax, elementsMax) => {
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
  return parts.join("\\n").slice(0, lengthMax);
}`;
