import { existsSync } from "node:fs";
import { diskRoomFor, type DiskRoom } from "../../../platform/lib/disk.ts";
import { type Clock, startOfDay, type Instant } from "../../../platform/lib/clock.ts";
import { randomHex, type FillRandom } from "../../../platform/lib/ids.ts";
import type { Archive, StartArchiveThread, ArchiveBlock, ArchiveSource } from "../archive.ts";
import { createDiskArchive, type DiskArchiveOptions } from "./disk-archive.ts";
import type { ArchiveLimits } from "../maintenance/limits.ts";
import { maintain as runMaintenance } from "../maintenance/maintain.ts";
import { maintainInThread } from "../maintenance/maintenance-worker.ts";
import type { Maintain } from "./maintenance-schedule.ts";
import { copyValidNames } from "../names/valid-names.ts";

const journalIdBytes = 8;

interface ArchiveDependencies extends Pick<DiskArchiveOptions, "clock" | "onProblem" | "tryLock"> {
  folder: string | undefined;
  /** `bytesMax` and `ageMsMax` can change. */
  settings: ArchiveLimits & { enabled: boolean };
  fillRandom: FillRandom;
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

/** Total length of the names that are kept. Beyond it, the oldest day's are deleted. */
const bytesMax = 16 << 20;
const blockNamesMax = 16_384;

interface Group {
  day: Instant;
  source: ArchiveSource;
  names: Set<string>;
  bytes: number;
}

/** Keeps names in memory, for an appliance whose database is in memory too. */
export function createMemoryArchive({ enabled, clock }: { enabled: boolean; clock: Clock }): Archive {
  const groups = new Map<string, Group>();
  let bytes = 0;

  const oldestFirst = () =>
    [...groups.values()].sort((a, b) => a.day - b.day || (a.source < b.source ? -1 : 1));

  function deleteOldest(): void {
    for (const group of oldestFirst()) {
      if (bytes <= bytesMax) return;
      groups.delete(`${group.day} ${group.source}`);
      bytes -= group.bytes;
    }
  }

  function extent() {
    const all = oldestFirst();
    return {
      names: all.reduce((sum, { names }) => sum + names.size, 0),
      bytes,
      oldestDay: all[0]?.day ?? null,
      newestDay: all.at(-1)?.day ?? null,
    };
  }

  return {
    add(lines, { source, seenAt }) {
      if (!enabled) return;
      const day = startOfDay(Math.max(0, Math.min(seenAt, clock.now())));
      const valid = new Uint8Array(3 * lines.length + 1024);
      const { length, count } = copyValidNames(lines, valid);
      if (count === 0) return;
      const newGroup = (): Group => ({ day, source, names: new Set(), bytes: 0 });
      const group = groups.getOrInsertComputed(`${day} ${source}`, newGroup);
      const text = Buffer.from(valid.buffer, 0, length - 1).toString("latin1");
      for (const name of text.split("\n")) {
        if (group.names.has(name)) continue;
        group.names.add(name);
        group.bytes += name.length + 1;
        bytes += name.length + 1;
      }
      deleteOldest();
    },
    flush: () => Promise.resolve(),
    async *read({ start, signal }) {
      for (const group of oldestFirst()) {
        const all = [...group.names].sort();
        for (let from = 0; from < all.length && !signal.aborted; from += blockNamesMax) {
          const position = `${group.day} ${group.source} ${String(from).padStart(9, "0")}`;
          if (start !== undefined && isReached(position, start)) continue;
          yield blockOf(group, all.slice(from, from + blockNamesMax), position);
        }
      }
    },
    extent: () => Promise.resolve(extent()),
    status() {
      const { names, bytes: size, oldestDay } = extent();
      return { enabled, names, bytes: size, oldestDay, problem: null };
    },
    start: () => {},
    stop: () => Promise.resolve(),
  };
}

function blockOf({ day, source }: Group, names: string[], position: string): ArchiveBlock {
  const bytes = new Uint8Array(Buffer.from(`${names.join("\n")}\n`, "latin1"));
  return { day, source, names: bytes, count: names.length, position };
}

/** Whether a block was read by a reading that reached `start`. */
function isReached(position: string, start: string): boolean {
  const [day, source, from] = position.split(" ");
  const [startDay, startSource, startFrom] = start.split(" ");
  if (day !== startDay) return Number(day) < Number(startDay);
  return source === startSource ? from! <= startFrom! : source! < startSource!;
}
