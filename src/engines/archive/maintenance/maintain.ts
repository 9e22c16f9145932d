/** Makes segments from journals, merges segments, and enforces the limits of the archive. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { TryLock } from "../archive.ts";
import { listFolder, sealedFile, sealedNumber } from "../files/folder.ts";
import { journalId, journalLockPurpose } from "../files/journal.ts";
import { segmentsToDelete, segmentsToMerge, type ArchiveLimits } from "./limits.ts";
import { mergeSegments } from "./merge.ts";
import { numbersPerJournal, writeSegmentsOf } from "./segments-of-journal.ts";

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

/** Closes the journals of processes that ended without doing so: nobody holds their locks. */
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
