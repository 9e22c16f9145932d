import type { LogEvent } from "./event.ts";

/** Events of reports to those who can take a site down. */
export const takedownEvents = {
  "takedown.attempted": {
    level: "info",
    text: "attempt to send a takedown report",
    description:
      "An attempt to send a report as email ended. `state` is that of the report after it: `sent`, `queued` for another attempt, `bounced`, `failed` or `interrupted`.",
    advice: "A report that bounced, failed or was interrupted is under _Takedowns_ in the console.",
    fields: ["report", "state"],
    optional: ["response"],
  },
  "takedown.interrupted": {
    level: "warn",
    text: "takedown reports were being sent when phishwatch ended",
    description:
      "The server ended while it sent reports, so they may have arrived or not, and are not sent again automatically.",
    advice: "Open _Takedowns_ in the console, and decide whether to send them again.",
    fields: ["count"],
  },
  "takedown.not_sent": {
    level: "error",
    text: "takedown reports cannot be sent; trying again in a minute",
    description: "Reports wait, because the database cannot be read or written.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
