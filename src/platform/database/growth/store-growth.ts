import { dayMs, startOfDay, type Instant, type Timer } from "../../lib/clock.ts";
import { logDropped } from "../../lib/log.ts";
import type { Database } from "../database.ts";
import { startFileTask, type FileTask } from "../files/file-worker.ts";
import type { Needs } from "../needs.ts";
import { computeGrowth, type Growth, type GrowthSample } from "./growth.ts";
import {
  freePageBytes,
  measureStores,
  readTableSizes,
  tableSizesStatement,
  type StoreFolders,
} from "./measure.ts";
import type { StoreName, StoreSize } from "./stores.ts";

/** The start of a server should not wait for the disk. */
const firstMeasurementMs = 60_000;
/** Interval of the checks whether a new day has begun. */
const intervalMs = 3_600_000;
const daysKept = 90;

/** Sizes of the stores of a server, measured once a day. */
export interface StoreGrowth {
  /** Returns the sizes that were measured last, and how fast the stores grow. */
  latest(): { day: Instant | undefined; sizes: readonly StoreSize[]; growth: Growth };
  /** Measures now and keeps the result as that of this day. */
  measure(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createStoreGrowth({
  database,
  clock,
  folders,
  log,
}: Needs<"clock" | "database" | "log"> & { folders: StoreFolders }): StoreGrowth {
  const { path, sqlite } = database;
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
        for (const { store, bytes } of sizes)
          sqlite.run("INSERT OR REPLACE INTO store_sizes (day, store, bytes) VALUES (?, ?, ?)", [
            day,
            store,
            bytes,
          ]);
        sqlite.run("DELETE FROM store_sizes WHERE day < ?", [day - daysKept * dayMs]);
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
