import { expect, test } from "bun:test";
import { preparedText, textAfterChange, textDigest } from "../../../../src/response/cases/takedowns/texts.ts";
import type { Facts } from "../../../../src/facts/enrichment/facts/facts.ts";
import type { SiteState } from "../../../../src/platform/vocabulary/site.ts";
import { existing, plainPage } from "../../../support/enrichment.ts";

type Sources = Parameters<typeof preparedText>[0];

const now = Date.UTC(2026, 0, 15, 12);
const dayMs = 86_400_000;
const phishing = {
  existence: { ...existing, exists: "yes" },
  page: { ...plainPage, asksForPassword: true, namesBrand: true },
  unknown: {},
} as Facts;
const registered = { existence: { ...existing, exists: "yes" }, unknown: {} } as Facts;

function threatOf(siteState: SiteState | null, facts = phishing): Sources["threats"][number] {
  return {
    threat: {
      domain: "examp1e-bank.com",
      protectedDomain: "example-bank.com",
      type: "typosquatting",
      reasons: [],
      firstSeen: now,
      whois: {},
      siteState,
    },
    facts,
    checkedAt: now,
  };
}

const bodyOf = (changes: Partial<Sources>) =>
  preparedText({
    reference: "PW-4F7K2Q9D",
    purpose: "first",
    recipient: { kind: "hoster", name: "Example Hosting" },
    threats: [threatOf("up")],
    previous: null,
    before: undefined,
    files: { attached: [], bundle: undefined },
    signature: "Ada",
    now,
    ...changes,
  }).body;

test("a report asks to remove phishing content only if there is some", () => {
  expect(bodyOf({})).toContain("Please remove the phishing content");
  const unseen = bodyOf({ threats: [threatOf("registered", registered)] });
  expect(unseen).not.toContain("phishing content");
  expect(unseen).toContain("suspend the account if it is used for phishing");
  const list = { kind: "browser_list", name: "Example list" } as const;
  expect(bodyOf({ recipient: list })).toContain("Please add the address to your list of phishing pages");
  expect(bodyOf({ recipient: list, threats: [threatOf(null, registered)] })).toContain(
    "warn visitors if it shows a phishing page",
  );
});

test("a follow-up claims that a site is up only if it is", () => {
  const previous = {
    reference: "PW-00000001",
    createdAt: now - 2 * dayMs,
    recipient: { kind: "registrar", name: "registrar", source: { from: "whois" } },
    ticket: null,
  } as const;
  const followUp = (...states: (SiteState | null)[]) =>
    bodyOf({ purpose: "follow_up", previous, threats: states.map((state) => threatOf(state)) });
  expect(followUp("up")).toContain("The site is still up after 2 days.");
  expect(followUp("up", "back")).toContain("The sites are still up after 2 days.");
  expect(followUp("up", "down", "parked")).toContain("1 of the sites is still up after 2 days.");
  expect(followUp("registered")).toContain("We know of no action since.");
  expect(followUp("registered")).not.toContain("still up");
  expect(followUp("down")).toContain("and hosted a phishing page");
  const some = [threatOf("up"), threatOf("parked", registered)];
  expect(bodyOf({ threats: some })).toContain("1 of them is hosting a phishing page.");
  expect(bodyOf({ purpose: "escalation", previous })).toContain("We reported this to the registrar on");
});

test("a recipient of which only the role is known is called by it", () => {
  const greeting = (kind: Sources["recipient"]["kind"], name: string) =>
    bodyOf({ recipient: { kind, name } }).split("\n")[0];
  expect(greeting("registry", "registry of .com")).toBe("To the abuse team of the registry of .com:");
  expect(greeting("registrar", "registrar")).toBe("To the abuse team of the registrar:");
  expect(greeting("hoster", "Example Hosting")).toBe("To the abuse team of Example Hosting:");
});

test("evidence that changes while a form is open is stated in the text that is sent", () => {
  const textWith = (digit: string) => ({ subject: "Phishing", body: `(SHA-256 ${digit.repeat(64)}).\n` });
  const before = textWith("1");
  const after = textWith("2");
  const asTyped = { ...before, body: before.body.replace("\n", "\r\n") };
  expect(textAfterChange(after, asTyped, textDigest(before))).toEqual(after);
  const changed = { subject: "Urgent", body: `Dear Bob\n${before.body}` };
  expect(textAfterChange(after, changed, textDigest(before))).toEqual({
    subject: "Urgent",
    body: `Dear Bob\n${after.body}`,
  });
});
