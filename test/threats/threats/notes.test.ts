import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { createEventLog } from "../../../src/threats/events/event-log.ts";
import { noteCharactersMax, notesPerThreatMax } from "../../../src/threats/threats/triage/notes.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

function record(domain: string): string {
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity: 0.9,
    reasons: [],
  };
  const seenAt = stores.clock.now();
  return stores.threats.record([{ domain, match, source: "feed", seenAt }])[0]!.threatId;
}

describe("notes on a threat", () => {
  test("are listed oldest first with author and time, each with its own threat", () => {
    const [id, other] = [record("examp1e-bank.com"), record("exarnple-bank.com")];
    const { notes } = stores.threats;
    const at = stores.clock.now();
    const key: Actor = { channel: "command_line", name: "alice", address: null };
    notes.add(id, "  Written to the registrar.\r\n\r\nThey answer\u202e <b>tomorrow</b>.\n", { by: analyst });
    stores.clock.advance(1_000);
    notes.add(id, "Taken down.", { by: key });
    notes.add(other, "Ours?", { by: key });
    expect(notes.list(id)).toEqual([
      { at, text: "Written to the registrar.\n\nThey answer\u202e <b>tomorrow</b>.", by: analyst },
      { at: at + 1_000, text: "Taken down.", by: key },
    ]);
    expect(notes.list("thr_none")).toEqual([]);
  });

  test("are rejected if empty, too long, one too many, or on an unknown threat, and nothing is written", () => {
    const id = record("examp1e-bank.com");
    const { notes } = stores.threats;
    const add =
      (text: string, on = id) =>
      () =>
        notes.add(on, text, { by: analyst });
    expect(add(" \n\t ")).toThrow("The note is empty.");
    expect(add("x".repeat(noteCharactersMax + 1))).toThrow("has 4001 characters; the maximum is 4000");
    expect(add("x", "thr_none")).toThrow("There is no threat with this ID.");
    expect(notes.list(id)).toEqual([]);
    // Characters are code points.
    add("\u{1f41f}".repeat(noteCharactersMax))();
    for (let written = 1; written < notesPerThreatMax; written++) add(String(written))();
    expect(add("one more")).toThrow("has 200 notes");
    expect(notes.list(id)).toHaveLength(notesPerThreatMax);
  });
});

describe("events of a threat", () => {
  test("are found by the threat id in their bodies, newest first", () => {
    const [id, other] = [record("examp1e-bank.com"), record("exarnple-bank.com")];
    stores.threats.changeStatus([id, other], "resolved", { by: analyst });
    stores.database.transaction(() => {
      const at = "2026-01-15T12:00:00.000Z";
      const scan = { id: "scn_1", protected_domains: [], trigger: "cli", status: "running" } as const;
      stores.outbox.record("scan.started", { scan: { ...scan, protected_domains: [], started_at: at } });
      const beacon = { id: "bcn_1", name: "main page", protected_domain: "example-bank.com" };
      const hit = {
        hostname: "copy.test",
        url: "https://copy.test/",
        ip_address: null,
        user_agent: null,
        referrer: null,
        at,
      };
      stores.outbox.record("beacon.triggered", { beacon, hit, threat: null });
      stores.outbox.record("beacon.triggered", { beacon, hit, threat: { id } });
    });
    const log = createEventLog(stores.database);
    const found = log.ofThreat(id, 10);
    expect(found.map(({ type }) => type)).toEqual([
      "beacon.triggered",
      "threat.resolved",
      "threat.updated",
      "threat.created",
    ]);
    expect(found[1]).toMatchObject({
      dispatched: false,
      body: { type: "threat.resolved", data: { threat: { id }, previous_status: "active" } },
    });
    expect(log.ofThreat(id, 2)).toHaveLength(2);
    expect(log.ofThreat("thr_none", 10)).toEqual([]);
  });

  test("are found through an index, not by reading every event", () => {
    const plan = stores.database.sqlite
      .query(
        "explain query plan select id from events where (body ->> '$.data.threat.id') = ? order by seq desc",
      )
      .all("thr_x") as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual(["SEARCH events USING INDEX events_threat (<expr>=?)"]);
  });
});
