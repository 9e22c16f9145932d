import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const minuteMs = 60_000;
let clock: ReturnType<typeof manualClock>;
let webhooks: OpenWebhooks;
let receiver: Receiver;
let status = 200;
beforeEach(() => {
  clock = manualClock();
  status = 200;
  receiver = startReceiver(() => status);
  webhooks = openWebhooks({ clock, retryDelaysMs: [] });
  webhooks.dispatcher.start();
});
afterEach(async () => {
  await receiver.stop();
  await webhooks.dispose();
});

/** Records events one minute apart and waits until each has been tried. */
async function recordEach(...types: Parameters<OpenWebhooks["record"]>[0][]): Promise<string[]> {
  const recorded = [];
  for (const type of types) {
    clock.advance(minuteMs);
    recorded.push(webhooks.record(type));
  }
  await settled();
  return recorded;
}

async function settled(): Promise<void> {
  const waits = () =>
    webhooks.database.sqlite.query("SELECT 1 FROM events WHERE dispatched_at IS NULL").get() !== null;
  await until(() => !waits() && webhooks.log.list({ status: "pending" }, 1).length === 0, "settled");
}

describe("redelivery", () => {
  test("a redelivery sends the same event, and its attempts are added to the log", async () => {
    webhooks.endpoints.add({ url: receiver.url });
    status = 500;
    const [id] = await recordEach("threat.created");
    const [delivery] = webhooks.log.list({ event: id! }, 1);
    expect(delivery!.status).toBe("failed");
    status = 200;
    expect(webhooks.replay.redeliver(delivery!.id)).toMatchObject({ status: "pending", attempts: 0 });
    await settled();
    expect(webhooks.log.get(delivery!.id)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(webhooks.log.attempts(delivery!.id).map(({ statusCode }) => statusCode)).toEqual([500, 200]);
    expect(receiver.eventIds()).toEqual([id!, id!]);
    webhooks.replay.redeliver(delivery!.id);
    await settled();
    expect(receiver.received).toHaveLength(3);
  });

  test("redelivering an unknown delivery fails as not found", () => {
    expect(() => webhooks.replay.redeliver("dlv_none")).toThrow(/There is no delivery dlv_none/);
  });
});

describe("a replay", () => {
  test("replaying failed deliveries sends only those since the given time, and returns their number beforehand", async () => {
    webhooks.endpoints.add({ url: receiver.url, name: "soc" });
    status = 500;
    const early = await recordEach("threat.created");
    const since = clock.now() + 1;
    const late = await recordEach("threat.created", "scan.started");
    status = 200;
    await recordEach("threat.created");
    const before = receiver.received.length;
    expect(webhooks.replay.count({ which: "failed", since })).toBe(2);
    expect(
      webhooks.replay.count({ which: "failed", since: 0, recipient: webhooks.endpoints.get("soc").id }),
    ).toBe(3);
    expect(await webhooks.replay.run({ which: "failed", since })).toBe(2);
    await settled();
    expect(receiver.eventIds().slice(before).sort()).toEqual(late.sort());
    expect(webhooks.log.list({ status: "failed" }, 9).map(({ eventId }) => eventId)).toEqual(early);
  });

  test("replaying all events sends an endpoint those that it subscribes to, delivered before or not", async () => {
    webhooks.endpoints.add({ url: receiver.url.replace("/hook", "/other") });
    await recordEach("threat.created");
    const since = clock.now() + 1;
    const wanted = await recordEach("threat.created", "threat.resolved");
    await recordEach("scan.started");
    webhooks.endpoints.add({
      url: receiver.url,
      name: "late",
      events: ["threat.created", "threat.resolved"],
    });
    const request = { which: "all", recipient: webhooks.endpoints.get("late").id, since } as const;
    expect(webhooks.replay.count(request)).toBe(2);
    for (const round of [1, 2]) {
      expect(await webhooks.replay.run(request)).toBe(2);
      await settled();
      const own = receiver.received.filter(({ path }) => path === "/hook");
      expect(own.map(({ body }) => JSON.parse(body).id as string)).toEqual(
        Array.from({ length: round }, () => wanted).flat(),
      );
    }
  });

  test("replaying missed events sends only what the endpoint was never sent", async () => {
    webhooks.endpoints.add({ url: receiver.url, name: "soc" });
    await recordEach("threat.created");
    const { disabledAt } = webhooks.endpoints.disable("soc");
    const missed = await recordEach("threat.created", "threat.updated");
    const request = {
      which: "missed",
      recipient: webhooks.endpoints.get("soc").id,
      since: disabledAt!,
    } as const;
    expect(() => webhooks.replay.count(request)).toThrow(/soc is disabled; enable it first/);
    webhooks.endpoints.enable("soc");
    await settled();
    expect(receiver.received).toHaveLength(1);
    expect(webhooks.replay.count({ ...request, since: 0 })).toBe(2);
    expect(await webhooks.replay.run(request)).toBe(2);
    await settled();
    expect(receiver.eventIds().slice(1)).toEqual(missed);
    expect(webhooks.replay.count(request)).toBe(0);
  });

  test("thousands of events are replayed in bounded steps, each once", async () => {
    webhooks.database.transaction(() => {
      for (let index = 0; index < 1_700; index += 1) webhooks.recordAny("threat.created", { index });
    });
    await settled();
    webhooks.endpoints.add({ url: receiver.url, name: "soc" });
    expect(
      await webhooks.replay.run({ which: "missed", recipient: webhooks.endpoints.get("soc").id, since: 0 }),
    ).toBe(1_700);
    await settled();
    expect(new Set(receiver.eventIds()).size).toBe(1_700);
    expect(receiver.received).toHaveLength(1_700);
  });
});

test("deliveries to a disabled endpoint stay pending and continue when it is enabled", async () => {
  status = 500;
  const retried = openWebhooks({ clock, retryDelaysMs: [minuteMs] });
  retried.dispatcher.start();
  retried.endpoints.add({ url: receiver.url, name: "soc" });
  retried.record();
  await until(() => retried.log.list({}, 1)[0]?.attempts === 1, "first attempt");
  retried.endpoints.disable("soc");
  status = 200;
  clock.advance(10 * minuteMs);
  await retried.dispatcher.settled();
  expect(receiver.received).toHaveLength(1);
  expect(retried.log.list({}, 1)[0]).toMatchObject({ status: "pending", nextAttemptAt: null });
  retried.endpoints.enable("soc");
  await until(() => retried.log.list({ status: "succeeded" }, 1).length === 1, "delivered");
  await retried.dispose();
});

describe("health", () => {
  test("health counts consecutive failures, and one success resets the count", async () => {
    webhooks.endpoints.add({ url: receiver.url, name: "soc" });
    status = 500;
    await recordEach("threat.created", "threat.created", "threat.created");
    const failing = webhooks.endpoints.get("soc");
    expect(failing.consecutiveFailures).toBe(3);
    expect(failing.failingSince).toBeWithin(clock.now() - 2 * minuteMs, clock.now() + 1);
    status = 200;
    await recordEach("threat.created");
    expect(webhooks.endpoints.get("soc")).toMatchObject({ consecutiveFailures: 0, failingSince: null });
  });

  test("an endpoint that has only failed for five days is disabled with the reason, and this is logged", async () => {
    webhooks.endpoints.add({ url: receiver.url, name: "soc" });
    webhooks.endpoints.add({ url: receiver.url.replace("/hook", "/other"), name: "other" });
    status = 500;
    await recordEach("threat.created");
    clock.jump(5 * 24 * 60 * minuteMs - 10 * minuteMs);
    await recordEach("threat.created");
    expect(webhooks.endpoints.get("soc").enabled).toBe(true);
    clock.advance(10 * minuteMs);
    await recordEach("threat.created");
    expect(webhooks.endpoints.get("soc")).toMatchObject({
      enabled: false,
      disabledReason: "failing",
      disabledAt: clock.now(),
      consecutiveFailures: 3,
    });
    expect(
      webhooks.logLines.filter((line) => line.includes("disabled") && line.includes('"name":"soc"')),
    ).toHaveLength(1);
    const before = receiver.received.length;
    await recordEach("threat.created");
    expect(receiver.received).toHaveLength(before);
  });

  test("a declared endpoint that was disabled for failing stays disabled across restarts until someone enables it", async () => {
    const declared = { name: "soc", url: receiver.url, secret: "a-secret-for-tests" };
    webhooks.endpoints.reconcile([declared]);
    status = 500;
    await recordEach("threat.created");
    clock.jump(5 * 24 * 60 * minuteMs);
    await recordEach("threat.created");
    webhooks.endpoints.reconcile([declared]);
    expect(webhooks.endpoints.get("soc")).toMatchObject({ enabled: false, disabledReason: "failing" });
    expect(webhooks.endpoints.enable("soc")).toMatchObject({ enabled: true, consecutiveFailures: 0 });
  });
});
