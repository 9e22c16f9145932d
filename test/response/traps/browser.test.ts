import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { system } from "../../../src/access/audit/actor.ts";
import { beacon as beaconKind } from "../../../src/response/traps/kinds/beacon/beacon.ts";
import { ownHosts, type Beacon } from "../../../src/response/traps/kinds/beacon/details.ts";
import { beaconSnippets } from "../../../src/response/traps/kinds/beacon/snippets.ts";
import { browserTimeoutMs, chromium, openBrowser, type Browser } from "../../support/browser.ts";
import { openConsoleApp } from "../../support/console.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

interface TriggeredEvent {
  type: string;
  data: { hit: Record<string, string>; threat: { id: string } | null };
}

describe.skipIf(chromium === undefined)("in a real browser, a page with a beacon", () => {
  let receiver: Receiver;
  let appliance: ReturnType<typeof openConsoleApp>;
  let beacon: Beacon;
  let pages: Bun.Server<undefined>;
  let browser: Browser;
  /** Accepts connections and never responds. */
  let silent: Bun.TCPSocketListener;
  /** Documents of the server of pages by path, some with a Content-Security-Policy. */
  const documents = new Map<string, { html: string; policy?: string }>();

  beforeAll(async () => {
    receiver = startReceiver();
    appliance = openConsoleApp({
      config: `[[protected_domains]]
domain = "example-bank.com"
[[webhooks.endpoints]]
name = "soc"
url = "${receiver.url}"
secret = "a-secret-of-these-tests"
events = ["beacon.triggered"]
`,
    });
    await appliance.app.start();
    beacon = appliance.app.traps
      .of(beaconKind)
      .create({ protectedDomain: "example-bank.com" }, { by: system });
    silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    pages = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const page = documents.get(new URL(request.url).pathname);
        if (page === undefined) return new Response(null, { status: 404 });
        const headers = new Headers({ "content-type": "text/html", "set-cookie": "visitor=1" });
        if (page.policy !== undefined) headers.set("content-security-policy", page.policy);
        return new Response(page.html, { headers });
      },
    });
    // Every name resolves to this machine, like a copy's name resolves to the copier's.
    browser = await openBrowser({ hosts: "MAP * 127.0.0.1" });
  }, browserTimeoutMs);
  afterAll(async () => {
    browser?.close();
    silent?.stop(true);
    await pages?.stop(true);
    await appliance?.dispose();
    await receiver?.stop();
  });

  const snippets = () => beaconSnippets(appliance.app.traps.links(beaconKind, beacon).url, ownHosts(beacon));
  const address = (host: string, path: string) => `http://${host}:${pages.port}${path}`;
  /** Returns a page whose own script reports after the snippet that the page has loaded. */
  const html = (snippet: string, more = "") =>
    `<!doctype html><html><head><title>Sign in</title>${more}${snippet}</head><body><p id="text">waiting</p><script nonce="page">addEventListener("load", () => { document.getElementById("text").textContent = "well" })</script></body></html>`;
  const events = (path: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as TriggeredEvent)
      .filter(({ data }) => data.hit["url"]!.includes(path));
  /** Opens a page, waits until it has loaded, and returns the errors in the browser's console. */
  async function openPage(url: string): Promise<string[]> {
    browser.complaints();
    await browser.open(url);
    await browser.until(`document.getElementById("text")?.textContent === "well"`);
    return browser.complaints();
  }
  test(
    "that was copied to another host is reported as a threat with evidence",
    async () => {
      const copy = html(snippets().script).replaceAll("example-bank.com", "evil.top");
      documents.set("/login", { html: copy });
      expect(await openPage(address("login.evil.top", "/login?step=1"))).toEqual([]);
      await until(() => events("/login").length === 1, "the event arrives");
      const [{ data } = { data: undefined }] = events("/login");
      expect(data!.hit).toEqual({
        hostname: "login.evil.top",
        url: address("login.evil.top", "/login?step=1"),
        referrer: null as never,
        ip_address: "127.0.0.1",
        user_agent: await browser.evaluate<string>("navigator.userAgent"),
        at: expect.stringMatching(/^20.*Z$/) as never,
      });
      expect(appliance.app.threats.get(data!.threat!.id)).toMatchObject({
        domain: "login.evil.top",
        type: "cloned_site",
        severity: "high",
        source: "beacon",
      });
    },
    browserTimeoutMs,
  );

  test(
    "reports nothing on the protected host, below it, and with its trailing dot",
    async () => {
      documents.set("/own", { html: html(snippets().script) });
      for (const host of ["example-bank.com", "www.example-bank.com", "www.example-bank.com."])
        expect(await openPage(address(host, "/own"))).toEqual([]);
      documents.set("/mark", { html: html(snippets().script) });
      await openPage(address("mark.evil.top", "/mark"));
      await until(() => events("/mark").length === 1, "the visits before it are written");
      expect(events("/own")).toEqual([]);
      const { totals } = appliance.app.traps.visits;
      // The script did not even send a request.
      expect(totals(beacon.id).map((row) => row.class)).toEqual(["foreign"]);
    },
    browserTimeoutMs,
  );

  test(
    "works under a strict Content-Security-Policy that allows the beacon by its hash",
    async () => {
      const { script, scriptHash } = snippets();
      const policy = (connect: string) =>
        `default-src 'none'; script-src 'nonce-page' ${scriptHash}; connect-src ${connect}`;
      documents.set("/strict", { html: html(script), policy: policy("'none'") });
      expect(await openPage(address("www.example-bank.com", "/strict"))).toEqual([]);
      // On a foreign host, only the browser reports what the policy forbids.
      const complaints = await openPage(address("strict.evil.top", "/strict"));
      expect(
        complaints.filter((line) => !/Content Security Policy|Fetch API cannot load/i.test(line)),
      ).toEqual([]);
      documents.set("/let", { html: html(script), policy: policy(appliance.url) });
      expect(await openPage(address("let.evil.top", "/let"))).toEqual([]);
      await until(() => events("/let").length === 1, "the event arrives");
      expect(events("/strict")).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "loads without errors or delay if the address of the beacon is blocked or does not respond",
    async () => {
      const dead = snippets().script.replaceAll(appliance.url, "http://127.0.0.1:9");
      documents.set("/blocked", { html: html(dead) });
      const complaints = await openPage(address("blocked.evil.top", "/blocked"));
      expect(complaints.filter((line) => !/net::ERR_|Failed to load resource/.test(line))).toEqual([]);
      const waiting = snippets().script.replaceAll(appliance.url, `http://127.0.0.1:${silent.port}`);
      documents.set("/silent", { html: html(waiting) });
      // The load event fires although the beacon's request never ends. The browser may report late that the other was blocked.
      const late = await openPage(address("silent.evil.top", "/silent"));
      expect(late.filter((line) => !line.includes("blocked.evil.top"))).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "reports by its background image if scripts are not used",
    async () => {
      documents.set("/style", { html: html(snippets().style) });
      expect(await openPage(address("style.evil.top", "/style"))).toEqual([]);
      await until(
        () => receiver.received.some(({ body }) => body.includes(`"hostname":"style.evil.top"`)),
        "the event arrives",
      );
    },
    browserTimeoutMs,
  );

  test(
    "that was saved as a file is classified without an alert",
    async () => {
      const path = `${appliance.folder}/saved.html`;
      writeFileSync(path, html(snippets().script));
      await openPage(`file://${path}`);
      const { list } = appliance.app.traps.visits;
      await until(
        () => list(beacon.id, { limit: 99 }).some((visit) => visit.class === "local_file"),
        "the visit is seen",
      );
      expect(
        list(beacon.id, { limit: 99 }).find((visit) => visit.class === "local_file")!.eventId,
      ).toBeNull();
    },
    browserTimeoutMs,
  );
});
