import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import icons from "../../../src/web/console/kit/icons.json" with { type: "json" };
import { typeDescriptions } from "../../../src/web/console/kit/inline.tsx";
import { severityManualPath, severityReasonTexts } from "../../../src/web/console/threat-kit/reasons.tsx";
import help from "../../../src/web/console/kit/help.json" with { type: "json" };
import events from "../../../src/web/console/threat-kit/lifecycle-events.json" with { type: "json" };
import siteStates from "../../../src/web/console/threat-kit/site-states.json" with { type: "json" };
import takedownWords from "../../../src/web/console/threat-kit/takedown-words.json" with { type: "json" };
import usualViews from "../../../src/web/console/threat-kit/usual-views.json" with { type: "json" };
import weightyFacts from "../../../src/web/console/pages/threat/weighty-facts.json" with { type: "json" };
import otherSites from "../../../src/web/console/pages/threat/other-sites.json" with { type: "json" };
import recipientWords from "../../../src/web/console/delivery-kit/recipient-words.json" with { type: "json" };
import { readListRequest } from "../../../src/web/console/threat-kit/filters.ts";
import { replaySelections } from "../../../src/platform/vocabulary/channels.ts";
import { threatTypes } from "../../../src/platform/vocabulary/threats.ts";

const iconNames: readonly string[] = Object.keys(icons);
const isSentence = /^[A-Z][^.!?]{20,160}\.$/;

test("every type and every severity reason is explained in one sentence", () => {
  expect(Object.keys(typeDescriptions).toSorted()).toEqual([...threatTypes].toSorted());
  for (const { explanation, icon, tone } of Object.values(severityReasonTexts)) {
    expect(explanation).toMatch(isSentence);
    expect(iconNames).toContain(icon);
    expect(["high", "medium", "neutral", "good"]).toContain(tone);
  }
  for (const { icon, tone } of Object.values(siteStates)) {
    expect(iconNames).toContain(icon);
    expect(["neutral", "good", "warn", "bad"]).toContain(tone);
  }
});

test("the tables of words name icons and tones that exist, valid views, and sites with a place for the name", () => {
  const { deliveries, outcomes, steps } = takedownWords;
  for (const { tone } of [deliveries, outcomes, steps].flatMap((marks) => Object.values(marks)))
    expect(["neutral", "good", "warn", "bad", "live"]).toContain(tone);
  for (const { icon, kind } of Object.values(events)) {
    expect(iconNames).toContain(icon);
    expect(["past", "ours", "hot"]).toContain(kind);
  }
  for (const { icon = "scan" } of weightyFacts) expect(iconNames).toContain(icon);
  for (const address of Object.values(otherSites)) expect(address).toMatch(/^https:\/\/\S+NAME$/);
  for (const { replay } of Object.values(recipientWords))
    for (const { value } of replay.choices) expect<readonly string[]>(replaySelections).toContain(value);
  for (const [label, view] of Object.entries(usualViews)) {
    const query = new URLSearchParams(view);
    const reader = { account: { name: "ina" }, now: 0 } as Parameters<typeof readListRequest>[1];
    expect([label, readListRequest(query, reader).query.size]).toEqual([label, query.size]);
  }
});

test("the explanations link to sections that the manual has", () => {
  const paths = Object.values(help).map(({ manual }) => manual);
  for (const path of [...paths, severityManualPath, "detection#types", "traps#visits-that-raise-no-alert"]) {
    const [page, anchor] = path.split("#");
    const text = readFileSync(join(import.meta.dir, `../../../src/manual/${page}.md`), "utf8");
    const headings = [...text.matchAll(/^##+ (.*)$/gm)].map(([, title]) => title!.toLowerCase());
    expect(headings.map((title) => title.replace(/[^a-z0-9 -]/g, "").replaceAll(" ", "-"))).toContain(
      anchor!,
    );
  }
});

test("every explanation of the console is shown somewhere, and is a sentence or a few", () => {
  const source = join(import.meta.dir, "../../../src/web/console");
  const files = [...new Bun.Glob("**/*.{tsx,json}").scanSync(source)];
  const code = files.map((file) => readFileSync(join(source, file), "utf8")).join("\n");
  const shown = [...code.matchAll(/(?:topic=|help=|"?help"?: )"(\w+)"/g)].map(([, topic]) => topic);
  expect(new Set(shown)).toEqual(new Set(Object.keys(help)));
  for (const { about, text } of Object.values(help)) {
    expect(about).toMatch(/^[a-z]/);
    expect(text).toMatch(/^[A-Z].{20,240}\.$/);
  }
});
