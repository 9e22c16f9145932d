import type { LogEvent } from "./event.ts";

/** Events of the database and the archive of names. */
export const databaseEvents = {
  "database.error": {
    level: "error",
    text: "database error",
    description:
      "The database rejected an operation. Further errors of this kind are not logged until it works again.",
    advice:
      "Make room if the disk is full. If the file is damaged, stop the server and run `phishwatch database repair`.",
    fields: ["code", "reason"],
  },
  "database.recovered": {
    level: "info",
    text: "database works again",
    description: "The database works again after an error.",
    fields: ["code"],
  },
  "database.damaged": {
    level: "error",
    text: "database file is damaged",
    description:
      "The daily check found damage in the database file. No change is accepted until a check finds nothing.",
    advice:
      "Stop the server, and run `phishwatch database repair`. If that says so, restore a backup: `phishwatch restore`.",
    fields: ["result"],
  },
  "threat_index.not_copied": {
    level: "warn",
    text: "threat index could not be copied",
    description:
      "The copy of the threat index next to the database could not be written, so the first search after the next start takes longer.",
    fields: ["error"],
  },
  "threat_index.not_loaded": {
    level: "warn",
    text: "copy of the threat index could not be read",
    description:
      "The copy of the threat index next to the database is damaged or could not be read, so the first search reads all threats from the database.",
    advice: "If the error is EACCES, let the user of the service read the folder of the database.",
    fields: ["error"],
  },
  "database.check_failed": {
    level: "warn",
    text: "database file could not be checked",
    description: "The daily check of the database file could not be completed.",
    fields: ["reason"],
  },
  "database.locked": {
    level: "error",
    text: "database write lock held by another process",
    description: "Writes have failed for a second, because another process holds the write lock.",
    advice: "End the process, or resume it if it is suspended.",
    fields: ["code", "reason", "heldMs"],
    optional: ["pid", "command"],
  },
  "database.unlocked": {
    level: "info",
    text: "database write lock released; writes continue",
    description: "The other process released the write lock.",
    fields: ["code", "heldMs"],
    optional: ["pid", "command"],
  },
  "database.holder_resumed": {
    level: "info",
    text: "resumed a suspended command until it releases the database",
    description: "A suspended phishwatch command held the write lock, and was resumed.",
    fields: ["pid", "command"],
  },
  "database.file_changed": {
    level: "error",
    text: "database file changed from outside",
    description:
      "The database file was removed, replaced or overwritten while it was open. No change is accepted any more.",
    advice:
      "Find out what changed the file. Then restart the server, or restore the copy that `database.copy_saved` names.",
    fields: ["code", "change", "file", "reason"],
  },
  "database.log_damaged": {
    level: "error",
    text: "write-ahead log of the last server was damaged; its last changes are lost",
    description:
      "The server was killed, and a page of its write-ahead log was damaged before the next start. SQLite drops all changes after that page.",
    advice: "Check the disk. Submit again what programs have submitted in the last minutes before the end.",
    fields: ["file"],
  },
  "database.copy_saved": {
    level: "warn",
    text: "database saved as it was before its file was lost",
    description: "The content of the lost database file was saved.",
    advice: "To continue with it: `phishwatch restore`.",
    fields: ["file"],
  },
  "database.upgrade_copied": {
    level: "info",
    text: "database copied before its upgrade",
    description: "A database of an earlier version was copied before its migration.",
    fields: ["file", "bytes"],
  },
  "database.upgrade_copy_skipped": {
    level: "warn",
    text: "database is upgraded without a copy",
    description: "The disk has no room for a copy of the database before its migration.",
    advice: "Make room before the next upgrade: `phishwatch check --upgrade` reports what is needed.",
    fields: ["reason"],
  },
  "database.upgraded": {
    level: "info",
    text: "database upgraded",
    description: "A database of an earlier version was migrated.",
    fields: ["version", "migrations", "durationMs"],
    optional: ["from"],
  },
  "database.sizes_not_measured": {
    level: "warn",
    text: "sizes of the stores could not be measured",
    description: "The daily measurement of the size of each store failed. It is repeated after an hour.",
    fields: ["error"],
  },
  "database.state_not_written": {
    level: "warn",
    text: "state of the database could not be written",
    description: "The small file next to the database that reports its state could not be written.",
    fields: ["error"],
  },
  "database.maintenance_failed": {
    level: "warn",
    text: "database could not be maintained",
    description: "A check of the state of the database failed. It is repeated.",
    fields: ["error"],
  },
  "database.housekeeping_failed": {
    level: "warn",
    text: "database housekeeping failed",
    description: "Free space could not be given back, or the write-ahead log could not be shortened.",
    fields: ["error"],
  },
  "database.decision_thread_not_started": {
    level: "warn",
    text: "thread for a large decision could not be started",
    description:
      "No thread could be started to change the status of many threats, so requests wait until the change is made.",
    advice: "Check the limits of open files and of processes.",
    fields: ["error"],
  },
  "database.due_times_not_adjusted": {
    level: "warn",
    text: "due times do not follow the clock",
    description: "The clock was changed, and due times could not be adjusted. It is tried again.",
    fields: ["error"],
  },
  "archive.needs_attention": {
    level: "warn",
    text: "archive needs attention",
    description: "Names cannot be archived, or the archive cannot be maintained.",
    advice: "`reason` names the cause, for example a full disk.",
    fields: ["folder", "reason"],
  },
  "archive.search_failed": {
    level: "warn",
    text: "search of the archive failed",
    description: "A search of the archive failed.",
    fields: ["error"],
  },
  "archive_check.finished": {
    level: "info",
    text: "archive of names checked for protected domains",
    description: "The archive was checked for look-alikes of new protected domains.",
    fields: ["domains", "names", "found", "created", "durationMs"],
  },
  "archive_check.failed": {
    level: "warn",
    text: "check of the archive failed; it is retried",
    description: "A check of the archive failed.",
    fields: ["error"],
  },
  "archive_check.changes_not_read": {
    level: "warn",
    text: "changes of protected domains not read; the check of the archive continues",
    description: "Changes of protected domains could not be read during a check of the archive.",
    fields: ["error"],
  },
  "archive_check.failure_not_recorded": {
    level: "warn",
    text: "failure of a check of the archive could not be recorded",
    description: "The failure of a check of the archive could not be recorded.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
