/** Updates the manual's table of metrics. Run it after a change in `src/monitoring/`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metrics } from "../src/monitoring/catalogue/metrics.ts";
import type { Metric } from "../src/monitoring/model/metric.ts";
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
  return withRegion(page, "metrics", table);
}

if (import.meta.main) writeFileSync(pagePath, withMonitoring(readFileSync(pagePath, "utf8")));
