import { createBodyBudget, type BodyBudget } from "../../src/web/http/body/body-budget.ts";
import { systemClock, type Clock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { createYielder } from "../../src/platform/lib/yielder.ts";

/** Returns the budget of a process with that much memory. @param log receives the log's lines */
export function testBodies({
  memoryBytes = 1 << 30,
  clock = systemClock,
  write = () => {},
}: { memoryBytes?: number; clock?: Clock; write?: (line: string) => void } = {}): BodyBudget {
  const log = createLog({ level: "warn", format: "json", clock, write });
  const yielder = createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
  return createBodyBudget({ memoryBytes, yielder, clock, log });
}
