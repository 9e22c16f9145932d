import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Match } from "../../../src/threats/threats/severity/similarity-reasons.ts";
import type { ThreatSource } from "../../../src/platform/vocabulary/threats.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

function sighting(
  domain: string,
  options: { protectedDomain?: string; similarity?: number; source?: ThreatSource; seenAt?: number } = {},
) {
  const {
    protectedDomain = "example-bank.com",
    similarity = 0.9,
    source = "feed",
    seenAt = stores.clock.now(),
  } = options;
  const match: Match = { protectedDomain, type: "typosquatting", similarity, reasons: [] };
  return { domain, match, source, seenAt };
}

function record(...names: string[]) {
  return stores.threats.record(names.map((name) => sighting(name)));
}

describe("recording sightings", () => {
  test("a new look-alike becomes one active threat with exactly one threat.created event", () => {
    const [created] = stores.threats.record([sighting("examp1e-bank.com", { similarity: 0.97 })]);
    expect(created).toMatchObject({ outcome: "created", domain: "examp1e-bank.com" });
    expect(stores.threats.get(created!.threatId)).toMatchObject({
      status: "active",
      severity: "medium",
      protectedDomain: "example-bank.com",
      ipAddress: null,
      registrar: null,
      whois: {},
    });
    expect(stores.events()).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: "threat.created",
        created_at: "2026-01-15T12:00:00.000Z",
        data: {
          threat: {
            id: created!.threatId,
            domain: "examp1e-bank.com",
            type: "typosquatting",
            severity: "medium",
            similarity: 0.97,
          },
        },
      },
    ]);
  });

  test("a known look-alike creates no threat and no event, and an earlier sighting moves first_seen back", () => {
    const [created] = record("examp1e-bank.com");
    const earlier = stores.clock.now() - 86_400_000;
    const again = stores.threats.record([
      sighting("examp1e-bank.com", { seenAt: earlier }),
      sighting("examp1e-bank.com", { seenAt: earlier + 1 }),
    ]);
    expect(again.map(({ threatId, outcome }) => [threatId, outcome])).toEqual([
      [created!.threatId, "known"],
      [created!.threatId, "known"],
    ]);
    expect(stores.threats.get(created!.threatId)!.firstSeen).toBe(earlier);
    expect(stores.events()).toHaveLength(1);
  });

  test("a name that resembles two protected domains becomes two threats", () => {
    const recorded = stores.threats.record([
      sighting("example-bank-shop.com"),
      sighting("example-bank-shop.com", { protectedDomain: "example-shop.com" }),
    ]);
    expect(new Set(recorded.map(({ threatId }) => threatId)).size).toBe(2);
  });

  test("a sighting in the future counts as now", () => {
    const [created] = stores.threats.record([sighting("a.com", { seenAt: stores.clock.now() + 1e9 })]);
    expect(stores.threats.get(created!.threatId)!.firstSeen).toBe(stores.clock.now());
  });

  test("a failure in the middle of a batch leaves neither threats nor events", () => {
    expect(() =>
      stores.threats.record([sighting("a.com"), sighting("b.com", { protectedDomain: "unknown.com" })]),
    ).toThrow();
    expect(stores.threats.list({}, { page: 1, perPage: 20 }).total).toBe(0);
    expect(stores.events()).toEqual([]);
  });

  test.each(["scan", "certificate_transparency", "submission", "beacon"] as const)(
    "a resolved threat becomes active again, with its event, when %s sees it",
    (source) => {
      const [created] = record("a.com");
      stores.threats.changeStatus([created!.threatId], "resolved", { by: analyst });
      stores.clock.advance(1_000);
      stores.threats.record([sighting("a.com", { source })]);
      expect(stores.threats.get(created!.threatId)!.status).toBe("active");
      expect(stores.events().at(-1)).toMatchObject({
        type: "threat.updated",
        data: { threat: { id: created!.threatId, status: "active" }, previous_status: "resolved" },
      });
    },
  );

  test("a resolved threat becomes active again after the clock was set back, and an older sighting leaves it resolved", () => {
    const [created] = record("a.com");
    stores.threats.changeStatus([created!.threatId], "resolved", { by: analyst });
    stores.clock.setBy(-6 * 3_600_000);
    const seenAt = stores.clock.now() - 60_000;
    stores.threats.record([sighting("a.com", { source: "submission", seenAt })]);
    expect(stores.threats.get(created!.threatId)!.status).toBe("resolved");
    stores.threats.record([sighting("a.com", { source: "scan" })]);
    expect(stores.threats.get(created!.threatId)!.status).toBe("active");
  });

  test("feeds, old sightings and sightings of a false positive do not reactivate a threat", () => {
    const [listed, old, wrong] = record("a.com", "b.com", "c.com");
    stores.threats.changeStatus([listed!.threatId, old!.threatId], "resolved", { by: analyst });
    stores.threats.changeStatus([wrong!.threatId], "false_positive", { by: analyst });
    const before = stores.events().length;
    stores.threats.record([
      sighting("b.com", { source: "submission" }),
      sighting("c.com", { source: "submission", seenAt: stores.clock.now() + 1 }),
    ]);
    stores.clock.advance(1_000);
    stores.threats.record([sighting("a.com", { source: "feed" }), sighting("c.com", { source: "scan" })]);
    expect([listed, old, wrong].map((one) => stores.threats.get(one!.threatId)!.status)).toEqual([
      "resolved",
      "resolved",
      "false_positive",
    ]);
    expect(stores.events()).toHaveLength(before);
  });

  test("detection.reactivate = false leaves a resolved threat resolved", () => {
    stores.dispose();
    stores = openStores({ reactivate: false });
    const [created] = record("a.com");
    stores.threats.changeStatus([created!.threatId], "resolved", { by: analyst });
    stores.clock.advance(1_000);
    stores.threats.record([sighting("a.com", { source: "scan" })]);
    expect(stores.threats.get(created!.threatId)!.status).toBe("resolved");
  });
});

describe("changing a status", () => {
  test("resolving a threat records threat.updated and then threat.resolved with the same body", () => {
    const [created] = record("a.com");
    const changes = stores.threats.changeStatus([created!.threatId], "resolved", { by: analyst });
    expect(changes).toEqual([{ id: created!.threatId, outcome: "updated", status: "resolved" }]);
    const [, updated, resolved] = stores.events();
    expect([updated!.type, resolved!.type]).toEqual(["threat.updated", "threat.resolved"]);
    expect(updated!.data).toEqual(resolved!.data);
    expect(updated!.data).toEqual({
      threat: {
        id: created!.threatId,
        domain: "a.com",
        protected_domain: "example-bank.com",
        type: "typosquatting",
        severity: "medium",
        similarity: 0.9,
        status: "resolved",
      },
      previous_status: "active",
    });
  });

  test("setting the present status reports unchanged and records nothing", () => {
    const [created] = record("a.com");
    expect(stores.threats.changeStatus([created!.threatId], "active", { by: analyst })).toEqual([
      { id: created!.threatId, outcome: "unchanged", status: "active" },
    ]);
    expect(stores.events()).toHaveLength(1);
  });

  test("a batch returns one outcome per distinct id, in order, and separates unknown from forbidden ids", () => {
    const [a, b] = record("a.com", "b.com");
    const [shop] = stores.threats.record([sighting("s.com", { protectedDomain: "example-shop.com" })]);
    const requested = [b!.threatId, "nonsense", a!.threatId, b!.threatId, shop!.threatId];
    const changes = stores.threats.changeStatus(requested, "false_positive", {
      by: analyst,
      within: ["example-bank.com"],
    });
    expect(changes).toEqual([
      { id: b!.threatId, outcome: "updated", status: "false_positive" },
      { id: "nonsense", outcome: "not_found" },
      { id: a!.threatId, outcome: "updated", status: "false_positive" },
      { id: shop!.threatId, outcome: "forbidden" },
    ]);
    expect(stores.threats.get(shop!.threatId)!.status).toBe("active");
  });

  test("listeners are notified of events after the commit, once per transaction", () => {
    let notified = 0;
    stores.outbox.onRecorded(() => {
      notified += 1;
      expect(stores.database.sqlite.inTransaction).toBe(false);
    });
    const recorded = record("a.com", "b.com");
    expect(notified).toBe(1);
    stores.threats.changeStatus(
      recorded.map(({ threatId }) => threatId),
      "resolved",
      { by: analyst },
    );
    expect(notified).toBe(2);
  });
});
