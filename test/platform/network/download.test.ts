import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { download, type DownloadRequest } from "../../../src/platform/network/http/download.ts";
import { createFileSink } from "../../../src/platform/network/http/file-sink.ts";
import { createHttpClient } from "../../../src/platform/network/http/http-client.ts";
import type { StreamSink } from "../../../src/platform/network/http/http-response.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { until } from "../../support/until.ts";

const folder = temporaryFolder();
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
afterAll(folder.dispose);

const client = () => {
  const made = createHttpClient({
    rules: { allowPrivateNetworks: true },
    resolveHost: () => Promise.resolve(["127.0.0.1"]),
  });
  closers.push(made.close);
  return made;
};

async function raw(...parameters: Parameters<typeof startRawServer>) {
  const server = await startRawServer(...parameters);
  closers.push(server.stop);
  return server;
}

const path = join(folder.path, "download");

function fetchTo(url: string, request: Partial<DownloadRequest> = {}) {
  return download(
    { client: client(), clock: systemClock },
    {
      url,
      headers: {},
      userAgent: "phishwatch/test",
      known: { etag: null, lastModified: null },
      path,
      bytesMax: 1 << 26,
      tooLarge: "too large",
      allowHttp: true,
      signal: new AbortController().signal,
      ...request,
    },
  );
}

test("a body of any framing is stored as it was sent, with its digest and validators", async () => {
  const body = "example.org\n".repeat(50_000);
  const chunks = `${(7).toString(16)}\r\n${body.slice(0, 7)}\r\n${(body.length - 7).toString(16)}\r\n${body.slice(7)}\r\n0\r\n\r\n`;
  for (const head of [
    `Content-Length: ${body.length}\r\n\r\n${body}`,
    `\r\n${body}`,
    `Transfer-Encoding: chunked\r\n\r\n${chunks}`,
  ]) {
    const server = await raw((socket) => void socket.end(`HTTP/1.1 200 OK\r\nETag: "a"\r\n${head}`));
    const result = await fetchTo(server.url);
    expect(result).toEqual({
      kind: "content",
      bytes: body.length,
      sha256: new Bun.CryptoHasher("sha256").update(body).digest("hex"),
      validators: { etag: '"a"', lastModified: null },
    });
    expect(readFileSync(path, "utf8") === body).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
});

test("a server has to wait while a sink has no room", async () => {
  const piece = Buffer.alloc(65_536, 97);
  let sent = 0;
  const server = await raw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n");
    const send = () => {
      while (sent < 1_024) {
        sent += 1;
        if (!socket.write(piece)) return void socket.once("drain", send);
      }
    };
    send();
  });
  let taken = 0;
  let makeRoom = () => {};
  const room = new Promise<void>((resolve) => (makeRoom = resolve));
  let isWaiting = true;
  const sink: StreamSink = {
    bytesMax: 1 << 27,
    add(bytes, from = 0, to = bytes.length) {
      taken += to - from;
      return true;
    },
    room: () => (isWaiting ? room : undefined),
  };
  const sending = client().send({
    url: server.url,
    method: "GET",
    headers: {},
    body: new Uint8Array(0),
    timeoutMs: 20_000,
    bodyBytesMax: 0,
    receive: () => sink,
  });
  await until(() => taken > 0, "the first bytes arrive");
  const before = sent;
  // The buffers of both sides fill up; then nothing more is sent.
  for (let last = -1; last !== sent; await new Promise((resolve) => void setTimeout(resolve, 50)))
    last = sent;
  expect(sent).toBeLessThan(1_024);
  expect(before).toBeLessThanOrEqual(sent);
  isWaiting = false;
  makeRoom();
  expect(await sending).toMatchObject({ response: { status: 200, cut: false } });
  expect(taken).toBe(67_108_864);
});

test("a redirect to http:// is not followed unless it is permitted", async () => {
  const server = await raw(
    (socket) =>
      void socket.end("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/list\r\nContent-Length: 0\r\n\r\n"),
  );
  expect(await fetchTo(server.url, { allowHttp: false })).toMatchObject({
    kind: "failed",
    problem: "The server redirects to an unencrypted address.",
  });
  expect(existsSync(path)).toBe(false);
});

test("headers that the client sets cannot be replaced", async () => {
  const server = await raw((socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\nexample.org\n"));
  const headers = { Host: "evil.example", "Accept-Encoding": "br", "Content-Length": "5", "x-key": "yes" };
  await fetchTo(server.url, { headers });
  const [head] = server.requests;
  expect(head).toContain("x-key: yes");
  expect(head).toContain("accept-encoding: gzip");
  expect(head).not.toMatch(/evil|accept-encoding: br|content-length: 5/i);
});

test("a download that is aborted leaves no file", async () => {
  const server = await raw(
    (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nexample.org\n"),
  );
  const abort = new AbortController();
  const running = fetchTo(server.url, { signal: abort.signal });
  await until(() => server.requests.length > 0, "the request arrives");
  abort.abort();
  await expect(running).rejects.toThrow();
  expect(existsSync(path)).toBe(false);
});

test("a disk that is full ends the download with its error", async () => {
  const full = join(folder.path, "full");
  symlinkSync("/dev/full", full);
  const sink = await createFileSink(full, { bytesMax: 1 << 20 });
  sink.add(new Uint8Array(300_000));
  await expect(sink.finish()).rejects.toThrow("ENOSPC");
  await expect(sink.room() ?? Promise.resolve()).rejects.toThrow("ENOSPC");
  await sink.discard();
  expect(existsSync(full)).toBe(false);
});
