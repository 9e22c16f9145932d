import { afterEach, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { faviconHash } from "../../../src/facts/lookups/page/page-pictures.ts";
import type { Page, PageResult } from "../../../src/facts/lookups/page/page-lookup.ts";
import { createPageReader } from "../../../src/facts/lookups/page/page-reader.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import type { Visitor } from "../../../src/facts/lookups/visits/visitors.ts";
import { createAuthority, issue } from "../../support/certificates.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { until } from "../../support/until.ts";

const open: { stop(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.stop();
});

type Respond = (request: Request) => Response | Promise<Response>;

/** Starts a loopback web server for every name; names are distinguished by the Host header. */
function site(respond: Respond, tls?: { cert: string; key: string }) {
  const hits: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    ...(tls === undefined ? {} : { tls }),
    fetch(request) {
      const { host, pathname } = new URL(request.url);
      hits.push(`${host.replace(/:\d+$/, "")}${pathname}`);
      return respond(request);
    },
  });
  open.push({ stop: () => void server.stop(true) });
  return { port: server.port!, hits };
}

const closedPort = 1;
const resolveHost = async (host: string) => {
  if (host.endsWith("metadata.example")) return ["169.254.169.254"];
  if (host.endsWith("nowhere.example")) throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
  return ["127.0.0.1"];
};
const name = "example-banc.com";
const protectedDomain = "example-bank.com";

async function lookUp(
  ports: { http?: number; https?: number },
  {
    timeoutMs = 20_000,
    allowPrivateNetworks = true,
    at = name,
    visitors = [{ name: "desktop", userAgent: "Mozilla/5.0 (test)", languages: "en" }] as Visitor[],
  } = {},
): Promise<PageResult> {
  const fetcher = createPageReader({
    clock: systemClock,
    rules: { allowPrivateNetworks },
    resolveHost,
    visitors: () => visitors,
    timeoutMs,
    ports: { http: closedPort, https: closedPort, ...ports },
  });
  open.push({ stop: () => fetcher.close() });
  const read = await fetcher.read({
    address: at,
    protectedDomains: [protectedDomain],
    brandNames: ["example-bank", "ExBank"],
  });
  return read.ok ? { ok: true, page: read.page } : read;
}

async function pageOf(respond: Respond): Promise<Page> {
  const result = await lookUp({ http: site(respond).port });
  if (!result.ok) throw new Error(result.reason);
  return result.page;
}

const html = (body: string, init: ResponseInit = {}) =>
  new Response(body, { headers: { "content-type": "text/html; charset=utf-8" }, ...init });
const to = (location: string, status = 302) => new Response(null, { status, headers: { location } });
const login = "<title>Example Bank: sign in</title><form><input name=user><input type=password></form>";
/** Brotli's default quality takes seconds for a bomb. */
const compressQuickly = (bytes: Uint8Array) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const plain = {
  firstUrl: `http://${name}/`,
  finalUrl: `http://${name}/`,
  redirects: [],
  status: 200,
  title: "",
  asksForPassword: false,
  asksForCard: false,
  namesBrand: false,
  redirectsToProtected: false,
};

describe("page lookup", () => {
  test("a copy of the brand's sign-in page is reported with its icon, and requested as a browser would", async () => {
    const icon = Buffer.from("an icon");
    let headers: Record<string, string> = {};
    const server = site((asked) => {
      if (new URL(asked.url).pathname === "/i.png")
        return new Response(icon, { headers: { "content-type": "image/png" } });
      headers = Object.fromEntries(asked.headers);
      return html(`<link rel=icon href=i.png>${login}`);
    });
    expect(await lookUp({ http: server.port })).toEqual({
      ok: true,
      page: {
        ...plain,
        title: "Example Bank: sign in",
        asksForPassword: true,
        namesBrand: true,
        faviconHash: faviconHash(icon),
      },
    });
    expect(server.hits).toEqual([`${name}/`, `${name}/i.png`]);
    expect(headers).toMatchObject({
      "user-agent": "Mozilla/5.0 (test)",
      "accept-encoding": "gzip, deflate, br, zstd",
    });
    expect(Object.keys(headers)).not.toContain("cookie");
    expect(Object.keys(headers)).not.toContain("referer");
  });

  test("a page is read whatever its status", async () => {
    expect(await pageOf(() => html(login, { status: 403 }))).toMatchObject({
      status: 403,
      asksForPassword: true,
    });
    expect(await pageOf(() => new Response(null, { status: 204 }))).toEqual({ ...plain, status: 204 });
  });

  test("a response that is not HTML has no text", async () => {
    const respond: Respond = ({ url }) =>
      url.endsWith(".ico")
        ? new Response(null, { status: 404 })
        : new Response(login, { headers: { "content-type": "application/octet-stream" } });
    expect(await pageOf(respond)).toEqual(plain);
  });

  test("control characters in a title are escaped", async () => {
    const page = await pageOf(() => html(`<title>\u202eknab\u001b[2J ${"x".repeat(5_000)}</title>`));
    expect(page.title).toStartWith("\\u{202e}knab\\u{1b}[2J ");
    expect(page.title.length).toBeLessThan(230);
  });

  test("a parked page is reported as parked unless it asks for secrets", async () => {
    expect(await pageOf(() => html("<h1>This domain is for sale</h1>"))).toMatchObject({
      parked: "for sale",
    });
    expect(await pageOf(() => html('<script src="https://d1.sedoparking.com/a.js"></script>'))).toMatchObject(
      { parked: "Sedo" },
    );
    expect(await pageOf(() => html(`<h1>This domain is for sale</h1>${login}`))).not.toHaveProperty("parked");
  });
});

describe("pages that hide content", () => {
  test("redirects that browsers ignore are not followed", async () => {
    const elsewhere = `<meta http-equiv=refresh content="0;url=http://${protectedDomain}/">`;
    for (const wrapped of [
      `<noscript>${elsewhere}</noscript>`,
      `<template>${elsewhere}</template>`,
      `<!-- ${elsewhere} -->`,
    ])
      expect({ wrapped, ...(await pageOf(() => html(wrapped + login))) }).toMatchObject({
        wrapped,
        redirectsToProtected: false,
        asksForPassword: true,
      });
  });

  test("words in comments and scripts do not make a page parked", async () => {
    const words = "this domain is for sale";
    for (const wrapped of [
      `<!-- ${words} -->`,
      `<script>"${words}"</script>`,
      `<template>${words}</template>`,
      `<style>/* ${words} */</style>`,
    ])
      expect(
        await pageOf(() => html(`${wrapped}<p>${"A text of our own. ".repeat(20)}</p>`)),
      ).not.toHaveProperty("parked");
  });

  test("a page that is not read completely is reported as unseen, with the reason", async () => {
    const padded = await pageOf(() => html(`<p>this domain is for sale</p>${" ".repeat(1_200_000)}${login}`));
    expect(padded.unseen).toBe("it is too long to be read completely");
    expect(padded).not.toHaveProperty("parked");
    const coded = () =>
      new Response(login, {
        headers: { "content-type": "text/html", "content-encoding": "gzip" },
      });
    expect((await pageOf(coded)).unseen).toBe("not gzip");
    const drawn = await pageOf(() =>
      html("<div id=root></div><script>document.write(atob('PGlucHV0Pg=='))</script>"),
    );
    expect(drawn.unseen).toContain("rendered by scripts");
    const framed = await pageOf(() => html("<iframe src=/form></iframe>"));
    expect(framed.unseen).toContain("in a frame");
    // Indicators that were found count, whatever follows them.
    expect(await pageOf(() => html(`${login}${" ".repeat(1_200_000)}`))).not.toHaveProperty("unseen");
    expect(await pageOf(() => html("<p>A bakery</p>"))).not.toHaveProperty("unseen");
  });

  test("a redirect whose target cannot be seen is reported as unseen, with the reason", async () => {
    expect((await pageOf(() => to("http://169.254.169.254/latest"))).unseen).toContain(
      "is a metadata address",
    );
    expect((await pageOf(({ url }) => to(new URL(url).pathname === "/" ? "/b" : "/"))).unseen).toBe(
      "it redirects in a loop",
    );
    expect((await pageOf(() => to("file:///etc/passwd"))).unseen).toBe(
      "it redirects to a URL that is not HTTP",
    );
    expect((await pageOf(({ url }) => to(`${new URL(url).pathname}x`))).unseen).toContain(
      "more than 5 times",
    );
  });
});

describe("a page that only refers on to an address that cannot be opened", () => {
  const meta = (target: string) => html(`<meta http-equiv=refresh content="0; url=${target}">one moment`);
  const header = (target: string) =>
    html("one moment", { headers: { "content-type": "text/html", refresh: `0; url=${target}` } });
  const script = (target: string) => html(`<script>window.location.href = '${target}'</script>`);

  test.each([
    ["a meta refresh", meta],
    ["a Refresh header", header],
    ["a script", script],
  ])("is reported as unseen like a redirect by status: %s", async (_, refer) => {
    expect((await pageOf(() => refer("http://169.254.169.254/latest"))).unseen).toContain(
      "is a metadata address",
    );
    expect((await pageOf(() => refer("http://nowhere.example/"))).unseen).toContain("resolved");
    const back = (url: string) => (new URL(url).pathname === "/" ? "/b" : "/");
    expect((await pageOf(({ url }) => refer(back(url)))).unseen).toBe("it redirects in a loop");
  });

  test("is reported as unseen if the address is no HTTP address", async () => {
    for (const refer of [meta, header])
      expect((await pageOf(() => refer("file:///etc/passwd"))).unseen).toBe(
        "it redirects to a URL that is not HTTP",
      );
  });

  test("differs from a page that has content of its own, or that loads itself again", async () => {
    const text = `<p>${"A bakery with a text of its own. ".repeat(20)}</p>`;
    const refresh = '<meta http-equiv=refresh content="0; url=http://169.254.169.254/">';
    expect(await pageOf(() => html(`${refresh}${text}`))).not.toHaveProperty("unseen");
    expect(await pageOf(() => meta("/"))).not.toHaveProperty("unseen");
  });
});

describe("redirects", () => {
  test("redirects of every kind are followed and recorded", async () => {
    const server = site((request) => {
      switch (new URL(request.url).pathname) {
        case "/":
          return to("/a", 301);
        case "/a":
          return html("", { headers: { "content-type": "text/html", refresh: "0; url=/b" } });
        case "/b":
          return html('<meta http-equiv=refresh content="1;url=//www.example-banc.com/c">');
        case "/c":
          return html("<script>window.location.href = '/d#x'</script>");
        case "/d":
          return to("http://login.elsewhere.example/e");
        default:
          return html(login);
      }
    });
    const result = await lookUp({ http: server.port });
    expect(result).toMatchObject({
      ok: true,
      page: {
        finalUrl: "http://login.elsewhere.example/e",
        redirects: [
          `http://${name}/a`,
          `http://${name}/b`,
          `http://www.${name}/c`,
          `http://www.${name}/d`,
          "http://login.elsewhere.example/e",
        ],
        asksForPassword: true,
        namesBrand: true,
      },
    });
  });

  test("at most five redirects are followed, and a loop is left at once", async () => {
    const long = site((request) => to(`${new URL(request.url).pathname}x`));
    expect(await lookUp({ http: long.port })).toMatchObject({
      ok: true,
      page: { finalUrl: `http://${name}/xxxxx`, status: 302 },
    });
    const pages = long.hits.filter(
      (hit) => !hit.endsWith("favicon.ico") && !hit.endsWith("icox") && !hit.endsWith("icoxx"),
    );
    expect(pages).toHaveLength(6);
    const circle = site((request) => to(new URL(request.url).pathname === "/" ? "/b" : "/"));
    expect(await lookUp({ http: circle.port })).toMatchObject({
      ok: true,
      page: { redirects: [`http://${name}/b`] },
    });
  });

  test("a redirect to the protected domain ends the chain, and that page's content does not count", async () => {
    for (const respond of [
      () => to(`http://www.${protectedDomain}/login`),
      () => html(`<meta http-equiv=refresh content="0;url=http://www.${protectedDomain}/login">`),
      () => html(`<script>location.replace("http://www.${protectedDomain}/login")</script>`),
    ]) {
      const server = site((request) => (request.url.includes(protectedDomain) ? html(login) : respond()));
      const result = await lookUp({ http: server.port });
      expect(result).toEqual({
        ok: true,
        page: {
          ...plain,
          status: expect.any(Number),
          finalUrl: `http://www.${protectedDomain}/login`,
          redirects: [`http://www.${protectedDomain}/login`],
          redirectsToProtected: true,
        },
      });
      expect(server.hits).toEqual([`${name}/`]);
    }
  });

  test("a redirect that happens only after the form does not count", async () => {
    const script = `<script>function sent() { location.href = "http://${protectedDomain}/" }</script>`;
    expect(await pageOf(() => html(login + script))).toMatchObject({
      redirectsToProtected: false,
      asksForPassword: true,
    });
    expect(await pageOf(() => to(`http://${protectedDomain}.evil.example/`))).toMatchObject({
      redirectsToProtected: false,
    });
  });

  test("redirects to private networks, other ports and other schemes are not followed", async () => {
    for (const location of [
      "http://metadata.example/latest",
      "http://169.254.169.254/latest",
      "http://127.0.0.1:22/",
      "http://mail.example:25/",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "http://nowhere.example/",
    ]) {
      const page = await pageOf(() => to(location));
      expect([location, page.status, page.asksForPassword]).toEqual([location, 302, false]);
    }
  });
});

describe("page lookup failures", () => {
  test("a name that points into a private network is not contacted", async () => {
    const server = site(() => html(login));
    const result = await lookUp({ http: server.port }, { allowPrivateNetworks: false });
    expect(result).toEqual({ ok: false, reason: `${name}: 127.0.0.1 is a loopback address` });
    expect(await lookUp({ http: server.port }, { at: "metadata.example" })).toMatchObject({ ok: false });
    expect(server.hits).toEqual([]);
  });

  test("a redirect or an icon in a private network is not contacted", async () => {
    const server = site(() => html('<link rel=icon href="http://metadata.example/token">'));
    expect(await lookUp({ http: server.port })).toEqual({ ok: true, page: plain });
  });

  test("a name without a page is reported with the reason", async () => {
    expect(await lookUp({}, { at: "nowhere.example" })).toEqual({
      ok: false,
      reason: "nowhere.example cannot be resolved (ENOTFOUND)",
    });
    const { ok, reason } = (await lookUp({})) as Extract<PageResult, { ok: false }>;
    expect([ok, reason.startsWith("https: "), reason.includes("; http: ")]).toEqual([false, true, true]);
  });

  test("a silent or slow server times out, and the connection is closed", async () => {
    const silent = await startRawServer(() => {});
    const trickling = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title>");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const endlessHeaders = await startRawServer((socket) => {
      const timer = setInterval(() => socket.write("X-A: b\r\n"), 20);
      socket.write("HTTP/1.1 200 OK\r\n");
      socket.on("close", () => clearInterval(timer));
    });
    open.push(silent, trickling, endlessHeaders);
    for (const server of [silent, trickling, endlessHeaders]) {
      expect((await lookUp({ http: server.port }, { timeoutMs: 200 })).ok).toBe(false);
      await until(() => server.connections() === 0, "the connection is closed");
    }
  });

  test("a page is read from every response that browsers show, however it is framed, typed or coded", async () => {
    const twice = gzipSync(gzipSync(login)).toString("latin1");
    const type = "Content-Type: text/html\r\n";
    const ok = "HTTP/1.1 200 OK\r\n";
    const responses = {
      "a head of 200 KiB": `${ok}${type}${"X-A: b\r\n".repeat(25_000)}\r\n${login}`,
      "lines that end with LF": `HTTP/1.1 200 OK\nContent-Type: text/html\nConnection: close\n\n${login}`,
      "a header line without a name": `${ok}nothing\r\n${type}\r\n${login}`,
      "a length that is too large": `${ok}${type}Content-Length: 9999\r\n\r\n${login}`,
      "an invalid length": `${ok}${type}Content-Length: -1\r\n\r\n${login}`,
      "two kinds of framing": `${ok}${type}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n${login.length.toString(16)}\r\n${login}\r\n0\r\n\r\n`,
      "an invalid chunk": `${ok}${type}Transfer-Encoding: chunked\r\n\r\n${login.length.toString(16)}\r\n${login}\r\nx`,
      "a type that is unknown": `${ok}Content-Type: unknown/unknown\r\n\r\n${login}`,
      "a type for anything": `${ok}Content-Type: */*\r\n\r\n${login}`,
      "a type without a slash": `${ok}Content-Type: html5\r\n\r\n${login}`,
      "an unknown coding": `${ok}${type}Content-Encoding: utf-8\r\n\r\n${login}`,
      "two codings": `${ok}${type}Content-Encoding: gzip, gzip\r\n\r\n${twice}`,
    };
    let sent = "";
    const server = await startRawServer((socket) => void socket.end(Buffer.from(sent, "latin1")));
    open.push(server);
    for (const [what, response] of Object.entries(responses)) {
      sent = response;
      const read = await lookUp({ http: server.port });
      expect({ what, asks: read.ok ? read.page.asksForPassword : read.reason }).toEqual({ what, asks: true });
    }
  });

  test("a response that is not HTTP is reported with the reason", async () => {
    const server = await startRawServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
    open.push(server);
    expect((await lookUp({ http: server.port })).ok).toBe(false);
  });
});

describe("oversized pages", () => {
  test("a page of a gigabyte is read up to a mebibyte", async () => {
    let sent = 0;
    const server = site(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              sent += 65_536;
              controller.enqueue(
                new TextEncoder().encode((sent === 65_536 ? login : "").padEnd(65_536, "x ")),
              );
              if (sent >= 1 << 30) controller.close();
              await new Promise<void>((resolve) => void setImmediate(resolve));
            },
          }),
          { headers: { "content-type": "text/html" } },
        ),
    );
    expect(await lookUp({ http: server.port })).toMatchObject({
      ok: true,
      page: { asksForPassword: true, title: "Example Bank: sign in" },
    });
    expect(sent).toBeLessThan(256 << 20);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", compressQuickly],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
  ] as const)("a %s bomb is cut off", async (encoding, compress) => {
    const body = compress(Buffer.concat([Buffer.from(login), Buffer.alloc(64 << 20, 32)]));
    const before = process.memoryUsage().rss;
    const page = await pageOf(
      () =>
        new Response(new Uint8Array(body), {
          headers: { "content-type": "text/html", "content-encoding": encoding },
        }),
    );
    expect(page).toMatchObject({ asksForPassword: true, status: 200 });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  });

  test("a page in a broken content coding is known only by its status", async () => {
    for (const encoding of ["gzip", "br", "deflate"]) {
      const page = await pageOf(
        () =>
          new Response("\u0001not compressed", {
            headers: { "content-type": "text/html", "content-encoding": encoding },
          }),
      );
      expect(page).toEqual({ ...plain, unseen: expect.stringMatching(/^not /) });
    }
  });

  test("an oversized icon is ignored", async () => {
    const respond: Respond = (request) =>
      request.url.endsWith(".ico") ? new Response("x".repeat(300_000)) : html(login);
    expect(await pageOf(respond)).not.toHaveProperty("faviconHash");
    const error: Respond = (request) =>
      html(request.url.endsWith(".ico") ? "<!doctype html><h1>Not found</h1>" : login);
    expect(await pageOf(error)).not.toHaveProperty("faviconHash");
  });
});

describe("HTTPS", () => {
  const authority = createAuthority("Test authority");

  test("the lookup starts with HTTPS, and an untrusted certificate does not stop it", async () => {
    const notBefore = Date.parse("2026-01-01T00:00:00Z");
    const notAfter = Date.parse("2026-02-01T00:00:00Z");
    const tls = issue(authority, ["other.example"], { notBefore, notAfter });
    const secure = site(() => html(login), tls);
    const unsecured = site(() => html("<title>plain</title>"));
    const result = await lookUp({ https: secure.port, http: unsecured.port });
    expect(result).toEqual({
      ok: true,
      page: {
        ...plain,
        firstUrl: `https://${name}/`,
        finalUrl: `https://${name}/`,
        title: "Example Bank: sign in",
        asksForPassword: true,
        namesBrand: true,
        certificate: {
          issuer: "Test authority",
          notBefore: "2026-01-01T00:00:00.000Z",
          notAfter: "2026-02-01T00:00:00.000Z",
          fault: expect.any(String),
          // Nobody else can present it, although anyone can choose its serial number.
          identity: `sha256 ${new X509Certificate(tls.cert).fingerprint256.replaceAll(":", "").toLowerCase()}`,
          namesHash: expect.stringMatching(/^[0-9a-f]+$/),
        },
      },
    });
    expect(unsecured.hits).toEqual([]);
  });

  test("pages set up from one kit have the same structure, whatever their texts, hosts and tokens", async () => {
    const kit = ({ host = "a.example", field = "password", token = 1 }) =>
      html(`<title>Page ${token}</title><p>${"text ".repeat(token)}</p><script src="https://${host}/js/main.js?v=${token}"></script>
        <link rel="stylesheet" href="/css/kit.css"><form action="/send.php?id=${token}"><input type="email" name="user">
        <input type="${field}" name="secret"><img src="//${host}/logo.png"><button type="submit">Go</button></form>`);
    const structureOf = async (respond: Respond) => (await pageOf(respond)).structureHash;
    const structure = await structureOf(() => kit({}));
    expect(structure).toMatch(/^[0-9a-f]+$/);
    expect(await structureOf(() => kit({ host: "b.example", token: 5 }))).toBe(structure!);
    expect(await structureOf(() => kit({ field: "text" }))).not.toBe(structure);
    expect(await structureOf(() => html(login))).toBeUndefined();
  });

  test("a redirect from HTTP to HTTPS records the certificate, with the issuer's name escaped", async () => {
    const deceiver = createAuthority("Let\u202e's Encrypt\u001b[2J");
    const secure = site(() => html(login), issue(deceiver, [name]));
    const unsecured = site(() => to(`https://www.${name}:${secure.port}/`));
    const result = await lookUp({ https: closedPort, http: unsecured.port });
    expect(result).toMatchObject({
      ok: true,
      page: { certificate: { issuer: "Let\\u{202e}'s Encrypt\\u{1b}[2J" } },
    });
  });
});
