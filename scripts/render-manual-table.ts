/** Updates the README's table of manual pages. Run it after a change to a page's title or summary. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manualPages } from "../src/manual/manual.ts";
import { markdownTable, withRegion } from "./markdown-table.ts";

const readmePath = join(import.meta.dir, "../README.md");

/** Returns the README with a regenerated table of manual pages, formatted as the formatter does. */
export function withManualTable(readme: string): string {
  const cells = [
    ["Page", "Content"],
    ...manualPages.map(({ topic, title, summary }) => [`[${title}](src/manual/${topic}.md)`, summary]),
  ];
  return withRegion(readme, "manual", markdownTable(cells));
}

if (import.meta.main) writeFileSync(readmePath, withManualTable(readFileSync(readmePath, "utf8")));
