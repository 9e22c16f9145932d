import { describe, expect, test } from "bun:test";
import { lifecycleOf } from "../../../src/facts/enrichment/facts/lifecycle.ts";
import type { DatedChange } from "../../../src/threats/threats/triage/history.ts";
import { phishingFacts } from "../../support/threat-samples.ts";

const start = Date.parse("2026-11-10T08:00:00Z");
const hourMs = 3_600_000;
const hour = (count: number) => start + count * hourMs;

const change = (at: number, field: string, before: string | null, after: string | null): DatedChange => ({
  at,
  field,
  before,
  after,
  by: null,
});
const active = { firstSeen: hour(2), status: "active", statusChangedAt: hour(2), decidedAt: null } as const;
/** Newest first, as `threats.history` returns it. */
const history = [
  change(hour(9), "severity", "medium", "high"),
  change(hour(8), "mail servers", null, "mx1.mail.example"),
  change(hour(5), "page", "404 https://x.example/", "200 https://x.example/"),
  change(hour(4), "page", null, "404 https://x.example/"),
];
const none = { certificates: [] };
const steps = (lifecycle: ReturnType<typeof lifecycleOf>) =>
  lifecycle.steps.map(({ event, at }) => `${event} ${(at - start) / hourMs}`);

describe("the lifecycle of a threat", () => {
  test("is what is on record, in the order of time", () => {
    const lifecycle = lifecycleOf({
      threat: active,
      facts: phishingFacts,
      history,
      origins: none,
      reportedAt: [],
    });
    expect(steps(lifecycle)).toEqual([
      "registered 0",
      "certificate 1",
      "first_seen 2",
      "page_up 5",
      "mail_server 8",
      "severity_raised 9",
    ]);
    expect(lifecycle.isOpen).toBe(true);
  });

  test("has only the first sighting while nothing else is known", () => {
    const lifecycle = lifecycleOf({
      threat: active,
      facts: undefined,
      history: [],
      origins: none,
      reportedAt: [],
    });
    expect([steps(lifecycle), lifecycle.isOpen]).toEqual([["first_seen 2"], false]);
  });

  test("takes the times of the site, the first certificate, the reports and the decision into account", () => {
    const logged = { issuer: "", serial: "", log: "", entryUrl: "", index: 1, isVerified: true };
    const lifecycle = lifecycleOf({
      threat: { ...active, status: "resolved", statusChangedAt: hour(20), decidedAt: hour(20) },
      facts: { ...phishingFacts, site: { upAt: hour(4), downAt: hour(22), backAt: hour(30) } },
      history: [],
      origins: {
        certificates: [
          { ...logged, notBefore: null, seenAt: hour(0.5) },
          { ...logged, notBefore: hour(3), seenAt: hour(3) },
        ],
      },
      reportedAt: [hour(6), hour(10), hour(21)],
    });
    expect(steps(lifecycle)).toEqual([
      "registered 0",
      "certificate 0.5",
      "first_seen 2",
      "page_up 4",
      "reported 6",
      "decided 20",
      "reported_again 21",
      "down 22",
      "back 30",
    ]);
    expect(lifecycle.isOpen).toBe(false);
  });

  test("ignores dates that registries and servers wrote in another form", () => {
    const { certificate, ...page } = phishingFacts.page!;
    const facts = {
      ...phishingFacts,
      registration: { created_at: "last week" },
      page: { ...page, certificate: { ...certificate!, notBefore: "yesterday" } },
    };
    expect(steps(lifecycleOf({ threat: active, facts, history: [], origins: none, reportedAt: [] }))).toEqual(
      ["first_seen 2"],
    );
  });
});
