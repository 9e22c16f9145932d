import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { openSandbox } from "../support/sandbox.ts";

const sandbox = await openSandbox();
afterAll(sandbox.stop);
const { advance, api, call, control, inbox, ready } = sandbox;
beforeEach(() => control("POST", "/reset"));

const threats = () => api("GET", "/v1/threats");

describe("API faults", () => {
  test("return 429 and 500 in the form of the API, for the requested number of requests", async () => {
    await control("POST", "/faults", { status: 429, times: 2, retry_after: 7 });
    await control("POST", "/faults", { status: 500 });
    const limited = await threats();
    expect([limited.status, limited.json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(limited.headers.get("retry-after")).toBe("7");
    expect(limited.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(Number(limited.headers.get("x-ratelimit-reset"))).toBe(Date.parse(ready.time) / 1_000 + 60);
    expect((await control("GET", "/faults")).data.map(({ left }: { left: number }) => left)).toEqual([1, 1]);
    expect((await threats()).status).toBe(429);
    const failed = await threats();
    expect([failed.status, failed.json.error.code]).toEqual([500, "internal_error"]);
    expect((await threats()).status).toBe(200);
  });

  test("take a token of the key, and state its limit and a fresh X-Request-Id", async () => {
    const key = ready.keys.pro;
    const list = (headers = {}) => call("GET", "/v1/threats", { key, headers });
    const remaining = ({ headers }: Awaited<ReturnType<typeof list>>) =>
      Number(headers.get("x-ratelimit-remaining"));
    const before = remaining(await list());
    for (const status of [500, 400, 403, 404]) await control("POST", "/faults", { status });
    const failed = [await list(), await list(), await list(), await list({ "x-request-id": "mine-1" })];
    expect(failed.map(({ status }) => status)).toEqual([500, 400, 403, 404]);
    expect(failed.map(remaining)).toEqual([1, 2, 3, 4].map((count) => before - count));
    for (const { headers } of failed) {
      expect(headers.get("x-ratelimit-limit")).toBe("600");
      expect(Number(headers.get("x-ratelimit-reset"))).toBeGreaterThan(0);
    }
    const ids = failed.map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(4);
    expect(ids[3]).toBe("mine-1");
    expect(remaining(await list())).toBe(before - 5);
    await control("POST", "/faults", { status: 500 });
    const unlimited = await call("GET", "/v1/threats", { key: ready.keys.enterprise });
    expect([unlimited.status, unlimited.headers.get("x-ratelimit-limit")]).toEqual([500, null]);
    await control("POST", "/faults", { status: 401 });
    const unauthorized = await list();
    expect(unauthorized.headers.get("www-authenticate")).toBe("Bearer");
    expect(unauthorized.headers.get("x-ratelimit-limit")).toBeNull();
  });

  test("apply to requests that match method and path, and only under /v1", async () => {
    const [{ id }] = (await threats()).json.data;
    await control("POST", "/faults", { method: "PATCH", path: "/v1/threats/*", status: 500, times: 9 });
    expect((await call("GET", "/healthz")).status).toBe(200);
    expect((await api("GET", `/v1/threats/${id}`)).status).toBe(200);
    expect((await api("PATCH", `/v1/threats/${id}`, { status: "resolved" })).status).toBe(500);
    await control("DELETE", "/faults");
    expect((await api("PATCH", `/v1/threats/${id}`, { status: "resolved" })).status).toBe(200);
  });

  test("delay the regular response", async () => {
    await control("POST", "/faults", { delay: "150ms" });
    const begun = performance.now();
    expect((await threats()).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(140);
  });

  test("close the connection without a response and without a log line", async () => {
    await control("POST", "/faults", { reset: true });
    await expect(threats()).rejects.toThrow();
    expect((await threats()).status).toBe(200);
    expect(sandbox.logLines).toEqual([]);
  });

  test("leave a request without a response", async () => {
    await control("POST", "/faults", { silence: true });
    const headers = { authorization: `Bearer ${ready.keys.enterprise}` };
    const waiting = fetch(`${ready.base_url}/threats`, { headers, signal: AbortSignal.timeout(200) });
    await expect(waiting).rejects.toThrow("timed out");
    expect((await threats()).status).toBe(200);
  });
});

describe("an inbox", () => {
  test("shows each delivery with its headers, body and the validity of both signatures", async () => {
    const { data: endpoint } = await control("POST", "/webhooks", {
      inbox: "soc",
      events: ["threat.created"],
      headers: { "X-Team": "blue" },
    });
    await control("POST", "/threats", {});
    const [message] = (await inbox("soc", "?wait=20s")).data;
    expect(message).toMatchObject({
      number: 1,
      received_at: ready.time,
      type: "threat.created",
      attempt: 1,
      signature_valid: true,
      signatures: { service: "valid", standard: "valid" },
      endpoint_id: endpoint.id,
      answered: 200,
    });
    expect(message!.headers).toMatchObject({
      "content-type": "application/json",
      "x-team": "blue",
      "webhook-id": message!.event_id,
    });
    expect(JSON.parse(message!.body)).toEqual(message!.event);
  });

  test("recognizes a forged delivery", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    const forged = { id: "evt_1", type: "threat.created", created_at: ready.time, data: {} };
    await call("POST", "/sandbox/inbox/soc", {
      body: forged,
      headers: { "x-service-signature": `sha256=${"0".repeat(64)}` },
    });
    await call("POST", "/sandbox/inbox/soc", { body: "no JSON" });
    const { data } = await inbox("soc");
    expect(data).toMatchObject([
      { signature_valid: false, signatures: { service: "invalid", standard: "missing" }, event_id: "evt_1" },
      { signature_valid: false, signatures: { service: "missing" }, event_id: null, event: null },
    ]);
  });

  test("fails as requested, with a status and by closing the connection, then works again", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { status: 503, retry_after: 180 });
    await control("POST", "/inbox/soc/failures", { reset: true });
    await control("POST", "/threats", {});
    await inbox("soc", "?wait=20s");
    await advance("1h");
    const { data } = await inbox("soc");
    expect(data.map(({ answered }) => answered)).toEqual([503, "reset", 200]);
    const minutes = data.map(
      ({ received_at }) => (Date.parse(received_at) - Date.parse(ready.time)) / 60_000,
    );
    // Retry-After asked for three minutes instead of one.
    expect(minutes).toEqual([0, 3, 8]);
    const { data: deliveries } = await control("GET", "/deliveries?status=succeeded");
    expect(deliveries[0].attempts.map(({ failure }: { failure: string }) => failure)).toEqual([
      "status",
      expect.stringMatching(/^(connect|protocol)$/),
      null,
    ]);
  });

  test("delays its response as requested, and the delivery stays pending until then", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { delay: "100ms" });
    await control("POST", "/threats", {});
    await inbox("soc", "?wait=20s");
    expect((await control("GET", "/deliveries")).data[0].status).toBe("pending");
    await advance("1ms");
    expect((await control("GET", "/deliveries")).data[0].status).toBe("succeeded");
  });

  test("can be awaited by event type and count, up to the requested time", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    const waiting = inbox("soc", "?wait=10s&type=threat.resolved");
    const [{ id }] = (await api("GET", "/v1/threats?status=active&per_page=1")).json.data;
    await api("PATCH", `/v1/threats/${id}`, { status: "resolved" });
    const { data, meta } = await waiting;
    expect(data.map(({ type }) => type)).toEqual(["threat.resolved"]);
    expect(meta).toEqual({ total: 1, complete: true });
    const begun = performance.now();
    expect((await inbox("soc", "?wait=100ms&count=9")).meta).toEqual({ total: 2, complete: false });
    expect(performance.now() - begun).toBeGreaterThan(90);
    await control("DELETE", "/inbox/soc");
    expect((await inbox("soc")).meta).toEqual({ total: 0, complete: false });
  });
});
