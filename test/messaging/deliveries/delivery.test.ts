import { afterEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const minuteMs = 60_000;
let open: { webhooks?: OpenWebhooks; receivers: Receiver[] } = { receivers: [] };

function start(options: Parameters<typeof openWebhooks>[0] = {}): OpenWebhooks {
  const webhooks = openWebhooks(options);
  open.webhooks = webhooks;
  webhooks.dispatcher.start();
  return webhooks;
}

function receive(respond?: Parameters<typeof startReceiver>[0]): Receiver {
  const receiver = startReceiver(respond);
  open.receivers.push(receiver);
  return receiver;
}

afterEach(async () => {
  for (const receiver of open.receivers) await receiver.stop();
  await open.webhooks?.dispose();
  open = { receivers: [] };
});

const statuses = (webhooks: OpenWebhooks) => webhooks.log.list({}, 100).map(({ status }) => status);

describe("a delivery", () => {
  test("a delivery carries exactly the recorded bytes, both signatures and the specified headers", async () => {
    const startedAt = Date.now();
    const receiver = receive();
    const webhooks = start();
    const { secret } = webhooks.endpoints.add({ url: receiver.url });
    const id = webhooks.record("threat.created", { threat: { domain: "exämple.test", similarity: 0.97 } });
    await until(() => statuses(webhooks)[0] === "succeeded", "delivered");

    expect(receiver.received).toHaveLength(1);
    const { method, headers, body } = receiver.received[0]!;
    expect(method).toBe("POST");
    expect(body).toBe(webhooks.body(id));
    expect(JSON.parse(body)).toEqual({
      id,
      type: "threat.created",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { threat: { domain: "exämple.test", similarity: 0.97 } },
    });
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["user-agent"]).toBe("phishwatch/0.0.0-test");
    expect(headers["x-service-signature"]).toBe(
      `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    );
    const timestamp = Number(headers["webhook-timestamp"]);
    expect(timestamp).toBeWithin(Math.floor(startedAt / 1_000), Math.floor(Date.now() / 1_000) + 1);
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const signed = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
    expect(headers["webhook-id"]).toBe(id);
  });

  test("a delivery is sent to each enabled endpoint that subscribes to the event type, and to no other", async () => {
    const receiver = receive();
    const webhooks = start();
    const at = (path: string) => receiver.url.replace("/hook", path);
    webhooks.endpoints.add({ url: at("/all") });
    webhooks.endpoints.add({ url: at("/resolved"), events: ["threat.resolved"] });
    webhooks.endpoints.add({ url: at("/scans"), events: ["scan.started", "scan.completed"] });
    webhooks.endpoints.add({ url: at("/disabled"), enabled: false });
    webhooks.record("threat.resolved");
    webhooks.record("threat.created");
    await until(
      () => statuses(webhooks).filter((status) => status === "succeeded").length === 3,
      "delivered",
    );
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(["/all", "/all", "/resolved"]);
  });

  test("a failed delivery is retried after 1, 5, 30 and 120 minutes, then marked as failed and not sent again", async () => {
    const clock = manualClock();
    const receiver = receive(() => 500);
    const webhooks = start({ clock });
    webhooks.endpoints.add({ url: receiver.url });
    const id = webhooks.record();
    await until(() => webhooks.log.list({}, 1)[0]?.attempts === 1, "first attempt");
    const [delivery] = webhooks.log.list({ event: id }, 1);
    for (const [index, minutes] of [1, 5, 30, 120].entries()) {
      const due = webhooks.log.get(delivery!.id)!.nextAttemptAt!;
      expect(due - clock.now()).toBe(minutes * minuteMs);
      clock.advance(minutes * minuteMs - 1);
      await webhooks.dispatcher.settled();
      expect(receiver.received).toHaveLength(index + 1);
      clock.advance(1);
      await until(() => webhooks.log.get(delivery!.id)!.attempts === index + 2, `retry ${index + 1}`);
    }
    expect(webhooks.log.get(delivery!.id)).toMatchObject({
      status: "failed",
      attempts: 5,
      nextAttemptAt: null,
    });
    clock.advance(4 * 60 * minuteMs);
    await webhooks.dispatcher.settled();
    expect(receiver.eventIds()).toEqual([id, id, id, id, id]);
    expect(
      webhooks.log.attempts(delivery!.id).map(({ statusCode, failure }) => [statusCode, failure]),
    ).toEqual(Array.from({ length: 5 }, () => [500, "status"]));
  });

  test("a retry carries the same bytes with a new timestamp, and nothing is sent after it succeeds", async () => {
    const clock = manualClock();
    const receiver = receive((_, count) => (count === 1 ? 503 : 204));
    const webhooks = start({ clock });
    webhooks.endpoints.add({ url: receiver.url });
    webhooks.record();
    await until(() => webhooks.log.list({}, 1)[0]?.attempts === 1, "first attempt");
    clock.advance(minuteMs);
    await until(() => statuses(webhooks)[0] === "succeeded", "delivered");
    const [first, second] = receiver.received;
    expect(second!.body).toBe(first!.body);
    expect(second!.headers["x-service-signature"]).toBe(first!.headers["x-service-signature"]!);
    expect(Number(second!.headers["webhook-timestamp"])).toBe(
      Number(first!.headers["webhook-timestamp"]) + 60,
    );
    clock.advance(3 * 60 * minuteMs);
    await webhooks.dispatcher.settled();
    expect(receiver.received).toHaveLength(2);
  });

  test("a retry is sent when it is due and not at the next full second", async () => {
    const clock = manualClock();
    const receiver = receive(() => 500);
    const webhooks = start({ clock, retryDelaysMs: [20, 20, 20, 20] });
    webhooks.endpoints.add({ url: receiver.url });
    webhooks.record();
    const attempts = () => webhooks.log.list({}, 1)[0]?.attempts;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await until(() => attempts() === attempt, `attempt ${attempt}`);
      clock.advance(19);
      await webhooks.dispatcher.settled();
      expect(receiver.received).toHaveLength(attempt);
      clock.advance(1);
    }
    expect(statuses(webhooks)).toEqual(["failed"]);
    expect(receiver.received).toHaveLength(5);
  });

  test("pending deliveries survive a restart and are sent by the next process", async () => {
    const clock = manualClock();
    const receiver = receive((_, count) => (count === 1 ? 500 : 200));
    const first = openWebhooks({ clock });
    first.dispatcher.start();
    first.endpoints.add({ url: receiver.url });
    const id = first.record();
    await until(() => first.log.list({}, 1)[0]?.attempts === 1, "first attempt");
    await first.close();

    const second = start({ clock, folder: first.folder });
    const unsent = second.record();
    await until(() => receiver.received.length === 2, "the new event");
    clock.advance(minuteMs);
    await until(() => statuses(second).every((status) => status === "succeeded"), "both delivered");
    expect(receiver.eventIds()).toEqual([id, unsent, id]);
  });
});

describe("several endpoints", () => {
  test("an endpoint that hangs and one that fails delay no other", async () => {
    const hanging = receive(() => new Promise<Response>(() => {}));
    const failing = receive(() => 500);
    const healthy = receive();
    const webhooks = start({ timeoutMs: 30_000 });
    for (const { url } of [hanging, failing, healthy]) webhooks.endpoints.add({ url });
    for (let count = 0; count < 200; count += 1) webhooks.record();
    await until(() => healthy.received.length === 200, "all at the healthy one");
    await until(() => failing.received.length === 200, "first attempts at the failing one");
    expect(hanging.received).toHaveLength(8);
    await webhooks.dispatcher.stop(0);
    expect(new Set(healthy.eventIds()).size).toBe(200);
  });

  test("forty endpoints that hang, with 320 requests in flight, delay no other", async () => {
    const hanging = receive(() => new Promise<Response>(() => {}));
    const healthy = receive();
    const webhooks = start({ timeoutMs: 30_000 });
    webhooks.database.transaction(() => {
      for (let index = 0; index < 40; index += 1) webhooks.endpoints.add({ url: `${hanging.url}/${index}` });
    });
    for (let index = 0; index < 8; index += 1) webhooks.record();
    await until(() => hanging.received.length === 320, "all in flight");
    webhooks.endpoints.add({ url: healthy.url });
    for (let index = 0; index < 20; index += 1) webhooks.record();
    await until(() => healthy.received.length === 20, "all at the healthy one");
    expect(hanging.received).toHaveLength(320);
    await webhooks.dispatcher.stop(0);
  });

  test("one event reaches hundreds of endpoints, each once", async () => {
    // Two events for each are more requests than may be in flight together.
    const endpoints = 600;
    const receiver = receive();
    const webhooks = start();
    webhooks.database.transaction(() => {
      for (let index = 0; index < endpoints; index += 1)
        webhooks.endpoints.add({ name: `e${index}`, url: receiver.url.replace("/hook", `/${index}`) });
    });
    webhooks.record();
    webhooks.record();
    await until(() => receiver.received.length === 2 * endpoints, "all delivered");
    await until(() => webhooks.log.list({ status: "pending" }, 1).length === 0, "recorded");
    expect(new Set(receiver.received.map(({ path }) => path)).size).toBe(endpoints);
  });

  test("at most 8 requests to one endpoint are in flight", async () => {
    const waiting: ((response: Response) => void)[] = [];
    const receiver = receive(() => new Promise<Response>((resolve) => waiting.push(resolve)));
    const webhooks = start();
    webhooks.endpoints.add({ url: receiver.url });
    webhooks.database.transaction(() => {
      for (let count = 0; count < 100; count += 1) webhooks.recordAny("threat.created", { count });
    });
    for (let responded = 0; responded < 100;) {
      await until(() => waiting.length === Math.min(8, 100 - responded), "as many as are allowed");
      for (const respond of waiting.splice(0)) {
        respond(new Response());
        responded += 1;
      }
    }
    await webhooks.dispatcher.settled();
    expect(receiver.received).toHaveLength(100);
    expect(receiver.underWayMost()).toBe(8);
    expect(
      receiver.received.map(({ body }) => JSON.parse(body).data.count as number).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });
});

describe("tests of endpoints", () => {
  test("a test sends one signed webhook.ping, returns its outcome, and changes neither log nor health", async () => {
    const receiver = receive(() => new Response("no such hook", { status: 404 }));
    const webhooks = start();
    const { endpoint } = webhooks.endpoints.add({ url: receiver.url, name: "soc" });
    const result = await webhooks.ping(endpoint);
    expect(result).toMatchObject({
      statusCode: 404,
      failure: "status",
      error: "HTTP status 404",
      response: "no such hook",
    });
    expect(JSON.parse(receiver.received[0]!.body)).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "webhook.ping",
      created_at: expect.any(String),
      data: {},
    });
    expect(webhooks.log.list({}, 10)).toEqual([]);
    expect(webhooks.endpoints.get("soc").consecutiveFailures).toBe(0);
  });
});
