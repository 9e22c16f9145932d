/** Updates the manual's tables of metrics and alerts. Run it after a change in `src/operations/monitoring/`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metrics, type Metric } from "../src/operations/monitoring/metrics/metrics.ts";
import { alerts, type Alert } from "../src/operations/monitoring/render-alerts.ts";
import { markdownTable, withRegion } from "./markdown-table.ts";

const pagePath = join(import.meta.dir, "../src/manual/monitoring.md");

/** Returns the page about monitoring with regenerated tables. */
export function withMonitoring(page: string): string {
  const table = markdownTable([
    ["Metric", "Type", "Labels", "Meaning"],
    ...Object.values<Metric>(metrics).map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(", "),
      help,
    ]),
  ]);
  const rules = markdownTable([
    ["Alert", "Severity", "After", "Meaning and what to do"],
    ...Object.entries<Alert>(alerts).map(([name, { severity, forMinutes, description, page: link }]) => [
      `\`${name}\``,
      severity,
      forMinutes === 0 ? "at once" : `${forMinutes} min`,
      `${description} [More](${link})`,
    ]),
  ]);
  return withRegion(withRegion(page, "metrics", table), "alerts", rules);
}

if (import.meta.main) writeFileSync(pagePath, withMonitoring(readFileSync(pagePath, "utf8")));
