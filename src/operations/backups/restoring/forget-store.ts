import type { Database as Sqlite } from "bun:sqlite";

/** Name of the setting with the `BackupOutcomes`. */
export const outcomesSetting = "backup_outcomes";

/**
 * Lets a restored database begin backups anywhere: its place of backups may be of another machine. The first one begins a
 * new lineage. See `BackupOutcomes`.
 * @param incoming of any version
 */
export function forgetLastStore(incoming: Sqlite): void {
  incoming.run(
    "UPDATE settings SET value = json_remove(value, '$.store', '$.lineage', '$.foreign') WHERE name = ?",
    [outcomesSetting],
  );
}
