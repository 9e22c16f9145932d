import { afterEach, beforeEach, expect, test } from "bun:test";
import { createDeliveryTotals } from "../../../src/messaging/deliveries/store/totals.ts";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

// One endpoint that accepts everything, and one that rejects events with an odd number.

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
    () => webhooks.log.list({ status: "pending" }, 1).length === 0 && receiver.received.length === 12,
    "sent",
  );
});
afterEach(async () => {
  await receiver.stop();
  await webhooks.dispose();
});

const shown = (...parameters: Parameters<OpenWebhooks["log"]["list"]>) =>
  webhooks.log
    .list(...parameters)
    .map(({ eventId, recipientName, status }) => `${events.indexOf(eventId)} ${recipientName} ${status}`);

test("the log lists deliveries newest first, filtered by endpoint, event, threat and status, page by page", () => {
  expect(shown({}, 3)).toEqual(["5 odd failed", "5 good succeeded", "4 odd succeeded"]);
  expect(shown({ recipient: "odd" }, 3)).toEqual(["5 odd failed", "4 odd succeeded", "3 odd failed"]);
  expect(shown({ recipient: webhooks.endpoints.get("odd").id, status: "failed" }, 9)).toEqual([
    "5 odd failed",
    "3 odd failed",
    "1 odd failed",
  ]);
  expect(shown({ event: events[1]! }, 9)).toEqual(["1 odd failed", "1 good succeeded"]);
  expect(shown({ event: events[1]!, recipient: "good" }, 9)).toEqual(["1 good succeeded"]);
  expect(shown({ threat: "thr_3" }, 9)).toEqual(["3 odd failed", "3 good succeeded"]);
  expect(shown({ threat: "thr_3", recipient: "odd" }, 9)).toEqual(["3 odd failed"]);
  expect(shown({ threat: "thr_none" }, 9)).toEqual([]);
  for (const filter of [{}, { recipient: "odd" }, { status: "failed" as const }]) {
    const whole = webhooks.log.list(filter, 100);
    const paged = [];
    for (let before: string | undefined; ;) {
      const page = webhooks.log.list({ ...filter, ...(before === undefined ? {} : { before }) }, 2);
      if (page.length === 0) break;
      paged.push(...page);
      before = page.at(-1)!.id;
    }
    expect(paged).toEqual(whole);
  }
});

test("unknown endpoints, events and deliveries list nothing", () => {
  expect(shown({ recipient: "nobody" }, 9)).toEqual([]);
  expect(shown({ event: "evt_none" }, 9)).toEqual([]);
  expect(shown({ before: "dlv_none" }, 9)).toEqual([]);
  expect(webhooks.log.get("dlv_none")).toBeUndefined();
  expect(webhooks.log.attempts("dlv_none")).toEqual([]);
  expect(webhooks.log.body("dlv_none")).toBeUndefined();
});

test("totals count each endpoint's deliveries by status", () => {
  expect(webhooks.totals()).toEqual([
    { recipient: "good", status: "succeeded", total: 6 },
    { recipient: "odd", status: "failed", total: 3 },
    { recipient: "odd", status: "succeeded", total: 3 },
  ]);
});

test("totals of many deliveries are counted in the background", async () => {
  const { database, jsonLog: log } = webhooks;
  const totals = createDeliveryTotals({ database, log, countedAtOnceMax: 1 });
  expect(totals.read()).toEqual([]);
  await until(() => totals.read().length > 0, "counted");
  expect(totals.read()).toEqual(webhooks.totals());
  await totals.stop();
});

test("an attempt shows its time, durations, address and response", () => {
  const [delivery] = webhooks.log.list({ recipient: "odd", status: "failed" }, 1);
  expect(webhooks.log.attempts(delivery!.id)).toEqual([
    {
      startedAt: clock.now(),
      durationMs: expect.any(Number),
      phases: expect.objectContaining({ waitMs: expect.any(Number), readMs: expect.any(Number) }),
      address: "127.0.0.1",
      statusCode: 500,
      failure: "status",
      error: "HTTP status 500",
      response: "ok",
    },
  ]);
  expect(webhooks.log.body(delivery!.id)).toBe(webhooks.body(delivery!.eventId));
});
