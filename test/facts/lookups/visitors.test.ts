import { afterEach, describe, expect, test } from "bun:test";
import { createPageReader } from "../../../src/facts/lookups/page/page-reader.ts";
import { createCookieJar } from "../../../src/facts/lookups/visits/page-request.ts";
import { visitorsFor } from "../../../src/facts/lookups/visits/visitors.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";

const open: { stop(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.stop();
});

const login = "<title>Example Bank</title><p>Sign in</p><form><input type=password></form>";
const html = (body: string, init: ResponseInit = {}) =>
  new Response(body, { ...init, headers: { "content-type": "text/html", ...init.headers } });

/** Opens `address` at a server that responds for every name. */
async function visit(
  respond: (request: Request, path: string) => Response,
  { address = "mobile.example", languages = ["de"] } = {},
) {
  const requests: { path: string; agent: string; referrer: string | null; cookie: string | null }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      const { headers } = request;
      if (pathname !== "/favicon.ico")
        requests.push({
          path: pathname,
          agent: headers.get("user-agent")!,
          referrer: headers.get("referer"),
          cookie: headers.get("cookie"),
        });
      return respond(request, pathname);
    },
  });
  const pages = createPageReader({
    clock: systemClock,
    rules: { allowPrivateNetworks: true },
    resolveHost: async () => ["127.0.0.1"],
    ports: { http: server.port!, https: 1 },
  });
  open.push({ stop: () => (pages.close(), void server.stop(true)) });
  const read = await pages.read({
    address,
    protectedDomains: ["example-bank.com"],
    brandNames: ["example-bank"],
    languages,
  });
  if (!read.ok) throw new Error(read.reason);
  return { ...read, requests };
}

describe("a page is opened as other visitors until one of them is shown something", () => {
  test("if the first visitor is shown an error, and the fact says to whom the page was shown", async () => {
    const { page, requests } = await visit(({ headers }) =>
      /iPhone/.test(headers.get("user-agent")!) ? html(login) : html("not here", { status: 404 }),
    );
    expect(page).toMatchObject({ status: 200, asksForPassword: true, shownTo: "iphone" });
    expect(requests.length).toBe(2);
  });

  test("if the first visitor is sent to the protected domain", async () => {
    const { page } = await visit(({ headers }) =>
      headers.get("referer")?.includes("google") === true
        ? html(login)
        : new Response(null, { status: 302, headers: { location: "https://www.example-bank.com/" } }),
    );
    expect(page).toMatchObject({ asksForPassword: true, redirectsToProtected: false, shownTo: "android" });
  });

  test("if the first visitor is shown an empty page, or sent to another site, and only a language matters", async () => {
    for (const shown of [
      html(""),
      html("", { status: 302, headers: { location: "http://harmless.example/" } }),
    ]) {
      const { page } = await visit(({ headers, url }) => {
        if (new URL(url).hostname === "harmless.example") return html("<p>Weather of the week</p>");
        return headers.get("accept-language")!.startsWith("en-US")
          ? html(login)
          : (shown.clone() as Response);
      });
      expect(page).toMatchObject({ asksForPassword: true, shownTo: "android" });
    }
  });

  test("and if none is, the first visit counts, after four of them", async () => {
    const { page, requests } = await visit(() => html("gone", { status: 410 }));
    expect(page).toMatchObject({ status: 410 });
    expect(page).not.toHaveProperty("shownTo");
    expect(new Set(requests.map(({ agent, referrer }) => `${agent} ${referrer}`)).size).toBe(4);
  });

  test("but only once if the first one is shown a page", async () => {
    const { requests } = await visit(() => html(`<p>${"A page about gardens. ".repeat(9)}</p>`));
    expect(requests.length).toBe(1);
  });
});

test("the cookies of a page are returned within a visit, and never to another one", async () => {
  const { page, requests } = await visit((request, path) => {
    if (path === "/")
      return new Response(null, { status: 302, headers: { location: "/in", "set-cookie": "a=1; Path=/" } });
    return request.headers.get("cookie") === "a=1" ? html("", { status: 403 }) : html(login);
  });
  expect(page.status).toBe(403);
  expect(requests.map(({ path, cookie }) => `${path} ${cookie}`)).toEqual(
    Array.from({ length: 4 }, () => ["/ null", "/in a=1"]).flat(),
  );
});

test("a page that redirects to itself until its cookie is returned is shown", async () => {
  const { page, requests } = await visit(({ headers }, path) =>
    path === "/favicon.ico" || headers.get("cookie") === "seen=1"
      ? html(login)
      : new Response(null, { status: 302, headers: { location: "/", "set-cookie": "seen=1" } }),
  );
  expect(page).toMatchObject({ status: 200, asksForPassword: true });
  expect(requests.length).toBe(2);
});

test("cookies are kept for the host that sets them, or for a domain above it, but not for others", () => {
  const jar = createCookieJar();
  const at = (host: string) => jar.headerFor(new URL(`https://${host}/`));
  jar.take(
    new URL("https://www.shop.example/"),
    "own=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, wide=2; Domain=.shop.example, foreign=3; domain=bank.example, top=4; domain=example",
  );
  expect(at("www.shop.example")).toBe("own=1; wide=2; foreign=3; top=4");
  expect(at("pay.shop.example")).toBe("wide=2");
  expect(at("bank.example")).toBeUndefined();
  jar.take(new URL("https://shop.example/"), `long=${"x".repeat(5_000)}, odd=\u0001`);
  expect(at("shop.example")).toBe("wide=2");
});

test("an address may be a URL, whose path is opened", async () => {
  const { requests, view } = await visit(() => html(login), { address: "http://mobile.example/a/b?c=1#d" });
  expect(requests.map(({ path }) => path)).toEqual(["/a/b"]);
  expect(view.addresses).toEqual(["http://mobile.example/a/b?c=1"]);
});

test("visitors prefer the language of the protected site, and an invalid one is ignored", () => {
  expect(visitorsFor(["pt-br"]).map(({ languages }) => languages)[0]).toBe(
    "pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7",
  );
  expect(visitorsFor(["de\r\nx: y"])).toEqual(visitorsFor([]));
});
