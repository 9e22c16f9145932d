/**
 * Durations in the configuration and on the command line: a whole number and one unit. Fractions and sums (`1.5h`,
 * `1h30m`) are rejected, so that every duration has one spelling; `suggestDuration` turns them into the allowed
 * form for the error message.
 */

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Ten years: longer than any sensible timeout, delay or retention. */
export const durationMsMax = 3650 * 86_400_000;

/** Description of the allowed form, for error messages. */
export const durationForm = "a whole number with a unit, such as 500ms, 10s, 5m, 2h or 30d";

/** Returns milliseconds (1 to `durationMsMax`), or null if the text is not a duration. */
export function parseDuration(text: string): number | null {
  const match = /^([0-9]{1,12})(ms|s|m|h|d)$/.exec(text);
  if (match === null) return null;
  const ms = Number(match[1]) * unitMs[match[2]!]!;
  return ms >= 1 && ms <= durationMsMax ? ms : null;
}

/** Returns the shortest spelling that `parseDuration` reads back to the same number of milliseconds. */
export function formatDuration(ms: number): string {
  for (const unit of ["d", "h", "m", "s"]) {
    const count = ms / unitMs[unit]!;
    if (count > 0 && Number.isInteger(count)) return `${count}${unit}`;
  }
  return `${ms}ms`;
}

/** Returns the allowed spelling of what was probably meant: `1h30m` → `90m`, `1.5 hours` → `90m`; else undefined. */
export function suggestDuration(text: string): string | undefined {
  const folded = text
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/\s+/g, "")
    .replaceAll(/(?<=[0-9])(milli(second)?s?|msecs?)/g, "ms")
    .replaceAll(/(?<=[0-9])(seconds?|secs?)/g, "s")
    .replaceAll(/(?<=[0-9])(minutes?|mins?)/g, "m")
    .replaceAll(/(?<=[0-9])(hours?|hrs?)/g, "h")
    .replaceAll(/(?<=[0-9])days?/g, "d");
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$/.test(folded)) return undefined;
  let ms = 0;
  for (const [, count, unit] of folded.matchAll(/([0-9.]+)(ms|s|m|h|d)/g))
    ms += Number(count) * unitMs[unit!]!;
  const suggestion = formatDuration(Math.round(ms));
  return parseDuration(suggestion) === null ? undefined : suggestion;
}

/** Formats a duration in the unit that fits: `0.4 s`, `42 s`, `12 min`, `3 h 5 min`, `4 days`. */
export function spanText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(minutes / 1_440)} days`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** Formats a number of bytes in the binary unit that fits (IEC 80000-13): `812 B`, `1.4 MiB`. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const count = bytes / 1024 ** power;
  return `${power === 0 || count >= 99.5 ? Math.round(count) : count.toFixed(1)} ${units[power]}`;
}

interface Backoff {
  /** At least 1. */
  failures: number;
  firstMs: number;
  maxMs: number;
}

/** Returns the delay after failures in a row: `firstMs` after the first one, twice as long after each other one. */
export function backoffMs({ failures, firstMs, maxMs }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}
