import { afterEach, beforeEach, expect, test } from "bun:test";
import { manualClock } from "../support/appliance.ts";
import { startReceiver, until, type Receiver } from "../support/receiver.ts";
import { openWebhooks, type OpenWebhooks } from "../support/webhooks.ts";

// One endpoint that takes everything, and one that refuses what has an odd number.

let webhooks: OpenWebhooks;
let receiver: Receiver;
const clock = manualClock();
const events: string[] = [];

beforeEach(async () => {
  events.length = 0;
  receiver = startReceiver(({ path, body }) => {
    const { index } = (JSON.parse(body) as { data: { index: number } }).data;
    return path === "/odd" && index % 2 === 1 ? 500 : 200;
  });
  webhooks = openWebhooks({ clock, retryDelaysMs: [] });
  const add = (name: string) =>
    webhooks.endpoints.add({ name, url: receiver.url.replace("/hook", `/${name}`) });
  add("good");
  add("odd");
  webhooks.dispatcher.start();
  for (let index = 0; index < 6; index += 1)
    events.push(webhooks.record("threat.created", { index, threat: { id: `thr_${index}` } }));
  await until(
    () => webhooks.deliveries.list({ status: "pending" }, 1).length === 0 && receiver.received.length === 12,
    "sent",
  );
});
afterEach(async () => {
  await receiver.stop();
  await webhooks.dispose();
});

const shown = (...parameters: Parameters<OpenWebhooks["deliveries"]["list"]>) =>
  webhooks.deliveries
    .list(...parameters)
    .map(({ eventId, endpointName, status }) => `${events.indexOf(eventId)} ${endpointName} ${status}`);

test("the log is newest first, whole or by endpoint, event and status, a page after the other", () => {
  expect(shown({}, 3)).toEqual(["5 odd failed", "5 good succeeded", "4 odd succeeded"]);
  expect(shown({ endpoint: "odd" }, 3)).toEqual(["5 odd failed", "4 odd succeeded", "3 odd failed"]);
  expect(shown({ endpoint: webhooks.endpoints.get("odd").id, status: "failed" }, 9)).toEqual([
    "5 odd failed",
    "3 odd failed",
    "1 odd failed",
  ]);
  expect(shown({ event: events[1]! }, 9)).toEqual(["1 odd failed", "1 good succeeded"]);
  expect(shown({ event: events[1]!, endpoint: "good" }, 9)).toEqual(["1 good succeeded"]);
  expect(shown({ threat: "thr_3" }, 9)).toEqual(["3 odd failed", "3 good succeeded"]);
  expect(shown({ threat: "thr_3", endpoint: "odd" }, 9)).toEqual(["3 odd failed"]);
  expect(shown({ threat: "thr_none" }, 9)).toEqual([]);
  for (const filter of [{}, { endpoint: "odd" }, { status: "failed" as const }]) {
    const whole = webhooks.deliveries.list(filter, 100);
    const paged = [];
    for (let before: string | undefined; ;) {
      const page = webhooks.deliveries.list({ ...filter, ...(before === undefined ? {} : { before }) }, 2);
      if (page.length === 0) break;
      paged.push(...page);
      before = page.at(-1)!.id;
    }
    expect(paged).toEqual(whole);
  }
});

test("what is not there is not listed", () => {
  expect(shown({ endpoint: "nobody" }, 9)).toEqual([]);
  expect(shown({ event: "evt_none" }, 9)).toEqual([]);
  expect(shown({ before: "dlv_none" }, 9)).toEqual([]);
  expect(webhooks.deliveries.get("dlv_none")).toBeUndefined();
  expect(webhooks.deliveries.attempts("dlv_none")).toEqual([]);
  expect(webhooks.deliveries.body("dlv_none")).toBeUndefined();
});

test("the totals count each endpoint's deliveries by status", () => {
  expect(webhooks.deliveries.totals()).toEqual([
    { endpoint: "good", status: "succeeded", total: 6 },
    { endpoint: "odd", status: "failed", total: 3 },
    { endpoint: "odd", status: "succeeded", total: 3 },
  ]);
});

test("an attempt tells when it was, how long each part took, where it went and what came back", () => {
  const [delivery] = webhooks.deliveries.list({ endpoint: "odd", status: "failed" }, 1);
  expect(webhooks.deliveries.attempts(delivery!.id)).toEqual([
    {
      startedAt: clock.now(),
      durationMs: expect.any(Number),
      phases: expect.objectContaining({ waitMs: expect.any(Number), readMs: expect.any(Number) }),
      address: "127.0.0.1",
      statusCode: 500,
      failure: "status",
      error: "answered 500",
      answer: "ok",
    },
  ]);
  expect(webhooks.deliveries.body(delivery!.id)).toBe(webhooks.body(delivery!.eventId));
});
