import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  createLogListLoader,
  nextListLoadMs,
  type KnownLogList,
} from "../../../src/engines/certificate-transparency/list-loading/log-list-loader.ts";
import type { LogListSource } from "../../../src/engines/certificate-transparency/list-loading/log-list-loader.ts";
import { toIsoTime } from "../../../src/platform/lib/clock.ts";
import { builtinLogList } from "../../../src/engines/certificate-transparency/log-list/builtin-list.ts";
import { createLogSigner } from "../../support/log-entries.ts";
import { startLogServer, type LogServer } from "../../support/log-server.ts";

const signal = new AbortController().signal;
const now = Date.UTC(2026, 4, 30);
const day = 86_400_000;
const { key, logId } = createLogSigner();
const listText = (
  timestamp: number,
  logs: object[] = [{ description: "A", log_id: logId, key, url: "https://a.example/" }],
) => JSON.stringify({ log_list_timestamp: toIsoTime(timestamp), operators: [{ name: "Operator", logs }] });
/** Stands for a signature of the publisher. */
const signatureOf = (text: string) => Bun.SHA256.hash(text).buffer as ArrayBuffer;

let server: LogServer;
let served: { text: string; signature: ArrayBuffer; headers: Record<string, string> };
let conditions: (string | null)[][];
const publish = (timestamp: number, headers: Record<string, string> = { etag: `"${timestamp}"` }) => {
  const text = listText(timestamp);
  served = { text, signature: signatureOf(text), headers };
};

beforeEach(() => {
  server = startLogServer();
  conditions = [];
  publish(now - day);
  server.serve("/list.json", (request) => {
    const condition = request.headers.get("if-none-match");
    conditions.push([condition, request.headers.get("if-modified-since")]);
    if (condition !== null && condition === served.headers["etag"])
      return new Response(null, { status: 304 });
    return new Response(served.text, { headers: served.headers });
  });
  server.serve("/list.sig", () => new Response(served.signature));
});
afterEach(() => server.stop());

const loaderOf = (source: LogListSource = { kind: "builtin" }) =>
  createLogListLoader({
    source,
    clock: { now: () => now },
    resolveHost: () => Promise.resolve([]),
    userAgent: "phishwatch/1.0.0 (+soc@example.com)",
    isSigned: (list, signature) =>
      Buffer.compare(Buffer.from(signatureOf(Buffer.from(list).toString())), signature) === 0,
    builtinUrl: `${server.url}list.json`,
    rules: { allowPrivateNetworks: true },
  });
const builtin = (known: KnownLogList | null = null) => loaderOf().load(known, signal);

describe("the built-in log list", () => {
  test("is loaded with its signature, and then only if it changed", async () => {
    const first = (await builtin())!;
    expect(first).toMatchObject({ text: served.text, timestamp: now - day, etag: `"${now - day}"` });
    expect(await builtin(first)).toBeNull();
    expect(server.requests).toEqual(["/list.json", "/list.sig", "/list.json"]);
    publish(now, { "last-modified": "Sat, 30 May 2026 00:00:00 GMT" });
    const second = (await builtin(first))!;
    expect(second.text).toBe(served.text);
    await builtin(second);
    expect(conditions.at(-1)).toEqual([null, "Sat, 30 May 2026 00:00:00 GMT"]);
    expect(server.lastHeaders().get("user-agent")).toBe("phishwatch/1.0.0 (+soc@example.com)");
  });

  test("that the executable contains has the signature that a loaded one needs", async () => {
    served = { text: builtinLogList.text, signature: builtinLogList.signature.slice().buffer, headers: {} };
    const loader = createLogListLoader({
      source: { kind: "builtin" },
      clock: { now: () => now },
      resolveHost: () => Promise.resolve([]),
      userAgent: "phishwatch/1.0.0",
      builtinUrl: `${server.url}list.json`,
      rules: { allowPrivateNetworks: true },
    });
    expect((await loader.load(null, signal))?.text).toBe(builtinLogList.text);
    served.text = served.text.replace("Google", "Goggle");
    await expect(loader.load(null, signal)).rejects.toThrow("its signature is not valid");
  });

  test("is refused with a signature of another list, and read again in case both are being replaced", async () => {
    served.signature = signatureOf("another list");
    await expect(builtin()).rejects.toThrow("its signature is not valid");
    expect(server.count("list.json")).toBe(2);
    let reads = 0;
    const signature = signatureOf(served.text);
    server.serve("/list.sig", () => new Response(reads++ === 0 ? signatureOf("old") : signature));
    expect((await builtin())?.text).toBe(served.text);
  });

  test("is not replaced by an older one, however well signed", async () => {
    const known = (await builtin())!;
    publish(now - 2 * day);
    await expect(builtin(known)).rejects.toThrow(
      "of 2026-05-28 00:00 UTC, older than the one in use (2026-05-29 00:00 UTC)",
    );
    expect((await builtin({ ...known, origin: "https://elsewhere.example/list.json" }))?.text).toBe(
      served.text,
    );
  });

  test.each<[string, () => Response, RegExp]>([
    ["an HTML page", () => new Response("<!doctype html>"), /^an HTML page instead of a log list$/],
    ["other JSON", () => new Response("{}"), /^has no operators/],
    ["broken JSON", () => new Response('{"operators": ['), /JSON/],
    ["a list without logs", () => new Response(listText(now, [])), /^contains no logs$/],
    ["a list of logs with errors", () => new Response(listText(now, [{ key: "x" }])), /^contains no logs$/],
    ["bytes", () => new Response(new Uint8Array([0xff, 0xfe])), /^not UTF-8 text$/],
    ["too much", () => new Response(new Uint8Array(3 << 20)), /^larger than 2048 KiB$/],
    ["a list of next month", () => new Response(listText(now + 30 * day)), /future/],
    ["an error", () => new Response("", { status: 500 }), /^status 500$/],
    ["a redirect", () => Response.redirect("/list.sig"), /^status 302$/],
    ["304 without a condition", () => new Response(null, { status: 304 }), /304/],
  ])("is not replaced by %s", async (_, respond, message) => {
    server.serve("/list.json", respond);
    await expect(builtin()).rejects.toMatchObject({
      name: "LogListError",
      message: expect.stringMatching(message),
    });
  });
});

describe("a custom log list", () => {
  test("by URL needs no signature", async () => {
    served.signature = signatureOf("another list");
    const list = await loaderOf({ kind: "url", url: `${server.url}list.json` }).load(null, signal);
    expect(list?.text).toBe(served.text);
    expect(server.count("list.sig")).toBe(0);
  });

  test("by path is read again when the file changes, even to an older one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "phishwatch-list-"));
    try {
      const path = join(folder, "list.json");
      const loader = loaderOf({ kind: "file", path });
      await expect(loader.load(null, signal)).rejects.toThrow("the file cannot be read (ENOENT)");
      writeFileSync(path, listText(now - day));
      const first = (await loader.load(null, signal))!;
      expect(first.timestamp).toBe(now - day);
      expect(await loader.load(first, signal)).toBeNull();
      writeFileSync(path, `${listText(now - 2 * day)}\n`);
      expect((await loader.load(first, signal))?.timestamp).toBe(now - 2 * day);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test("the log list is loaded every 30 to 90 minutes, and sooner after errors", () => {
  const minutes = (failures: number, value: number) =>
    nextListLoadMs({ failures, random: () => value }) / 60_000;
  expect([minutes(0, 0), minutes(0, 0.5)]).toEqual([30, 60]);
  expect([minutes(1, 0), minutes(2, 0), minutes(3, 0), minutes(50, 0.5)]).toEqual([5, 10, 20, 60]);
});
