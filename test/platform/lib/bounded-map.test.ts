import { expect, test } from "bun:test";
import { BoundedMap } from "../../../src/platform/lib/bounded-map.ts";

test("a bounded map forgets the entry that was set the longest ago, and keeps its size", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("c", 3);
  expect([...map]).toEqual([
    ["b", 2],
    ["c", 3],
  ]);
});

test("setting a key again makes it the newest, and forgets no other entry", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3);
  expect([...map]).toEqual([
    ["b", 2],
    ["a", 3],
  ]);
  map.set("c", 4);
  expect([...map.keys()]).toEqual(["a", "c"]);
});

test("a value is created once while its key is kept, and reading it does not make it newer", () => {
  const created: string[] = [];
  const map = new BoundedMap<string, string>(2);
  const read = (key: string) => map.getOrCreate(key, () => (created.push(key), key.toUpperCase()));
  expect(["a", "b", "a"].map(read)).toEqual(["A", "B", "A"]);
  expect(created).toEqual(["a", "b"]);
  read("c");
  expect([...map.keys()]).toEqual(["b", "c"]);
  expect(read("a")).toBe("A");
  expect(created).toEqual(["a", "b", "c", "a"]);
});

test("deleting entries makes room", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2);
  map.delete("a");
  map.set("c", 3);
  expect([...map.keys()]).toEqual(["b", "c"]);
});
