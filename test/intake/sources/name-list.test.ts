import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { lineBytesMax } from "../../../src/intake/sources/name-file-formats/lines.ts";
import { textOf, type Place } from "../../../src/intake/sources/name-file-formats/name-chunk.ts";
import { openNameList, type NameListOptions } from "../../../src/intake/sources/name-files/name-list.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-names-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string | Uint8Array, name = "list.txt"): string {
  const path = join(folder, `${files++}-${name}`);
  writeFileSync(path, content);
  return path;
}

interface Entry {
  name?: string;
  error?: string;
  errorText?: string;
  line: number;
  next: Place;
}

async function read(path: string, options: NameListOptions = {}): Promise<{ entries: Entry[]; end: Place }> {
  const list = await openNameList(path, options);
  const entries: Entry[] = [];
  let end: Place = { position: 0, line: 1 };
  try {
    for await (const chunk of list.chunks()) {
      const text = textOf(chunk);
      for (let i = 0; i < chunk.count; i++) {
        const invalid = chunk.errors.get(i);
        const next = {
          position: chunk.position + chunk.nexts[i]!,
          line: chunk.firstLine + chunk.nextLines[i]!,
        };
        const content =
          invalid === undefined ? { name: text(i) } : { error: invalid.why, errorText: invalid.text };
        entries.push({ ...content, line: chunk.firstLine + chunk.lines[i]!, next });
      }
      end = chunk.end;
    }
  } finally {
    await list.close();
  }
  return { entries, end };
}

const namesIn = async (path: string, options: NameListOptions = {}) =>
  (await read(path, options)).entries.map((entry) => entry.name ?? `! ${entry.error}`);

describe("plain lists", () => {
  test.each<[string, string, string[]]>([
    ["one name per line", "a.com\nb.com\n", ["a.com", "b.com"]],
    ["no final line feed", "a.com\nb.com", ["a.com", "b.com"]],
    ["Windows line endings", "a.com\r\nb.com\r\n", ["a.com", "b.com"]],
    ["a byte order mark", "\uFEFFa.com\nb.com\n", ["a.com", "b.com"]],
    ["blank lines", "\n\n  \r\n\t\na.com\n\n", ["a.com"]],
    ["white space around names", "  a.com \t\n\tb.com\r\n", ["a.com", "b.com"]],
    ["comments", "# head\na.com # seen 2024\n  # more\nb.com#c\n", ["a.com", "b.com#c"]],
    ["names in other scripts", "bücher.example\n", ["bücher.example"]],
    ["text after the name", "a.com b.com\n", ["a.com b.com"]],
    ["NUL in a name", "a\0.com\nb.com\n", ["a\0.com", "b.com"]],
    ["no content", "", []],
    ["a single line feed", "\n", []],
  ])("a plain list with %s is read correctly", async (_, content, expected) => {
    expect(await namesIn(file(content))).toEqual(expected);
  });

  test("invalid UTF-8 becomes U+FFFD and does not affect other lines", async () => {
    const path = file(
      Buffer.concat([Buffer.from("a.com\n"), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from("\nb.com\n")]),
    );
    expect(await namesIn(path)).toEqual(["a.com", "\uFFFD(\uFFFD", "b.com"]);
  });

  test("random bytes are read to the end without an error", async () => {
    const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.error(`seed ${seed}`);
    const bytes = randomBytes(seed, 300_000);
    bytes.set([0x61, 0x62], 0);
    const { entries } = await read(file(bytes), { format: "lines" });
    const lines = Buffer.from(bytes).toString("latin1").split("\n");
    expect(entries.at(-1)!.line).toBeLessThanOrEqual(lines.length);
    expect(entries.length).toBeGreaterThan(500);
  });

  test("an overlong line is reported once with its start, and the next line is read", async () => {
    for (const length of [lineBytesMax + 1, lineBytesMax * 3 + 17]) {
      const path = file(`a.com\nstart${"x".repeat(length - 5)}\nb.com\n`);
      const { entries } = await read(path, { format: "lines" });
      expect(entries.map(({ name, line }) => [name, line])).toEqual([
        ["a.com", 1],
        [undefined, 2],
        ["b.com", 3],
      ]);
      expect(entries[1]!.error).toContain("is longer than");
      expect(entries[1]!.errorText).toStartWith("startxxx");
      expect(entries.map(({ next }) => next.position)).toEqual([6, length + 7, length + 13]);
    }
  });

  test("a line of the maximum length is read completely", async () => {
    const { entries } = await read(file(`${"x".repeat(lineBytesMax)}\nb.com\n`), { format: "lines" });
    expect(entries.map(({ name }) => name?.length)).toEqual([lineBytesMax, 5]);
  });

  test("line numbers are correct across blocks", async () => {
    const count = 60_000;
    const path = file(Array.from({ length: count }, (_, i) => `# ${i}\nname${i}.com\n`).join(""));
    const { entries } = await read(path);
    expect(entries.length).toBe(count);
    expect(entries.every(({ name, line }, i) => name === `name${i}.com` && line === 2 * i + 2)).toBeTrue();
  });
});

describe("compression", () => {
  const text = Array.from({ length: 50_000 }, (_, i) => `name${i}.com\n`).join("");
  const half = Buffer.from(text.slice(0, text.length / 2));
  const rest = Buffer.from(text.slice(text.length / 2));

  test.each([
    ["gzip", gzipSync(text)],
    ["concatenated gzip members", Buffer.concat([gzipSync(half), gzipSync(rest)])],
    ["Zstandard", zstdCompressSync(text)],
    ["concatenated Zstandard frames", Buffer.concat([zstdCompressSync(half), zstdCompressSync(rest)])],
    [
      "a Zstandard file that starts with a skippable frame",
      Buffer.concat([Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]), zstdCompressSync(text)]),
    ],
  ])("%s is recognized by its first bytes, not by the file extension", async (_, content) => {
    const names = await namesIn(file(content, "list.txt"));
    expect(names.length).toBe(50_000);
    expect(names.at(-1)).toBe("name49999.com");
  });

  test.each([
    ["gzip", gzipSync(text)],
    ["Zstandard", zstdCompressSync(text)],
  ])("truncated %s is read up to the break, and the error names the file and the line", async (_, packed) => {
    const path = file(packed.subarray(0, packed.length - 2000), "cut.gz");
    const list = await openNameList(path);
    let received = 0;
    const reading = (async () => {
      for await (const chunk of list.chunks()) received += chunk.count;
    })();
    const error = await reading.then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    await list.close();
    expect(error?.message).toStartWith(`${path} is truncated`);
    expect(Number(/read up to line (\d+)/.exec(error!.message)![1])).toBe(received);
  });

  test.each([
    [
      "corrupt gzip",
      Buffer.concat([gzipSync(text).subarray(0, 20_000), Buffer.alloc(5_000, 0xff)]),
      "is corrupt",
    ],
    [
      "garbage after Zstandard",
      Buffer.concat([zstdCompressSync(text), Buffer.from("rubbish and more of it")]),
      "has other data",
    ],
    ["bzip2", Buffer.from("BZh91AY and so on"), "is compressed with bzip2"],
    ["UTF-16", Buffer.from("\uFEFFa.com\n", "utf16le"), "is UTF-16"],
  ])("%s is rejected with an error that names the format", async (_, content, message) => {
    await expect(read(file(content))).rejects.toThrow(message);
  });

  test("a missing file and a folder are rejected", async () => {
    await expect(read(join(folder, "none"))).rejects.toThrow("none does not exist");
    await expect(read(folder)).rejects.toThrow("is a folder");
  });
});

describe("formats", () => {
  test.each<[string, string, string, NameListOptions, string[]]>([
    ["jsonl by extension", "x.jsonl", '{"domain":"a.com"}\n{"name":"b.com"}\n', {}, ["a.com", "b.com"]],
    ["jsonl by content", "x.txt", '{"domain":"a.com"}\n', {}, ["a.com"]],
    ["jsonl strings", "x.txt", '"a.com"\n"b\\u00fc.com"\n', {}, ["a.com", "bü.com"]],
    [
      "jsonl with a dotted path to an array",
      "x.jsonl",
      '{"data":{"names":["a.com","b.com"]}}\n{"data":{"names":["c.com"]}}\n',
      { column: "data.names" },
      ["a.com", "b.com", "c.com"],
    ],
    [
      "jsonl without the field",
      "x.jsonl",
      '{"x":1}\n{"domain":2}\nnope\n{"domain":"a.com"}\n',
      {},
      [
        "! has no name in any of the fields domain, domain_name, hostname, host, fqdn, name, query, url",
        "! has no name in any of the fields domain, domain_name, hostname, host, fqdn, name, query, url",
        "! is not JSON",
        "a.com",
      ],
    ],
    [
      "jsonl with __proto__",
      "x.jsonl",
      '{"a":1}\n',
      { column: "__proto__.toString" },
      ["! has no name in __proto__.toString"],
    ],
    ["csv with a common heading", "x.csv", "rank,Domain\n1,a.com\n2,b.com\n", {}, ["a.com", "b.com"]],
    ["csv without a heading", "x.csv", "1,a.com\n2,b.com\n", {}, ["a.com", "b.com"]],
    ["csv by content", "x.txt", "1,a.com\n2,b.com\n", {}, ["a.com", "b.com"]],
    ["csv with a named column", "x.csv", "domain,evil\na.com,b.com\n", { column: "evil" }, ["b.com"]],
    ["csv with a numbered column", "x.csv", "a.com,b.com\n", { column: "2" }, ["b.com"]],
    ["csv with unknown headings", "x.csv", "id,wo\n1,a.com\n", {}, ["a.com"]],
    ["csv with quotes", "x.csv", 'domain,note\n"a.com","x, ""y"""\n"b.com",\n', {}, ["a.com", "b.com"]],
    [
      "csv with a record that spans several lines",
      "x.csv",
      'note,domain\n"x\ny\n",a.com\nz,b.com\n',
      {},
      ["! has no field number 2", "b.com"],
    ],
    [
      "csv with a name before a field that spans several lines",
      "x.csv",
      'domain,note\na.com,"x\nq.com,y\nz"\nb.com,\n',
      {},
      ["a.com", "b.com"],
    ],
    [
      "csv with a quote that is never closed",
      "x.csv",
      `note,domain\nx,"a.com\n${"y,q.com\n".repeat(100)}z,b.com\n`,
      {},
      ["a.com", "! is in a quoted field that does not end within 100 lines", "b.com"],
    ],
    [
      "csv with a short record",
      "x.csv",
      "rank,domain\n1\n2,\n3,c.com\n",
      {},
      ["! has no field number 2", "! has an empty name", "c.com"],
    ],
    ["tab-separated values", "x.tsv", "rank\tdomain\n1\ta.com\n", {}, ["a.com"]],
    ["csv with semicolons", "x.csv", "rank;domain\n1;a.com\n", {}, ["a.com"]],
    [
      "one name per line despite the extension",
      "x.csv",
      "a.com\nb.com\n",
      { format: "lines" },
      ["a.com", "b.com"],
    ],
    ["csv with one column", "x.csv", "domain\na.com\n", {}, ["a.com"]],
    [
      "a zone by extension",
      "com.zone",
      "; comment\n$ORIGIN com.\n$TTL 900\n@ IN SOA a.b. c.d. (\n 1 2\n 3 4 5 )\nexample 172800 IN NS ns1.x.\n\tIN NS ns2.x.\n" +
        "example NS ns3.x.\nother.com. IN NS ns1.x.\n0P9MHAVE.com. IN NSEC3 1 1 0 - X NS\nother.com. RRSIG NS 8\n$ORIGIN net.\nthird ns a.b.\n",
      {},
      ["example.com", "other.com", "third.net"],
    ],
    [
      "a zone by content",
      "x.txt",
      "a.com.\t86400\tin\tns\tns1.x.\nb.com.\t86400\tin\tns\tns1.x.\n",
      {},
      ["a.com", "b.com"],
    ],
  ])("the format is detected and read: %s", async (_, name, content, options, expected) => {
    expect(await namesIn(file(content, name), options)).toEqual(expected);
  });

  test("the extension before .gz determines the format", async () => {
    expect(await namesIn(file(gzipSync("rank,domain\n1,a.com\n"), "x.csv.gz"))).toEqual(["a.com"]);
  });

  test("an unknown column is rejected with the names of the existing ones", async () => {
    await expect(read(file("rank,domain\n1,a.com\n", "x.csv"), { column: "host" })).rejects.toThrow(
      'has no column "host"; its first line names "rank", "domain"',
    );
  });
});

describe("resuming", () => {
  const zone = `$ORIGIN com.\n${Array.from({ length: 200 }, (_, i) => `n${i} IN NS a.\n`).join("")}`;
  const cases: [string, string, string | Uint8Array, NameListOptions][] = [
    ["lines", "x.txt", "\uFEFFa.com\n\n# c\nb.com\r\nc.com\n\nd.com\n", {}],
    ["gzip", "x.txt.gz", gzipSync("a.com\nb.com\n\nc.com\nd.com\n"), {}],
    ["jsonl", "x.jsonl", '{"domain":["a.com","b.com"]}\n{"domain":"c.com"}\nx\n{"domain":["d.com"]}\n', {}],
    ["csv", "x.csv", 'domain,note\na.com,"x\ny"\nb.com,\n\nc.com,"\n"\nd.com,z\n', {}],
    ["a zone by extension", "x.zone", zone, {}],
    ["links", "x.txt", "https://a.com/x\nhxxp://b[.]com/\n\nhttp://c.com\nd.com\n", {}],
    ["hosts", "x.txt", "0.0.0.0 a.com b.com # x\n\n0.0.0.0 localhost\nx\n0.0.0.0 c.com d.com e.com\n", {}],
    ["a filter list", "x.txt", "! x\n||a.com^\n@@||b.com^\n||c.com^$x\n##x\n||d.com^\n", {}],
    [
      "a policy zone",
      "x.rpz",
      "$ORIGIN z.\n@ SOA a. b. (\n1)\na.com CNAME .\n*.a.com CNAME .\nb.com CNAME .\nc.com A 1.1.1.1\n",
      {},
    ],
  ];

  test.each(cases)(
    "%s: resuming at any position loses no entry and repeats only an unfinished line",
    async (_, name, content, options) => {
      const path = file(content, name);
      const whole = await read(path, options);
      for (const [index, entry] of whole.entries.entries()) {
        const rest = await read(path, { ...options, from: entry.next });
        const expected = whole.entries.slice(index + 1);
        const again = rest.entries.length - expected.length;
        expect(rest.entries.slice(again)).toEqual(expected);
        expect(rest.entries.slice(0, again).every(({ line }) => line === entry.line)).toBeTrue();
        expect(again === 0 || entry.next.line === entry.line).toBeTrue();
      }
      expect((await read(path, { ...options, from: whole.end })).entries).toEqual([]);
    },
  );

  test("a last line without a line feed is read again completely after more is appended", async () => {
    const path = file("a.com\nexam");
    const first = await read(path);
    expect(first.entries.map(({ name }) => name)).toEqual(["a.com", "exam"]);
    expect(first.end).toEqual({ position: 6, line: 2 });
    writeFileSync(path, "a.com\nexample.com\nb.com\n");
    const more = await read(path, { from: first.end });
    expect(more.entries.map(({ name, line }) => [name, line])).toEqual([
      ["example.com", 2],
      ["b.com", 3],
    ]);
  });

  test("nothing after bytesMax is read", async () => {
    expect(await namesIn(file("a.com\nb.com\nc.com\n"), { bytesMax: 12 })).toEqual(["a.com", "b.com"]);
  });
});

/** Mulberry32. */
function randomBytes(seed: number, count: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) & 0xff;
  });
}
