import { decodeHTML, decodeHTMLAttribute } from "entities/decode";
import type { Turns } from "../../network/turns.ts";
import { createMarkupMeter } from "./markup-meter.ts";
import { refreshTarget } from "./page-text.ts";
import { mapText } from "./text-pieces.ts";

/** Content of a page that the lookup needs. All of it is untrusted text of the page's author. */
export interface PageContent {
  /** Text of the first `<title>`, with entities decoded and white space collapsed. */
  title: string;
  /** Visible text, meta descriptions and alternative texts. */
  text: string;
  /** Length of the visible part of `text`. */
  visibleLength: number;
  fields: FormField[];
  labels: string[];
  /** Target of `<meta http-equiv=refresh>`, if it redirects within a few seconds. */
  refresh: string | undefined;
  /** URLs to which scripts redirect. */
  scriptRedirects: string[];
  /** Whether there is any inline script. */
  scripted: boolean;
  /** URLs of scripts and frames. */
  embedded: string[];
  icons: { rel: string; href: string }[];
  base: string | undefined;
  /** Whether the page has so much markup that its end was not read. */
  isCut: boolean;
  /** Hash of the page's forms, fields, pictures and scripts in their order; undefined if it has few of them. */
  structure: string | undefined;
}

export interface FormField {
  type: string;
  autocomplete: string;
  /** Name, id, placeholder, label and title. */
  descriptions: string[];
}

const textLengthMax = 100_000;
const scriptLengthMax = 200_000;
const titleLengthMax = 2_000;
const attributeLengthMax = 2_000;
/** Small icons are often embedded in the page as a data: URL. */
const iconAddressLengthMax = 65_536;
const itemsMax = 500;
/** Elements that the author of a page writes by hand, unlike those that lay out its text. */
const structuralElements = "form, input, textarea, select, button, img, script, link";
/** A page with fewer of them resembles many others. */
const structuralElementsMin = 6;
const scriptRedirectsMax = 50;

/**
 * Reads HTML with Bun's streaming parser. Each part of the content has a limit. Other work runs in between.
 * @param pieces the page, in pieces that are parsed at once.
 */
export async function readPage(pieces: Iterable<string>, turns: Turns): Promise<PageContent> {
  const title = collector(titleLengthMax);
  const text = collector(textLengthMax);
  const extra = collector(textLengthMax);
  const script = collector(scriptLengthMax);
  const label = collector(titleLengthMax);
  const content: PageContent = {
    title: "",
    text: "",
    visibleLength: 0,
    fields: [],
    labels: [],
    refresh: undefined,
    scriptRedirects: [],
    scripted: false,
    embedded: [],
    icons: [],
    base: undefined,
    isCut: false,
    structure: undefined,
  };
  const structure: string[] = [];
  let titleRead = false;
  let hiddenWithin = 0;

  const add = <T>(list: T[], item: T) => void (list.length < itemsMax && list.push(item));

  const rewriter = new HTMLRewriter()
    .on("script, style, template, noscript, title", {
      element(element) {
        if (element.selfClosing || !element.canHaveContent) return;
        hiddenWithin += 1;
        element.onEndTag(() => void (hiddenWithin -= 1));
      },
    })
    .on("title", {
      text(chunk) {
        if (titleRead) return;
        title.add(chunk.text);
        titleRead = chunk.lastInTextNode;
      },
    })
    .on("script", {
      element: (element) => add(content.embedded, attribute(element, "src")),
      text: (chunk) => script.add(chunk.text),
    })
    .on("iframe, frame", { element: (element) => add(content.embedded, attribute(element, "src")) })
    .on("label", {
      text(chunk) {
        if (content.labels.length >= itemsMax) return;
        label.add(chunk.text);
        if (!chunk.lastInTextNode) return;
        add(content.labels, decodeHTML(label.take()));
      },
    })
    .on("input, textarea", {
      element(element) {
        if (content.fields.length >= itemsMax) return;
        content.fields.push(fieldOf(element));
      },
    })
    .on(structuralElements, { element: (element) => add(structure, partOf(element)) })
    .on("img", { element: (element) => extra.add(` ${attribute(element, "alt")} `) })
    .on("base", { element: (element) => void (content.base ??= attribute(element, "href")) })
    .on("link", {
      element(element) {
        const rel = attribute(element, "rel").toLowerCase();
        if (/\bicon\b/.test(rel))
          add(content.icons, { rel, href: attribute(element, "href", iconAddressLengthMax) });
      },
    })
    .on("meta", {
      element(element) {
        // Browsers do not follow it inside <noscript> and <template>.
        if (hiddenWithin === 0 && attribute(element, "http-equiv").toLowerCase() === "refresh")
          content.refresh ??= refreshTarget(attribute(element, "content"));
        const name = (attribute(element, "property") || attribute(element, "name")).toLowerCase();
        if (/^(og:(site_name|title|description)|description|application-name|twitter:title)$/.test(name))
          extra.add(` ${attribute(element, "content")} `);
      },
    })
    .onDocument({
      text(chunk) {
        if (hiddenWithin === 0) text.add(chunk.lastInTextNode ? `${chunk.text} ` : chunk.text);
      },
    });
  content.isCut = await transformInPieces(rewriter, pieces, turns);
  if (structure.length >= structuralElementsMin)
    content.structure = Bun.hash(structure.join("\n")).toString(16);

  content.title = joined(decodeHTML(title.take()));
  const visibleText = await mapText(text.take(), (piece) => joined(decodeHTML(piece)), turns);
  content.visibleLength = visibleText.length;
  content.text = `${visibleText} ${await mapText(extra.take(), joined, turns)}`;
  const scripts = script.take();
  content.scripted = scripts.trim() !== "";
  content.scriptRedirects = scriptTargets(scripts);
  return content;
}

/** Describes an element without what differs between visits, such as queries with tokens, and without the host. */
function partOf(element: HTMLRewriterTypes.Element): string {
  const address = attribute(element, "src") || attribute(element, "href") || attribute(element, "action");
  const path = address.startsWith("data:")
    ? ""
    : address.replace(/^[a-z]*:?\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  return [element.tagName, attribute(element, "type"), attribute(element, "name"), path].join(" ");
}

/** Returns whether the page was cut, because it has too much markup. */
async function transformInPieces(
  rewriter: HTMLRewriter,
  pieces: Iterable<string>,
  turns: Turns,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.iterator]();
  const meter = createMarkupMeter();
  let isCut = false;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await turns.next();
      const { done, value } = iterator.next();
      if (done === true) return controller.close();
      isCut = !meter.add(value);
      controller.enqueue(encoder.encode(value));
      if (isCut) controller.close();
    },
  });
  const output = rewriter.transform(new Response(stream)).body!.getReader();
  while (!(await output.read()).done);
  return isCut;
}

function attribute(element: HTMLRewriterTypes.Element, name: string, lengthMax = attributeLengthMax): string {
  return decodeHTMLAttribute((element.getAttribute(name) ?? "").slice(0, lengthMax)).trim();
}

function fieldOf(element: HTMLRewriterTypes.Element): FormField {
  const names = ["name", "id", "placeholder", "aria-label", "title"];
  const type = element.tagName === "textarea" ? "text" : attribute(element, "type").toLowerCase() || "text";
  const descriptions = names.map((name) => attribute(element, name)).filter((value) => value !== "");
  return { type, autocomplete: attribute(element, "autocomplete").toLowerCase(), descriptions };
}

function scriptTargets(script: string): string[] {
  const assigned = /\blocation(?:\.href)?\s{0,9}=\s{0,9}(["'`])([^"'`\s]{1,2000})\1/g;
  const called = /\blocation\.(?:replace|assign)\(\s{0,9}(["'`])([^"'`\s]{1,2000})\1/g;
  const targetsOf = (pattern: RegExp) => script.matchAll(pattern).take(scriptRedirectsMax).toArray();
  const targets = [...targetsOf(assigned), ...targetsOf(called)].map((match) => match[2]!);
  return targets.slice(0, scriptRedirectsMax);
}

function joined(text: string): string {
  return text.split(/\s+/).join(" ").trim();
}

/** Collects text up to a maximum length. */
function collector(lengthMax: number) {
  let parts: string[] = [];
  let length = 0;
  return {
    add(part: string) {
      if (length >= lengthMax) return;
      parts.push(part.slice(0, lengthMax - length));
      length += part.length;
    },
    take() {
      const text = parts.join("");
      parts = [];
      length = 0;
      return text;
    },
  };
}
