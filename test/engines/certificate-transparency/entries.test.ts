import { describe, expect, test } from "bun:test";
import {
  createEntryScanner,
  type EntryBatch,
} from "../../../src/engines/certificate-transparency/entries/entry-scanner.ts";
import { LogError, type EntryEncoding } from "../../../src/engines/certificate-transparency/log.ts";
import { dataTile, getEntriesBody, logEntry, namesTile } from "../../support/log-entries.ts";

const firstTimestamp = Date.UTC(2026, 0, 2);
const entries = Array.from({ length: 256 }, (_, index) =>
  logEntry(index, {
    kind: index % 3 === 0 ? "certificate" : "precertificate",
    names: [`a${index}.example`, `*.b${index}.example`],
    commonNames: [`a${index}.example`],
    serial: (0x1000 + index).toString(16),
    timestamp: firstTimestamp + index,
  }),
);
const names = entries.map((_, index) => [`a${index}.example`, `b${index}.example`]);
const hashes = Buffer.concat(entries.map(({ leafHash }) => leafHash)).toString("hex");

describe("a block of entries", () => {
  test("has the names, hashes, times and certificates of a data tile", () => {
    const batch = scan("data_tile", dataTile(entries), 256);
    expectAll(batch);
    expect(batch.certificate(7)).toEqual({
      issuer: "O=Test CA, CN=R1",
      serial: "1007",
      notBefore: Date.UTC(2026, 0, 1),
    });
  });

  test("has the names, hashes, times and certificates of a get-entries response", () => {
    const batch = scan("get_entries", Buffer.from(getEntriesBody(entries)), 1_000);
    expectAll(batch);
    expect(batch.certificate(255).serial).toBe("10ff");
  });

  test("has the names and times of a names tile, without hashes and certificates", () => {
    const batch = scan("names_tile", namesTile(entries), 256);
    expect(namesIn(batch)).toEqual(names);
    expect(batch.timestamps[5]).toBe(firstTimestamp + 5);
    expect(batch.leafHashes).toHaveLength(0);
    expect(batch.certificate(5)).toEqual({ issuer: "", serial: "", notBefore: null });
  });

  test("has its names as one text with a line for each", () => {
    const { bytes } = scan("data_tile", dataTile(entries.slice(0, 2)), 2).names;
    expect(Buffer.from(bytes).toString()).toBe("a0.example\nb0.example\na1.example\nb1.example\n");
  });

  test("may have any size, one after another with the same scanner", () => {
    const scanner = createEntryScanner();
    const many = Array.from({ length: 5 }, () => entries).flat();
    for (const count of [1, 1_280, 3, 1_025, 256]) {
      const bytes = Buffer.from(getEntriesBody(many.slice(0, count)));
      const batch = scanner.scan({ encoding: "get_entries", bytes, firstIndex: 9, countMax: 1_280 });
      expect(batch.firstIndex).toBe(9);
      expect(batch.count).toBe(count);
      expect(namesIn(batch)).toEqual(Array.from({ length: count }, (_, index) => names[index % 256]!));
      const expected = many.slice(0, count).map(({ leafHash }) => leafHash);
      expect(Buffer.compare(batch.leafHashes, Buffer.concat(expected))).toBe(0);
    }
  });

  test("keeps the names of all other certificates if one is nonsense, and counts it", () => {
    const changed = entries.with(16, logEntry(16, { bytes: Buffer.from("nonsense") }));
    for (const [encoding, bytes] of [
      ["data_tile", dataTile(changed)],
      ["get_entries", Buffer.from(getEntriesBody(changed))],
    ] as const) {
      const batch = scan(encoding, bytes, 256);
      expect(batch.malformed).toBe(1);
      expect(namesIn(batch)).toEqual(names.with(16, []));
      expect(Buffer.compare(batch.leafHashes.slice(512, 544), changed[16]!.leafHash)).toBe(0);
      expect(batch.certificate(16)).toEqual({ issuer: "", serial: "", notBefore: null });
    }
  });

  test("counts alternative names without a host name", () => {
    const tile = dataTile([logEntry(0, { names: ["a.example", "192.0.2.1", "localhost"] })]);
    expect(scan("data_tile", tile, 1).invalidNames).toBe(2);
  });

  test("has a time that a date can represent, whatever the log states", () => {
    const tile = dataTile([logEntry(0, { timestamp: 2 ** 60 })]);
    expect(new Date(scan("data_tile", tile, 1).timestamps[0]!).getTime()).toBe(8.64e15);
  });
});

describe("a data tile", () => {
  test("is rejected if it is truncated, at every byte", () => {
    const tile = dataTile(entries.slice(0, 3));
    for (let length = 0; length < tile.length; length++) {
      expect(problem("data_tile", tile.subarray(0, length), 3)).toMatch(
        /data tile (ends within|has \d instead of 3)/,
      );
    }
  });

  test("is rejected with the number of an entry of unknown type", () => {
    const tile = dataTile(entries.slice(0, 3));
    tile[entries[0]!.tileLeaf.length + 9] = 7;
    expect(problem("data_tile", tile, 3)).toBe("entry 1 of the data tile has the unknown type 7");
  });

  test("is rejected with more or fewer entries than its width", () => {
    expect(problem("data_tile", dataTile(entries.slice(0, 9)), 10)).toContain("9 instead of 10 entries");
    expect(problem("data_tile", dataTile(entries.slice(0, 11)), 10)).toContain("11 instead of 10 entries");
    expect(problem("data_tile", dataTile([...entries, entries[0]!]), 256)).toContain("more than 256 entries");
  });

  test("that is HTML is rejected", () => {
    expect(problem("data_tile", Buffer.from("<!doctype html><title>Not found</title>"), 256)).not.toBe("");
  });
});

describe("a get-entries response", () => {
  const body = getEntriesBody(entries.slice(0, 3));
  const parsed = JSON.parse(body) as { entries: Record<string, string>[] };
  const variants: [string, string][] = [
    ["with white space", JSON.stringify(parsed, null, "\t\r\n ".slice(0, 2))],
    ["with the members in another order", JSON.stringify({ entries: parsed.entries.map(reversed) })],
    [
      "with further members",
      JSON.stringify({ x: [1], entries: parsed.entries.map((e) => ({ y: {}, ...e })) }),
    ],
    ["with escapes in the base64", body.replaceAll("/", "\\/").replaceAll("A", "\\u0041")],
    ["with escaped names of members", body.replaceAll("leaf_input", "leaf\\u005finput")],
    ["with an escaped quote in extra_data", body.replaceAll(`extra_data":"`, `extra_data":"\\"`)],
    [
      "without extra_data",
      JSON.stringify({ entries: parsed.entries.map(({ leaf_input }) => ({ leaf_input })) }),
    ],
    ["with white space at its end", `${body}\n`],
  ];
  for (const [what, text] of variants) {
    test(`is read ${what}`, () => {
      const batch = scan("get_entries", Buffer.from(text), 3);
      expect(namesIn(batch)).toEqual(names.slice(0, 3));
      expect(Buffer.from(batch.leafHashes).toString("hex")).toBe(hashes.slice(0, 192));
    });
  }

  const rejected: [string, string, string][] = [
    ["of no entries", `{"entries":[]}`, "has no entries"],
    ["that is HTML", "<html></html>", "not JSON"],
    ["that is empty", "", "not JSON"],
    ["that is null", "null", "no list of entries"],
    ["whose entries are no list", `{"entries":{}}`, "no list of entries"],
    ["with an entry that is null", `{"entries":[null]}`, "entry 0 of the response has no leaf_input"],
    ["with a leaf_input that is a number", `{"entries":[{"leaf_input":1}]}`, "has no leaf_input"],
    ["with an empty leaf_input", `{"entries":[{"leaf_input":"","extra_data":""}]}`, "is not base64"],
    ["with a leaf_input that is not base64", body.replace(`put":"A`, `put":"!`), "entry 0 is not base64"],
    ["with text after its end", `${body}{}`, "not JSON"],
    [
      "of more entries than requested",
      getEntriesBody(entries.slice(0, 4)),
      "4 entries, more than the 3 requested",
    ],
    ["that is not UTF-8", "\xff", "not JSON"],
  ];
  for (const [what, text, message] of rejected) {
    test(`is rejected ${what}`, () => {
      expect(problem("get_entries", Buffer.from(text, "latin1"), 3)).toContain(message);
    });
  }

  test("is rejected if it is truncated, at every byte", () => {
    const bytes = Buffer.from(body);
    for (let length = 0; length < bytes.length; length++) {
      expect(problem("get_entries", bytes.subarray(0, length), 3)).not.toBe("");
    }
  });

  test("keeps the hash of a leaf of an unknown form, and counts it as malformed", () => {
    const known = entries[1]!.leaf;
    const unknown = [
      Uint8Array.of(1, 2, 3),
      Buffer.from(known).fill(1, 0, 1),
      Buffer.from(known).fill(9, 10, 12),
      known.subarray(0, -1),
      Buffer.concat([known, known]),
      ...[12, 13, 44, 46].map((length) => known.subarray(0, length)),
    ];
    for (const leaf of unknown) {
      const { leafHash } = leafOf(leaf);
      const batch = scan("get_entries", Buffer.from(getEntriesBody([leafOf(leaf), entries[0]!])), 2);
      expect(batch.malformed).toBe(1);
      expect(namesIn(batch)).toEqual([[], names[0]!]);
      expect(Buffer.compare(batch.leafHashes.subarray(0, 32), leafHash)).toBe(0);
    }
  });

  function leafOf(leaf: Uint8Array) {
    const hasher = new Bun.CryptoHasher("sha256").update(Uint8Array.of(0)).update(leaf);
    return { ...entries[0]!, leaf, leafHash: Uint8Array.from(hasher.digest()) };
  }
});

describe("a names tile", () => {
  test("counts lines that are malformed and keeps the others", () => {
    const lines = [
      `{"Timestamp":1,"DNS":["a.example"]}`,
      "nonsense",
      "",
      "null",
      `{"Timestamp":2,"DNS":[1,"b.example"],"Subject":null}`,
      `{"DNS":"c.example","Subject":{"CommonName":"d.example"}}`,
      `{"Timestamp":1e300,"Subject":{"CommonName":"Some Company"}}`,
    ];
    const batch = scan("names_tile", Buffer.from(lines.join("\n")), 256);
    expect(batch.count).toBe(6);
    expect(batch.malformed).toBe(4);
    expect(namesIn(batch)).toEqual([["a.example"], [], [], ["b.example"], ["d.example"], []]);
    expect([...batch.timestamps.subarray(0, 6)]).toEqual([1, 0, 0, 2, 0, 8.64e15]);
  });

  test("may have fewer entries than its width, but not more", () => {
    expect(scan("names_tile", namesTile(entries.slice(0, 200)), 256).count).toBe(200);
    expect(problem("names_tile", namesTile(entries.slice(0, 11)), 10)).toContain("11 entries");
    expect(problem("names_tile", Buffer.from("{}\n".repeat(300)), 256)).toContain("more than 256 entries");
  });
});

function expectAll(batch: EntryBatch): void {
  expect(batch.count).toBe(256);
  expect(batch.malformed).toBe(0);
  expect(batch.invalidNames).toBe(0);
  expect(namesIn(batch)).toEqual(names);
  expect([...batch.timestamps.subarray(0, 256)]).toEqual(entries.map((_, index) => firstTimestamp + index));
  expect(Buffer.from(batch.leafHashes).toString("hex")).toBe(hashes);
}

function scan(encoding: EntryEncoding, bytes: Uint8Array, countMax: number): EntryBatch {
  return createEntryScanner().scan({ encoding, bytes, firstIndex: 0, countMax });
}

/** Returns the message of the error; "" if there is none. Throws any other error again. */
function problem(encoding: EntryEncoding, bytes: Uint8Array, countMax: number): string {
  try {
    scan(encoding, bytes, countMax);
    return "";
  } catch (error) {
    if (error instanceof LogError && error.kind === "response") return error.message;
    throw error;
  }
}

function namesIn({
  count,
  names: { bytes, starts, ends, entries: owners, count: nameCount },
}: EntryBatch): string[][] {
  const all: string[][] = Array.from({ length: count }, () => []);
  for (let i = 0; i < nameCount; i++) {
    all[owners[i]!]!.push(Buffer.from(bytes.subarray(starts[i], ends[i])).toString("latin1"));
  }
  return all;
}

function reversed(entry: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entry).reverse());
}
