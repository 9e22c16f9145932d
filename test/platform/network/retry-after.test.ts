import { describe, expect, test } from "bun:test";
import { retryAfterMs } from "../../../src/platform/network/http/retry-after.ts";

const endedAt = Date.UTC(2026, 0, 15, 12);

describe("Retry-After", () => {
  test.each<[number, string | undefined, number | undefined]>([
    [503, "120", 120_000],
    [429, "0", 0],
    [429, "Thu, 15 Jan 2026 12:02:00 GMT", 120_000],
    [503, "Thursday, 15-Jan-26 12:02:00 GMT", 120_000],
    [503, "Thu, 15 Jan 2026 11:00:00 GMT", undefined],
    [500, "120", undefined],
    [200, "120", undefined],
    [503, undefined, undefined],
    [503, "", undefined],
    [503, "-5", undefined],
    [429, "0.4", 400],
    [503, "99999999999999999999", undefined],
    [503, "soon", undefined],
    [503, "2027", 2_027_000],
  ])("the header of a response with status %i: %p asks for %p ms", (status, header, expected) => {
    expect(retryAfterMs(status, header, endedAt)).toBe(expected);
  });
});
