import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { sentenceOf } from "../../../src/web/console/pages/notifications/subscription-parts.tsx";
import type { SubscriptionSettings } from "../../../src/messaging/subscriptions/subscriptions/writer.ts";
import { deliveries, recipients } from "../../../src/messaging/deliveries/store/tables.ts";
import type { Notice } from "../../../src/messaging/content/notice.ts";
import { noticeTypes } from "../../../src/platform/vocabulary/events.ts";
import { hostileText } from "../../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";

const path = "/console/settings/notifications";
const channelsPath = `${path}/channels`;
const subscriptionsPath = `${path}/subscriptions`;
const by = { channel: "system", name: null, address: null } as const;

let opened: ConsoleApp;
let visitor: Visitor;
let receiver: Receiver;
/** Next response of the service. */
let says: () => Response = () => new Response("ok");
beforeAll(async () => {
  receiver = startReceiver(() => says());
  opened = openConsoleApp({
    config: `[[protected_domains]]
domain = "example-bank.com"
[[channels]]
name = "declared-chat"
type = "slack"
url = { env = "CHAT_URL" }
[[subscriptions]]
name = "declared"
channel = "declared-chat"
min_severity = "high"
`,
    env: { CHAT_URL: `${receiver.url}/a-declared-secret` },
  });
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
const channel = (name: string) => opened.app.channels.get(name);
const add = (fields: Record<string, string>) =>
  visitor.post(`${channelsPath}/add`, { type: "slack", url: `${receiver.url}/a-secret`, ...fields });

test("an appliance without channels explains the two steps and offers the first one", async () => {
  const empty = openConsoleApp();
  try {
    const reader = await empty.signedIn();
    const { text, html } = await reader.get(path);
    expect(text).toMatch(/Nobody is notified yet It takes two steps: Add a channel: .* Add a subscription: /);
    expect(html).toContain(`href="${channelsPath}/add"`);
    expect((await reader.get(`${subscriptionsPath}/add`)).text).toContain("Add a channel first.");
    expect((await reader.get(`${channelsPath}/add?type=email`)).text).toContain("host and from of [smtp]");
  } finally {
    await empty.dispose();
  }
});

test("links in messages that only this machine can open are pointed out", async () => {
  expect((await visitor.get(path)).text).toContain("which only this machine can open");
});

describe("channels", () => {
  test("are added by choosing a service first, and then only with the fields of that service", async () => {
    const choice = await visitor.get(`${channelsPath}/add`);
    const manual = (await visitor.get("/docs/channels")).html;
    for (const type of opened.app.channels.types) {
      expect(choice.text).toContain(opened.app.channels.label(type));
      const { html } = await visitor.get(`${channelsPath}/add?type=${type}`);
      const fields = [...html.matchAll(/<(?:input|textarea)[^>]* name="(\w+)"/g)].map(([, name]) => name!);
      const own = fields.filter(
        (name) => !["form_token", "to", "theme", "type", "name", "test"].includes(name),
      );
      expect([type, own.includes("url")]).toEqual([type, type !== "email"]);
      expect([type, html.includes('name="chat_id"')]).toEqual([type, type === "telegram"]);
      const [, section] = /href="\/docs\/channels#([^"]+)"/.exec(html)!;
      expect([type, manual.includes(`<h2 id="${section}">`)]).toEqual([type, true]);
    }
  });

  test("are never filled in from the address, so that a link cannot redirect messages", async () => {
    const { html } = await visitor.get(`${channelsPath}/add?type=slack&url=https://evil.example/x&name=evil`);
    expect(html).not.toContain("evil");
  });

  test("are tested when they are added, and their secrets are never shown again", async () => {
    says = () => new Response("ok");
    const { location } = await add({ name: "team", test: "yes" });
    const page = await visitor.get(location!);
    expect(page.text).toMatch(/team has been added\. .* Test delivered: status 200 in \d+ ms\./);
    expect(receiver.received.at(-1)).toMatchObject({ method: "POST", path: "/hook/a-secret" });
    expect(latestActions(2)).toEqual(["channel.add", "channel.test"]);
    const { id } = channel("team");
    for (const address of [
      path,
      `${channelsPath}/${id}`,
      `${channelsPath}/${id}/edit`,
      "/console/settings/audit",
    ]) {
      const { html, status } = await visitor.get(address);
      expect([address, status, html.includes("a-secret")]).toEqual([address, 200, false]);
    }
    expect((await visitor.get(`${channelsPath}/${id}`)).text).toMatch(
      /Service Slack Webhook URL http:\/\/127\.0\.0\.1:\d+\/…/,
    );
  });

  test("say why a test failed and what to change, and show the response as text", async () => {
    says = () => new Response(`no_service ${hostileText}`, { status: 404 });
    const { id } = channel("team");
    const { html, text } = await visitor.submit(`${channelsPath}/${id}/test`);
    expect(text).toMatch(/Test failed: .*404.*\. [A-Z].*/);
    expect(text).toContain("<script>alert(1)</script>");
    expect(html).not.toContain("<script>alert");
    says = () => new Response("ok");
    expect((await visitor.submit(`${channelsPath}/${id}/test`)).text).toContain("Test delivered");
  });

  test.each([
    [{ name: " chn_x" }, "name", "A name cannot begin with chn_"],
    [{ name: "team" }, "name", "The name team is already taken."],
    [{ name: "other", url: "" }, "url", "Enter a value for “Webhook URL”."],
    [{ name: "other", url: "ftp://a.example/x" }, "url", "must begin with https://"],
    [{ name: "other", url: "http://169.254.169.254/latest" }, "url", "169.254.169.254"],
  ])(
    "that cannot be added show the error beside the field and keep what was entered (%#)",
    async (fields, field, message) => {
      const count = opened.app.channels.list().length;
      const { status, html } = await add({ test: "yes", ...fields });
      expect(status).toBe(400);
      const error = new RegExp(`id="${field}-error">([^<]*)</p>`).exec(html)?.[1];
      expect(error).toContain(message);
      expect(html).toContain(`value="${fields.name}"`);
      expect(opened.app.channels.list().length).toBe(count);
    },
  );

  test("keep a stored secret if its field is left empty, and lose an optional one on request", async () => {
    const url = new URL(receiver.url).origin;
    const target = { topic: "alerts", url, token: "tk_a_token" };
    const { id } = opened.app.channels.add({ name: "phone", type: "ntfy", target }, { by });
    const edit = `${channelsPath}/${id}/edit`;
    expect((await visitor.get(edit)).html).toContain('value="alerts"');
    await visitor.submit(edit, { topic: "others", url, token: "" });
    expect(channel("phone").target).toMatchObject({ topic: "others", token: "tk_a_token" });
    await visitor.submit(edit, { topic: "others", url, token: "", remove_token: "yes" });
    expect(channel("phone").target).toMatchObject({ topic: "others", token: null });
    await opened.app.channels.remove("phone", { by });
  });

  test("from the configuration file are marked, can be tested and disabled, and cannot be changed", async () => {
    const { id } = channel("declared-chat");
    const page = await visitor.get(`${channelsPath}/${id}`);
    expect(page.text).toContain("Declared as [[channels]] in the configuration file.");
    expect(page.html).not.toMatch(/\/(edit|remove)"/);
    for (const step of ["edit", "remove"])
      expect((await visitor.post(`${channelsPath}/${id}/${step}`)).status).toBe(400);
    expect((await visitor.submit(`${channelsPath}/${id}/test`)).text).toContain("Test delivered");
    const disabled = await visitor.submit(`${channelsPath}/${id}/disable`);
    expect(disabled.text).toMatch(/declared-chat is disabled until .* paused by a person/);
    const list = await visitor.get(path);
    expect(list.text).toMatch(
      /declared configuration file New threats, at least high at once declared-chat Waiting/,
    );
    expect((await visitor.submit(`${channelsPath}/${id}/enable`)).text).toContain(
      "declared-chat is enabled.",
    );
  });

  test("are removed after a confirmation", async () => {
    await add({ name: "old" });
    const { id } = channel("old");
    expect((await visitor.get(`${channelsPath}/${id}/remove`)).text).toContain("Remove this channel?");
    expect((await visitor.submit(`${channelsPath}/${id}/remove`)).text).toContain("old has been removed.");
    expect((await visitor.get(`${channelsPath}/${id}`)).status).toBe(404);
  });
});

const settings = {
  channel: "team",
  events: ["threat.created", "threat.resolved"],
  min_severity: "high",
  verified_only: "yes",
  digest: "daily",
  at: "07:30",
  time_zone: "Europe/Berlin",
  weekdays: ["mon", "fri"],
  quiet_from: "22:00",
  quiet_to: "06:00",
};

describe("subscriptions", () => {
  test("are described before they are saved, with what was entered kept", async () => {
    const { status, text, html } = await visitor.post(`${subscriptionsPath}/add`, {
      ...settings,
      name: "digest",
      preview: "yes",
    });
    expect(status).toBe(200);
    expect(text).toContain(
      "New threats and resolved threats, at least high, only verified, daily at 07:30 on Monday and Friday, not between 22:00 and 06:00 (Europe/Berlin), to team.",
    );
    expect(html).toContain('value="digest"');
    expect(opened.app.notifications.subscriptions.find("digest")).toBeUndefined();
  });

  test("are added, changed, disabled, enabled and removed, and each step is in the audit log", async () => {
    const added = await visitor.submit(`${subscriptionsPath}/add`, { ...settings, name: "digest" });
    expect(added.text).toContain("digest has been added.");
    const { subscriptions } = opened.app.notifications;
    const { id, ...stored } = subscriptions.get("digest");
    expect(stored).toMatchObject({
      channel: { name: "team" },
      events: ["threat.created", "threat.resolved"],
      filter: { minSeverity: "high", protectedDomains: [], types: [], sources: [], verifiedOnly: true },
      digest: "daily",
      at: 450,
      weekdays: ["mon", "fri"],
      timeZone: "Europe/Berlin",
      quietHours: { from: 1320, to: 360 },
    });
    const edit = `${subscriptionsPath}/${id}/edit`;
    const { html } = await visitor.get(edit);
    for (const shown of ['value="07:30"', 'value="22:00"', 'value="Europe/Berlin"'])
      expect(html).toContain(shown);
    await visitor.submit(edit, {
      ...settings,
      events: ["system.disk_filling"],
      digest: "none",
      weekdays: [],
      quiet_from: "",
      quiet_to: "",
    });
    expect(subscriptions.get(id)).toMatchObject({
      events: ["system.disk_filling"],
      digest: "none",
      quietHours: null,
    });
    expect((await visitor.get(path)).text).toContain("A disk that is filling up at once team Enabled");
    const disabled = await visitor.submit(`${subscriptionsPath}/${id}/disable`);
    expect(disabled.text).toMatch(/digest is disabled until .* State Disabled paused by a person/);
    await visitor.submit(`${subscriptionsPath}/${id}/enable`);
    await visitor.submit(`${subscriptionsPath}/${id}/remove`);
    expect(subscriptions.find(id)).toBeUndefined();
    expect(latestActions(5)).toEqual([
      "subscription.add",
      "subscription.change",
      "subscription.disable",
      "subscription.enable",
      "subscription.remove",
    ]);
  });

  test.each([
    [{ channel: "other", preview: "yes" }, "channel", "Choose one of the channels."],
    [{ events: [] }, "events", "Choose at least one event."],
    [{ at: "25:00" }, "at", "Enter a time such as"],
    [{ quiet_to: "" }, "quiet_to", "Enter a time such as"],
    [{ quiet_to: "22:00" }, "quiet_to", "must not end when they begin"],
    [{ time_zone: "Berlin" }, "time_zone", "Enter a time zone such as"],
    [{ protected_domains: "not a name!" }, "protected_domains", "is not a domain"],
    [{ name: "declared" }, "name", "already taken"],
  ])(
    "that cannot be added show the error beside the field and keep what was entered (%#)",
    async (fields, field, message) => {
      const { status, html } = await visitor.post(`${subscriptionsPath}/add`, {
        ...settings,
        name: "kept as written",
        ...(fields as Record<string, string | string[]>),
      });
      expect(status).toBe(400);
      const error = new RegExp(`id="${field}-error">([^<]*)</p>`).exec(html)?.[1];
      expect(error).toContain(message);
      const { time_zone: zone = settings.time_zone } = fields as { time_zone?: string };
      expect(html).toContain(`value="${zone}"`);
      if (field !== "channel") expect(html).toContain('<option value="team" selected');
    },
  );

  test("from the configuration file are marked and cannot be changed, but disabled", async () => {
    const { id } = opened.app.notifications.subscriptions.get("declared");
    const page = await visitor.get(`${subscriptionsPath}/${id}`);
    expect(page.text).toContain("Declared as [[subscriptions]] in the configuration file.");
    expect((await visitor.post(`${subscriptionsPath}/${id}/edit`, settings)).status).toBe(400);
    expect((await visitor.submit(`${subscriptionsPath}/${id}/disable`)).text).toContain(
      "declared is disabled",
    );
    await visitor.submit(`${subscriptionsPath}/${id}/enable`);
  });
});

describe("messages", () => {
  const notice = (title: string): Notice => ({
    id: "evt_1",
    kind: "threat",
    at: "2026-01-15T12:00:00.000Z",
    tone: "high",
    title,
    summary: `Title of the page: ${hostileText}`,
    facts: [{ label: "Registered", value: "2026-01-14" }],
    items: [],
    more: 0,
    links: [],
    threat: null,
    condition: null,
  });
  /** Records a message, which waits: nothing delivers it. */
  const send = (title: string) => {
    const { database, deliveries: service } = opened.app;
    const recipientSeq = channel("team").seq;
    database.transaction(() => service.messages.send({ recipientSeq, body: JSON.stringify(notice(title)) }));
    return service.log.list({ recipient: "team" }, 1)[0]!;
  };

  test("are shown as text with whatever an attacker wrote in them, and have a log of their own", async () => {
    const { id } = send("High: examp1e-bank[.]com <b>");
    const page = await visitor.get(`${path}/messages/${id}`);
    expect(page.text).toMatch(/Message Title of the page: .* Registered: 2026-01-14/);
    expect(page.text).toContain("\\u{202e}");
    expect(page.html).not.toContain("<script>alert");
    expect(page.text).not.toContain('"summary"');
    for (const address of [`${path}/messages`, `${channelsPath}/${channel("team").id}`, `${path}`]) {
      const { html } = await visitor.get(address);
      expect([address, html.includes(`${path}/messages/${id}`)]).toEqual([address, true]);
    }
    expect((await visitor.get(`${path}/messages`)).text).toContain("High: examp1e-bank[.]com <b>");
    const webhooks = "/console/settings/webhooks/deliveries";
    expect((await visitor.get(webhooks)).text).toContain("No deliveries yet.");
    expect((await visitor.get(`${webhooks}/${id}`)).location).toBe(`${path}/messages/${id}`);
    expect((await visitor.get(`${webhooks}?endpoint=${channel("team").id}`)).location).toBe(
      `${path}/messages?endpoint=${channel("team").id}`,
    );
  });

  test("that failed can be sent again, one by one or all of them, and are announced when the channel is enabled", async () => {
    const { id } = send("sent again");
    const { channels, database } = opened.app;
    const { log } = opened.app.deliveries;
    const fail = () =>
      database.query.update(deliveries).set({ status: "failed" }).where(eq(deliveries.id, id)).run();
    fail();
    expect((await visitor.get(`${path}/messages?status=failed`)).text).toContain("sent again");
    expect((await visitor.submit(`${path}/messages/${id}/send`)).text).toContain("Sending again.");
    expect(log.get(id)!.status).toBe("pending");
    fail();
    const replay = `${channelsPath}/${channel("team").id}/replay`;
    expect((await visitor.get(`${replay}?which=failed`)).text).toContain("1 delivery to team.");
    expect((await visitor.submit(replay, { which: "failed" })).text).toContain(
      "1 delivery is being sent to team.",
    );
    channels.disable("team", { by });
    const enabled = await visitor.submit(`${channelsPath}/${channel("team").id}/enable`);
    expect(enabled.text).toContain("team is enabled. 2 messages that waited are being sent.");
  });

  test("that keep failing are reported on the overview with a link to the channel", async () => {
    const { database } = opened.app;
    const { id } = channel("team");
    const state = { consecutiveFailures: 3, failingSince: Date.now() - 60_000 };
    database.query.update(recipients).set(state).where(eq(recipients.id, id)).run();
    const { text, html } = await visitor.get("/console");
    expect(text).toContain("Channel team has failed for 60 s 3 deliveries failed in a row.");
    expect(html).toContain(`href="${channelsPath}/${id}"`);
  });
});

const base: SubscriptionSettings = {
  channel: "team-chat",
  events: ["threat.created"],
  filter: { minSeverity: "low", protectedDomains: [], types: [], sources: [], verifiedOnly: false },
  digest: "none",
  at: 480,
  weekdays: [],
  timeZone: "UTC",
  quietHours: null,
};
const filtered = (filter: Partial<SubscriptionSettings["filter"]>) => ({
  filter: { ...base.filter, ...filter },
});
test.each<[Partial<SubscriptionSettings>, string]>([
  [{}, "New threats, at once, to team-chat"],
  [filtered({ minSeverity: "high" }), "New threats, at least high, at once, to team-chat"],
  [
    filtered({
      minSeverity: "medium",
      protectedDomains: ["a.example", "b.example"],
      types: ["tld_squatting"],
    }),
    "New threats, at least medium, of a.example and b.example, only TLD squatting, at once, to team-chat",
  ],
  [
    filtered({ protectedDomains: ["a.example", "b.example", "c.example"], sources: ["scan"] }),
    "New threats, of 3 protected domains, found by scans, at once, to team-chat",
  ],
  [
    {
      events: ["threat.created", "token.accessed", "system.backup_failed"],
      ...filtered({ minSeverity: "high", verifiedOnly: true }),
    },
    "New threats (at least high, only verified), visits to honeytokens and failed backups, at once, to team-chat",
  ],
  [
    { events: [...noticeTypes].filter((type) => type !== "system.log_list_updated") },
    "All changes of threats, visits to traps, scans and some system messages, at once, to team-chat",
  ],
  [
    { events: ["scan.completed", "system.backup_failed"], ...filtered({ minSeverity: "high" }) },
    "Ended scans and failed backups, at once, to team-chat",
  ],
  [
    { events: ["threat.created", "threat.updated", "threat.resolved"], digest: "hourly" },
    "All changes of threats, hourly, to team-chat",
  ],
  [
    { events: ["beacon.triggered", "token.accessed"], weekdays: ["mon", "tue", "wed", "thu", "fri"] },
    "Visits to traps, at once on weekdays (UTC), to team-chat",
  ],
  [
    { digest: "daily", timeZone: "Europe/Berlin" },
    "New threats, daily at 08:00 (Europe/Berlin), to team-chat",
  ],
  [
    { quietHours: { from: 1320, to: 420 } },
    "New threats, at once, not between 22:00 and 07:00 (UTC), to team-chat",
  ],
])("a subscription is described in one sentence (%#)", (change, sentence) => {
  expect(sentenceOf({ ...base, ...change })).toBe(sentence);
});
