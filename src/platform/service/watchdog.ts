import type { Database } from "../database/database.ts";
import type { Clock, Timer } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { ServiceNotifier } from "./notify.ts";

/** Signs of life in each timeout of the watchdog, so that a single late one does not restart the server. */
const signsPerTimeout = 4;

/**
 * Sends signs of life to the service manager while the event loop turns and the write queue of the database makes
 * progress: the two states that end with a restart only. An error of the database is progress, because a restart would
 * not remove it: a lock that another process holds, a full disk or a damaged file are reported by `/readyz`.
 */
export function startWatchdog({
  notifier: { watchdog },
  database,
  clock,
  log,
}: {
  notifier: Pick<ServiceNotifier, "watchdog">;
  database: Pick<Database, "observe" | "write">;
  clock: Pick<Clock, "after">;
  log: Log;
}): { stop(): void } {
  if (watchdog === undefined) return { stop() {} };
  const { alive, timeoutMs } = watchdog;
  let timer: Timer | undefined;
  let hasProgress = true;
  let isProbing = false;
  let isReported = false;
  // The probe is at the end of the queue, which may be long; commits before it are progress, too.
  const progress = () => void (hasProgress = true);
  database.observe({ changed: progress, failed: progress });

  /** A write without changes passes through the queue, but does not reach the disk. */
  function probe(): void {
    isProbing = true;
    const ended = () => {
      isProbing = false;
      hasProgress = true;
    };
    database.write(() => {}, { relaxed: true }).then(ended, ended);
  }

  function tick(): void {
    timer = clock.after(timeoutMs / signsPerTimeout, tick);
    if (hasProgress) alive();
    else if (!isReported) log.event("service.writes_stuck", { timeoutMs });
    isReported = !hasProgress;
    hasProgress = false;
    if (!isProbing) probe();
  }

  tick();
  return { stop: () => timer?.cancel() };
}
