import { createTraps, type TrapSettings } from "../../src/traps/traps.ts";
import { createLog } from "../../src/lib/log.ts";
import { createPacer } from "../../src/lib/pacer.ts";
import { fillRandom } from "./appliance.ts";
import type { Stores } from "./stores.ts";

/** Traps over a real database file. */
export function openTraps(
  stores: Stores,
  settings: Partial<TrapSettings> = {},
  write: (line: string) => void = () => {},
) {
  const log = createLog({ level: "warn", format: "json", clock: stores.clock, write });
  return createTraps({
    ...stores,
    fillRandom,
    log,
    pacer: () => createPacer({ sliceMs: 5, elapsedMs: () => performance.now() }),
    publicUrl: () => "https://traps.test",
    settings: {
      repeatAfterMs: 3_600_000,
      alarmClasses: [],
      hitsPerMinute: 600,
      eventsPerHour: 1000,
      hostsPerHour: 60,
      hitsKeptMs: 90 * 86_400_000,
      ...settings,
    },
  });
}
