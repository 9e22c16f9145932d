/**
 * Returns SQLite's extended result code, such as `SQLITE_CONSTRAINT_FOREIGNKEY`, or the system's, such as `EACCES`;
 * undefined for an error that has none. drizzle wraps errors, so causes are searched too.
 */
export function sqliteErrorCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string") return at.code;
  return undefined;
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteErrorCode(error) ?? "");
}
