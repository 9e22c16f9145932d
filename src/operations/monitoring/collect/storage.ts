import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

const hourMs = 3_600_000;

/** Collects the state and the size of the database. */
export function storageCollector({
  clock,
  database,
  databaseHealth,
}: Monitored<"clock" | "database" | "databaseHealth">): Collector {
  const screenshotBytes =
    database.path === ":memory:"
      ? async () => null
      : measureFolder(join(dirname(database.path), "screenshots"), clock);
  return async () => {
    const screenshots = await screenshotBytes();
    const { errors, quickCheck, disk } = databaseHealth.status();
    const bytes = database.bytesOnDisk();
    const { waiting, settled, waitedMs } = database.writeTotals();
    return {
      databaseErrors: errors.map(({ code, total }) => [{ code }, total]),
      quickCheckOk: quickCheck && (quickCheck.result === "ok" ? 1 : 0),
      quickCheckTime: quickCheck && quickCheck.at / 1000,
      databaseBytes:
        bytes === undefined
          ? []
          : [
              [{ file: "database" }, bytes.file],
              [{ file: "log" }, bytes.log],
            ],
      screenshotBytes: screenshots,
      diskFree: disk?.freeBytes,
      writesWaiting: waiting,
      writes: settled,
      writeWait: waitedMs / 1000,
      locked: (database.lockIncident()?.heldMs ?? 0) / 1000,
    };
  };
}

/** Returns a function that returns the size of the files in a folder, measured at most once an hour. */
function measureFolder(folder: string, clock: Pick<Clock, "monotonicMs">): () => Promise<number | null> {
  let known: number | null = null;
  let measuredAtMs = -Infinity;
  let measuring: Promise<void> | undefined;

  async function measure(): Promise<void> {
    measuredAtMs = clock.monotonicMs();
    try {
      let bytes = 0;
      for (const name of await readdir(folder)) bytes += (await sizeOf(join(folder, name))) ?? 0;
      known = bytes;
    } catch {
      // There is no folder before the first screenshot.
      known = 0;
    } finally {
      measuring = undefined;
    }
  }

  return async () => {
    if (clock.monotonicMs() - measuredAtMs >= hourMs) measuring ??= measure();
    // Only the first scrape waits.
    if (known === null) await measuring;
    return known;
  };
}

/** Returns undefined for a file that was deleted in the meantime. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}

/** Collects backups. */
export function backupCollector({ backups, clock }: Monitored<"backups" | "clock">): Collector {
  return () => {
    const { schedule, completed, overdueSince, failuresTotal } = backups.status();
    const isScheduled = schedule !== null;
    const overdueMs = overdueSince === null ? 0 : Math.max(0, clock.now() - overdueSince);
    return {
      backupLastSuccess: completed === null ? (isScheduled ? 0 : null) : completed.at / 1000,
      backupBytes: completed?.bytes,
      backupFailures: failuresTotal,
      backupOverdue: isScheduled ? overdueMs / 1000 : null,
    };
  };
}
