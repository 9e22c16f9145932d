/** Reads the links and senders of an email, which is hostile input: each part of it has a limit. */
import Parser from "postal-mime";
import type PostalMime from "postal-mime";
import type { Address, Attachment, Email } from "postal-mime";
import { messageOf } from "../../../platform/lib/errors.ts";
import { readListedEntry, type Entry, splitLine } from "../entries/entry.ts";
import { looksLikeEmail } from "../name-file-formats/email-head.ts";
import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

/** A link or an address of a sender, as it is written in an email. */
export interface MessageEntry {
  form: "message_link" | "message_image" | "message_sender";
  text: string;
}

/** Maximum number of links and senders of one message, with those that it contains. */
const entriesMax = 1_000;
/** Links to a well-known site do not displace the others. */
const linksPerHostMax = 20;
/** Maximum number of messages within messages, and how deep they are nested. */
const messagesMax = 20;
const messageDepthMax = 5;
const attachmentsMax = 30;
const partDepthMax = 30;
const headerBytesMax = 128 << 10;
/** Start of a message that shows whether it has a header. */
const headBytes = 1 << 14;
const senderCharactersMax = 2_000;
/** A message has one sender, and a few addresses for replies. */
const sendersMax = 50;
const senders = new Set(["from", "sender", "reply-to", "return-path"]);
const recipients = new Set(["to", "cc", "bcc", "delivered-to"]);
/** Length of the fields that name senders, in total. */
const addressCharactersMax = 8_192;
const mailbox = /[^\s<>"'(),:;@]{1,64}@[^\s<>"'(),:;@]{1,255}/g;
/** Number of lines between two turns of the event loop: about a millisecond. */
const linesPerTurn = 500;
/** Number of links between two turns of the event loop. */
const linksPerTurn = 50;

const pages = /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml)$/;
const pageNames = /\.(?:s?html?|xhtml|svg)$/i;
const texts = /^(?:text\/[\w.+-]+|application\/ics)$/;
const textNames = /\.(?:txt|ics|url|csv|md)$/i;

/** Returns the entries of a message, each once, in their order: senders first. */
export async function readMessage(message: Uint8Array<ArrayBuffer>): Promise<MessageEntry[]> {
  const entries = createEntries();
  let messages = 0;

  async function read(content: Uint8Array<ArrayBuffer>, depth: number): Promise<void> {
    if (++messages > messagesMax || entries.isFull()) return;
    await turn();
    const parser = new Parser({
      forceRfc822Attachments: true,
      maxNestingDepth: partDepthMax,
      maxHeadersSize: headerBytesMax,
    });
    pauseBetweenLines(parser);
    const email = await parser
      .parse(withShortAddresses(content))
      .catch((error: unknown) => ({ problem: messageOf(error) }));
    // A message that cannot be taken apart, or has no header, is read as text.
    const isWhole = looksLikeEmail(textOf(content.subarray(0, headBytes)));
    if ("problem" in email || !isWhole) await entries.addLinks(linksInText(textOf(content)));
    if ("problem" in email) return;
    for (const address of sendersOf(email).slice(0, sendersMax))
      entries.add({ form: "message_sender", text: address });
    await turn();
    if (email.html !== undefined) await entries.addLinks(linksInHtml(email.html));
    if (email.text !== undefined) await entries.addLinks(linksInText(email.text));
    for (const attachment of email.attachments.slice(0, attachmentsMax))
      await readAttachment(attachment, depth);
  }

  async function readAttachment({ mimeType, filename, content }: Attachment, depth: number): Promise<void> {
    if (typeof content === "string") return;
    const bytes = new Uint8Array(content as ArrayBuffer);
    const name = filename ?? "";
    if (mimeType === "message/rfc822" || /\.eml$/i.test(name)) {
      if (depth < messageDepthMax) await read(bytes, depth + 1);
    } else if (pages.test(mimeType) || pageNames.test(name))
      await entries.addLinks(linksInHtml(textOf(bytes)));
    else if (texts.test(mimeType) || textNames.test(name)) await entries.addLinks(linksInText(textOf(bytes)));
  }

  await read(message, 0);
  return entries.all();
}

/**
 * Lets other work run while a message is parsed, which takes about 20 ms for a megabyte. The parser calls a method for each
 * line, which its types leave out.
 */
function pauseBetweenLines(parser: PostalMime): void {
  const processLine: unknown = Reflect.get(parser, "processLine");
  if (typeof processLine !== "function") return;
  let lines = 0;
  Reflect.set(parser, "processLine", async (...line: unknown[]): Promise<unknown> => {
    lines += 1;
    if (lines % linesPerTurn === 0) await turn();
    return Reflect.apply(processLine, parser, line);
  });
}

/** Collects distinct entries that have a name, up to their limits. */
function createEntries() {
  const found = new Map<string, MessageEntry>();
  const perHost = new Map<string, number>();
  const isFull = () => found.size >= entriesMax;

  function add(entry: MessageEntry): void {
    const reading = readListedEntry(entry.text, undefined, entry.form);
    // A link to an IP address is reported, although it has no name.
    const { name, url = name }: Pick<Entry, "name" | "url"> =
      "entries" in reading ? reading.entries[0]! : { name: entry.text };
    if (isFull() || (!("entries" in reading) && !("skipped" in reading))) return;
    const links = perHost.get(name) ?? 0;
    const before = found.get(url);
    if (before === undefined && links >= linksPerHostMax) return;
    // An image may also be the target of a link, whose page is inspected.
    if (before !== undefined && before.form !== "message_image") return;
    perHost.set(name, links + 1);
    found.set(url, entry);
  }

  return {
    add,
    isFull,
    all: () => [...found.values()],
    async addLinks(links: Iterable<FoundLink | typeof pause>): Promise<void> {
      let read = 0;
      for (const link of links) {
        if (isFull()) return;
        if (link === pause || ++read % linksPerTurn === 0) await turn();
        if (link !== pause) add({ form: link.form, text: link.url });
      }
    },
  };
}

/** Drops the recipients, which are not read, and long lists of senders: parsing their addresses would stop other work. */
function withShortAddresses(content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const ends = [bytes.indexOf("\n\n"), bytes.indexOf("\n\r\n")].filter((end) => end !== -1);
  const end = ends.length === 0 ? bytes.length : Math.min(...ends);
  let field = "";
  let left = addressCharactersMax;
  const kept = bytes
    .toString("latin1", 0, end)
    .split("\n")
    .flatMap((line) => {
      if (!/^[ \t]/.test(line)) field = /^[a-z-]{1,20}/i.exec(line)?.[0].toLowerCase() ?? "";
      if (recipients.has(field)) return [];
      if (!senders.has(field)) return [line];
      const part = line.slice(0, left);
      left -= part.length;
      return part === "" ? [] : [part];
    });
  return Buffer.concat([Buffer.from(kept.join("\n"), "latin1"), bytes.subarray(end)]);
}

/** Addresses that say who wrote the message. Those of its recipients and of the servers that relayed it do not count. */
function sendersOf({ from, headers, replyTo = [], returnPath, sender }: Email): string[] {
  const parsed = [from, sender, ...replyTo].flatMap((one) => (one === undefined ? [] : mailboxes(one)));
  const addresses = [...parsed, returnPath ?? ""].filter((address) => address.includes("@"));
  if (from !== undefined && mailboxes(from).some((address) => address.includes("@"))) return addresses;
  // A display name with quotes in it may hide the address.
  const written = headers.find(({ key }) => key === "from")?.value.slice(0, senderCharactersMax) ?? "";
  return [...(written.match(mailbox) ?? []), ...addresses];
}

function mailboxes(address: Address): string[] {
  return address.group === undefined ? [address.address] : address.group.map((one) => one.address);
}

function textOf(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(bytes);
}

/** Lets waiting work run. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Finds the links in the content of emails. The markup is not parsed: links in comments, in scripts of attached pages and
 * behind broken tags count as well, and no nesting costs memory.
 */

interface FoundLink {
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
const pause = Symbol("pause");

/** Yields the links of markup: targets of links and forms, images, and links in its text. Some are repeated. */
function* linksInHtml(markup: string): Generator<FoundLink | typeof pause> {
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
function* linksInText(text: string): Generator<FoundLink | typeof pause> {
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
