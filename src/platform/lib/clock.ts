/** A point in time: milliseconds since the Unix epoch, UTC. */
export type Instant = number;

/** A pending call that can be cancelled. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time. Subjects take it as an argument, so that a test or the
 * sandbox can let two hours pass in a millisecond.
 */
export interface Clock {
  now(): Instant;
  /**
   * Returns the milliseconds since an unspecified start, however the clock is set in the meantime. Ages, limits and
   * waits within one process use it: a difference of two of its values is never negative.
   */
  monotonicMs(): number;
  /** Calls `callback` once, at `instant` or as soon after it as possible; never before. */
  at(instant: Instant, callback: () => void): Timer;
  /** Calls `callback` once after `delayMs` (at most 24 days), however the clock is set in the meantime. */
  after(delayMs: number, callback: () => void): Timer;
}

// setTimeout holds its delay in 32 bits and fires at once beyond that.
const timeoutMsMax = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  at(instant, callback) {
    let handle: ReturnType<typeof setTimeout>;
    const arm = () => {
      const delayMs = Math.max(0, instant - Date.now());
      // The wall clock may have been set back in the meantime, hence the second comparison.
      handle = setTimeout(
        () => (Date.now() >= instant ? callback() : arm()),
        Math.min(delayMs, timeoutMsMax),
      );
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
  after(delayMs, callback) {
    const handle = setTimeout(callback, Math.min(delayMs, timeoutMsMax));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after the delay, or as soon as the signal aborts. */
export function delay(clock: Pick<Clock, "after">, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.after(delayMs, end);
    signal.addEventListener("abort", end, { once: true });
  });
}

export const dayMs = 86_400_000;

/** Returns the start of a day (UTC). */
export function startOfDay(at: Instant): Instant {
  return Math.floor(at / dayMs) * dayMs;
}

/** Smaller differences are the inaccuracy of reading two clocks one after the other. */
const jumpMsMin = 1_000;

/**
 * Returns a function that returns by how many milliseconds the time of day jumped since the last call: negative if the
 * clock was set back, positive if it was set forward or the machine slept, 0 if neither. Due times that are stored as
 * times of day have to be moved by this much.
 */
export function createJumpDetector(clock: Pick<Clock, "now" | "monotonicMs">): () => number {
  const offsetMs = () => clock.now() - clock.monotonicMs();
  let lastOffsetMs = offsetMs();
  return () => {
    const currentMs = offsetMs();
    const jumpMs = Math.round(currentMs - lastOffsetMs);
    // Follows a clock that is adjusted slowly, whose small steps are no jumps.
    lastOffsetMs = currentMs;
    return Math.abs(jumpMs) >= jumpMsMin ? jumpMs : 0;
  };
}

/** ISO 8601, UTC, with milliseconds and `Z`: the form of every time the product shows. */
export function toIsoTime(instant: Instant): string {
  return new Date(instant).toISOString();
}

/** Returns a time in UTC as a part of the name of a file, such as `20260131T023000`. */
export function fileStamp(instant: Instant): string {
  return toIsoTime(instant).slice(0, 19).replaceAll(/[-:]/g, "");
}

/** Returns the form of `toIsoTime`, or null for a time that is unknown or does not apply. */
export function optionalIsoTime(instant: Instant | null | undefined): string | null {
  return instant === null || instant === undefined ? null : toIsoTime(instant);
}

/** Returns a readable time: `2026-01-31 12:00 UTC`, with `seconds` `2026-01-31 12:00:07 UTC`. */
export function toPlainTime(instant: Instant, { seconds = false } = {}): string {
  const iso = toIsoTime(instant);
  return `${iso.slice(0, 10)} ${iso.slice(11, seconds ? 19 : 16)} UTC`;
}

const isoForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** Parses a date (its start, UTC) or a time with its zone. Returns undefined for anything else. */
export function fromIsoTime(text: string): Instant | undefined {
  const instant = isoForm.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant)) return undefined;
  const day = text.slice(0, 10);
  // `Date.parse` turns 31 February into March.
  return toIsoTime(Date.parse(`${day}T00:00:00Z`)).startsWith(day) ? instant : undefined;
}

/** RFC 3339 §5.6, with seconds; `T` and `Z` may be lowercase. */
const rfc3339Form =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$/;

/** Parses a time from 1970 on. Returns undefined for anything else. */
export function fromRfc3339(text: string): Instant | undefined {
  const instant = rfc3339Form.test(text) ? fromIsoTime(text.toUpperCase()) : undefined;
  return instant !== undefined && instant >= 0 ? instant : undefined;
}
