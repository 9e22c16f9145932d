import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { changesPerThreatMax } from "../../src/threats/history.ts";
import type { SeverityFacts } from "../../src/threats/severity.ts";
import { openStores, type Stores } from "../support/stores.ts";

let stores: Stores;
let id: string;
beforeEach(() => {
  stores = openStores();
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity: 0.9,
    reasons: [],
  };
  const sighting = { domain: "examp1e-bank.com", match, source: "feed" as const, seenAt: stores.clock.now() };
  id = stores.threats.record([sighting])[0]!.threatId;
});
afterEach(() => stores.dispose());

const nothing = { ipAddress: null, registrar: null, whois: {} };
const withMail: SeverityFacts = { exists: "yes", reachable: true, mail: true };

describe("facts of a threat", () => {
  test("become its fields, its severity with reasons, and the totals, and emit no event", () => {
    const before = stores.events().length;
    const whois = { source: "rdap" as const, registrar: "Example Registrar" };
    const facts = { ipAddress: "192.0.2.7", registrar: "Example Registrar", whois, evidence: withMail };
    expect(stores.threats.updateFacts(id, facts, [])).toEqual({
      severity: "high",
      previousSeverity: "medium",
    });
    expect(stores.threats.get(id)).toMatchObject({
      ipAddress: "192.0.2.7",
      registrar: "Example Registrar",
      whois,
      severity: "high",
      severityReasons: [
        "the name deceives a hurried reader (similarity 0.9)",
        "a mail server receives for it",
      ],
      status: "active",
    });
    expect(stores.threats.list({ severity: "high" }, { page: 1, perPage: 10 }).total).toBe(1);
    expect(stores.threats.list({ severity: "medium" }, { page: 1, perPage: 10 }).total).toBe(0);
    expect(stores.events().length).toBe(before);
  });

  test("of a threat that does not exist are dropped", () => {
    expect(stores.threats.updateFacts("thr_none", { ...nothing, evidence: withMail }, [])).toBeUndefined();
  });
});

describe("the history of a threat", () => {
  test("tells what changed and when, newest first: facts, severity and status", () => {
    const change = { field: "mail servers", before: null, after: "mx.example.net" };
    stores.clock.advance(1_000);
    const at = stores.clock.now();
    stores.threats.updateFacts(id, { ...nothing, evidence: withMail }, [change]);
    stores.clock.advance(1_000);
    stores.threats.changeStatus([id], "resolved");
    stores.threats.changeStatus([id], "resolved");
    expect(stores.threats.history(id)).toEqual([
      { at: at + 1_000, field: "status", before: "active", after: "resolved" },
      { at, field: "severity", before: "medium", after: "high" },
      { at, ...change },
    ]);
  });

  test("keeps the latest changes only, and long texts cut", () => {
    for (let index = 0; index <= changesPerThreatMax; index++) {
      const change = { field: "page title", before: null, after: `${index} ${"x".repeat(1_000)}` };
      stores.threats.updateFacts(id, { ...nothing, evidence: { exists: "unknown" } }, [change]);
    }
    const kept = stores.threats.history(id);
    expect(kept.length).toBe(changesPerThreatMax);
    expect(kept[0]!.after).toStartWith(`${changesPerThreatMax} x`);
    expect(kept[0]!.after!.length).toBe(500);
    expect(kept.at(-1)!.after).toStartWith("1 x");
  });
});
