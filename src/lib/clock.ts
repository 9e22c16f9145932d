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

/** ISO 8601, UTC, with milliseconds and `Z`: the form of every time the product shows. */
export function toIsoTime(instant: Instant): string {
  return new Date(instant).toISOString();
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
