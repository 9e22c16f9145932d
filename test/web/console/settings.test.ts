import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { auditActions } from "../../../src/access/audit/actions.ts";
import { rotates, trapAuditAction, trapKindNames } from "../../../src/platform/vocabulary/traps.ts";
import { auditWords } from "../../../src/web/console/pages/system/audit-log.tsx";
import { hostileText, longText } from "../../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

const keysPath = "/console/settings/keys";
const webhooksPath = "/console/settings/webhooks";
const deliveriesPath = `${webhooksPath}/deliveries`;

let opened: ConsoleApp;
let visitor: Visitor;
let receiver: Receiver;
/** Next response of the receiver. */
let says: () => Response = () => new Response("ok");
beforeAll(async () => {
  opened = openConsoleApp({
    config: `[[api_keys]]
name = "declared key"
key = "a-declared-key-0123456789"
[[webhooks.endpoints]]
name = "declared hook"
url = "http://127.0.0.1:9/hook"
secret = { env = "HOOK_SECRET" }
events = ["scan.started"]
`,
    env: { HOOK_SECRET: "a-declared-secret-0123456789" },
  });
  opened.app.domains.add(
    { domain: "example-bank.com" },
    { by: { channel: "system", name: null, address: null } },
  );
  await opened.app.start();
  receiver = startReceiver(() => says());
  visitor = await opened.signedIn();
});
afterAll(async () => {
  await receiver.stop();
  await opened.dispose();
});

const latestActions = (count: number) =>
  opened.app.auditLog
    .list({}, { limit: count, offset: 0 })
    .map(({ action }) => action)
    .toReversed();

const createKey = (fields: Record<string, string | string[]>) =>
  visitor.post(`${keysPath}/create`, { plan: "pro", scopes: ["threats:read"], ...fields });

describe("API keys", () => {
  test("are created with the chosen settings, shown once, and recorded in the audit log without the key itself", async () => {
    const made = await createKey({
      name: "SIEM",
      plan: "free",
      domains: "example-bank.com",
      expires_in: "30",
    });
    const page = await visitor.get(made.location!);
    const key = /pw_[0-9A-Za-z]{38}/.exec(page.text)![0];
    const command = /curl -H 'Authorization: Bearer (\S+)' (\S+)/.exec(page.text)!;
    expect(command[1]).toBe(key);
    const response = await fetch(command[2]!, { headers: { authorization: `Bearer ${command[1]}` } });
    expect(response.status).toBe(200);
    expect(opened.app.keys.list().at(-1)).toMatchObject({
      name: "SIEM",
      plan: "free",
      scopes: ["threats:read"],
      domains: ["example-bank.com"],
      expiresAt: expect.any(Number),
    });
    const again = await visitor.get(made.location!);
    expect([again.status, again.location]).toEqual([303, keysPath]);
    expect((await visitor.get(keysPath)).html).not.toContain(key);
    expect(latestActions(1)).toEqual(["key.create"]);
    expect(JSON.stringify(opened.app.auditLog.list({}, { limit: 100, offset: 0 }))).not.toContain(key);
  });

  test.each([
    [{ name: "\u200b" }, "The name of an API key"],
    [{ name: "x", scopes: [] }, "at least one scope"],
    [{ name: "x", plan: "gold" }, "Choose one of these plans"],
    [{ name: "x", expires_on: "2001-01-01" }, "must be in the future"],
    [{ name: "x", expires_on: "31.01.2099" }, "2027-01-31"],
    [{ name: "kept as written", domains: "not a name!" }, "is not a domain name"],
    [
      { name: "F11", domains: "example-bnak.com" },
      "There is no protected domain example-bnak.com; add it first.",
    ],
  ])(
    "with invalid settings are rejected with the reason, and the form keeps its values (%#)",
    async (fields, message) => {
      const count = opened.app.keys.list().length;
      const response = await createKey(fields as Record<string, string | string[]>);
      expect(response.status).toBe(400);
      expect(response.text).toContain(message);
      expect(response.html).toContain(`value="${fields.name}"`);
      expect(opened.app.keys.list().length).toBe(count);
    },
  );

  test("show the requests and rate-limited requests of the last hour", async () => {
    const { key, record } = opened.app.keys.create(
      { name: "busy", plan: "free" },
      { by: { channel: "system", name: null, address: null } },
    );
    for (let count = 0; count < 62; count++)
      await fetch(`${opened.url}/v1/threats`, { headers: { authorization: `Bearer ${key}` } });
    const { text } = await visitor.get(keysPath);
    expect(text).toContain("62 requests");
    // The time of last use agrees with the number of requests.
    expect(/busy pw_.*?Revoke/.exec(text)![0]).toMatch(
      /62 requests 2 limited (now|just now|\d+ (second|minute)s? ago)/,
    );
    expect(text).toContain("2 limited");
    opened.app.keys.revoke(record.id, { by: { channel: "system", name: null, address: null } });
  });

  test("are revoked after a confirmation and rejected from then on", async () => {
    const { location } = await createKey({ name: "leaked" });
    const key = /pw_[0-9A-Za-z]{38}/.exec((await visitor.get(location!)).text)![0];
    const { id } = opened.app.keys.list().at(-1)!;
    expect((await visitor.get(`${keysPath}/${id}/revoke`)).text).toContain("Revoke this key?");
    expect((await visitor.submit(`${keysPath}/${id}/revoke`)).text).toContain("Key leaked revoked.");
    const response = await fetch(`${opened.url}/v1/threats`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(401);
  });

  test("from the configuration file are marked and cannot be revoked", async () => {
    const { text, html } = await visitor.get(keysPath);
    const { id } = opened.app.keys.list().find(({ name }) => name === "declared key")!;
    expect(html).toContain("Declared as [[api_keys]] in the configuration file.");
    expect(text).toContain("configuration file");
    expect(html).not.toContain(`${id}/revoke`);
    expect((await visitor.post(`${keysPath}/${id}/revoke`)).status).toBe(400);
  });

  test("are listed with 50 per page", async () => {
    const by = { channel: "system", name: null, address: null } as const;
    const ids = Array.from(
      { length: 60 },
      (_, number) => opened.app.keys.create({ name: `many ${number}` }, { by }).record.id,
    );
    const first = await visitor.get(keysPath);
    expect([first.text.includes("many 59"), first.text.includes("many 3 ")]).toEqual([true, false]);
    expect((await visitor.get(`${keysPath}?page=2`)).text).toContain("many 3 ");
    for (const id of ids) opened.app.keys.revoke(id, { by });
    expect((await visitor.get(keysPath)).text).toContain("the latest 50");
  });

  test("with an unknown id are not found", async () => {
    for (const id of ["key_01h455vb4pex5vsknk084sn02q", "nonsense", "%00"])
      expect((await visitor.get(`${keysPath}/${id}/revoke`)).status).toBe(404);
  });
});

describe("webhooks", () => {
  test("are tested when saved, the result and the secret shown once", async () => {
    says = () => new Response("welcome");
    const response = await visitor.submit(`${webhooksPath}/add`, {
      url: receiver.url,
      name: "soc",
      events: ["threat.created", "threat.resolved"],
      headers: "Authorization: Bearer a-header-secret",
      test: "yes",
    });
    expect(response.text).toMatch(/Test delivered: status 200 in \d+ ms\./);
    const secret = /whsec_[A-Za-z0-9+/=]{44}/.exec(response.text)![0];
    expect(JSON.parse(receiver.received.at(-1)!.body)).toMatchObject({ type: "webhook.ping", data: {} });
    const endpoint = opened.app.webhooks.endpoints.get("soc");
    expect(endpoint).toMatchObject({ secret, events: ["threat.created", "threat.resolved"] });
    const { html } = await visitor.get(`${webhooksPath}/${endpoint.id}`);
    for (const hidden of [secret, "a-header-secret", "Test delivered"]) expect(html).not.toContain(hidden);
    expect(latestActions(1)).toEqual(["webhook.add"]);
  });

  test("are saved even if their test fails, and the page states the reason and renders hostile responses as text", async () => {
    says = () => new Response(`${hostileText}${longText}`, { status: 503 });
    const response = await visitor.submit(`${webhooksPath}/add`, {
      url: receiver.url,
      name: "broken",
      test: "yes",
    });
    expect(response.text).toContain("Test failed");
    expect(response.text).toContain("a status other than 200 to 299");
    expect(response.html).not.toContain("<script>alert");
    expect(response.text).toContain("<script>alert(1)</script>");
    expect(response.text).toContain("\\u{202e}");
    expect(Buffer.byteLength(response.html)).toBeLessThan(30_000);
    await opened.app.webhooks.endpoints.remove("broken", {
      by: { channel: "system", name: null, address: null },
    });
  });

  test("can be limited to some threats, and the filter is shown, changed and removed", async () => {
    const { endpoints } = opened.app.webhooks;
    const settings = { url: receiver.url, name: "filtered", test: "" };
    const filter = { min_severity: "high", verified_only: "yes", types: ["homograph"], sources: ["scan"] };
    const added = await visitor.submit(`${webhooksPath}/add`, { ...settings, ...filter });
    expect(added.text).toMatch(
      /Minimum severity high Verified only verified threats Threat types homograph Found by scans/,
    );
    const { id, filter: stored } = endpoints.get("filtered");
    expect(stored).toEqual({
      minSeverity: "high",
      protectedDomains: [],
      types: ["homograph"],
      sources: ["scan"],
      verifiedOnly: true,
    });
    expect((await visitor.get(webhooksPath)).text).toContain(
      "threats at least high, only verified, only homograph, found by scans",
    );
    const { html } = await visitor.get(`${webhooksPath}/${id}/edit`);
    for (const name of ["types", "sources", "verified_only"])
      expect([name, new RegExp(`name="${name}"[^>]* checked`).test(html)]).toEqual([name, true]);
    const invalid = { ...settings, ...filter, protected_domains: "not a name!" };
    const rejected = await visitor.post(`${webhooksPath}/${id}/edit`, invalid);
    expect([rejected.status, rejected.html]).toEqual([
      400,
      expect.stringContaining('id="protected_domains-error"'),
    ]);
    await visitor.submit(`${webhooksPath}/${id}/edit`, { ...settings, min_severity: "low" });
    expect(endpoints.get("filtered").filter).toBeNull();
    await endpoints.remove("filtered", { by: { channel: "system", name: null, address: null } });
  });

  test("are sent all events or only those that were chosen, and choosing none is an error instead of all", async () => {
    const { endpoints } = opened.app.webhooks;
    const settings = { url: receiver.url, name: "chosen" };
    const none = await visitor.post(`${webhooksPath}/add`, { ...settings, events_scope: "only" });
    expect([none.status, none.html]).toEqual([400, expect.stringContaining('id="events-error"')]);
    expect(none.text).toContain("Choose at least one, or choose all.");
    expect(none.html).toMatch(/value="only" checked/);
    const events = ["scan.started", "scan.completed"];
    await visitor.post(`${webhooksPath}/add`, { ...settings, events_scope: "only", events });
    const { id } = endpoints.get("chosen");
    expect(endpoints.get("chosen").events).toEqual(["scan.started", "scan.completed"]);
    // Boxes that are hidden behind "all" may still be checked.
    await visitor.post(`${webhooksPath}/${id}/edit`, { ...settings, events_scope: "all", events });
    expect(endpoints.get("chosen").events).toEqual([]);
    await endpoints.remove("chosen", { by: { channel: "system", name: null, address: null } });
  });

  test.each([
    [{ url: "nonsense" }, "must be a complete URL"],
    [{ url: "http://169.254.169.254/latest" }, "169.254.169.254"],
    [{ url: "https://soc.example/", events: "threat.deleted" }, "is not an event type"],
    [{ url: "https://soc.example/", headers: "no header" }, "Write headers as"],
    [{ url: "https://soc.example/", secret: "short" }, "16"],
    [{ url: "https://soc.example/", rate: "-1" }, "Maximum requests per second"],
  ])("that cannot be added leave the form as it was, with what to change (%#)", async (fields, message) => {
    const count = opened.app.webhooks.endpoints.list().length;
    const response = await visitor.post(`${webhooksPath}/add`, fields as Record<string, string>);
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(message)]);
    expect(response.html).toContain(`value="${fields.url}"`);
    expect(opened.app.webhooks.endpoints.list().length).toBe(count);
  });

  test("are changed, disabled, enabled, given a new secret and removed", async () => {
    const { id, secret } = opened.app.webhooks.endpoints.get("soc");
    const page = `${webhooksPath}/${id}`;
    const form = await visitor.get(`${page}/edit`);
    expect(form.html).toContain(`value="${receiver.url}"`);
    await visitor.submit(`${page}/edit`, { url: receiver.url, events: "threat.created" });
    expect(opened.app.webhooks.endpoints.get("soc")).toMatchObject({
      events: ["threat.created"],
      headers: {},
      secret,
    });
    expect((await visitor.submit(`${page}/disable`)).text).toContain("soc is disabled");
    expect((await visitor.submit(`${page}/enable`)).text).toContain("soc is enabled");
    const rotated = await visitor.submit(`${page}/rotate`, { old: "later" });
    const now = opened.app.webhooks.endpoints.get("soc");
    expect(rotated.text).toContain(now.secret);
    expect(rotated.text).toContain("the previous one also signs until");
    expect(now.previousSecret).toBe(secret);
    await visitor.submit(`${page}/rotate`, { old: "now", secret: "a-given-secret-0123" });
    expect(opened.app.webhooks.endpoints.get("soc")).toMatchObject({
      secret: "a-given-secret-0123",
      previousSecret: null,
    });
    expect((await visitor.get(`${page}/remove`)).text).toContain("Remove this webhook endpoint?");
    expect((await visitor.submit(`${page}/remove`)).text).toContain("soc has been removed.");
    expect((await visitor.get(page)).status).toBe(404);
  });

  test("from the configuration file are marked and cannot be changed", async () => {
    const { id } = opened.app.webhooks.endpoints.get("declared hook");
    const page = `${webhooksPath}/${id}`;
    const { text, html } = await visitor.get(page);
    expect(text).toContain("in the configuration file");
    expect(html).not.toContain(`${page}/edit"`);
    expect(html).not.toContain("a-declared-secret");
    for (const path of ["edit", "rotate", "remove"])
      expect((await visitor.get(`${page}/${path}`)).status).toBe(400);
    for (const path of ["edit", "rotate", "remove"])
      expect((await visitor.post(`${page}/${path}`, { url: "https://other.example/" })).status).toBe(400);
    expect(opened.app.webhooks.endpoints.get("declared hook").url).toBe("http://127.0.0.1:9/hook");
  });

  test("A declared endpoint can be paused and enabled in the console, which shows the pause and why it failed", async () => {
    const { id } = opened.app.webhooks.endpoints.get("declared hook");
    const page = `${webhooksPath}/${id}`;
    await visitor.post(`${page}/disable`, {});
    expect(opened.app.webhooks.endpoints.get("declared hook")).toMatchObject({
      enabled: false,
      disabledReason: "operator",
    });
    expect((await visitor.get(page)).text).toContain("paused by a person");
    expect(latestActions(1)).toEqual(["webhook.disable"]);
    await visitor.post(`${page}/enable`, {});
    expect(opened.app.webhooks.endpoints.get("declared hook").enabled).toBe(true);
    const { deliveries } = opened.app;
    deliveries.recipients.update(deliveries.recipients.get("declared hook"), {
      consecutiveFailures: 3,
      failingSince: Date.now(),
      nextProbeAt: Date.now() + 9 * 60_000,
      lastFailure: {
        failure: "status",
        error: "HTTP status 500",
        statusCode: 500,
        durationMs: 8,
        response: "<b>no",
      },
    });
    for (const path of [page, webhooksPath]) {
      const { text, html } = await visitor.get(path);
      expect(text).toContain("Held");
      expect(text).toMatch(/[Nn]ext attempt (is )?in [78] minutes/);
      expect(html).toContain("500 Internal Server Error (“&lt;b>no”)");
    }
    deliveries.recipients.update(deliveries.recipients.get("declared hook"), {
      consecutiveFailures: 0,
      failingSince: null,
      nextProbeAt: null,
      lastFailure: null,
    });
  });
});

describe("deliveries", () => {
  const threat = (domain: string) => {
    const match = {
      protectedDomain: "example-bank.com",
      type: "typosquatting" as const,
      similarity: 0.95,
      reasons: [],
    };
    return opened.app.threats.record([{ domain, match, source: "scan", seenAt: Date.now() }])[0]!.threatId;
  };

  test("say why they failed, are found by filters, and are sent again", async () => {
    says = () => new Response(hostileText, { status: 500 });
    await visitor.submit(`${webhooksPath}/add`, { url: receiver.url, name: "log" });
    const { id: endpointId } = opened.app.webhooks.endpoints.get("log");
    const threatId = threat("examp1e-bank.com");
    const { log: deliveryLog } = opened.app.deliveries;
    const find = () => deliveryLog.list({ recipient: endpointId }, 10)[0];
    await until(
      () => find() !== undefined && deliveryLog.attempts(find()!.id).length === 1,
      "a first attempt",
    );
    const { id } = find()!;
    const page = await visitor.get(`${deliveriesPath}/${id}`);
    for (const text of [
      "Queued: 500 Internal Server Error",
      "The receiver responded with a status other than 200 to 299",
      "<script>alert(1)",
      "examp1e-bank.com",
    ])
      expect(page.text).toContain(text);
    expect(page.html).not.toContain("<script>alert");
    const log = await visitor.get(
      `${deliveriesPath}?about=${threatId}&status=pending&endpoint=${endpointId}`,
    );
    expect(log.html).toContain(`${deliveriesPath}/${id}`);
    expect((await visitor.get(`${deliveriesPath}?status=succeeded&endpoint=${endpointId}`)).text).toContain(
      "No deliveries match these filters.",
    );
    expect((await visitor.get(`${deliveriesPath}?about=nonsense`)).text).toContain(
      "starts with evt_ or thr_",
    );

    says = () => new Response("ok");
    expect((await visitor.submit(`${deliveriesPath}/${id}/send`)).text).toContain("Sending again.");
    await until(() => deliveryLog.get(id)!.status === "succeeded", "it is delivered");
    expect((await visitor.get(`${deliveriesPath}/${id}/state`, { "x-fragment": "1" })).html).toStartWith(
      '<div id="state" class="stack"><div class="note good"',
    );
    expect(latestActions(1)).toEqual(["webhook.redeliver"]);
  });

  test("are replayed since a moment, the count first", async () => {
    const { id } = opened.app.webhooks.endpoints.get("log");
    const page = `${webhooksPath}/${id}/replay`;
    const counted = await visitor.get(`${page}?which=all&since=2020-01-01T00:00`);
    expect(counted.text).toContain("1 delivery to log, of events since 2020-01-01 00:00 UTC");
    expect((await visitor.get(`${page}?which=all&since=2999-01-01T00:00`)).text).toContain("0 deliveries");
    expect((await visitor.get(`${page}?which=all&since=yesterday`)).status).toBe(400);
    const before = receiver.received.length;
    expect((await visitor.submit(page, { which: "all", since: "2020-01-01T00:00:00.000Z" })).text).toContain(
      "1 delivery is being sent to log.",
    );
    await until(() => receiver.received.length === before + 1, "the event comes again");
    expect(latestActions(1)).toEqual(["webhook.replay"]);
  });

  test("that failed are explained with their cause wherever they are listed, and are all sent again after a confirmation", async () => {
    says = () => new Response("token expired", { status: 401 });
    const endpoint = opened.app.webhooks.endpoints.get("log");
    const page = `${webhooksPath}/${endpoint.id}`;
    const { database, deliveries } = opened.app;
    threat("examp1e-bank.info");
    await until(
      () => deliveries.log.list({ recipient: endpoint.id, status: "pending" }, 1)[0]?.attempts === 1,
      "a first attempt",
    );
    const { id } = deliveries.log.list({ recipient: endpoint.id, status: "pending" }, 1)[0]!;
    database.sqlite.run(
      `update deliveries set status = 'failed', next_attempt_at = null, completed_at = created_at where id = '${id}'`,
    );
    for (const path of [deliveriesPath, webhooksPath, page]) {
      const { text, html } = await visitor.get(path);
      expect(text).toMatch(/1 delivery (to log )?failed for good/);
      expect(text).toContain("401 Unauthorized (“token expired”)");
      expect(html).toContain(`href="${page}/send-all"`);
    }
    const { html: row } = await visitor.get(`${deliveriesPath}?endpoint=${endpoint.id}&status=failed`);
    expect(row).toMatch(/<mark class="swap" [^>]*>1<\/mark>|class="differs"[^>]*>1</);
    expect(row).toContain("1 of 5");
    const asked = await visitor.get(`${page}/send-all`);
    expect(asked.text).toContain("Send 1 delivery to log again? 1 failed for good.");
    expect(asked.text).toContain("Events keep their identifiers");
    says = () => new Response("ok");
    const sent = await visitor.submit(`${page}/send-all`);
    expect(sent.text).toContain("1 delivery is being sent to log.");
    await until(() => deliveries.log.get(id)!.status === "succeeded", "it is delivered");
    const again = await visitor.get(`${deliveriesPath}/${id}`);
    expect(again.text).toContain("Delivered At attempt 2, the first since it was sent again");
    expect((await visitor.get(`${page}/now`, { "x-fragment": "1" })).html).toMatch(/^<div id="now"/);
    expect((await visitor.get(`${page}/send-all`)).location).toBe(page);
    expect(latestActions(1)).toEqual(["webhook.replay"]);
  });

  test("to a recipient of a channel without pages are shown without links to pages that do not exist", async () => {
    const { sqlite } = opened.app.database;
    const now = opened.app.deliveries.log.list({}, 1)[0]!.createdAt;
    sqlite.run(
      `insert into recipients (id, name, channel, target, events, origin, enabled, disabled_reason,
         consecutive_failures, created_at, updated_at)
       values ('fil_01h455vb4pex5vsknk084sn02q', 'archive', 'file', '{}', '[]', 'file', 0, 'failing', 1, ${now}, ${now})`,
    );
    sqlite.run(
      `insert into deliveries (id, event_seq, recipient_seq, status, attempts, created_at, completed_at)
       select 'dlv_01h455vb4pex5vsknk084sn02q', max(events.seq), recipients.seq, 'succeeded', 1, ${now}, ${now}
       from events, recipients where recipients.name = 'archive'`,
    );
    sqlite.run(
      `insert into delivery_attempts (delivery_seq, started_at, duration_ms, phases, answer)
       select seq, ${now}, 1, '{}', '' from deliveries where id = 'dlv_01h455vb4pex5vsknk084sn02q'`,
    );
    const page = await visitor.get(`${deliveriesPath}/dlv_01h455vb4pex5vsknk084sn02q`);
    expect(page.status).toBe(200);
    expect(page.text).toContain("The recipient is disabled. Enable it to continue the delivery.");
    expect(page.html.match(/<table.*<\/table>/s)?.[0]).toContain("Delivered");
    expect(page.html).not.toContain("/fil_");
    expect((await visitor.get(deliveriesPath)).text).toContain("archive");
    const ofRecipient = `href="${deliveriesPath}?endpoint=fil_01h455vb4pex5vsknk084sn02q"`;
    expect((await visitor.get("/console")).html).toContain(ofRecipient);
    expect((await visitor.get("/console/settings/system")).html).toContain(ofRecipient);
    sqlite.run(`delete from recipients where name = 'archive'`);
  });

  test("to a disabled endpoint wait until it is enabled, and the page calls it a recipient throughout", async () => {
    says = () => new Response("no", { status: 500 });
    threat("examp1e-bank.org");
    const { log: deliveryLog, dispatcher } = opened.app.deliveries;
    await dispatcher.settled();
    const endpoint = opened.app.webhooks.endpoints.get("log");
    const [pending] = deliveryLog.list({ recipient: endpoint.id, status: "pending" }, 1);
    await visitor.submit(`${webhooksPath}/${endpoint.id}/disable`);
    const { text } = await visitor.get(`${deliveriesPath}/${pending!.id}`);
    expect(text).toContain("Waits until the endpoint is enabled.");
    expect(text).toContain("The recipient is disabled. Enable it to continue the delivery.");
    expect(text).not.toContain("the webhook");
    says = () => new Response("ok");
    await visitor.submit(`${webhooksPath}/${endpoint.id}/enable`);
    await visitor.submit(`${deliveriesPath}/${pending!.id}/send`);
    await dispatcher.settled();
    expect(deliveryLog.get(pending!.id)!.status).toBe("succeeded");
  });

  test("missed while an endpoint was disabled are offered when it is enabled", async () => {
    const { id } = opened.app.webhooks.endpoints.get("log");
    await visitor.submit(`${webhooksPath}/${id}/disable`);
    threat("examp1e-bank.net");
    await until(
      () =>
        opened.app.deliveries.replay !== undefined &&
        opened.app.database.sqlite
          .query("select count(*) as n from events where dispatched_at is null")
          .get() !== null,
      "events are dispatched",
    );
    await opened.app.deliveries.dispatcher.settled();
    const enabled = await visitor.submit(`${webhooksPath}/${id}/enable`);
    expect(enabled.text).toContain("It missed 1 event since");
    expect(enabled.text).toContain("Send them now");
  });
});

describe("the system page", () => {
  test("shows health, version, and the configuration with the origin of each value, but no secrets", async () => {
    const { text, html } = await visitor.get("/console/settings/system");
    expect(text).toContain("Ready");
    expect(text).toContain(
      'listen host:port or [IPv6]:port; port 0 takes a free one; a change needs a restart "127.0.0.1:0" line 3',
    );
    expect(text).toMatch(/min_similarity minimum similarity of a threat 0\.75 default/);
    expect(text).toMatch(/password password of the account admin, 12 [^"]* set, hidden line \d+/);
    expect(text).toContain("[detection] 2 settings, all with their defaults");
    expect(text).toContain(opened.configPath);
    expect(text).toMatch(/\[\[api_keys\]\] 1 entry, line \d+/);
    for (const secret of ["a password for tests", "a-declared-key", "a-declared-secret"])
      expect(html).not.toContain(secret);
  });

  test("lists what is not known yet, also beside an endpoint that fails", async () => {
    const unknown = "Not known yet: whether the database file is intact: it was not checked yet;";
    expect((await visitor.get("/console/settings/system")).text).toContain(
      `Ready: no problem is known ${unknown}`,
    );
    const { sqlite } = opened.app.database;
    const { id } = opened.app.webhooks.endpoints.get("log");
    sqlite.run("update recipients set consecutive_failures = 1, enabled = 1 where id = ?", [id]);
    const { text } = await visitor.get("/console/settings/system");
    sqlite.run("update recipients set consecutive_failures = 0 where id = ?", [id]);
    expect(text).toContain("1 endpoint or channel failing log");
    expect(text).not.toContain("no problem is known");
    expect(text).toContain(unknown);
  });

  test("shows the size and growth of each store, the largest first, and for how long the disk lasts", async () => {
    const before = await visitor.get("/console/settings/system");
    expect(before.text).toContain("The server measures the size of each store once a day");
    const insert = opened.app.database.sqlite.prepare("INSERT INTO store_sizes VALUES (?, ?, ?)");
    const day = Date.UTC(2027, 0, 15);
    for (const [store, bytes, before7Days] of [
      ["events", 40, 33],
      ["screenshots", 900, 886],
    ] as const) {
      insert.run(day - 7 * 86_400_000, store, before7Days * 2 ** 20);
      insert.run(day, store, bytes * 2 ** 20);
    }
    const { text } = await visitor.get("/console/settings/system");
    opened.app.database.sqlite.run("DELETE FROM store_sizes");
    expect(text).toContain(
      "Measured on 2027-01-15 (UTC). The data grew by 3.0 MiB per day over the last 7 days.",
    );
    expect(text).toContain("At this rate, the disk ");
    expect(text).toMatch(
      /Screenshots 900 MiB \+2\.0 MiB without limit Events 40\.0 MiB \+1\.0 MiB 30d \(retention\.events\)/,
    );
  });

  test("downloads a backup that is a complete database, leaves no file behind, and is recorded in the audit log", async () => {
    const token = await visitor.formToken();
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(`${opened.url}/console/settings/system/backup`, {
      method: "POST",
      headers: { cookie, origin: opened.url },
      body: new URLSearchParams({ form_token: token }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="phishwatch-[\d-]+\.db"$/,
    );
    const path = join(opened.folder, "backup.sqlite");
    const bytes = await response.bytes();
    writeFileSync(path, bytes);
    const copy = new Database(path, { readonly: true });
    expect(copy.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
    expect(copy.query("select count(*) as n from api_keys").get()).toEqual({
      n: opened.app.keys.list().length,
    });
    copy.close();
    expect([...new Bun.Glob("phishwatch.db.copy-*").scanSync(opened.folder)]).toEqual([]);
    expect(latestActions(1)).toEqual(["backup.make"]);
  });
});

describe("the audit log", () => {
  test("has words for every action", () => {
    const ofTraps = trapKindNames.flatMap((kind) =>
      [
        ...(["create", "enable", "disable", "remove"] as const),
        ...(rotates(kind) ? (["rotate"] as const) : []),
      ].map((change) => trapAuditAction(kind, change)),
    );
    const actions = [...auditActions, ...ofTraps, ...opened.app.deliveries.auditActions()];
    expect(actions.filter((action) => /[:._]/.test(auditWords(action)))).toEqual([]);
    expect(auditWords("key.create")).toBe("created API key");
    expect(auditWords("gone.since_long")).toBe("gone: since long");
  });

  test("is shown newest first, with pages and filters", async () => {
    const all = await visitor.get("/console/settings/audit");
    expect(all.text).toContain("admin (console), 127.0.0.1");
    const rows = all.html.slice(all.html.indexOf("<tbody"));
    expect(rows.indexOf("Replayed events to webhook endpoint")).toBeGreaterThan(rows.indexOf("Made backup"));
    expect(rows).toContain("Made backup");
    const some = await visitor.get("/console/settings/audit?action=key.create&via=configuration");
    expect(some.text).toContain("declared key");
    expect(some.html).not.toContain("SIEM");
    const ofAccount = await visitor.get("/console/settings/audit?by=ADMIN");
    expect(ofAccount.text).toContain("admin (console), 127.0.0.1");
    expect(ofAccount.text).not.toContain("declared key");
    expect((await visitor.get("/console/settings/audit?by=nobody")).text).toContain("No matching entries.");
    const next = await visitor.get("/console/settings/audit?page=2&via=console");
    expect([next.status, (await visitor.get("/console/settings/audit?page=99999")).status]).toEqual([
      200, 200,
    ]);
  });
});
