import { fromIsoTime, toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest, FieldError, PublicError } from "../../../platform/lib/errors.ts";
import { sentence } from "../../../platform/lib/wording.ts";

/** Parses values from forms and queries, and formats them. */

/** Sentences that say what is wrong with the fields of a form, by their names. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Name in `FieldErrors` of an error that concerns no single field. */
export const wholeForm = "";

/** Runs the action of a form. Invalid input results in a sentence to show above the form; other errors are thrown. */
export async function attempt<T>(
  work: () => T | Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; message: string; errors: FieldErrors }> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const message = messageOfInvalid(error);
    const field = error instanceof FieldError ? error.field : wholeForm;
    return { ok: false, message, errors: { [field]: message } };
  }
}

/** Reads the fields of a form one by one and collects the errors of all of them. */
export function createFieldReader() {
  const errors: Record<string, string> = {};
  return {
    errors: errors as FieldErrors,
    isValid: () => Object.keys(errors).length === 0,
    /** Returns the result of `read`, or `fallback` if the field is invalid. */
    field<T>(name: string, read: () => T, fallback: T): T {
      try {
        return read();
      } catch (error) {
        errors[name] ??= messageOfInvalid(error);
        return fallback;
      }
    },
  };
}

/** @throws the error itself unless it is about invalid input */
function messageOfInvalid(error: unknown): string {
  if (!(error instanceof PublicError) || error.code !== "bad_request") throw error;
  return sentence(error.message);
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

/** Parses headers, one per line. @throws PublicError `bad_request` */
export function readHeaders(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const match = /^([^:\s]+)\s*:\s*(.*)$/.exec(line);
        // The message does not repeat the line, because it may hold a secret.
        if (match === null) throw badRequest(`Write headers as "Name: value", one per line.`);
        return [match[1]!, match[2]!];
      }),
  );
}
