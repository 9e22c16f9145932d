/** Updates the manual's tables of log events and their fields. Run it after a change in `src/platform/lib/log-events/`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import access from "../src/platform/lib/log-events/access.json" with { type: "json" };
import backups from "../src/platform/lib/log-events/backups.json" with { type: "json" };
import { logEvents, logFields, type LogEventName } from "../src/platform/lib/log-events/catalogue.ts";
import certificateLogs from "../src/platform/lib/log-events/certificate-logs.json" with { type: "json" };
import database from "../src/platform/lib/log-events/database.json" with { type: "json" };
import deliveries from "../src/platform/lib/log-events/deliveries.json" with { type: "json" };
import inspections from "../src/platform/lib/log-events/inspections.json" with { type: "json" };
import reloads from "../src/platform/lib/log-events/reloads.json" with { type: "json" };
import scans from "../src/platform/lib/log-events/scans.json" with { type: "json" };
import server from "../src/platform/lib/log-events/server.json" with { type: "json" };
import sources from "../src/platform/lib/log-events/sources.json" with { type: "json" };
import standby from "../src/platform/lib/log-events/standby.json" with { type: "json" };
import takedowns from "../src/platform/lib/log-events/takedowns.json" with { type: "json" };
import { markdownTable, withRegion } from "./markdown-table.ts";

const pagePath = join(import.meta.dir, "../src/manual/log.md");

const sections: [heading: string, events: object][] = [
  ["Server, setup and requests", server],
  ["Reloads of the configuration", reloads],
  ["Console and API keys", access],
  ["Feeds, certstream servers and imports", sources],
  ["Certificate logs", certificateLogs],
  ["Scans, lookups and traps", scans],
  ["Inspection of pages", inspections],
  ["Deliveries, messages, exports and lists", deliveries],
  ["Takedown reports", takedowns],
  ["Database and archive", database],
  ["Backups", backups],
  ["Standby", standby],
];

/** Returns the page about the log with regenerated tables. */
export function withLogEvents(page: string): string {
  const shown = new Set(sections.flatMap(([, events]) => Object.keys(events)));
  const missing = Object.keys(logEvents).filter((name) => !shown.has(name));
  if (missing.length > 0) throw new Error(`no section has ${missing.join(", ")}`);
  const events = sections.map(([heading, all]) => `### ${heading}\n\n${eventTable(all)}`).join("\n");
  const fields = markdownTable([
    ["Field", "Type", "Content"],
    ...Object.entries(logFields).flatMap(([name, field]) =>
      Object.entries(field).map(([type, help]) => [`\`${name}\``, type, help]),
    ),
  ]);
  return withRegion(withRegion(page, "log events", events), "log fields", fields);
}

function eventTable(events: object): string {
  const rows = Object.keys(events).map((name) => {
    const { level, description, advice, fields, optional = {} } = logEvents[name as LogEventName];
    const names = [...Object.keys(fields), ...Object.keys(optional).map((field) => `${field}?`)].map(
      (field) => `\`${field}\``,
    );
    const meaning = advice === undefined ? description : `${description} **To do:** ${advice}`;
    return [`\`${name}\``, level, meaning, names.join(", ")];
  });
  return markdownTable([["Event", "Level", "Meaning", "Fields"], ...rows]);
}

if (import.meta.main) writeFileSync(pagePath, withLogEvents(readFileSync(pagePath, "utf8")));
