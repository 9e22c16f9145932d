/** Decides when the archive is maintained, and keeps the results. */
import type { DiskRoom } from "../../../platform/lib/disk.ts";
import type { Clock, Timer } from "../../../platform/lib/clock.ts";
import { bytesText } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { isLackOfDescriptors } from "../../../platform/network/descriptors.ts";
import type { ArchiveExtent } from "../archive.ts";
import { listFolder, sortedExtent } from "../files/folder.ts";
import type { ArchiveLimits } from "../maintenance/limits.ts";
import type { MaintenanceResult, MaintenanceTask } from "../maintenance/maintain.ts";

/** How often `onCheck` is called, and after which time a maintenance runs even if nothing asked for it. */
const checkMs = 60_000;
const maintenanceMsMax = 3_600_000;
/** The first maintenance does not slow the start of the server down. */
const delayMs = 5_000;
/** How long `stop` waits for a maintenance in progress. The next one repeats it. */
const stopMsMax = 5_000;
const noExtent: ArchiveExtent = { names: 0, bytes: 0, oldestDay: null, newestDay: null };

export type Maintain = (task: MaintenanceTask, signal: AbortSignal) => Promise<MaintenanceResult>;

export interface MaintenanceOptions {
  folder: string;
  limits: ArchiveLimits;
  clock: Clock;
  /** Returns the room on the disk of the folder; undefined if the system does not tell. */
  diskRoom: () => DiskRoom | undefined;
  /** Runs `maintain`, preferably in another thread. */
  maintain: Maintain;
}

export function createMaintenanceSchedule(dependencies: MaintenanceOptions) {
  const { folder, limits, clock, diskRoom, maintain } = dependencies;
  const stopping = new AbortController();
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let lastMs = -Infinity;
  let damagedBytes = 0;
  let failure: string | null = null;
  let extent = noExtent;

  /** Runs a maintenance now, or once more after the one in progress. */
  function request(): void {
    if (stopping.signal.aborted) return;
    isWanted = true;
    running ??= run().finally(() => (running = undefined));
  }

  async function run(): Promise<void> {
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false;
      lastMs = clock.monotonicMs();
      try {
        const missingBytes = diskRoom()?.missingBytes ?? 0;
        // The limits can change, and the task goes to a thread.
        const present = { bytesMax: limits.bytesMax, ageMsMax: limits.ageMsMax };
        const task = { folder, limits: present, now: clock.now(), missingBytes };
        const result = await maintain(task, stopping.signal);
        damagedBytes += result.damagedBytes;
        extent = sortedExtent(listFolder(folder));
        failure = null;
      } catch (error) {
        failure = `the files in ${folder} cannot be maintained: ${messageOf(error)}`;
        // Other work closes its files soon.
        if (isLackOfDescriptors(error)) lastMs = -Infinity;
      }
    }
  }

  return {
    request,

    /** Adds to the damage that `problem` reports. */
    reportDamage(bytes: number) {
      damagedBytes += bytes;
    },

    /** Extent after the latest maintenance, without names that are in journals only. */
    extent: () => extent,
    problem() {
      if (failure !== null || damagedBytes === 0) return failure;
      return `${bytesText(damagedBytes)} of the files in ${folder} are damaged and were skipped`;
    },

    /** @param onCheck called every minute */
    start(onCheck: () => void) {
      try {
        extent = sortedExtent(listFolder(folder));
      } catch (error) {
        failure = `${folder} cannot be read: ${messageOf(error)}`;
      }
      const schedule = (waitMs: number) => {
        timer = clock.after(waitMs, () => {
          schedule(checkMs);
          onCheck();
          if (clock.monotonicMs() - lastMs >= maintenanceMsMax) request();
        });
      };
      schedule(delayMs);
    },
    async stop() {
      timer?.cancel();
      if (running !== undefined) {
        const late = clock.after(stopMsMax, () => stopping.abort());
        await running;
        late.cancel();
      }
      stopping.abort();
    },
  };
}
