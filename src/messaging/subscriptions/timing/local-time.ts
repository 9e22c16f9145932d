import { dayMs, type Instant } from "../../../platform/lib/clock.ts";

/** Converts between points in time and the wall clock of a time zone. */
export interface LocalTime {
  /** Returns what a wall clock shows, as the milliseconds since the epoch of a clock in UTC that shows the same. */
  shown(at: Instant): number;
  /**
   * Returns the first time at which a wall clock shows `shown`. A time that daylight saving skips is as much later as
   * the clock is set forward.
   */
  instant(shown: number): Instant;
}

const utc: LocalTime = { shown: (at) => at, instant: (shown) => shown };

/**
 * @param timeZone IANA name. UTC does not load the time zones, which takes 7 ms.
 */
export function localTime(timeZone: string): LocalTime {
  if (timeZone === "UTC") return utc;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });

  function shown(at: Instant): number {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const second = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return second + (((at % 1000) + 1000) % 1000);
  }

  return {
    shown,
    instant(wanted) {
      // No zone changes its offset twice within two days.
      const offsets = [wanted - dayMs, wanted + dayMs].map((near) => shown(near) - near);
      const instants = offsets.map((offset) => wanted - offset).sort((a, b) => a - b);
      return instants.find((at) => shown(at) === wanted) ?? wanted - offsets[0]!;
    },
  };
}
