import { existsSync } from "node:fs";
import { diskRoomFor, type DiskRoom } from "../../../platform/database/files/disk.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { randomHex, type FillRandom } from "../../../platform/lib/ids.ts";
import type { Log } from "../../../platform/lib/log.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { Archive } from "../archive.ts";
import { createDiskArchive } from "./disk-archive.ts";
import { archiveFolder } from "../files/folder.ts";
import type { MaintenanceResult, MaintenanceTask } from "../maintenance/maintain.ts";
import { createMemoryArchive } from "./memory-archive.ts";

const journalIdBytes = 8;

/**
 * Opens the archive next to the database, or one in memory for ":memory:". Creates no file until names are stored.
 * @param startWorker starts the thread that sorts and compresses; without it, this thread does
 */
export function openArchive({
  databasePath,
  settings,
  clock,
  log,
  fillRandom,
  startWorker,
}: {
  databasePath: string;
  /** `bytesMax` and `ageMsMax` can change. */
  settings: { enabled: boolean; bytesMax: number; ageMsMax: number };
  clock: Clock;
  log: Log;
  fillRandom: FillRandom;
  startWorker?: StartWorker | undefined;
}): Archive {
  const { enabled } = settings;
  if (databasePath === ":memory:") return createMemoryArchive({ enabled, clock });
  const folder = archiveFolder(databasePath);
  const journalId = randomHex(fillRandom, journalIdBytes);

  async function maintain(task: MaintenanceTask, signal: AbortSignal): Promise<MaintenanceResult> {
    // Most commands, and a server that has not seen a name, need no thread.
    if (!existsSync(folder)) return { damagedBytes: 0 };
    if (startWorker === undefined) return (await import("../maintenance/maintain.ts")).maintain(task);
    const { maintainInThread } = await import("../maintenance/maintenance-worker.ts");
    return maintainInThread(task, { startWorker, signal });
  }

  return createDiskArchive({
    folder,
    journalId,
    enabled,
    limits: {
      get bytesMax() {
        return settings.bytesMax;
      },
      get ageMsMax() {
        return settings.ageMsMax;
      },
    },
    clock,
    log,
    diskRoom: () => roomFor(folder),
    maintain,
  });
}

/** Returns undefined if the system does not tell. */
function roomFor(folder: string): DiskRoom | undefined {
  try {
    return diskRoomFor(folder);
  } catch {
    return undefined;
  }
}
