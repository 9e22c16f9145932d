/** Updates the manual's table of reasons. Run it after a change to `src/response/cases/grouping/reasons.json`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reasons } from "../src/response/cases/grouping/reasons.ts";
import { markdownTable, withRegion } from "./markdown-table.ts";

const path = join(import.meta.dir, "../src/manual/campaigns.md");

/** Returns the page with the table of reasons, strongest first. */
export function withReasons(page: string): string {
  const rows = Object.values(reasons).map(({ name, weight, cost, joins, joinsNot }) => [
    name,
    String(weight),
    cost,
    joins,
    joinsNot,
  ]);
  const heading = ["Reason", "Weight", "Why it costs", "Joins", "Does not join"];
  return withRegion(page, "reasons", markdownTable([heading, ...rows]));
}

if (import.meta.main) writeFileSync(path, withReasons(readFileSync(path, "utf8")));
