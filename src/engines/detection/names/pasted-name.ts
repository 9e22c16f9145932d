/**
 * Reads the host name in what people paste: links, email addresses, and both in the defanged forms of reports
 * (`hxxps://paypa1[.]com/login`). It decides only which part is the host; `normalizeName` validates it.
 */
import { normalizeName } from "./name.ts";
import { unwrapLink } from "./wrapped-link.ts";

/** `url` includes a host name with a path or a port. */
export type PastedForm = "host_name" | "url" | "email_address";

export interface PastedHost {
  /** The host as it was written, without defanging. Not validated. */
  host: string;
  form: PastedForm;
}

/** Maximum length of input in characters: 2,048 are a common limit of URLs. */
export const inputLengthMax = 4_096;

const opening = "[([{<]";
const closing = "[\\])}>]";
/**
 * Forms in which reports write the characters that make a link, so that it is not followed by accident. Spaces are
 * bounded, because an unbounded run before a bracket takes quadratic time.
 */
const defangedDot = new RegExp(`\\s?${opening}\\s?(?:\\.|dot)\\s?${closing}\\s?`, "giu");
const defangedAt = new RegExp(`\\s?${opening}\\s?(?:@|at)\\s?${closing}\\s?`, "giu");
const defangedSlashes = new RegExp(`${opening}(:?/{0,2})${closing}`, "gu");
const otherDefangedDot = /[[(]\.(?=[^\s\])])|(?<=[^\s[(])\.[\])]|\\\./gu;

const scheme = /^[a-z*][a-z0-9+.*-]*:[/\\]{1,2}/iu;
/** A spreadsheet writes text as `="paypa1.com"`. */
const openingMarks = " \t\"'`“‘«‹„<([{=•·";
const closingMarks = " \t\"'`”’»›“>)]},;!?…";
/** Marks that only change the direction of text, and the byte order mark: chat programs put them around links. */
const invisibleMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Returns the part of the text that is the host name. */
export function hostIn(text: string): PastedHost {
  let rest = bareText(text);
  if (/^mailto:/iu.test(rest)) return emailHost(rest.slice("mailto:".length));
  const linked = scheme.exec(rest)?.[0] ?? /^\/\//u.exec(rest)?.[0];
  if (linked !== undefined) rest = rest.slice(linked.length);
  const [authority = ""] = rest.split(/[/\\?#]/u, 1);
  const isUrl = linked !== undefined || authority.length < rest.length;
  if (!isUrl && authority.includes("@")) return emailHost(authority);
  // A name and a password may precede the host: https://paypal.com@evil.example/
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const isPort = /^[^:]*:\d{0,5}$/u.test(host);
  const withoutPort = isPort ? host.slice(0, host.indexOf(":")) : host;
  return { host: decoded(withoutPort), form: isUrl || withoutPort !== host ? "url" : "host_name" };
}

/**
 * Returns the host name in canonical form and the form in which it was given, or an error: a phrase that follows the
 * text, such as "is empty".
 */
export function readPastedName(text: string): { name: string; form: PastedForm } | { error: string } {
  if (text.length > inputLengthMax) return { error: `is longer than ${inputLengthMax} characters` };
  const asWritten = normalizeName(text);
  if ("name" in asWritten) return { name: asWritten.name, form: "host_name" };
  const { host, form } = hostIn(text);
  const bare = withoutDots(host);
  if (/\s/u.test(bareText(text))) return { error: "contains a space; enter one name per line" };
  if (bare === text.trim()) return asWritten;
  const normalized = normalizeName(bare);
  if ("name" in normalized) return { name: normalized.name, form };
  // Only the host is wrong with a link, and not the text as a whole.
  return form === "host_name" ? normalized : { error: `has a host that ${normalized.error}` };
}

/** Maximum number of gateways that have rewritten a link one after another. */
const wrapsMax = 5;
/** A rewritten link is a URL with a query or a longer path. */
const mayBeRewritten = /^(?:h[tx*]{2}ps?:)?[/\\]{0,2}[^/?\s]+\/[^?\s]*(?:\?|%3a|__|\/amp\/)/iu;

/** Longest scheme whose defanged forms are recognized: `hxxps`, `h**ps`. */
const defangedScheme = /^h[tx*]{2}p(s?):/iu;

/**
 * Returns the address of a link in its canonical form, without defanging; undefined if the text is no link. A link
 * without a scheme gets `http://`, as browsers had it for decades.
 */
export function pastedUrl(text: string): string | undefined {
  if (text.length > inputLengthMax || hostIn(text).form !== "url") return undefined;
  const url = linkOf(bareText(text));
  return url === null || url.href.length > inputLengthMax ? undefined : url.href;
}

function linkOf(bare: string): URL | null {
  const rest = bare.replace(defangedScheme, "http$1:");
  const isWhole = scheme.test(rest);
  return URL.parse(isWhole ? rest : `http://${rest.replace(/^\/+/u, "")}`);
}

/** Returns the text without what surrounds the name or the link; of a rewritten link, the one that it leads to. */
function bareText(text: string): string {
  let bare = withoutSender(refang(text));
  for (let wraps = 0; wraps < wrapsMax && mayBeRewritten.test(bare); wraps++) {
    const url = linkOf(bare);
    const inner = url === null ? undefined : unwrapLink(url);
    if (inner === undefined) break;
    bare = withoutSender(inner);
  }
  return bare;
}

/** Returns whether the text is a link to an IP address, which contains no name. */
export function isLinkToAddress(text: string): boolean {
  if (text.length > inputLengthMax) return false;
  const { host, form } = hostIn(text);
  return form === "url" && /^(\[[0-9a-f:.%]+\].*|(.+\.)?(\d+|0x[0-9a-f]*)\.?)$/iu.test(host);
}

/**
 * Returns the text without defanging and without invisible marks.
 *
 * @param written characters to write for defanged dots and at signs
 */
export function refang(text: string, written = { dot: ".", at: "@" }): string {
  return text
    .replace(invisibleMarks, "")
    .replace(defangedDot, written.dot)
    .replace(defangedAt, written.at)
    .replace(defangedSlashes, "$1")
    .replace(otherDefangedDot, written.dot);
}

/** Returns the text without quotes and punctuation around it, and without the name in `"Support" <login@example.com>`. */
function withoutSender(text: string): string {
  const bare = unwrapped(text);
  return unwrapped(bare.slice(bare.lastIndexOf("<") + 1));
}

function withoutDots(host: string): string {
  let end = host.length;
  while (end > 0 && host[end - 1] === ".") end--;
  return host.slice(host.startsWith(".") ? 1 : 0, end);
}

function emailHost(address: string): PastedHost {
  const [mailbox = ""] = address.split("?", 1);
  return { host: mailbox.slice(mailbox.lastIndexOf("@") + 1), form: "email_address" };
}

/** Removes quotes, brackets and punctuation around the text. */
function unwrapped(text: string): string {
  let [start, end] = [0, text.length];
  // A full stop after a name may be a part of it.
  const removed = text.includes("/") ? `${closingMarks}.` : closingMarks;
  while (start < end && openingMarks.includes(text[start]!)) start++;
  while (end > start && removed.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Decodes percent-encoding, as browsers do in host names. */
function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}
