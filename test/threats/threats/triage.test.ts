import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { triageThreatsMax, undoableMs } from "../../../src/threats/threats/triage/batches.ts";
import { statuses, type Status } from "../../../src/platform/vocabulary/threats.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { openStores, type Stores } from "../../support/stores.ts";

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
    expect(result).toMatchObject({ batch: expect.any(Number), changed: 2, unchanged: 0, unknown: 0 });
    expect(statusesNow()).toEqual(["resolved", "resolved", "active", "active"]);
    expect(eventTypes().slice(before)).toEqual(
      Array.from({ length: 2 }, () => ["threat.updated", "threat.resolved"]).flat(),
    );
    expect(stores.threats.history(ids[0]!)[0]).toMatchObject({ after: "resolved", by: person });
  });

  test("leaves nothing to undo if it changes nothing", () => {
    const unknown = "thr_01h455vb4pex5vsknk084sn02q";
    expect(stores.threats.triage.change([ids[0]!, unknown], "active", { by: person })).toMatchObject({
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
      changedSince: [],
    });
    expect(statusesNow()).toEqual(["active", "false_positive", "active", "active"]);
    expect(eventTypes().slice(before)).toEqual(Array.from({ length: 4 }, () => "threat.updated"));

    expect(stores.threats.triage.undo(batch!, { by: person })).toEqual({ outcome: "undone_before" });
    expect(eventTypes().length).toBe(before + 4);
    expect(recent()[0]).toMatchObject({ batch, undoneAt: stores.clock.now(), threats: 4 });
  });

  test("skips threats whose status was changed since, even if it is the same again", () => {
    const { batch } = stores.threats.triage.change(ids, "resolved", { by: person });
    stores.clock.advance(1_000);
    stores.threats.changeStatus([ids[0]!], "false_positive", { by: program });
    stores.threats.changeStatus([ids[1]!], "active", { by: program });
    stores.threats.changeStatus([ids[1]!], "resolved", { by: program });
    expect(stores.threats.triage.undo(batch!, { by: person })).toMatchObject({
      outcome: "undone",
      restored: 2,
      changedSince: [
        { id: ids[0]!, domain: "example-bank-a.com", status: "false_positive", by: program },
        { id: ids[1]!, domain: "example-bank-b.com", status: "resolved", by: program },
      ],
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
          undoneBy: null,
          threats: 1,
          named: [
            {
              id: ids[0]!,
              domain: "example-bank-a.com",
              protectedDomain: "example-bank.com",
              previousStatus: "resolved",
              status: "false_positive",
            },
          ],
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

  test("include those of API keys and of the command line, joined by key and minute, and are undone by anybody", () => {
    const { triage } = stores.threats;
    const shell: Actor = { channel: "command_line", name: "root", address: null };
    stores.threats.changeStatus(ids.slice(0, 1), "resolved", { by: program });
    stores.threats.changeStatus(ids.slice(1, 2), "resolved", { by: program });
    // The same threat a second time, another status, and another minute are decisions of their own.
    stores.threats.changeStatus(ids.slice(0, 1), "active", { by: program });
    stores.threats.changeStatus(ids.slice(0, 1), "resolved", { by: program });
    stores.clock.advance(61_000);
    stores.threats.changeStatus(ids.slice(2, 3), "resolved", { by: program });
    stores.threats.changeStatus(ids.slice(3, 4), "false_positive", { by: shell });
    stores.threats.changeStatus(ids.slice(3, 4), "active", {
      by: { channel: "system", name: null, address: null },
    });
    expect(recent().map(({ by, threats, status }) => [by?.name, status, threats])).toEqual([
      ["root", "false_positive", 1],
      ["ci", "resolved", 1],
      ["ci", "resolved", 1],
      ["ci", "active", 1],
      ["ci", "resolved", 2],
    ]);
    expect(triage.deciders()).toEqual([
      { channel: "api", name: "ci" },
      { channel: "command_line", name: "root" },
    ]);
    const ofShell = triage.recent({ page: 1, perPage: 10, by: shell });
    expect([ofShell.total, ofShell.decisions.map(({ by }) => by)]).toEqual([1, [shell]]);
    const [, latest] = recent();
    expect(triage.undo(latest!.batch, { by: alice })).toMatchObject({ outcome: "undone", restored: 1 });
    expect(triage.decision(latest!.batch)).toMatchObject({
      undoneBy: { channel: "console", name: "alice" },
      by: program,
    });
    expect(triage.threatsOf(latest!.batch, { page: 1, perPage: 10 })).toMatchObject([
      { id: ids[2], previousStatus: "active", status: "active" },
    ]);
    expect(stores.auditLog.list({}, { limit: 1, offset: 0 })).toMatchObject([
      { name: "alice", action: "threat.undo_change", detail: { threats: 1, decided_by: "API key ci" } },
    ]);
  });
});

const alice: Actor = { channel: "console", name: "alice", address: "192.0.2.1" };
const bob: Actor = { channel: "console", name: "bob", address: "192.0.2.2" };

describe("two people who decide on the same page", () => {
  test("keep each other's decisions unless they were shown them, with who decided what", () => {
    const { triage } = stores.threats;
    const seen = triage.mark();
    triage.change(ids.slice(0, 2), "false_positive", { by: alice, seen });
    const at = stores.clock.now();
    const result = triage.change(ids, "resolved", { by: bob, seen });
    expect(statusesNow()).toEqual(["false_positive", "false_positive", "resolved", "resolved"]);
    expect(result).toMatchObject({ changed: 2, unchanged: 0 });
    expect(result.kept.map(({ id, by, status, at: when }) => [id, by, status, when])).toEqual(
      ids.slice(0, 2).map((id) => [id, alice, "false_positive", at]),
    );
    // A reader of the message may decide anyway, and the audit log records it.
    const anyway = triage.change(ids.slice(0, 2), "resolved", { by: bob, seen: result.mark, anyway: true });
    expect(anyway).toMatchObject({ changed: 2, kept: [] });
    expect(stores.auditLog.list({}, { limit: 1, offset: 0 })).toMatchObject([
      { name: "bob", detail: { status: "resolved", despite_others: true } },
    ]);
  });

  test("do not conflict in the same decision, with themselves, or with what phishwatch reactivates", () => {
    const { triage } = stores.threats;
    const seen = triage.mark();
    triage.change(ids.slice(0, 1), "resolved", { by: alice, seen });
    expect(triage.change(ids.slice(0, 1), "resolved", { by: bob, seen })).toMatchObject({
      changed: 0,
      unchanged: 1,
      kept: [],
      decidedBefore: { by: alice, status: "resolved" },
    });
    expect(triage.change(ids.slice(0, 1), "false_positive", { by: alice, seen })).toMatchObject({
      changed: 1,
      kept: [],
    });
    const system: Actor = { channel: "system", name: null, address: null };
    stores.threats.changeStatus(ids.slice(0, 1), "active", { by: system });
    expect(triage.change(ids.slice(0, 1), "resolved", { by: bob, seen })).toMatchObject({
      changed: 1,
      kept: [],
    });
  });

  test(`lose no decision that they could not have seen, whatever they do, compared with a model [seed ${seed}]`, () => {
    const { triage } = stores.threats;
    const random = randomFrom(seed);
    const people = [alice, bob];
    /** For each threat its status, who decided it last, and the number of that decision. */
    const model = ids.map(() => ({
      status: "active" as Status,
      by: undefined as Actor | undefined,
      number: 0,
    }));
    const pages = people.map(() => ({ seen: triage.mark(), number: 0 }));
    let number = 0;
    let conflicts = 0;
    for (let step = 0; step < 400; step++) {
      const which = random(2);
      const by = people[which]!;
      if (random(3) === 0) pages[which] = { seen: triage.mark(), number };
      if (random(4) === 0) stores.clock.advance(random(1_000));
      const status = statuses[random(3)]!;
      const chosen = ids.filter(() => random(2) === 0);
      const page = pages[which]!;
      const expectedKept: string[] = [];
      number += 1;
      for (const id of chosen) {
        const known = model[ids.indexOf(id)]!;
        if (known.status === status) continue;
        if (known.number > page.number && known.by !== by) expectedKept.push(id);
        else Object.assign(known, { status, by, number });
      }
      const { kept } = triage.change(chosen, status, { by, seen: page.seen });
      expect(kept.map(({ id }) => id)).toEqual(expectedKept);
      expect(statusesNow()).toEqual(model.map((known) => known.status));
      conflicts += kept.length;
    }
    expect(conflicts).toBeGreaterThan(50);
  });
});
