import type { Database as Sqlite } from "bun:sqlite";
import type { Instant } from "../../platform/lib/clock.ts";
import type { AuditAction } from "./actions.ts";
import type { Actor } from "./actor.ts";

/**
 * Writes an audit entry over a plain connection. This is only for backup and restore, which work on database files
 * that are not open here and must not be migrated by opening them: a backup before an upgrade is of the old version.
 * All other services use `AuditLog`.
 */
export function insertAuditEntry(
  sqlite: Sqlite,
  { by, action, subject, at }: { by: Actor; action: AuditAction; subject: string; at: Instant },
): void {
  sqlite.run(
    "INSERT INTO audit_log (at, via, name, address, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?, '{}')",
    [at, by.channel, by.name, by.address, action, subject],
  );
}
