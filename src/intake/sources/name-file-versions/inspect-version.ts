import { open } from "node:fs/promises";
import type { ListFormat } from "../../../platform/vocabulary/lists.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { NameListError } from "../name-file-bytes/errors.ts";
import { openBytes } from "../name-file-bytes/bytes.ts";
import { readAhead } from "../name-file-bytes/byte-source.ts";
import { openNameList } from "../name-files/name-list.ts";
import { contentProblem, countContent, pageProblem, type ContentCounts } from "./check-content.ts";
import { compareVersions, type VersionChange } from "./compare-versions.ts";
import { openHashFile, type HashFile } from "./hash-file.ts";
import { createHashSorter, type HashSorter } from "./hash-sorter.ts";
import { createNameHash, hashOfEntry } from "./name-hash.ts";

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
