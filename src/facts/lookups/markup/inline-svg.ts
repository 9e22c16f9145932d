const elementsMax = 12;
const elementLengthMax = 65_536;
const start = "<svg";
const end = "</svg>";

/** Finds the `<svg>` elements of a page, which its parser does not return as they were written. */
export function createSvgFinder() {
  const elements: string[] = [];
  /** Start of an element that is not complete, or the last characters, which may begin a tag. */
  let rest = "";
  let isOpen = false;
  return {
    /** Takes the next piece of the page. */
    add(piece: string) {
      if (elements.length >= elementsMax) return;
      let text = rest + piece;
      // Searched again from the seam only, so that many small pieces of one element take linear time.
      let from = isOpen ? Math.max(0, rest.length - end.length) : 0;
      for (;;) {
        if (!isOpen) {
          const at = text.search(/<svg[\s>]/i);
          if (at === -1) {
            rest = text.slice(-start.length);
            return;
          }
          text = text.slice(at);
          isOpen = true;
          from = 0;
        }
        const at = text.indexOf(end, from);
        if (at === -1 && text.length <= elementLengthMax) {
          rest = text;
          return;
        }
        isOpen = false;
        if (at !== -1 && at <= elementLengthMax) elements.push(text.slice(0, at + end.length));
        if (elements.length >= elementsMax) return void (rest = "");
        // The rest of one that is too long is not searched: a page could begin thousands of them.
        text = at === -1 ? "" : text.slice(at + end.length);
      }
    },

    /** Returns the elements, from the first. */
    found: () => elements,
  };
}

/**
 * Returns what a picture shows that does not depend on how it is embedded: its paths in their order, or, without any, its
 * markup. Without white space and comments, so that a copied element matches the file from which it was made.
 */
export function svgContent(svg: string): string {
  const plain = svg.slice(0, elementLengthMax);
  const paths = [...plain.matchAll(/\s(?:d|points)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/g)];
  const content =
    paths.length > 0 ? paths.map((path) => path[1] ?? path[2]).join("|") : withoutComments(plain);
  return content.replace(/\s+/g, "");
}

/** A regular expression for comments takes quadratic time for many that are not closed. */
function withoutComments(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const at = text.indexOf("<!--", from);
    if (at === -1) return [...parts, text.slice(from)].join("");
    parts.push(text.slice(from, at));
    const to = text.indexOf("-->", at);
    if (to === -1) return parts.join("");
    from = to + 3;
  }
}
