/**
 * Finds the links in the content of emails. The markup is not parsed: links in comments, in scripts of attached pages and
 * behind broken tags count as well, and no nesting costs memory.
 */
import { decodeHTML, decodeHTMLAttribute } from "entities/decode";
import { splitLine } from "../entries/split-line.ts";

export interface FoundLink {
  form: "message_link" | "message_image";
  /** As it is written, absolute. */
  url: string;
}

/** Length of the parts that are read without a pause, in characters, and how much of each is repeated in the next. */
const partLength = 1 << 16;
const overlapLength = 6_000;
const attributesPerTurn = 500;
const attributes =
  /[\s"'/](href|action|formaction|src|background|poster|data-saferedirecturl|content)\s{0,5}=\s{0,5}(?:"([^"]{0,4096})"|'([^']{0,4096})'|([^\s"'<>]{1,4096}))/gi;
const frames = /<i?frame\s[^<>]{0,4000}/gi;
const base = /<base\s[^<>]{0,1000}/i;
const tags = /<[^<>]*>/g;
const images = new Set(["src", "background", "poster"]);
/** `<meta http-equiv=refresh content="0; url=https://…">` */
const refresh = /^[\s\d.;,]{0,20}url\s{0,5}=\s{0,5}["']?(.+)/i;
const mayContainLink = /h[tx*]{2}ps?(?:\[?:|\[:)|www\.|\[\.\]/i;

/** Other work may run. */
export const pause = Symbol("pause");

/** Yields the links of markup: targets of links and forms, images, and links in its text. Some are repeated. */
export function* linksInHtml(markup: string): Generator<FoundLink | typeof pause> {
  const [baseTag = ""] = base.exec(markup) ?? [];
  const from = attributesOf(baseTag).next().value?.value;
  for (const html of partsOf(markup.replace(baseTag, " "))) {
    for (const [frame] of html.matchAll(frames))
      for (const { value } of attributesOf(frame)) yield* absolute(value, from, "message_link");
    let read = 0;
    for (const { name, value } of attributesOf(html)) {
      if (++read % attributesPerTurn === 0) yield pause;
      const target = name === "content" ? refresh.exec(value)?.[1] : value;
      const form = images.has(name) ? "message_image" : "message_link";
      if (target !== undefined) yield* absolute(target, from, form);
    }
    yield pause;
    yield* linksInText(decodeHTML(html.replace(tags, " ")));
    yield pause;
  }
}

/** Yields the links in plain text, also defanged ones. */
export function* linksInText(text: string): Generator<FoundLink | typeof pause> {
  for (const part of partsOf(text)) {
    for (const line of part.split(/[\r\n]+/)) {
      if (!mayContainLink.test(line)) continue;
      for (const { isCertain, text: written } of splitLine(line))
        if (isCertain && (written.includes("://") || !written.includes("@")))
          yield { form: "message_link", url: written };
    }
    yield pause;
  }
}

function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += partLength)
    yield text.slice(start, start + partLength + overlapLength);
}

function* attributesOf(markup: string): Generator<{ name: string; value: string }, undefined> {
  for (const [, name, double, single, bare] of markup.matchAll(attributes)) {
    // Browsers drop line breaks in addresses.
    const value = decodeHTMLAttribute(double ?? single ?? bare ?? "").replace(/[\t\n\r]/g, "");
    yield { name: name!.toLowerCase(), value: value.trim() };
  }
}

/** Yields the address as browsers read it, if it is one of the web. */
function* absolute(value: string, from: string | undefined, form: FoundLink["form"]): Generator<FoundLink> {
  // A part of the same page.
  if (value.startsWith("#")) return;
  const url = value.startsWith("//")
    ? URL.parse(`https:${value}`)
    : (URL.parse(value) ?? URL.parse(value, from));
  if (url !== null && /^(?:https?|ftp):$/.test(url.protocol)) yield { form, url: url.href };
}
