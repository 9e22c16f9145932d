import type { LogEvent } from "./event.ts";

const importFields = [
  "import",
  "origin",
  "name",
  "state",
  "lines",
  "names",
  "invalid",
  "matched",
  "created",
  "durationMs",
] as const;

/** Events of feeds, certstream servers and imports. */
export const sourcesEvents = {
  "feed.file_read": {
    level: "info",
    text: "feed file read",
    description: "A file or list of a feed was read to its end.",
    fields: ["origin", "feed", "path", "lines", "invalid", "matched", "created", "durationMs"],
  },
  "feed.file_incomplete": {
    level: "warn",
    text: "feed file not read to its end",
    description: "A file or list of a feed is damaged or truncated. The lines before were processed.",
    advice: "Replace the file.",
    fields: ["feed", "path", "lines", "reason"],
  },
  "feed.files_skipped": {
    level: "warn",
    text: "feed files skipped",
    description: "Entries of the folder of a feed are not read, for example links and hidden files.",
    fields: ["feed", "count", "files"],
  },
  "feed.unavailable": {
    level: "warn",
    text: "feed cannot be read",
    description: "The file or folder of a feed cannot be read.",
    advice: "`reason` says why: restore the path or its permissions.",
    fields: ["feed", "path", "reason"],
  },
  "feed.available": {
    level: "info",
    text: "feed available again",
    description: "The file or folder of a feed can be read again.",
    fields: ["feed", "path"],
  },
  "feed.check_failed": {
    level: "warn",
    text: "feed check failed; the next check retries",
    description: "A check of the files of a feed failed because of an internal error.",
    fields: ["error"],
  },
  "feed.fetched": {
    level: "info",
    text: "feed fetched",
    description: "A new version of a list was downloaded.",
    fields: ["origin", "feed", "part", "bytes", "names", "added", "removed"],
  },
  "feed.not_fetched": {
    level: "warn",
    text: "feed not fetched",
    description: "A list could not be downloaded. It is tried again.",
    advice: "`reason` contains the status or error of the server.",
    fields: ["feed", "reason"],
    optional: ["part", "failures"],
  },
  "feed.zones_not_approved": {
    level: "warn",
    text: "zones not approved",
    description: "Zones of the feed are not approved for the account.",
    advice: "Request access to the zones, or remove them from the feed.",
    fields: ["feed", "zones"],
  },
  "feed.not_processed": {
    level: "warn",
    text: "feed could not be processed",
    description: "A list could not be processed because of an internal error. It is tried again.",
    fields: ["error"],
  },
  "certstream.connected": {
    level: "info",
    text: "certstream connected",
    description: "The connection to a certstream server was established.",
    fields: ["feed"],
  },
  "certstream.disconnected": {
    level: "warn",
    text: "certstream disconnected",
    description:
      "The connection to a certstream server was lost or cannot be established. It is tried again.",
    fields: ["feed"],
    optional: ["reason"],
  },
  "certstream.names_not_recorded": {
    level: "warn",
    text: "names of a certstream server could not be recorded; checking goes on",
    description: "A batch of names could not be recorded.",
    fields: ["error"],
  },
  "import.finished": {
    level: "info",
    text: "import finished",
    description: "An import was completed or cancelled.",
    fields: importFields,
  },
  "import.failed": {
    level: "warn",
    text: "import failed",
    description: "An import failed or was interrupted. The lines before were processed.",
    advice: "Import the list again. Threats are not recorded twice.",
    fields: importFields,
    optional: ["reason"],
  },
  "import.internal_error": {
    level: "warn",
    text: "import aborted",
    description: "An import was aborted by an internal error.",
    fields: ["error"],
  },
  "import.outcome_not_recorded": {
    level: "warn",
    text: "outcome of an import could not be recorded",
    description: "The outcome of an import could not be recorded.",
    fields: ["error"],
  },
  "import.commands_not_checked": {
    level: "warn",
    text: "imports by command line could not be checked",
    description: "Whether commands that import are still running could not be determined.",
    fields: ["error"],
  },
  "import.interrupted_not_recorded": {
    level: "warn",
    text: "interrupted imports could not be recorded",
    description: "Imports that a stop interrupted could not be marked.",
    fields: ["error"],
  },
  "source.counts_not_written": {
    level: "warn",
    text: "counts of names not written; retrying with the next ones",
    description: "The counts of names by source and hour could not be written.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
