import { fromIsoTime, toIsoTime, type Instant } from "../../lib/clock.ts";
import { PublicError } from "../../lib/errors.ts";
import { sentence } from "../../lib/wording.ts";

/** What people write into forms and addresses. */

/** Does what a form asks for; what is wrong with its values is told as a sentence, to be shown above it. */
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

/** What somebody typed with blanks, commas or line breaks between: words, names. */
export function listIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "");
}

/** A number from 0 in decimal digits, as small as is needed to be exact; undefined for anything else. */
export function wholeNumber(text: string | null | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;
}

/** The day (UTC) as it stands in an address and in a date field: `2026-01-31`. */
export function dayText(at: Instant): string {
  return toIsoTime(at).slice(0, 10);
}

/** When such a day begins; undefined for what is none. */
export function dayIn(text: string): Instant | undefined {
  return text.length === "2026-01-31".length ? fromIsoTime(text) : undefined;
}
