import { describe, expect, test } from "bun:test";
import {
  decide,
  isTemporary,
  watch,
  type Decision,
  type Watched,
} from "../../src/sources/feeds/read-decision.ts";
import type { FeedFile } from "../../src/sources/feeds/tables.ts";

const now = 1_000_000_000;
const resting: Watched = {
  bytes: 100,
  modifiedAt: now - 3_000,
  unchangedSince: now - 2_000,
  firstSeenAt: now - 4_000,
};
const moving: Watched = { ...resting, modifiedAt: now - 500, unchangedSince: now - 500 };
const done: FeedFile = {
  feed: "nrd",
  path: "a.txt",
  bytes: 100,
  modifiedAt: resting.modifiedAt,
  position: 100,
  lines: 9,
  fingerprint: "f",
  invalid: 0,
  matched: 0,
  created: 0,
  startedAt: 0,
  completedAt: now - 1_000,
  error: null,
};
const fromStart: Decision = { do: "read", from: "start", toEnd: true };

describe("a file", () => {
  test.each<[string, FeedFile | undefined, Watched, Decision]>([
    ["that is new and still being written waits", undefined, moving, { do: "wait" }],
    ["that is new and at rest is read", undefined, resting, fromStart],
    [
      "that is new and was written long ago is read at first sight",
      undefined,
      { ...moving, modifiedAt: now - 10_000 },
      fromStart,
    ],
    [
      "that is new and never comes to rest is read as it grows",
      undefined,
      { ...moving, firstSeenAt: now - 30_000 },
      { do: "read", from: "start", toEnd: false },
    ],
    ["that was read and has not changed is left alone", done, resting, { do: "nothing" }],
    [
      "that failed and has not changed is left alone",
      { ...done, completedAt: null, error: "is truncated" },
      resting,
      { do: "nothing" },
    ],
    [
      "that was interrupted is gone on with",
      { ...done, completedAt: null, position: 50 },
      resting,
      { do: "read", from: "position", toEnd: true },
    ],
    [
      "whose last line waits, waits on while it moves",
      { ...done, completedAt: null, modifiedAt: moving.modifiedAt },
      moving,
      { do: "wait" },
    ],
    [
      "that grew is compared at once, without its last line",
      { ...done, bytes: 60 },
      moving,
      { do: "compare", toEnd: false, restart: false },
    ],
    [
      "that grew and rests is compared to its end",
      { ...done, bytes: 60 },
      resting,
      { do: "compare", toEnd: true, restart: true },
    ],
    ["that grew and is packed is read anew", { ...done, bytes: 60, fingerprint: null }, resting, fromStart],
    ["that shrank is read anew", { ...done, bytes: 200 }, resting, fromStart],
    ["that has the same size and another time is read anew", { ...done, modifiedAt: 1 }, resting, fromStart],
    ["that is being replaced waits", { ...done, bytes: 200 }, moving, { do: "wait" }],
    [
      "that failed and changed is read anew",
      { ...done, bytes: 60, error: "x", fingerprint: null },
      resting,
      fromStart,
    ],
  ])("%s", (_, known, watched, expected) => {
    expect(decide(known, watched, now)).toEqual(expected);
  });
});

test("a file counts as unchanged from the first look at which it looks as it does", () => {
  const first = watch(undefined, { bytes: 1, modifiedAt: 5 }, 10);
  const grown = watch(first, { bytes: 2, modifiedAt: 6 }, 20);
  const same = watch(grown, { bytes: 2, modifiedAt: 6 }, 30);
  expect(same).toEqual({ bytes: 2, modifiedAt: 6, unchangedSince: 20, firstSeenAt: 10 });
});

test.each([".hidden", "list.txt.part", "list.tmp", "list.txt~", "x.crdownload", ".list.txt.Xy12"])(
  "%s is unfinished",
  (name) => {
    expect(isTemporary(name)).toBeTrue();
  },
);

test.each(["list.txt", "part.txt", "tmp", "2026-01-01.csv.gz", "a~b"])("%s is a list", (name) => {
  expect(isTemporary(name)).toBeFalse();
});
