import type { Config } from "../../../platform/config/config.ts";
import { dayMs, startOfDay, type Clock } from "../../../platform/lib/clock.ts";
import type { InspectionStatus } from "../model/status.ts";
import { disabledBy } from "./admission.ts";
import type { Budget } from "./budget.ts";
import type { InspectionStore } from "../store/inspection-store.ts";

/** Counting what waits takes a few milliseconds, so a result is used for this long. */
const keptMs = 1_000;

/** Returns the state of the queue. `forget` has it counted again, for a person who looks at what was just requested. */
export function createStatus({
  budget,
  clock,
  config,
  running,
  store,
}: {
  budget: Budget;
  clock: Pick<Clock, "now" | "monotonicMs">;
  config: Pick<Config, "inspection" | "lookups">;
  running: () => number;
  store: InspectionStore;
}): { status: () => InspectionStatus; forget: () => void } {
  let counted: Pick<InspectionStatus, "waiting" | "oldestAt" | "totals"> | undefined;
  let countedAtMs = -Infinity;
  function status(): InspectionStatus {
    const now = clock.now();
    if (counted === undefined || clock.monotonicMs() - countedAtMs >= keptMs) {
      counted = {
        waiting: store.waiting(),
        oldestAt: store.oldestWaitingAt() ?? null,
        totals: store.totals(),
      };
      countedAtMs = clock.monotonicMs();
    }
    const { perDay, perMinute } = config.inspection;
    return {
      disabled: disabledBy(config),
      ...counted,
      running: running(),
      budget: {
        minute: { used: budget.lastMinute(), max: perMinute },
        day: { used: store.countToday(now, "started"), max: perDay, endsAt: startOfDay(now) + dayMs },
      },
    };
  }

  return {
    status,
    forget() {
      counted = undefined;
    },
  };
}
