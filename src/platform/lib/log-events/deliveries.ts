import type { LogEvent } from "./event.ts";

/** Events of deliveries, messages, exports and block lists. */
export const deliveriesEvents = {
  "recipient.failing": {
    level: "warn",
    text: "recipient began to fail",
    description:
      "The first attempt to deliver to a webhook endpoint or channel failed after a success. Logged at most once in 10 minutes for each recipient.",
    advice: "`reason` contains the status or error, and the beginning of the response.",
    fields: ["recipient", "channel", "name", "reason"],
  },
  "recipient.recovered": {
    level: "info",
    text: "recipient recovered",
    description: "Deliveries to a webhook endpoint or channel succeed again.",
    fields: ["recipient", "channel", "name", "failures", "gaveUp"],
  },
  "recipient.disabled": {
    level: "warn",
    text: "recipient disabled; enable it after fixing it",
    description:
      "A webhook endpoint or channel was disabled, because every attempt has failed for too long (`failing`), or because it no longer exists or its secret was revoked (`gone`).",
    advice: "Fix the receiver, then enable the recipient.",
    fields: ["recipient", "channel", "name", "cause"],
    optional: ["failingSince", "reason"],
  },
  "delivery.given_up": {
    level: "warn",
    text: "deliveries to a recipient were given up",
    description: "Deliveries failed after the last retry. Logged at most once an hour for each recipient.",
    advice: "After fixing the receiver, send them again: `phishwatch webhooks redeliver`.",
    fields: ["recipient", "channel", "name", "deliveries", "reason"],
  },
  "delivery.internal_error": {
    level: "error",
    text: "delivery attempt aborted by an internal error",
    description: "An attempt was aborted by an internal error. It is repeated.",
    fields: ["error", "recipient"],
  },
  "delivery.no_descriptor": {
    level: "error",
    text: "no file descriptor left; deliveries wait. Raise the limit of open files",
    description: "The process cannot open more connections.",
    advice: "Raise the limit of open files (`LimitNOFILE` of systemd).",
    fields: ["requests"],
  },
  "delivery.results_not_written": {
    level: "error",
    text: "delivery results cannot be written; retrying",
    description: "Results of attempts wait until the database accepts them.",
    fields: ["error", "results"],
  },
  "delivery.stalled": {
    level: "warn",
    text: "delivery stalled",
    description: "Due deliveries could not be determined. The next round tries again.",
    fields: ["error"],
  },
  "delivery.totals_not_counted": {
    level: "warn",
    text: "deliveries cannot be counted",
    description: "Metrics show the number of deliveries that was counted last. The next scrape counts again.",
    fields: ["error"],
  },
  "delivery.clock_set_back": {
    level: "warn",
    text: "clock was set back; delivery retries brought forward",
    description: "The clock was set back, so retries would have come too late.",
    fields: ["deliveries"],
    optional: ["setBackMs"],
  },
  "notification.composer_failed": {
    level: "warn",
    text: "messages delayed",
    description: "Due messages could not be determined. The next round tries again.",
    fields: ["error"],
  },
  "notification.delayed": {
    level: "warn",
    text: "message delayed",
    description: "The message of a subscription could not be composed. It is tried again.",
    fields: ["error", "subscription"],
  },
  "email.recipient_rejected": {
    level: "warn",
    text: "email rejected for one recipient, delivered to others",
    description: "The mail server rejected one address of an email.",
    advice: "Correct the address in the channel.",
    fields: ["messageId", "recipientAddress", "response"],
  },
  "retention.deleted": {
    level: "info",
    text: "deleted old events and deliveries",
    description: "Events and deliveries past `retention` were deleted.",
    fields: ["events", "deliveries"],
  },
  "retention.failed": {
    level: "warn",
    text: "deleting old events failed",
    description: "Old events and deliveries could not be deleted. The next hour tries again.",
    fields: ["error"],
  },
  "retention.data_deleted": {
    level: "info",
    text: "deleted old data",
    description:
      "Threats, screenshots or entries of the audit log past a setting in `retention` were deleted.",
    fields: ["count", "setting"],
  },
  "retention.notice": {
    level: "info",
    text: "old data will be deleted in 24 hours",
    description: "A setting in `retention` is new or shorter, and deletes nothing in its first 24 hours.",
    advice: "`phishwatch retention` shows what it will delete.",
    fields: ["setting"],
  },
  "retention.data_failed": {
    level: "warn",
    text: "deleting old data failed",
    description: "Data past a setting in `retention` could not be deleted. The next hour tries again.",
    fields: ["error"],
  },
  "export.aborted": {
    level: "warn",
    text: "export aborted",
    description: "An export could not be completed. The download is incomplete.",
    fields: ["error", "format"],
  },
  "list.download_not_stored": {
    level: "warn",
    text: "last download of a list not stored",
    description: "The time of a download of a block list could not be stored.",
    fields: ["error"],
  },
  "list.not_read_ahead": {
    level: "warn",
    text: "lists not read ahead",
    description: "The block lists in use could not be prepared. They are prepared at the next download.",
    fields: ["error"],
  },
  "list.change_not_stored": {
    level: "warn",
    text: "time of a list's change not stored",
    description: "The time of a change of a block list could not be stored.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
