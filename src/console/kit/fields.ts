import { fromIsoTime, toIsoTime, type Instant } from "../../lib/clock.ts";
import { PublicError } from "../../lib/errors.ts";
import { sentence } from "../../lib/wording.ts";

/** Parses values from forms and queries, and formats them. */

/** Runs the action of a form. Invalid input results in a sentence to show above the form; other errors are thrown. */
export async function attempt<T>(
  work: () => T | Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; message: string }> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== "bad_request") throw error;
    return { ok: false, message: sentence(error.message) };
  }
}

/**
 * Returns a query without its empty parameters, as forms send them for fields that were left empty; undefined if it
 * has none. A page redirects to it, so that its address can be read and shared.
 */
export function withoutEmpty(query: URLSearchParams): URLSearchParams | undefined {
  const given = [...query].filter(([, value]) => value !== "");
  return given.length === query.size ? undefined : new URLSearchParams(given);
}

/** Splits a list typed with spaces, commas, semicolons, or line breaks. */
export function splitList(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "");
}

/** Parses a non-negative decimal integer of at most 15 digits, which is exact; undefined for anything else. */
export function parseWholeNumber(text: string | null | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;
}

/** Formats the day (UTC) for URLs and date fields: `2026-01-31`. */
export function formatDay(at: Instant): string {
  return toIsoTime(at).slice(0, 10);
}

/** Parses such a day and returns its start; undefined if it is invalid. */
export function parseDay(text: string): Instant | undefined {
  return text.length === "2026-01-31".length ? fromIsoTime(text) : undefined;
}
