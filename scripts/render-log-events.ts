/** Updates the manual's tables of log events and their fields. Run it after a change in `src/platform/lib/log-events/`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessEvents } from "../src/platform/lib/log-events/access.ts";
import { backupsEvents } from "../src/platform/lib/log-events/backups.ts";
import { logEvents } from "../src/platform/lib/log-events/catalogue.ts";
import { certificateLogsEvents } from "../src/platform/lib/log-events/certificate-logs.ts";
import { databaseEvents } from "../src/platform/lib/log-events/database.ts";
import { deliveriesEvents } from "../src/platform/lib/log-events/deliveries.ts";
import type { LogEvent } from "../src/platform/lib/log-events/event.ts";
import { logFields } from "../src/platform/lib/log-events/fields.ts";
import { inspectionEvents } from "../src/platform/lib/log-events/inspections.ts";
import { reloadEvents } from "../src/platform/lib/log-events/reloads.ts";
import { scansEvents } from "../src/platform/lib/log-events/scans.ts";
import { serverEvents } from "../src/platform/lib/log-events/server.ts";
import { sourcesEvents } from "../src/platform/lib/log-events/sources.ts";
import { standbyEvents } from "../src/platform/lib/log-events/standby.ts";
import { takedownEvents } from "../src/platform/lib/log-events/takedowns.ts";
import { markdownTable, withRegion } from "./markdown-table.ts";

const pagePath = join(import.meta.dir, "../src/manual/log.md");

const sections: [heading: string, events: Record<string, LogEvent>][] = [
  ["Server, setup and requests", serverEvents],
  ["Reloads of the configuration", reloadEvents],
  ["Console and API keys", accessEvents],
  ["Feeds, certstream servers and imports", sourcesEvents],
  ["Certificate logs", certificateLogsEvents],
  ["Scans, lookups and traps", scansEvents],
  ["Inspection of pages", inspectionEvents],
  ["Deliveries, messages, exports and lists", deliveriesEvents],
  ["Takedown reports", takedownEvents],
  ["Database and archive", databaseEvents],
  ["Backups", backupsEvents],
  ["Standby", standbyEvents],
];

/** Returns the page about the log with regenerated tables. */
export function withLogEvents(page: string): string {
  const shown = new Set(sections.flatMap(([, events]) => Object.keys(events)));
  const missing = Object.keys(logEvents).filter((name) => !shown.has(name));
  if (missing.length > 0) throw new Error(`no section has ${missing.join(", ")}`);
  const events = sections.map(([heading, all]) => `### ${heading}\n\n${eventTable(all)}`).join("\n");
  const fields = markdownTable([
    ["Field", "Type", "Content"],
    ...Object.entries(logFields).map(([name, { type, help }]) => [`\`${name}\``, type, help]),
  ]);
  return withRegion(withRegion(page, "log events", events), "log fields", fields);
}

function eventTable(events: Record<string, LogEvent>): string {
  const rows = Object.entries(events).map(([name, event]) => {
    const { level, description, advice, fields, optional = [] } = event;
    const names = [...fields, ...optional.map((field) => `${field}?`)].map((field) => `\`${field}\``);
    const meaning = advice === undefined ? description : `${description} **To do:** ${advice}`;
    return [`\`${name}\``, level, meaning, names.join(", ")];
  });
  return markdownTable([["Event", "Level", "Meaning", "Fields"], ...rows]);
}

if (import.meta.main) writeFileSync(pagePath, withLogEvents(readFileSync(pagePath, "utf8")));
