import { dayMs, startOfDay, type Instant } from "../../../../platform/lib/clock.ts";
import type {
  ActivityOfDay,
  ActivityTotal,
  NameOrigin,
} from "../../../../intake/sources/activity/source-activity.ts";
import { type Source, type SourceStatus, describeOverdue } from "../../../../intake/sources/source.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { describeActor } from "../../../../access/audit/actor.ts";
import type { Pause } from "../../../../intake/sources/pauses/source-pauses.ts";
import type { Tone } from "../../kit/inline.tsx";
import { relativeAge } from "../../kit/times.ts";

/** Number of days that the list shows, today included. */
export const listedDays = 14;

/** Where names come from, with what arrived in the listed days. */
export interface Origin extends NameOrigin {
  /** Absent: another part of phishwatch, or a source that is no longer declared. */
  watched: { source: Source; status: SourceStatus } | undefined;
  /** Names of each day, oldest first. */
  names: number[];
  /** Names that match a protected domain, of each day. */
  matched: number[];
  /** New threats of each day. */
  created: number[];
  /** When names last arrived; null if never. */
  lastAt: Instant | null;
}

/** A source that the configuration file declares. */
export type DeclaredOrigin = Origin & { watched: NonNullable<Origin["watched"]> };

export function isDeclared(origin: Origin): origin is DeclaredOrigin {
  return (origin.watched?.source.declaredAs ?? null) !== null;
}

/** Returns all sources in their order, and then the other origins that names have come from. */
export function originsOf(given: {
  sources: readonly Source[];
  /** Counts of the listed days. */
  days: readonly ActivityOfDay[];
  totals: readonly ActivityTotal[];
  now: Instant;
}): Origin[] {
  const { sources, days, totals, now } = given;
  const firstDay = firstListedDay(now);
  const origins = new Map<string, Origin>();
  const originOf = ({ kind, name }: NameOrigin): Origin => {
    const key = JSON.stringify([kind, name]);
    const known = origins.get(key);
    if (known !== undefined) return known;
    const none = () => Array.from({ length: listedDays }, () => 0);
    const origin = {
      kind,
      name,
      watched: undefined,
      names: none(),
      matched: none(),
      created: none(),
      lastAt: null,
    };
    origins.set(key, origin);
    return origin;
  };
  for (const source of sources) originOf(source).watched = { source, status: source.status() };
  for (const total of totals) originOf(total).lastAt = total.lastAt;
  for (const row of days) {
    const origin = originOf(row);
    const index = (row.day - firstDay) / dayMs;
    // A later day was counted before the clock was set back.
    if (index >= listedDays) continue;
    origin.names[index]! += row.names;
    origin.matched[index]! += row.matched;
    origin.created[index]! += row.created;
  }
  return [...origins.values()];
}

export function firstListedDay(now: Instant): Instant {
  return startOfDay(now) - (listedDays - 1) * dayMs;
}

/** Returns the sums of several origins by day. */
export function sumOf(origins: readonly Origin[]): Pick<Origin, "names" | "matched" | "created"> {
  const add = (key: "names" | "matched" | "created") =>
    Array.from({ length: listedDays }, (_, index) =>
      origins.reduce((sum, origin) => sum + origin[key][index]!, 0),
    );
  return { names: add("names"), matched: add("matched"), created: add("created") };
}

export function totalOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const problemCharactersMax = 400;

/** State of a source in words. */
interface Health {
  tone: Tone;
  /** One or two words. */
  label: string;
  /** The problem and what to do about it; null if there is none. */
  problem: { what: string; advice: string | null } | null;
}

/** A source without a problem. */
const working = {
  waiting: { tone: "neutral", label: "Waiting" },
  watching: { tone: "good", label: "Healthy" },
  reading: { tone: "live", label: "Reading" },
} as const;

/** Describes the health of a source; the first problem counts. */
export function healthOf(
  { state, problem, overdue }: Pick<SourceStatus, "state" | "problem" | "overdue">,
  pause: Pause | undefined,
  now: Instant,
): Health {
  if (state === "paused" || pause !== undefined) {
    const who =
      pause === undefined
        ? ""
        : ` ${relativeAge(pause.at, now)} by ${describeActor({ ...pause.by, address: null })}`;
    const advice = "It reads nothing and keeps its position. Resume it to read what has arrived since.";
    return { tone: "neutral", label: "Paused", problem: { what: `Paused${who}.`, advice } };
  }
  if (state === "unavailable") {
    const what =
      problem === null
        ? "Nothing can be read."
        : sentence(`not readable: ${visible(problem, problemCharactersMax)}`);
    const advice = "Check its settings in the configuration file, and what phishwatch may read or reach.";
    return { tone: "bad", label: "Unavailable", problem: { what, advice } };
  }
  if (overdue !== null) {
    const advice = "Check whether the provider still publishes, and whether the list still gets here.";
    const silence = sentence(describeOverdue(overdue));
    // A problem is probably the reason of the silence.
    const what = problem === null ? silence : `${ended(visible(problem, problemCharactersMax))} ${silence}`;
    return { tone: "bad", label: "Overdue", problem: { what, advice } };
  }
  if (problem !== null)
    return {
      tone: "warn",
      label: "Problem",
      problem: {
        what: ended(visible(problem, problemCharactersMax)),
        advice: null,
      },
    };
  return { ...working[state], problem: null };
}

/** Ends a text with a period. It may begin with the name of a file, which keeps its case. */
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
