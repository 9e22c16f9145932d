import { describe, expect, test } from "bun:test";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { openNameList } from "../../../src/intake/sources/name-files/name-list.ts";
import { randomFrom, seed } from "../../support/random.ts";

console.error(`seed ${seed}`);

interface Part {
  name: string;
  text: string | Uint8Array;
  method?: number;
  flags?: number;
  /** How the lengths are given: before the content, or in a record after it. */
  lengths?: "before" | "before64" | "after" | "after64" | "after without signature";
}

/** Makes an archive in one of the forms that programs write, with a minimal directory. */
function archive(parts: readonly Part[]): Buffer {
  return Buffer.concat([...parts.flatMap(written), Buffer.from([0x50, 0x4b, 1, 2]), Buffer.alloc(42)]);
}

function written({ name, text, method = 8, flags = 0, lengths = "before" }: Part): Buffer[] {
  const bytes = Buffer.from(text);
  const packed = method === 8 ? deflateRawSync(bytes) : bytes;
  const isAfter = lengths.startsWith("after");
  const is64 = lengths.endsWith("64");
  const [crc, packedBytes, length] = isAfter ? [0, 0, 0] : [crc32(bytes), packed.length, bytes.length];
  const extra = is64
    ? Buffer.concat([u16(0xcafe), u16(2), u16(0), u16(1), u16(16), u64(length), u64(packedBytes)])
    : Buffer.alloc(0);
  const shown = (value: number) => (is64 ? u32(0xffff_ffff) : u32(value));
  const head = Buffer.concat([
    u32(0x04034b50),
    u16(45),
    u16(flags | (isAfter ? 8 : 0)),
    u16(method),
    u32(0),
    u32(crc),
    shown(packedBytes),
    shown(length),
    u16(Buffer.byteLength(name)),
    u16(extra.length),
    Buffer.from(name),
    extra,
  ]);
  const width = is64 ? u64 : u32;
  const record = Buffer.concat([u32(crc32(bytes)), width(packed.length), width(bytes.length)]);
  const signature = lengths === "after without signature" ? Buffer.alloc(0) : u32(0x08074b50);
  return [head, packed, ...(isAfter ? [signature, record] : [])];
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** Reads a list that arrives in pieces of `size` bytes. */
async function namesIn(
  content: Uint8Array,
  {
    path = "list.zip",
    size = 1 << 16,
    textBytesMax,
  }: { path?: string; size?: number; textBytesMax?: number } = {},
): Promise<string[]> {
  let at = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at >= content.length) controller.close();
        else controller.enqueue(content.slice(at, (at += size)));
      },
    },
    { highWaterMark: 0 },
  );
  const list = await openNameList(path, { stream, textBytesMax });
  const names: string[] = [];
  try {
    for await (const batch of list.batches()) for (let i = 0; i < batch.count; i++) names.push(batch.name(i));
  } finally {
    await list.close();
  }
  return names;
}

const many = Array.from({ length: 20_000 }, (_, i) => `name-${i}.com\n`).join("");

describe("archives", () => {
  test("an archive of the library that writes evidence bundles is read", async () => {
    const content = zipSync({ "names.txt": Buffer.from(many) });
    const names = await namesIn(content);
    expect(names.length).toBe(20_000);
    expect(names.at(-1)).toBe("name-19999.com");
  });

  test.each(["before", "before64", "after", "after64", "after without signature"] as const)(
    "a file whose lengths are given like this is read: %s",
    async (lengths) => {
      const content = archive([
        { name: "a.txt", text: many, lengths },
        { name: "b.txt", text: "last.com\n", lengths },
      ]);
      for (const size of [1 << 16, 61]) {
        const names = await namesIn(content, { size });
        expect(names.length).toBe(20_001);
        expect(names.at(-1)).toBe("last.com");
      }
    },
  );

  test("all files are read one after another, and folders, hidden files and metadata are skipped", async () => {
    const content = archive([
      // Most programs flag a folder as of unknown length, and write no record after it.
      { name: "lists/", text: "", method: 0, flags: 8 },
      { name: "__MACOSX/lists/._a.txt", text: "binary.example", lengths: "after" },
      { name: ".DS_Store", text: "binary.example" },
      { name: "lists/empty.txt", text: "" },
      { name: "lists/a.txt", text: "a.com\nb.com" },
      { name: "lists/b.txt", text: "\uFEFFc.com\n", method: 0 },
      { name: "d.txt", text: "d.com\n", lengths: "after" },
    ]);
    expect(await namesIn(content)).toEqual(["a.com", "b.com", "c.com", "d.com"]);
  });

  test("the name of the file in the archive determines the format", async () => {
    const content = archive([{ name: "list.csv", text: "wo,x\na.com,b.com\n" }]);
    expect(await namesIn(content, { path: "list.txt.zip" })).toEqual(["a.com"]);
    expect(await namesIn(content, { path: "list.txt.zip", textBytesMax: 1_000 })).toEqual(["a.com"]);
  });

  test("an empty archive contains no names", async () => {
    expect(await namesIn(Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(18)]))).toEqual([]);
  });

  test.each<[string, Uint8Array, RegExp]>([
    ["that is encrypted", archive([{ name: "a.txt", text: "a.com\n", flags: 1 }]), /is encrypted \("a\.txt"\); decrypt it/],
    ["with another method", archive([{ name: "a.txt", text: "a.com\n", method: 9 }]), /unsupported method 9/],
    [
      "with a stored file of unknown length",
      archive([{ name: "a.txt", text: "a.com\n", method: 0, lengths: "after" }]),
      /stored with unknown length; compress it/,
    ],
    ["that is split", Buffer.concat([Buffer.from("PK\x07\x08"), Buffer.alloc(40)]), /split archive/],
    ["that contains a compressed file", archive([{ name: "a.gz", text: gzipSync("a.com\n") }]), /contains "a\.gz", which is compressed; unpack it/],
    ["that is a spreadsheet", archive([{ name: "[Content_Types].xml", text: "<x/>" }]), /office document; save the list as CSV/],
    ["with a hostile file name", archive([{ name: "\u202e\u0007.txt", text: "", flags: 1 }]), /is encrypted \("\\u\{202e\}\\u\{7\}\.txt"\)/],
    ["without its rest", archive([{ name: "a.txt", text: many }]).subarray(0, 20_000), /is truncated: its ZIP data ends early/],
    ["that ends behind a file", archive([{ name: "a.txt", text: "a.com\n" }]).subarray(0, -46), /is truncated/],
    ["with a wrong checksum", archive([{ name: "a.txt", text: many }]).fill(0, 14, 18), /is corrupt/],
    ["with other data after a file", Buffer.concat([archive([{ name: "a.txt", text: "a.com\n" }]).subarray(0, -46), Buffer.alloc(99, "x")]), /is corrupt/],
    [
      "with more files than permitted",
      archive(Array.from({ length: 10_001 }, (_, i) => ({ name: `${i}`, text: "", method: 0 }))),
      /contains more than 10000 files/,
    ],
  ])("an archive %s is reported with what is wrong", async (_, content, message) => {
    await expect(namesIn(content)).rejects.toThrow(message);
  }); // prettier-ignore

  test("a damaged archive is read up to the damage or reported, whatever the damage", async () => {
    const random = randomFrom(seed);
    const content = archive([
      { name: "a.txt", text: many.slice(0, 3_000), lengths: "after" },
      { name: "b.txt", text: "b.com\n", lengths: "before64" },
    ]);
    let reported = 0;
    for (let round = 0; round < 400; round++) {
      const damaged = Buffer.from(content).subarray(
        0,
        round % 2 === 0 ? content.length : 1 + random(content.length),
      );
      if (round % 2 === 0) damaged[random(damaged.length)] = random(256);
      try {
        await namesIn(damaged);
      } catch (error) {
        reported++;
        expect((error as Error).message).toStartWith("list.zip ");
        expect((error as Error).message).not.toContain("cannot be read");
      }
    }
    expect(reported).toBeGreaterThan(150);
  });

  test("an archive bomb takes little memory and does not block other work", async () => {
    const content = Uint8Array.from(
      archive([{ name: "a.txt", text: "\n".repeat(128 << 20), lengths: "after" }]),
    );
    expect(content.length).toBeLessThan(1 << 18);
    const list = await openNameList("bomb.zip", { format: "lines", stream: new Blob([content]).stream() });
    let turns = 0;
    let reading = true;
    const count = () => {
      turns++;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    const before = process.memoryUsage.rss();
    let peak = before;
    for await (const chunk of list.chunks()) {
      expect(chunk.count).toBe(0);
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    reading = false;
    await list.close();
    expect(turns).toBeGreaterThan(30);
    expect(peak - before).toBeLessThan(64 << 20);
  }, 60_000);

  test("an archive that is longer than permitted after decompression is reported", async () => {
    const content = archive([
      { name: "a.txt", text: many },
      { name: "b.txt", text: many },
    ]);
    await expect(namesIn(content, { textBytesMax: many.length + 100 })).rejects.toThrow(
      /is longer than .* of text/,
    );
  });

  test("hidden files that decompress to gigabytes are reported", async () => {
    const bomb = { name: ".hidden", text: "\n".repeat(40 << 20) };
    await expect(namesIn(archive([bomb, bomb]))).rejects.toThrow(
      'contains large hidden files, such as ".hidden"; remove them',
    );
  }, 60_000);
});
