/** Regenerates the tables of the manual's page about the sandbox. Run it after a change to `src/sandbox/`. */
import type { TObject } from "@sinclair/typebox";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../src/sandbox/control/control.ts";
import { sandboxKeys, type SandboxKey } from "../src/sandbox/world/samples.ts";
import { worldDomains } from "../src/sandbox/world/samples.ts";
import { worldEntries, type WorldEntry } from "./sandbox/world/entries.ts";
import { severities, threatSources, statuses } from "../src/platform/vocabulary/threats.ts";
import { threatTypes } from "../src/platform/vocabulary/threats.ts";

const pagePath = join(import.meta.dir, "../src/manual/sandbox.md");

/** Tables by the name of their markers. */
export const sandboxTables: Record<string, () => string> = {
  "sandbox keys": () =>
    table(
      ["`keys.…`", "Permissions"],
      Object.entries(sandboxKeys).map(([name, { about }]: [string, SandboxKey]) => [`\`${name}\``, about]),
    ),
  "sandbox world": () => {
    const entries = worldEntries();
    const row = (name: string, fits: (entry: WorldEntry) => boolean) => {
      const counts = worldDomains.map((domain) =>
        String(entries.filter((entry) => fits(entry) && entry.protectedDomain === domain).length),
      );
      return [name, ...counts, String(entries.filter(fits).length)];
    };
    return table(
      ["Threats", ...worldDomains.map((domain) => `\`${domain}\``), "all"],
      [
        row("all", () => true),
        ...statuses.map((value) => row(`status \`${value}\``, ({ status }) => status === value)),
        ...severities.map((value) => row(`severity \`${value}\``, ({ severity }) => severity === value)),
        ...threatTypes.map((value) => row(`type \`${value}\``, ({ type }) => type === value)),
        ...threatSources.map((value) => row(`source \`${value}\``, ({ source }) => source === value)),
        row("without registration: `whois` is `{}`", hasNoFacts),
      ],
    );
  },
  "sandbox control": () =>
    table(
      ["Call", "Description"],
      operations.map(({ method, path, summary, body, query }) => {
        const schema = body?.content["application/json"]?.schema as TObject | undefined;
        const fields = Object.keys(schema?.properties ?? query ?? {});
        const shown = fields.length === 0 ? "" : ` (${fields.map((name) => `\`${name}\``).join(", ")})`;
        return [`\`${method} ${path}\``, `${summary}${shown}`];
      }),
    ),
};

function hasNoFacts({ evidence }: WorldEntry): boolean {
  return evidence === undefined || evidence.exists === "no";
}

/** Formats a table as the formatter does. */
function table(heading: string[], rows: string[][]): string {
  const cells = [heading, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heading.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)));
  const line = (row: string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |\n`;
  const [first, ...rest] = cells;
  return [line(first!), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("");
}

/** Returns the page with regenerated tables. */
export function withTables(page: string): string {
  return Object.entries(sandboxTables).reduce((text, [name, render]) => {
    const place = new RegExp(`(?<=<!-- ${name} -->\\n)[^]*?(?=<!-- end of ${name} -->)`);
    if (!place.test(text)) throw new Error(`the page has no markers for the table: ${name}`);
    return text.replace(place, () => `\n${render()}\n`);
  }, page);
}

if (import.meta.main) writeFileSync(pagePath, withTables(readFileSync(pagePath, "utf8")));
