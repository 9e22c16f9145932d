/** Compares the functions over bytes with simple ones over strings, on random input. */
import { describe, expect, test } from "bun:test";
import { createNameSorter } from "../../../src/engines/archive/names/sort-names.ts";
import { copyValidNames } from "../../../src/engines/archive/names/valid-names.ts";
import { normalizeName } from "../../../src/engines/detection/names/name.ts";
import { randomFrom, seed } from "../../support/random.ts";

const below = randomFrom(seed);
const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;

/** Copies in steps that the room in the target decides, as the maintenance does. */
function validNames(lines: Uint8Array, room = 3 * lines.length + 1024): string[] {
  const names: string[] = [];
  for (let start = 0; start < lines.length;) {
    const target = new Uint8Array(room);
    const { length, count, read } = copyValidNames(lines, target, 0, { start });
    const copied = Buffer.from(target.subarray(0, length)).toString("latin1").split("\n").slice(0, -1);
    expect(copied).toHaveLength(count);
    names.push(...copied);
    start += read;
  }
  return names;
}

function naive(lines: Uint8Array): string[] {
  return Buffer.from(lines)
    .toString()
    .split("\n")
    .flatMap((line) => {
      const result = normalizeName(line);
      return "name" in result ? [result.name] : [];
    });
}

describe(`valid names (seed ${seed})`, () => {
  test("are those that the detection accepts, in the same form, whatever the bytes are", () => {
    const parts = [
      "a", "Z", "0", "-", "_", ".", "..", "*.", "*", "xn--", "xn--bcher-kva", "ü", "ß", "İ", "。", "\u0000", "\t", " ",
      "\r", ":", "/", "@", "%", "#", "0x1f", "127", ".1", "example", "com", "com.", "\u{1f600}", "\u202e", "x".repeat(63),
      "y".repeat(64), "\u007f", "\u0080", "\ufffd",
    ]; // prettier-ignore
    for (let round = 0; round < 400; round++) {
      const lines = Array.from({ length: 20 }, () =>
        Array.from({ length: 1 + below(8) }, () => pick(parts)).join(pick(["", "."])),
      );
      const bytes = Buffer.from(`${lines.join("\n")}\n`);
      expect(validNames(bytes)).toEqual(naive(bytes));
    }
  });

  test("are found in random bytes without an exception", () => {
    for (let round = 0; round < 200; round++) {
      const bytes = Uint8Array.from({ length: 500 }, () => below(256));
      expect(validNames(bytes)).toEqual(naive(bytes));
    }
  });

  test("are the same if the target has little room", () => {
    const bytes = Buffer.from("a.example\nbücher.example\nnot valid\n".repeat(100));
    expect(validNames(bytes, 300)).toEqual(naive(bytes));
  });
});

describe(`sorting (seed ${seed})`, () => {
  const reversed = (name: string) => [...name].reverse().join("");
  const sort = createNameSorter();

  function sorted(names: readonly string[]): string[] {
    const bytes = Buffer.from(names.map((name) => `${name}\n`).join(""), "latin1");
    const result: string[] = [];
    const count = sort(bytes, names.length, (start, end) =>
      result.push(bytes.toString("latin1", start, end)),
    );
    expect(count).toBe(result.length);
    return result;
  }

  test("returns each name once, in the order of the reversed names", () => {
    const ends = [
      "com",
      "co.uk",
      "example.com",
      "a-name-with-a-very-long-label-that-is-the-same.example",
      "x.y",
      "-.y",
      "_.y",
    ];
    for (let round = 0; round < 100; round++) {
      const names = Array.from({ length: below(300) }, () => {
        const length = 1 + below(round % 10 === 0 ? 60 : 3);
        const label = Array.from({ length }, () => pick([..."ab0-_"])).join("");
        return `${label}.${pick(ends)}`;
      });
      const expected = [...new Set(names)].sort((a, b) => (reversed(a) < reversed(b) ? -1 : 1));
      expect(sorted(names)).toEqual(expected);
    }
  });
});
