import { open } from "node:fs/promises";
import type { ListFormat } from "../../../platform/vocabulary/lists.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { openBytes } from "../name-file-bytes/bytes.ts";
import { readAhead, NameListError } from "../name-file-bytes/byte-source.ts";
import { openNameList } from "../name-files/name-list.ts";
import { compareVersions, type VersionChange } from "./compare-versions.ts";
import { openHashFile, type HashFile } from "./hash-file.ts";
import { createHashSorter, type HashSorter } from "./hash-sorter.ts";
import { createNameHash, hashOfEntry } from "./name-hash.ts";
import type { NameChunk } from "../name-file-formats/name-chunk.ts";

export interface Inspection {
  /** Name of the list for the detection of its format and for messages. */
  label: string;
  /** File that was downloaded. */
  path: string;
  format: ListFormat;
  column: string | null;
  /** Maximum size after decompression. */
  textBytesMax: number;
  /** Hashes of the version in effect; may be missing. */
  beforePath: string | null;
  /** Number of names of the version in effect; 0: there is none. */
  namesBefore: number;
  shrunkTimes: number;
  /** Files to write. */
  hashesPath: string;
  addedPath: string;
  temporaryPath: string;
  /** Key of the hashes if there is no version to compare with. */
  newKey: () => Uint8Array;
  yielder: Yielder;
  signal: AbortSignal;
}

/** `problem`: words that follow the name of the list. */
export type InspectionResult = { change: VersionChange } | { problem: string; isShrunk: boolean };

const pageHeadBytes = 512;

/**
 * Reads a downloaded list as a whole: checks that it is a list of names, and compares it with the version in effect.
 * Memory is bounded, however long the list is. Rejects with the signal's reason, or an error of the file system.
 */
export async function inspectVersion(inspection: Inspection): Promise<InspectionResult> {
  const { path, beforePath, signal } = inspection;
  const before = beforePath === null ? undefined : await openHashFile(beforePath);
  try {
    const sorter = await createHashSorter(inspection.temporaryPath);
    try {
      const page = await findPage(path, signal);
      if (page !== undefined) return { problem: page, isShrunk: false };
      return await inspectNames(inspection, before, sorter);
    } finally {
      await sorter.close();
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof NameListError)) throw error;
    return { problem: error.problem, isShrunk: false };
  } finally {
    await before?.close();
  }
}

async function inspectNames(
  inspection: Inspection,
  before: HashFile | undefined,
  sorter: HashSorter,
): Promise<InspectionResult> {
  const { path, label, format, column, textBytesMax, hashesPath, addedPath, yielder, signal } = inspection;
  const key = before?.key ?? inspection.newKey();
  const hash = createNameHash(key);
  const counts: ContentCounts = { names: 0, others: 0 };
  const file = await open(path, "r");
  const list = await openNameList(label, { format, column: column ?? "", file, textBytesMax, signal });
  try {
    for await (const chunk of list.chunks()) {
      countContent(counts, chunk);
      for (let index = 0; index < chunk.count; index++) {
        const entry = hashOfEntry(hash, chunk, index);
        if (entry >= 0) sorter.add(entry);
      }
      await sorter.settle();
      if (yielder.due()) await yielder.pause();
    }
  } finally {
    await list.close();
  }
  const problem = contentProblem(counts, inspection);
  if (problem !== undefined) return problem;
  const change = await compareVersions({ sorter, key, before, hashesPath, addedPath, yielder, signal });
  return { change };
}

/** Returns why the file is a page; undefined if it may be a list. */
async function findPage(path: string, signal: AbortSignal): Promise<string | undefined> {
  const source = await openBytes(path, { signal });
  try {
    return pageProblem(await readAhead(source, pageHeadBytes));
  } finally {
    await source.close();
  }
}

/** Counts of the entries of a list. */
interface ContentCounts {
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
    const byte = bytes[index] ?? 0;
    if (byte === dot) hasDot = true;
    else if (byte === space || byte === lessThan) return false;
  }
  return hasDot;
}

function countContent(counts: ContentCounts, { bytes, starts, ends, count, errors }: NameChunk): void {
  for (let index = 0; index < count; index++) {
    if (!errors.has(index) && mayBeName(bytes, starts[index] ?? 0, ends[index] ?? 0)) counts.names++;
    else counts.others++;
  }
}

/** Returns why a text cannot be a list, by its start; undefined if it may be one. */
function pageProblem(head: Uint8Array): string | undefined {
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
function contentProblem(
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
