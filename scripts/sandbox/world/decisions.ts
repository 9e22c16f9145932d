import { system, type Actor } from "../../../src/access/audit/actor.ts";
import { dayMs, startOfDay, type Instant } from "../../../src/platform/lib/clock.ts";
import type { Status } from "../../../src/platform/vocabulary/threats.ts";
import type { SeededRandom } from "../../../src/sandbox/world/random.ts";
import type { Check } from "./story.ts";
import type { WorldEntry } from "./entries.ts";

export interface Decision {
  at: Instant;
  before: Status;
  after: Status;
  by: Actor;
}

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** The person at work in the samples. */
export const analyst: Actor = { channel: "console", name: "admin", address: "192.0.2.7" };
/** A program that decides through the API. */
export const automation: Actor = { channel: "api", name: "SOAR", address: "192.0.2.44" };

/** A timer outside of phishwatch runs scans and backups with the command line. */
export const timer: Actor = { channel: "command_line", name: "phishwatch", address: null };

/** Median time to a decision at the start of the samples and at their end: the team became faster. */
const medianHours = { oldest: 44, newest: 3 };
const historyDays = 90;
const workday = { fromHour: 7, hours: 10 };

/** Returns when a person or program decided on a threat: in working hours, and before `start`. */
export function decisionTime(
  entry: WorldEntry,
  { createdAt, start, random }: { createdAt: Instant; start: Instant; random: SeededRandom },
): Instant {
  const age = Math.min(1, (start - createdAt) / (historyDays * dayMs));
  const hours = medianHours.newest + (medianHours.oldest - medianHours.newest) * age;
  // From a quarter of the median to four times as long; severe threats are decided first.
  const factor = 4 ** (random.below(2_001) / 1_000 - 1) * { high: 0.6, medium: 1, low: 1.8 }[entry.severity];
  const wanted = inWorkingHours(createdAt + Math.round(hours * factor * hourMs), random);
  if (wanted < start - minuteMs) return wanted;
  return createdAt + Math.floor(((start - createdAt) * (20 + random.below(60))) / 100);
}

/** Moves a time in the night or at a weekend to the next morning. */
function inWorkingHours(at: Instant, random: SeededRandom): Instant {
  const from = workday.fromHour * hourMs;
  let day = startOfDay(at);
  let inDay = at - day;
  if (inDay > from + workday.hours * hourMs) [day, inDay] = [day + dayMs, 0];
  const weekday = new Date(day).getUTCDay();
  if (weekday === 6 || weekday === 0) [day, inDay] = [day + (weekday === 6 ? 2 : 1) * dayMs, 0];
  return inDay < from ? day + from + random.below(2 * hourMs) : day + inDay;
}

/** Returns the changes of a threat's status, the last one to its present status. */
export function decisionsOf(
  { status, severity }: WorldEntry,
  {
    checks,
    decidedAt,
    goneAt,
    random,
  }: {
    checks: readonly Check[];
    decidedAt: Instant | undefined;
    goneAt: Instant | undefined;
    random: SeededRandom;
  },
): Decision[] {
  if (decidedAt !== undefined) {
    // Programs decide on what is obvious.
    const by = severity !== "high" && random.below(4) === 0 ? automation : analyst;
    return [{ at: decidedAt, before: "active", after: status, by }];
  }
  if (goneAt === undefined) return [];
  const backAt = checks.find(({ at, facts }) => at > goneAt && facts.existence?.exists === "yes")!.at;
  const resolvedAt = inWorkingHours(goneAt - dayMs, random);
  if (resolvedAt >= backAt) return [];
  return [
    { at: resolvedAt, before: "active", after: "resolved", by: analyst },
    { at: backAt, before: "resolved", after: "active", by: system },
  ];
}
