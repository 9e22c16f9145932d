import { expect, test } from "bun:test";
import { renderManual } from "../../scripts/packaging/manual-html.ts";
import { manualPages } from "../../src/manual/manual.ts";

test("the manual as one page has every page of the manual, and every link inside it leads somewhere", () => {
  const html = renderManual();
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
  expect(manualPages.filter(({ topic }) => !ids.includes(topic))).toEqual([]);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const targets = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id!);
  expect(targets.length).toBeGreaterThan(100);
  expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  // Nothing is loaded, and nothing leads to a server that is not there.
  expect([...html.matchAll(/ (?:src|href)="\/[^"]*"/g)].map(([link]) => link)).toEqual([]);
});
