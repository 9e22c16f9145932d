import { createHmac } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { siteStates } from "../../src/platform/vocabulary/site.ts";
import { openSandbox } from "../support/sandbox.ts";

const sandbox = await openSandbox();
const { advance, call, control, inbox, ready } = sandbox;

interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}
let received: Received[] = [];
let status = 200;
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname: path } = new URL(request.url);
    received.push({ path, headers: Object.fromEntries(request.headers), body: await request.text() });
    return new Response("no, thank you", { status });
  },
});
afterAll(async () => {
  sandbox.stop();
  await receiver.stop(true);
});
beforeEach(async () => {
  await control("POST", "/reset");
  received = [];
  status = 200;
});

const add = async (settings: object) => (await control("POST", "/webhooks", settings)).data;
const urlOf = (path: string) => `${receiver.url.origin}${path}`;
/** Lets all deliveries that are due be sent. */
const send = () => advance("1ms");
const deliveries = async () => (await control("GET", "/deliveries")).data;

/** Returns whether a receiver's library accepts a delivery. */
function isAccepted({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describe("real timestamps", () => {
  test("let a receiver's library accept every attempt of the schedule, which sandbox time does not", async () => {
    status = 503;
    const real = await add({ url: urlOf("/real"), name: "real", real_timestamps: true });
    const other = await add({ url: urlOf("/other"), name: "other" });
    expect([real.real_timestamps, other.real_timestamps]).toEqual([true, false]);
    await control("POST", "/threats", {});
    await advance("3h");
    const accepted = (path: string, { secret }: { secret: string }) =>
      received.filter((one) => one.path === path).map((one) => isAccepted(one, secret));
    expect(accepted("/real", real)).toEqual([true, true, true, true, true]);
    expect(accepted("/other", other)).toEqual([false, false, false, false, false]);
  });

  test("are what an inbox compares signatures with", async () => {
    await add({ inbox: "ci", real_timestamps: true });
    await control("POST", "/inbox/ci/failures", { status: 503, times: 2 });
    await control("POST", "/threats", {});
    await advance("3h");
    const { data } = await inbox("ci");
    expect(data.map(({ signature_valid: isValid }) => isValid)).toEqual([true, true, true]);
  });

  test("are part of a snapshot, and end with a reset and with the endpoint", async () => {
    const isReal = async () => (await control("GET", "/webhooks")).data[0].real_timestamps;
    const settings = { inbox: "ci", name: "ci" };
    await add({ ...settings, real_timestamps: true });
    await control("POST", "/snapshot");
    await control("POST", "/reset");
    await add(settings);
    expect(await isReal()).toBe(false);
    await control("POST", "/restore", {});
    expect(await isReal()).toBe(true);
    await control("DELETE", "/webhooks/ci");
    await add(settings);
    expect(await isReal()).toBe(false);
  });
});

describe("a rotated secret", () => {
  const serviceSignature = (body: string, secret: string) =>
    `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

  test("signs beside the previous one for 24 hours, and then alone", async () => {
    const { secret: previous } = await add({ url: urlOf("/"), name: "soc", real_timestamps: true });
    const { data: rotated } = await control("POST", "/webhooks/soc/rotate", {});
    expect(rotated.previous_secret).toBe(previous);
    expect(Date.parse(rotated.previous_secret_until)).toBe(Date.parse(ready.time) + 86_400_000);
    await control("POST", "/threats", {});
    await advance("23h");
    await advance("1h");
    await control("POST", "/threats", {});
    await send();
    const secrets = [previous, rotated.secret];
    expect(received.map((one) => secrets.map((secret) => isAccepted(one, secret)))).toEqual([
      [true, true],
      [false, true],
    ]);
    for (const { body, headers } of received)
      expect(headers["x-service-signature"]).toBe(serviceSignature(body, rotated.secret));
    const [listed] = (await control("GET", "/webhooks")).data;
    expect([listed.secret, listed.previous_secret, listed.previous_secret_until]).toEqual([
      rotated.secret,
      null,
      null,
    ]);
  });

  test("can be given, and can replace the previous one at once", async () => {
    const { secret: previous } = await add({ url: urlOf("/"), name: "soc", real_timestamps: true });
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const { data } = await control("POST", "/webhooks/soc/rotate", { secret, overlap: "0s" });
    expect([data.secret, data.previous_secret]).toEqual([secret, null]);
    await control("POST", "/threats", {});
    await send();
    expect([previous, secret].map((one) => isAccepted(received[0]!, one))).toEqual([false, true]);
    const rejected = await call("POST", "/sandbox/webhooks/soc/rotate", { body: { secret: "short" } });
    expect([rejected.status, rejected.json.error.message]).toEqual([
      400,
      expect.stringContaining("16 to 200"),
    ]);
  });
});

describe("deliveries", () => {
  test("state the duration and the start of the response of each attempt", async () => {
    status = 503;
    await add({ url: urlOf("/"), name: "soc" });
    await control("POST", "/threats", {});
    await advance("1m");
    const [{ attempts }] = await deliveries();
    expect(attempts.map((one: { response: string }) => one.response)).toEqual([
      "no, thank you",
      "no, thank you",
    ]);
    for (const { duration_ms: durationMs } of attempts) expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  test("that failed can be sent again, with the same event and all retries", async () => {
    status = 503;
    await add({ url: urlOf("/"), name: "soc" });
    await control("POST", "/threats", {});
    await advance("3h");
    const [failed] = await deliveries();
    expect(failed.status).toBe("failed");
    const { data } = await control("POST", `/deliveries/${failed.id}/redeliver`);
    expect([data.id, data.status]).toEqual([failed.id, "pending"]);
    await send();
    status = 200;
    await advance("1m");
    const [again] = await deliveries();
    expect([again.status, again.attempts.length]).toEqual(["succeeded", 7]);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect((await call("POST", "/sandbox/deliveries/dlv_none/redeliver")).status).toBe(404);
  });

  test("are replayed since a time: all, those that failed, or those that were missed", async () => {
    status = 503;
    await control("POST", "/threats", {});
    await advance("1h");
    await add({ url: urlOf("/"), name: "soc" });
    const since = (await control("GET", "/clock")).data.now;
    await control("POST", "/threats", {});
    await advance("3h");
    status = 200;
    const replay = async (body: object) =>
      (await control("POST", "/webhooks/soc/replay", body)).data.deliveries;
    expect(await replay({ which: "failed" })).toBe(1);
    await send();
    expect(await replay({ which: "failed" })).toBe(0);
    expect(await replay({ which: "missed", since })).toBe(0);
    received = [];
    expect(await replay({ since })).toBe(1);
    await send();
    expect(received).toHaveLength(1);
    const rejected = await call("POST", "/sandbox/webhooks/soc/replay", { body: { since: "noon" } });
    expect([rejected.status, rejected.json.error.message]).toEqual([400, expect.stringContaining('"since"')]);
  });
});

describe("the site of a threat", () => {
  const threat = async () => (await control("POST", "/threats", {})).data[0].id as string;
  const setSite = async (id: string, state: string) =>
    (await control("POST", "/sites", { threat: id, state })).data.site_state as string;

  test.each(siteStates)("can be put into the state %s, as a new one and after it was up", async (state) => {
    expect(await setSite(await threat(), state)).toBe(state);
    const known = await threat();
    expect(await setSite(known, "up")).toBe("up");
    expect(await setSite(known, state)).toBe(state);
  });
});

test("only the keys pro and free have a rate limit", async () => {
  const limited = [];
  for (const [name, key] of Object.entries(ready.keys)) {
    const { headers } = await call("GET", "/v1/threats?protected_domain=example-bank.com", { key });
    if (headers.has("x-ratelimit-limit")) limited.push(name);
  }
  expect(limited).toEqual(["pro", "free"]);
});
