import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Actor } from "../../../access/audit/actor.ts";
import { insertAuditEntry } from "../../../access/audit/raw-entry.ts";
import { deleteAllSessions } from "../../../access/console/sessions.ts";
import { holdRestoredReports } from "../../../response/cases/restored-reports.ts";
import { adoptDatabase, keepAside } from "../../../platform/database/backup.ts";
import { diskRoomFor } from "../../../platform/lib/disk.ts";
import {
  type ApplianceFiles,
  carryOut,
  discardStaging,
  prepareStaging,
} from "../../../platform/database/files/pending-restore.ts";
import { fileStamp, type Instant } from "../../../platform/lib/clock.ts";
import { bytesText } from "../../../platform/lib/durations.ts";
import { StartError } from "../../../platform/lib/errors.ts";
import type { BackupManifest } from "../repository/format.ts";
import { checkDatabase, forgetLastStore } from "./open-database.ts";
import { stageFiles } from "./stage-files.ts";
import type { Needs } from "../repository/needs.ts";

/**
 * Replaces the database, the screenshots and the archive with those of a backup, and keeps the previous ones next to
 * them. The caller holds the lock for serving. If the process is killed, either nothing has changed, or the next
 * process that takes the lock completes the restore. Console sessions end.
 * @returns the names of what was kept, and the configuration file of the backup
 * @throws StoreError, StartError, or an error of the system; then nothing has changed
 */
export async function restoreBackup({
  repository: { store },
  signal,
  ...options
}: Replacement & Needs<"repository" | "signal">): Promise<{
  keptAs: string[];
  configuration: string | undefined;
}> {
  let configuration: string | undefined;
  const { manifest } = options;
  const keptAs = await replaceFiles(options, async (files) => {
    ({ configuration } = await stageFiles({ store, manifest, files, signal }));
    checkDatabase(files.database, manifest, store.name);
  });
  return { keptAs, configuration };
}

interface Replacement {
  manifest: BackupManifest;
  databasePath: string;
  by: Actor;
  at: Instant;
}

/**
 * Does what `restoreBackup` does with files from anywhere. The structure of the database is checked.
 * @param stage writes the files of the backup to their paths. The folders do not exist yet
 * @returns the names of what was kept
 */
export async function replaceFiles(
  { manifest, databasePath, by, at }: Replacement,
  stage: (files: ApplianceFiles) => Promise<void>,
): Promise<string[]> {
  mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 });
  requireRoom(databasePath, manifest.bytes);
  const files = prepareStaging(databasePath);
  const stamp = fileStamp(at);
  let keptAs: string | undefined;
  try {
    await stage(files);
    adoptDatabase(files.database, `the backup ${manifest.id}`, (incoming) => {
      // They may have ended since.
      deleteAllSessions(incoming);
      holdRestoredReports(incoming);
      forgetLastStore(incoming);
      insertAuditEntry(incoming, { by, action: "backup.restore", subject: manifest.id, at });
    });
    keptAs = keepAside(databasePath, stamp);
  } catch (error) {
    discardStaging(databasePath);
    throw error;
  }
  return [...(keptAs === undefined ? [] : [keptAs]), ...carryOut(databasePath, stamp)];
}

/** @throws StartError unless the disk of `path` has room for a backup, beside what is to remain free */
export function requireRoom(path: string, bytes: number, reserveBytes = 0): void {
  const { freeBytes } = diskRoomFor(path);
  if (freeBytes > bytes + reserveBytes) return;
  throw new StartError(
    `the backup needs ${bytesText(bytes)} next to the present files, and ${bytesText(freeBytes)} are free; make room`,
  );
}
