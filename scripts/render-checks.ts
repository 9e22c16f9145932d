/** Updates the manual's tables of checks. Run it after a change to `src/cli/checks/catalog.json`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkGroups } from "../src/cli/checks/catalog.ts";
import { markdownTable, withRegion } from "./markdown-table.ts";

const path = join(import.meta.dir, "../src/manual/check.md");

/** Returns the page with one table for each group. */
export function withChecks(page: string): string {
  const tables = Object.entries(checkGroups).map(([group, checks]) => {
    const rows = Object.entries(checks).map(([id, { meaning, remedy }]) => [`\`${id}\``, meaning, remedy]);
    return `### ${group}\n\n${markdownTable([["Check", "What is checked", "What to do otherwise"], ...rows])}`;
  });
  return withRegion(page, "checks", tables.join("\n"));
}

if (import.meta.main) writeFileSync(path, withChecks(readFileSync(path, "utf8")));
