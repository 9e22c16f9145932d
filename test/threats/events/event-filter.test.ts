import { describe, expect, test } from "bun:test";
import {
  matchesEvent,
  matchesEverything,
  matchesFilter,
  noFilter,
  type EventFilter,
  type ThreatSnapshot,
} from "../../../src/threats/events/event-filter.ts";
import type { EventType } from "../../../src/platform/vocabulary/events.ts";

const threat: ThreatSnapshot = {
  seq: 1,
  id: "thr_1",
  domain: "examp1e-bank.com",
  protectedDomain: "example-bank.com",
  type: "typosquatting",
  severity: "medium",
  similarity: 0.9,
  source: "feed",
  verified: false,
  status: "active",
};

describe("A filter", () => {
  const cases: [keyof EventFilter, Partial<EventFilter>, Partial<ThreatSnapshot>, boolean][] = [
    ["minSeverity", { minSeverity: "low" }, { severity: "low" }, true],
    ["minSeverity", { minSeverity: "medium" }, { severity: "low" }, false],
    ["minSeverity", { minSeverity: "medium" }, { severity: "medium" }, true],
    ["minSeverity", { minSeverity: "medium" }, { severity: "high" }, true],
    ["minSeverity", { minSeverity: "high" }, { severity: "medium" }, false],
    ["protectedDomains", { protectedDomains: ["a.com", "example-bank.com"] }, {}, true],
    ["protectedDomains", { protectedDomains: ["bank.com"] }, {}, false],
    ["types", { types: ["homograph", "typosquatting"] }, {}, true],
    ["types", { types: ["homograph"] }, {}, false],
    ["sources", { sources: ["feed"] }, {}, true],
    ["sources", { sources: ["scan", "beacon"] }, {}, false],
    ["verifiedOnly", { verifiedOnly: true }, { verified: true }, true],
    ["verifiedOnly", { verifiedOnly: true }, {}, false],
    ["verifiedOnly", { minSeverity: "high", verifiedOnly: true }, { severity: "high" }, false],
    ["types", { minSeverity: "high", types: ["typosquatting"] }, { severity: "high" }, true],
  ];
  test.each(cases)("by %s, %j, matches the threat %j: %j", (_name, filter, state, expected) => {
    expect(matchesFilter({ ...noFilter, ...filter }, { ...threat, ...state })).toBe(expected);
  });

  test("matches everything only if it has no condition", () => {
    expect(matchesEverything(noFilter)).toBe(true);
    for (const [, filter] of cases.slice(1))
      expect(matchesEverything({ ...noFilter, ...filter })).toBe(false);
  });
});

describe("An event that is not about a threat", () => {
  const scan = { scan: { id: "scn_1", protected_domains: ["a.com", "b.com"] } };
  const beacon = { beacon: { id: "bcn_1", protected_domain: "b.com" }, threat: { id: "thr_1" } };
  const token = { token: { id: "tok_1" } };
  const cases: [EventType, object, Partial<EventFilter>, boolean][] = [
    ["scan.started", scan, { minSeverity: "high", types: ["homograph"], verifiedOnly: true }, true],
    ["scan.completed", scan, { protectedDomains: ["b.com"] }, true],
    ["scan.completed", scan, { protectedDomains: ["c.com"] }, false],
    ["beacon.triggered", beacon, { minSeverity: "high", sources: ["scan"] }, true],
    ["beacon.triggered", beacon, { protectedDomains: ["b.com"] }, true],
    ["beacon.triggered", beacon, { protectedDomains: ["a.com"] }, false],
    ["token.accessed", token, { minSeverity: "high", verifiedOnly: true }, true],
    ["token.accessed", token, { protectedDomains: ["a.com"] }, false],
  ];
  test.each(cases)(
    "%s %j passes the filter %j by its protected domains alone: %j",
    (type, data, filter, expected) => {
      const event = { type, body: JSON.stringify({ type, data }), threat };
      expect(matchesEvent({ ...noFilter, ...filter }, event)).toBe(expected);
    },
  );
});

test("An event of a threat that is not on record passes only a filter without conditions", () => {
  const event = { type: "threat.created", body: "{}", threat: null } as const;
  expect(matchesEvent(noFilter, event)).toBe(true);
  expect(matchesEvent({ ...noFilter, minSeverity: "medium" }, event)).toBe(false);
});
