import type { Instant } from "../lib/clock.ts";

/** Outcome of one reload of the configuration file. Contains no value of a setting. */
export interface ReloadOutcome {
  startedAt: Instant;
  endedAt: Instant;
  /** `failed`: nothing was changed. */
  result: "applied" | "unchanged" | "failed";
  /** Applied changes, such as `log.level` or `feeds "nrd" added`. */
  applied: readonly string[];
  /** Keys whose new value takes effect at the next start. */
  restart: readonly string[];
  /** One line for each error, as the start reports it. */
  errors: readonly string[];
  /** Exit code of `phishwatch reload`: 2 if the configuration is invalid, 1 for another failure. */
  exitCode: 0 | 1 | 2;
}

/** Returns the outcome as lines for people. */
export function describeOutcome({ result, applied, restart, errors }: ReloadOutcome): string[] {
  if (result === "failed")
    return [...errors, "nothing was changed: the previous configuration stays in effect"];
  const lines = applied.map((change) => `applied: ${change}`);
  if (restart.length > 0) lines.push(`needs a restart: ${restart.join(", ")}`);
  return lines.length === 0 ? ["nothing has changed"] : lines;
}
