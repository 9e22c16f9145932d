import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { system } from "../../src/access/audit/actor.ts";
import type { Beacon } from "../../src/traps/beacons.ts";
import { browserTimeoutMs, chromium, openBrowser, type Browser } from "../support/browser.ts";
import { openConsoleApp } from "../support/console.ts";
import { startReceiver, until, type Receiver } from "../support/receiver.ts";

interface TriggeredEvent {
  type: string;
  data: { hit: Record<string, string>; threat: { id: string } | null };
}

describe.skipIf(chromium === undefined)("in a real browser a page with a beacon", () => {
  let receiver: Receiver;
  let appliance: ReturnType<typeof openConsoleApp>;
  let beacon: Beacon;
  let pages: Bun.Server<undefined>;
  let browser: Browser;
  /** Takes what is sent and never answers. */
  let silent: Bun.TCPSocketListener;
  /** What the pages' server sends: the document by its path, with a policy where one is given. */
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
    appliance.app.start();
    beacon = appliance.app.traps.beacons.create({ protectedDomain: "example-bank.com" }, system);
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
    // Every name leads to this machine, as a copy's name would lead to the copier's.
    browser = await openBrowser({ hosts: "MAP * 127.0.0.1" });
  }, browserTimeoutMs);
  afterAll(async () => {
    await browser?.close();
    silent?.stop(true);
    await pages?.stop(true);
    await appliance?.dispose();
    await receiver?.stop();
  });

  const snippets = () => appliance.app.traps.beacons.snippets(beacon, appliance.app.traps.publicUrl());
  const address = (host: string, path: string) => `http://${host}:${pages.port}${path}`;
  /** A page whose own script says that all is well, after the snippet has run. */
  const html = (snippet: string, more = "") =>
    `<!doctype html><html><head><title>Sign in</title>${more}${snippet}</head><body><p id="text">waiting</p><script nonce="page">addEventListener("load", () => { document.getElementById("text").textContent = "well" })</script></body></html>`;
  const events = (path: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as TriggeredEvent)
      .filter(({ data }) => data.hit["url"]!.includes(path));
  /** Opens it until it is well and all of its requests are over. */
  async function visit(url: string): Promise<string[]> {
    browser.complaints();
    await browser.open(url);
    await browser.until(`document.getElementById("text")?.textContent === "well"`);
    return browser.complaints();
  }
  test(
    "that was saved and put under another name becomes a threat with evidence within a second",
    async () => {
      const copy = html(snippets().script).replaceAll("example-bank.com", "evil.top");
      documents.set("/login", { html: copy });
      expect(await visit(address("login.evil.top", "/login?step=1"))).toEqual([]);
      const loadedAt = Date.now();
      await until(() => events("/login").length === 1, "the event arrives");
      const [{ data } = { data: undefined }] = events("/login");
      expect(receiver.received.at(-1)!.at - loadedAt).toBeLessThan(1_000);
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
    "tells of nothing on the protected host, below it, and with its trailing dot",
    async () => {
      documents.set("/own", { html: html(snippets().script) });
      for (const host of ["example-bank.com", "www.example-bank.com", "www.example-bank.com."])
        expect(await visit(address(host, "/own"))).toEqual([]);
      documents.set("/mark", { html: html(snippets().script) });
      await visit(address("mark.evil.top", "/mark"));
      await until(() => events("/mark").length === 1, "what came before is written");
      expect(events("/own")).toEqual([]);
      const { counts } = appliance.app.traps.hits;
      // Not even a request: the script knows where it belongs.
      expect(counts(beacon.id).map((row) => row.class)).toEqual(["foreign"]);
    },
    browserTimeoutMs,
  );

  test(
    "works as before under a strict policy, which lets the beacon through by its hash",
    async () => {
      const { script, scriptHash } = snippets();
      const policy = (connect: string) =>
        `default-src 'none'; script-src 'nonce-page' ${scriptHash}; connect-src ${connect}`;
      documents.set("/strict", { html: html(script), policy: policy("'none'") });
      expect(await visit(address("www.example-bank.com", "/strict"))).toEqual([]);
      // On a foreign host only the browser complains of what the policy forbids, and nothing of ours does.
      const complaints = await visit(address("strict.evil.top", "/strict"));
      expect(
        complaints.filter((line) => !/Content Security Policy|Fetch API cannot load/i.test(line)),
      ).toEqual([]);
      documents.set("/let", { html: html(script), policy: policy(appliance.url) });
      expect(await visit(address("let.evil.top", "/let"))).toEqual([]);
      await until(() => events("/let").length === 1, "the event arrives");
      expect(events("/strict")).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "works as before where its address is blocked or answers nothing: no error of its own, no wait",
    async () => {
      const dead = snippets().script.replaceAll(appliance.url, "http://127.0.0.1:9");
      documents.set("/blocked", { html: html(dead) });
      const complaints = await visit(address("blocked.evil.top", "/blocked"));
      expect(complaints.filter((line) => !/net::ERR_|Failed to load resource/.test(line))).toEqual([]);
      const waiting = snippets().script.replaceAll(appliance.url, `http://127.0.0.1:${silent.port}`);
      documents.set("/silent", { html: html(waiting) });
      // The load event comes although the beacon's request never ends.
      expect(await visit(address("silent.evil.top", "/silent"))).toEqual([]);
    },
    browserTimeoutMs,
  );

  test(
    "without a script reports by its picture",
    async () => {
      documents.set("/style", { html: html(snippets().style) });
      expect(await visit(address("style.evil.top", "/style"))).toEqual([]);
      await until(
        () => receiver.received.some(({ body }) => body.includes(`"hostname":"style.evil.top"`)),
        "the event arrives",
      );
    },
    browserTimeoutMs,
  );

  test(
    "that was saved as a file is classed, not alarmed",
    async () => {
      const path = `${appliance.folder}/saved.html`;
      writeFileSync(path, html(snippets().script));
      await visit(`file://${path}`);
      const { list } = appliance.app.traps.hits;
      await until(
        () => list(beacon.id, { limit: 99 }).some((hit) => hit.class === "local_file"),
        "the visit is seen",
      );
      expect(list(beacon.id, { limit: 99 }).find((hit) => hit.class === "local_file")!.eventId).toBeNull();
    },
    browserTimeoutMs,
  );
});
