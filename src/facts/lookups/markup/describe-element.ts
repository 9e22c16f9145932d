import { decodeHTMLAttribute } from "entities/decode";

export type Element = HTMLRewriterTypes.Element;

const attributeLengthMax = 2_000;
const classesMax = 6;
const classesLengthMax = 120;

/** Reads the comment of a browser, or of a program that copies sites. */
export function savedAddress(comment: string): string | undefined {
  const match = /saved from url=\(\d{1,6}\)(\S{4,})|Mirrored from (\S{4,})/i.exec(
    comment.slice(0, attributeLengthMax),
  );
  const address = match?.[1] ?? match?.[2];
  if (address === undefined) return undefined;
  return /^https?:/i.test(address) ? address : `http://${address}`;
}

/** Returns `tag.class.class`, with a limit on the classes. */
export function elementOf(element: Element): string {
  const classes = (element.getAttribute("class") ?? "").slice(0, classesLengthMax).trim();
  if (classes === "") return element.tagName;
  return [element.tagName, ...classes.split(/\s+/).slice(0, classesMax)].join(".");
}

/** Describes an element without what differs between visits, such as queries with tokens, and without the host. */
export function partOf(element: Element): string {
  const address = attribute(element, "src") || attribute(element, "href") || attribute(element, "action");
  const path = address.startsWith("data:")
    ? ""
    : address.replace(/^[a-z]*:?\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  return [element.tagName, attribute(element, "type"), attribute(element, "name"), path].join(" ");
}

/** Returns the decoded value of an attribute; empty if it is absent. */
export function attribute(element: Element, name: string, lengthMax = attributeLengthMax): string {
  return decodeHTMLAttribute((element.getAttribute(name) ?? "").slice(0, lengthMax)).trim();
}

/** Returns the type and the descriptions of a field for input. */
export function fieldOf(element: Element): { type: string; autocomplete: string; descriptions: string[] } {
  const names = ["name", "id", "placeholder", "aria-label", "title"];
  const type = element.tagName === "textarea" ? "text" : attribute(element, "type").toLowerCase() || "text";
  const descriptions = names.map((name) => attribute(element, name)).filter((value) => value !== "");
  return { type, autocomplete: attribute(element, "autocomplete").toLowerCase(), descriptions };
}

/** Returns the first address of a style, such as `background-image: url("logo.png")`. */
export function backgroundOf(style: string): string | undefined {
  const at = style.indexOf("url(");
  const to = at === -1 ? -1 : style.indexOf(")", at);
  return to === -1
    ? undefined
    : style
        .slice(at + 4, to)
        .trim()
        .replace(/^["']|["']$/g, "");
}

const concealing =
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])|(?:left|top|text-indent)\s*:\s*-\d{3}|(?<![\w-])height\s*:\s*0(?![.\d])[^"]{0,80}overflow\s*:\s*hidden/i;

/** Returns whether the style of an element conceals its text. */
export function isConcealed(element: Element): boolean {
  return concealing.test(attribute(element, "style"));
}
