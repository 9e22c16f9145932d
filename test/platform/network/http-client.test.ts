import { afterEach, describe, expect, test } from "bun:test";
import tls from "node:tls";
import { gzipSync } from "node:zlib";
import type net from "node:net";
import {
  createHttpClient,
  type ExchangeResult,
  type HttpRequest,
} from "../../../src/platform/network/http/http-client.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createSystemResolver } from "../../../src/platform/network/dns/resolve-with-system.ts";
import type { ResolveHost } from "../../../src/platform/network/resolve.ts";
import { createTurns, type Turns } from "../../../src/platform/network/turns.ts";
import { createAuthority, issue } from "../../support/certificates.ts";
import { startRawServer, type RawServer } from "../../support/raw-server.ts";
import { until } from "../../support/until.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function client({
  resolveHost = createSystemResolver({ clock: systemClock }),
  allowPrivateNetworks = true,
  ...options
}: { resolveHost?: ResolveHost; allowPrivateNetworks?: boolean; idleMs?: number; turns?: Turns } = {}) {
  const made = createHttpClient({ rules: { allowPrivateNetworks }, resolveHost, ...options });
  closers.push(made.close);
  return made;
}

function send(
  url: string,
  options: Partial<HttpRequest> & { http?: ReturnType<typeof client> } = {},
): Promise<ExchangeResult> {
  const { http = client(), ...request } = options;
  return http.send({
    url,
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: Buffer.from("{}"),
    timeoutMs: 20_000,
    bodyBytesMax: 65_536,
    ...request,
  });
}

async function raw(...parameters: Parameters<typeof startRawServer>): Promise<RawServer> {
  const server = await startRawServer(...parameters);
  closers.push(server.stop);
  return server;
}

/** Starts a server that responds with exactly this text. */
const saying = (text: string | Uint8Array, { close = false } = {}) =>
  raw((socket) => void (close ? socket.end(text) : socket.write(text)));

function summary(result: ExchangeResult): unknown {
  if ("failure" in result) return [result.failure, result.reason];
  const { status, body, cut } = result.response;
  return [status, Buffer.from(body).toString(), ...(cut ? ["cut"] : [])];
}

/** Leaves the connection open. */
const keptResponse = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const lateResponse = "HTTP/1.1 500 Late\r\nContent-Length: 0\r\n\r\n";

describe("a response", () => {
  test.each<[string, string, boolean, unknown]>([
    ["of a given length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false, [200, "ok"]],
    [
      "in chunks",
      "HTTP/1.1 201 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\nT: 1\r\n\r\n",
      false,
      [201, "abc"],
    ],
    ["that ends with the connection", "HTTP/1.1 200 OK\r\n\r\nall of it", true, [200, "all of it"]],
    ["in HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", false, [200, "ok"]],
    ["in HTTP/1.0 without a length", "HTTP/1.0 202 Accepted\r\n\r\nok", true, [202, "ok"]],
    ["without content", "HTTP/1.1 204 No Content\r\n\r\n", false, [204, ""]],
    [
      "after 100 Continue",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      false,
      [200, ""],
    ],
    [
      "after 103 Early Hints",
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      false,
      [200, ""],
    ],
    [
      "that redirects, which is not followed",
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
      false,
      [307, ""],
    ],
    ["that is not HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", false, ["protocol", "not an HTTP/1 response"]],
    [
      "of two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
      false,
      ["protocol", "bad Content-Length"],
    ],
    [
      "of a negative length",
      "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok",
      false,
      ["protocol", "bad Content-Length"],
    ],
    [
      "with both framings",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      false,
      ["protocol", "both Content-Length and Transfer-Encoding"],
    ],
    [
      "with a bad chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      false,
      ["protocol", "bad chunk size"],
    ],
    ["with an invalid header", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", false, ["protocol", "bad header line"]],
    [
      "with endless headers",
      `HTTP/1.1 200 OK\r\n${"X-Y: z\r\n".repeat(4_000)}`,
      false,
      ["protocol", "headers over 16 KiB"],
    ],
    [
      "of nothing but interim ones",
      "HTTP/1.1 100 Continue\r\n\r\n".repeat(20),
      false,
      ["protocol", "too many interim responses"],
    ],
    [
      "that switches protocols",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      false,
      ["protocol", "switched to another protocol"],
    ],
    [
      "cut short by the other side",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
      true,
      ["connect", "closed before the response was complete"],
    ],
    [
      "cut short within a chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
      true,
      ["connect", "closed before the response was complete"],
    ],
    [
      "cut short within the headers",
      "HTTP/1.1 200 OK\r\nConte",
      true,
      ["connect", "closed within the headers"],
    ],
    ["that never comes", "", true, ["connect", "closed without a response"]],
  ])("%s is read completely, or fails with the reason", async (_what, text, close, expected) => {
    const server = await saying(text, { close });
    expect(summary(await send(server.url))).toEqual(expected);
    expect(server.requests).toHaveLength(1);
  });

  test("is parsed however its bytes are split", async () => {
    const text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    const writeSlowly = async (socket: net.Socket) => {
      for (const character of text) {
        socket.write(character);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const server = await raw((socket) => void writeSlowly(socket));
    expect(summary(await send(server.url))).toEqual([200, "abcde"]);
  });

  test("that never ends is shown as far as it came, as in a browser, unless the caller gave it up", async () => {
    const { url } = await saying("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<p>sign in");
    const late = await send(url, { asBrowser: true, timeoutMs: 500 });
    expect(late).toMatchObject({ response: { status: 200, cut: true, reusable: false } });
    if ("response" in late) expect(Buffer.from(late.response.body).toString()).toBe("<p>sign in");
    expect(await send(url, { timeoutMs: 100 })).toMatchObject({ failure: "timeout" });
    const signal = AbortSignal.timeout(100);
    expect(await send(url, { asBrowser: true, signal })).toMatchObject({ failure: "aborted" });
  });

  test("that ends with a reset is incomplete, even where closing would end it", async () => {
    const server = await raw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\npart", () => setTimeout(() => socket.resetAndDestroy(), 20));
    });
    expect(summary(await send(server.url))).toEqual(["connect", "connection broken (ECONNRESET)"]);
  });

  test("of a gigabyte is read up to the limit, and the connection is closed", async () => {
    const block = Buffer.alloc(65_536, "x");
    let sent = 0;
    const server = await raw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
      const more = () => {
        while (!socket.destroyed && sent < 1_073_741_824) {
          sent += block.length;
          if (!socket.write(block)) return void socket.once("drain", more);
        }
      };
      more();
    });
    const result = await send(server.url);
    expect(
      "response" in result && [result.response.status, result.response.body.length, result.response.cut],
    ).toEqual([200, 65_536, true]);
    await until(() => server.connections() === 0, "closed");
    expect(sent).toBeLessThan(64 * 1_048_576);
  });

  test("that is a decompression bomb is not decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1_048_576));
    const server = await saying(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`),
        bomb,
      ]),
    );
    const result = await send(server.url);
    expect("response" in result && [...result.response.body.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    expect("response" in result && result.response.body.length).toBeLessThanOrEqual(bomb.length);
  });
});

describe("the deadline", () => {
  test.each<[string, (socket: net.Socket) => void, string]>([
    ["a response that never comes", () => {}, "no response within 0.15 s"],
    [
      "headers without a body",
      (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
      "response not complete within 0.15 s",
    ],
    [
      "a response that trickles",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
        const timer = setInterval(() => socket.write("x"), 10);
        socket.on("close", () => clearInterval(timer));
      },
      "response not complete within 0.15 s",
    ],
  ])("holds for %s", async (_what, answer, reason) => {
    const server = await raw((socket) => answer(socket));
    const result = await send(server.url, { timeoutMs: 150 });
    expect(summary(result)).toEqual(["timeout", reason]);
    expect(result.durationMs).toBeGreaterThanOrEqual(149);
    await until(() => server.connections() === 0, "closed");
  });

  test("covers the name resolution", async () => {
    const http = client({ resolveHost: () => new Promise(() => {}) });
    expect(summary(await send("http://slow.test/", { http, timeoutMs: 100 }))).toEqual([
      "timeout",
      "name not resolved within 0.1 s",
    ]);
  });

  test("covers a TLS handshake without a response", async () => {
    const server = await raw(() => {}, { onConnection: () => {} });
    const result = await send(server.url.replace("http:", "https:"), { timeoutMs: 100 });
    expect(summary(result)).toEqual(["timeout", "no connection within 0.1 s"]);
    await until(() => server.connections() === 0, "closed");
  });
});

describe("connecting", () => {
  test("to a closed port fails at once", async () => {
    const server = await raw(() => {});
    server.stop();
    expect(summary(await send(server.url))).toEqual(["connect", "ECONNREFUSED"]);
  });

  test("uses the address that was checked, with the name as Host", async () => {
    const server = await saying("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    let asked = 0;
    // The second answer is what an attacker would switch to after the check.
    const http = client({ resolveHost: async () => (++asked === 1 ? ["127.0.0.1"] : ["169.254.169.254"]) });
    const url = `http://receiver.test:${server.port}/hook?x=1`;
    const first = await send(url, { http });
    expect([summary(first), first.address]).toEqual([[200, ""], "127.0.0.1"]);
    expect(asked).toBe(1);
    expect(server.requests[0]).toStartWith(
      `POST /hook?x=1 HTTP/1.1\r\nHost: receiver.test:${server.port}\r\n`,
    );
    expect(summary(await send(url, { http }))).toEqual([
      "refused_address",
      "receiver.test: 169.254.169.254 is a metadata address, which is never connected to",
    ]);
    expect(server.requests).toHaveLength(1);
  });

  test("is blocked for a name with an allowed and a forbidden address", async () => {
    const server = await saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const http = client({ resolveHost: async () => ["127.0.0.1", "fe80::1"] });
    const result = await send(`http://receiver.test:${server.port}/`, { http });
    expect("failure" in result && result.failure).toBe("refused_address");
    expect(server.requests).toEqual([]);
  });

  test.each([
    "http://127.0.0.1",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]",
    "http://2130706433",
    "http://0x7f.1",
    "http://localhost",
  ])("to %s is blocked unless private networks are allowed", async (url) => {
    const server = await saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const result = await send(`${url}:${server.port}/`, { http: client({ allowPrivateNetworks: false }) });
    expect("failure" in result && result.failure).toBe("refused_address");
    expect("failure" in result && result.refused).toMatchObject({ class: "loopback", allowable: true });
    expect(server.requests).toEqual([]);
  });

  test("tries the next address if the first one refuses the connection", async () => {
    const server = await saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const http = client({ resolveHost: async () => ["::1", "127.0.0.1"] });
    const result = await send(`http://receiver.test:${server.port}/`, { http });
    expect([summary(result), result.address]).toEqual([[200, ""], "127.0.0.1"]);
  });

  test("to a name without an address fails with kind dns", async () => {
    const http = client({ resolveHost: async () => [] });
    expect(summary(await send("http://nowhere.test/", { http }))).toEqual([
      "dns",
      "nowhere.test has no address",
    ]);
    const failing = client({
      resolveHost: () => Promise.reject(Object.assign(new Error("not found"), { code: "ENOTFOUND" })),
    });
    expect(summary(await send("http://nowhere.test/", { http: failing }))).toEqual([
      "dns",
      "nowhere.test cannot be resolved (ENOTFOUND)",
    ]);
  });

  test("ignores proxies of the environment", async () => {
    const proxy = await saying("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy");
    const server = await saying("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect");
    process.env.HTTP_PROXY = proxy.url;
    process.env.http_proxy = proxy.url;
    try {
      expect(summary(await send(server.url))).toEqual([200, "direct"]);
    } finally {
      delete process.env.HTTP_PROXY;
      delete process.env.http_proxy;
    }
    expect(proxy.requests).toEqual([]);
  });

  test("can be aborted", async () => {
    const server = await raw(() => {});
    const giveUp = new AbortController();
    const sending = send(server.url, { signal: giveUp.signal });
    await until(() => server.requests.length === 1, "request sent");
    giveUp.abort();
    expect(summary(await sending)).toEqual(["aborted", "given up"]);
    await until(() => server.connections() === 0, "closed");
    expect(summary(await send(server.url, { signal: giveUp.signal }))).toEqual(["aborted", "given up"]);
  });
});

describe("a kept connection", () => {
  test("carries only the next request to the same place", async () => {
    let connections = 0;
    const server = await raw((socket) => void socket.write(keptResponse), {
      onConnection: () => void (connections += 1),
    });
    const http = client();
    for (let count = 0; count < 3; count += 1)
      expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    expect(connections).toBe(1);
    await send(server.url.replace("127.0.0.1", "localhost"), { http });
    expect(connections).toBe(2);
  });

  test("is usable again after a response whose parsing took several turns", async () => {
    let connections = 0;
    const body = "x".repeat(100_000);
    const server = await raw(
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      { onConnection: () => void (connections += 1) },
    );
    // Every piece of a response takes a turn of its own, so that reading pauses after the last one.
    const http = client({ turns: createTurns({ sliceMs: Number.MIN_VALUE }) });
    for (let count = 0; count < 3; count += 1)
      expect(summary(await send(server.url, { http, bodyBytesMax: 200_000 }))).toEqual([200, body]);
    expect(connections).toBe(1);
  });

  test("is closed after its idle time, but not while it is in use again", async () => {
    let connections = 0;
    const server = await raw(
      (socket, _request, count) => void setTimeout(() => socket.write(keptResponse), count === 1 ? 0 : 500),
      { onConnection: () => void (connections += 1) },
    );
    const http = client({ idleMs: 400 });
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    expect([connections, server.requests.length]).toEqual([1, 2]);
    await until(() => server.connections() === 0, "closed when idle");
  });

  test("that the server has closed is replaced", async () => {
    const server = await raw((socket) => void socket.write(keptResponse, () => socket.end()));
    const http = client();
    for (let count = 0; count < 3; count += 1)
      expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
  });

  test("that closes during a request before any response is replaced, and the request is sent once more", async () => {
    const server = await raw(
      (socket, _request, count) => void (count === 2 ? socket.destroy() : socket.write(keptResponse)),
    );
    const http = client();
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    expect(server.requests).toHaveLength(3);
  });

  test("does not reuse a connection on which more follows a response, wherever it ends", async () => {
    for (const responseBytes of [32_768, 65_536, 40_000]) {
      const head = (length: number) =>
        `HTTP/1.1 200 OK\r\nContent-Length: ${String(length).padStart(9)}\r\n\r\n`;
      const length = responseBytes - head(0).length;
      const smuggled = "HTTP/1.1 500 Smuggled\r\nContent-Length: 0\r\n\r\n".padEnd(50_000);
      const server = await raw((socket, _request, count) =>
        socket.write(count === 1 ? head(length) + "x".repeat(length) + smuggled : `${head(2)}ok`),
      );
      const http = client();
      expect(await send(server.url, { http })).toMatchObject({ response: { status: 200 } });
      expect(summary(await send(server.url, { http }))).toEqual([200, "ok"]);
    }
  });

  test("does not pass unsolicited bytes to the next request", async () => {
    const server = await raw((socket, _request, count) => {
      socket.write(keptResponse);
      if (count === 1) setTimeout(() => socket.write(lateResponse), 10);
    });
    const http = client();
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    await until(() => server.connections() === 0, "closed by us");
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
  });

  test("is closed instead of reused if bytes have arrived that nobody has read yet", async () => {
    const sockets: net.Socket[] = [];
    const server = await raw((socket) => sockets.push(socket) && void socket.write(keptResponse));
    const http = client();
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    // In the same turn of the event loop as the next request, so that the client cannot read it before.
    sockets[0]!.write(lateResponse);
    expect(summary(await send(server.url, { http }))).toEqual([200, ""]);
    expect(sockets[1]).not.toBe(sockets[0]);
  });
});

describe("TLS", () => {
  const authority = createAuthority();
  const other = createAuthority("Another authority");
  const dayMs = 86_400_000;

  async function secure(options: tls.TlsOptions) {
    const requests: string[] = [];
    const server = tls.createServer(options, (socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        requests.push(bytes.toString());
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
      });
    });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    return { port: (server.address() as net.AddressInfo).port, requests };
  }

  const http = () => client({ resolveHost: async () => ["127.0.0.1"] });
  const ca = [authority.cert];

  test("verifies the certificate against the name and the given authorities", async () => {
    const server = await secure(issue(authority, ["receiver.test"]));
    const url = `https://receiver.test:${server.port}/hook`;
    const result = await send(url, { http: http(), tlsFiles: { ca } });
    expect(summary(result)).toEqual([200, "ok"]);
    expect(Object.keys(result.phases)).toEqual(["dnsMs", "connectMs", "tlsMs", "waitMs", "readMs"]);
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, () => Promise<{ port: number; requests: string[] }>, string]>([
    [
      "a certificate of another name",
      () => secure(issue(authority, ["other.test"])),
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    [
      "a certificate of the address alone",
      () => secure(issue(authority, ["127.0.0.1"])),
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    [
      "a certificate of an unknown authority",
      () => secure(issue(other, ["receiver.test"])),
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    [
      "an expired certificate",
      () =>
        secure(
          issue(authority, ["receiver.test"], {
            notBefore: Date.now() - 9 * dayMs,
            notAfter: Date.now() - dayMs,
          }),
        ),
      "CERT_HAS_EXPIRED",
    ],
    [
      "a certificate that is not valid yet",
      () =>
        secure(
          issue(authority, ["receiver.test"], {
            notBefore: Date.now() + dayMs,
            notAfter: Date.now() + 2 * dayMs,
          }),
        ),
      "CERT_NOT_YET_VALID",
    ],
  ])("rejects %s, and sends no request", async (_what, start, code) => {
    const server = await start();
    const result = await send(`https://receiver.test:${server.port}/`, { http: http(), tlsFiles: { ca } });
    expect(summary(result)).toEqual(["tls", expect.stringContaining(code)]);
    expect(server.requests).toEqual([]);
  });

  test("trusts a private authority only when it is configured", async () => {
    const server = await secure(issue(authority, ["receiver.test"]));
    const result = await send(`https://receiver.test:${server.port}/`, { http: http() });
    expect("failure" in result && result.failure).toBe("tls");
  });

  test("closes a kept connection on which bytes have arrived that nobody has read yet", async () => {
    const sockets: tls.TLSSocket[] = [];
    const server = tls.createServer(issue(authority, ["receiver.test"]), (socket) => {
      socket.on("data", () => sockets.push(socket) && socket.write(keptResponse));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const url = `https://receiver.test:${(server.address() as net.AddressInfo).port}/`;
    const options = { http: http(), tlsFiles: { ca } };
    expect(summary(await send(url, options))).toEqual([200, ""]);
    expect(summary(await send(url, options))).toEqual([200, ""]);
    expect(sockets[1]).toBe(sockets[0]!);
    sockets[0]!.write(lateResponse);
    expect(summary(await send(url, options))).toEqual([200, ""]);
    expect(sockets[2]).not.toBe(sockets[0]!);
  });

  test("to an address requires a certificate for that address", async () => {
    const right = await secure(issue(authority, ["127.0.0.1"]));
    expect(summary(await send(`https://127.0.0.1:${right.port}/`, { tlsFiles: { ca } }))).toEqual([
      200,
      "ok",
    ]);
    const wrong = await secure(issue(authority, ["127.0.0.2"]));
    const refused = await send(`https://127.0.0.1:${wrong.port}/`, { tlsFiles: { ca } });
    expect(summary(refused)).toEqual(["tls", expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID")]);
  });

  test("fails with kind tls if the server does not speak TLS", async () => {
    const server = await raw(() => {}, {
      onConnection: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    });
    const result = await send(server.url.replace("http:", "https:"));
    expect("failure" in result && result.failure).toBe("tls");
  });

  test("presents a client certificate when the receiver requests one", async () => {
    const server = await secure({
      ...issue(authority, ["receiver.test"]),
      requestCert: true,
      rejectUnauthorized: true,
      ca,
    });
    const url = `https://receiver.test:${server.port}/`;
    const own = issue(authority, ["phishwatch.test"]);
    expect(summary(await send(url, { http: http(), tlsFiles: { ca, ...own } }))).toEqual([200, "ok"]);
    const without = await send(url, { http: http(), tlsFiles: { ca } });
    expect("failure" in without).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  test("fails with kind tls for an invalid certificate file", async () => {
    const result = await send("https://127.0.0.1:1/", {
      tlsFiles: { ca: ["nonsense"], cert: "x", key: "y" },
    });
    expect("failure" in result).toBe(true);
  });
});
