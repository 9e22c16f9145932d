import { afterEach, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const hourMs = 3_600_000;
const by: Actor = { channel: "console", name: null, address: "192.0.2.7" };
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

/** Opens an appliance with one endpoint, "soc", that responds as `respond` says. */
function open(respond: (body: string) => Response, options: Parameters<typeof openWebhooks>[0] = {}) {
  const clock = manualClock();
  const receiver = startReceiver(({ body }) => respond(body));
  cleanup.push(receiver.stop);
  const webhooks = openWebhooks({ clock, retryDelaysMs: [], ...options });
  cleanup.push(() => webhooks.dispose());
  webhooks.dispatcher.start();
  const { id } = webhooks.endpoints.add({ name: "soc", url: receiver.url }).endpoint;
  return { clock, receiver, webhooks, id, seq: webhooks.recipients.get(id).seq };
}

const total = ({ log }: OpenWebhooks, status: "pending" | "succeeded" | "failed") =>
  log.list({ status }, 1_000).length;

test("failed deliveries are counted by the cause of their last attempt, with the response only if all agree", async () => {
  const { webhooks, id } = open((body) => {
    const { index } = (JSON.parse(body) as { data: { index: number } }).data;
    return index < 5
      ? new Response("token expired", { status: 401 })
      : new Response(`request ${index}`, { status: 503 });
  });
  for (let index = 0; index < 7; index += 1) webhooks.record("threat.created", { index });
  await until(() => total(webhooks, "failed") === 7, "all fail");
  const cause = (statusCode: number, count: number, response: string | null) =>
    expect.objectContaining({ total: count, statusCode, failure: "status", response });
  const expected = {
    recipientId: id,
    recipientName: "soc",
    channel: "webhook",
    enabled: true,
    total: 7,
    more: false,
    queued: 0,
    examined: 7,
    causes: [cause(401, 5, "token expired"), cause(503, 2, null)],
  };
  expect(webhooks.failures.of({ recipient: id })).toEqual([expected]);
  expect(webhooks.failures.of({ channels: ["webhook"] })).toEqual([expected]);
  expect(webhooks.failures.of({ channels: ["email"] })).toEqual([]);
  expect(webhooks.log.list({}, 1)[0]!.last).toMatchObject({ statusCode: 503, failure: "status" });
});

test("attempts are counted by recipient and hour, and hours that no chart shows are deleted", async () => {
  let status = 200;
  const { clock, webhooks, seq } = open(() => new Response("", { status }));
  webhooks.record();
  webhooks.record();
  await until(() => total(webhooks, "succeeded") === 2, "both are delivered");
  clock.jump(2 * hourMs);
  status = 500;
  webhooks.record();
  await until(() => total(webhooks, "failed") === 1, "one fails");
  const day = webhooks.hours.lastDay(seq, clock.now());
  expect(day).toMatchObject({ delivered: 2, failed: 1, averageMs: expect.any(Number) });
  expect(day.hours.map(({ delivered, failed }) => [delivered, failed]).slice(-3)).toEqual([
    [2, 0],
    [0, 0],
    [0, 1],
  ]);
  expect(day.hours).toHaveLength(24);
  clock.jump(80 * hourMs);
  expect(webhooks.hours.lastDay(seq, clock.now())).toMatchObject({
    delivered: 0,
    failed: 0,
    averageMs: null,
  });
  await webhooks.retention.run();
  expect(webhooks.database.sqlite.query("select * from delivery_hours").all()).toEqual([]);
});

test("failed and queued deliveries are all sent again now, and the audit log names who asked for it", async () => {
  let status = 500;
  const { receiver, webhooks, id, seq } = open(() => new Response("", { status }), {
    retryDelaysMs: [hourMs],
  });
  webhooks.record();
  await until(() => webhooks.log.list({}, 1)[0]?.attempts === 1, "the first attempt fails");
  webhooks.database.sqlite.run(
    "update deliveries set status = 'failed', next_attempt_at = null, completed_at = created_at",
  );
  webhooks.record();
  await until(() => webhooks.log.list({ status: "pending" }, 1)[0]?.attempts === 1, "another one waits");
  expect(webhooks.sendAll.count(seq, 10)).toEqual({ failed: 1, queued: 1 });
  status = 200;
  expect(await webhooks.sendAll.run(id, { by })).toEqual({ failed: 1, queued: 1 });
  await until(() => total(webhooks, "succeeded") === 2, "both are delivered without waiting an hour");
  expect(receiver.received).toHaveLength(4);
  expect(webhooks.auditLog.list({}, { limit: 1, offset: 0 })[0]).toMatchObject({
    action: "webhook.replay",
    channel: "console",
    detail: { which: "failed", deliveries: 1 },
  });
});

test("deliveries that are held behind a probe are sent again as soon as the probe that is due now succeeds", async () => {
  let status = 500;
  const { webhooks, id, seq } = open(() => new Response("", { status }), {
    breaker: true,
    retryDelaysMs: [hourMs, hourMs],
  });
  for (let index = 0; index < 30; index += 1) webhooks.record();
  await until(() => webhooks.recipients.get(id).nextProbeAt !== null, "the deliveries are held");
  await webhooks.dispatcher.settled();
  status = 200;
  expect(await webhooks.sendAll.run(id, { by })).toEqual({ failed: 0, queued: 30 });
  await until(() => total(webhooks, "succeeded") === 30, "all are delivered without waiting for the probe");
  expect(webhooks.sendAll.count(seq, 10)).toEqual({ failed: 0, queued: 0 });
});

test("a disabled endpoint has to be enabled before its deliveries are sent again", async () => {
  const { webhooks, id } = open(() => new Response(""));
  webhooks.endpoints.disable("soc");
  await expect(webhooks.sendAll.run(id, { by })).rejects.toThrow("soc is disabled; enable it first");
});
