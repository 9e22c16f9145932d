import type { LogEvent } from "./event.ts";

/** Events of certificate logs. */
export const certificateLogsEvents = {
  "certificate_log.followed": {
    level: "info",
    text: "certificate log followed",
    description: "A certificate log is followed from this position on.",
    fields: ["log", "position"],
  },
  "certificate_log.unreadable": {
    level: "warn",
    text: "certificate log cannot be read; retrying",
    description: "A certificate log cannot be read. Logged at most once an hour for each log.",
    advice: "One log that fails is no problem of yours. If all fail, check the network.",
    fields: ["log", "reason"],
  },
  "certificate_log.mismatch": {
    level: "error",
    text: "certificate log stopped and returned to its last verified position",
    description: "The entries of a certificate log do not match its signed tree head.",
    advice: "If it goes on, report it to the operator of the log.",
    fields: ["log", "reason", "position", "retryMs"],
  },
  "certificate_log.mismatch_ended": {
    level: "info",
    text: "certificate log agrees with its tree head again",
    description: "The entries of a certificate log match its signed tree head again.",
    fields: ["log", "position"],
  },
  "certificate_log.entries_skipped": {
    level: "warn",
    text: "certificate log entries skipped: older than certificate_logs.catch_up",
    description: "Entries were not read, because the server was stopped or too slow for too long.",
    advice: "To read further back, raise `certificate_logs.catch_up`.",
    fields: ["log", "position", "entries"],
  },
  "certificate_log.state_not_stored": {
    level: "warn",
    text: "state of a certificate log not stored",
    description: "The state of a certificate log could not be stored.",
    fields: ["error"],
  },
  "certificate_log.entries_not_stored": {
    level: "warn",
    text: "entries of a certificate log not stored; they are read again",
    description: "A batch of entries could not be stored.",
    fields: ["error"],
  },
  "certificate_log.thread_failed": {
    level: "warn",
    text: "the thread that reads certificate logs failed; it is started again",
    description: "The thread that reads certificate logs ended unexpectedly.",
    fields: ["error"],
  },
  "certificate_log.unusable": {
    level: "warn",
    text: "certificate log of the log list cannot be used",
    description: "An entry of the log list is invalid.",
    fields: ["log", "reason"],
  },
  "certificate_log.not_determined": {
    level: "warn",
    text: "certificate logs to follow not determined; retrying",
    description: "Which certificate logs to follow could not be determined.",
    fields: ["error"],
  },
  "log_list.loaded": {
    level: "info",
    text: "log list loaded",
    description: "A new version of the list of certificate logs was loaded.",
    fields: ["list", "logs"],
    optional: ["version"],
  },
  "log_list.not_loaded": {
    level: "warn",
    text: "log list cannot be loaded; the last one stays in use",
    description: "The list of certificate logs could not be downloaded. It is tried again.",
    advice: "Without internet access, set `certificate_logs.log_list` to a file.",
    fields: ["list", "reason"],
  },
} as const satisfies Record<string, LogEvent>;
