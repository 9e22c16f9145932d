import { describe, expect, test } from "bun:test";
import {
  decide,
  isTemporary,
  watch,
  type Decision,
  type Watched,
} from "../../../src/intake/sources/feeds/read-decision.ts";
import type { FeedFile } from "../../../src/intake/sources/feeds/tables.ts";

const now = 1_000_000_000;
const nowMs = 50_000;
const resting: Watched = {
  bytes: 100,
  modifiedAt: now - 3_000,
  unchangedSinceMs: nowMs - 2_000,
  firstSeenMs: nowMs - 4_000,
};
const moving: Watched = { ...resting, modifiedAt: now - 500, unchangedSinceMs: nowMs - 500 };
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

describe("decide", () => {
  test.each<[string, FeedFile | undefined, Watched, Decision]>([
    ["a new file that is still being written is left to settle", undefined, moving, { do: "wait" }],
    ["a new file that has settled is read", undefined, resting, fromStart],
    [
      "a new file that was written long ago is read at the first check",
      undefined,
      { ...moving, modifiedAt: now - 10_000 },
      fromStart,
    ],
    [
      "a new file that never settles is read while it grows",
      undefined,
      { ...moving, firstSeenMs: nowMs - 30_000 },
      { do: "read", from: "start", toEnd: false },
    ],
    ["a file that was read and has not changed is not read again", done, resting, { do: "nothing" }],
    [
      "a file that failed and has not changed is not retried",
      { ...done, completedAt: null, error: "is truncated" },
      resting,
      { do: "nothing" },
    ],
    [
      "reading of an interrupted file resumes",
      { ...done, completedAt: null, position: 50 },
      resting,
      { do: "read", from: "position", toEnd: true },
    ],
    [
      "an incomplete last line is left until the file settles",
      { ...done, completedAt: null, modifiedAt: moving.modifiedAt },
      moving,
      { do: "wait" },
    ],
    [
      "a file that grew is compared at once, without its last line",
      { ...done, bytes: 60 },
      moving,
      { do: "compare", toEnd: false, restart: false },
    ],
    [
      "a file that grew and has settled is compared to its end",
      { ...done, bytes: 60 },
      resting,
      { do: "compare", toEnd: true, restart: true },
    ],
    [
      "a compressed file that grew is read from its start",
      { ...done, bytes: 60, fingerprint: null },
      resting,
      fromStart,
    ],
    ["a file that shrank is read from its start", { ...done, bytes: 200 }, resting, fromStart],
    [
      "a file of the same size with another time is read from its start",
      { ...done, modifiedAt: 1 },
      resting,
      fromStart,
    ],
    ["a file that is being replaced is left to settle", { ...done, bytes: 200 }, moving, { do: "wait" }],
    [
      "a file that failed and changed is read from its start",
      { ...done, bytes: 60, error: "x", fingerprint: null },
      resting,
      fromStart,
    ],
  ])("%s", (_, known, watched, expected) => {
    expect(decide(known, watched, { now, nowMs })).toEqual(expected);
  });
});

test("a file counts as unchanged since the first check that found its present state", () => {
  const first = watch(undefined, { bytes: 1, modifiedAt: 5 }, 10);
  const grown = watch(first, { bytes: 2, modifiedAt: 6 }, 20);
  const same = watch(grown, { bytes: 2, modifiedAt: 6 }, 30);
  expect(same).toEqual({ bytes: 2, modifiedAt: 6, unchangedSinceMs: 20, firstSeenMs: 10 });
});

test.each([".hidden", "list.txt.part", "list.tmp", "list.txt~", "x.crdownload", ".list.txt.Xy12"])(
  "%s is recognized as temporary",
  (name) => {
    expect(isTemporary(name)).toBeTrue();
  },
);

test.each(["list.txt", "part.txt", "tmp", "2026-01-01.csv.gz", "a~b"])(
  "%s is recognized as a list",
  (name) => {
    expect(isTemporary(name)).toBeFalse();
  },
);
