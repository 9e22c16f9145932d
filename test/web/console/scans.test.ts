import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { startDnsServer, type DnsServer } from "../../support/dns-server.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

let dns: DnsServer;
let app: ConsoleApp;
let visitor: Visitor;
beforeAll(async () => {
  dns = await startDnsServer({
    "example-bank.net": { A: ["192.0.2.1"] },
  });
  app = openConsoleApp({
    scan: `resolvers = ["127.0.0.1:${dns.server.port}"]\nqueries_per_second = 200`,
    config: `[[protected_domains]]\ndomain = "example-bank.com"\n[[protected_domains]]\ndomain = "example-shop.com"`,
  });
  visitor = await app.signedIn();
});
afterAll(async () => {
  await app.dispose();
  dns.stop();
});
beforeEach(async () => {
  const running = app.app.scans.running();
  if (running === undefined) return;
  app.app.scans.cancel(running.id, { by: analyst });
  await until(() => app.app.scans.running() === undefined, "the scan of the previous test has ended");
});

const scanActions = () =>
  app.app.auditLog
    .list({}, { limit: 10, offset: 0 })
    .flatMap(({ action, subject, detail }) =>
      action.startsWith("scan.") ? [[action, subject, detail]] : [],
    );

test("a scan of selected domains shows its progress, can be cancelled, and is recorded in the audit log", async () => {
  const started = await visitor.submit("/console/scans/start", { domain: "example-shop.com", limit: "1000" });
  const { id } = app.app.scans.running()!;
  expect(started.text).toContain("A scan is running");
  expect(started.text).toContain("example-shop.com");
  expect(started.text).not.toContain("example-bank.com");
  expect(started.html).toContain(`data-refresh="/console/scans/${id}/panel"`);
  await until(() => (app.app.scans.progress()?.perSecond ?? null) !== null, "the speed is known");
  const panel = await visitor.get(`/console/scans/${id}/panel`, { "x-fragment": "1" });
  expect(panel.text).toMatch(/\d+ of 1,000 look-alikes checked .* \d+ a second, .* left/);
  expect(panel.html).toMatch(/^<section class="card stack" id="scan-panel"/);

  const ended = await visitor.submit(`/console/scans/${id}/cancel`);
  expect(ended.text).toContain("Its results are kept");
  await until(() => app.app.scans.running() === undefined, "the scan has ended");
  const after = await visitor.get(`/console/scans/${id}/panel`, { "x-fragment": "1" });
  expect(after.text).toContain("Cancelled");
  expect((await visitor.get(`/console/scans/${id}`)).text).toContain("Started by admin (console), 127.0.0.1");
  expect(after.html).not.toContain("data-refresh");
  expect(scanActions()).toEqual([
    ["scan.cancel", id, {}],
    ["scan.start", id, { domains: ["example-shop.com"], limit: 1_000 }],
  ]);
  expect((await visitor.submit(`/console/scans/${id}/cancel`)).text).toContain("had already finished");
});

test("A scan of only some domains that names none is rejected, so that unchecking the last box does not scan for all", async () => {
  const rejected = await visitor.submit("/console/scans/start", { domain_scope: "only" });
  expect(rejected.text).toContain("Choose at least one domain, or choose all.");
  expect(app.app.scans.running()).toBeUndefined();
});

test("starting a second scan fails with the running scan, whose progress replaces the form", async () => {
  await visitor.submit("/console/scans/start", {});
  const rejected = await visitor.submit("/console/scans/start", {});
  expect(rejected.text).toMatch(
    /A scan is already running, started by the console at .*; wait for it to end, or cancel it\./,
  );
  expect(rejected.html).not.toContain('action="/console/scans/start"');
  expect(rejected.text).toContain("Cancel scan");
});

test("the history shows the domains, counts, unknown names included, and duration of each scan", async () => {
  const done = await app.app.scans.run({
    trigger: "cli",
    by: analyst,
    domains: ["example-bank.com"],
    limit: 200,
  });
  expect(done.threatsFound).toBeGreaterThan(0);
  const all = await visitor.get("/console/scans");
  expect(all.text).toMatch(
    /example-bank\.com (now|\d+ seconds? ago) · command line Finished 200 1 look-alike exists 0 1 1 new \d+(\.\d)? s/,
  );
  expect(all.html).toContain(`href="/console/scans/${done.id}"`);
  const one = await visitor.get(`/console/scans/${done.id}`);
  const link = /href="(\/console\/threats\?source=scan[^"]+)"/.exec(one.html)?.[1]?.replaceAll("&amp;", "&");
  expect((await visitor.get(link!)).text).toContain("1–1 of 1");
});

test("The result of a scan links to exactly the threats that it created, and its title does not link to itself", async () => {
  // The scan before this one created the threat, so this one creates none.
  const again = await app.app.scans.run({
    trigger: "cli",
    by: analyst,
    domains: ["example-bank.com"],
    limit: 200,
  });
  const first = app.app.scans.list(10).find(({ threatsCreated }) => threatsCreated > 0);
  const path = (seq: number) => `/console/threats?status=all&scan=${seq}`;
  const page = await visitor.get(`/console/scans/${first!.id}`);
  expect(page.html).toContain(`<a href="${path(first!.seq).replace("&", "&amp;")}">`);
  expect(page.html).not.toContain(`href="/console/scans/${first!.id}"`);
  const list = await visitor.get(path(first!.seq));
  expect(list.text).toContain("New from one scan");
  expect(list.text).toContain("1–1 of 1");
  expect((await visitor.get(`/console/scans/${again.id}`)).html).not.toContain(`&amp;scan=${again.seq}`);
  expect((await visitor.get(path(again.seq))).text).toContain("No threats match these filters");
});

test("an unknown scan is not found, and a scan of an unprotected domain is rejected with the reason", async () => {
  const none = await visitor.get("/console/scans/scn_none");
  expect([none.status, none.text]).toEqual([404, expect.stringContaining("There is no scan")]);
  const unknown = await visitor.submit("/console/scans/start", { domain: '<b>"x.com' });
  expect(unknown.text).toContain('<b>"x.com is not a protected domain; add it first.');
  expect(unknown.html).not.toContain("<b>");
});
