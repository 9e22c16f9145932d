import { normalizeName } from "../../../engines/detection/names/name.ts";
import {
  inputLengthMax,
  isLinkToAddress,
  pastedUrl,
  readPastedName,
  refang,
} from "../../../engines/detection/names/pasted-name.ts";
import type { EntryForm } from "../../../platform/vocabulary/lists.ts";

/** A name in what a person or a list contains. */
export interface Entry {
  form: EntryForm;
  /** Canonical form. */
  name: string;
  /** The address that was entered, without defanging and rewriting by mail gateways; absent: it was no link. */
  url?: string | undefined;
}

/** The names in one line, field or item. */
export type Reading =
  | { entries: readonly Entry[] }
  | SkippedLink
  /** A phrase that follows the text, such as "is empty". */
  | { error: string };

/** A link to an IP address, which has no name. `isInMessage`: it is part of an email, not an item of its own. */
export interface SkippedLink {
  skipped: "ip_address";
  url: string | undefined;
  error: string;
  isInMessage?: boolean;
}

/** Maximum number of names in one line, field or item. */
const entriesPerLineMax = 100;
/** Text without anything that defanging, a link, an email address or a list of names consists of. */
const plainLabels = /^[\w-]+(?:\.[\w-]+)*$/;

/** Reads what a person entered or a list contains in one line: a name, a link or an email address, or several of them. */
export function readEntries(text: string): Reading {
  const plain = normalizeName(text);
  if ("name" in plain) return { entries: [{ form: "host_name", name: plain.name }] };
  // A list may consist of millions of words or addresses, and searching each for a name takes four times as long.
  if (text.length <= inputLengthMax && plainLabels.test(text)) return plain;
  const parts = splitLine(text);
  const single = readSingle(text);
  const isSingle = parts.filter(({ isCertain }) => isCertain).length < 2;
  if (isSingle && !("error" in single && parts.length > 1)) return single;
  const readings = parts.map((part) => ({ ...part, reading: readSingle(part.text) }));
  // Other words beside a name are no list: a space may have been typed into the name.
  const isList = readings.every(({ reading }) => "entries" in reading || "skipped" in reading);
  const entries = readings
    .filter(({ isCertain }) => isCertain || isList)
    .flatMap(({ reading }) => ("entries" in reading ? reading.entries : []));
  if (entries.length > 0) return { entries: distinct(entries).slice(0, entriesPerLineMax) };
  return single;
}

/**
 * Reads an entry of a list.
 *
 * @param text the name as it arrived. @param link the link whose host it is, if it arrived as one. @param form where it
 * was found, if that is known.
 */
export function readListedEntry(text: string, link: string | undefined, form?: EntryForm): Reading {
  if (link === undefined && form === undefined) return readEntries(text);
  const whole = link ?? text;
  const reading = link === undefined ? readSingle(text) : readLink(text, link);
  if (form === undefined || !("entries" in reading))
    return "skipped" in reading ? { ...reading, isInMessage: form !== undefined } : reading;
  const url = pastedUrl(whole);
  return { entries: reading.entries.map((entry) => ({ ...entry, form, url: url ?? entry.url })) };
}

/** Reads a plain link, whose host is known. */
function readLink(host: string, link: string): Reading {
  const normalized = normalizeName(host);
  if ("error" in normalized) return readSingle(link);
  return { entries: [{ form: "url", name: normalized.name, url: pastedUrl(link) }] };
}

function readSingle(text: string): Reading {
  const read = readPastedName(text);
  if ("error" in read)
    return text.length <= inputLengthMax && isLinkToAddress(text)
      ? { skipped: "ip_address", url: pastedUrl(text), error: read.error }
      : { error: read.error };
  const url = read.form === "url" ? pastedUrl(text) : undefined;
  return { entries: [{ ...read, url }] };
}

function distinct(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.url ?? entry.name, entry])).values()];
}

/** Finds the links, addresses and names in a line that contains more than one of them, or other text. */

interface LinePart {
  text: string;
  /** Whether it is meant as an indicator, also beside other words: a link, an email address, a defanged name. */
  isCertain: boolean;
}

/** A longer line is not split. */
const lineCharactersMax = 1 << 14;
const partsMax = 200;

/** Private-use characters that stand for a defanged dot and at sign until the line is split. */
const [dot, at] = ["\ue000", "\ue001"];
const marks = /[\ue000\ue001]/gu;

/** An address within the query of another one is a part of it. */
const linkStart = /(?<![\w=/?&%:])(?:h[tx*]{2}ps?|f[tx*]p):[/\\]{1,2}/giu;
/** A link ends at white space, quotes, angle brackets and bars. Longer links are rejected. */
const linkBody = /[^\s<>"'`“”«»|]{1,5000}/uy;
/** A link ends in Markdown, and where the next one begins. */
const nextLink = /\]\(|[,;](?=(?:h[tx*]{2}ps?|f[tx*]p):[/\\])/iu;
const separators = /[\s,;|<>"'`“”«»()[\]{}]+/u;
const closingMarks = ".,:;!?…";

/** Returns the parts of a line that may be names, in their order. */
export function splitLine(line: string): LinePart[] {
  if (line.length > lineCharactersMax) return [{ text: line, isCertain: false }];
  const text = refang(line, { dot, at });
  const parts: LinePart[] = [];
  let from = 0;
  for (const { index } of text.matchAll(linkStart)) {
    if (index < from) continue;
    if (parts.length >= partsMax) break;
    addWords(parts, text.slice(from, index));
    linkBody.lastIndex = index;
    const [body] = linkBody.exec(text)!;
    const link = body.slice(0, nextLink.exec(body)?.index);
    from = index + link.length;
    parts.push({ text: written(link), isCertain: true });
  }
  addWords(parts, text.slice(from));
  return parts.slice(0, partsMax);
}

function addWords(parts: LinePart[], text: string): void {
  for (const word of text.split(separators, partsMax)) {
    const isCertain = isEmailAddress(word) || /[\ue000\ue001]|^www\../iu.test(word);
    if (word !== "") parts.push({ text: written(word), isCertain });
  }
}

function isEmailAddress(word: string): boolean {
  const sign = word.lastIndexOf("@");
  return sign > 0 && word.indexOf(".", sign + 2) >= 0;
}

/** Returns the part with its defanged characters, and without punctuation that ends a sentence. */
function written(part: string): string {
  let end = part.length;
  while (end > 1 && closingMarks.includes(part[end - 1]!)) end--;
  return part.slice(0, end).replace(marks, (mark) => (mark === dot ? "." : "@"));
}
