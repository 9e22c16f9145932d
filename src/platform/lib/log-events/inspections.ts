import type { LogEvent } from "./event.ts";

/** Events of the inspection of pages. */
export const inspectionEvents = {
  "inspection.imitation_found": {
    level: "info",
    text: "page imitates a protected brand",
    description: "An inspection found a page that imitates a protected brand. It is on record as a threat.",
    fields: ["domain", "host", "score"],
  },
  "inspection.budget_used_up": {
    level: "warn",
    text: "daily budget of inspections used up",
    description:
      "Addresses of feeds, programs and long lists wait until the next day (UTC). The first ones that people enter are inspected.",
    advice: "Set `inspection.per_day` higher, or inspect fewer feeds.",
    fields: ["inspectionsPerDay"],
  },
  "inspection.addresses_dropped": {
    level: "warn",
    text: "addresses to inspect dropped",
    description:
      "Too many addresses wait, so that the oldest ones of feeds are dropped. Logged at most once an hour.",
    advice: "Set `inspection.per_day` and `inspection.per_minute` higher, or inspect fewer feeds.",
    fields: ["count"],
  },
  "inspection.failed": {
    level: "warn",
    text: "inspection failed",
    description: "An inspection failed because of an internal error. It is repeated in a minute.",
    fields: ["error"],
  },
  "inspection.queue_delayed": {
    level: "warn",
    text: "inspections delayed",
    description: "Due inspections could not be started. A few seconds later, it tries again.",
    fields: ["error"],
  },
  "inspection.facts_not_saved": {
    level: "warn",
    text: "facts of an inspection could not be saved",
    description:
      "What an inspection found about a threat could not be saved as facts. The next lookup determines them.",
    fields: ["error"],
  },
  "inspection.not_deleted": {
    level: "warn",
    text: "old inspections could not be deleted",
    description: "Results past `retention.inspections` could not be deleted. The next hour tries again.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
