import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { openSandbox } from "../support/sandbox.ts";

const sandbox = await openSandbox({ empty: true });
afterAll(sandbox.stop);
const { advance, api, call, control, inbox, ready } = sandbox;
beforeEach(() => control("POST", "/reset"));

const start = Date.parse(ready.time);
const afterStart = (ms: number) => new Date(start + ms).toISOString();
const minuteMs = 60_000;

describe("the clock", () => {
  test("stands still until it is moved, and runs with real time if requested", async () => {
    expect(await control("GET", "/clock")).toEqual({ data: { now: ready.time, flows: false } });
    await advance("90m");
    expect(await control("GET", "/clock")).toEqual({
      data: { now: afterStart(90 * minuteMs), flows: false },
    });
    expect((await control("POST", "/clock", { run: true })).data.flows).toBe(true);
    for (let now = start; now < start + 90 * minuteMs + 15;) {
      const { data } = await control("GET", "/clock");
      expect(data.flows).toBe(true);
      now = Date.parse(data.now);
    }
    const stopped = (await control("POST", "/clock", { run: false })).data;
    expect(await control("GET", "/clock")).toEqual({ data: stopped });
  });

  test("can be set, also to the past, without undoing anything", async () => {
    await control("POST", "/clock", { set: "2026-02-01T00:00:00Z" });
    await control("POST", "/threats", {});
    const { data } = await control("POST", "/clock", { set: "2026-01-20" });
    expect(data).toEqual({ now: "2026-01-20T00:00:00.000Z", flows: false });
    expect((await api("GET", "/v1/threats")).json.data[0].first_seen).toBe("2026-02-01T00:00:00.000Z");
  });

  test.each([
    [{}, 'Send exactly one of "advance", "set" and "run".'],
    [{ advance: "1m", run: true }, 'Send exactly one of "advance", "set" and "run".'],
    [{ advance: "1h30m" }, "did you mean 90m?"],
    [{ advance: "-1m" }, '"advance" is "-1m"'],
    [{ set: "tomorrow" }, '"set" is "tomorrow"'],
    [{ set: "2999-01-01" }, "more than ten years ahead"],
    [{ forward: "1m" }, 'There is no field "forward"'],
    [{ run: "yes" }, '"run" is not'],
  ])("rejects %j", async (body, message) => {
    const { status, json } = await call("POST", "/sandbox/clock", { body });
    expect([status, json.error.code]).toEqual([400, "bad_request"]);
    expect(json.error.message).toContain(message);
    expect((await control("GET", "/clock")).data.now).toBe(ready.time);
  });
});

describe("with the clock,", () => {
  test("a delivery follows the whole retry schedule, in order and to the millisecond", async () => {
    const { data: endpoint } = await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { times: 100, status: 503 });
    await control("POST", "/threats", { domain: "example-bank-login.com" });
    await inbox("soc", "?wait=20s");
    await advance("3h");

    const { data: arrived } = await inbox("soc");
    const waits = [0, 1, 1 + 5, 1 + 5 + 30, 1 + 5 + 30 + 120];
    expect(arrived.map(({ received_at }) => received_at)).toEqual(
      waits.map((minutes) => afterStart(minutes * minuteMs)),
    );
    expect(arrived.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(arrived.map(({ body }) => body)).size).toBe(1);
    expect(arrived.every(({ signature_valid }) => signature_valid)).toBe(true);
    const { data: deliveries } = await control("GET", `/deliveries?endpoint=${endpoint.id}`);
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]).toMatchObject({ status: "failed", next_attempt_at: null });
    expect(
      deliveries[0].attempts.map(({ at, status }: { at: string; status: number }) => [at, status]),
    ).toEqual(waits.map((minutes) => [afterStart(minutes * minuteMs), 503]));
    expect((await control("GET", "/clock")).data.now).toBe(afterStart(180 * minuteMs));
  });

  test("a retry happens exactly on time and not a millisecond early", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { status: 500 });
    await control("POST", "/threats", {});
    await inbox("soc", "?wait=20s");
    await advance("59999ms");
    expect((await inbox("soc")).data).toHaveLength(1);
    await advance("1ms");
    expect((await inbox("soc")).data.map(({ answered }) => answered)).toEqual([500, 200]);
  });

  test("deliveries to several endpoints are retried in order of time", async () => {
    await control("POST", "/webhooks", { inbox: "first" });
    await control("POST", "/inbox/first/failures", { times: 2, status: 500 });
    await control("POST", "/threats", {});
    await inbox("first", "?wait=20s");
    await advance("30s");
    await control("POST", "/webhooks", { inbox: "second" });
    await control("POST", "/inbox/second/failures", { status: 500 });
    await control("POST", "/threats", {});
    await inbox("second", "?wait=20s");
    await advance("10m");
    const times = async (name: string) =>
      (await inbox(name)).data.map(({ received_at }) => (Date.parse(received_at) - start) / 1_000);
    // The first endpoint fails at 0 and 30 s; each event has its own schedule.
    expect(await times("first")).toEqual([0, 30, 60, 90]);
    expect(await times("second")).toEqual([30, 90]);
  });

  test("a rate limit resets after its minute", async () => {
    const key = ready.keys.free;
    for (let left = 59; left >= 0; left -= 1) {
      const { status, headers } = await api("GET", "/v1/threats", undefined, key);
      expect([status, headers.get("x-ratelimit-remaining")]).toEqual([200, String(left)]);
    }
    const limited = await api("GET", "/v1/threats", undefined, key);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(limited.headers.get("x-ratelimit-reset")).toBe(String((start + minuteMs) / 1_000));
    await advance("59s");
    expect((await api("GET", "/v1/threats", undefined, key)).headers.get("retry-after")).toBe("1");
    await advance("1s");
    expect((await api("GET", "/v1/threats", undefined, key)).status).toBe(200);
  });

  test("keys expire", async () => {
    const { expiring } = ready.keys;
    expect((await api("GET", "/v1/threats", undefined, expiring)).status).toBe(200);
    await advance("3599s");
    expect((await api("GET", "/v1/threats", undefined, expiring)).status).toBe(200);
    await advance("1s");
    expect((await api("GET", "/v1/threats", undefined, expiring)).status).toBe(401);
  });

  test("a month can pass, and retention deletes old deliveries on the way", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/threats", {});
    await inbox("soc", "?wait=20s");
    expect((await control("GET", "/deliveries")).data).toHaveLength(1);
    await advance("31d");
    expect((await control("GET", "/deliveries")).data).toEqual([]);
  });
});
