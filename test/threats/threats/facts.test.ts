import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { changesPerThreatMax } from "../../../src/threats/threats/triage/history.ts";
import type { SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import type { ThreatSource } from "../../../src/platform/vocabulary/threats.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
let id: string;
beforeEach(() => {
  stores = openStores();
  id = seeAgain("feed");
});
afterEach(() => stores.dispose());

function seeAgain(source: ThreatSource): string {
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity: 0.9,
    reasons: [],
  };
  const sighting = { domain: "examp1e-bank.com", match, source, seenAt: stores.clock.now() };
  return stores.threats.record([sighting])[0]!.threatId;
}

const nothing = { ipAddress: null, registrar: null, whois: {} };
const withMail: SeverityFacts = { exists: "yes", reachable: true, mail: true };

describe("updating facts", () => {
  test("writes the fields, the severity with its reasons and the totals, and records no event", () => {
    const before = stores.events().length;
    const whois = { source: "rdap" as const, registrar: "Example Registrar" };
    const facts = { ipAddress: "192.0.2.7", registrar: "Example Registrar", whois, evidence: withMail };
    expect(stores.threats.updateFacts(id, facts, [])).toEqual({
      severity: "high",
      previousSeverity: "medium",
      siteState: null,
      previousSiteState: null,
    });
    expect(stores.threats.get(id)).toMatchObject({
      ipAddress: "192.0.2.7",
      registrar: "Example Registrar",
      whois,
      severity: "high",
      severityReasons: [
        { code: "name_near_miss", params: { similarity: 0.9 } },
        { code: "receives_mail", params: {} },
      ],
      status: "active",
    });
    expect(stores.threats.list({ severity: "high" }, { page: 1, perPage: 10 }).total).toBe(1);
    expect(stores.threats.list({ severity: "medium" }, { page: 1, perPage: 10 }).total).toBe(0);
    expect(stores.events().length).toBe(before);
  });

  test("ignores facts about a threat that does not exist", () => {
    expect(stores.threats.updateFacts("thr_none", { ...nothing, evidence: withMail }, [])).toBeUndefined();
  });
});

describe("the history of a threat", () => {
  test("names the actor of each decision, and the system for a reactivation after a sighting", () => {
    const key: Actor = { channel: "api", name: "soc", address: null };
    stores.threats.changeStatus([id], "resolved", { by: key });
    stores.clock.advance(1_000);
    seeAgain("submission");
    const decided = stores.threats.history(id).map(({ before, after, by }) => ({ before, after, by }));
    expect(decided).toEqual([
      { before: "resolved", after: "active", by: { channel: "system", name: null, address: null } },
      { before: "active", after: "resolved", by: key },
    ]);
  });

  test("keeps decisions however often the facts change", () => {
    stores.threats.changeStatus([id], "resolved", { by: analyst });
    for (let index = 0; index <= changesPerThreatMax; index++) {
      const change = { field: "page title", before: null, after: String(index) };
      stores.threats.updateFacts(id, { ...nothing, evidence: { exists: "unknown" } }, [change]);
    }
    expect(stores.threats.history(id).filter(({ by }) => by !== null)).toEqual([
      expect.objectContaining({ field: "status", after: "resolved", by: analyst }),
    ]);
  });

  test("lists changes of facts, severity and status with their times, newest first", () => {
    const change = { field: "mail servers", before: null, after: "mx.example.net" };
    stores.clock.advance(1_000);
    const at = stores.clock.now();
    stores.threats.updateFacts(id, { ...nothing, evidence: withMail }, [change]);
    stores.clock.advance(1_000);
    stores.threats.changeStatus([id], "resolved", { by: analyst });
    stores.threats.changeStatus([id], "resolved", { by: analyst });
    expect(stores.threats.history(id)).toEqual([
      { at: at + 1_000, field: "status", before: "active", after: "resolved", by: analyst },
      { at, field: "severity", before: "medium", after: "high", by: null },
      { at, ...change, by: null },
    ]);
  });

  test("keeps only the latest changes and truncates long texts", () => {
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
