import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { adoptDatabase } from "../../../platform/database/backup.ts";
import {
  type ApplianceFiles,
  filesOf,
  newCopyPath,
} from "../../../platform/database/files/pending-restore.ts";
import { lockCopies } from "../../../platform/database/lock.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { chunksOf, getChunk, readFileList } from "../repository/file-list.ts";
import { checkDatabase } from "./open-database.ts";
import { requireRoom } from "./restore-backup.ts";
import { requireExtent, stageFiles } from "./stage-files.ts";
import type { Needs } from "../repository/needs.ts";

/** Left for the server, which may run on the same disk: it stops recording on a full one. */
const reserveBytes = 128 * 1024 * 1024;

/** Extent of a check, and its duration. */
export interface Verification {
  files: number;
  bytes: number;
  durationMs: number;
}

/**
 * Reads every chunk of a backup and compares it with its name, without writing anything.
 * @throws StoreError `damaged` with the first object that is missing or damaged
 */
export async function verifyBackup({
  repository: { store },
  manifest,
  clock,
  signal,
}: Needs<"repository" | "manifest" | "signal"> & {
  clock: Pick<Clock, "monotonicMs">;
}): Promise<Verification> {
  const startedMs = clock.monotonicMs();
  const read = new Set<string>();
  let files = 0;
  let bytes = 0;
  for await (const entry of readFileList(store, manifest)) {
    files++;
    bytes += entry.bytes;
    for (const name of chunksOf(entry)) {
      signal.throwIfAborted();
      if (read.has(name)) continue;
      read.add(name);
      await getChunk(store, name);
    }
  }
  requireExtent({ files, bytes }, manifest, store);
  return { files, bytes, durationMs: Math.round(clock.monotonicMs() - startedMs) };
}

/**
 * Restores a backup into a temporary folder next to the database, with all checks of a restore, and deletes it.
 * @param open opens the appliance on the restored files
 * @throws StoreError, StartError, or an error of the system or of `open`
 */
export async function rehearseRestore({
  repository: { store },
  manifest,
  databasePath,
  open,
  clock,
  fillRandom,
  signal,
}: Needs<"repository" | "manifest" | "fillRandom" | "signal"> & {
  /** The folder is created next to it. It may not exist. */
  databasePath: string;
  open: (files: ApplianceFiles) => Promise<void>;
  clock: Pick<Clock, "monotonicMs">;
}): Promise<Verification> {
  const startedMs = clock.monotonicMs();
  using _lock = lockCopies(databasePath);
  const folder = newCopyPath(databasePath, fillRandom);
  try {
    requireRoom(folder, manifest.bytes, reserveBytes);
    mkdirSync(folder, { mode: 0o700 });
    const files = filesOf(join(folder, "phishwatch.db"));
    const { count, bytes } = await stageFiles({ store, manifest, files, signal });
    checkDatabase(files.database, manifest, store.name);
    adoptDatabase(files.database, `the backup ${manifest.id}`, () => {});
    await open(files);
    return { files: count, bytes, durationMs: Math.round(clock.monotonicMs() - startedMs) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
