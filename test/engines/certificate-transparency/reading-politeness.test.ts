import { userAgentOf } from "../../../src/platform/lib/build-info.ts";
import { describe, expect, test } from "bun:test";
import { LogError, type LogErrorKind } from "../../../src/engines/certificate-transparency/log.ts";
import {
  afterResponse,
  batchAtFirst,
  batchEnd,
  batchMax,
} from "../../../src/engines/certificate-transparency/reading/rfc6962-reader.ts";
import {
  createBreaker,
  waitAfterFailureMs,
} from "../../../src/engines/certificate-transparency/reading/breaker.ts";
import { nextPollMs } from "../../../src/engines/certificate-transparency/reading/log-readers.ts";
import {
  createRequestBudgets,
  operatorRate,
} from "../../../src/engines/certificate-transparency/reading/request-budget.ts";
import { manualClock } from "../../support/appliance.ts";

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));
const failure = (kind: LogErrorKind = "network", retryAfterMs: number | null = null) =>
  new LogError(kind, "failure", retryAfterMs);

describe("the breaker of a log", () => {
  const random = () => 0.5;

  test("refuses requests after an error until the wait is over, with the error and the remaining time", () => {
    const clock = manualClock();
    const breaker = createBreaker(clock, random);
    const waitMs = breaker.admit()(failure("status"));
    expect(waitMs).toBeGreaterThan(0);
    clock.advance(waitMs - 100);
    expect(() => breaker.admit()).toThrow(expect.objectContaining({ kind: "status", retryAfterMs: 100 }));
    clock.advance(100);
    expect(() => breaker.admit()).not.toThrow();
  });

  test("admits one probe at a time after an error, and any number after a success", () => {
    const clock = manualClock();
    const breaker = createBreaker(clock, random);
    clock.advance(breaker.admit()(failure()));
    const probe = breaker.admit();
    expect(() => breaker.admit()).toThrow(LogError);
    probe(undefined);
    breaker.admit();
    expect(() => breaker.admit()).not.toThrow();
  });

  test("opens after five errors in a row, then waits at least a minute and at most ten", () => {
    const clock = manualClock();
    const breaker = createBreaker(clock, random);
    const waits = Array.from({ length: 12 }, () => {
      const waitMs = breaker.admit()(failure());
      clock.advance(waitMs);
      return waitMs;
    });
    expect(waits.slice(0, 4)).toEqual([750, 1_250, 2_250, 4_250]);
    for (const waitMs of waits.slice(4)) expect(waitMs).toBeWithin(60_000, 600_001);
    breaker.admit()(undefined);
    expect(breaker.admit()(failure())).toBe(750);
  });

  test("counts requests that fail together as one error", () => {
    const clock = manualClock();
    const breaker = createBreaker(clock, random);
    const admitted = Array.from({ length: 6 }, () => breaker.admit());
    const waits = admitted.map((settle) => settle(failure()));
    expect(Math.max(...waits)).toBe(750);
  });

  test("does not end its wait when a request succeeds that was admitted before the error", () => {
    const breaker = createBreaker(manualClock(), random);
    const [first, second] = [breaker.admit(), breaker.admit()];
    first(failure());
    second(undefined);
    expect(() => breaker.admit()).toThrow(LogError);
  });

  test("neither counts a cancelled request nor keeps its probe", () => {
    const clock = manualClock();
    const breaker = createBreaker(clock, random);
    clock.advance(breaker.admit()(failure()));
    breaker.admit()(undefined, { isCancelled: true });
    expect(breaker.admit()(failure())).toBe(1_250);
  });

  test.each<[string, number | null, number, number]>([
    ["a time that the log asked for", 120_000, 120_000, 144_000],
    ["a minimum of a second", 0, 1_000, 1_200],
    ["a maximum of ten minutes", 30 * 86_400_000, 600_000, 720_000],
    ["half a minute without Retry-After", null, 30_000, 36_000],
  ])("waits after 429 for %s, with jitter", (_, retryAfterMs, minimum, maximum) => {
    const wait = (value: number) => waitAfterFailureMs(1, failure("rate_limited", retryAfterMs), () => value);
    expect([wait(0), wait(1)]).toEqual([minimum, maximum]);
  });
});

describe("the budget of an operator", () => {
  const signal = new AbortController().signal;

  test("spreads requests of all its logs at the operator's rate", async () => {
    const clock = manualClock();
    const budgetOf = createRequestBudgets(clock);
    const rate = { requestsPerSecond: 2, concurrency: 4 };
    let sent = 0;
    for (let index = 0; index < 10; index++) {
      void budgetOf("operator", rate).run(signal, () => Promise.resolve(sent++));
    }
    for (let half = 0; half < 6; half++) {
      await settled();
      expect(sent).toBe(half + 1);
      for (let step = 0; step < 500; step++) clock.advance(1);
    }
  });

  test("bounds the concurrent requests, and lets other operators go on", async () => {
    const clock = manualClock();
    const budgetOf = createRequestBudgets(clock);
    const rate = { requestsPerSecond: 1_000, concurrency: 2 };
    let [busy, other] = [0, 0];
    const forever = () => {
      busy++;
      return new Promise<void>(() => {});
    };
    for (let index = 0; index < 5; index++) void budgetOf("stuck", rate).run(signal, forever);
    void budgetOf("other", rate).run(signal, () => Promise.resolve(other++));
    for (let step = 0; step < 100; step++) {
      clock.advance(1);
      await settled();
    }
    expect([busy, other]).toEqual([2, 1]);
  });

  test("sends nothing during a pause that the operator asked for", async () => {
    const clock = manualClock();
    const budget = createRequestBudgets(clock)("operator", { requestsPerSecond: 100, concurrency: 1 });
    budget.pause(5_000);
    let sent = 0;
    void budget.run(signal, () => Promise.resolve(sent++));
    clock.advance(4_999);
    await settled();
    expect(sent).toBe(0);
    clock.advance(1);
    await settled();
    expect(sent).toBe(1);
  });

  test("rejects a waiting request as soon as it is aborted", async () => {
    const clock = manualClock();
    const budget = createRequestBudgets(clock)("operator", { requestsPerSecond: 1, concurrency: 1 });
    budget.pause(60_000);
    const abort = new AbortController();
    const waiting = budget.run(abort.signal, () => Promise.resolve("sent"));
    abort.abort(new Error("shutdown"));
    await expect(waiting).rejects.toThrow("shutdown");
  });
});

describe("rates", () => {
  test.each([
    ["DigiCert", false, 0.15],
    ["Unknown operator", false, 2],
    ["constructor", false, 2],
    ["internal", true, 50],
    ["Sectigo", false, 3],
  ])("of %s are built in, or those of the configuration", (operator, isExtra, requestsPerSecond) => {
    const configured = [{ operator: "sectigo", requestsPerSecond: 3 }];
    expect(operatorRate({ operator, isExtra, configured }).requestsPerSecond).toBe(requestsPerSecond);
  });

  test("of polls fall while a log does not grow, and never take more than a quarter of the operator's rate", () => {
    const poll = (unchangedPolls: number, logsOfOperator = 1, requestsPerSecond = 10) =>
      nextPollMs({ unchangedPolls, logsOfOperator, requestsPerSecond, random: () => 0.5 });
    expect([poll(0), poll(1), poll(1_000)]).toEqual([15_000, 22_500, 300_000]);
    const logs = 8;
    const pollsPerSecond = logs / (poll(0, logs, 0.15) / 1_000);
    expect(pollsPerSecond).toBeCloseTo(0.15 / 4);
    const jittered = nextPollMs({
      unchangedPolls: 0,
      logsOfOperator: 1,
      requestsPerSecond: 10,
      random: () => 0,
    });
    expect(jittered).toBe(12_000);
  });
});

describe("the batch size of get-entries", () => {
  /** Reads entries from a simulated log and returns the requests. */
  const readAll = ({
    from,
    to,
    limit,
    isAligned,
  }: {
    from: number;
    to: number;
    limit: number;
    isAligned: boolean;
  }) => {
    let batch = batchAtFirst;
    const requests: { from: number; asked: number; count: number }[] = [];
    for (let at = from; at < to;) {
      const asked = batchEnd(batch, { from: at, to }) - at;
      const most = isAligned ? (Math.floor(at / limit) + 1) * limit - at : limit;
      const count = Math.min(asked, most);
      expect(asked).toBeWithin(1, batchMax + 1);
      batch = afterResponse(batch, { from: at, asked, count });
      requests.push({ from: at, asked, count });
      at += count;
    }
    return requests;
  };

  test.each([
    [32, false],
    [32, true],
    [100, false],
    [256, false],
    [256, true],
    [1_000, true],
    [4_096, false],
  ])("adapts to a log with a maximum of %i entries (cut at multiples: %p)", (limit, isAligned) => {
    for (const from of [0, 1, 5, 255, 300, 1_023, 77_777]) {
      const count = 40_000;
      const requests = readAll({ from, to: from + count, limit, isAligned });
      const size = Math.min(limit, batchMax);
      // One request for each batch, and a few more at the start and where a larger batch was tried.
      expect(requests.length).toBeLessThanOrEqual(Math.ceil(count / size) * 1.1 + 5);
      const exact = requests.filter((each) => each.asked === each.count && each.from % size === 0);
      expect(exact.length).toBeGreaterThan(requests.length * 0.8);
    }
  });

  test("ignores one short response, and tries more again after short ones that were an exception", () => {
    let batch = afterResponse(batchAtFirst, { from: 0, asked: 1_024, count: 7 });
    expect(batch.size).toBe(batchMax);
    batch = afterResponse(batch, { from: 7, asked: 1_024, count: 9 });
    expect(batch.size).toBe(9);
    let at = 16;
    let requests = 0;
    for (; batch.size < batchMax; requests++) {
      const asked = batchEnd(batch, { from: at, to: Infinity }) - at;
      batch = afterResponse(batch, { from: at, asked, count: asked });
      at += asked;
    }
    expect(requests).toBeLessThan(600);
  });
});

test.each([
  [null, "phishwatch/1.2.3"],
  ["soc@example.com", "phishwatch/1.2.3 (+soc@example.com)"],
  ["https://example.com/security", "phishwatch/1.2.3 (+https://example.com/security)"],
])("the User-Agent contains the contact %p", (contact, expected) => {
  expect(userAgentOf(contact, { version: "1.2.3" })).toBe(expected);
});
