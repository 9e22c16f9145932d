import type { LogEvent } from "./event.ts";

/** Events of backups. */
export const backupsEvents = {
  "backup.completed": {
    level: "info",
    text: "backup completed",
    description: "A backup was made and verified.",
    fields: ["backup", "fileCount", "bytes", "storedBytes", "durationMs", "kept"],
  },
  "backup.not_checked": {
    level: "warn",
    text: "database of the backup not checked",
    description:
      "A backup was made, and every part of it was read again, but its database could not be opened on this machine.",
    advice: "Correct what the reason names. The next backup that is made tries again.",
    fields: ["backup", "reason"],
  },
  "backup.foreign": {
    level: "warn",
    text: "another appliance writes to the same backups",
    description:
      "Since the own backup before, another appliance with a copy of this database has made one in the same place.",
    advice: "Stop one of the two, or give it another folder or prefix.",
    fields: ["backup", "host"],
  },
  "backup.repaired": {
    level: "warn",
    text: "damaged object of backups stored again",
    description:
      "Something that earlier backups had stored was damaged. The backup was made with everything that it consists of.",
    advice: "Check the disk or bucket, and earlier backups: `phishwatch backups verify ID`.",
    fields: ["backup", "reason"],
  },
  "backup.failed": {
    level: "error",
    text: "backup failed",
    description: "A backup could not be made. Earlier backups are unchanged.",
    advice: "Correct what the error names, then make a backup: `phishwatch backup`.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
