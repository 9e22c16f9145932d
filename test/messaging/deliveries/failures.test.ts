import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type net from "node:net";
import type { WebhookFailure } from "../../../src/messaging/channels/failures.ts";
import { manualClock } from "../../support/appliance.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

// Failures of receivers and networks, and how the delivery log reports them.

const minuteMs = 60_000;
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function open(...options: Parameters<typeof openWebhooks>): OpenWebhooks {
  const webhooks = openWebhooks(...options);
  cleanup.push(() => webhooks.dispose());
  webhooks.dispatcher.start();
  return webhooks;
}

/** Sends one event and returns its entry in the log. */
async function deliver(webhooks: OpenWebhooks, url: string) {
  webhooks.endpoints.add({ url });
  webhooks.record();
  await until(() => webhooks.log.list({}, 1)[0]?.attempts === 1, "tried");
  const [delivery] = webhooks.log.list({}, 1);
  const [attempt] = webhooks.log.attempts(delivery!.id);
  return { delivery: delivery!, attempt: attempt! };
}

describe("responses", () => {
  const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  test.each<
    [
      what: string,
      respond: (socket: net.Socket) => void,
      WebhookFailure | null,
      status: number | null,
      response: string,
    ]
  >([
    ["200", (socket) => void socket.write(ok), null, 200, "ok"],
    ["299", (socket) => void socket.write(ok.replace("200", "299")), null, 299, "ok"],
    ["204 in HTTP/1.0", (socket) => void socket.end("HTTP/1.0 204 None\r\n\r\n"), null, 204, ""],
    [
      "100 Continue first",
      (socket) => void socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`),
      null,
      200,
      "ok",
    ],
    [
      "199, which is not a final response",
      (socket) => void socket.end("HTTP/1.1 199 Odd\r\n\r\n"),
      "connect",
      null,
      "",
    ],
    ["300", (socket) => void socket.write(ok.replace("200", "300")), "redirect", 300, "ok"],
    [
      "301",
      (socket) => void socket.write(ok.replace("200 OK", "301 Moved\r\nLocation: /other")),
      "redirect",
      301,
      "ok",
    ],
    [
      "302",
      (socket) => void socket.write(ok.replace("200 OK", "302 Found\r\nLocation: /other")),
      "redirect",
      302,
      "ok",
    ],
    [
      "307",
      (socket) => void socket.write(ok.replace("200 OK", "307 Temporary\r\nLocation: /other")),
      "redirect",
      307,
      "ok",
    ],
    [
      "308",
      (socket) => void socket.write(ok.replace("200 OK", "308 Permanent\r\nLocation: /other")),
      "redirect",
      308,
      "ok",
    ],
    ["404", (socket) => void socket.write(ok.replace("200", "404")), "status", 404, "ok"],
    ["410", (socket) => void socket.write(ok.replace("200", "410")), "status", 410, "ok"],
    ["500", (socket) => void socket.write(ok.replace("200", "500")), "status", 500, "ok"],
    ["that is missing: the connection is closed", (socket) => void socket.end(), "connect", null, ""],
    [
      "that is missing: the connection is reset",
      (socket) => void socket.resetAndDestroy(),
      "connect",
      null,
      "",
    ],
    ["that is cut short", (socket) => void socket.end(ok.slice(0, -1)), "connect", 200, "o"],
    ["that is not HTTP", (socket) => void socket.write("220 mail.test ESMTP\r\n\r\n"), "protocol", null, ""],
    ["with headers and no body", (socket) => void socket.write(ok.slice(0, -2)), "timeout", 200, ""],
    ["that never comes", () => {}, "timeout", null, ""],
    [
      "a gzip bomb",
      (socket) => {
        const bomb = gzipSync(Buffer.alloc(8 * 1_048_576));
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb);
      },
      null,
      200,
      expect.stringMatching(/^\\u\{1f\}\ufffd/) as unknown as string,
    ],
    [
      "text that hides and reorders",
      (socket) => void socket.write("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\n\u001b[2Ja\u202eb\u0000"),
      "status",
      500,
      "\\u{1b}[2Ja\\u{202e}b\\u{0}",
    ],
    [
      "a long text",
      (socket) => void socket.write(`HTTP/1.1 400 No\r\nContent-Length: 5000\r\n\r\n${"x".repeat(5_000)}`),
      "status",
      400,
      "x".repeat(1_024),
    ],
  ])(
    "the response %s is recorded as the outcome that it stands for",
    async (_what, respond, failure, statusCode, text) => {
      const server = await startRawServer((socket) => respond(socket));
      cleanup.push(server.stop);
      const webhooks = open({ timeoutMs: failure === "timeout" ? 500 : 20_000 });
      const { delivery, attempt } = await deliver(webhooks, server.url);
      expect(attempt).toMatchObject({ failure, statusCode, response: text, address: "127.0.0.1" });
      expect(attempt.error === null).toBe(failure === null);
      expect(delivery.status).toBe(failure === null ? "succeeded" : "pending");
      expect(delivery.nextAttemptAt === null).toBe(failure === null);
      // Nothing was followed, and nothing sent a second time.
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe("attempts without a response", () => {
  test.each<[what: string, url: string, addresses: string[], WebhookFailure]>([
    ["the name has no address", "http://nowhere.test/", [], "dns"],
    ["no program listens on the port", "http://127.0.0.1:1/", [], "connect"],
    ["the name leads to a metadata service", "http://receiver.test/", ["169.254.169.254"], "refused_address"],
    ["the name leads to a link-local address", "http://receiver.test/", ["fe80::1"], "refused_address"],
    [
      "one of its addresses is forbidden",
      "http://receiver.test/",
      ["127.0.0.1", "0.0.0.0"],
      "refused_address",
    ],
  ])("an attempt fails with its reason if %s", async (_what, url, addresses, failure) => {
    const webhooks = open({ resolveHost: async () => addresses });
    const { delivery, attempt } = await deliver(webhooks, url);
    expect(attempt).toMatchObject({ failure, statusCode: null, address: null, error: expect.any(String) });
    expect(delivery.status).toBe("pending");
  });
});

test("shutdown does not wait for a name that does not resolve, but finishes what was sent", async () => {
  const { promise: response, resolve: respond } = Promise.withResolvers<Response>();
  const receiver = startReceiver(() => response);
  cleanup.push(receiver.stop);
  const lookups: string[] = [];
  const webhooks = open({
    timeoutMs: 600_000,
    resolveHost: (name) => {
      lookups.push(name);
      return name === "silent.test" ? new Promise(() => {}) : Promise.resolve(["127.0.0.1"]);
    },
  });
  webhooks.endpoints.add({ url: "http://silent.test/" });
  webhooks.endpoints.add({ url: receiver.url.replace("127.0.0.1", "slow.test") });
  webhooks.record();
  await until(() => receiver.received.length === 1 && lookups.includes("silent.test"), "both started");
  const stopped = webhooks.stop();
  respond(new Response("ok"));
  await stopped;
  const entries = webhooks.log.list({}, 2).map(({ attempts, status }) => ({ attempts, status }));
  expect(entries).toContainEqual({ attempts: 1, status: "succeeded" });
  // The delivery is pending without a failed attempt, and the next start sends it.
  expect(entries).toContainEqual({ attempts: 0, status: "pending" });
});

test("Retry-After extends the delay, up to the next one in the schedule", async () => {
  const clock = manualClock();
  const asked = ["180", "100000", "10"];
  const receiver = startReceiver(
    (_, count) => new Response("", { status: 503, headers: { "Retry-After": asked[count - 1]! } }),
  );
  cleanup.push(receiver.stop);
  const webhooks = open({ clock });
  const { delivery } = await deliver(webhooks, receiver.url);
  const next = () => webhooks.log.get(delivery.id)!.nextAttemptAt! - clock.now();
  const waits = [next()];
  for (const attempts of [2, 3]) {
    clock.advance(next());
    await until(() => webhooks.log.get(delivery.id)!.attempts === attempts, "retried");
    waits.push(next());
  }
  expect(waits).toEqual([3 * minuteMs, 30 * minuteMs, 30 * minuteMs]);
});

test("after downtime, overdue retries are sent in the order in which they were due, eight at a time", async () => {
  const clock = manualClock();
  let up = false;
  const order: number[] = [];
  const receiver = startReceiver(async ({ body }) => {
    if (!up) return new Response("", { status: 500 });
    order.push((JSON.parse(body) as { data: { index: number } }).data.index);
    // Several requests are in flight together.
    await new Promise((next) => setImmediate(next));
    return new Response();
  });
  cleanup.push(receiver.stop);
  const first = openWebhooks({ clock });
  first.dispatcher.start();
  first.endpoints.add({ url: receiver.url });
  for (let index = 0; index < 60; index += 1) {
    first.record("threat.created", { index });
    clock.advance(100);
  }
  await until(() => first.log.list({}, 100).every(({ attempts }) => attempts === 1), "first attempts");
  const due = first.log
    .list({}, 100)
    .reverse()
    .map(({ nextAttemptAt }, index) => ({ index, nextAttemptAt: nextAttemptAt! }))
    .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || a.index - b.index);
  await first.close();
  up = true;
  clock.advance(24 * 60 * minuteMs);
  const second = open({ clock, folder: first.folder });
  await until(() => order.length === 60, "all retried");
  // Eight requests are in flight together, so neighbors can arrive in either order.
  const places = due.map(({ index }) => order.indexOf(index));
  expect(places.every((place, expected) => Math.abs(place - expected) <= 8)).toBe(true);
  expect(receiver.underWayMost()).toBeLessThanOrEqual(8);
  await until(() => second.log.list({ status: "pending" }, 1).length === 0, "recorded");
});

describe("clock changes", () => {
  let offsetMs = 0;
  const real = () => Date.now() + offsetMs;
  const jumping = {
    now: real,
    monotonicMs: () => performance.now(),
    at: () => ({ cancel: () => {} }),
    after(delayMs: number, callback: () => void) {
      const timer = setTimeout(callback, delayMs);
      return { cancel: () => clearTimeout(timer) };
    },
  };
  beforeEach(() => void (offsetMs = 0));

  test("a retry keeps its delay when the clock is set back by a day", async () => {
    const receiver = startReceiver((_, count) => (count === 1 ? 500 : 200));
    cleanup.push(receiver.stop);
    // The longest delay is an hour, and the retry is due after the shortest.
    const webhooks = open({ clock: jumping, retryDelaysMs: [1_500, 60 * minuteMs] });
    await deliver(webhooks, receiver.url);
    offsetMs = -24 * 60 * minuteMs;
    await until(() => webhooks.log.list({ status: "succeeded" }, 1).length === 1, "retried");
    expect(receiver.received).toHaveLength(2);
    expect(webhooks.logLines.join("")).toContain("clock was set back; delivery retries brought forward");
    webhooks.record();
    await until(() => receiver.received.length === 3, "a new event at once");
  }, 60_000);

  test("a retry is sent after exactly its delay although the clock was set back", async () => {
    const clock = manualClock();
    const receiver = startReceiver((_, count) => (count === 1 ? 500 : 200));
    cleanup.push(receiver.stop);
    const webhooks = open({ clock });
    await deliver(webhooks, receiver.url);
    clock.setBy(-6 * 60 * minuteMs);
    clock.advance(minuteMs - 1_000);
    await webhooks.dispatcher.settled();
    expect(receiver.received).toHaveLength(1);
    clock.advance(1_000);
    await until(() => receiver.received.length === 2, "retried");
  });

  test("a clock that is set back moves the start of failures once, although due times cannot be moved at first", async () => {
    const clock = manualClock();
    const receiver = startReceiver((_, count) => (count === 1 ? 500 : 200));
    cleanup.push(receiver.stop);
    const { database, dispatcher, ...webhooks } = open({ clock });
    await deliver({ database, dispatcher, ...webhooks }, receiver.url);
    const failingSince = () =>
      database.sqlite.query<{ at: number }, []>("select failing_since as at from recipients").get()!.at;
    const before = failingSince();
    database.sqlite.run(
      `create trigger refuse before update of next_attempt_at on deliveries begin select raise(abort, 'refused'); end`,
    );
    clock.setBy(-6 * 60 * minuteMs);
    const stalls = () => webhooks.logLines.filter((line) => line.includes("refused")).length;
    for (const count of [1, 2, 3]) {
      dispatcher.wake();
      await until(() => stalls() >= count, "the due times cannot be moved");
    }
    expect(failingSince()).toBe(before - 6 * 60 * minuteMs);
    database.sqlite.run("drop trigger refuse");
    dispatcher.wake();
    await until(() => webhooks.logLines.some((line) => line.includes("set back")), "brought forward");
    clock.advance(5.5 * minuteMs);
    await until(() => receiver.received.length === 2, "retried");
  });

  test("a retry waits for no more than its own delay after a restart with an earlier clock", async () => {
    const clock = manualClock();
    const receiver = startReceiver((_, count) => (count === 1 ? 500 : 200));
    cleanup.push(receiver.stop);
    const first = openWebhooks({ clock });
    first.dispatcher.start();
    await deliver(first, receiver.url);
    await first.close();
    const earlier = manualClock(clock.now() - 6 * 60 * minuteMs);
    const second = open({ clock: earlier, folder: first.folder });
    await until(() => second.logLines.some((line) => line.includes("set back")), "noticed");
    // The second retry comes after five minutes, so a Retry-After header may extend the first one to that.
    earlier.advance(5.5 * minuteMs);
    await until(() => receiver.received.length === 2, "retried");
  });

  test("an endpoint is disabled only after failing for as long as the setting says, however the clock is set", async () => {
    const clock = manualClock();
    const receiver = startReceiver(() => 500);
    cleanup.push(receiver.stop);
    const dayMs = 24 * 60 * minuteMs;
    const webhooks = open({ clock, disableAfterMs: dayMs, retryDelaysMs: Array(20).fill(60 * minuteMs) });
    await deliver(webhooks, receiver.url);
    const isEnabled = () => webhooks.endpoints.list()[0]!.enabled;
    const attempts = () => webhooks.log.list({}, 9).reduce((sum, delivery) => sum + delivery.attempts, 0);
    const oneMore = async () => {
      const before = attempts();
      webhooks.record();
      await until(() => attempts() > before, "tried");
    };
    clock.setBy(400 * dayMs);
    clock.advance(minuteMs);
    await oneMore();
    expect(isEnabled()).toBe(true);
    clock.setBy(-800 * dayMs);
    clock.advance(minuteMs);
    await oneMore();
    expect(isEnabled()).toBe(true);
    clock.advance(dayMs);
    await until(() => !isEnabled(), "disabled");
  });

  test("a clock that is set forward by a day sends what is then due, once", async () => {
    const receiver = startReceiver((_, count) => (count === 1 ? 500 : 200));
    cleanup.push(receiver.stop);
    const webhooks = open({ clock: jumping });
    await deliver(webhooks, receiver.url);
    offsetMs = 24 * 60 * minuteMs;
    await until(() => webhooks.log.list({ status: "succeeded" }, 1).length === 1, "retried");
    expect(receiver.received).toHaveLength(2);
  });
});

test("results that cannot be written are kept and written later, and nothing is sent again in the meantime", async () => {
  const receiver = startReceiver();
  cleanup.push(receiver.stop);
  const webhooks = open();
  webhooks.endpoints.add({ url: receiver.url });
  webhooks.database.sqlite.run(
    "CREATE TRIGGER full BEFORE INSERT ON delivery_attempts BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
  );
  webhooks.record();
  webhooks.record();
  await until(() => webhooks.logLines.some((line) => line.includes("cannot be written")), "said so");
  expect(webhooks.log.list({}, 9).map(({ status }) => status)).toEqual(["pending", "pending"]);
  webhooks.database.sqlite.run("DROP TRIGGER full");
  await until(() => webhooks.log.list({ status: "succeeded" }, 9).length === 2, "written");
  expect(receiver.received).toHaveLength(2);
});

test("removing an endpoint while a delivery is in flight removes its deliveries", async () => {
  let respond: (response: Response) => void = () => {};
  const receiver = startReceiver(() => new Promise<Response>((resolve) => (respond = resolve)));
  cleanup.push(receiver.stop);
  const webhooks = open();
  webhooks.endpoints.add({ url: receiver.url, name: "soc" });
  webhooks.record();
  await until(() => receiver.received.length === 1, "in flight");
  await webhooks.endpoints.remove("soc");
  respond(new Response());
  await webhooks.dispatcher.settled();
  expect(webhooks.log.list({}, 9)).toEqual([]);
  expect(webhooks.logLines).toEqual([]);
});

test("every query for due deliveries uses the index", () => {
  const webhooks = open();
  const plan = (query: string) =>
    webhooks.database.sqlite
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query}`)
      .all()
      .map(({ detail }) => detail)
      .join("; ");
  const pending = "recipient_seq = 1 AND status = 'pending'";
  for (const query of [
    `SELECT seq, event_seq, attempts FROM deliveries WHERE ${pending} AND next_attempt_at <= 9 ORDER BY next_attempt_at, seq LIMIT 64`,
    `SELECT next_attempt_at FROM deliveries WHERE ${pending} AND next_attempt_at > 9 ORDER BY next_attempt_at LIMIT 1`,
  ]) {
    expect(plan(query)).toContain("INDEX deliveries_due (recipient_seq=? AND next_attempt_at");
    expect(plan(query)).not.toContain("TEMP B-TREE");
  }
  expect(plan("SELECT seq, type FROM events WHERE dispatched_at IS NULL ORDER BY seq LIMIT 9")).toContain(
    "events_undispatched",
  );
});
