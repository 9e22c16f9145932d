import { clients } from "../../../src/web/api/clients/clients.ts";
import type { OpenApiDocument } from "../../../src/web/api/site/api-reference.ts";
import type { ErrorBody } from "../../../src/web/http/errors.ts";
import { manualPages } from "../../../src/manual/manual.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openApi, type Api } from "../../support/api.ts";
import { htmlProblems } from "../../support/html-problems.ts";

let api: Api;
beforeEach(() => void (api = openApi()));
afterEach(() => api.dispose());

describe("health", () => {
  test("/healthz returns 200 while the process responds", async () => {
    const response = await api.call("GET", "/healthz");
    expect([response.status, response.json]).toEqual([200, { status: "ok" }]);
    expect((await api.call("HEAD", "/healthz")).status).toBe(200);
  });

  test("/readyz lists its checks and writes nothing", async () => {
    const before = api.database.sqlite.query("select total_changes() as n").get();
    const response = await api.call("GET", "/readyz");
    expect([response.status, response.json]).toEqual([
      200,
      {
        status: "ready",
        checks: { database: "ok", disk: "ok", schedulers: "ok" },
        unknown: [expect.stringContaining("not checked yet")],
      },
    ]);
    expect(api.database.sqlite.query("select total_changes() as n").get()).toEqual(before);
    expect(api.database.sqlite.query("pragma busy_timeout").get()).toEqual({ timeout: 10_000 });
  });

  test("/readyz returns 503 if the schedulers do not run or the database is read-only", async () => {
    const stopped = openApi({ schedulersRunning: () => false });
    const response = await stopped.call("GET", "/readyz");
    expect([response.status, response.json.status, response.json.checks.schedulers]).toEqual([
      503,
      "not ready",
      "not running",
    ]);
    stopped.dispose();
    api.database.sqlite.run("pragma query_only = 1");
    const readOnly = await api.call("GET", "/readyz");
    expect([readOnly.status, readOnly.json.checks.database]).toEqual([
      503,
      expect.stringContaining("it is read-only"),
    ]);
  });

  test("/readyz does not wait for the lock of another process", async () => {
    const { Database } = await import("bun:sqlite");
    const other = new Database(api.path);
    other.run("begin immediate");
    expect((await api.call("GET", "/readyz")).status).toBe(200);
    other.close();
    // Waiting for the lock would take 10 s.
  }, 9_000);
});

describe("/metrics", () => {
  test("counts requests by route and status, never by a caller's path", async () => {
    api.sight("examp1e-bank.com");
    const key = api.key();
    await api.call("GET", "/v1/threats/nonsense", { key });
    await api.call("GET", "/v1/threats/other", { key });
    await api.call("GET", "/v1/threats");
    await api.call("GET", "/nowhere");
    const { text, headers } = await api.call("GET", "/metrics");
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = text.split("\n");
    expect(lines).toContain(
      'phishwatch_http_requests_total{route="/v1/threats/:id",method="GET",status="404"} 2',
    );
    expect(lines).toContain(
      'phishwatch_http_requests_total{route="/v1/threats",method="GET",status="401"} 1',
    );
    expect(lines).toContain('phishwatch_http_requests_total{route="none",method="GET",status="404"} 1');
    expect(lines).toContain('phishwatch_threats{status="active",severity="medium"} 1');
    expect(lines).toContain('phishwatch_build_info{version="1.2.3",commit="abc1234",bun="1.4.5"} 1');
    expect(text).not.toContain("nonsense");
    expect(text).not.toContain("nowhere");
  });

  test("counts names, matches and new threats by source", async () => {
    const key = api.key();
    const body = { domains: ["example-bank.net", "other.org", "a b"] };
    expect((await api.call("POST", "/v1/candidates", { key, body })).status).toBe(200);
    const lines = (await api.call("GET", "/metrics")).text.split("\n");
    const labels = '{kind="submission",source="test"}';
    expect(lines).toContain(`phishwatch_source_names_total${labels} 3`);
    expect(lines).toContain(`phishwatch_source_invalid_names_total${labels} 1`);
    expect(lines).toContain(`phishwatch_source_matched_names_total${labels} 1`);
    expect(lines).toContain(`phishwatch_source_threats_total${labels} 1`);
  });

  test("has the Prometheus text format", async () => {
    const { text } = await api.call("GET", "/metrics");
    for (const line of text.trimEnd().split("\n")) {
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z_]+="[^"\n]*",?)+\})? [0-9.e+-]+)$/);
    }
    expect(text.endsWith("\n")).toBe(true);
  });

  test("requires its token if one is set", async () => {
    const token = "a-token-for-metrics";
    const closed = openApi({ server: { metricsToken: token } });
    const status = async (authorization?: string) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      return (await closed.call("GET", "/metrics", { headers })).status;
    };
    expect(await status()).toBe(401);
    expect(await status("Bearer wrong")).toBe(401);
    expect(await status(`Bearer ${closed.key()}`)).toBe(401);
    expect(await status(`Bearer ${token}`)).toBe(200);
    expect(await status(`bearer ${token}`)).toBe(200);
    const response = await closed.call("GET", "/metrics");
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(response.text).not.toContain(token);
    closed.dispose();
  });
});

describe("the image behind screenshot_url", () => {
  async function pathOf(domain: string): Promise<string> {
    const [id] = api.sight(domain);
    const { json } = await api.call("GET", `/v1/threats/${id}`, { key: api.key() });
    return new URL(json.data.screenshot_url).pathname;
  }

  test("opens without a key and shows the domain in display form and A-label form", async () => {
    const response = await api.call("GET", await pathOf("xn--exmple-cua.com"));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/svg+xml");
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(response.text).toContain(">ex\u00e4mple.com</text>");
    expect(response.text).toContain(">xn--exmple-cua.com</text>");
    expect(response.text).toContain(">This version does not capture pages.</text>");
    expect(response.text).not.toMatch(/<script|href|url\(|@import|<image|<foreignObject/i);
  });

  test("is the screenshot once there is one", async () => {
    const webp = new Uint8Array([0x52, 0x49, 0x46, 0x46]);
    const withScreenshot = openApi({ readScreenshot: async () => ({ webp }) });
    const [id] = withScreenshot.sight("examp1e-bank.com");
    const { json } = await withScreenshot.call("GET", `/v1/threats/${id}`, { key: withScreenshot.key() });
    const address = new URL(json.data.screenshot_url).pathname;
    const { status, headers, text } = await withScreenshot.call("GET", address);
    expect([status, headers.get("content-type"), text]).toEqual([200, "image/webp", "RIFF"]);
    expect((await withScreenshot.call("GET", `${address}x`)).status).toBe(404);
    withScreenshot.dispose();
  });

  test("contains no hidden characters, whatever the name decodes to", async () => {
    // Punycode of U+202E and of a right-to-left letter.
    for (const domain of ["xn--exampl-7m9d.com", "xn--4dbcagdahymbxekheh6e0a7fei0b.com"]) {
      const { status, text } = await api.call("GET", await pathOf(domain));
      expect(status).toBe(200);
      expect(text).toContain(domain);
      expect(text).not.toMatch(/[\p{Cf}\u0590-\u08ff]/u);
    }
  });

  test("wraps the longest name into lines that fit", async () => {
    const name = `${"w".repeat(63)}.${"w".repeat(63)}.${"w".repeat(63)}.${"w".repeat(57)}.com`;
    const { text } = await api.call("GET", await pathOf(name));
    const lines = [...text.matchAll(/>([^<]+)<\/text>/g)].map(([, line]) => line!);
    expect(lines.slice(0, -1).join("")).toBe(name);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(45);
  });

  test("returns 404 for a wrong token, another threat's token, or an unknown threat", async () => {
    const [path, other] = [await pathOf("a1.com"), await pathOf("a2.com")];
    const [, , id, token] = path.split("/");
    const wrong = [
      `/screenshots/${id}/${token!.slice(1)}`,
      `/screenshots/${id}/${token}x`,
      `/screenshots/${id}/${other.split("/")[3]}`,
      `/screenshots/thr_01h455vb4pex5vsknk084sn02q/${token}`,
      `/screenshots/${id}/%zz`,
      `/screenshots/%zz/${token}`,
      `/screenshots/${id}/`,
      `/screenshots/${id}`,
      `/screenshots/'--/${token}`,
    ];
    for (const address of wrong) {
      const response = await api.call("GET", address);
      expect([address, response.status, response.json.error.code]).toEqual([address, 404, "not_found"]);
    }
  });
});

describe("pages", () => {
  test("/ redirects to the console", async () => {
    const response = await api.call("GET", "/");
    expect([response.status, response.headers.get("location")]).toEqual([302, "/console"]);
  });

  test("every method and path under /console reaches the console", async () => {
    for (const [method, path] of [
      ["GET", "/console"],
      ["GET", "/console/threats/x"],
      ["POST", "/console/sign-in"],
    ] as const) {
      const response = await api.call(method, path);
      expect([response.status, response.text]).toEqual([200, "the console"]);
    }
  });

  test("with the console disabled, /console returns 404 and / redirects to the API reference", async () => {
    const without = openApi({ consoleEnabled: false });
    expect((await without.call("GET", "/")).headers.get("location")).toBe("/docs");
    expect((await without.call("GET", "/console")).status).toBe(404);
    expect((await without.call("POST", "/console/sign-in")).status).toBe(404);
    without.dispose();
  });

  test("/docs/api describes every operation, parameter, field, event and error of the OpenAPI document", async () => {
    const page = await api.call("GET", "/docs/api");
    expect(page.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'self';");
    expect(page.text).not.toContain("<script");
    expect(page.text).toContain('<a href="/console">Console</a>');
    const document = (await api.call("GET", "/openapi.json")).json as OpenApiDocument;
    const { schemas, responses } = document.components;
    const named = [...Object.keys(document.webhooks), ...Object.keys(schemas)];
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { summary, parameters = [] }] of Object.entries(methods))
        named.push(`${method.toUpperCase()} /v1${path}`, summary, ...parameters.map(({ name }) => name));
    for (const { description, content, headers = {} } of Object.values(responses)) {
      const { error } = content!["application/json"]!.example as ErrorBody;
      named.push(description, error.code, ...Object.keys(headers));
    }
    const visit = (value: unknown) => {
      if (typeof value !== "object" || value === null) return;
      const { properties } = value as { properties?: object };
      if (properties !== undefined) named.push(...Object.keys(properties));
      for (const part of Object.values(value)) visit(part);
    };
    visit(schemas);
    expect(named.length).toBeGreaterThan(100);
    const text = page.text
      .replaceAll(/<[^>]+>/g, "")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'");
    for (const one of named) expect(text).toContain(one.replaceAll("`", ""));
    for (const [, anchor] of page.text.matchAll(/href="#([^"]+)"/g))
      expect(page.text.split(`id="${anchor}"`).length).toBe(2);
    for (const path of ["/docs/api/nothing", "/docs/api/__proto__", "/docs/api/%zz"]) {
      expect((await api.call("GET", path)).status).toBe(404);
    }
  });

  test("every page of the manual and the API reference are valid HTML", async () => {
    const topics = manualPages.map(({ topic }) => `/docs/${topic}`);
    for (const path of ["/docs", "/docs?q=retry", "/docs?q=%3Cb%3E", "/docs/api", ...topics])
      expect([path, htmlProblems((await api.call("GET", path)).text)]).toEqual([path, []]);
  });

  test("/favicon.ico is an icon", async () => {
    const { headers, text } = await api.call("GET", "/favicon.ico");
    expect(headers.get("content-type")).toBe("image/svg+xml");
    expect(text).toStartWith("<svg ");
    await expectCachedAsset("/favicon.ico");
  });

  test("/docs shows the manual with its version, and every link in it leads to a page", async () => {
    const index = await api.call("GET", "/docs");
    expect(index.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'self';");
    expect(index.text).toMatch(/Version \S+\. In a terminal/);
    expect(index.text).toContain('<a href="/docs/api">');
    await expectCachedAsset("/docs/manual.css");
    expect(index.text).not.toContain("<script");
    const pages = new Map<string, string>();
    for (const { topic } of manualPages) {
      const page = await api.call("GET", `/docs/${topic}`);
      expect([topic, page.status]).toEqual([topic, 200]);
      pages.set(`/docs/${topic}`, page.text);
      expect(index.text).toContain(`href="/docs/${topic}"`);
    }
    const clientPaths = clients.map(({ file }) => `/docs/clients/${file}`);
    for (const path of clientPaths) await expectCachedAsset(path);
    const own = new Set([
      ...clientPaths,
      "/docs",
      "/docs/api",
      "/docs/manual.css",
      "/favicon.ico",
      "/console",
    ]);
    for (const [from, text] of pages) {
      for (const [, link] of text.matchAll(/href="([^"]+)"/g)) {
        if (/^https?:/.test(link!)) continue;
        const [path, anchor] = link!.split("#");
        const target = path === "" ? text : pages.get(path!);
        expect([from, link, own.has(path!) || target !== undefined]).toEqual([from, link, true]);
        if (anchor !== undefined)
          expect([from, link, target!.includes(`id="${anchor}"`)]).toEqual([from, link, true]);
      }
    }
    const wrongClients = ["/docs/clients/", "/docs/clients/nothing.ts", "/docs/clients/..%2fv1%2fopenapi.ts"];
    for (const path of [
      ...wrongClients,
      "/docs/nothing",
      "/docs/../package.json",
      "/docs/__proto__",
      "/docs/%zz",
    ]) {
      expect((await api.call("GET", path)).status).toBe(404);
    }
  });

  test("/docs?q= finds sections of the manual, and shows the query without interpreting it", async () => {
    const found = await api.call("GET", "/docs?q=webhook+secret");
    expect(found.text).toMatch(/<dt><a href="\/docs\/[a-z-]+/);
    const nothing = await api.call("GET", "/docs?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    expect(nothing.text).toContain("&lt;script&gt;");
    expect(nothing.text).not.toContain("<script");
    expect(nothing.text).toContain("No section of the manual");
  });

  async function expectCachedAsset(address: string) {
    const asset = await api.call("GET", address);
    expect([address, asset.status]).toEqual([address, 200]);
    expect(asset.headers.get("cache-control")).toBe("no-cache");
    const etag = asset.headers.get("etag")!;
    const kept = await api.call("GET", address, { headers: { "if-none-match": etag } });
    expect([address, kept.status, kept.text]).toEqual([address, 304, ""]);
  }
});
