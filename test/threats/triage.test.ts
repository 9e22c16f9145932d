import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../src/access/audit/actor.ts";
import { triageThreatsMax, undoableMs } from "../../src/threats/triage/triage.ts";
import { openStores, type Stores } from "../support/stores.ts";

const person: Actor = { channel: "console", name: null, address: "192.0.2.7" };
const program: Actor = { channel: "api", name: "ci", address: null };

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
const recent = () => stores.threats.triage.recent({ page: 1, perPage: 10 }).decisions;
const eventTypes = () => stores.events().map(({ type }) => type);

describe("a batch decision", () => {
  test("changes the status of each threat, with events, and records the actor", () => {
    const before = eventTypes().length;
    const result = stores.threats.triage.change([...ids.slice(0, 2), ids[0]!], "resolved", { by: person });
    expect(result).toEqual({ batch: expect.any(Number), changed: 2, unchanged: 0, unknown: 0 });
    expect(statusesNow()).toEqual(["resolved", "resolved", "active", "active"]);
    expect(eventTypes().slice(before)).toEqual(
      Array.from({ length: 2 }, () => ["threat.updated", "threat.resolved"]).flat(),
    );
    expect(stores.threats.history(ids[0]!)[0]).toMatchObject({ after: "resolved", by: person });
  });

  test("leaves nothing to undo if it changes nothing", () => {
    const unknown = "thr_01h455vb4pex5vsknk084sn02q";
    expect(stores.threats.triage.change([ids[0]!, unknown], "active", { by: person })).toEqual({
      batch: undefined,
      changed: 0,
      unchanged: 1,
      unknown: 1,
    });
    expect(recent()).toEqual([]);
  });

  test(`is rejected as a whole above ${triageThreatsMax} threats`, () => {
    const many = Array.from({ length: triageThreatsMax + 1 }, (_, index) => `thr_${index}`);
    expect(() => stores.threats.triage.change([...ids, ...many], "resolved", { by: person })).toThrow(
      "at most",
    );
    expect(statusesNow()).toEqual(["active", "active", "active", "active"]);
  });
});

describe("undoing a batch decision", () => {
  test("restores the previous status of each threat, with events, and does nothing the second time", () => {
    stores.threats.changeStatus([ids[1]!], "false_positive", { by: program });
    stores.clock.advance(1_000);
    const { batch } = stores.threats.triage.change(ids, "resolved", { by: person });
    const before = eventTypes().length;
    stores.clock.advance(1_000);

    expect(stores.threats.triage.undo(batch!, { by: person })).toEqual({
      outcome: "undone",
      restored: 4,
      changedSince: 0,
    });
    expect(statusesNow()).toEqual(["active", "false_positive", "active", "active"]);
    expect(eventTypes().slice(before)).toEqual(Array.from({ length: 4 }, () => "threat.updated"));

    expect(stores.threats.triage.undo(batch!, { by: person })).toEqual({ outcome: "undone_before" });
    expect(eventTypes().length).toBe(before + 4);
    expect(recent()).toMatchObject([{ batch, undoneAt: stores.clock.now(), threats: 4 }]);
  });

  test("skips threats whose status was changed since, even if it is the same again", () => {
    const { batch } = stores.threats.triage.change(ids, "resolved", { by: person });
    stores.clock.advance(1_000);
    stores.threats.changeStatus([ids[0]!], "false_positive", { by: program });
    stores.threats.changeStatus([ids[1]!], "active", { by: program });
    stores.threats.changeStatus([ids[1]!], "resolved", { by: program });
    expect(stores.threats.triage.undo(batch!, { by: person })).toEqual({
      outcome: "undone",
      restored: 2,
      changedSince: 2,
    });
    expect(statusesNow()).toEqual(["false_positive", "resolved", "active", "active"]);
  });

  test("is possible for a day and then rejected", () => {
    const { batch } = stores.threats.triage.change(ids, "resolved", { by: person });
    expect(recent()).toMatchObject([{ batch, status: "resolved", threats: 4, undoneAt: null }]);
    stores.clock.advance(undoableMs + 1);
    expect(stores.threats.triage.undo(batch!, { by: person })).toEqual({ outcome: "too_late" });
    expect(statusesNow()).toEqual(["resolved", "resolved", "resolved", "resolved"]);
    expect(recent()).toEqual([]);
    // The next batch deletes those that are too old to undo.
    stores.threats.triage.change(ids, "active", { by: person });
    expect(stores.threats.triage.undo(batch!, { by: person })).toEqual({ outcome: "not_found" });
  });
});

describe("the recent decisions", () => {
  test("are listed newest first, a page at a time, with the actor and the first three threats of each", () => {
    const { triage } = stores.threats;
    triage.change(ids, "resolved", { by: person });
    stores.clock.advance(1_000);
    triage.change(ids.slice(0, 1), "false_positive", { by: program });
    const first = triage.recent({ page: 1, perPage: 1 });
    expect(first).toEqual({
      total: 2,
      decisions: [
        {
          batch: expect.any(Number),
          at: stores.clock.now(),
          status: "false_positive",
          by: program,
          undoneAt: null,
          threats: 1,
          named: [{ id: ids[0]!, domain: "example-bank-a.com", protectedDomain: "example-bank.com" }],
        },
      ],
    });
    const second = triage.recent({ page: 2, perPage: 1 });
    expect(second.decisions).toMatchObject([{ by: person, threats: 4 }]);
    expect(second.decisions[0]!.named.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  });

  test("name the latest decision of an actor that can still be undone, and none of another actor", () => {
    const { triage } = stores.threats;
    const first = triage.change(ids.slice(0, 1), "resolved", { by: person }).batch!;
    const second = triage.change(ids.slice(1, 2), "resolved", { by: person }).batch!;
    const other = triage.change(ids.slice(2, 3), "resolved", { by: program }).batch!;
    const elsewhere = { ...person, address: "192.0.2.8" };
    expect([triage.latest(elsewhere), triage.latest(program)]).toEqual([second, other]);
    triage.undo(second, { by: person });
    expect(triage.latest(person)).toBe(first);
    stores.clock.advance(undoableMs + 1);
    expect(triage.latest(person)).toBeUndefined();
  });
});
