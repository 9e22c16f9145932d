import { afterEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openApp, type App } from "../../../src/app/app.ts";
import { loadConfig } from "../../../src/platform/config/load.ts";
import { events } from "../../../src/threats/events/tables.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { fillRandom, temporaryFolder } from "../../support/appliance.ts";
import { findChromium } from "../../support/chromium.ts";
import { startDnsServer, type Zones } from "../../support/dns-server.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

const chromium = findChromium();
const slowMs = 120_000;
/** Number of look-alikes that a scan looks up, the most likely first. */
const lookAlikes = 1_000;
const dayMs = 86_400_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const zones: Zones = {
  "example-bank.com": { A: ["127.0.0.1"] },
  "*.registry.test": { A: ["127.0.0.1"] },
  // A copy of the sign-in page, registered yesterday.
  "examp1e-bank.com": { A: ["127.0.0.1"], NS: ["ns1.host.test"] },
  // Accepts mail and has no page.
  "example-bank.net": { MX: [[10, "mx.host.test"]], NS: ["ns1.host.test"] },
  // A copy that scripts build, of which the server sends nothing.
  "exarnple-bank.com": { A: ["127.0.0.1"], NS: ["ns1.host.test"] },
  // An unrelated bakery.
  "example-bamk.com": { A: ["127.0.0.1"], NS: ["ns1.host.test"] },
  // Redirects to the bank itself.
  "examplebank.com": { A: ["127.0.0.1"], NS: ["ns1.host.test"] },
  "exampe-bank.com": { rcode: "SERVFAIL" },
  // Copies that are only at the address that was reported; one of them was removed.
  "kept.example-bank.evil.test": { A: ["127.0.0.1"] },
  "removed.example-bank.evil.test": { A: ["127.0.0.1"] },
};

const signIn = `<title>Example Bank</title><body style="margin:0;font:20px sans-serif"><div style="height:120px;background:#036"></div>
  <form action="/login" method="post" style="margin:80px;width:400px;height:300px;background:#ccd"><h1>Example Bank</h1>
  <input name="user"><input type="password" name="password"></form></body>`;
const built = `<title>Welcome</title><body style="margin:0;font:20px sans-serif"><script>
  const add = (parent, tag, style, rest) => {
    const element = parent.appendChild(document.createElement(tag));
    element.style = style;
    return Object.assign(element, rest);
  };
  const brand = ["Exam", "ple Ba", "nk"].join("");
  document.title = brand;
  add(document.body, "div", "height:120px;background:#036", {});
  const form = add(document.body, "form", "margin:80px;width:400px;height:300px;background:#ccd", { method: "post" });
  add(form, "h1", "", { textContent: brand });
  add(form, "input", "", { name: "user" });
  add(form, "input", "", { type: ["pass", "word"].join(""), name: "pin" });
</script></body>`;
const pages: Record<string, () => Response> = {
  "exarnple-bank.com": () => html(built),
  "example-bank.com": () => html(signIn),
  "examp1e-bank.com": () => html(signIn),
  "example-bamk.com": () =>
    html(`<title>Bread</title><body><h1>A bakery</h1><p>Rolls and loaves since 1902, in the old town.</p>
    <div style="float:right;width:600px;height:700px;background:#a31"></div>`),
  "examplebank.com": () => Response.redirect("http://example-bank.com/", 301),
  "kept.example-bank.evil.test": () => html("<title>Nothing here</title>"),
  "kept.example-bank.evil.test/in": () => html(signIn),
  "removed.example-bank.evil.test": () => html("<title>Nothing here</title>"),
  "removed.example-bank.evil.test/in": () => new Response("", { status: 404 }),
};
const html = (body: string) =>
  new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });

/** Opens the whole appliance, with all servers on loopback. */
async function openWorld({ screenshots }: { screenshots: boolean }) {
  const folder = temporaryFolder();
  closing.push(folder.dispose);
  const dns = await startDnsServer(zones);
  closing.push(() => dns.stop());
  const site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const host = (request.headers.get("host") ?? "").replace(/:.*/, "");
      const respond = pages[host + new URL(request.url).pathname] ?? pages[host];
      return respond?.() ?? new Response("", { status: 404 });
    },
  });
  closing.push(() => site.stop(true));
  const registry = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const name = new URL(request.url).pathname.split("/").at(-1)!;
      const ageDays = name.startsWith("examp1e") ? 1 : 400;
      return Response.json(
        {
          objectClassName: "domain",
          ldhName: name.toUpperCase(),
          events: [
            { eventAction: "registration", eventDate: new Date(Date.now() - ageDays * dayMs).toISOString() },
          ],
          entities: [
            {
              objectClassName: "entity",
              roles: ["registrar"],
              vcardArray: [
                "vcard",
                [
                  ["version", {}, "text", "4.0"],
                  ["fn", {}, "text", "Example Registrar"],
                ],
              ],
            },
          ],
        },
        { headers: { "content-type": "application/rdap+json" } },
      );
    },
  });
  closing.push(() => registry.stop(true));

  const text = `
    [server]
    listen = "127.0.0.1:0"
    [storage]
    path = "data/phishwatch.db"
    [scan]
    resolvers = ["127.0.0.1:${dns.server.port}"]
    queries_per_second = 5000
    screenshots = "${screenshots ? "auto" : "off"}"
    ${process.getuid?.() === 0 ? '[screenshots]\nchromium_args = ["--no-sandbox"]' : ""}
    [[protected_domains]]
    domain = "example-bank.com"`;
  const loaded = loadConfig({
    path: join(folder.path, "phishwatch.toml"),
    text,
    env: {},
    readFile: () => "",
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    format: "json",
    clock: systemClock,
    write: (line) => void lines.push(line),
  });
  const app = openApp({
    config: loaded.config,
    clock: systemClock,
    log,
    fillRandom,
    reach: {
      rules: { allowPrivateNetworks: true },
      // Nothing listens on port 9, so HTTPS fails and HTTP is tried.
      ports: { http: site.port!, https: 9 },
      // A registry for each name: one registry is queried once per second.
      rdapServices: {
        serviceFor: (domain) => `http://${domain.split(".")[0]}.registry.test:${registry.port}/`,
      },
      whoisServerFor: () => undefined,
    },
  });
  closing.push(async () => {
    await app.stop();
    app.close();
  });
  return {
    app,
    dns,
    folder,
    lines,
    /** All events, oldest first. */
    events: () => app.database.query.select({ type: events.type }).from(events).all(),
  };
}

async function checkedAt(app: App, ids: readonly string[]): Promise<void> {
  await until(() => ids.every((id) => app.enrichment.isSettled(id)), "all threats are checked", 60_000);
}

function byDomain(app: App) {
  const { threats } = app.threats.list({}, { page: 1, perPage: 100 });
  return Object.fromEntries(threats.map(({ domain, id }) => [domain, app.threats.get(id)!]));
}

const planted = [
  "examp1e-bank.com",
  "example-bank.net",
  "example-bamk.com",
  "examplebank.com",
  "exampe-bank.com",
];

describe("enrichment, end to end", () => {
  test(
    "a scan finds exactly the names that exist, and each gets facts, a severity, reasons and events",
    async () => {
      const { app, dns, events: recorded, lines } = await openWorld({ screenshots: false });
      const scan = await app.scans.run({
        trigger: "cli",
        by: analyst,
        domains: ["example-bank.com"],
        limit: lookAlikes,
      });
      const existing = planted.filter((domain) => domain !== "exampe-bank.com");
      expect(scan).toMatchObject({
        status: "completed",
        candidates: lookAlikes,
        threatsCreated: existing.length,
        unknown: 1,
      });
      expect(Object.keys(byDomain(app)).toSorted()).toEqual(existing.toSorted());
      expect(recorded().map(({ type }): string => type)).toEqual([
        "scan.started",
        ...existing.map(() => "threat.created"),
        "scan.completed",
      ]);
      const askedByScan = dns.asked.length;
      await app.start();
      // A name whose existence is unknown is not a threat of a scan, but may be submitted.
      const reported = ["kept", "removed"].map((name) => `${name}.example-bank.evil.test`);
      await app.candidates.submit(["exampe-bank.com", ...reported.map((name) => `http://${name}/in?id=1`)], {
        source: "submission",
      });
      await checkedAt(
        app,
        Object.values(byDomain(app)).map(({ id }) => id),
      );
      const threats = byDomain(app);
      // Results of the scan are not queried again, except for the addresses before a connection.
      const askedAgain = dns.asked.slice(askedByScan).filter(({ name }) => existing.includes(name));
      expect(askedAgain.filter(({ type }) => type !== "A" && type !== "AAAA")).toEqual([]);

      expect(threats["examp1e-bank.com"]).toMatchObject({
        severity: "high",
        ipAddress: "127.0.0.1",
        registrar: "Example Registrar",
        whois: { source: "rdap", registrar: "Example Registrar", created_at: expect.any(String) },
      });
      expect(threats["examp1e-bank.com"]!.severityReasons.slice(1)).toEqual([
        { code: "page_imitates", params: { score: expect.any(Number) } },
        { code: "asks_for_secrets", params: { password: true, card: false } },
        { code: "names_brand", params: {} },
        { code: "newly_registered", params: { days: 1, on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) } },
      ]);
      expect(threats["example-bank.net"]).toMatchObject({ severity: "high", ipAddress: null });
      expect(threats["example-bank.net"]!.severityReasons).toContainEqual({
        code: "receives_mail",
        params: {},
      });
      expect(threats["example-bamk.com"]!.severity).toBe("low");
      expect(threats["examplebank.com"]).toMatchObject({ severity: "low" });
      expect(threats["examplebank.com"]!.severityReasons).toContainEqual({
        code: "redirects_to_protected",
        params: {},
      });
      const silent = threats["exampe-bank.com"]!;
      expect(silent).toMatchObject({ status: "active", ipAddress: null });
      expect(app.enrichment.factsOf(silent.id)!.facts.unknown.existence).toContain("SERVFAIL");
      // The address that was submitted is opened, and the home page if nothing is there.
      const opened = reported.map((name) => app.enrichment.factsOf(threats[name]!.id)!.facts.page);
      expect(opened).toMatchObject([
        { finalUrl: `http://${reported[0]}/in?id=1`, title: "Example Bank", asksForPassword: true },
        { title: "Nothing here", asksForPassword: false },
      ]);
      expect(lines.filter((line) => line.includes('"error"'))).toEqual([]);
    },
    slowMs,
  );

  test.skipIf(chromium === undefined)(
    "a copy is recognized by what a browser shows, and its screenshot is served",
    async () => {
      const { app, folder } = await openWorld({ screenshots: true });
      await app.start();
      await app.candidates.submit(
        ["examp1e-bank.com", "example-bank.net", "example-bamk.com", "exarnple-bank.com"],
        { source: "submission" },
      );
      await checkedAt(
        app,
        Object.values(byDomain(app)).map(({ id }) => id),
      );
      const threats = byDomain(app);
      const similarity = (domain: string) =>
        app.enrichment.factsOf(threats[domain]!.id)!.facts.screenshot!.visualSimilarity;
      expect(similarity("examp1e-bank.com")).toBeGreaterThan(0.9);
      expect(similarity("example-bamk.com")).toBeLessThan(0.8);
      const { facts } = app.enrichment.factsOf(threats["exarnple-bank.com"]!.id)!;
      expect(facts.page).toMatchObject({
        title: "Example Bank",
        asksForPassword: true,
        from: "browser",
        imitation: { imitates: true, protectedDomain: "example-bank.com" },
      });
      expect(facts.rendered!.sent).toMatchObject({ title: "Welcome", asksForPassword: false });
      expect(facts.unknown.page).toBeUndefined();
      expect(threats["exarnple-bank.com"]!.severity).toBe("high");
      expect(threats["exarnple-bank.com"]!.severityReasons).toContainEqual({
        code: "page_imitates",
        params: { score: expect.any(Number) },
      });
      const screenshot = async (domain: string) => {
        const { id, screenshotToken } = threats[domain]!;
        const response = await app.server.handle(
          new Request(`http://localhost/screenshots/${id}/${screenshotToken}`),
        );
        return { type: response.headers.get("content-type"), body: await response.bytes() };
      };
      const copy = await screenshot("examp1e-bank.com");
      expect(copy.type).toBe("image/webp");
      expect(await new Bun.Image(copy.body).metadata()).toMatchObject({ format: "webp", width: 1280 });
      const mailOnly = await screenshot("example-bank.net");
      expect(mailOnly.type).toBe("image/svg+xml");
      expect(Buffer.from(mailOnly.body).toString()).toContain("The name has no addresses.");
      const kept = readdirSync(join(folder.path, "data/screenshots"));
      expect(kept).toContain(`${threats["examp1e-bank.com"]!.id}.webp`);
      expect(kept.filter((name) => !name.endsWith(".webp"))).toEqual([]);
    },
    slowMs,
  );
});
