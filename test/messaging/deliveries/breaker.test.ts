import { afterEach, describe, expect, test } from "bun:test";
import { latestProbe, probeDelayMs } from "../../../src/messaging/deliveries/rules/retry-schedule.ts";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver, type Received, type Reply } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function receive(respond: (request: Received, count: number) => Reply) {
  const receiver = startReceiver(respond);
  cleanup.push(receiver.stop);
  return receiver;
}

function open(options: Parameters<typeof openWebhooks>[0]): OpenWebhooks {
  const webhooks = openWebhooks(options);
  cleanup.push(() => webhooks.dispose());
  webhooks.dispatcher.start();
  return webhooks;
}

const endpointOf = (webhooks: OpenWebhooks) => webhooks.endpoints.list()[0]!;
const total = (webhooks: OpenWebhooks, status: "pending" | "succeeded" | "failed") =>
  webhooks.log.list({ status }, 1_000).length;

describe("a failing endpoint", () => {
  test("A failing endpoint gets one request at a time, and each delivery keeps its schedule", async () => {
    const clock = manualClock();
    let status = 500;
    const receiver = receive(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return new Response("", { status });
    });
    const webhooks = open({ clock });
    webhooks.endpoints.add({ url: receiver.url });
    const failed = () => endpointOf(webhooks).consecutiveFailures;
    webhooks.record();
    await until(() => failed() === 1, "the first fails");
    const widest = receiver.underWayMost();
    for (let count = 0; count < 40; count += 1) webhooks.record();
    await until(() => failed() === 41, "all fail");
    expect([widest, receiver.underWayMost()]).toEqual([1, 1]);
    for (const { attempts, nextAttemptAt } of webhooks.log.list({}, 100))
      expect([attempts, nextAttemptAt]).toEqual([1, clock.now() + minuteMs]);
    status = 200;
    clock.advance(minuteMs);
    await until(() => total(webhooks, "succeeded") === 41, "all are delivered");
    expect(receiver.underWayMost()).toBeGreaterThan(1);
    expect(receiver.underWayMost()).toBeLessThanOrEqual(8);
  });
});

describe("webhooks.breaker", () => {
  /** Fails until the breaker holds the deliveries. */
  async function openHeld(deliveries: number) {
    const clock = manualClock();
    const state = { status: 500 };
    const receiver = receive(() => state.status);
    const webhooks = open({ clock, breaker: true });
    webhooks.endpoints.add({ url: receiver.url, name: "soc" });
    webhooks.database.transaction(() => {
      for (let count = 0; count < deliveries; count += 1) webhooks.record();
    });
    await until(() => endpointOf(webhooks).nextProbeAt !== null, "held");
    await webhooks.dispatcher.settled();
    return { clock, receiver, state, webhooks };
  }

  test("The breaker holds deliveries behind one probe at a time, which uses up no attempt", async () => {
    const { clock, receiver, webhooks } = await openHeld(60);
    const before = receiver.received.length;
    for (let probe = 1; probe <= 8; probe += 1) {
      clock.advance(endpointOf(webhooks).nextProbeAt! - clock.now());
      await until(() => endpointOf(webhooks).nextProbeAt! > clock.now(), `probe ${probe} is recorded`);
      await webhooks.dispatcher.settled();
      expect(receiver.received).toHaveLength(before + probe);
    }
    expect(total(webhooks, "pending")).toBe(60);
    expect(total(webhooks, "failed")).toBe(0);
    const attempts = webhooks.log.list({}, 100).map((delivery) => delivery.attempts);
    expect(Math.max(...attempts)).toBeLessThanOrEqual(1);
    // A poisonous delivery must not block the others: each probe sends another one.
    const probed = receiver.eventIds().slice(before);
    expect(new Set(probed).size).toBe(probed.length);
  });

  test("Each probe sends another delivery, even if all of them wait for a retry", async () => {
    const { clock, receiver, webhooks } = await openHeld(4);
    const before = receiver.received.length;
    for (let probe = 1; probe <= 4; probe += 1) {
      clock.advance(endpointOf(webhooks).nextProbeAt! - clock.now());
      await until(() => endpointOf(webhooks).nextProbeAt! > clock.now(), `probe ${probe} is recorded`);
      await webhooks.dispatcher.settled();
    }
    expect(new Set(receiver.eventIds().slice(before)).size).toBe(4);
  });

  test("When the endpoint responds, all held deliveries go out at once with a new schedule", async () => {
    const { clock, receiver, state, webhooks } = await openHeld(1_500);
    state.status = 200;
    clock.advance(30 * secondMs);
    await until(() => total(webhooks, "pending") === 0, "all are sent");
    expect(endpointOf(webhooks)).toMatchObject({
      nextProbeAt: null,
      consecutiveFailures: 0,
      lastFailure: null,
    });
    expect(new Set(receiver.eventIds()).size).toBe(1_500);
    expect(total(webhooks, "failed")).toBe(0);
    const [delivery] = webhooks.log.list({}, 1);
    expect(delivery).toMatchObject({ status: "succeeded", attempts: 1 });
  }, 60_000);

  test("A hold survives a restart, and so does a recovery that was interrupted", async () => {
    const { clock, receiver, state, webhooks } = await openHeld(20);
    const probeAt = endpointOf(webhooks).nextProbeAt!;
    const requests = receiver.received.length;
    await webhooks.dispatcher.stop(0);
    const { folder } = webhooks;
    const second = openWebhooks({ clock, folder, breaker: true });
    second.dispatcher.start();
    await second.dispatcher.settled();
    expect(endpointOf(second).nextProbeAt).toBe(probeAt);
    expect(receiver.received).toHaveLength(requests);
    await second.close();
    // As if the process had been killed between the success of the probe and the release.
    const third = openWebhooks({ clock, folder, breaker: true });
    cleanup.push(() => third.close());
    third.database.sqlite.run("update recipients set consecutive_failures = 0, failing_since = null");
    state.status = 200;
    third.dispatcher.start();
    await until(() => total(third, "pending") === 0, "all are sent");
    expect(endpointOf(third).nextProbeAt).toBeNull();
  });

  test("An endpoint that is disabled and enabled is sent its held deliveries at once", async () => {
    const { receiver, state, webhooks } = await openHeld(20);
    state.status = 200;
    webhooks.endpoints.disable("soc");
    webhooks.endpoints.enable("soc");
    await until(() => total(webhooks, "pending") === 0, "all are sent");
    expect(new Set(receiver.eventIds()).size).toBe(20);
  });

  test("Switching the breaker off ends every hold at the next start", async () => {
    const { clock, state, webhooks } = await openHeld(20);
    await webhooks.dispatcher.stop(0);
    const second = openWebhooks({ clock, folder: webhooks.folder, breaker: false });
    cleanup.push(() => second.close());
    state.status = 200;
    second.dispatcher.start();
    await until(() => endpointOf(second).nextProbeAt === null, "the hold ends");
    clock.advance(minuteMs);
    await until(() => total(second, "pending") === 0, "all are sent");
  });

  test("A hold keeps its time of the next probe when the clock is set back", async () => {
    const { clock, receiver } = await openHeld(20);
    const before = receiver.received.length;
    clock.setBy(-6 * 60 * minuteMs);
    clock.advance(31 * secondMs);
    await until(() => receiver.received.length === before + 1, "probed");
  });

  test("Without the breaker, every delivery of a failing endpoint is tried on its own schedule", async () => {
    const clock = manualClock();
    const receiver = receive(() => 500);
    const webhooks = open({ clock });
    webhooks.endpoints.add({ url: receiver.url });
    for (let count = 0; count < 10; count += 1) webhooks.record();
    await until(() => endpointOf(webhooks).consecutiveFailures === 10, "all fail");
    expect(endpointOf(webhooks).nextProbeAt).toBeNull();
    clock.advance(minuteMs);
    await until(() => endpointOf(webhooks).consecutiveFailures === 20, "all are retried");
  });

  test("Probes become rarer the longer the endpoint fails, from 30 seconds to 10 minutes", () => {
    expect(
      [0, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 20 * minuteMs, 60 * 24 * minuteMs].map(probeDelayMs),
    ).toEqual([30 * secondMs, 30 * secondMs, minuteMs, 5 * minuteMs, 10 * minuteMs, 10 * minuteMs]);
    expect(latestProbe(0)).toBe(10 * minuteMs);
  });
});
