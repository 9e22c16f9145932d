import { afterEach, beforeEach, expect, test } from "bun:test";
import { createAuditLog } from "../../src/access/audit/audit-log.ts";
import { createSavedViews, savedViewsMax, type SavedViews } from "../../src/access/views/saved-views.ts";
import { analyst, openStores, type Stores } from "../support/stores.ts";

let stores: Stores;
let views: SavedViews;
const by = { by: analyst };

beforeEach(() => {
  stores = openStores();
  const { clock, database } = stores;
  views = createSavedViews({ auditLog: createAuditLog({ database, clock }), clock, database });
});
afterEach(() => stores.dispose());

const names = () => views.list().map(({ name }) => name);
const entries = () =>
  createAuditLog({ database: stores.database, clock: stores.clock })
    .list({}, { limit: 10, offset: 0 })
    .filter(({ action }) => action.startsWith("view."))
    .map(({ action, subject, detail }) => [action, subject, detail]);

test("a saved view keeps its name, its query and its place, and every change of it is in the audit log", () => {
  const bank = views.add({ name: "  Bank  ", query: "domain=example-bank.com" }, by);
  const shop = views.add({ name: "Shop", query: "domain=example-shop.com" }, by);
  expect(views.list()).toMatchObject([bank, shop]);
  expect(views.get(bank.seq)).toMatchObject({ name: "Bank", query: "domain=example-bank.com" });
  views.moveUp(shop.seq);
  views.moveUp(shop.seq);
  expect(names()).toEqual(["Shop", "Bank"]);
  views.rename(bank.seq, "BANK", by);
  views.rename(bank.seq, "BANK", by);
  expect(views.remove(shop.seq, by)).toMatchObject({ name: "Shop" });
  expect(names()).toEqual(["BANK"]);
  expect(entries()).toEqual([
    ["view.remove", "Shop", { query: "domain=example-shop.com" }],
    ["view.rename", "BANK", { before: "Bank" }],
    ["view.add", "Shop", { query: "domain=example-shop.com" }],
    ["view.add", "Bank", { query: "domain=example-bank.com" }],
  ]);
});

test("a name that is empty, too long, invisible or in use is rejected, and so is a view that does not exist", () => {
  const { seq } = views.add({ name: "Grüße", query: "" }, by);
  const other = views.add({ name: "Other", query: "" }, by);
  for (const name of ["", "   ", "x".repeat(41), "a\u202eb", "a\u200bb"])
    expect(() => views.add({ name, query: "" }, by)).toThrow("1 to 40 visible characters");
  // The same name in other letter case, and with a combining mark.
  for (const name of ["GRÜSSE".replace("SS", "ß"), "Gru\u0308ße"])
    expect(() => views.add({ name, query: "" }, by)).toThrow('already a view named "Grüße"');
  expect(() => views.rename(other.seq, "grüße", by)).toThrow("already a view");
  views.remove(seq, by);
  for (const change of [
    () => views.get(seq),
    () => views.rename(seq, "x", by),
    () => views.moveUp(seq),
    () => views.remove(seq, by),
  ])
    expect(change).toThrow("There is no saved view");
  expect(names()).toEqual(["Other"]);
});

test(`at most ${savedViewsMax} views can be saved, each with a limited number of filters`, () => {
  expect(() => views.add({ name: "Long", query: "x".repeat(5_000) }, by)).toThrow("use fewer");
  for (let index = 0; index < savedViewsMax; index += 1) views.add({ name: `View ${index}`, query: "" }, by);
  expect(() => views.add({ name: "One more", query: "" }, by)).toThrow("delete one");
  expect(names()).toHaveLength(savedViewsMax);
});
