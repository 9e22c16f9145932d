import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ObservedChange } from "../../../src/messaging/deliveries/send-all.ts";
import { deleteAnnouncements } from "../../../src/messaging/deliveries/store/announcements.ts";
import { createProtectedDomains } from "../../../src/threats/domains/domains.ts";
import { type EventFilter, noFilter } from "../../../src/threats/events/event-filter.ts";
import type { SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import { createThreats } from "../../../src/threats/threats/threats.ts";
import { fillRandom, manualClock, temporaryFolder } from "../../support/appliance.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { analyst, caseSettings } from "../../support/stores.ts";
import { openWebhooks } from "../../support/webhooks.ts";

const withMail: SeverityFacts = { exists: "yes", reachable: true, mail: true };
const existing: SeverityFacts = { exists: "yes" };
const nothing: SeverityFacts = { exists: "unknown" };

let folder: ReturnType<typeof temporaryFolder>;
let receiver: Receiver;
let world: ReturnType<typeof openWorld>;
beforeEach(() => {
  folder = temporaryFolder();
  receiver = startReceiver(() => 200);
  world = openWorld();
  world.dispatcher.start();
});
afterEach(async () => {
  await world.close();
  await receiver.stop();
  folder.dispose();
});

/** Opens deliveries and threats over the file of this test. */
function openWorld() {
  const clock = manualClock();
  const webhooks = openWebhooks({ clock, folder });
  const { database, ids, auditLog, outbox, jsonLog: log } = webhooks;
  createProtectedDomains({
    database,
    clock,
    ids,
    log,
    auditLog,
    detection: { minSimilarity: 0.75 },
  }).reconcile([{ domain: "example-bank.com" }, { domain: "example-shop.com" }]);
  const threats = createThreats({
    database,
    clock,
    ids,
    log,
    outbox,
    auditLog,
    fillRandom,
    cases: caseSettings,
    detection: { reactivate: true },
  });
  return {
    ...webhooks,
    threats,
    /** Adds an endpoint whose path is its name. */
    add(name: string, filter: Partial<EventFilter> | null, events: string[] = []) {
      const given = filter === null ? null : { ...noFilter, ...filter };
      return webhooks.endpoints.add({ name, url: `${receiver.url}/${name}`, filter: given, events }).endpoint;
    },
    /** Records a threat of medium severity that nothing has verified. */
    see(domain = "examp1e-bank.com", protectedDomain = "example-bank.com"): string {
      const match = { protectedDomain, type: "typosquatting" as const, similarity: 0.9, reasons: [] };
      const sighting = { domain, match, source: "feed" as const, seenAt: clock.now() };
      return threats.record([sighting])[0]!.threatId;
    },
    learn(id: string, evidence: SeverityFacts) {
      return threats.updateFacts(id, { ipAddress: null, registrar: null, whois: {}, evidence }, [])!.severity;
    },
    /** Returns what each endpoint has been sent, as `type severity`, and forgets it. */
    async sent(): Promise<Record<string, string[]>> {
      await webhooks.dispatcher.settled();
      const all: Record<string, string[]> = {};
      for (const { path, body } of receiver.received.splice(0)) {
        const { type, data } = JSON.parse(body) as { type: string; data: { threat?: { severity: string } } };
        (all[path.split("/").at(-1)!] ??= []).push([type, data.threat?.severity].join(" ").trim());
      }
      return all;
    },
  };
}

describe("An endpoint with a filter", () => {
  test("is sent a threat that matches only later, once, with its present data, and then what happens to it", async () => {
    world.add("all", null);
    world.add("high", { minSeverity: "high" });
    world.add("verified", { verifiedOnly: true });
    world.add("shop", { protectedDomains: ["example-shop.com"] });
    world.add("updates", { minSeverity: "high" }, ["threat.updated"]);
    const id = world.see();
    expect(await world.sent()).toEqual({ all: ["threat.created medium"] });
    expect(world.learn(id, existing)).toBe("medium");
    expect(await world.sent()).toEqual({ verified: ["threat.created medium"] });
    expect(world.learn(id, withMail)).toBe("high");
    expect(await world.sent()).toEqual({ high: ["threat.created high"] });
    // Down and up again.
    expect(world.learn(id, existing)).toBe("medium");
    expect(world.learn(id, nothing)).toBe("medium");
    expect(world.learn(id, withMail)).toBe("high");
    expect(await world.sent()).toEqual({});
    expect(world.learn(id, nothing)).toBe("medium");
    world.threats.changeStatus([id], "resolved", { by: analyst });
    const ends = ["threat.updated medium", "threat.resolved medium"];
    expect(await world.sent()).toEqual({ all: ends, high: ends, verified: ends });
  });

  test("is sent a threat once all of its conditions hold, in whatever order they come true", async () => {
    world.add("both", { minSeverity: "high", verifiedOnly: true });
    const id = world.see();
    world.learn(id, existing);
    expect(await world.sent()).toEqual({});
    world.learn(id, withMail);
    expect(await world.sent()).toEqual({ both: ["threat.created high"] });
  });

  test("is not sent a threat whose severity rises after a person has decided on it", async () => {
    world.add("high", { minSeverity: "high" });
    const id = world.see();
    world.threats.changeStatus([id], "false_positive", { by: analyst });
    world.learn(id, withMail);
    expect(await world.sent()).toEqual({});
  });

  test("is sent a threat late that was recorded before the filter only if it had not been sent it then", async () => {
    world.add("first", null);
    const id = world.see();
    await world.sent();
    world.endpoints.change("first", { filter: { ...noFilter, minSeverity: "high" } });
    world.add("second", { minSeverity: "high" });
    world.learn(id, withMail);
    expect(await world.sent()).toEqual({ second: ["threat.created high"] });
  });

  test("is sent events of scans and traps by their protected domains", async () => {
    world.add("bank", { protectedDomains: ["example-bank.com"], minSeverity: "high" });
    world.record("scan.started", { scan: { protected_domains: ["example-bank.com", "example-shop.com"] } });
    world.record("scan.completed", { scan: { protected_domains: ["example-shop.com"] } });
    world.record("beacon.triggered", { beacon: { protected_domain: "example-bank.com" }, threat: null });
    world.record("token.accessed", { token: { id: "tok_1" } });
    expect(await world.sent()).toEqual({ bank: ["scan.started", "beacon.triggered"] });
  });
});

test("A rise in severity is applied once, whether the process ends before or after the event of the threat is taken", async () => {
  world.add("high", { minSeverity: "high" });
  const first = world.see("examp1e-bank.com");
  expect(await world.sent()).toEqual({});
  await world.dispatcher.stop(0);
  const second = world.see("example-b4nk.com");
  world.learn(first, withMail);
  world.learn(second, withMail);
  await world.close();
  world = openWorld();
  world.dispatcher.start();
  expect(await world.sent()).toEqual({ high: ["threat.created high", "threat.created high"] });
  await world.close();
  world = openWorld();
  world.dispatcher.start();
  expect(await world.sent()).toEqual({});
  expect(world.database.sqlite.query("select count(*) as total from threat_escalations").get()).toEqual({
    total: 0,
  });
});

test("Observers see each event that they want and each rise once, in the order of the changes, with the present threat", async () => {
  const seen: string[] = [];
  await world.dispatcher.stop(0);
  const describeChange = (change: ObservedChange) =>
    `${change.kind === "event" ? change.type : change.kind} ${change.threat?.domain ?? "none"} ${change.threat?.severity ?? ""}`;
  world.observe({ wants: () => true, observe: (change) => void seen.push(describeChange(change)) });
  const created: string[] = [];
  world.observe({
    wants: (type) => type === "threat.created",
    observe: (change) => void created.push(describeChange(change)),
  });
  const first = world.see("examp1e-bank.com");
  world.learn(first, withMail);
  world.see("example-b4nk.com");
  world.learn(first, nothing);
  world.record("scan.started", { scan: { protected_domains: [] } });
  world.dispatcher.start();
  await world.dispatcher.settled();
  expect(seen).toEqual([
    "threat.created examp1e-bank.com medium",
    "escalation examp1e-bank.com medium",
    "threat.created example-b4nk.com medium",
    "scan.started none ",
  ]);
  expect(created).toEqual(seen.slice(0, 3));
});

describe("A replay", () => {
  test("of all events to an endpoint with a filter sends those that match, and each threat once", async () => {
    const { id } = world.add("high", { minSeverity: "high" });
    const late = world.see("examp1e-bank.com");
    world.see("example-b4nk.com");
    await world.sent();
    world.learn(late, withMail);
    expect(await world.sent()).toEqual({ high: ["threat.created high"] });
    // It falls again: what was announced still counts.
    world.learn(late, nothing);
    world.threats.changeStatus([late], "resolved", { by: analyst });
    world.record("scan.completed", { scan: { protected_domains: ["example-shop.com"] } });
    const three = ["threat.updated medium", "threat.resolved medium", "scan.completed"];
    expect(await world.sent()).toEqual({ high: three });
    for (const [which, total] of [
      ["missed", 0],
      ["all", 4],
    ] as const) {
      expect(world.replay.count({ which, recipient: id, since: 0 })).toBe(total);
      expect(await world.replay.run({ which, recipient: id, since: 0 })).toBe(total);
    }
    expect(await world.sent()).toEqual({ high: ["threat.created high", ...three] });
  });

  test("of thousands of events finds the few that match a filter, in short steps, and is recorded once", async () => {
    const { id } = world.add("bank", { protectedDomains: ["example-bank.com"] });
    await world.dispatcher.stop(0);
    world.database.sqlite.run(`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 12000)
      insert into events (id, type, body, created_at, dispatched_at)
      select 'evt_' || n, 'scan.started', json_object('data', json_object('scan', json_object('protected_domains',
        json_array(case when n % 20 = 0 then 'example-bank.com' else 'example-shop.com' end)))), 1, 1 from numbers`);
    expect(world.replay.count({ which: "missed", recipient: id, since: 0 })).toBe(600);
    expect(await world.replay.run({ which: "missed", recipient: id, since: 0 })).toBe(600);
    expect(await world.replay.run({ which: "missed", recipient: id, since: 0 })).toBe(0);
    const replays = world.auditLog
      .list({}, { limit: 10, offset: 0 })
      .filter(({ action }) => action === "webhook.replay");
    expect(replays.map(({ detail }) => detail["deliveries"])).toEqual([0, 600]);
  });

  test("of missed events brings what matched while the endpoint was disabled, by its filter", async () => {
    const { id } = world.add("bank", { protectedDomains: ["example-bank.com"] });
    world.endpoints.disable("bank");
    world.see("examp1e-bank.com");
    world.see("examp1e-shop.com", "example-shop.com");
    world.record("scan.started", { scan: { protected_domains: ["example-bank.com"] } });
    world.record("scan.started", { scan: { protected_domains: ["example-shop.com"] } });
    world.record("beacon.triggered", { beacon: { protected_domain: "example-bank.com" }, threat: null });
    world.record("token.accessed", { token: { id: "tok_1" } });
    expect(await world.sent()).toEqual({});
    world.endpoints.enable("bank");
    expect(await world.replay.run({ which: "missed", recipient: id, since: 0 })).toBe(3);
    expect(await world.sent()).toEqual({
      bank: ["threat.created medium", "scan.started", "beacon.triggered"],
    });
  });

  test("of events that were announced late to one endpoint never reaches another", async () => {
    world.add("high", { minSeverity: "high" });
    const { id } = world.add("all", null);
    const threat = world.see();
    world.learn(threat, withMail);
    await world.sent();
    expect(await world.replay.run({ which: "all", recipient: id, since: 0 })).toBe(1);
    expect(await world.sent()).toEqual({ all: ["threat.created medium"] });
  });
});

test("Removing an endpoint removes what was announced to it", async () => {
  world.add("high", { minSeverity: "low", verifiedOnly: true });
  const id = world.see();
  world.learn(id, existing);
  await world.sent();
  const announced = world.database.sqlite.query("select count(*) as total from announcements");
  expect(announced.get()).toEqual({ total: 1 });
  await world.endpoints.remove("high");
  expect(announced.get()).toEqual({ total: 0 });
});

test("Removing a subscription removes what was announced for it alone", async () => {
  const { seq: recipientSeq } = world.add("team", null);
  const { announcements, database } = world;
  for (const subscriptionSeq of [5, 6])
    database.transaction(() => announcements.add({ recipientSeq, subscriptionSeq, threatSeq: 1 }));
  await deleteAnnouncements(database, { recipientSeq, subscriptionSeq: 5 });
  const announced = [5, 6].map((subscriptionSeq) =>
    announcements.has({ recipientSeq, subscriptionSeq, threatSeq: 1 }),
  );
  expect(announced).toEqual([false, true]);
});

test("A filter with an unknown value is rejected, and one without conditions is stored as none", () => {
  expect(() => world.add("a", { protectedDomains: ["not a domain"] })).toThrow(/is not a domain/);
  expect(() => world.add("a", { minSeverity: "critical" as "high" })).toThrow(/minimum severity/);
  expect(() => world.add("a", { types: ["phishing" as "homograph"] })).toThrow(/no threat type; use/);
  expect(world.add("a", {}).filter).toBeNull();
  expect(world.add("b", { protectedDomains: ["Example-Bank.com", "example-bank.com"] }).filter).toEqual({
    ...noFilter,
    protectedDomains: ["example-bank.com"],
  });
});
