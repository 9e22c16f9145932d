import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../src/access/audit/actor.ts";
import { triageThreatsMax, undoableMs } from "../../src/threats/triage/triage.ts";
import { openStores, type Stores } from "../support/stores.ts";

const console_: Actor = { channel: "console", name: null, address: "192.0.2.7" };
const somebodyElse: Actor = { channel: "api", name: "ci", address: null };

let stores: Stores;
let ids: string[];

beforeEach(() => {
  stores = openStores();
  ids = stores.threats
    .record(
      ["a", "b", "c", "d"].map((letter) => ({
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

const statusesNow = () => ids.map((id) => stores.threats.get(id)!.status);
const eventTypes = () => stores.events().map(({ type }) => type);

describe("a decision on several threats", () => {
  test("changes each with its events and keeps who decided", () => {
    const before = eventTypes().length;
    const result = stores.threats.triage.change([...ids.slice(0, 2), ids[0]!], "resolved", { by: console_ });
    expect(result).toEqual({ batch: expect.any(Number), changed: 2, unchanged: 0, unknown: 0 });
    expect(statusesNow()).toEqual(["resolved", "resolved", "active", "active"]);
    expect(eventTypes().slice(before)).toEqual(
      Array.from({ length: 2 }, () => ["threat.updated", "threat.resolved"]).flat(),
    );
    expect(stores.threats.history(ids[0]!)[0]).toMatchObject({ after: "resolved", by: console_ });
  });

  test("that changes nothing leaves nothing to undo", () => {
    const unknown = "thr_01h455vb4pex5vsknk084sn02q";
    expect(stores.threats.triage.change([ids[0]!, unknown], "active", { by: console_ })).toEqual({
      batch: undefined,
      changed: 0,
      unchanged: 1,
      unknown: 1,
    });
    expect(stores.threats.triage.recent()).toEqual([]);
  });

  test(`is refused as a whole above ${triageThreatsMax} threats`, () => {
    const many = Array.from({ length: triageThreatsMax + 1 }, (_, index) => `thr_${index}`);
    expect(() => stores.threats.triage.change([...ids, ...many], "resolved", { by: console_ })).toThrow(
      "at most",
    );
    expect(statusesNow()).toEqual(["active", "active", "active", "active"]);
  });
});

describe("undo", () => {
  test("gives each threat the status that it had, with events, and does nothing the second time", () => {
    stores.threats.changeStatus([ids[1]!], "false_positive", { by: somebodyElse });
    stores.clock.advance(1_000);
    const { batch } = stores.threats.triage.change(ids, "resolved", { by: console_ });
    const before = eventTypes().length;
    stores.clock.advance(1_000);

    expect(stores.threats.triage.undo(batch!, { by: console_ })).toEqual({
      outcome: "undone",
      restored: 4,
      changedSince: 0,
    });
    expect(statusesNow()).toEqual(["active", "false_positive", "active", "active"]);
    expect(eventTypes().slice(before)).toEqual(Array.from({ length: 4 }, () => "threat.updated"));

    expect(stores.threats.triage.undo(batch!, { by: console_ })).toEqual({ outcome: "undone_before" });
    expect(eventTypes().length).toBe(before + 4);
    expect(stores.threats.triage.recent()).toMatchObject([{ batch, undone: true, threats: 4 }]);
  });

  test("leaves alone what somebody else has decided since, even back to the same status", () => {
    const { batch } = stores.threats.triage.change(ids, "resolved", { by: console_ });
    stores.clock.advance(1_000);
    stores.threats.changeStatus([ids[0]!], "false_positive", { by: somebodyElse });
    stores.threats.changeStatus([ids[1]!], "active", { by: somebodyElse });
    stores.threats.changeStatus([ids[1]!], "resolved", { by: somebodyElse });
    expect(stores.threats.triage.undo(batch!, { by: console_ })).toEqual({
      outcome: "undone",
      restored: 2,
      changedSince: 2,
    });
    expect(statusesNow()).toEqual(["false_positive", "resolved", "active", "active"]);
  });

  test("is there for a day, also for a process that starts anew", () => {
    const { batch } = stores.threats.triage.change(ids, "resolved", { by: console_ });
    expect(stores.threats.triage.recent()).toMatchObject([
      { batch, status: "resolved", threats: 4, undone: false },
    ]);
    stores.clock.advance(undoableMs + 1);
    expect(stores.threats.triage.undo(batch!, { by: console_ })).toEqual({ outcome: "too_late" });
    expect(statusesNow()).toEqual(["resolved", "resolved", "resolved", "resolved"]);
    expect(stores.threats.triage.recent()).toEqual([]);
    // The next batch clears away what is past undoing.
    stores.threats.triage.change(ids, "active", { by: console_ });
    expect(stores.threats.triage.undo(batch!, { by: console_ })).toEqual({ outcome: "not_found" });
  });
});
