/** Finds the names in a block that contain a text or resemble a domain. */
import type { Matcher } from "../../detection/match/matcher.ts";
import { unicodeName } from "../../detection/names/name.ts";
import type { LookAlikeType } from "../../detection/types.ts";
import { rangesOfLines } from "../archive.ts";

/** Look-alikes of any domain, protected or not. `domain` has to be normalized. */
export interface LookAlikeQuery {
  kind: "look-alikes";
  domain: string;
  /** Brand keywords of the domain. */
  keywords?: readonly string[];
  /** Brand keywords to leave out: their look-alikes and those of the domain itself are not found again. */
  known?: readonly string[];
  minSimilarity: number;
}

export type ArchiveQuery = TextQuery | LookAlikeQuery;

/** Names that contain a text. In A-label form, or in Unicode form if the text has other characters than ASCII. */
export interface TextQuery {
  kind: "text";
  text: string;
  /** Whether the name has to start and to end with the text. */
  atStart: boolean;
  atEnd: boolean;
}

export interface FoundName {
  name: string;
  /** Null for a text query. */
  type: LookAlikeType | null;
  similarity: number | null;
}

/** Calls `found` for each matching name of a block: names in canonical form, each followed by a line feed. */
export type BlockSearch = (names: Uint8Array, found: (name: FoundName) => void) => void;

const textLengthMax = 253;
const lineFeed = 0x0a;
const aLabelPrefix = Buffer.from("xn--");

/**
 * Parses what a person types: a text, with `*` at the end if names have to start with it, and at the start if they have
 * to end with it. Returns an error that says what to change.
 */
export function parseTextQuery(typed: string): TextQuery | { error: string } {
  const trimmed = typed.trim();
  const startsOpen = trimmed.startsWith("*");
  const endsOpen = trimmed.length > 1 && trimmed.endsWith("*");
  const text = trimmed
    .slice(startsOpen ? 1 : 0, endsOpen ? -1 : undefined)
    .normalize("NFC")
    .toLowerCase();
  if (text === "") return { error: "the text is empty; enter a part of a name" };
  if (text.length > textLengthMax) return { error: `the text is longer than ${textLengthMax} characters` };
  if (text.includes("*"))
    return { error: 'the text contains "*", which is allowed only at its start and end' };
  if (/[\s\p{Cc}]/u.test(text)) return { error: "the text contains a space, which no name does" };
  const isOpen = startsOpen === endsOpen;
  return { kind: "text", text, atStart: !isOpen && endsOpen, atEnd: !isOpen && startsOpen };
}

/** Prepares a search. Loads the matcher only if it is needed. */
export async function prepareSearch(query: ArchiveQuery): Promise<BlockSearch> {
  if (query.kind === "text") return searchText(query);
  const { createMatcher } = await import("../../detection/match/matcher.ts");
  const { domain, keywords = [], known, minSimilarity } = query;
  const matcherOf = (words: readonly string[]) =>
    createMatcher([{ domain, keywords: [...words], allow: [] }], { minSimilarity });
  return searchLookAlikes(matcherOf(keywords), known === undefined ? undefined : matcherOf(known));
}

/** @param other names that it matches are left out */
function searchLookAlikes(matcher: Matcher, other: Matcher | undefined): BlockSearch {
  return (names, found) => {
    const ranges = rangesOfLines(names);
    const passed = matcher.screenNames(ranges, 0, ranges.count);
    for (let i = 0; i < ranges.count; i++) {
      if (passed[i] === 0) continue;
      const name = textOf(names, ranges.starts[i]!, ranges.ends[i]!);
      const [match] = matcher.match(name);
      if (match !== undefined && (other?.match(name).length ?? 0) === 0)
        found({ name, type: match.type, similarity: match.similarity });
    }
  };
}

function searchText(query: TextQuery): BlockSearch {
  const isAscii = /^[\0-\x7f]*$/.test(query.text);
  const needle = isAscii ? Buffer.from(query.text) : aLabelPrefix;
  const fits = (name: string) =>
    fitsText(isAscii ? name : unicodeName(name).normalize("NFC").toLowerCase(), query);
  return (names, found) => {
    const bytes = Buffer.from(names.buffer, names.byteOffset, names.length);
    for (let at = bytes.indexOf(needle); at !== -1;) {
      // The first name of the block has no line feed before it.
      const start = bytes.lastIndexOf(lineFeed, at) + 1;
      const end = bytes.indexOf(lineFeed, at);
      const name = textOf(bytes, start, end);
      if (fits(name)) found({ name, type: null, similarity: null });
      at = bytes.indexOf(needle, end + 1);
    }
  };
}

function fitsText(name: string, { text, atStart, atEnd }: TextQuery): boolean {
  if (atStart) return name.startsWith(text);
  return atEnd ? name.endsWith(text) : name.includes(text);
}

function textOf(names: Uint8Array, start: number, end: number): string {
  return Buffer.from(names.buffer, names.byteOffset + start, end - start).toString("latin1");
}
