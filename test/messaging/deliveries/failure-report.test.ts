import { afterEach, expect, test } from "bun:test";
import {
  createFailureReport,
  type HealthChange,
} from "../../../src/messaging/deliveries/rules/failure-report.ts";
import { describeFailure } from "../../../src/messaging/deliveries/rules/recipient-state.ts";
import { manualClock } from "../../support/appliance.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks } from "../../support/webhooks.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});
const minuteMs = 60_000;
const lastFailure = {
  failure: "status",
  error: "HTTP status 500",
  statusCode: 500,
  durationMs: 8,
  response: "token expired",
};
const change = (values: Partial<HealthChange>): HealthChange => ({
  id: "whk_1",
  name: "soc",
  failuresBefore: 0,
  failures: 1,
  failingSince: 0,
  lastFailure,
  gaveUp: 0,
  nextProbeAt: null,
  channel: "webhook",
  disabled: null,
  ...values,
});
const recovered = (failuresBefore: number) =>
  change({ failuresBefore, failures: 0, failingSince: null, lastFailure: null });

test("The log says once that an endpoint began to fail, gave up deliveries, and recovered, with reason and counts", async () => {
  const clock = manualClock();
  let status = 500;
  const receiver = startReceiver(() => new Response("token expired", { status }));
  cleanup.push(receiver.stop);
  const webhooks = openWebhooks({ clock, retryDelaysMs: [minuteMs] });
  cleanup.push(() => webhooks.dispose());
  webhooks.dispatcher.start();
  webhooks.endpoints.add({ url: receiver.url, name: "soc" });
  const lines = () =>
    webhooks.logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => /^(recipient|delivery)\./.test(String(event)));
  for (let count = 0; count < 50; count += 1) webhooks.record();
  await until(() => receiver.received.length === 50, "first attempts");
  await webhooks.dispatcher.settled();
  clock.advance(minuteMs);
  await until(() => webhooks.log.list({ status: "failed" }, 100).length === 50, "all are given up");
  status = 200;
  webhooks.record();
  await until(() => webhooks.log.list({ status: "succeeded" }, 100).length === 1, "recovered");
  await webhooks.dispatcher.settled();
  expect(lines().map(({ event }) => event)).toEqual([
    "recipient.failing",
    "delivery.given_up",
    "recipient.recovered",
  ]);
  const [began, gaveUp, ended] = lines();
  expect(began).toMatchObject({
    level: "warn",
    name: "soc",
    reason: expect.stringMatching(/^500 after \d+ ms: token expired$/),
  });
  expect(gaveUp!["deliveries"]).toBeGreaterThan(0);
  expect(ended).toMatchObject({ level: "info", failures: 100, gaveUp: 50 });
});

test("An endpoint that fails every other time is logged at most once in ten minutes", () => {
  const report = createFailureReport();
  const lines = [];
  for (let step = 0; step < 600; step += 1) {
    const nowMs = step * 2_000;
    lines.push(...report.note(change({}), nowMs), ...report.note(recovered(1), nowMs + 1_000));
  }
  // Twenty minutes: one pair at the start, one after ten minutes.
  expect(lines.map(({ event }) => event)).toEqual([
    "recipient.failing",
    "recipient.recovered",
    "recipient.failing",
    "recipient.recovered",
  ]);
});

test("A failure that begins within ten minutes of the last one and lasts is logged when they are over", () => {
  const report = createFailureReport();
  expect(report.note(change({}), 0)).toHaveLength(1);
  expect(report.note(recovered(1), minuteMs)).toHaveLength(1);
  expect(report.note(change({}), 2 * minuteMs)).toEqual([]);
  expect(report.note(change({ failuresBefore: 1, failures: 9 }), 11 * minuteMs)).toMatchObject([
    { event: "recipient.failing" },
  ]);
});

test("Deliveries that are given up are counted and logged once an hour", () => {
  const report = createFailureReport();
  const lines = [];
  for (let step = 0; step < 121; step += 1)
    lines.push(...report.note(change({ failuresBefore: 1, failures: 2, gaveUp: 10 }), step * minuteMs));
  expect(lines.map(({ fields }) => "deliveries" in fields && fields.deliveries)).toEqual([10, 600, 600]);
});

test("A failure that began before the process is not announced again, and its end is logged", () => {
  const report = createFailureReport();
  expect(report.note(change({ failuresBefore: 7, failures: 8 }), 0)).toEqual([]);
  expect(report.note(recovered(8), 1_000)).toMatchObject([{ event: "recipient.recovered" }]);
});

test.each([
  [lastFailure, "500 after 8 ms: token expired"],
  [{ ...lastFailure, response: "" }, "500 after 8 ms"],
  [{ ...lastFailure, response: "x".repeat(500) }, `500 after 8 ms: ${"x".repeat(80)}`],
  [
    {
      failure: "timeout",
      error: "no response within 10 s",
      statusCode: null,
      durationMs: 10_001,
      response: "",
    },
    "no response within 10 s after 10001 ms",
  ],
])("The cause of %j is given in one line", (failure, expected) => {
  expect(describeFailure(failure)).toBe(expected);
});

test("A receiver that repeats the secret or a header does not bring it into the log, the console or the delivery log", async () => {
  const token = "tok_0123456789abcdef";
  const receiver = startReceiver(
    ({ headers }) => new Response(`bad ${headers["authorization"]} ${secret}`, { status: 401 }),
  );
  cleanup.push(receiver.stop);
  const webhooks = openWebhooks();
  cleanup.push(() => webhooks.dispose());
  webhooks.dispatcher.start();
  const { secret } = webhooks.endpoints.add({
    url: receiver.url,
    headers: { Authorization: `Bearer ${token}` },
  });
  webhooks.record();
  await until(() => webhooks.endpoints.list()[0]!.lastFailure !== null, "failed");
  const [delivery] = webhooks.log.list({}, 1);
  const [attempt] = webhooks.log.attempts(delivery!.id);
  expect(attempt!.response).toBe("bad *** ***");
  const shown = [webhooks.logLines.join(""), JSON.stringify(webhooks.endpoints.list()[0]!.lastFailure)].join(
    "",
  );
  expect(shown).toContain("401 after");
  expect(shown).not.toContain(token);
  expect(shown).not.toContain(secret);
});

test("The log states the kind of channel of a recipient", () => {
  const [line] = createFailureReport().note(change({ id: "chn_1", name: "team", channel: "slack" }), 0);
  expect(line).toMatchObject({
    event: "recipient.failing",
    fields: { recipient: "chn_1", channel: "slack", name: "team" },
  });
});
