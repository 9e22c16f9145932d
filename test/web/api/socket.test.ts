import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { openApi, type Api } from "../../support/api.ts";
import { createAuthority, issue } from "../../support/certificates.ts";
import { until } from "../../support/until.ts";

let api: Api;
let port: number;
beforeEach(() => {
  api = openApi();
  api.server.listen();
  port = api.server.port!;
});
afterEach(async () => {
  await api.server.stop();
  api.dispose();
});

/** Sends raw bytes. Resolves with the received text once `enough` returns true or the connection ends. */
function exchange(parts: (string | Uint8Array)[], enough = (text: string) => /\r\n\r\n[^]/.test(text)) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
    if (enough(text)) socket.end();
  });
  socket.on("close", () => resolve(text));
  socket.on("error", (error) => (text === "" ? reject(error) : resolve(text)));
  for (const part of parts) socket.write(part);
  return promise;
}

const head = (method: string, path: string, lines: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", ...lines].join("\r\n")}\r\n\r\n`;

describe("over a socket", () => {
  test("a threat can be listed, read, changed and changed in a batch", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const url = `http://127.0.0.1:${port}/v1/threats`;
    const headers = { authorization: `Bearer ${api.key()}`, "content-type": "application/json" };
    const read = async (response: Response) => [response.status, await response.json()];
    expect(await read(await fetch(url, { headers }))).toMatchObject([200, { meta: { total: 1 } }]);
    expect(await read(await fetch(`${url}/${id}`, { headers }))).toMatchObject([200, { data: { id } }]);
    const patch = { method: "PATCH", headers, body: JSON.stringify({ status: "resolved" }) };
    expect(await read(await fetch(`${url}/${id}`, patch))).toMatchObject([
      200,
      { data: { status: "resolved" } },
    ]);
    const post = { method: "POST", headers, body: JSON.stringify({ ids: [id], action: "reactivate" }) };
    expect(await read(await fetch(`${url}/batch`, post))).toMatchObject([200, { meta: { updated: 1 } }]);
    const by: Actor = { channel: "api", name: "test", address: "127.0.0.1" };
    expect(api.threats.history(id!).map((change) => change.by)).toEqual([by, by]);
  });

  test("a chunked body is read, and rejected as soon as it is too long", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const lines = [
      `Authorization: Bearer ${api.key()}`,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ];
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const good = [
      head("PATCH", `/v1/threats/${id}`, lines),
      chunk('{"status":'),
      chunk('"resolved"}'),
      "0\r\n\r\n",
    ];
    expect(await exchange(good)).toContain('"status":"resolved"');
    // This body never ends, but the response must still arrive.
    const endless = [
      head("PATCH", `/v1/threats/${id}`, lines),
      chunk('{"status":"'),
      ...Array.from({ length: 20 }, () => chunk("x".repeat(1 << 16))),
    ];
    expect(await exchange(endless)).toContain("The body is longer than 1048576 bytes");
    expect(api.threats.get(id!)?.status).toBe("resolved");
  });

  for (const framing of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
    test(`a caller that disconnects in the middle of its body (${framing}) is not logged as an error`, async () => {
      const socket = connect(port, "127.0.0.1");
      const lines = [`Authorization: Bearer ${api.key()}`, "Content-Type: application/json", framing];
      const begun = `${head("POST", "/v1/threats/batch", lines)}5\r\n{"ids`;
      socket.write(begun, () => socket.destroy());
      const counted = 'route="/v1/threats/batch",method="POST",status="400"} 1';
      const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      while (!(await metrics()).includes(counted));
      expect(api.logged.join("")).not.toContain('"level":"error"');
    });
  }

  test("a body whose Content-Length is too long is rejected without being read", async () => {
    const lines = [
      `Authorization: Bearer ${api.key()}`,
      "Content-Type: application/json",
      "Content-Length: 1099511627776",
    ];
    const response = await exchange([head("POST", "/v1/threats/batch", lines), "{"]);
    expect(response).toStartWith("HTTP/1.1 400");
    expect(response).toContain("The body is longer than 1048576 bytes");
  });

  const hosts: [string, string][] = [
    ["a host of one letter", "GET /v1/threats HTTP/1.1\r\nHost: a\r\n"],
    ["no host, as HTTP/1.0 allows", "GET /v1/threats HTTP/1.0\r\n"],
    ["an absolute address", "GET http://elsewhere/v1/threats HTTP/1.1\r\nHost: a\r\n"],
  ];
  for (const [what, request] of hosts) {
    test(`${what} does not change the path`, async () => {
      expect(await exchange([`${request}\r\n`])).toStartWith("HTTP/1.1 401");
      const response = await exchange([`${request}Authorization: Bearer ${api.key()}\r\n\r\n`]);
      expect(response).toStartWith("HTTP/1.1 200");
      expect(response).toContain('"per_page":20');
    });
  }

  test("bytes that are not HTTP get an error or no response, and the server keeps running", async () => {
    const nonsense: (string | Uint8Array)[] = [
      "\0\0\0\0\r\n\r\n",
      head("GET", "/v1/threats/\xff\xfe?\xff=\xff", []),
      "GET /v1/\0 HTTP/1.1\r\nHost: a\r\n\r\n",
      head("GET", "/v1/threats", ["X-A: a\u0001b"]),
      head("GET", `/${"x".repeat(40_000)}`, []),
      head("FOO", "/v1/threats", []),
      head("POST", "/v1/threats/batch", ["Content-Length: 5", "Transfer-Encoding: chunked"]),
      crypto.getRandomValues(new Uint8Array(4_096)),
    ];
    for (const bytes of nonsense) {
      const response = await exchange([bytes, "\r\n\r\n"], () => true).catch(() => "");
      expect(response === "" || /^HTTP\/1\.1 [45]\d\d /.test(response)).toBe(true);
      expect(response).not.toStartWith("HTTP/1.1 500");
    }
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });

  test("the log has each request at level debug, with the client's address and without keys and tokens", async () => {
    const key = api.key();
    const headers = { authorization: `Bearer ${key}`, "x-request-id": "mine" };
    await fetch(`http://127.0.0.1:${port}/v1/threats?access_token=${key}`, { headers });
    await fetch(`http://127.0.0.1:${port}/screenshots/thr_1/the-token`);
    const lines = api.logged.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "debug",
        event: "http.request",
        request: "mine",
        method: "GET",
        path: "/v1/threats",
        statusCode: 400,
        client: "127.0.0.1",
      }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ path: "/screenshots/thr_1/…", statusCode: 404 }));
    expect(api.logged.join("")).not.toContain(key);
    expect(api.logged.join("")).not.toContain("the-token");
  });
});

describe("listening", () => {
  test("fails with a clear message if the port is in use", () => {
    const other = openApi({ server: { port } });
    expect(() => other.server.listen()).toThrow(
      `127.0.0.1:${port} is already in use by another program; stop it, or set server.listen to another port`,
    );
    other.dispose();
  });

  test("fails with a clear message for an address of another machine", () => {
    const other = openApi({ server: { host: "192.0.2.1" } });
    expect(() => other.server.listen()).toThrow("192.0.2.1 is not an address of this machine");
    other.dispose();
  });

  test("serves HTTPS with TLS, and names the files if they cannot be used", async () => {
    const missing = openApi({
      server: { tls: { certPath: "/nowhere/cert.pem", keyPath: "/nowhere/key.pem" } },
    });
    expect(() => missing.server.listen()).toThrow(
      /server\.tls_cert \(\/nowhere\/cert\.pem\).*cannot be used/,
    );
    missing.dispose();

    const folder = dirname(api.path);
    const [certPath, keyPath] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const authority = createAuthority();
    const { cert, key } = issue(authority, ["127.0.0.1"]);
    writeFileSync(certPath, cert);
    writeFileSync(keyPath, key);
    const secure = openApi({ server: { tls: { certPath, keyPath }, publicUrlIsDefault: true } });
    const { url } = secure.server.listen();
    expect(url).toBe(`https://127.0.0.1:${secure.server.port}`);
    const response = await fetch(`${url}/v1/threats`, { tls: { ca: authority.cert } });
    expect(response.status).toBe(401);
    await secure.server.stop();
    secure.dispose();
  });

  test("takes a free port for port 0 and reports it", async () => {
    const free = openApi({ server: { publicUrlIsDefault: true } });
    const { url } = free.server.listen();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9][0-9]+$/);
    const [id] = free.sight("examp1e-bank.com");
    const response = await free.call("GET", `/v1/threats/${id}`, { key: free.key() });
    expect(response.json.data.screenshot_url).toStartWith(`${url}/screenshots/${id}/`);
    await free.server.stop();
    free.dispose();
  });

  test("stops accepting connections and completes the requests in flight when it stops", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const lines = [
      `Authorization: Bearer ${api.key()}`,
      "Content-Type: application/json",
      "Content-Length: 21",
    ];
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    socket.on("data", (data) => void (text += data.toString("latin1")));
    socket.on("close", () => resolve());
    socket.write(head("PATCH", `/v1/threats/${id}`, lines));
    await until(() => api.server.pending > 0, "the request is in flight");
    const stopped = api.server.stop();
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    socket.write('{"status":"resolved"}');
    await stopped;
    await closed;
    expect(text).toContain('"status":"resolved"');
  });
});
