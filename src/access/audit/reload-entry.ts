import { configurationFile } from "./actor.ts";
import type { AuditLog } from "./audit-log.ts";

/** Returns a function that records what a reload of the configuration file changed. */
export function createReloadRecord(auditLog: Pick<AuditLog, "record">) {
  return ({ applied, restart }: { applied: readonly string[]; restart: readonly string[] }): void =>
    auditLog.record(configurationFile, "config.reload", null, { applied, needs_restart: restart });
}
