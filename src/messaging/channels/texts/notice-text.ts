import { escapeHidden } from "../../../platform/lib/safe-text.ts";
import { cut } from "../../content/cut.ts";
import type { Notice, NoticeItem } from "../../content/notice.ts";
import { relationOf, severityLabels } from "../../content/plain-text.ts";

/** Numbers of parts that a message shows at most. */
const factsMax = 10;
const itemsMax = 10;
const linksMax = 5;
/** Longer URLs are rejected by some services. */
const urlMax = 2_000;

/** Lengths to which the texts of a message are truncated, one after the other, until it fits. */
const textLengths = [1_000, 500, 250, 120, 60];

/** Returns the message with its title on one line, and with at most as many parts as its definition allows. */
export function bounded(notice: Notice): Notice {
  const { title, facts, items, links, more } = notice;
  return {
    ...notice,
    title: title.replaceAll(/\s+/g, " "),
    facts: facts.slice(0, factsMax),
    items: items.slice(0, itemsMax),
    more: more + Math.max(0, items.length - itemsMax),
    links: links.filter(({ url }) => url.length <= urlMax).slice(0, linksMax),
  };
}

/**
 * Returns the first rendering that fits, or the last one.
 * @param render renders the message with texts of at most this length
 */
export function firstThatFits(render: (textMax: number) => string, fits: (text: string) => boolean): string {
  let rendered = "";
  for (const textMax of textLengths) {
    rendered = render(textMax);
    if (fits(rendered)) break;
  }
  return rendered;
}

/**
 * Returns `text` with its hidden characters escaped, then escaped by `escape`, and truncated so that the result has at
 * most `lengthMax` UTF-16 code units.
 */
export function escapedWithin(
  text: string,
  lengthMax: number,
  escape: (text: string) => string = (plain) => plain,
): string {
  for (let length = lengthMax; length > 0;) {
    const lines = cut(text, length).split(/\r?\n/);
    const escaped = escape(lines.map(escapeHidden).join("\n"));
    if (escaped.length <= lengthMax) return escaped;
    length = Math.min(length - 1, Math.floor((length * lengthMax) / escaped.length));
  }
  return "";
}

/** Returns what a message about several threats says of one of them, in front of its name and behind it. */
export function aroundName(item: NoticeItem): [string, string] {
  const { severity, reason } = item;
  const relation = relationOf(item);
  const about = relation === "" ? "" : ` (${relation})`;
  return [`${severityLabels[severity]}: `, reason === "" ? about : `${about}: ${reason}`];
}

/**
 * Renders one threat of a message about several, in markup.
 * @param options.escape escapes a text, and may truncate it
 * @param options.link returns a link with an escaped text
 */
export function itemMarkup(
  item: NoticeItem,
  { escape, link }: { escape: (text: string) => string; link: (escaped: string, url: string) => string },
): string {
  const [before, after] = aroundName(item);
  const name = escape(item.name);
  return `${escape(before)}${item.url === null ? name : link(name, item.url)}${escape(after)}`;
}
