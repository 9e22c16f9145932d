import type { Instant } from "../../platform/lib/clock.ts";
import { logDropped } from "../../platform/lib/log.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";

const everyMinute = "* * * * *";

/**
 * When keys were last used, as far as it is not written yet.
 * @param write stores the times, by `seq` of the key
 */
export function createLastUses(write: (times: ReadonlyMap<number, Instant>) => Promise<void>) {
  const noted = new Map<number, Instant>();

  async function writeAll(): Promise<void> {
    const times = new Map(noted);
    await write(times);
    // Uses during the write are written the next time.
    for (const [key, at] of times) if (noted.get(key) === at) noted.delete(key);
  }

  return {
    /** @param key `seq` of the key */
    note: (key: number, at: Instant) => void noted.set(key, at),
    /** Returns the later of the stored time and the noted one; null: never. */
    latest(key: number, stored: Instant | null): Instant | null {
      const at = noted.get(key);
      if (at === undefined || stored === null) return at ?? stored;
      return Math.max(at, stored);
    },
    /** Writes what was noted. Returns undefined if there is nothing to write. */
    flush: (): Promise<void> | undefined => (noted.size === 0 ? undefined : writeAll()),
  };
}

/** Stores the times of last use of API keys once a minute, so that a request does not wait for a write. */
export function createLastUsedWriter({
  clock,
  keys,
  log,
}: Needs<"clock" | "log"> & { keys: { flushLastUsed(): Promise<void> | undefined } }) {
  let schedule: Schedule | undefined;

  /** A full disk, for example, is no reason to stop: the times are kept for the next minute. */
  const write = () =>
    keys.flushLastUsed()?.catch((error: unknown) => logDropped(log, error, "api_key.use_not_stored"));

  return {
    start() {
      schedule = every({ clock, pattern: everyMinute, run: write });
    },
    /** Stores what is still in memory. */
    async stop() {
      schedule?.stop();
      await write();
    },
  };
}
