import { badRequest, PublicError, StartError } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";

/** An entry of the configuration file, or one that was added at run time. */
interface Entry {
  origin: "file" | "runtime";
  disabledReason: string | null;
}

/** Returns whether the configuration file declares the entry now, so that only the file can change it. */
export function isDeclared({ origin, disabledReason }: Entry): boolean {
  return origin === "file" && disabledReason !== "undeclared";
}

/** Returns whether the configuration file declared the entry once. It can be removed, or declared again. */
export function isUndeclared({ origin, disabledReason }: Entry): boolean {
  return origin === "file" && disabledReason === "undeclared";
}

/** @throws PublicError `bad_request` for an entry of the configuration file, with what to do instead */
export function requireEditable(entry: Entry & { name: string }): void {
  if (isDeclared(entry))
    throw badRequest(`${entry.name} is declared in the configuration file; change it there`);
  if (isUndeclared(entry))
    throw badRequest(
      `${entry.name} is no longer declared in the configuration file; declare it again, or remove it`,
    );
}

/**
 * Runs the reconciliation of one declared entry.
 * @throws StartError that names the entry, such as `lists "block": …`, instead of a PublicError
 */
export function applyDeclared(key: string, name: string, apply: () => void): void {
  try {
    apply();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    throw new StartError(`${key} "${visible(name)}": ${error.message}`, { exitCode: 2, cause: error });
  }
}
