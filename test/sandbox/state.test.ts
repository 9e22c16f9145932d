import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startReceiver } from "../support/receiver.ts";
import { openSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { createVisitor } from "../support/visitor.ts";

const sandbox = await openSandbox();
afterAll(sandbox.stop);
const { advance, api, call, control, inbox, ready } = sandbox;
beforeEach(() => control("POST", "/reset"));

const total = async () => (await api("GET", "/v1/threats")).json.meta.total as number;

describe("reset", () => {
  test("returns data, clock, limits, webhook endpoints, inboxes and faults to the start", async () => {
    const before = (await api("GET", "/v1/threats?per_page=100")).json;
    await api("GET", "/v1/threats", undefined, ready.keys.free);
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { status: 500, times: 9 });
    await control("POST", "/threats", { count: 5 });
    await inbox("soc", "?wait=20s&count=5");
    await advance("1h");
    await control("POST", "/faults", { status: 500, times: 9 });
    await control("POST", "/reset");

    expect((await api("GET", "/v1/threats?per_page=100")).json).toEqual(before);
    expect((await control("GET", "/clock")).data).toEqual({ now: ready.time, flows: false });
    expect((await control("GET", "/webhooks")).data).toEqual([]);
    expect((await control("GET", "/deliveries")).data).toEqual([]);
    expect((await inbox("soc")).data).toEqual([]);
    expect((await control("GET", "/faults")).data).toEqual([]);
    const { headers } = await api("GET", "/v1/threats", undefined, ready.keys.free);
    expect(headers.get("x-ratelimit-remaining")).toBe("59");
  });

  test("makes what follows repeatable, including IDs and secrets", async () => {
    const live = async () => {
      const endpoint = (await control("POST", "/webhooks", { inbox: "soc" })).data;
      const made = (await control("POST", "/threats", { count: 2 })).data;
      const { data } = await inbox("soc", "?wait=20s&count=2");
      await control("POST", "/reset");
      const bodies = data.map(({ body }) => body).toSorted();
      return { secret: endpoint.secret, made, bodies };
    };
    expect(await live()).toEqual(await live());
  });

  test("makes IDs repeatable whether a delivery fails before or after the next request", async () => {
    let released = Promise.withResolvers<void>();
    const receiver = startReceiver(async () => {
      await released.promise;
      return new Response("", { status: 503 });
    });
    const live = async ({ failsFirst }: { failsFirst: boolean }) => {
      released = Promise.withResolvers();
      await control("POST", "/webhooks", { url: receiver.url });
      const first = (await control("POST", "/threats", {})).data;
      if (failsFirst) {
        released.resolve();
        const hasFailed = async () => (await control("GET", "/deliveries")).data[0]?.attempts.length === 1;
        await until(hasFailed, "the delivery has failed");
      }
      const second = (await control("POST", "/threats", {})).data;
      released.resolve();
      await advance("10m");
      const deliveries = (await control("GET", "/deliveries")).data;
      await control("POST", "/reset");
      // Durations are real.
      for (const { attempts } of deliveries)
        for (const attempt of attempts) expect(delete attempt.duration_ms).toBe(true);
      return { first, second, deliveries };
    };
    try {
      expect(await live({ failsFirst: false })).toEqual(await live({ failsFirst: true }));
    } finally {
      await receiver.stop();
    }
  });

  test("is atomic: no concurrent request sees a partial reset", async () => {
    for (let round = 0; round < 3; round += 1) {
      await control("POST", "/threats", { count: 40 });
      const resets = new AbortController();
      // Each reader starts one request after the other, from before the first reset until after the last one.
      const readers = Array.from({ length: 4 }, async () => {
        const responses: Awaited<ReturnType<typeof api>>[] = [];
        do responses.push(await api("GET", "/v1/threats?per_page=1"));
        while (!resets.signal.aborted);
        return responses;
      });
      await Promise.all([control("POST", "/reset"), control("POST", "/reset"), control("POST", "/reset")]);
      resets.abort();
      for (const { status, json } of (await Promise.all(readers)).flat()) {
        expect(status).toBe(200);
        expect([137, 177]).toContain(json.meta.total);
      }
      expect(await total()).toBe(137);
    }
  });

  test("lets no earlier delivery arrive afterward", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/threats", { count: 200 });
    await control("POST", "/reset");
    await control("POST", "/webhooks", { inbox: "soc" });
    const { data } = await control("POST", "/threats", {});
    await inbox("soc", "?wait=20s");
    await advance("3h");
    const arrived = (await inbox("soc")).data;
    expect(arrived.map(({ event }) => event.data.threat.id)).toEqual([data[0].id]);
  });

  test("does not wait for receivers that never respond", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { silence: true, times: 100 });
    await control("POST", "/threats", { count: 3 });
    await inbox("soc", "?wait=20s&count=3");
    // The sandbox's clock stands still, so the requests would never time out.
    await control("POST", "/reset");
    expect((await inbox("soc")).data).toEqual([]);
  });
});

describe("snapshots", () => {
  test("restore data, clock, webhook endpoints, inboxes and pending retries", async () => {
    await advance("10m");
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { status: 500, times: 2 });
    await control("POST", "/threats", {});
    await inbox("soc", "?wait=20s");
    await advance("1ms");
    const { snapshot } = (await control("POST", "/snapshot")).data;

    for (let round = 0; round < 2; round += 1) {
      expect(await total()).toBe(138);
      await control("POST", "/threats", { count: 3 });
      await advance("1h");
      expect((await inbox("soc")).data.length).toBeGreaterThan(3);
      expect((await control("POST", "/restore", { snapshot })).data).toEqual({ snapshot });
      expect((await control("GET", "/clock")).data.now).toBe("2026-01-15T12:10:00.001Z");
      expect((await inbox("soc")).data).toHaveLength(1);
      expect((await control("GET", "/deliveries")).data[0]).toMatchObject({ status: "pending" });
    }
    // The second attempt fails, as requested before the snapshot; the third one succeeds.
    await advance("10m");
    expect((await inbox("soc")).data.map(({ answered }) => answered)).toEqual([500, 500, 200]);
  });

  test("survive a reset, and restoring an unknown one returns 404", async () => {
    await control("POST", "/threats", { count: 2 });
    await control("POST", "/snapshot");
    await control("POST", "/reset");
    expect(await total()).toBe(137);
    await control("POST", "/restore");
    expect(await total()).toBe(139);
    const { status, json } = await call("POST", "/sandbox/restore", { body: { snapshot: "snapshot-999" } });
    expect([status, json.error.code]).toEqual([404, "not_found"]);
  });
});

describe("the control plane", () => {
  test("reports invalid paths, methods, bodies and parameters in the form of the API", async () => {
    const rejections: [string, string, unknown, number, string][] = [
      ["GET", "/sandbox/nothing", undefined, 404, "There is no route for this method and path"],
      ["DELETE", "/sandbox/clock", undefined, 404, "This path only supports GET, POST"],
      ["POST", "/sandbox/clock", "{", 400, "not valid JSON"],
      ["GET", "/sandbox/inbox/soc?wait=soon", undefined, 400, '"wait" is "soon"'],
      [
        "GET",
        "/sandbox/inbox/soc?type=threat.make",
        undefined,
        400,
        'type is "threat.make"; allowed: threat.created',
      ],
      ["POST", "/sandbox/faults", { status: 500, method: "FETCH" }, 400, '"method"'],
      ["GET", "/sandbox/inbox/soc?until=1s", undefined, 400, 'There is no parameter "until"'],
      ["POST", "/sandbox/webhooks", {}, 400, 'Send "inbox" or "url"'],
      ["POST", "/sandbox/webhooks", { inbox: "a/b" }, 400, "letters, digits"],
      ["POST", "/sandbox/webhooks", { inbox: "a", events: ["threat.made"] }, 400, '"events[0]"'],
      ["POST", "/sandbox/faults", {}, 400, "State the failure"],
      ["POST", "/sandbox/faults", { status: 418 }, 400, '"status"'],
      ["POST", "/sandbox/faults", { status: 500, reset: true }, 400, 'Send one of "status"'],
      ["POST", "/sandbox/inbox/soc/failures", { status: 500, times: 0 }, 400, '"times"'],
    ];
    for (const [method, path, body, status, message] of rejections) {
      const response = await call(method, path, body === undefined ? {} : { body });
      expect([path, response.status]).toEqual([path, status]);
      expect(Object.keys(response.json)).toEqual(["error"]);
      expect(response.json.error.message).toContain(message);
    }
  });

  test("has an OpenAPI document with every operation and nothing else", async () => {
    const document = await control("GET", "/openapi.json");
    expect(document.openapi).toBe("3.1.0");
    const { Validator } = await import("@seriousme/openapi-schema-validator");
    const { valid, errors } = await new Validator().validate(document);
    expect([valid, errors]).toEqual([true, undefined]);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const { operations } = await import("../../src/sandbox/control/control.ts");
    expect(described.toSorted()).toEqual(
      operations.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  test("rejects pages of other origins, as do the console's forms, but not screenshots and traps", async () => {
    const post = async (path: string, headers: Record<string, string>) =>
      (await call("POST", path, { headers })).status;
    for (const path of ["/sandbox/reset", "/sandbox/inbox/mine", "/console/sign-in"]) {
      expect(await post(path, { origin: "https://evil.example" })).toBe(403);
      expect(await post(path, { origin: "null" })).toBe(403);
      expect(await post(path, { "sec-fetch-site": "cross-site" })).toBe(403);
    }
    expect(await post("/sandbox/reset", { origin: ready.url })).toBe(200);
    const [threat] = (await api("GET", "/v1/threats?per_page=1")).json.data;
    const shown = await fetch(threat.screenshot_url, { headers: { "sec-fetch-site": "cross-site" } });
    expect(shown.status).toBe(200);
    await shown.bytes();
  });

  test("rejects requests of pages that are not its own, however little they reveal", async () => {
    const reset = async (headers: Record<string, string>) =>
      (await call("POST", "/sandbox/reset", { headers })).status;
    for (const site of ["same-site", "cross-site", "anything"])
      expect([site, await reset({ "sec-fetch-site": site })]).toEqual([site, 403]);
    for (const site of ["same-origin", "none"])
      expect([site, await reset({ "sec-fetch-site": site })]).toEqual([site, 200]);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
      expect([type, await reset({ "content-type": type })]).toEqual([type, 400]);
    expect(await reset({ "content-type": "application/json" })).toBe(200);
    for (const host of ["evil.test", "a.lan", "a.corp", "a.home", "a.mail", "a.internal", "a.home.arpa"])
      expect([host, (await call("GET", "/healthz", { headers: { host } })).status]).toEqual([host, 403]);
  });

  test("rejects a page whose host name was rebound to this address", async () => {
    const port = new URL(ready.url).port;
    const statusFor = async (host: string, path = "/sandbox/inbox/mine") =>
      (await call("GET", path, { headers: { host } })).status;
    for (const host of [
      `evil.example:${port}`,
      `localhost.evil.example:${port}`,
      "127.0.0.1.nip.io",
      "evil.",
    ])
      expect([host, await statusFor(host)]).toEqual([host, host === "evil." ? 200 : 403]);
    for (const path of ["/v1/threats", "/console/sign-in", "/healthz", "/b/x"])
      expect(await statusFor(`evil.example:${port}`, path)).toBe(403);
    for (const host of [
      `127.0.0.1:${port}`,
      "localhost:1",
      "[::1]:32768",
      "172.17.0.2:8080",
      "phishwatch-sandbox:8080",
      "host.docker.internal:32768",
    ])
      expect([host, await statusFor(host)]).toEqual([host, 200]);
  });
});

describe("everything else", () => {
  test("is the production server: health, OpenAPI document, screenshots, console", async () => {
    expect((await call("GET", "/readyz")).json).toMatchObject({ status: "ready" });
    expect((await call("GET", "/openapi.json")).json.openapi).toBe("3.1.0");
    const { data } = (await api("GET", "/v1/threats?per_page=100")).json;
    const urls: string[] = data.map(({ screenshot_url: url }: { screenshot_url: string }) => url);
    const types = await Promise.all(
      urls.map(async (url) => {
        const image = await fetch(url);
        await image.bytes();
        return [url.startsWith(`${ready.url}/screenshots/`), image.status, image.headers.get("content-type")];
      }),
    );
    for (const type of ["image/webp", "image/svg+xml"]) expect(types).toContainEqual([true, 200, type]);
    expect((await fetch(`${ready.url}/console`)).status).toBe(200);
  });

  test("accepts a further protected domain before its clock has moved", async () => {
    const visitor = createVisitor(ready.url);
    await visitor.post("/console/sign-in", { password: ready.console_password });
    const added = await visitor.post("/console/domains/new", { domain: "my-own.example" });
    expect([added.status, added.location]).toEqual([303, expect.stringContaining("my-own.example")]);
  });

  test("rejects expired and revoked keys, and limits each key to its scopes", async () => {
    const { keys } = ready;
    const statusOf = async (method: string, path: string, key: string, body?: unknown) =>
      (await api(method, path, body, key)).status;
    const [{ id }] = (await api("GET", "/v1/threats?domain=samplix.org&per_page=1")).json.data;
    const of = async (key: string) => [
      await statusOf("GET", "/v1/threats", key),
      await statusOf("PATCH", `/v1/threats/${id}`, key, { status: "active" }),
      await statusOf("POST", "/v1/candidates", key, { domains: ["news.org"] }),
    ];
    expect(await of(keys.read)).toEqual([200, 403, 403]);
    expect(await of(keys.write)).toEqual([403, 200, 403]);
    expect(await of(keys.submit)).toEqual([403, 403, 200]);
    expect(await of(keys.read_write)).toEqual([200, 200, 403]);
    expect(await of(keys.read_submit)).toEqual([200, 403, 200]);
    expect(await of(keys.write_submit)).toEqual([403, 200, 200]);
    for (const key of [keys.free, keys.pro, keys.enterprise, keys.expiring])
      expect(await of(key)).toEqual([200, 200, 200]);
    expect(await of(keys.bound)).toEqual([200, 403, 200]);
    expect((await api("GET", "/v1/threats", undefined, keys.bound)).json.meta.total).toBe(62);
    expect(await of(keys.expired)).toEqual([401, 401, 401]);
    expect(await of(keys.revoked)).toEqual([401, 401, 401]);
  });
});
