import { logDropped } from "../../platform/lib/log.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import { logEnd, logStart } from "./execution.ts";
import type { ScanStore } from "./store.ts";

const everyFiveSeconds = "*/5 * * * * *";

/**
 * Logs start and end of the scans by command line, which other processes run. `closeAbandoned` is called while such a
 * scan is recorded as running: its process may have been killed.
 */
export function watchCommandScans({
  clock,
  log,
  store,
  closeAbandoned,
}: Needs<"clock" | "log"> & {
  store: Pick<ScanStore, "get" | "list" | "running" | "since">;
  closeAbandoned: () => void;
}): Schedule {
  let newest = store.list(1)[0]?.seq ?? 0;
  let open = store
    .running()
    .filter(({ trigger }) => trigger === "cli")
    .map(({ id }) => id);

  function run(): void {
    for (const scan of store.since(newest)) {
      newest = scan.seq;
      if (scan.trigger !== "cli") continue;
      logStart(log, scan);
      open.push(scan.id);
    }
    open = open.filter((id) => {
      const scan = store.get(id);
      if (scan?.status === "running") return true;
      if (scan !== undefined) logEnd(log, scan);
      return false;
    });
    if (open.length > 0) closeAbandoned();
  }

  return every({
    clock,
    pattern: everyFiveSeconds,
    run() {
      try {
        run();
      } catch (error) {
        logDropped(log, error, "scan.commands_not_checked");
      }
    },
  });
}
