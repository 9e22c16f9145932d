import type { LogEvent } from "./event.ts";

/** Events of `phishwatch standby`. */
export const standbyEvents = {
  "standby.started": {
    level: "info",
    text: "standby started",
    description: "The standby follows the backups of the primary.",
    fields: ["store", "pollMs"],
    optional: ["backup"],
  },
  "standby.backup_fetched": {
    level: "info",
    text: "standby has a newer backup",
    description: "A newer backup was fetched, assembled, and its database was opened and checked.",
    fields: ["backup", "fetchedBytes", "durationMs", "lagMs"],
  },
  "standby.backup_not_fetched": {
    level: "error",
    text: "standby cannot follow the backups",
    description:
      "The newest backup could not be fetched. The standby keeps the last good state and tries again. The same error is not logged again until it changes.",
    advice: "Correct what `error` names. Until then, a promotion loses everything since the last good state.",
    fields: ["error"],
  },
  "standby.status_not_written": {
    level: "warn",
    text: "status of the standby could not be written",
    description: "The file that `phishwatch standby status` reads could not be written.",
    fields: ["error"],
  },
  "standby.recovered": {
    level: "info",
    text: "standby follows the backups again",
    description: "The backups can be followed again after an error.",
    fields: [],
  },
} as const satisfies Record<string, LogEvent>;
