/** Updates the README's table of manual pages. Run it after a change to a page's title or summary. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manualPages } from "../src/manual/manual.ts";

const readmePath = join(import.meta.dir, "../README.md");

/** Returns the README with a regenerated table of manual pages, formatted as the formatter does. */
export function withManualTable(readme: string): string {
  const cells = [
    ["Page", "Content"],
    ...manualPages.map(({ topic, title, summary }) => [`[${title}](src/manual/${topic}.md)`, summary]),
  ];
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  const line = (row: string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |\n`;
  const [heading, ...rows] = cells;
  const table = [line(heading!), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("");
  const place = /(?<=<!-- manual -->\n)[^]*?(?=<!-- end of manual -->)/;
  if (!place.test(readme)) throw new Error("the README has no markers for the table of the manual");
  return readme.replace(place, () => `\n${table}\n`);
}

if (import.meta.main) writeFileSync(readmePath, withManualTable(readFileSync(readmePath, "utf8")));
