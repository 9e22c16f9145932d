import { describe, expect, test } from "bun:test";
import { randomFrom } from "../../../scripts/benchmarks/random.ts";
import {
  createEntryScanner,
  type EntryBatch,
} from "../../../src/engines/certificate-transparency/entries/entry-scanner.ts";
import {
  createNameBuffer,
  namesInOddValue,
} from "../../../src/engines/certificate-transparency/entries/name-buffer.ts";
import { LogError, type EntryEncoding } from "../../../src/engines/certificate-transparency/log.ts";
import { leafHash } from "../../../src/engines/certificate-transparency/trees/hashes.ts";
import { dataTile, getEntriesBody, logEntry, namesTile } from "../../support/log-entries.ts";

const seed = Number(process.env["SEED"] ?? Math.trunc(Date.now() / 1000));
console.log(`seed of fuzzed blocks: ${seed} (repeat with SEED=${seed})`);
const random = randomFrom(seed);
const { below, pick, text } = random;

const entries = Array.from({ length: 4 }, (_, index) =>
  logEntry(index, {
    kind: index % 2 === 0 ? "certificate" : "precertificate",
    names: [`a${index}.example`, "*.b.example", "münchen.example"],
    commonNames: ["c.example"],
  }),
);
const scanner = createEntryScanner();

describe("a block of entries", () => {
  const blocks: [EntryEncoding, Uint8Array][] = [
    ["data_tile", dataTile(entries)],
    ["get_entries", Buffer.from(getEntriesBody(entries))],
    ["names_tile", namesTile(entries)],
  ];
  for (const [encoding, original] of blocks) {
    test(`gives entries or an error, never another exception, from 3,000 corruptions: ${encoding}`, () => {
      let read = 0;
      for (let round = 0; round < 3_000; round++) {
        const batch = scan(encoding, corrupted(original));
        if (batch === undefined) continue;
        read++;
        for (let i = 0; i < batch.names.count; i++) {
          expect(nameIn(batch, i)).toMatch(/^([a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}$/);
        }
        for (let entry = 0; entry < batch.count; entry++) batch.certificate(entry);
      }
      expect(read).toBeGreaterThan(50);
    });
  }
});

describe("the fast path", () => {
  test("for get-entries gives what a JSON parser and a hash of each leaf give, for 3,000 corruptions", () => {
    const original = Buffer.from(getEntriesBody(entries));
    let compared = 0;
    for (let round = 0; round < 3_000; round++) {
      const bytes = corrupted(original);
      const expected = naiveHashes(bytes);
      if (expected === undefined) continue;
      const batch = scan("get_entries", bytes);
      expect(batch && Buffer.from(batch.leafHashes).toString("hex")).toBe(expected);
      compared++;
    }
    expect(compared).toBeGreaterThan(50);
  });

  test("for ordinary names gives what the reader of odd names gives, for 20,000 values", () => {
    let compared = 0;
    for (let round = 0; round < 20_000; round++) {
      const value = Buffer.from(randomValue(), "latin1");
      const buffer = createNameBuffer();
      buffer.startEntry(0);
      buffer.addAlternativeName(value, 0, value.length);
      const found = Array.from({ length: buffer.count }, (_, i) =>
        Buffer.from(buffer.bytes.subarray(buffer.starts[i], buffer.ends[i])).toString(),
      );
      expect(found).toEqual(namesInOddValue(value));
      compared += found.length;
    }
    expect(compared).toBeGreaterThan(5_000);
  });
});

/** Returns undefined if the block is rejected. */
function scan(encoding: EntryEncoding, bytes: Uint8Array): EntryBatch | undefined {
  try {
    return scanner.scan({ encoding, bytes, firstIndex: 0, countMax: null });
  } catch (error) {
    if (error instanceof LogError && error.kind === "response") return undefined;
    throw error;
  }
}

function nameIn({ names: { bytes, starts, ends } }: EntryBatch, index: number): string {
  return Buffer.from(bytes.subarray(starts[index], ends[index])).toString("latin1");
}

function corrupted(original: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(original);
  for (let change = 1 + below(3); change > 0; change--) {
    // Half of the changes are characters that mean something in JSON and in names.
    bytes[below(bytes.length)] = below(2) === 0 ? below(256) : pick([...'"\\{}[],: /.=\0A']).charCodeAt(0);
  }
  return bytes;
}

/** Returns the leaf hashes as hexadecimal; undefined if a parser would reject the text. */
function naiveHashes(bytes: Uint8Array): string | undefined {
  try {
    const parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as {
      entries: { leaf_input: string }[];
    };
    const leaves = parsed.entries.map(({ leaf_input }) => Uint8Array.fromBase64(leaf_input));
    if (leaves.length === 0 || leaves.some(({ length }) => length === 0)) return undefined;
    return Buffer.concat(leaves.map(leafHash)).toString("hex");
  } catch {
    return undefined;
  }
}

function randomValue(): string {
  const labels = Array.from({ length: 1 + below(5) }, () =>
    pick([
      text("abcdefghijklmnopqrstuvwxyz0123456789-_", 1 + below(8)),
      text("ABCxyz09", 1 + below(4)),
      text("a1", 60 + below(6)),
      pick(["", "*", "xn--80ak6aa92e", "0x7f", "com", "7", "a b", "b\x01", "\xe9", "127"]),
    ]),
  );
  return (
    pick(["", "", "", "*.", ".", "https://", " "]) +
    labels.join(".") +
    pick(["", "", "", ".", "/x", "\n", ":443"])
  );
}
