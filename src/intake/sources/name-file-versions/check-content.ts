import type { NameChunk } from "../name-file-formats/name-chunk.ts";

/** Counts of the entries of a list. */
export interface ContentCounts {
  /** Entries that look like a name, a link or an email address. */
  names: number;
  /** Entries that do not. */
  others: number;
}

/** A list shorter than this may shrink by any amount. */
const namesShrinkableMax = 1_000;
/** A list with less than this share of the names before is suspicious. */
const shrunkShare = 0.1;
/** The source serves a shrunk list this many times in a row before it is accepted. */
const shrunkTimesMax = 3;

const dot = 46;
const space = 32;
const lessThan = 60;

/**
 * Returns whether an entry may contain a name: a cheap check that tells lists from pages and error messages. Every
 * name of a feed has a dot, also in a defanged form, and no space.
 */
function mayBeName(bytes: Uint8Array, start: number, end: number): boolean {
  let hasDot = false;
  for (let index = start; index < end; index++) {
    const byte = bytes[index]!;
    if (byte === dot) hasDot = true;
    else if (byte === space || byte === lessThan) return false;
  }
  return hasDot;
}

export function countContent(counts: ContentCounts, { bytes, starts, ends, count, errors }: NameChunk): void {
  for (let index = 0; index < count; index++) {
    if (!errors.has(index) && mayBeName(bytes, starts[index]!, ends[index]!)) counts.names++;
    else counts.others++;
  }
}

/** Returns why a text cannot be a list, by its start; undefined if it may be one. */
export function pageProblem(head: Uint8Array): string | undefined {
  const text = new TextDecoder()
    .decode(head.subarray(0, 512))
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^<(!doctype\s+html|html|head|body|script|meta|title)\b/i.test(text))
    return "is an HTML page, not a list";
  if (/^<(\?xml|!--|[a-z])/i.test(text)) return "is XML or HTML, not a list";
  return undefined;
}

/**
 * Returns why a list is not accepted in place of the one before; undefined if it is.
 * @param namesBefore number of names of the version in effect; 0: there is none.
 * @param shrunkTimes how often in a row the source has already served a shrunk list.
 */
export function contentProblem(
  { names, others }: ContentCounts,
  { namesBefore, shrunkTimes }: { namesBefore: number; shrunkTimes: number },
): { problem: string; isShrunk: boolean } | undefined {
  if (names === 0) return { problem: "contains no names", isShrunk: false };
  if (others > names)
    return {
      problem: `is not a list of names: ${others} of ${names + others} entries are no names`,
      isShrunk: false,
    };
  const isShrunk = namesBefore >= namesShrinkableMax && names < namesBefore * shrunkShare;
  if (!isShrunk || shrunkTimes + 1 >= shrunkTimesMax) return undefined;
  return {
    problem: `has shrunk from ${namesBefore} to ${names} names; it is accepted if it is still as short at the check after next`,
    isShrunk: true,
  };
}
