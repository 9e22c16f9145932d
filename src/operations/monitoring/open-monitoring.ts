import { createCollectors } from "./collect/all-collectors.ts";
import type { Collector } from "./metrics/metrics.ts";

type Dependencies = Parameters<typeof createCollectors>[0];
type Surroundings = Pick<Dependencies, "clock" | "config" | "log">;
type State = Pick<Dependencies, "database" | "databaseHealth" | "keys">;

/** Creates the collectors, given what the HTTP server has. */
export type OpenCollectors = (state: State) => readonly Collector[];

/** Returns a function that creates the collectors of all services. Call it at the first scrape. */
export function openMonitoring(
  { clock, config, log }: Surroundings,
  services: Omit<Dependencies, keyof Surroundings | keyof State | "lastReload">,
  lastReload: Dependencies["lastReload"],
): OpenCollectors {
  return (state) => createCollectors({ clock, config, log, ...state, ...services, lastReload });
}
