import type { Database as Sqlite } from "bun:sqlite";

const response = "It waited to be sent in a backup that was restored, and may have been sent since.";

/**
 * Marks the reports that wait in a restored database, over a plain connection to a file that is not in use: they may
 * have been sent after the backup, and only a person decides whether to send a report twice.
 */
export function holdRestoredReports(sqlite: Sqlite): void {
  // Backups of earlier versions have no reports.
  const tables = sqlite.query("SELECT 1 FROM sqlite_master WHERE name = 'takedown_reports'").all();
  if (tables.length === 0) return;
  sqlite.run(
    "UPDATE takedown_reports SET delivery = 'interrupted', delivery_response = ?, attempt_at = NULL WHERE delivery IN ('queued', 'sending')",
    [response],
  );
}
