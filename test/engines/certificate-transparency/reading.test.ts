import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type {
  CertificateLog,
  LogProtocol,
  LogReader,
} from "../../../src/engines/certificate-transparency/log.ts";
import { readLimits } from "../../../src/engines/certificate-transparency/reading/content.ts";
import { createLogReaders } from "../../../src/engines/certificate-transparency/reading/log-readers.ts";
import { tilePath } from "../../../src/engines/certificate-transparency/reading/tiles.ts";
import { createTree, rootOf } from "../../../src/engines/certificate-transparency/trees/compact-range.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import {
  createLogSigner,
  dataTile,
  getEntriesBody,
  logEntry,
  merkleRoot,
  namesTile,
  type EntryOptions,
} from "../../support/log-entries.ts";
import { logFaults, type LogFault } from "../../support/log-server-faults.ts";
import { startLogServer, type LogServer, type TestLog } from "../../support/log-server.ts";
import { manualClock } from "../../support/appliance.ts";

const signal = new AbortController().signal;
const entryAt = (index: number): EntryOptions => ({
  names: [`host${index}.example.com`],
  kind: "precertificate",
});
const entriesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, offset) => logEntry(from + offset, entryAt(from + offset)));
const requestsPerSecond = 10_000;

let server: LogServer;
beforeEach(() => void (server = startLogServer()));
afterEach(() => server.stop());

const addLog = (protocol: LogProtocol, size: number, options: object = {}): TestLog => {
  const log = server.add({ name: "log", protocol, entryAt, ...options });
  log.grow(size);
  return log;
};

function openReader(
  log: CertificateLog,
  { limits = readLimits, clock = systemClock, resolveHost = () => Promise.resolve<string[]>([]) } = {},
) {
  const rates = [{ operator: log.operator, requestsPerSecond }];
  const readers = createLogReaders({
    clock,
    random: Math.random,
    resolveHost,
    userAgent: "phishwatch/1.0.0 (+soc@example.com)",
    rates,
    limits,
  });
  return readers.open(log);
}

const read = (reader: LogReader, from: number, treeSize: number, namesOnly = false) =>
  reader.entries({ from, to: treeSize, treeSize }, { namesOnly, signal });

describe("a static log", () => {
  test("is read tile by tile, the last one with the width of the verified checkpoint", async () => {
    const { log, rootAt } = addLog("static", 600);
    const reader = openReader(log);
    expect(await reader.treeHead(signal)).toEqual({ size: 600, rootHash: rootAt(600), timestamp: 1 });
    for (const [from, first, end] of [
      [0, 0, 256],
      [300, 256, 512],
      [512, 512, 600],
      [599, 512, 600],
    ] as const) {
      const { bytes, wireBytes, ...block } = await read(reader, from, 600);
      expect(block).toEqual({ encoding: "data_tile", firstIndex: first, countMax: end - first });
      expect(Buffer.compare(bytes, dataTile(entriesOf(first, end)))).toBe(0);
      expect(wireBytes).toBeLessThan(bytes.length);
    }
    expect(server.requests).toEqual([
      "/log/checkpoint",
      "/log/tile/data/000",
      "/log/tile/data/001",
      "/log/tile/data/002.p/88",
      "/log/tile/data/002.p/88",
    ]);
    expect(server.lastHeaders().get("user-agent")).toBe("phishwatch/1.0.0 (+soc@example.com)");
  });

  test("is read from full tiles after its incomplete ones were deleted", async () => {
    const { log, grow } = addLog("static", 600);
    const reader = openReader(log);
    grow(400);
    server.fail(".p/", logFaults.status(404));
    const block = await read(reader, 512, 600);
    expect([block.firstIndex, block.countMax]).toEqual([512, 256]);
    expect(Buffer.compare(block.bytes, dataTile(entriesOf(512, 768)))).toBe(0);
    const hashes = await reader.partialLeafHashes(600, signal);
    expect(hashes).toEqual(entriesOf(512, 600).map(({ leafHash }) => leafHash));
  });

  test("proves its head by the incomplete tile of hashes, without the entries in it", async () => {
    const { log, rootAt } = addLog("static", 700);
    const reader = openReader(log);
    const tree = createTree(
      await reader.compactRange({ size: 700, rootHash: rootAt(700), timestamp: 1 }, signal),
    );
    expect(rootOf(tree.range())).toEqual(rootAt(700));
    const partial = (await reader.partialLeafHashes(700, signal))!;
    expect(partial).toHaveLength(700 - 512);
    const whole = createTree();
    whole.append(Buffer.concat([...entriesOf(0, 512).map(({ leafHash }) => leafHash), ...partial]));
    expect(rootOf(whole.range())).toEqual(rootAt(700));
    expect(server.count("data")).toBe(0);
    expect(await reader.partialLeafHashes(512, signal)).toEqual([]);
  });

  test("is read from names tiles if wanted, and from data tiles for a day if it has none", async () => {
    const clock = { ...systemClock, monotonicMs: manualClock().monotonicMs };
    const withNames = addLog("static", 300, { name: "named", hasNames: true });
    const names = await read(openReader(withNames.log), 256, 300, true);
    expect(names.encoding).toBe("names_tile");
    expect(Buffer.compare(names.bytes, namesTile(entriesOf(256, 300)))).toBe(0);

    const without = addLog("static", 300);
    const reader = openReader(without.log, { clock });
    expect((await read(reader, 0, 300, true)).encoding).toBe("data_tile");
    expect((await read(reader, 256, 300, true)).encoding).toBe("data_tile");
    expect(server.count("/log/tile/names")).toBe(1);
  });

  test("is read from a data tile where its names tile is too large, and from names tiles after it", async () => {
    const { log } = addLog("static", 512, { hasNames: true });
    const reader = openReader(log);
    server.fail("/tile/names/000", logFaults.gzipBomb(2 << 20));
    expect((await read(reader, 0, 512, true)).encoding).toBe("data_tile");
    expect((await read(reader, 256, 512, true)).encoding).toBe("names_tile");
  });

  test("may send compressed tiles without saying so", async () => {
    const { log } = addLog("static", 256, { isCompressed: false });
    server.fail("data", async (proper) => new Response(Bun.gzipSync(await proper().bytes())));
    const { bytes } = await read(openReader(log), 0, 256);
    expect(Buffer.compare(bytes, dataTile(entriesOf(0, 256)))).toBe(0);
  });

  test.each([
    [0, "tile/data/000"],
    [999, "tile/data/999"],
    [1_000, "tile/data/x001/000"],
    [1_234_067, "tile/data/x001/x234/067"],
  ])("has tile %i at %s", (index, path) => {
    expect(tilePath({ kind: "data", index, width: 256 })).toBe(path);
    expect(tilePath({ kind: "data", index, width: 7 })).toBe(`${path}.p/7`);
  });
});

describe("an RFC 6962 log", () => {
  test("is read without gaps, aligned to the number of entries that it returns", async () => {
    const { log, rootAt } = addLog("rfc6962", 1_000, { batch: 100, isAligned: true });
    const reader = openReader(log);
    expect((await reader.treeHead(signal)).rootHash).toEqual(rootAt(1_000));
    let at = 30;
    while (at < 1_000) {
      const { encoding, firstIndex, bytes } = await read(reader, at, 1_000);
      expect([encoding, firstIndex]).toEqual(["get_entries", at]);
      const { entries } = JSON.parse(Buffer.from(bytes).toString()) as { entries: object[] };
      expect(Buffer.from(bytes).toString()).toBe(getEntriesBody(entriesOf(at, at + entries.length)));
      at += entries.length;
    }
    expect(at).toBe(1_000);
    const ranges = server.requests
      .filter((path) => path.includes("get-entries"))
      .map((path) => path.split("?")[1]);
    expect(ranges.slice(0, 2)).toEqual(["start=30&end=999", "start=100&end=999"]);
    expect(ranges.slice(2)).toEqual(
      Array.from({ length: 8 }, (_, index) => `start=${(index + 2) * 100}&end=${(index + 3) * 100 - 1}`),
    );
  });

  test.each([1, 2, 255, 256, 700])(
    "starts at its end of %i entries with a verified compact range",
    async (size) => {
      const { log, rootAt, grow } = addLog("rfc6962", size);
      const head = { size, rootHash: rootAt(size), timestamp: 1 };
      const tree = createTree(await openReader(log).compactRange(head, signal));
      grow(5);
      tree.append(Buffer.concat(entriesOf(size, size + 5).map(({ leafHash }) => leafHash)));
      expect(rootOf(tree.range())).toEqual(rootAt(size + 5));
      expect(server.count("get-entries")).toBe(0);
    },
  );

  test("is read from its data tiles where it is known to have them, and otherwise asked for them once a day", async () => {
    const tiled = (isOpen: boolean) => {
      const name = isOpen ? "tiled" : "untiled";
      const { log } = addLog("rfc6962", 600, { name, hasTiles: isOpen });
      return openReader({ ...log, operator: "TrustAsia" });
    };
    const blocks = async (reader: LogReader) => {
      const found: [string, number][] = [];
      for (const from of [0, 300, 512]) {
        const { encoding, firstIndex } = await read(reader, from, 600);
        found.push([encoding, firstIndex]);
      }
      return found;
    };
    expect(await blocks(tiled(true))).toEqual([
      ["data_tile", 0],
      ["data_tile", 256],
      ["get_entries", 512],
    ]);
    expect(await blocks(tiled(false))).toEqual([
      ["get_entries", 0],
      ["get_entries", 300],
      ["get_entries", 512],
    ]);
    expect(server.count("/untiled/tile")).toBe(1);
  });

  test("is asked for fewer entries if a response is too large", async () => {
    const { log } = addLog("rfc6962", 512, { batch: 512 });
    const limits = { ...readLimits, bytesMax: 100_000 };
    const reader = openReader(log, { limits });
    const { bytes, countMax } = await read(reader, 0, 512);
    expect(countMax).toBeLessThan(512);
    expect(bytes.length).toBeLessThanOrEqual(limits.bytesMax);
  });
});

describe.each(["static", "rfc6962"] as const)("a log (%s)", (protocol) => {
  const [headPath, entryPath, edgePath] =
    protocol === "static"
      ? ["checkpoint", "tile/data", "tile/0"]
      : ["get-sth", "get-entries", "get-entry-and-proof"];

  test.each([0, 1, 255, 256, 300, 512, 599, 600])(
    "proves the first %i entries against a later head",
    async (size) => {
      const { log, rootAt } = addLog(protocol, 600);
      const head = { size: 600, rootHash: rootAt(600), timestamp: 1 };
      const range = await openReader(log).compactRange(head, signal, size);
      const hashes = entriesOf(0, 600).map(({ leafHash }) => leafHash);
      expect([range.size, rootOf(range)]).toEqual([size, merkleRoot(hashes.slice(0, size))]);
      expect(server.count("data") + server.count("get-entries")).toBe(0);
    },
  );

  test.each<[string, LogFault, string, RegExp]>([
    ["overload with seconds to wait", logFaults.status(429, "7"), "rate_limited", /429/],
    [
      "overload with a date to wait for",
      logFaults.status(503, new Date(Date.now() + 7_000).toUTCString()),
      "rate_limited",
      /503/,
    ],
    ["overload without a time", logFaults.status(429), "rate_limited", /429/],
    ["an internal error", logFaults.status(500), "status", /^status 500$/],
    ["a redirect", logFaults.redirect("/elsewhere"), "status", /redirects of logs are not followed/],
    ["an HTML page", logFaults.html(), "response", /./],
    ["text that is neither JSON nor a note", logFaults.body('{"tree_size": 1'), "response", /./],
    ["an empty response", logFaults.body(""), "response", /./],
    ["cut gzip", logFaults.cutGzip(), "response", /truncated or corrupt gzip/],
    ["a decompression bomb", logFaults.gzipBomb(32 << 20), "response", /larger than/],
    ["10 GB", logFaults.long(10 * 2 ** 30), "response", /larger than/],
    ["a broken connection", logFaults.broken(), "network", /./],
    ["a response that never ends", logFaults.stuck(), "network", /not complete within/],
  ])(
    "that responds with %s gives an error and gets no further request at once",
    async (name, fault, kind, message) => {
      const { log, rootAt } = addLog(protocol, 300);
      const mebibyte = 1024 * 1024;
      const timeoutMs = name === "a response that never ends" ? 100 : 20_000;
      const limits = {
        headTimeoutMs: timeoutMs,
        entryTimeoutMs: timeoutMs,
        bytesMax: mebibyte,
        largeBytesMax: 2 * mebibyte,
      };
      server.fail("/log/", fault);
      const attempts: ((reader: LogReader) => Promise<unknown>)[] = [
        (reader) => reader.treeHead(signal),
        (reader) => reader.compactRange({ size: 300, rootHash: rootAt(300), timestamp: 1 }, signal),
      ];
      // The reader does not parse the entries in a data tile.
      if (
        protocol === "rfc6962" ||
        !["an HTML page", "text that is neither JSON nor a note"].includes(name)
      ) {
        attempts.push((reader) => read(reader, 0, 300));
      }
      for (const attempt of attempts) {
        const reader = openReader(log, { limits });
        const error = expect.objectContaining({
          name: "LogError",
          kind,
          message: expect.stringMatching(message),
        });
        await expect(attempt(reader)).rejects.toEqual(error);
        const requests = server.requests.length;
        await expect(attempt(reader)).rejects.toEqual(error);
        expect(server.requests.length).toBe(requests);
      }
    },
  );

  test("that asks for a pause is not requested again before, and the error says when", async () => {
    const { log } = addLog(protocol, 300);
    const reader = openReader(log);
    server.fail(headPath, logFaults.status(429, "120"), 1);
    const error = await reader.treeHead(signal).then(null, (reason: unknown) => reason);
    expect(error).toMatchObject({ kind: "rate_limited" });
    expect((error as { retryAfterMs: number }).retryAfterMs).toBeWithin(120_000, 145_000);
    await expect(read(reader, 0, 300)).rejects.toMatchObject({ kind: "rate_limited" });
    expect(server.requests).toHaveLength(1);
  });

  test("whose key did not sign the head is refused", async () => {
    const testLog = addLog(protocol, 300);
    testLog.pretend({}, createLogSigner());
    await expect(openReader(testLog.log).treeHead(signal)).rejects.toMatchObject({ kind: "signature" });
    testLog.pretend(undefined);
    const key = createLogSigner().key;
    await expect(openReader({ ...testLog.log, key }).treeHead(signal)).rejects.toMatchObject({
      kind: "signature",
    });
  });

  test("whose right edge contradicts its signed head is refused", async () => {
    const testLog = addLog(protocol, 300);
    const head = { size: 300, rootHash: new Uint8Array(32), timestamp: 1 };
    await expect(openReader(testLog.log).compactRange(head, signal)).rejects.toMatchObject({
      kind: "mismatch",
    });
    const other = server.add({ name: "other", protocol, entryAt: (index) => entryAt(index + 1_000) });
    other.grow(300);
    server.fail("/log/", (_, path) => server.respond(path.replace("/log/", "/other/")));
    const truth = { size: 300, rootHash: testLog.rootAt(300), timestamp: 1 };
    await expect(openReader(testLog.log).compactRange(truth, signal)).rejects.toMatchObject({
      kind: "mismatch",
    });
    expect(server.count(edgePath)).toBeGreaterThan(0);
  });

  test("is not connected to at a private address or without TLS, unless the configuration declares it", async () => {
    const { log } = addLog(protocol, 300);
    expect(() => openReader({ ...log, isExtra: false })).toThrow("not https");
    const url = log.url.replace("http://", "https://");
    for (const listed of [url, url.replace("127.0.0.1", "log.example")]) {
      const reader = openReader(
        { ...log, url: listed, isExtra: false },
        { resolveHost: () => Promise.resolve(["127.0.0.1"]) },
      );
      await expect(reader.treeHead(signal)).rejects.toMatchObject({
        kind: "network",
        message: expect.stringContaining("loopback"),
      });
    }
    expect(server.requests).toEqual([]);
  });

  test("stops being read when the signal aborts, with its reason", async () => {
    const { log } = addLog(protocol, 300);
    server.fail(entryPath, logFaults.stuck());
    const reader = openReader(log);
    const abort = new AbortController();
    const reading = reader.entries(
      { from: 0, to: 300, treeSize: 300 },
      { namesOnly: false, signal: abort.signal },
    );
    abort.abort(new Error("shutdown"));
    await expect(reading).rejects.toThrow("shutdown");
    expect((await reader.treeHead(signal)).size).toBe(300);
  });
});
