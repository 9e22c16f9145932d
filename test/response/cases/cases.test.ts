import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { accounts } from "../../../src/access/accounts/tables.ts";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { caseThreatsMax, createCases, type Cases } from "../../../src/response/cases/cases.ts";
import { dayMs, toIsoTime } from "../../../src/platform/lib/clock.ts";
import type { Role } from "../../../src/platform/vocabulary/permissions.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const lea: Actor = { channel: "console", name: "lea", address: "192.0.2.9" };

let stores: Stores;
let cases: Cases;
let ids: string[];

beforeEach(() => {
  stores = openStores();
  cases = createCases(stores);
  ids = stores.threats
    .record(
      ["a", "b", "c"].map((letter) => ({
        domain: `example-bank-${letter}.com`,
        match: { protectedDomain: "example-bank.com", type: "combosquatting", similarity: 0.9, reasons: [] },
        source: "feed" as const,
        seenAt: stores.clock.now(),
      })),
    )
    .map(({ threatId }) => threatId);
  stores.clock.advance(1_000);
});
afterEach(() => stores.dispose());

function addAccount(name: string, role: Role, { disabled = false } = {}): number {
  const now = stores.clock.now();
  return stores.database.query
    .insert(accounts)
    .values({ name, role, createdAt: now, disabledAt: disabled ? now : null })
    .returning({ seq: accounts.seq })
    .get().seq;
}
const audited = () =>
  stores.auditLog
    .list({}, { limit: 5, offset: 0 })
    .map(({ action, subject, detail }) => [action, subject, detail]);
const unknownId = "thr_01h455vb4pex5vsknk084sn02q";

describe("assigning threats", () => {
  test("changes each once, counts those that are unchanged, and records who did it for whom", () => {
    const kim = addAccount("kim", "analyst");
    cases.assign([ids[0]!], kim, { by: lea });
    const changedAt = stores.threats.get(ids[1]!)!.changedAt;
    expect(cases.assign([...ids, ids[1]!, unknownId], kim, { by: lea })).toEqual({
      changed: 2,
      unchanged: 1,
      closed: 0,
      unknown: 1,
    });
    expect(cases.of(ids[1]!)).toMatchObject({ assignee: { seq: kim, name: "kim", isAvailable: true } });
    expect(stores.threats.get(ids[1]!)!.changedAt).toBeGreaterThan(changedAt);
    cases.assign([ids[1]!], null, { by: lea });
    expect(cases.of(ids[1]!)!.assignee).toBeNull();
    expect(stores.threats.history(ids[1]!)).toMatchObject([
      { field: "assignee", before: "kim", after: null, by: lea },
      { field: "assignee", before: null, after: "kim", by: lea },
    ]);
    expect(audited().slice(0, 2)).toEqual([
      ["threat.assign", `example-bank-b.com (${ids[1]})`, { assignee: null }],
      ["threat.assign", "2 threats", { assignee: "kim" }],
    ]);
    expect(stores.events().map(({ type }) => type)).toEqual(ids.map(() => "threat.created"));
  });

  test("rejects accounts that cannot decide, and too many threats, without changing anything", () => {
    const viewer = addAccount("vic", "viewer");
    const disabled = addAccount("dan", "analyst", { disabled: true });
    for (const seq of [viewer, disabled])
      expect(() => cases.assign(ids, seq, { by: lea })).toThrow("cannot be assigned threats");
    expect(() => cases.assign(ids, 99_999, { by: lea })).toThrow("There is no such account.");
    const many = Array.from({ length: caseThreatsMax + 1 }, (_, index) => `thr_${index}`);
    expect(() => cases.assign(many, null, { by: lea })).toThrow(
      "1001 threats are given; the maximum is 1000",
    );
    expect(ids.map((id) => cases.of(id)!.assignee)).toEqual([null, null, null]);
  });

  test("a disabled account keeps its threats, and is marked", () => {
    const kim = addAccount("kim", "analyst");
    cases.assign(ids, kim, { by: lea });
    stores.database.query.update(accounts).set({ disabledAt: stores.clock.now() }).run();
    expect(cases.of(ids[0]!)!.assignee).toMatchObject({ name: "kim", isDisabled: true, isAvailable: false });
    expect(cases.assignees().filter(({ isAvailable }) => isAvailable)).toEqual([]);
  });
});

describe("setting due times", () => {
  test("changes active threats only, and records the times", () => {
    stores.threats.changeStatus([ids[2]!], "resolved", { by: lea });
    const before = cases.of(ids[0]!)!.dueAt!;
    const at = stores.clock.now() + 7 * dayMs;
    expect(cases.setDue(ids, at, { by: lea })).toEqual({ changed: 2, unchanged: 0, closed: 1, unknown: 0 });
    expect(cases.setDue([ids[0]!], at, { by: lea })).toMatchObject({ changed: 0, unchanged: 1 });
    cases.setDue([ids[1]!], null, { by: lea });
    expect(ids.map((id) => cases.of(id)!.dueAt)).toEqual([at, null, null]);
    expect(stores.threats.history(ids[0]!)[0]).toMatchObject({
      field: "due",
      before: toIsoTime(before),
      after: toIsoTime(at),
      by: lea,
    });
    expect(audited()[0]).toEqual(["threat.set_due", `example-bank-b.com (${ids[1]})`, { due: null }]);
  });

  test("rejects times in the past and too far ahead", () => {
    const now = stores.clock.now();
    expect(() => cases.setDue(ids, now, { by: lea })).toThrow("The due time is in the past");
    expect(() => cases.setDue(ids, now + 4_000 * dayMs, { by: lea })).toThrow("more than 3650 days ahead");
  });
});
