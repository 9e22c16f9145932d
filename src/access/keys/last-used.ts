import { logDropped } from "../../platform/lib/log.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import type { ApiKeys } from "./keys.ts";

const everyMinute = "* * * * *";

/** Stores the times of last use of API keys once a minute, so that a request does not wait for a write. */
export function createLastUsedWriter({
  clock,
  keys,
  log,
}: Needs<"clock" | "log"> & { keys: Pick<ApiKeys, "flushLastUsed"> }) {
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
