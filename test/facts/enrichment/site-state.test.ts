import { describe, expect, test } from "bun:test";
import { nothingKnown, type Facts } from "../../../src/facts/enrichment/facts/facts.ts";
import {
  mergeFacts,
  pageFailuresMax,
  type CheckResults,
} from "../../../src/facts/enrichment/facts/merge-facts.ts";
import { siteStateOf } from "../../../src/facts/enrichment/facts/site-state.ts";
import type { SiteState } from "../../../src/platform/vocabulary/site.ts";
import { dayMs } from "../../../src/platform/lib/clock.ts";
import { phishingFacts } from "../../support/threat-samples.ts";

const start = Date.parse("2026-01-10T08:00:00Z");
const existing = { ...phishingFacts.existence!, exists: "yes" as const };
const missing = { ...existing, exists: "no" as const, addresses: [], mailServers: [], nameServers: [] };
const page = { ok: true as const, page: phishingFacts.page! };
const registration = { ok: true as const, registration: phishingFacts.registration!, raw: "" };
const error = (status: number) => ({
  ok: true as const,
  page: { ...phishingFacts.page!, asksForPassword: false, status },
});
const noPage = { ok: false as const, reason: "connection refused" };

/** Facts after one check a day. */
function after(...checks: CheckResults[]): Facts {
  return checks.reduce(
    (facts, results, day) => mergeFacts(facts, results, start + day * dayMs),
    nothingKnown,
  );
}
const up: CheckResults = { existence: existing, page };

describe("the state of a site", () => {
  const cases: [string, CheckResults[], SiteState | null][] = [
    ["is not determined before the first check", [], null],
    ["is registered if only the registration is known", [{ registration }], "registered"],
    ["is unregistered if the name is not in DNS", [{ existence: missing }], "unregistered"],
    [
      "is registered if the registry knows a name that is not in DNS",
      [{ existence: missing, registration }],
      "registered",
    ],
    ["is registered if there is no page", [{ existence: existing, page: noPage }], "registered"],
    [
      "is registered if there has only been an error",
      [{ existence: existing, page: error(404) }],
      "registered",
    ],
    ["is parked with a parking service", [{ existence: { ...existing, parked: "Bodis" }, page }], "parked"],
    ["is up with a page", [up], "up"],
    ["stays up for a check that gets no page", [up, { page: noPage }], "up"],
    [
      "is down without a page for several checks",
      [up, ...Array.from({ length: pageFailuresMax }, () => ({ page: noPage }))],
      "down",
    ],
    ["is down once the name is gone from DNS", [up, { existence: missing }], "down"],
    ["is down once the page is not found", [up, { page: error(404) }], "down"],
    ["is back after it was down", [up, { existence: missing }, up], "back"],
    ["is down again after it was back", [up, { existence: missing }, up, { existence: missing }], "down"],
    ["is blocked in a sinkhole", [up, { existence: { ...existing, sinkholed: "Shadowserver" } }], "blocked"],
    [
      "is blocked if the registrar holds the name",
      [
        up,
        {
          existence: missing,
          registration: {
            ok: true,
            registration: { ...phishingFacts.registration!, status: ["client hold"] },
            raw: "",
          },
        },
      ],
      "blocked",
    ],
    [
      "is blocked if the hosting provider suspended the account",
      [up, { page: { ok: true, page: { ...error(200).page, parked: "suspended" } } }],
      "blocked",
    ],
  ];
  test.each(cases)("%s", (_title, checks, expected) => {
    expect(siteStateOf(after(...checks), start + checks.length * dayMs)).toBe(expected);
  });

  test("is simply up a month after it came back", () => {
    const facts = after(up, { existence: missing }, up);
    expect(siteStateOf(facts, start + 32 * dayMs)).toBe("back");
    expect(siteStateOf(facts, start + 33 * dayMs)).toBe("up");
  });

  test("is known for facts from before the times of sites were recorded", () => {
    expect(siteStateOf(phishingFacts, start)).toBe("up");
    const gone = mergeFacts({ ...phishingFacts, pageAt: start }, { existence: missing }, start + dayMs);
    expect(gone.site).toEqual({ upAt: start, downAt: start + dayMs });
  });
});
