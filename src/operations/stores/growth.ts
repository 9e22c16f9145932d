import { dirname, join } from "node:path";
import { archiveFolder } from "../../engines/archive/files/folder.ts";
import type { Database } from "../../platform/database/database.ts";
import { startFileTask, type FileTask } from "../../platform/database/files/file-worker.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { freePageBytes } from "../../platform/database/pragmas.ts";
import { dayMs, startOfDay, type Instant, type Timer } from "../../platform/lib/clock.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { counted } from "../../platform/lib/wording.ts";
import {
  measureStores,
  readTableSizes,
  tableSizesStatement,
  type StoreFolders,
  type StoreName,
  type StoreSize,
} from "./stores.ts";

/** The start of a server should not wait for the disk. */
const firstMeasurementMs = 60_000;
/** Interval of the checks whether a new day has begun. */
const intervalMs = 3_600_000;
const daysKept = 90;

/** Sizes of the stores of a server, measured once a day. */
export interface StoreGrowth {
  /** Returns the sizes that were measured last, and how fast the stores grow. */
  latest(): { day: Instant | undefined; sizes: readonly StoreSize[]; growth: Growth };
  /** Measures now and keeps the result for this day. */
  measure(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createStoreGrowth({
  database,
  clock,
  log,
}: Needs<"clock" | "database" | "log">): StoreGrowth {
  const { path, prepare, sqlite } = database;
  const insert = prepare<unknown, [Instant, StoreName, number]>(
    "INSERT OR REPLACE INTO store_sizes (day, store, bytes) VALUES (?, ?, ?)",
  );
  const remove = prepare<unknown, [Instant]>("DELETE FROM store_sizes WHERE day < ?");
  const folders = storeFoldersOf(path);
  let timer: Timer | undefined;
  let task: FileTask | undefined;
  let measuring: Promise<void> | undefined;
  let stopped = false;

  async function measureOnce(): Promise<void> {
    if (path === ":memory:") return;
    task = startFileTask(path, tableSizesStatement);
    const tables = readTableSizes(await task.result);
    const sizes = await measureStores(path, { tables, freeBytes: freePageBytes(sqlite), folders });
    if (stopped) return;
    const day = startOfDay(clock.now());
    await database.write(
      () => {
        for (const { store, bytes } of sizes) insert.run(day, store, bytes);
        remove.run(day - daysKept * dayMs);
      },
      { relaxed: true, patient: true },
    );
  }

  const measure = () =>
    (measuring ??= measureOnce().finally(() => {
      task = undefined;
      measuring = undefined;
    }));

  function tick(): void {
    timer = clock.after(intervalMs, tick);
    const last = readSamples(database).at(-1)?.day;
    if (last === startOfDay(clock.now())) return;
    measure().catch((error: unknown) => {
      if (!stopped) logDropped(log, error, "database.sizes_not_measured");
    });
  }

  return {
    latest() {
      const samples = readSamples(database);
      const last = samples.at(-1);
      return { day: last?.day, sizes: last?.sizes ?? [], growth: computeGrowth(samples) };
    },
    measure,
    start() {
      timer = clock.after(firstMeasurementMs, tick);
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      task?.cancel();
      await measuring?.catch(() => {});
    },
  };
}

/** Returns the samples of the last days, oldest first. */
export function readSamples({ sqlite }: Pick<Database, "sqlite">): GrowthSample[] {
  const samples: { day: Instant; sizes: StoreSize[] }[] = [];
  const rows = sqlite
    .query<{ day: Instant; store: StoreName; bytes: number }, []>(
      "SELECT day, store, bytes FROM store_sizes ORDER BY day",
    )
    .all();
  for (const { day, store, bytes } of rows) {
    if (samples.at(-1)?.day !== day) samples.push({ day, sizes: [] });
    samples.at(-1)!.sizes.push({ store, bytes });
  }
  return samples;
}

/** Returns the folders that belong to the database at `path`. */
export function storeFoldersOf(path: string): StoreFolders {
  return { screenshots: join(dirname(path), "screenshots"), archive: archiveFolder(path) };
}

/** Growth is computed over the last days. Older samples say less about the next ones. */
const daysCompared = 30;

/** Sizes on a day. */
export interface GrowthSample {
  /** Beginning of the day, UTC. */
  day: Instant;
  sizes: readonly StoreSize[];
}

export interface Growth {
  /** Bytes per day by store, negative if it shrinks. Empty without two days to compare. */
  byStore: ReadonlyMap<string, number>;
  /** Growth of all stores together; undefined without two days to compare. */
  bytesPerDay: number | undefined;
  /** Number of days between the samples that were compared. */
  days: number;
}

/** Compares the newest sample with the oldest one of the 30 days before it. @param samples oldest first */
export function computeGrowth(samples: readonly GrowthSample[]): Growth {
  const newest = samples.at(-1);
  const oldest = newest && samples.find(({ day }) => day >= newest.day - daysCompared * dayMs);
  if (newest === undefined || oldest === undefined || oldest === newest)
    return { byStore: new Map(), bytesPerDay: undefined, days: 0 };
  const days = (newest.day - oldest.day) / dayMs;
  const before = new Map(oldest.sizes.map(({ store, bytes }) => [store, bytes]));
  const byStore = new Map(
    newest.sizes.map(({ store, bytes }) => [store as string, (bytes - (before.get(store) ?? 0)) / days]),
  );
  return { byStore, bytesPerDay: [...byStore.values()].reduce((sum, rate) => sum + rate, 0), days };
}

/** Returns the days until the disk is full; undefined while nothing grows. */
export function daysUntilFull(freeBytes: number, { bytesPerDay }: Growth): number | undefined {
  return bytesPerDay === undefined || bytesPerDay <= 0 ? undefined : Math.floor(freeBytes / bytesPerDay);
}

/** Beyond this, a forecast says nothing. */
const forecastDaysMax = 3 * 365;

/** Returns for how long the disk lasts, as a clause. */
export function untilFullText(days: number): string {
  return days > forecastDaysMax
    ? "at this rate, the disk lasts for more than three years"
    : `at this rate, the disk is full in ${counted(days, "day")}`;
}
