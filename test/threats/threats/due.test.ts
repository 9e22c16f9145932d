import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { dayMs } from "../../../src/platform/lib/clock.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
let id: string;

beforeEach(() => {
  stores = openStores();
  const match = { protectedDomain: "example-bank.com", type: "typosquatting" as const, reasons: [] };
  const sighting = { domain: "examp1e-bank.com", source: "feed" as const, seenAt: stores.clock.now() };
  id = stores.threats.record([{ ...sighting, match: { ...match, similarity: 0.7 } }])[0]!.threatId;
});
afterEach(() => stores.dispose());

const sign = { exists: "yes" as const, reachable: true, mail: true };
const found = { ipAddress: "192.0.2.7", registrar: null, whois: {} };
const dueIn = () => {
  const { dueAt } = stores.threats.get(id)!;
  return dueAt === null ? null : (dueAt - stores.clock.now()) / dayMs;
};

describe("the due time of a threat", () => {
  test("follows from its severity when it is recorded", () => {
    expect(stores.threats.get(id)!.severity).toBe("low");
    expect(dueIn()).toBe(14);
  });

  test("becomes earlier when the severity rises, and never later", () => {
    stores.clock.advance(dayMs);
    stores.threats.updateFacts(id, { ...found, evidence: sign }, []);
    expect(stores.threats.get(id)!.severity).toBe("medium");
    expect(dueIn()).toBe(3);
    stores.clock.advance(2 * dayMs);
    stores.threats.updateFacts(id, { ...found, evidence: { exists: "no" } }, []);
    stores.threats.updateFacts(id, { ...found, evidence: sign }, []);
    expect(dueIn()).toBe(1);
  });

  test("is restored with the decision that is undone", () => {
    const before = stores.threats.get(id)!.dueAt;
    stores.clock.advance(dayMs);
    const { batch } = stores.threats.triage.change([id], "resolved", { by: analyst });
    stores.clock.advance(3_600_000);
    stores.threats.triage.undo(batch!, { by: analyst });
    expect(stores.threats.get(id)).toMatchObject({ status: "active", dueAt: before });
    stores.threats.changeStatus([id], "false_positive", { by: analyst });
    const reactivated = stores.threats.triage.change([id], "active", { by: analyst });
    stores.threats.triage.undo(reactivated.batch!, { by: analyst });
    expect(stores.threats.get(id)).toMatchObject({ status: "false_positive", dueAt: null });
  });

  test("is gone while the threat is closed, and begins again when it becomes active", () => {
    stores.threats.changeStatus([id], "resolved", { by: analyst });
    expect(dueIn()).toBeNull();
    stores.threats.updateFacts(id, { ...found, evidence: sign }, []);
    expect(dueIn()).toBeNull();
    stores.clock.advance(dayMs);
    stores.threats.changeStatus([id], "active", { by: analyst });
    expect(dueIn()).toBe(3);
  });
});
