/** Updates the manual's table of checks. Run it after a change to `src/cli/check/catalog.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkCatalog, checkGroups } from "../src/cli/check/catalog.ts";

const path = join(import.meta.dir, "../src/manual/check.md");
const text = readFileSync(path, "utf8");
const region = /(?<=<!-- checks -->\n)[^]*?(?=<!-- end of checks -->)/;
if (!region.test(text)) throw new Error("the page has no markers for the table of checks");
writeFileSync(
  path,
  text.replace(region, () => `\n${renderChecks()}\n`),
);

/** Renders one table for each group, laid out as the formatter does. */
function renderChecks(): string {
  return checkGroups
    .map((group) => {
      const rows = Object.entries(checkCatalog)
        .filter(([, definition]) => definition.group === group)
        .map(([id, { meaning, remedy }]) => [`\`${id}\``, meaning, remedy]);
      const cells = [["Check", "What is checked", "What to do otherwise"], ...rows];
      const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
      const line = (row: string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |\n`;
      const [heading, ...body] = cells;
      const table = [line(heading!), line(widths.map((width) => "-".repeat(width))), ...body.map(line)];
      return `### ${group}\n\n${table.join("")}`;
    })
    .join("\n");
}
