import { PublicError } from "../lib/errors.ts";

/** Does what a form asks for; what is wrong with its values is told as text, to be shown above it. */
export async function attempt<T>(
  work: () => T | Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; message: string }> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== "bad_request") throw error;
    return { ok: false, message: error.message };
  }
}
