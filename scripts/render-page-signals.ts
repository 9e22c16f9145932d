/** Updates the manual's table of signals. Run it after a change to the comparisons or their weights. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  claims,
  combinedRules,
  copiedShares,
  levels,
} from "../src/facts/inspection/comparison/combined-rules.ts";
import type { SignalGroup } from "../src/facts/inspection/comparison/signal-rule.ts";
import { signalRules, fittedModels } from "../src/facts/inspection/comparison/signal-table.ts";
import { markdownTable, withRegion } from "./markdown-table.ts";

const path = join(import.meta.dir, "../src/manual/inspection.md");

const groupTitles: Record<SignalGroup, string> = {
  identity: "The page presents itself as the brand",
  copy: "The page was made from an original",
  request: "What the page requests, and where it sends that",
  place: "Where the page is",
  other: "The page is something else",
};

/** Returns the page with one table for each group of signals. */
export function withPageSignals(page: string): string {
  const { withOriginals, withoutOriginals } = fittedModels;
  const points = (code: string) =>
    `${(withOriginals.weights[code] ?? 0).toFixed(1)} / ${(withoutOriginals.weights[code] ?? 0).toFixed(1)}`;
  const heading = ["Signal", "Measure", "Points"];
  const groups = (Object.keys(groupTitles) as SignalGroup[]).map((group) => {
    const rows = signalRules
      .filter((rule) => rule.group === group)
      .map(({ code, measures, source }) => [
        `\`${code}\``,
        source === undefined ? measures : `${measures} (${source})`,
        points(code),
      ]);
    return `### ${groupTitles[group]}\n\n${markdownTable([heading, ...rows])}`;
  });
  const combined = combinedRules.map(({ code, measures }) => [`\`${code}\``, measures, points(code)]);
  const sharesOf = (ofLevel: Readonly<Record<string, number>>) =>
    Object.entries(ofLevel)
      .map(([code, share]) => `\`${code}\` ${share}`)
      .join(", ");
  const codes = (listed: Iterable<string>) => [...listed].map((code) => `\`${code}\``).join(", ");
  const shares = Object.entries(levels).map(([name, ofLevel]) => [name, sharesOf(ofLevel)]);
  return withRegion(
    page,
    "signals",
    [
      ...groups,
      `### What signals mean together\n\n${markdownTable([heading, ...combined])}`,
      `Each level is 1 − ∏ (1 − share × strength) of these signals:\n\n${markdownTable([["Level", "Signals and their shares"], ...shares])}`,
      `What a page says about itself costs its author nothing. In a page that was itself copied, these signals therefore count less, by the factor 1 − identity × copied^1.4: ${codes(claims)}. _Copied_ is computed like a level: ${sharesOf(copiedShares)}.`,
    ].join("\n"),
  );
}

if (import.meta.main) writeFileSync(path, withPageSignals(readFileSync(path, "utf8")));
