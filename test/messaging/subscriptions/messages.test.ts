import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { noFilter } from "../../../src/threats/events/event-filter.ts";
import { plainText } from "../../../src/messaging/content/plain-text.ts";
import { by, openNotificationsWorld } from "../../support/notifications.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let world: ReturnType<typeof openNotificationsWorld>;
beforeEach(() => {
  world = openNotificationsWorld();
  world.addChannel("chat");
  world.start();
});
afterEach(async () => {
  await world.stop();
  world.folder.dispose();
});

describe("a subscription that sends at once", () => {
  test("sends one message about a new threat, with what is known and where to look", async () => {
    world.subscribe();
    const id = world.record("examp1e-bank.com");
    await world.pass(4_000);
    expect(world.titles()).toEqual([]);
    await world.pass(1_000);
    const [notice, ...more] = world.notices();
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ kind: "threat", tone: "high", threat: { id, status: "active" } });
    expect(plainText(notice!)).toBe(`High: examp1e-bank[.]com, look-alike of example-bank.com

Unverified: only the name is known. The name is a homograph: its characters look like those of the protected name (similarity 0.97).

Look-alike: examp1e-bank[.]com
Original: example-bank.com
Difference: "1" in place of "l"
Type: homograph
Found: 2026-01-15 12:00 UTC, by a feed

Open the threat: https://watch.example/console/threats/${id}`);
    await world.skip(hourMs);
    expect(world.titles()).toEqual([]);
    expect(world.queued()).toBe(0);
  });

  test("sends 594 threats of one import as one message, the most severe first, with a link to the import", async () => {
    world.subscribe();
    world.database.transaction(() => {
      for (let index = 0; index < 594; index += 1)
        world.record(`example-bank-${index}.com`, {
          importSeq: 7,
          similarity: index < 12 ? 0.97 - index / 1_000 : 0.8,
        });
    });
    await world.pass(minuteMs);
    const [notice, ...more] = world.notices();
    expect(more).toEqual([]);
    expect(notice).toMatchObject({
      kind: "threats",
      title: "594 new look-alikes of example-bank.com: 12 high, 582 low",
      summary: "All were found by one import.",
      more: 584,
      threat: null,
      links: [{ url: "https://watch.example/console/threats?status=all&import=7" }],
    });
    expect(notice!.items.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `example-bank-${index}[.]com`),
    );
    expect(world.queued()).toBe(0);
  });

  test("leaves out what is no longer open or no longer severe enough when the message is composed", async () => {
    world.subscribe({ filter: { ...noFilter, minSeverity: "high" } });
    const [resolved, gone] = [world.record("examp1e-bank.com"), world.record("exampIe-bank.com")];
    await world.settle();
    world.resolve(resolved);
    world.find(gone, "nothing");
    await world.pass(minuteMs);
    expect(world.titles()).toEqual([]);
    expect(world.queued()).toBe(0);
    // Its severity rises again, so it is sent now.
    world.find(gone, "password");
    await world.pass(minuteMs);
    expect(world.titles()).toHaveLength(1);
  });

  test("combines changes of status, and a threat that was announced and then resolved in one burst is one of them", async () => {
    world.subscribe({ events: ["threat.created", "threat.updated", "threat.resolved"] });
    const threatIds = ["examp1e-bank.com", "exampIe-bank.com", "examplee-bank.com"].map((domain) =>
      world.record(domain),
    );
    await world.pass(minuteMs);
    expect(world.titles()).toEqual(["3 new look-alikes of example-bank.com: 3 high"]);
    world.resolve(threatIds[0]!);
    await world.pass(minuteMs);
    expect(world.titles()).toEqual(["Resolved: examp1e-bank[.]com, look-alike of example-bank.com"]);
    world.resolve(...threatIds);
    world.threats.changeStatus([threatIds[0]!], "active", { by });
    const brief = world.record("example-bamk.com");
    world.resolve(brief);
    await world.pass(minuteMs);
    expect(world.titles()).toEqual(["3 threats changed: 2 resolved, 1 active again"]);
  });

  test("becomes rarer in a continuing stream, but never keeps a severe verified threat waiting", async () => {
    world.subscribe();
    const times: number[] = [];
    const start = world.clock.now();
    for (let second = 0; second < 30 * 60; second += 30) {
      world.record(`example-bank-${second}.com`, { similarity: 0.9 });
      await world.pass(30_000);
      if (world.titles().length > 0) times.push((world.clock.now() - start) / 1_000);
    }
    expect(times).toHaveLength(7);
    expect(times.slice(0, 5)).toEqual([30, 60, 90, 120, 150]);
    const id = world.record("example-bank-x.com", { similarity: 0.9 });
    await world.pass(10_000);
    world.find(id, "password");
    await world.pass(minuteMs);
    expect(world.titles()).toHaveLength(1);
  });

  test("is one message after quiet hours, also if different things happened", async () => {
    world.subscribe({
      events: ["threat.created", "threat.resolved"],
      quietHours: { from: 20 * 60, to: 21 * 60 },
    });
    const old = world.record("example-bamk.com");
    await world.pass(minuteMs);
    expect(world.titles()).toHaveLength(1);
    await world.skip(8 * hourMs);
    world.record("examp1e-bank.com");
    world.resolve(old);
    await world.skip(hourMs);
    expect(world.titles()).toEqual(["Since 2026-01-15 20:01 UTC: 1 new threat, 1 resolved"]);
  });

  test("is one message about several threats after quiet hours", async () => {
    world.subscribe({ quietHours: { from: 11 * 60, to: 13 * 60 } });
    world.record("examp1e-bank.com");
    await world.skip(30 * minuteMs);
    world.record("exampIe-bank.com");
    await world.skip(29 * minuteMs);
    expect(world.titles()).toEqual([]);
    await world.pass(minuteMs);
    expect(world.titles()).toEqual(["2 new look-alikes of example-bank.com: 2 high"]);
  });

  test("combines visits to a trap, and sends each condition of the appliance when it begins and when it ends", async () => {
    world.subscribe({ events: ["token.accessed", "system.disk_filling"] });
    const visit = {
      ip_address: "198.51.100.7",
      user_agent: "curl",
      referrer: null,
      at: "2026-01-15T12:00:00.000Z",
    };
    const token = { id: "tok_1", name: "vpn", kind: "url" };
    const database = world.database;
    for (let count = 0; count < 3; count += 1)
      database.transaction(() => world.outbox.record("token.accessed", { token, access: visit }));
    const condition = { type: "system.disk_filling", key: "disk", text: "5 % are free." } as const;
    const send = (phase: "began" | "ended", title: string) =>
      database.transaction(() =>
        world.notifications.system.send({ ...condition, phase, title, at: world.clock.now() }),
      );
    send("began", "The disk is filling up");
    await world.pass(minuteMs);
    expect(world.titles().sort()).toEqual(['Honeytoken "vpn" was opened 3 times', "The disk is filling up"]);
    send("ended", "The disk has space again");
    await world.pass(minuteMs);
    expect(world.notices()).toMatchObject([
      { title: "The disk has space again", tone: "good", condition: { key: "disk", phase: "ended" } },
    ]);
  });
});

test("a honeytoken that is opened all the time is reported at once, then not more often than other events", async () => {
  const own = openNotificationsWorld();
  own.addChannel("chat");
  own.subscribe({ events: ["token.accessed"] });
  own.start();
  const access = { ip_address: null, user_agent: null, referrer: null, at: "2026-01-15T12:00:00.000Z" };
  const token = { id: "tok_1", name: "vpn", kind: "url" };
  const open = () => own.database.transaction(() => own.outbox.record("token.accessed", { token, access }));
  open();
  await own.pass(minuteMs);
  expect(own.titles()).toEqual(['Honeytoken "vpn" was opened']);
  let messages = 0;
  for (let minute = 0; minute < 40; minute += 1) {
    open();
    await own.pass(minuteMs);
    messages += own.titles().length;
  }
  expect(messages).toBeGreaterThan(3);
  expect(messages).toBeLessThan(10);
  await own.stop();
  own.folder.dispose();
});

test("a message waits for the lookups of new threats, for 45 seconds at most", async () => {
  const own = openNotificationsWorld({ lookups: true });
  own.addChannel("chat");
  own.subscribe();
  own.start();
  const id = own.record("examp1e-bank.com");
  await own.pass(20_000);
  expect(own.titles()).toEqual([]);
  own.settledThreats.add(id);
  await own.pass(2_000);
  expect(own.titles()).toHaveLength(1);
  own.record("exampIe-bank.com");
  await own.pass(44_000);
  expect(own.titles()).toEqual([]);
  await own.pass(1_000);
  expect(own.titles()).toHaveLength(1);
  await own.stop();
  own.folder.dispose();
});

describe("a digest", () => {
  test("is sent at its time, counts what happened, and is not sent if nothing happened", async () => {
    world.subscribe({ events: ["threat.created", "threat.resolved"], digest: "daily", at: 8 * 60 });
    const first = world.record("examp1e-bank.com");
    world.record("example-shopp.com", { protectedDomain: "example-shop.com", similarity: 0.8 });
    await world.skip(hourMs);
    world.resolve(first);
    await world.skip(18 * hourMs);
    expect(world.titles()).toEqual([]);
    await world.skip(hourMs);
    const [notice, ...more] = world.notices();
    expect(more).toEqual([]);
    expect(plainText(notice!)).toBe(`Daily digest: 1 new threat

New: 1 low
Already closed: 1 new threat
Open: 1 active threat: 1 low
Protected domains: example-shop.com (1)

- Low: example-shopp[.]com, look-alike of example-shop.com: unverified · similar name

Open the threats: https://watch.example/console/threats`);
    await world.skip(3 * 24 * hourMs);
    expect(world.titles()).toEqual([]);
  });

  test("that was missed while no server ran is sent once", async () => {
    world.subscribe({ digest: "daily", at: 8 * 60 });
    world.record("examp1e-bank.com");
    await world.pass(minuteMs);
    await world.stop();
    world.clock.jump(3 * 24 * hourMs);
    const { clock, folder } = world;
    world = openNotificationsWorld({ clock, folder });
    world.start();
    await world.settle();
    expect(world.titles()).toEqual(["Daily digest: 1 new threat"]);
    await world.skip(24 * hourMs);
    expect(world.titles()).toEqual([]);
  });
});

test("a digest is sent before its time if more waits than a message can contain", async () => {
  const { seq } = world.subscribe({ digest: "daily" });
  world.record("examp1e-bank.com");
  await world.settle();
  world.database.sqlite.run(
    `insert into queued_changes (subscription_seq, type, late, threat_seq, at)
     with recursive n(i) as (select 2 union all select i + 1 from n where i < 100001)
     select ?, 'threat.created', 0, i, ? from n`,
    [seq, world.clock.now()],
  );
  await world.pass(minuteMs);
  expect(world.titles()).toEqual(["Daily digest: 1 new threat"]);
  expect(world.queued()).toBe(1);
});

describe("a filter", () => {
  test("that a threat matches as soon as it was looked up is no news about the threat", async () => {
    world.subscribe({ filter: { ...noFilter, minSeverity: "high", verifiedOnly: true } });
    world.find(world.record("examplle-bank.com", { similarity: 0.8 }), "password");
    await world.pass(minuteMs);
    const [notice] = world.notices();
    expect(notice!.summary).toStartWith("The name resembles the protected domain");
  });

  test("that a threat matches only later sends it then, once, however often it changes", async () => {
    world.subscribe({ filter: { ...noFilter, minSeverity: "high", verifiedOnly: true } });
    const id = world.record("examplle-bank.com", { similarity: 0.8 });
    await world.skip(hourMs);
    expect(world.titles()).toEqual([]);
    world.find(id, "password");
    await world.pass(minuteMs);
    const [notice] = world.notices();
    expect(notice!.title).toBe("High: examplle-bank[.]com, look-alike of example-bank.com");
    expect(notice!.summary).toContain("First seen on 2026-01-15 12:00 UTC; it has become more severe");
    for (const found of ["nothing", "password", "name", "password"] as const) {
      world.find(id, found);
      await world.pass(minuteMs);
    }
    expect(world.titles()).toEqual([]);
  });

  test("sends changes of threats that were sent, also when it no longer matches them, and no others", async () => {
    world.subscribe({
      events: ["threat.created", "threat.resolved"],
      filter: { ...noFilter, minSeverity: "high" },
    });
    const [high, low] = [
      world.record("examp1e-bank.com"),
      world.record("examplle-bank.com", { similarity: 0.8 }),
    ];
    await world.pass(minuteMs);
    expect(world.titles()).toHaveLength(1);
    world.find(high, "nothing");
    world.resolve(high, low);
    await world.pass(minuteMs);
    expect(world.titles()).toEqual(["Resolved: examp1e-bank[.]com, look-alike of example-bank.com"]);
  });

  test("that a threat matches only since it was resolved sends it when it is active again", async () => {
    world.subscribe({ filter: { ...noFilter, minSeverity: "high" } });
    const [later, before] = [
      world.record("examplle-bank.com", { similarity: 0.8 }),
      world.record("examp1e-bank.com"),
    ];
    await world.pass(minuteMs);
    expect(world.notices().map(({ threat }) => threat?.id)).toEqual([before]);
    world.resolve(later, before);
    world.find(later, "password");
    await world.pass(minuteMs);
    expect(world.titles()).toEqual([]);
    world.threats.changeStatus([later, before], "active", { by });
    await world.pass(minuteMs);
    expect(world.notices().map(({ threat }) => threat?.id)).toEqual([later]);
  });

  test("that a subscription gets later does not send again what was sent before, and still sends its end", async () => {
    const { id } = world.subscribe({ events: ["threat.created", "threat.resolved"] });
    const sent = world.record("examplle-bank.com", { similarity: 0.8 });
    await world.pass(2 * minuteMs);
    expect(world.titles()).toHaveLength(1);
    const waiting = world.record("examplee-bank.com", { similarity: 0.8 });
    await world.settle();
    const filter = { ...noFilter, minSeverity: "high" as const };
    world.notifications.subscriptions.change(id, { filter }, { by });
    await world.pass(minuteMs);
    expect(world.titles()).toEqual([]);
    for (const threatId of [sent, waiting]) world.find(threatId, "password");
    await world.pass(minuteMs);
    expect(world.notices().map(({ threat }) => threat?.id)).toEqual([waiting]);
    world.find(sent, "nothing");
    world.resolve(sent);
    await world.pass(minuteMs);
    expect(world.notices().map(({ threat }) => threat?.id)).toEqual([sent]);
  });

  test("of protected domains and sources applies to each subscription of a channel on its own", async () => {
    world.subscribe({ filter: { ...noFilter, protectedDomains: ["example-shop.com"] } });
    world.subscribe({ filter: { ...noFilter, sources: ["scan"] } });
    world.record("examp1e-bank.com");
    world.record("example-shopp.com", { protectedDomain: "example-shop.com" });
    await world.pass(minuteMs);
    expect(world.titles()).toEqual(["High: example-shopp[.]com, look-alike of example-shop.com"]);
  });
});

describe("a service that shows each threat as an incident", () => {
  beforeEach(() => {
    world.addChannel("duty", "pagerduty");
    world.subscribe({ channel: "duty" });
  });

  test("is sent a few threats one by one, and their end, although the subscription does not list it", async () => {
    const threatIds = ["examp1e-bank.com", "exampIe-bank.com"].map((domain) => world.record(domain));
    await world.pass(minuteMs);
    expect(world.notices().map(({ threat }) => threat)).toEqual(
      threatIds.map((id) => ({ id, status: "active" })),
    );
    world.resolve(...threatIds);
    await world.pass(minuteMs);
    expect(world.notices().map(({ threat }) => threat)).toEqual(
      threatIds.map((id) => ({ id, status: "resolved" })),
    );
    world.threats.changeStatus(threatIds, "false_positive", { by });
    await world.pass(minuteMs);
    expect(world.titles()).toEqual([]);
  });

  test("is sent the end of a threat that was active again", async () => {
    world.subscribe({ channel: "duty", events: ["threat.updated", "threat.resolved"] });
    const id = world.record("examp1e-bank.com");
    await world.pass(minuteMs);
    for (const status of ["resolved", "active", "resolved"] as const) {
      world.titles();
      world.threats.changeStatus([id], status, { by });
      await world.pass(minuteMs);
    }
    expect(world.notices().map(({ threat }) => threat)).toEqual([{ id, status: "resolved" }]);
  });

  test("is sent more than 10 threats in one message, and no end of them", async () => {
    const threatIds = Array.from({ length: 11 }, (_, index) => world.record(`example-bank-${index}.com`));
    await world.pass(minuteMs);
    expect(world.titles()).toEqual(["11 new look-alikes of example-bank.com: 11 high"]);
    world.resolve(...threatIds);
    await world.pass(minuteMs);
    expect(world.titles()).toEqual([]);
    expect(world.queued()).toBe(0);
  });
});

test("a disabled subscription is sent nothing of what happens meanwhile, and nothing of what waited", async () => {
  const { id } = world.subscribe();
  world.record("examp1e-bank.com");
  await world.settle();
  expect(world.queued()).toBe(1);
  world.notifications.subscriptions.disable(id, { by });
  world.record("exampIe-bank.com");
  await world.pass(minuteMs);
  world.notifications.subscriptions.enable(id, { by });
  world.record("examplee-bank.com");
  await world.pass(minuteMs);
  expect(world.titles()).toEqual(["High: examplee-bank[.]com, look-alike of example-bank.com"]);
  expect(world.queued()).toBe(0);
});

test("messages of a disabled channel are composed, and sent when it is enabled", async () => {
  world.subscribe();
  world.channels.disable("chat", { by });
  world.record("examp1e-bank.com");
  await world.pass(minuteMs);
  expect(world.titles()).toEqual([]);
  expect(world.queued()).toBe(0);
  world.channels.enable("chat", { by });
  await world.settle();
  expect(world.titles()).toHaveLength(1);
});

test("a subscription that is removed leaves nothing in the queue", async () => {
  const { id } = world.subscribe({ filter: { ...noFilter, minSeverity: "high" } });
  world.record("examp1e-bank.com");
  await world.pass(minuteMs);
  expect(world.titles()).toHaveLength(1);
  for (let index = 0; index < 30; index += 1) world.record(`example-bank-${index}.com`);
  await world.settle();
  const announced = () => world.database.sqlite.query("select * from announcements").all();
  expect(announced()).toHaveLength(1);
  await world.notifications.subscriptions.remove(id, { by });
  expect(announced()).toEqual([]);
  expect(world.queued()).toBe(0);
  await world.pass(minuteMs);
  expect(world.titles()).toEqual([]);
});

test("a restart neither loses what waits nor repeats what was sent", async () => {
  world.subscribe({ filter: { ...noFilter, minSeverity: "high" } });
  world.record("examp1e-bank.com");
  await world.pass(minuteMs);
  expect(world.titles()).toHaveLength(1);
  const waiting = world.record("exampIe-bank.com");
  await world.settle();
  const reopen = async () => {
    await world.stop();
    const { clock, folder } = world;
    world = openNotificationsWorld({ clock, folder });
    world.start();
    await world.settle();
  };
  await reopen();
  await world.pass(minuteMs);
  expect(world.notices().map(({ threat }) => threat?.id)).toEqual([waiting]);
  await reopen();
  await world.skip(hourMs);
  expect(world.titles()).toEqual([]);
});

test("a process that is killed while it composes a message composes it again, once", async () => {
  world.subscribe({ filter: { ...noFilter, minSeverity: "high" } });
  world.record("examp1e-bank.com");
  await world.settle();
  // The state between the last two steps: the threat is remembered as announced, and no message is recorded.
  const [subscription] = world.notifications.subscriptions.list();
  const { seq: subscriptionSeq, recipientSeq } = subscription!;
  world.deliveries.announcements.add({ recipientSeq, subscriptionSeq, threatSeq: 1 });
  await world.stop();
  const { clock, folder } = world;
  world = openNotificationsWorld({ clock, folder });
  world.start();
  await world.pass(minuteMs);
  expect(world.titles()).toHaveLength(1);
  await world.skip(hourMs);
  expect(world.titles()).toEqual([]);
});

test("a late match whose message cannot be recorded is in the next message, once", async () => {
  world.subscribe({ filter: { ...noFilter, minSeverity: "high" } });
  const id = world.record("examplle-bank.com", { similarity: 0.8 });
  await world.skip(hourMs);
  const { messages } = world.deliveries;
  const { send } = messages;
  let failures = 0;
  messages.send = () => {
    messages.send = send;
    failures += 1;
    throw new Error("disk full");
  };
  world.find(id, "password");
  await world.pass(5_000);
  expect([failures, world.titles()]).toEqual([1, []]);
  await world.pass(minuteMs);
  const [notice, ...more] = world.notices();
  expect([notice!.threat?.id, more]).toEqual([id, []]);
  expect(notice!.summary).toContain("it has become more severe");
  world.find(id, "nothing");
  world.find(id, "password");
  await world.pass(minuteMs);
  expect(world.titles()).toEqual([]);
});
