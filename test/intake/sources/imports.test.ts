import { afterEach, beforeEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { createAuditLog } from "../../../src/access/audit/audit-log.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { zip } from "../../../src/platform/lib/zip.ts";
import { NameListError } from "../../../src/intake/sources/name-file-bytes/byte-source.ts";
import { batchOfNames } from "../../support/name-batches.ts";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import { createCandidates } from "../../../src/intake/sources/candidates.ts";
import {
  createImports,
  importBytesMax,
  type Imports,
  type ListToImport,
} from "../../../src/intake/sources/imports/imports.ts";
import { tester } from "../../support/console-pages.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

let stores: Stores;
let imports: Imports;
let log: { message: string; [field: string]: unknown }[];
beforeEach(() => {
  log = [];
  stores = openStores();
  imports = open();
});
afterEach(async () => {
  await imports.stop();
  stores.dispose();
});

function open(bytesMax?: number): Imports {
  const yielder = () => createYielder({ sliceMs: 5, elapsedMs: () => performance.now() });
  const candidates = createCandidates({ ...stores, yielder });
  const write = (line: string) => void log.push(JSON.parse(line));
  return createImports({
    ...stores,
    auditLog: createAuditLog(stores),
    candidates,
    log: createLog({ level: "info", format: "json", clock: stores.clock, write }),
    ...(bytesMax && { bytesMax }),
  });
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const streamOf = (...pieces: (string | Uint8Array)[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === "string" ? bytesOf(piece) : piece);
      controller.close();
    },
  });
const list = (content: ReadableStream<Uint8Array>, more: Partial<ListToImport> = {}): ListToImport => ({
  name: "nrd.txt",
  content,
  bytesTotal: null,
  format: "auto",
  column: "",
  ...more,
});
/** A client that sends its next bytes on request. */
function slowSender() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let cancelled = false;
  const content = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (cancelled = true),
  });
  return {
    content,
    send: (text: string) => controller.enqueue(bytesOf(text)),
    fail: () => controller.error(new Error("connection reset")),
    wasCancelled: () => cancelled,
  };
}
const threats = () => stores.threats.list({}, { page: 1, perPage: 100 }).threats;
const manyNames = Array.from({ length: 5_000 }, (_, i) => `unrelated-${i}.org\n`).join("");

test("an import creates threats of source feed and reports counts and rejected lines", async () => {
  const content = streamOf(
    "example-bank.net\nother.org\n\n",
    "not a name\nexample-shop.net\nexample-bank.net\n",
  );
  const { import: begun, ended } = await imports.begin(list(content, { bytesTotal: 70 }), { by: tester });
  expect(begun).toMatchObject({ state: "running", name: "nrd.txt", bytesTotal: 70 });
  expect(await ended).toMatchObject({
    state: "completed",
    error: null,
    lines: 6,
    received: 5,
    invalid: 1,
    matched: 3,
    created: 2,
    bytes: 73,
    firstInvalid: [{ line: 4, text: "not a name" }],
  });
  expect(threats().map(({ domain, source }) => [domain, source])).toEqual([
    ["example-shop.net", "feed"],
    ["example-bank.net", "feed"],
  ]);
  expect(imports.running()).toBeUndefined();
  expect(imports.list(10)).toEqual([imports.get(begun.seq)!]);
});

test.each([
  [
    "compressed CSV with a selected column",
    gzipSync("id,host\n1,example-bank.net\n"),
    { format: "csv", column: "host" },
  ],
  ["JSON lines", '{"name":"x","domain":"example-bank.net"}\n', {}],
  ["a JSON array", '[{"phish_id":"1","url":"https://example-bank.net/"}]', {}],
  [
    "a MISP event",
    gzipSync('{"Event":{"Attribute":[{"type":"domain","value":"example-bank.net"}]}}'),
    { format: "misp" },
  ],
  ["a ZIP archive", zip({ "names.txt": Buffer.from("example-bank.net\n") }), {}],
  ["a hosts file", "0.0.0.0 example-bank.net\n", {}],
  ["links", "hxxps://example-bank[.]net/login\n", {}],
  ["a zone", "$ORIGIN net.\nexample-bank 300 IN NS ns1.host.net.\n", { format: "zone" }],
] as const)("any form of list is read: %s", async (_, content, options) => {
  const { ended } = await imports.begin(list(streamOf(content), options), { by: tester });
  expect(await ended).toMatchObject({ state: "completed", created: 1 });
});

test.each([
  ["a compressed file", "BZh91AY....", {}, "is compressed with bzip2"],
  ["a broken ZIP archive", "PK\u0003\u0004....", {}, "is truncated"],
  ["a truncated JSON array", '["example-bank.net",\n"exam', {}, "ends in the middle of the JSON document"],
  ["a missing column", "a,b\n1,2\n", { format: "csv", column: "c" }, 'has no column "c"'],
  ["a truncated archive", gzipSync("example-bank.net\n".repeat(999)).subarray(0, 30), {}, "is truncated"],
] as const)("what cannot be read fails with the reason: %s", async (_, content, options, reason) => {
  const { ended } = await imports.begin(list(streamOf(content), options), { by: tester });
  const { state, error } = await ended;
  expect({ state, error }).toEqual({ state: "failed", error: expect.stringContaining(reason) });
});

test("a second import is rejected while one runs, whose progress is visible", async () => {
  const sender = slowSender();
  const { import: begun, ended } = await imports.begin(list(sender.content), { by: tester });
  sender.send(`example-bank.net\n${manyNames}`);
  await until(() => (imports.running()?.received ?? 0) > 0, "it is being read");
  expect(imports.running()).toMatchObject({ seq: begun.seq, state: "running", bytes: expect.any(Number) });
  await expect(imports.begin(list(streamOf("a.com")), { by: tester })).rejects.toThrow(
    "Another list is being imported",
  );
  expect(await imports.cancel(begun.seq + 1, { by: tester })).toBe(false);
  expect(await imports.cancel(begun.seq, { by: tester })).toBe(true);
  await ended;
  expect(await (await imports.begin(list(streamOf("a.com")), { by: tester })).ended).toMatchObject({
    state: "completed",
  });
});

test("a cancelled import keeps what it found and does not wait for a stalled client", async () => {
  const sender = slowSender();
  const { import: begun, ended } = await imports.begin(list(sender.content), { by: tester });
  // The last line is incomplete: it would be another name than the intended one.
  sender.send(`example-bank.net\n${manyNames}example-bank.co`);
  await until(() => (imports.running()?.received ?? 0) > 5_000, "all that was sent is read");
  await imports.cancel(begun.seq, { by: tester });
  expect(await ended).toMatchObject({ state: "cancelled", error: null, created: 1, lines: 5_001 });
  expect(sender.wasCancelled()).toBe(true);
  expect(threats().map(({ domain }) => domain)).toEqual(["example-bank.net"]);
});

test("an upload that is cut off is recorded up to that point and reported as failed", async () => {
  const sender = slowSender();
  const { ended } = await imports.begin(list(sender.content), { by: tester });
  sender.send(`example-bank.net\n${manyNames}`);
  await until(() => (imports.running()?.received ?? 0) > 5_000, "all that was sent is read");
  sender.fail();
  expect(await ended).toMatchObject({
    state: "failed",
    error: "was cut off: the upload ended early",
    created: 1,
    lines: 5_001,
  });
  expect(threats()).toHaveLength(1);
});

test("an upload over the limit is rejected at once, or cut off if its length is unknown", async () => {
  await expect(
    imports.begin(list(streamOf(""), { bytesTotal: importBytesMax + 1 }), { by: tester }),
  ).rejects.toThrow("larger than 1 GiB");
  expect(imports.running()).toBeUndefined();
  const limited = open(1 << 20);
  const piece = new Uint8Array(1 << 16).fill(0x0a);
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>(
    { pull: (controller) => (sent++, controller.enqueue(piece)) },
    { highWaterMark: 0 },
  );
  const { state, error } = await (await limited.begin(list(endless), { by: tester })).ended;
  expect({ state, error }).toEqual({
    state: "failed",
    error: expect.stringContaining("is larger than 1 GiB"),
  });
  expect(sent).toBe(17);
});

test("a client is slowed down to the speed of processing, so nothing is buffered", async () => {
  let asked = 0;
  const piece = bytesOf(manyNames);
  const content = new ReadableStream<Uint8Array>(
    { pull: (controller) => (asked++, controller.enqueue(piece)) },
    { highWaterMark: 0 },
  );
  const { import: begun, ended } = await imports.begin(list(content), { by: tester });
  await until(() => (imports.running()?.received ?? 0) > 50_000, "much is read");
  expect(asked * 5_000).toBeLessThan(imports.running()!.received + 5 * 5_000);
  await imports.cancel(begun.seq, { by: tester });
  await ended;
});

test("an import that the end of the process interrupted is marked as interrupted at the next start, with its counts", async () => {
  const sender = slowSender();
  const { import: begun } = await imports.begin(list(sender.content), { by: tester });
  sender.send("example-bank.net\n".repeat(200));
  await until(() => threats().length > 0, "it is recorded");
  const other = open();
  other.start();
  await until(() => other.get(begun.seq)?.state === "interrupted", "it is marked");
  expect(other.get(begun.seq)).toMatchObject({
    state: "interrupted",
    error: "was not read to its end: phishwatch was stopped",
    created: 1,
  });
});

test("stopping phishwatch cancels a running import", async () => {
  const sender = slowSender();
  const { ended } = await imports.begin(list(sender.content), { by: tester });
  await imports.stop();
  expect((await ended).state).toBe("cancelled");
});

test("Stopping phishwatch waits for an import that is about to start, and cancels it", async () => {
  const beginning = imports.begin(list(streamOf("example-bank.net\n")), { by: tester });
  await imports.stop();
  const { import: begun } = await beginning;
  expect(imports.get(begun.seq)).toMatchObject({ state: "cancelled", received: 0 });
});

test("An import that an upload starts after phishwatch was stopped is cancelled", async () => {
  await imports.stop();
  const { ended } = await imports.begin(list(streamOf("example-bank.net\n")), { by: tester });
  expect(await ended).toMatchObject({ state: "cancelled", received: 0 });
});

test.each(["cancel", "stop"] as const)(
  "An upload that is one line without end can be ended: by %s",
  async (how) => {
    const piece = new Uint8Array(1 << 16);
    // Bytes are there at once, so that no read ever waits.
    const endless = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(piece) },
      { highWaterMark: 0 },
    );
    const { import: begun, ended } = await imports.begin(list(endless), { by: tester });
    await until(() => (imports.running()?.bytes ?? 0) > 4 << 20, "it is being read");
    if (how === "cancel") await imports.cancel(begun.seq, { by: tester });
    else await imports.stop();
    expect(await ended).toMatchObject({ state: "cancelled", error: null, received: 0 });
  },
);

test("A list that a command imports is in the list of imports with its outcome, and a server's start in between does not end it", async () => {
  const by = { channel: "command_line", name: "root", address: null } as const;
  const reading = async function* (fails: boolean) {
    yield batchOfNames(["example-bank.net"], {
      start: { position: 0, line: 1 },
      end: { position: 17, line: 2 },
    });
    const server = open();
    server.start();
    expect(imports.list(1)[0]!.state).toBe("running");
    await server.stop();
    // Versions before 0.2.0 record no process.
    stores.database.sqlite.run("update list_imports set process = null where state = 'running'");
    server.start();
    await until(() => imports.list(1)[0]!.state === "interrupted", "the server takes it for interrupted");
    await server.stop();
    // Commits follow each other after a second.
    stores.clock.advance(2_000);
    yield batchOfNames(["other.org"], { start: { position: 17, line: 2 }, end: { position: 27, line: 3 } });
    expect(imports.list(1)[0]!.state).toBe("running");
    if (fails) throw new NameListError("list.txt", "is truncated");
  };
  const process = (fails: boolean) =>
    imports.process(
      {
        name: "list.txt",
        format: "csv",
        column: "2",
        bytesTotal: 27,
        batches: reading(fails),
        bytes: () => 27,
      },
      { by, source: "certificate_transparency" },
    );
  await process(false);
  expect(imports.list(10)).toMatchObject([
    {
      name: "list.txt",
      channel: "command_line",
      source: "certificate_transparency",
      format: "csv",
      column: "2",
      state: "completed",
      bytes: 27,
      lines: 2,
      received: 2,
      created: 1,
      error: null,
    },
  ]);
  await expect(process(true)).rejects.toThrow("is truncated");
  expect(imports.list(1)[0]).toMatchObject({ state: "failed", error: "is truncated", lines: 2, created: 0 });
});

test("An import logs one line when it ends, with origin, name, counts and duration", async () => {
  await (
    await imports.begin(list(streamOf("example-bank.net\nother.org\n")), { by: tester })
  ).ended;
  await (
    await imports.begin(list(streamOf("BZh91AY....")), { by: tester })
  ).ended;
  expect(log.filter(({ event }) => String(event).startsWith("import.f"))).toMatchObject([
    {
      level: "info",
      origin: "console",
      name: "nrd.txt",
      state: "completed",
      lines: 2,
      names: 2,
      created: 1,
      durationMs: expect.any(Number),
    },
    { level: "warn", state: "failed", reason: expect.stringContaining("bzip2") },
  ]);
});
