import type { DependenciesWithDatabase } from "../../platform/database/needs.ts";
import type { AuditLog } from "./audit-log.ts";

/** The standard dependencies, the database, and the audit log, in which services record what they change. */
export interface DependenciesWithAuditLog extends DependenciesWithDatabase {
  auditLog: Pick<AuditLog, "record">;
}

/** Types of the standard dependencies that a function names, of which one is the audit log. */
export type Needs<Name extends keyof DependenciesWithAuditLog> = Pick<DependenciesWithAuditLog, Name>;
