import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { listResponse, startListServer, type ListServer } from "../../../support/list-server.ts";
import { startRawServer } from "../../../support/raw-server.ts";
import { until } from "../../../support/until.ts";
import { openFeedWorld, type FeedWorld } from "../../../support/url-feed-world.ts";

const hourMs = 3_600_000;
const names = (count: number, prefix = "name") =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}.org`).join("\n");

let world: FeedWorld;
let server: ListServer;
const closers: (() => void)[] = [];

beforeEach(() => {
  world = openFeedWorld();
  server = startListServer();
});
afterEach(async () => {
  await world.dispose();
  server.stop();
  for (const close of closers.splice(0)) close();
});

const serve = (content: string | Uint8Array<ArrayBuffer>) =>
  server.respond((request) => listResponse(request, content));
const start = (settings: Parameters<FeedWorld["start"]>[0] = {}) =>
  world.start({ url: `${server.url}/nrd.txt`, ...settings });

describe("a list that is fetched", () => {
  test("is read, asked for by its schedule, and not sent again while it has not changed", async () => {
    serve("example-bank.net\nother.org\n");
    await start();
    expect(world.threats()).toEqual(["example-bank.net"]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]!.headers.get("user-agent")).toBe("phishwatch/test");
    await world.advance(6 * hourMs + hourMs);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]!.headers.get("if-none-match")).toStartWith('"');
    expect(world.status()).toMatchObject({ state: "watching", problem: null, matched: 1, created: 1 });
    expect(world.messages("feed fetched")).toHaveLength(1);
  });

  test("can be a JSON array or a MISP event, and has only its new names scored", async () => {
    const event = (...values: string[]) =>
      JSON.stringify({ Event: { Attribute: values.map((value) => ({ type: "url", value })) } });
    serve('[{"url":"https://example-bank.net/","n":1},{"url":"https://other.org/"}]');
    await start();
    expect(world.threats()).toEqual(["example-bank.net"]);
    serve(event("https://example-bank.net/", "https://other.org/", "https://example-shop.net/"));
    await world.advance(7 * hourMs);
    expect(world.threats()).toEqual(["example-bank.net", "example-shop.net"]);
    expect(world.messages("feed fetched")).toMatchObject([{ added: 2 }, { names: 3, added: 1 }]);
  });

  test("that is the manifest of a MISP feed is reported with what to read instead", async () => {
    serve(JSON.stringify({ "5f1e1e4c-0000-4000-8000-000000000000": { info: "x" } }));
    await start();
    expect(world.status().problem).toContain("is the manifest of a MISP feed and contains no names");
  });

  test("is not asked for again by a restart before its time", async () => {
    serve("example-bank.net\n");
    await start();
    await start();
    await world.advance(hourMs);
    expect(server.requests).toHaveLength(1);
    expect(world.messages("feed file read")).toHaveLength(0);
    expect(world.status().files).toMatchObject([{ lines: 1, matched: 1, error: null }]);
  });

  test("keeps its progress when its address changes", async () => {
    serve("example-bank.net\n");
    await start();
    await start({ url: `${server.url}/moved.txt` });
    expect(server.requests.at(-1)!.headers.get("if-none-match")).toBeNull();
    expect(world.messages("feed file read")).toHaveLength(0);
    expect(world.status()).toMatchObject({
      matched: 1,
      files: [{ path: `${server.url}/moved.txt`, matched: 1 }],
    });
  });

  test("is asked for at once after its settings have changed", async () => {
    server.respond(({ query }) =>
      query === "?key=right" ? new Response("example-bank.net\n") : new Response("no", { status: 403 }),
    );
    await start({ query: "key=wrong" });
    expect(world.status()).toMatchObject({ state: "unavailable" });
    expect(world.status().problem).toContain("denies access (status 403)");
    await start({ query: "key=right" });
    expect(world.threats()).toEqual(["example-bank.net"]);
    expect(world.status().problem).toBeNull();
  });

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ["gzip", new Uint8Array(gzipSync("example-bank.net\n"))],
    ["Zstandard", new Uint8Array(zstdCompressSync("example-bank.net\n"))],
  ])("can be compressed with %s", async (_name, content) => {
    serve(content);
    await start();
    expect(world.threats()).toEqual(["example-bank.net"]);
  });

  test("can be sent with a content encoding", async () => {
    server.respond(
      () => new Response(gzipSync("example-bank.net\n"), { headers: { "content-encoding": "gzip" } }),
    );
    await start();
    expect(world.threats()).toEqual(["example-bank.net"]);
  });

  test("has only its new names scored when it changes", async () => {
    serve(`${names(500)}\nexample-bank.net\n`);
    await start();
    serve(`${names(480)}\nexample-shop.net\nexample-bank.net\n`);
    await world.advance(7 * hourMs);
    expect(world.threats()).toEqual(["example-bank.net", "example-shop.net"]);
    // The name that was there before is not matched again.
    expect(world.status()).toMatchObject({ matched: 1, created: 1, amounts: [{ count: 1 }, { count: 482 }] });
    expect(world.messages("feed fetched").at(-1)).toMatchObject({ names: 482, added: 1, removed: 20 });
  });

  test("is scored as a whole again once in 30 days, because the archive forgets names that are not seen", async () => {
    serve("example-bank.net\n");
    await start();
    serve("example-bank.net\nother.org\n");
    await world.advance(20 * 24 * hourMs);
    expect(world.status().matched).toBe(0);
    serve("example-bank.net\nanother.org\n");
    await world.advance(11 * 24 * hourMs);
    expect(world.status().matched).toBe(1);
  });

  test("is scored as a whole again on request", async () => {
    serve("example-bank.net\n");
    await start();
    serve("example-bank.net\nother.org\n");
    await world.advance(7 * hourMs);
    expect(world.status().matched).toBe(0);
    world.readAgain(`${server.url}/nrd.txt`);
    await world.advance(0);
    expect(world.status().matched).toBe(1);
    expect(world.threats()).toEqual(["example-bank.net"]);
  });

  test("that could not be fetched is fetched at once on request", async () => {
    await start();
    expect(world.status().state).toBe("unavailable");
    serve("example-bank.net\n");
    world.readAgain(`${server.url}/nrd.txt`);
    await world.advance(0);
    expect(world.threats()).toEqual(["example-bank.net"]);
  });

  test("is fetched at once on request also if an earlier version is in effect", async () => {
    serve("example-bank.net\n");
    await start();
    server.respond(() => new Response("nothing here", { status: 404 }));
    await world.advance(7 * hourMs);
    expect(world.status().problem).toMatch(/status 404\).* The list of .* stays in effect\.$/);
    serve("example-bank.net\nexample-bank.org\n");
    world.readAgain(`${server.url}/nrd.txt`);
    await world.advance(0);
    expect(world.status().problem).toBeNull();
    expect(world.threats().sort()).toEqual(["example-bank.net", "example-bank.org"]);
  });

  test("that the server sends again without supporting conditions counts as unchanged", async () => {
    server.respond(() => new Response("example-bank.net\n"));
    await start();
    await world.advance(7 * hourMs);
    expect(server.requests).toHaveLength(2);
    expect(world.messages("feed fetched")).toHaveLength(1);
  });

  test("that has not changed for three intervals is overdue", async () => {
    serve("example-bank.net\n");
    await start();
    await world.advance(13 * hourMs);
    expect(world.status().overdue).toBeNull();
    await world.advance(6 * hourMs);
    expect(world.status().overdue).toMatchObject({ usualMs: 6 * hourMs });
    expect(await world.check()).toMatchObject({
      level: "warning",
      detail: expect.stringContaining("nothing new"),
    });
  });

  test("is neither fetched nor read while the feed is paused", async () => {
    await start();
    world.pause();
    serve("example-bank.net\n");
    await world.advance(12 * hourMs);
    expect(server.requests).toHaveLength(1);
    expect(world.status().state).toBe("paused");
    world.resume();
    await world.idle();
    expect(world.threats()).toEqual(["example-bank.net"]);
  });
});

describe("secrets of a feed", () => {
  test("are sent to its server only, and appear nowhere else", async () => {
    const other = startListServer();
    closers.push(other.stop);
    other.respond(() => new Response("example-bank.net\n"));
    server.respond(() => Response.redirect(`${other.url}/elsewhere?x=1`));
    await start({ headers: { "Auth-Key": "s3cret-header" }, query: "auth-key=s3cret-query#1" });
    expect(server.requests[0]).toMatchObject({ query: "?auth-key=s3cret-query%231" });
    expect(server.requests[0]!.headers.get("auth-key")).toBe("s3cret-header");
    expect(world.threats()).toEqual(["example-bank.net"]);
    expect(other.requests[0]!.headers.get("auth-key")).toBeNull();
    expect(other.requests[0]!.query).toBe("?x=1");
    server.respond(() => new Response("no", { status: 500 }));
    await world.advance(7 * hourMs);
    const shown = [JSON.stringify(world.status()), JSON.stringify(await world.check()), world.logText()];
    expect(shown.join("\n")).toContain("status 500");
    expect(shown.join("\n")).not.toContain("s3cret");
  });

  test("may replace the User-Agent, which some lists require", async () => {
    serve("example-bank.net\n");
    await start({ headers: { "User-Agent": "phishtank/someone" } });
    expect(server.requests[0]!.headers.get("user-agent")).toBe("phishtank/someone");
  });
});

const html = "<!DOCTYPE html><html><body>Sign in to example-bank.net</body></html>";
const zeros = new Uint8Array(5 << 20);
const bomb = () => new Uint8Array(gzipSync(zeros));
const chunked = (piece: Uint8Array<ArrayBuffer>, count: number) => {
  let left = count;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(piece);
      else controller.close();
    },
  });
};

describe("a bad response", () => {
  test.each<[string, () => Response | Promise<Response>, RegExp]>([
    ["a page with status 200", () => new Response(html), /The list is an HTML page, not a list/],
    [
      "an error message with status 200",
      () => new Response("Rate limit exceeded, try later.\n"),
      /contains no names/,
    ],
    ["JSON with status 200", () => Response.json({ error: "quota" }), /contains no list of names/],
    ["an empty body", () => new Response(""), /contains no names/],
    ["a zip bomb", () => new Response(bomb()), /is longer than 4\.0 MiB of text/],
    [
      "a zip bomb in a ZIP archive",
      () => new Response(zipSync({ "list.txt": zeros })),
      /is longer than 4\.0 MiB of text/,
    ],
    ["a truncated gzip", () => new Response(gzipSync(names(5_000)).subarray(0, 5_000)), /is truncated/],
    [
      "10 GB without a length",
      () => new Response(chunked(new Uint8Array(65_536), 152_588)),
      /larger than max_size/,
    ],
    ["404", () => new Response("no", { status: 404 }), /no such list \(status 404\)/],
    ["509", () => new Response("no", { status: 509 }), /limits requests \(status 509\)/],
    ["500", () => new Response("no", { status: 500 }), /status 500/],
    ["an endless redirect", () => Response.redirect("/again"), /redirects more than 5 times/],
    ["a redirect to another scheme", () => Response.redirect("file:///etc/passwd"), /not a web address/],
  ])("such as %s is reported, and the last good list stays in effect", async (_name, respond, problem) => {
    server.respond(respond);
    await start({ bytesMax: 4 << 20 });
    expect(world.status().state).toBe("unavailable");
    expect(world.status().problem).toMatch(problem);
    serve(`${names(3_000)}\nexample-bank.net\n`);
    await world.advance(hourMs);
    expect(world.status()).toMatchObject({ problem: null, state: "watching", created: 1 });
    server.respond(respond);
    await world.advance(7 * hourMs);
    expect(world.status().problem).toMatch(problem);
    expect(world.status().amounts[1]).toMatchObject({ count: 3_001 });
    // The list and its hashes; nothing of the download is left.
    expect(world.storedFiles()).toHaveLength(2);
    expect(await world.check()).toMatchObject({ level: "warning" });
  });

  test("such as 304 although nothing is known is reported", async () => {
    server.respond(() => new Response(null, { status: 304 }));
    await start();
    expect(world.status().problem).toMatch(/status 304/);
  });

  test("that announces 10 GB is not received", async () => {
    const raw = await startRawServer(
      (socket) =>
        void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\nexample-bank.net\n"),
    );
    closers.push(raw.stop);
    await world.start({ url: raw.url, bytesMax: 4 << 20 });
    expect(world.status().problem).toMatch(/larger than max_size/);
  });

  test("for which the disk has no room is not received, so that the database does not run out of space", async () => {
    serve(names(1_000));
    await world.start({ url: server.url }, { freeBytes: 2 ** 30 + 20_000 });
    expect(world.status().problem).toMatch(/^The disk has no room for the list/);
    await world.start({ url: `${server.url}/again` }, { freeBytes: 2 ** 30 + 60_000 });
    expect(world.status().problem).toBeNull();
  });

  test("that arrives in a slow drip is given up", async () => {
    const raw = await startRawServer(
      (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nexample-bank.net\n"),
    );
    closers.push(raw.stop);
    await world.start({ url: raw.url }, { wait: false });
    await until(() => raw.requests.length === 1, "the request arrives");
    await world.advance(61_000);
    expect(world.status().problem).toMatch(/less than 64 KiB per minute/);
  });

  test("that ends early is reported", async () => {
    const raw = await startRawServer(
      (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nexample-bank.net\n"),
    );
    closers.push(raw.stop);
    await world.start({ url: raw.url });
    expect(world.status().problem).toMatch(/closed before the response was complete/);
  });

  test("delays the next request by what Retry-After says", async () => {
    server.respond(() => new Response("no", { status: 429, headers: { "retry-after": "36000" } }));
    await start();
    await world.advance(9 * hourMs);
    expect(server.requests).toHaveLength(1);
    await world.advance(1.1 * hourMs);
    expect(server.requests).toHaveLength(2);
  });

  test("does not reach a private address, whatever the name resolves to at the time", async () => {
    await world.dispose();
    world = openFeedWorld({ resolveHost: () => Promise.resolve(["192.0.2.1", "127.0.0.1"]) });
    await world.start({
      url: `https://lists.example:${new URL(server.url).port}/`,
      allowPrivateNetworks: false,
    });
    expect(world.status().problem).toMatch(/lists\.example: 192\.0\.2\.1 is a reserved address/);
    await world.dispose();
    world = openFeedWorld({ resolveHost: () => Promise.resolve(["127.0.0.1"]) });
    await world.start({
      url: `https://lists.example:${new URL(server.url).port}/`,
      allowPrivateNetworks: false,
    });
    expect(world.status().problem).toMatch(
      /127\.0\.0\.1 is a loopback address; allow_private_networks = true would allow it\.$/,
    );
    expect(server.requests).toHaveLength(0);
  });

  test("with a tenth of the names is accepted only at the third time in a row", async () => {
    serve(names(2_000));
    await start();
    serve(`${names(100)}\nexample-bank.net\n`);
    await world.advance(7 * hourMs);
    expect(world.status().problem).toMatch(/has shrunk from 2000 to 101 names/);
    await world.advance(7 * hourMs);
    expect(world.threats()).toEqual([]);
    await world.advance(7 * hourMs);
    expect(world.status()).toMatchObject({ problem: null, amounts: [{ count: 1 }, { count: 101 }] });
    expect(world.threats()).toEqual(["example-bank.net"]);
  });
});

describe("a process that was killed", () => {
  test("leaves files that the next start deletes", async () => {
    serve("example-bank.net\n");
    await start();
    await world.stop();
    const kept = world.storedFiles();
    const id = kept[0]!.split(".")[0]!;
    for (const name of [`${id}.download`, `${id}.sorting`, `${id}.2.list`, `${id}.2.hashes`, `${id}.2.added`])
      writeFileSync(join(world.folder, name), "half a fi");
    await start();
    expect(world.storedFiles().sort()).toEqual(kept.sort());
    serve("example-bank.net\nexample-shop.net\n");
    await world.advance(7 * hourMs);
    expect(world.threats()).toEqual(["example-bank.net", "example-shop.net"]);
  });

  test("or a feed that was removed or has another type now leaves files that the next start deletes", async () => {
    serve("example-bank.net\n");
    await start();
    await start({ name: "other" });
    expect(world.storedFiles()).toHaveLength(2);
    await start({ name: "other", type: "czds", username: "a", password: "b" });
    expect(world.storedFiles()).toEqual([]);
  });

  test("loses no name if the files of its last list are gone", async () => {
    serve("other.org\n");
    await start();
    await world.stop();
    for (const name of world.storedFiles()) writeFileSync(join(world.folder, name), "");
    serve("other.org\nexample-bank.net\n");
    await start();
    await world.advance(7 * hourMs);
    expect(world.threats()).toEqual(["example-bank.net"]);
  });
});
