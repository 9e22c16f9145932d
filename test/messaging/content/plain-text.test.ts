import { expect, test } from "bun:test";
import type { Notice } from "../../../src/messaging/content/notice.ts";
import { moreThreats, plainText, severityLabels } from "../../../src/messaging/content/plain-text.ts";

const notice: Notice = {
  id: "evt_1",
  kind: "threats",
  at: "2026-01-31T12:00:00.000Z",
  tone: "high",
  title: "594 new threats: 12 high, 582 low",
  summary: "They were found by one import.",
  facts: [{ label: "example-bank.com", value: "594" }],
  items: [
    {
      name: "examp1e-bank[.]com",
      protectedDomain: "example-bank.com",
      severity: "high",
      reason: "the page asks for a password",
      url: "https://watch.example/console/threats/thr_1",
    },
    {
      name: "example-bnak[.]com",
      protectedDomain: "example-bank.com",
      severity: "low",
      reason: "",
      url: null,
    },
  ],
  more: 592,
  links: [{ text: "Open the threats", url: "https://watch.example/console/threats?import=1" }],
  threat: null,
  condition: null,
};

test("a message in plain text contains everything that it tells, in blocks", () => {
  expect(plainText(notice)).toBe(`594 new threats: 12 high, 582 low

They were found by one import.

example-bank.com: 594

- High: examp1e-bank[.]com, look-alike of example-bank.com: the page asks for a password
- Low: example-bnak[.]com, look-alike of example-bank.com
and 592 more threats

Open the threats: https://watch.example/console/threats?import=1`);
});

test("plain text without the title and without empty parts has no blank lines at its ends", () => {
  const bare: Notice = { ...notice, summary: "", facts: [], items: [], more: 0, links: [] };
  expect(plainText(bare)).toBe(notice.title);
  expect(plainText({ ...bare, summary: "Text." }, { title: false })).toBe("Text.");
  expect(plainText(bare, { title: false })).toBe("");
});

test("the wording of severities and of threats that are not listed is shared by all channels", () => {
  expect(Object.values(severityLabels)).toEqual(["High", "Medium", "Low"]);
  expect([1, 2, 1_000].map(moreThreats)).toEqual(["1 more threat", "2 more threats", "1,000 more threats"]);
});
