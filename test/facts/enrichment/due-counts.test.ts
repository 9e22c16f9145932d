import { afterEach, beforeEach, expect, test } from "bun:test";
import { createDueCounts } from "../../../src/facts/enrichment/queues.ts";
import { openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
beforeEach(() => {
  stores = openStores();
});
afterEach(() => stores.dispose());

test("lookups that are due are counted by kind, over all registries and ranks, and others are not", () => {
  const { database } = stores;
  const { sqlite } = database;
  // Threats do not matter here.
  sqlite.run("pragma foreign_keys = off");
  const insert = sqlite.prepare(
    `insert into enrichments (threat_seq, rank, due_at, step, failures, facts, screenshot_rank, screenshot_due_at,
       screenshot_failures, registration_suffix, registration_rank, registration_due_at, network_rank, network_due_at)
     values (?, ?, ?, 0, 0, '{}', ?, ?, 0, ?, ?, ?, ?, ?)`,
  );
  const now = 1_000_000;
  const rows = [
    [1, 0, now, null, null, "com", 4, now - 5, 1, now],
    [2, 4, now - 1, 2, now - 1, "com", 0, now, 0, now - 9],
    [3, 4, now + 1, 2, now + 1, "org", 1, now - 1, 3, now + 1],
    [4, 2, now + 9, null, null, "xn--p1ai", 3, now + 1, null, null],
    [5, 3, now + 9, null, null, null, null, null, null, null],
  ];
  for (const row of rows) insert.run(...row);
  expect(createDueCounts(database)(now)).toEqual([
    { lookup: "check", due: 2 },
    { lookup: "registration", due: 3 },
    { lookup: "network", due: 2 },
    { lookup: "screenshot", due: 1 },
  ]);
  sqlite.run("delete from enrichments");
  expect(createDueCounts(database)(now).map(({ due }) => due)).toEqual([0, 0, 0, 0]);
});
