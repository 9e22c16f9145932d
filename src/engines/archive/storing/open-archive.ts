import { existsSync } from "node:fs";
import { diskRoomFor, type DiskRoom } from "../../../platform/lib/disk.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { randomHex, type FillRandom } from "../../../platform/lib/ids.ts";
import type { Archive, StartArchiveThread, TryLock } from "../archive.ts";
import { createDiskArchive, type DiskArchiveOptions } from "./disk-archive.ts";
import { maintain as runMaintenance } from "../maintenance/maintain.ts";
import { maintainInThread } from "../maintenance/maintenance-worker.ts";
import type { Maintain } from "./maintenance-schedule.ts";
import { createMemoryArchive } from "./memory-archive.ts";

const journalIdBytes = 8;

interface ArchiveDependencies {
  folder: string | undefined;
  /** `bytesMax` and `ageMsMax` can change. */
  settings: { enabled: boolean; bytesMax: number; ageMsMax: number };
  clock: Clock;
  onProblem: DiskArchiveOptions["onProblem"];
  fillRandom: FillRandom;
  tryLock: TryLock;
  startWorker?: StartArchiveThread | undefined;
}

/**
 * Opens the archive in a folder, or one in memory if it is undefined. Creates no file until names are stored.
 * @param startWorker starts the thread that sorts and compresses; without it, this thread does
 */
export function openArchive(dependencies: ArchiveDependencies): Archive {
  const { folder, settings, clock, onProblem, fillRandom, tryLock, startWorker } = dependencies;
  const { enabled } = settings;
  if (folder === undefined) return createMemoryArchive({ enabled, clock });
  const journalId = randomHex(fillRandom, journalIdBytes);

  const maintain: Maintain = async (task, signal) => {
    // Most commands, and a server that has not seen a name, need no thread.
    if (!existsSync(folder)) return { damagedBytes: 0 };
    if (startWorker === undefined) return runMaintenance(task, tryLock);
    return maintainInThread(task, { startWorker, signal });
  };

  return createDiskArchive({
    folder,
    journalId,
    tryLock,
    enabled,
    limits: settings,
    clock,
    onProblem,
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
