import { toIsoTime, toPlainTime, type Instant } from "../../../platform/lib/clock.ts";

export const utc = "UTC";

/** Formats times for a reader. */
export interface ReaderTimes {
  /** Time in the reader's time zone: `2026-01-13 06:20 UTC`, `2026-01-13 07:20 Berlin`. */
  plain(at: Instant, options?: { seconds?: boolean }): string;
  /** Time of day in the reader's time zone: `07:20`. */
  clock(at: Instant): string;
  /** The same time in UTC and in the reader's time zone: `2026-01-13 06:20 UTC · 07:20 Berlin`. */
  both(at: Instant): string;
}

const parts = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
} as const;

export function createReaderTimes(timeZone: string): ReaderTimes {
  if (timeZone === utc)
    return {
      plain: (at, options) => toPlainTime(at, options),
      clock: (at) => toIsoTime(at).slice(11, 16),
      both: (at) => toPlainTime(at, { seconds: true }),
    };
  // Sweden writes times as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", { ...parts, second: "2-digit", timeZone });
  const city = cityOf(timeZone);
  const local = (at: Instant) => format.format(at);
  return {
    plain: (at, { seconds = false } = {}) => `${local(at).slice(0, seconds ? 19 : 16)} ${city}`,
    clock: (at) => local(at).slice(11, 16),
    both(at) {
      const day = toIsoTime(at).slice(0, 10);
      const here = local(at);
      const shown = here.startsWith(day) ? here.slice(11) : here;
      return `${toPlainTime(at, { seconds: true })} · ${shown} ${city}`;
    },
  };
}

/** Returns `Berlin` for `Europe/Berlin`. */
export function cityOf(timeZone: string): string {
  return timeZone.slice(timeZone.lastIndexOf("/") + 1).replaceAll("_", " ");
}

const units: readonly [string, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/**
 * Formats the time of something that happened as `3 hours ago` or `now`. A time ahead counts as now: it was written
 * before the clock was set back.
 */
export function relativeAge(at: Instant, now: Instant): string {
  return relativeTime(Math.min(at, now), now);
}

/** Formats the time of a next step as `in 2 days` or `now`. A step whose time has come waits for a moment at most. */
export function relativeNext(at: Instant, now: Instant): string {
  return relativeTime(Math.max(at, now), now);
}

/** Formats a time as `3 hours ago`, `in 2 days`, or `now`. */
export function relativeTime(at: Instant, now: Instant): string {
  const distance = Math.abs(at - now);
  const unit = units.find(([, ms]) => distance >= ms);
  if (unit === undefined) return "now";
  const count = Math.floor(distance / unit[1]);
  const text = `${count} ${unit[0]}${count === 1 ? "" : "s"}`;
  return at <= now ? `${text} ago` : `in ${text}`;
}

/** Formats an age for a column of ages: `now`, `12 min`, `5 h`, `2 d`. */
export function shortAge(at: Instant, now: Instant): string {
  const age = Math.max(0, now - at);
  if (age < 60_000) return "now";
  if (age < 3_600_000) return `${Math.floor(age / 60_000)} min`;
  return age < 86_400_000 ? `${Math.floor(age / 3_600_000)} h` : `${Math.floor(age / 86_400_000)} d`;
}

const month = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" });

/** Formats a day (UTC) for a heading or an axis: `5 Jan`. */
export function shortDay(day: Instant): string {
  return `${new Date(day).getUTCDate()} ${month.format(day)}`;
}
