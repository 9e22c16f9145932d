import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { iconNames } from "../../../src/web/console/kit/icons.tsx";
import { typeDescriptions } from "../../../src/web/console/kit/labels.ts";
import { severityManualPath, severityReasonTexts } from "../../../src/web/console/threat-kit/reasons.tsx";
import siteStates from "../../../src/web/console/threat-kit/site-states.json" with { type: "json" };
import { threatTypes } from "../../../src/platform/vocabulary/threats.ts";

const isSentence = /^[A-Z][^.!?]{20,160}\.$/;

test("every type and every severity reason is explained in one sentence", () => {
  expect(Object.keys(typeDescriptions).toSorted()).toEqual([...threatTypes].toSorted());
  for (const { explanation, icon, tone } of Object.values(severityReasonTexts)) {
    expect(explanation).toMatch(isSentence);
    expect(iconNames).toContain(icon);
    expect(["high", "medium", "neutral", "good"]).toContain(tone);
  }
  for (const { icon, tone } of Object.values(siteStates)) {
    expect<readonly string[]>(iconNames).toContain(icon);
    expect(["neutral", "good", "warn", "bad"]).toContain(tone);
  }
});

test("the explanations link to sections that the manual has", () => {
  for (const path of [severityManualPath, "detection#types"]) {
    const [page, anchor] = path.split("#");
    const text = readFileSync(join(import.meta.dir, `../../../src/manual/${page}.md`), "utf8");
    expect(text.toLowerCase()).toContain(`\n## ${anchor}\n`);
  }
});
