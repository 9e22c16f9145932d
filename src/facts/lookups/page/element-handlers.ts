import { decodeHTML, decodeHTMLAttribute } from "entities/decode";
import { refreshTarget, type ElementText } from "../markup/page-text.ts";
import type { PageCollector, PageParts } from "./page-collector.ts";
import type { PageForm } from "./page-view.ts";

/** Elements that contain what is parsed at present. */
interface Place {
  hiddenWithin: number;
  concealedWithin: number;
  headerWithin: number;
  form: PageForm | undefined;
}

/** Pictures are often embedded in the page as a data: URL. */
const pictureAddressLengthMax = 400_000;
const embeddedPicturesMax = 16;
const itemsMax = 500;
const linksMax = 1_000;
const elementsMax = 6_000;
const formsMax = 50;
/** Elements that the author of a page writes by hand, unlike those that lay out its text. */
const structuralElements = "form, input, textarea, select, button, img, script, link";
const submitting = new Set(["submit", "button", "image", "reset"]);
const logoWords = /logo|brand/i;

/** Adds the handlers for one document or fragment. */
export function addHandlers(rewriter: HTMLRewriter, state: PageCollector): HTMLRewriter {
  const place: Place = { hiddenWithin: 0, concealedWithin: 0, headerWithin: 0, form: undefined };
  addPlaces(rewriter, state, place);
  addTexts(rewriter, state);
  addScripts(rewriter, state, place);
  addForms(rewriter, state, place);
  addPictures(rewriter, state, place);
  addHead(rewriter, state, place);
  return rewriter.onDocument({
    comments(comment) {
      state.parts.savedFrom ??= savedAddress(comment.text);
    },
    text(chunk) {
      if (place.hiddenWithin > 0) return;
      const { length } = chunk.text.trim();
      state.visibleLength += length;
      if (place.concealedWithin > 0) state.concealedLength += length;
      state.text.add(chunk.lastInTextNode ? `${chunk.text} ` : chunk.text);
    },
  });
}

function add<T>(list: T[], item: T, max = itemsMax): void {
  if (list.length < max) list.push(item);
}

function addPlaces(rewriter: HTMLRewriter, { parts, structure }: PageCollector, place: Place): void {
  const within = (element: Element, change: (difference: number) => void) => {
    if (element.selfClosing || !element.canHaveContent) return;
    change(1);
    element.onEndTag(() => change(-1));
  };
  rewriter
    .on("*", { element: (element) => add(parts.elements, elementOf(element), elementsMax) })
    .on(structuralElements, { element: (element) => add(structure, partOf(element)) })
    // Scripts are hidden, too: see `addScripts`.
    .on("style, template, noscript, title", {
      element: (element) => within(element, (difference) => (place.hiddenWithin += difference)),
    })
    .on("header, nav", {
      element: (element) => within(element, (difference) => (place.headerWithin += difference)),
    })
    // No elements with another handler of their end: see `whole`.
    .on("div[style], span[style], p[style], section[style], i[style]", {
      element: (element) =>
        void (isConcealed(element) && within(element, (step) => (place.concealedWithin += step))),
    });
}

/**
 * Handles an element whose text is collected as a whole. An element has one handler of its end: another one, of another
 * selector, would replace it.
 */
function whole(
  text: ElementText,
  begin: (element: Element) => void = () => {},
  { separator = " ", within = () => {} }: { separator?: string; within?: (difference: 1 | -1) => void } = {},
) {
  return {
    element(element: Element) {
      text.begin();
      begin(element);
      if (element.selfClosing || !element.canHaveContent) return;
      within(1);
      element.onEndTag(() => {
        within(-1);
        text.end();
      });
    },
    text: (chunk: HTMLRewriterTypes.Text) =>
      text.add(chunk.lastInTextNode ? chunk.text + separator : chunk.text),
  };
}

function addTexts(rewriter: HTMLRewriter, state: PageCollector): void {
  const { parts, title, label } = state;
  rewriter
    .on("title", {
      text(chunk) {
        if (state.hasTitle) return;
        title.add(chunk.text);
        state.hasTitle = chunk.lastInTextNode;
      },
    })
    .on("h1, h2, h3", whole(state.heading))
    .on("button", whole(state.button))
    .on("label", {
      text(chunk) {
        if (parts.labels.length >= itemsMax) return;
        label.add(chunk.text);
        // Many labels are not closed, so that each text is one.
        if (chunk.lastInTextNode) add(parts.labels, decodeHTML(label.take()));
      },
    })
    .on(
      "a",
      whole(state.link, (element) => {
        state.linkAddress = attribute(element, "href");
        if (state.linkAddress !== "") add(parts.links, state.linkAddress, linksMax);
      }),
    )
    .on("area", {
      element(element) {
        const url = attribute(element, "href");
        if (url !== "") add(parts.links, url, linksMax);
      },
    });
}

function addScripts(rewriter: HTMLRewriter, { parts, script }: PageCollector, place: Place): void {
  rewriter
    .on(
      "script",
      whole(
        script,
        (element) => {
          const url = attribute(element, "src");
          add(parts.embedded, url);
          if (url !== "") add(parts.resources, { kind: "script", url });
        },
        { separator: "", within: (difference) => (place.hiddenWithin += difference) },
      ),
    )
    .on("iframe, frame, object, embed", {
      element(element) {
        const url = attribute(element, "src") || attribute(element, "data");
        add(parts.embedded, url);
        if (url !== "") add(parts.resources, { kind: "frame", url });
      },
    });
}

function addForms(rewriter: HTMLRewriter, { parts, formless }: PageCollector, place: Place): void {
  rewriter
    .on("form", {
      element(element) {
        const form: PageForm = {
          action: attribute(element, "action"),
          method: attribute(element, "method").toLowerCase() === "post" ? "post" : "get",
          fields: [],
        };
        place.form = form;
        add(parts.forms, form, formsMax);
        if (!element.selfClosing && element.canHaveContent) element.onEndTag(() => (place.form = undefined));
      },
    })
    .on("input, textarea", {
      element(element) {
        if (parts.fields.length >= itemsMax) return;
        const field = fieldOf(element);
        parts.fields.push(field);
        (place.form ?? formless).fields.push(field);
        const value = submitting.has(field.type) ? attribute(element, "value") : "";
        if (value !== "") add(parts.buttons, value);
      },
    });
}

function addPictures(rewriter: HTMLRewriter, { parts, hidden }: PageCollector, place: Place): void {
  let embedded = 0;
  const take = (element: Element, url: string) => {
    if (url === "") return;
    const isEmbedded = url.startsWith("data:");
    if (isEmbedded) {
      embedded += 1;
      if (embedded > embeddedPicturesMax) return;
    } else add(parts.resources, { kind: "picture", url });
    const words = ["alt", "class", "id"].map((name) => attribute(element, name));
    const isLogo = place.headerWithin > 0 || logoWords.test([...words, isEmbedded ? "" : url].join(" "));
    add(parts.pictures, { role: isLogo ? "logo" : "picture", url });
  };
  rewriter
    .on("img", {
      element(element) {
        hidden.add(` ${attribute(element, "alt")} `);
        take(element, attribute(element, "src", pictureAddressLengthMax) || attribute(element, "data-src"));
      },
    })
    .on('[style*="url("]', {
      element: (element) =>
        take(element, backgroundOf(attribute(element, "style", pictureAddressLengthMax)) ?? ""),
    });
}

function addHead(rewriter: HTMLRewriter, { parts, hidden }: PageCollector, place: Place): void {
  rewriter
    .on("html", {
      element(element) {
        parts.language ??= attribute(element, "lang").toLowerCase() || undefined;
      },
    })
    .on("base", { element: (element) => void (parts.base ??= attribute(element, "href")) })
    .on("link", { element: (element) => takeLink(parts, element) })
    .on("meta", {
      element(element) {
        const content = attribute(element, "content");
        // Browsers do not follow it inside <noscript> and <template>.
        if (place.hiddenWithin === 0 && attribute(element, "http-equiv").toLowerCase() === "refresh")
          parts.refresh ??= refreshTarget(content);
        const name = (attribute(element, "property") || attribute(element, "name")).toLowerCase();
        if (/^(og:(site_name|title|description)|description|application-name|twitter:title)$/.test(name))
          hidden.add(` ${content} `);
        if (name === "og:site_name" || name === "application-name") parts.siteName ??= content || undefined;
        if (name === "og:url") parts.canonical ??= content || undefined;
      },
    });
}

function takeLink(parts: PageParts, element: Element): void {
  const rel = attribute(element, "rel").toLowerCase();
  const href = attribute(element, "href", pictureAddressLengthMax);
  if (/\bicon\b|\bapple-touch-icon/.test(rel)) add(parts.icons, { rel, href });
  const url = attribute(element, "href");
  if (url === "") return;
  if (/\bstylesheet\b/.test(rel)) add(parts.resources, { kind: "style", url });
  if (/\bmanifest\b/.test(rel)) add(parts.resources, { kind: "manifest", url });
  if (/\bcanonical\b/.test(rel)) parts.canonical ??= url;
}

type Element = HTMLRewriterTypes.Element;

const attributeLengthMax = 2_000;
const classesMax = 6;
const classesLengthMax = 120;

/** Reads the comment of a browser, or of a program that copies sites. */
function savedAddress(comment: string): string | undefined {
  const match = /saved from url=\(\d{1,6}\)(\S{4,})|Mirrored from (\S{4,})/i.exec(
    comment.slice(0, attributeLengthMax),
  );
  const address = match?.[1] ?? match?.[2];
  if (address === undefined) return undefined;
  return /^https?:/i.test(address) ? address : `http://${address}`;
}

/** Returns `tag.class.class`, with a limit on the classes. */
function elementOf(element: Element): string {
  const classes = (element.getAttribute("class") ?? "").slice(0, classesLengthMax).trim();
  if (classes === "") return element.tagName;
  return [element.tagName, ...classes.split(/\s+/).slice(0, classesMax)].join(".");
}

/** Describes an element without what differs between visits, such as queries with tokens, and without the host. */
function partOf(element: Element): string {
  const address = attribute(element, "src") || attribute(element, "href") || attribute(element, "action");
  const path = address.startsWith("data:")
    ? ""
    : address.replace(/^[a-z]*:?\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  return [element.tagName, attribute(element, "type"), attribute(element, "name"), path].join(" ");
}

/** Returns the decoded value of an attribute; empty if it is absent. */
function attribute(element: Element, name: string, lengthMax = attributeLengthMax): string {
  return decodeHTMLAttribute((element.getAttribute(name) ?? "").slice(0, lengthMax)).trim();
}

/** Returns the type and the descriptions of a field for input. */
function fieldOf(element: Element): { type: string; autocomplete: string; descriptions: string[] } {
  const names = ["name", "id", "placeholder", "aria-label", "title"];
  const type = element.tagName === "textarea" ? "text" : attribute(element, "type").toLowerCase() || "text";
  const descriptions = names.map((name) => attribute(element, name)).filter((value) => value !== "");
  return { type, autocomplete: attribute(element, "autocomplete").toLowerCase(), descriptions };
}

/** Returns the first address of a style, such as `background-image: url("logo.png")`. */
function backgroundOf(style: string): string | undefined {
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
function isConcealed(element: Element): boolean {
  return concealing.test(attribute(element, "style"));
}
