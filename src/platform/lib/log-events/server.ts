import type { LogEvent } from "./event.ts";

/** Events of the server, its setup, and requests. */
export const serverEvents = {
  "server.started": {
    level: "info",
    text: "phishwatch started",
    description: "The server accepts requests.",
    fields: ["version", "commit", "listen", "url", "database", "domainCount", "feedCount", "endpointCount"],
    optional: ["configuration"],
  },
  "server.stopping": {
    level: "info",
    text: "stopping",
    description: "The server received a signal and stops.",
    fields: [],
  },
  "server.shutdown_timed_out": {
    level: "warn",
    text: "shutdown timed out; aborting work in progress",
    description:
      "Work in progress did not end within 10 s of the signal. It is repeated after the next start.",
    fields: [],
  },
  "server.metrics_not_collected": {
    level: "warn",
    text: "some metrics could not be collected",
    description: "The values of some metrics could not be read, so /metrics lacks them.",
    fields: ["error"],
  },
  "service.manager_not_notified": {
    level: "warn",
    text: "service manager could not be notified",
    description: "The socket of the service manager rejected a message about the state of the server.",
    fields: ["error"],
  },
  "service.writes_stuck": {
    level: "error",
    text: "database writes make no progress; a restart follows",
    description:
      "No write to the database ended in time, so the watchdog of the service manager restarts the server.",
    advice: "Check the disk. If it happens again, report it.",
    fields: ["timeoutMs"],
  },
  "setup.needs_attention": {
    level: "warn",
    text: "setup needs attention",
    description: "The configuration exposes something, or the system lacks something.",
    advice: "`detail` says what to change.",
    fields: ["what", "detail"],
  },
  "config.changed": {
    level: "info",
    text: "configuration changed",
    description: "An entry of the database was added, changed or deleted, in whichever process.",
    fields: ["action", "by"],
    optional: ["subject", "detail"],
  },
  "config.changes_not_logged": {
    level: "warn",
    text: "configuration changes cannot be logged",
    description: "The audit log could not be read. The next second tries again.",
    fields: ["error"],
  },
  "condition.began": {
    level: "warn",
    text: "condition began",
    description:
      "The state of the appliance needs attention, such as a certificate that expires or a full disk.",
    advice: "`detail` says what to do. Messages to people and the page System say the same.",
    fields: ["condition", "detail"],
  },
  "condition.ended": {
    level: "info",
    text: "condition ended",
    description: "The state that began with `condition.began` is over.",
    fields: ["condition", "detail"],
  },
  "conditions.not_checked": {
    level: "warn",
    text: "conditions could not be checked",
    description: "The conditions that people are sent could not be determined. The next check tries again.",
    fields: ["error"],
  },
  "http.request": {
    level: "debug",
    text: "request",
    description: "A request ended with this status.",
    fields: ["request", "method", "path", "statusCode"],
    optional: ["client"],
  },
  "http.request_failed": {
    level: "error",
    text: "request failed",
    description: "A request failed because of an internal error, or because the database is locked.",
    advice:
      "Check the other lines of that time: a full disk or a lock is reported once. Otherwise, report the error with its stack.",
    fields: ["request", "method", "path", "error"],
    optional: ["code"],
  },
  "http.request_rejected": {
    level: "debug",
    text: "request rejected",
    description: "A request was rejected for a reason that the response does not contain.",
    fields: ["request", "method", "path"],
    optional: ["code", "detail"],
  },
  "http.untrusted_proxy": {
    level: "warn",
    text: "X-Forwarded-For from an address that is not a trusted proxy",
    description:
      "A proxy passes on the address of clients, but is not trusted, so all clients have the address of the proxy.",
    advice: "Add the address of the proxy to `server.trusted_proxies`.",
    fields: ["peer", "setting"],
  },
  "http.body_budget_exceeded": {
    level: "warn",
    text: "request bodies exceed their memory budget",
    description: "Requests with large bodies were rejected with status 503.",
    advice: "Find the client that sends many large bodies at the same time.",
    fields: ["budgetBytes", "heldBytes"],
  },
  "sandbox.arrival_not_recorded": {
    level: "warn",
    text: "look-alike of the demonstration not recorded",
    description: "A look-alike of the demonstration could not be recorded.",
    fields: ["error"],
  },
  "sandbox.scan_not_started": {
    level: "warn",
    text: "scheduled scan did not start",
    description: "A scan that the sandbox should run did not start.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
