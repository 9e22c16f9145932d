import { expect, test } from "bun:test";
import { camelKeys, jsonFields } from "../../../src/platform/lib/key-names.ts";

test("Settings get their names in camelCase, with the unit as the last part", () => {
  expect(camelKeys({ max_per_page: 5, port: 1 })).toEqual({ maxPerPage: 5, port: 1 });
  expect(camelKeys({ repeat_after: 1 }, "Ms")).toEqual({ repeatAfterMs: 1 });
});

test("JSON has the keys in snake_case, in the order of the values", () => {
  const fields = jsonFields({ id: "a", finalUrl: "b", abuseEmail: null, sha256: "c", createdAtOnce: 1 });
  expect(JSON.stringify(fields)).toBe(
    '{"id":"a","final_url":"b","abuse_email":null,"sha256":"c","created_at_once":1}',
  );
});

test("JSON has points in time in ISO 8601, and null where a value is absent", () => {
  const dueAt = null as number | null;
  const fields = jsonFields({ createdAt: 1_000, dueAt, sentAt: undefined, savedAt: "today", isAt: { x: 1 } });
  expect(fields).toStrictEqual({
    created_at: "1970-01-01T00:00:01.000Z",
    due_at: null,
    sent_at: null,
    saved_at: "today",
    is_at: { x: 1 },
  });
  const typed: string | null = fields.due_at;
  expect(typed).toBeNull();
});

test("JSON keeps nested values as they are", () => {
  expect(jsonFields({ byStore: [{ freeBytes: 1 }] })).toEqual({ by_store: [{ freeBytes: 1 }] });
});

test("JSON has the named fields, in the order of their names, and no others", () => {
  const endpoint = { secret: "x", id: "a", ratePerSecond: 5, createdAt: 0, note: undefined };
  const fields = jsonFields(endpoint, "id createdAt ratePerSecond note");
  expect(JSON.stringify(fields)).toBe(
    '{"id":"a","created_at":"1970-01-01T00:00:00.000Z","rate_per_second":5,"note":null}',
  );
  // @ts-expect-error: only fields of the object can be named.
  jsonFields(endpoint, "id rate");
});
