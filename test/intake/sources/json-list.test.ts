/** JSON documents and MISP events as lists of names. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { lineBytesMax } from "../../../src/intake/sources/name-file-formats/lines.ts";
import { openNameList, type NameListOptions } from "../../../src/intake/sources/name-files/name-list.ts";
import { randomFrom, seed } from "../../support/random.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-json-"));
afterAll(() => rmSync(folder, { recursive: true }));
console.error(`seed ${seed}`);

let files = 0;
function file(content: string | Uint8Array, name = "list.json"): string {
  const path = join(folder, `${files++}-${name}`);
  writeFileSync(path, content);
  return path;
}

interface Outcome {
  names: string[];
  lines: number[];
  positions: number[];
  problem?: string;
  end: number;
}

async function read(path: string, options: NameListOptions = {}): Promise<Outcome> {
  const outcome: Outcome = { names: [], lines: [], positions: [], end: 0 };
  try {
    const list = await openNameList(path, options);
    try {
      for await (const batch of list.batches()) {
        for (let i = 0; i < batch.count; i++) {
          const error = batch.error(i);
          outcome.names.push(error === undefined ? (batch.link?.(i) ?? batch.name(i)) : `! ${error.why}`);
          outcome.lines.push(batch.line(i));
          outcome.positions.push(batch.positionAfter(i).position);
        }
        outcome.end = batch.end.position;
      }
    } finally {
      await list.close();
    }
  } catch (error) {
    outcome.problem = (error as Error).message.replace(path, "the list");
  }
  return outcome;
}

const namesIn = async (content: string, options: NameListOptions = {}) => {
  const { names, problem } = await read(file(content), options);
  expect(problem).toBeUndefined();
  return names;
};

/** Serves a text in pieces of a given length. */
function inPieces(bytes: Uint8Array, size: () => number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.slice(at, (at += size())));
      },
    },
    { highWaterMark: 0 },
  );
}

/** Shape of PhishTank's `online-valid.json`. */
const phishTank = [
  ["8523001", "https://paypa1.example/login?a=1"],
  ["8523002", 'http://b.com/x"y[{'],
].map(([id, url]) => ({
  phish_id: id,
  url,
  phish_detail_url: `http://www.phishtank.com/phish_detail.php?phish_id=${id}`,
  submission_time: "2026-11-20T10:00:00+00:00",
  verified: "yes",
  online: "yes",
  details: [{ ip_address: "192.0.2.1", cidr_block: "192.0.2.0/24", country: "US" }],
  target: "PayPal",
}));
const phishTankNames = ["https://paypa1.example/login?a=1", 'http://b.com/x"y[{'];

const attribute = (type: string, value: string, more: object = {}) => ({
  id: "1",
  type,
  category: "Network activity",
  to_ids: true,
  uuid: "5f1e1e4c-0000-4000-8000-000000000001",
  comment: 'see "Attribute": [',
  deleted: false,
  value,
  ...more,
});
/** Shape of an event of MISP, as its API and feeds contain it. */
const mispEvent = {
  Event: {
    uuid: "5f1e1e4c-0000-4000-8000-000000000000",
    info: "Phishing",
    Orgc: { name: "CIRCL", uuid: "55f6ea5e-2c60-40e5-964f-47a8950d210f" },
    Tag: [{ name: "tlp:clear", colour: "#ffffff" }],
    Attribute: [
      attribute("domain", "a.com"),
      attribute("md5", "d41d8cd98f00b204e9800998ecf8427e"),
      attribute("domain|ip", "b.com|192.0.2.1"),
      attribute("hostname|port", "c.com|8080"),
      attribute("domain", "withdrawn.com", { deleted: true }),
      attribute("ip-dst", "192.0.2.1"),
      attribute("link", "https://reports.example/1"),
    ],
    ShadowAttribute: [attribute("domain", "proposed.com")],
    RelatedEvent: [{ Event: { id: "2", info: "other" } }],
    Object: [
      { name: "url", Attribute: [attribute("url", "https://d.com/x"), attribute("port", "443")] },
      { name: "email", Attribute: [attribute("email-src", "x@e.com")] },
    ],
  },
};
const mispNames = ["a.com", "b.com", "c.com", "https://d.com/x", "x@e.com"];
const bookAttributes = [attribute("hostname", "a.com"), attribute("url", "https://b.com/")];

describe("JSON documents", () => {
  test.each<[string, string, NameListOptions, string[]]>([
    ["PhishTank's list in one line", JSON.stringify(phishTank), {}, phishTankNames],
    ["PhishTank's list with an element per line", `[${phishTank.map((one) => JSON.stringify(one)).join(",\n")}]\n`, {}, phishTankNames],
    ["PhishTank's list, indented", JSON.stringify(phishTank, null, 2), {}, phishTankNames],
    ["a nested field of an array", '[{"a":{"b":"x.com"}},{"a":{"b":["y.com","z.com"]}}]', { column: "a.b" }, ["x.com", "y.com", "z.com"]],
    ["an array in an object", '{"query_status":"ok","data":[{"url":"https://a.com/"},{"url":"b.com"}]}', {}, ["https://a.com/", "b.com"]],
    ["an array at a path", '{"skip":[{"host":"no.com"}],"data":{"items":[{"host":"a.com"}]}}', { column: "data.items.host" }, ["a.com"]],
    ["an array of arrays at a path", '{"d":[[{"h":"a.com"}],[{"h":"b.com"},{"h":"c.com"}]]}', { column: "d.h" }, ["a.com", "b.com", "c.com"]],
    ["an array of strings, indented", '[\n "a.com",\n "b.com"\n]\n', {}, ["a.com", "b.com"]],
    ["an object, indented", '{\n "domain": "a.com"\n}\n', { column: "domain" }, ["a.com"]],
    ["a value at a path", '{"a":{"b":"x.com"}}', { format: "json", column: "a.b" }, ["x.com"]],
    ["escaped keys and values", '[{"\\u0075rl":"https:\\/\\/a.com\\/"}]', {}, ["https://a.com/"]],
    ["elements without a name", '[{"url":"a.com"},{"id":1},7,null,{"url":{}},"b.com"]', { column: "url" },
      ["a.com", "! has no name in url", "! has no name in url", "! has no name in url", "! has no name in url", "! has no name in url"]],
    ["two documents in sequence", '{"a":["x.com"]}\n\x1e{"a":["y.com"]}', { format: "json" }, ["x.com", "y.com"]],
    ["a key that occurs twice around an array", '{"a":["x.com"],"a":["y.com"]}', { format: "json" }, ["x.com", "y.com"]],
    ["an empty array", "[]", {}, []],
    ["JSON lines", '{"domain":"a.com","n":1}\n{"domain":"b.com","n":2}\n', {}, ["a.com", "b.com"]],
    ["JSON lines whose first line is damaged", '{"domain":"a.c\n{"domain":"b.com"}\n', {}, ["! is not JSON", "b.com"]],
    ["a single line of JSON", '{"domain":"a.com","tags":["x"]}\n', {}, ["a.com"]],
    ["a MISP event", JSON.stringify(mispEvent), {}, mispNames],
    ["a MISP event, indented", JSON.stringify(mispEvent, null, 1), {}, mispNames],
    ["a search for MISP events", JSON.stringify({ response: [mispEvent] }), {}, mispNames],
    ["a search for MISP attributes", JSON.stringify({ response: { Attribute: bookAttributes } }), {}, ["a.com", "https://b.com/"]],
    ["an attribute of MISP", JSON.stringify({ Attribute: attribute("domain", "a.com") }), {}, ["a.com"]],
    ["a damaged attribute of MISP", '{"Event":{"Attribute":[{"type":"domain"},{"type":"domain","value":"a.com"}]}}', {}, ["! is no attribute of MISP", "a.com"]],
  ])("the format is detected and read: %s", async (_, content, options, expected) => {
    expect(await namesIn(content, options)).toEqual(expected);
  }); // prettier-ignore

  test.each([
    ["gzip", gzipSync],
    ["Zstandard", zstdCompressSync],
  ])("a document that is compressed with %s is read", async (_, compress) => {
    const bytes = compress(Buffer.from(JSON.stringify(phishTank)));
    expect((await read(file(bytes, "online-valid.json.x"))).names).toEqual(phishTankNames);
  });

  test("entries have the line in which they start, and reading resumes after any of them", async () => {
    const path = file(JSON.stringify(phishTank, null, 2));
    const whole = await read(path);
    expect(whole.lines).toEqual([2, 18]);
    expect(whole.end).toBe(JSON.stringify(phishTank, null, 2).length);
    const rest = await read(path, { from: { position: whole.positions[0]!, line: 1 } });
    expect(rest.names).toEqual([phishTankNames[1]!]);
    expect((await read(path, { from: { position: whole.end, line: 1 } })).names).toEqual([]);
  });

  test("a truncated document is processed up to the break and reported as an error", async () => {
    const text = JSON.stringify(phishTank);
    for (const length of [text.length - 1, text.length - 20, text.indexOf("8523002") + 3]) {
      const { names, problem } = await read(file(text.slice(0, length)));
      expect(names[0]).toBe(phishTankNames[0]!);
      expect(problem).toBe("the list ends in the middle of the JSON document (read up to line 1)");
    }
    // A file that is still being written is no error.
    const growing = await read(file(text.slice(0, -20)), { wholeLinesOnly: true });
    expect(growing).toMatchObject({ names: [phishTankNames[0]!] });
    expect(growing.problem).toBeUndefined();
  });

  test.each<[string, string, NameListOptions, string[], string]>([
    ["another bracket", '["a.com"}', {}, ["a.com"], "is not JSON"],
    ["a missing comma", '["a.com" "b.com"]', {}, ["a.com"], "is not JSON"],
    ["text after an element", '[{"url":"a.com"},\nsorry]', {}, ["a.com"], "is not JSON (read up to line 2)"],
    ["a key without a value", '{"a":["x.com"],"b":}', { format: "json" }, ["x.com"], "is not JSON"],
    ["depth", `${'{"a":'.repeat(200)}1${"}".repeat(200)}`, { format: "json" }, [], "is nested more than 100 levels deep"],
    ["an object without an array", '{\n "domain": "a.com"\n}\n', {}, [], "contains no list of names; name the field with column"],
    ["a field that does not exist", '{"data":[{"url":"a.com"}]}', { column: "items.url" }, [], 'has no field "items.url"'],
    ["text", "hello", { format: "json" }, [], "is not JSON"],
    ["a page", "<html>", { format: "misp" }, [], "is not JSON"],
    ["the manifest of a feed", JSON.stringify({ [mispEvent.Event.uuid]: { Orgc: { name: "x" } } }), {}, [],
      "is the manifest of a MISP feed and contains no names: read the files of the events next to it"],
  ])("%s is an error, after the names before it", async (_, content, options, expected, problem) => {
    const outcome = await read(file(content), options);
    expect(outcome.names).toEqual(expected);
    expect(outcome.problem).toContain(`the list ${problem}`);
  }); // prettier-ignore

  test("a huge record, string, key or nesting is skipped with its start, and what follows is read", async () => {
    const huge = "x".repeat(3 * lineBytesMax);
    const deep = "[".repeat(lineBytesMax / 4) + "]".repeat(lineBytesMax / 4);
    const elements = [`"a.com"`, `{"url":"${huge}"}`, `"b.com"`, deep, `"c.com"`];
    const { names, lines, problem } = await read(file(`[${elements.join(",\n")}]`));
    expect(problem).toBeUndefined();
    const [first, tooLong, second, tooDeep, third] = names;
    expect([first, second, third]).toEqual(["a.com", "b.com", "c.com"]);
    expect(tooLong).toStartWith("! is longer than");
    expect(tooDeep).toStartWith("! ");
    expect(lines).toEqual([1, 2, 3, 4, 5]);
    const around = `{"${huge}":1,"note":"${huge}","data":[{"url":"d.com"}],"deep":${deep}}`;
    expect(await namesIn(around, { column: "data.url" })).toEqual(["d.com"]);
  });

  test("random documents yield the names that JSON.parse finds, in pieces of any length", async () => {
    const random = randomFrom(seed);
    const strings = ["a.com", "b.com", 'x"[{', "\\", "é.example", "", " c.com ", "}],", "\u2028"];
    const keys = ["a", "b", 'c"', "domain"];
    const valueOf = (depth: number): unknown => {
      const kind = random(depth > 4 ? 4 : 8);
      if (kind < 3) return strings[random(strings.length)];
      if (kind === 3) return [random(100), null, true, -1.5e3][random(4)];
      if (kind < 6) return Array.from({ length: random(4) }, () => valueOf(depth + 1));
      const shuffled = keys.filter(() => random(2) === 0);
      return Object.fromEntries(shuffled.map((key) => [key, valueOf(depth + 1)]));
    };
    let found = 0;
    for (let run = 0; run < 500; run++) {
      const path = [["a"], ["a", "b"], ["a", "b", "a"], ['c"']][random(4)]!;
      const root = random(2) === 0 ? { a: valueOf(0), b: valueOf(0) } : [valueOf(0), valueOf(0)];
      const text = JSON.stringify(root, null, [undefined, 1, "\t"][random(3)]);
      const bytes = new TextEncoder().encode(text);
      const stream = inPieces(bytes, () => 1 + random(40));
      const { names } = await read("the names", { format: "json", column: path.join("."), stream });
      expect({ text, path, names: names.map(plain) }).toEqual({ text, path, names: naive(root, path) });
      found += names.length;
    }
    expect(found).toBeGreaterThan(300);
  });
});

const plain = (name: string) => (name.startsWith("! ") ? "!" : name);

/** Reads the records of a document: the elements of the first array on a path, and the value at its end. */
function naive(root: unknown, path: readonly string[]): string[] {
  const [key, ...rest] = path;
  if (Array.isArray(root)) return root.flatMap((record) => naiveNames(record, path));
  if (key === undefined) return naiveNames(root, []);
  const isHeld = typeof root === "object" && root !== null && Object.hasOwn(root, key);
  return isHeld ? naive((root as Record<string, unknown>)[key], rest) : [];
}

function naiveNames(record: unknown, path: readonly string[]): string[] {
  const collect = (value: unknown, [key, ...rest]: readonly string[]): unknown[] => {
    if (Array.isArray(value))
      return value.flatMap((one) => collect(one, key === undefined ? [] : [key, ...rest]));
    if (key === undefined) return [value];
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
    return collect((value as Record<string, unknown>)[key], rest);
  };
  const found = collect(record, path);
  const isEmptyList = found.length === 0 && reachesList(record, path);
  if (found.some((one) => typeof one !== "string") || (found.length === 0 && !isEmptyList)) return ["!"];
  return (found as string[]).map((one) => one.trim()).filter((one) => one !== "");
}

/** An empty list of names is no error. */
function reachesList(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return Array.isArray(value);
  if (Array.isArray(value)) return value.some((one) => reachesList(one, [key, ...rest]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
  return reachesList((value as Record<string, unknown>)[key], rest);
}
