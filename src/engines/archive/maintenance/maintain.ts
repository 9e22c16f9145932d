/** Makes segments from journals, merges segments, and enforces the limits of the archive. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { TryLock } from "../archive.ts";
import { listFolder, sealedFile, sealedNumber } from "../files/folder.ts";
import { journalId, journalLockPurpose, journalBytesMax } from "../files/journal.ts";
import { segmentsToDelete, segmentsToMerge, type ArchiveLimits } from "./limits.ts";
import { mergeSegments } from "./merge.ts";
import { open } from "node:fs/promises";
import { readRecords, type Group } from "../files/record.ts";
import { createNameSorter, sortedNamesMax } from "../names/sort-names.ts";
import { copyValidNames } from "../names/valid-names.ts";
import { createSegmentWriter } from "./segment-writer.ts";

export interface MaintenanceTask {
  folder: string;
  limits: ArchiveLimits;
  now: Instant;
  /** How much less the archive has to take because the disk is nearly full. */
  missingBytes: number;
}

export interface MaintenanceResult {
  /** Bytes of segments that could not be read. Their names are lost. */
  damagedBytes: number;
}

/**
 * Does nothing if another process is doing the same. It can be killed at any point: every step ends with renaming a
 * complete file, and is repeated otherwise.
 * @throws an error of the system
 */
export async function maintain(
  { folder, limits, now, missingBytes }: MaintenanceTask,
  tryLock: TryLock,
): Promise<MaintenanceResult> {
  let damagedBytes = 0;
  if (!existsSync(folder)) return { damagedBytes };
  const lock = tryLock(join(folder, "maintenance"), "lock");
  if (lock === undefined) return { damagedBytes };
  const remove = (file: string) => rmSync(join(folder, file), { force: true });
  const enforceLimits = (missing: number) => {
    for (const { file } of segmentsToDelete(listFolder(folder), limits, { now, missingBytes: missing }))
      remove(file);
  };
  try {
    for (const file of listFolder(folder).leftovers) remove(file);
    enforceLimits(missingBytes);
    closeAbandoned(folder, tryLock);
    sealClosed(folder, now);
    for (const { file, state } of listFolder(folder).journals) {
      if (state !== "sealed") continue;
      await writeSegmentsOf(folder, file);
      remove(file);
      enforceLimits(0);
    }
    for (;;) {
      const adjacent = segmentsToMerge(listFolder(folder), limits, now);
      if (adjacent === undefined) break;
      await mergeSegments(folder, adjacent, (bytes) => (damagedBytes += bytes));
      for (const { file } of adjacent) remove(file);
    }
    enforceLimits(0);
    return { damagedBytes };
  } finally {
    lock.release();
  }
}

/** Closes the journals of processes that ended without doing so: their locks are free. */
function closeAbandoned(folder: string, tryLock: TryLock): void {
  for (const { file, state } of listFolder(folder).journals) {
    if (state !== "open") continue;
    const lockPath = join(folder, journalId(file));
    const lock = tryLock(lockPath, journalLockPurpose);
    if (lock === undefined) continue;
    const path = join(folder, file);
    if (existsSync(path)) renameSync(path, path.replace(/open$/, "closed"));
    lock.release();
    rmSync(`${lockPath}.${journalLockPurpose}`, { force: true });
  }
}

/** Numbers the closed journals. The numbers only grow, even if the clock is set back. */
function sealClosed(folder: string, now: Instant): void {
  const { segments, journals } = listFolder(folder);
  const sealed = journals.filter(({ state }) => state === "sealed").map(({ file }) => sealedNumber(file));
  let newest = [...segments.map(({ last }) => last), ...sealed].reduce((a, b) => Math.max(a, b), 0);
  for (const { file, state } of journals) {
    if (state !== "closed") continue;
    newest = Math.max(newest + numbersPerJournal, now);
    renameSync(join(folder, file), join(folder, sealedFile(newest)));
  }
}

/** Makes sorted segments from a journal: one for each day and source, or several if it contains very many names. */

/** Memory for the names of a segment before they are sorted: a whole journal, which ends with the write that fills it. */
const runBytesMax = journalBytesMax + (1 << 20);
const runBytesAtFirst = 1 << 16;
/** Numbers between two journals. The segments of one journal that are of the same day and source use some of them. */
const numbersPerJournal = 64;

/** Names of one day and source that are not sorted yet. */
interface Run extends Group {
  names: Uint8Array;
  used: number;
  count: number;
  /** Number of segments written before. */
  written: number;
}

/** @param file a sealed journal. Repeating this after a crash writes the same segments again. */
async function writeSegmentsOf(folder: string, file: string): Promise<void> {
  const sort = createNameSorter();
  const runs = new Map<string, Run>();

  function write(run: Run): void {
    if (run.count === 0) return;
    const { day, source } = run;
    const number = sealedNumber(file) + run.written++;
    using writer = createSegmentWriter(folder, { day, source, first: number, last: number });
    sort(run.names, run.count, (start, end) => writer.add(run.names, start, end));
    writer.finish();
    run.used = 0;
    run.count = 0;
  }

  function add(run: Run, lines: Uint8Array): void {
    for (let start = 0; start < lines.length;) {
      const { length, count, read } = copyValidNames(lines, run.names, run.used, {
        start,
        countMax: sortedNamesMax - run.count,
      });
      run.used += length;
      run.count += count;
      start += read;
      if (start === lines.length) return;
      if (run.names.length < runBytesMax && run.count < sortedNamesMax) {
        const larger = new Uint8Array(Math.min(runBytesMax, 4 * run.names.length));
        larger.set(run.names.subarray(0, run.used));
        run.names = larger;
      } else write(run);
    }
  }

  await using journal = await open(join(folder, file), "r");
  for await (const { day, source, stored } of readRecords(journal)) {
    const newRun = (): Run => {
      return { day, source, names: new Uint8Array(runBytesAtFirst), used: 0, count: 0, written: 0 };
    };
    add(runs.getOrInsertComputed(`${day} ${source}`, newRun), stored);
  }
  for (const run of runs.values()) write(run);
}
