import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { openSandbox } from "../support/sandbox.ts";

const sandbox = await openSandbox();
afterAll(sandbox.stop);
const { advance, api, call, control, inbox, ready } = sandbox;
beforeEach(() => control("POST", "/reset"));

const total = async () => (await api("GET", "/v1/threats")).json.meta.total as number;

describe("reset", () => {
  test("brings back data, clock, limits, webhooks, inboxes and faults as they were at the start", async () => {
    const before = (await api("GET", "/v1/threats?per_page=100")).json;
    await api("GET", "/v1/threats", undefined, ready.keys.free);
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { status: 500, times: 9 });
    await control("POST", "/threats", { count: 5 });
    await inbox("soc", "?wait=5s&count=5");
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

  test("what happens afterwards is the same each time, identifiers and secrets too", async () => {
    const live = async () => {
      const endpoint = (await control("POST", "/webhooks", { inbox: "soc" })).data;
      const made = (await control("POST", "/threats", { count: 2 })).data;
      const { data } = await inbox("soc", "?wait=5s&count=2");
      await control("POST", "/reset");
      const bodies = data.map(({ body }) => body).toSorted();
      return { secret: endpoint.secret, made, bodies };
    };
    expect(await live()).toEqual(await live());
  });

  test("is atomic: no request among many sees half of it", async () => {
    for (let round = 0; round < 3; round += 1) {
      await control("POST", "/threats", { count: 40 });
      const reading = Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          // One after another begins, before, while and after it happens.
          await Bun.sleep(index);
          return api("GET", "/v1/threats?per_page=1");
        }),
      );
      await Promise.all([control("POST", "/reset"), control("POST", "/reset"), control("POST", "/reset")]);
      for (const { status, json } of await reading) {
        expect(status).toBe(200);
        expect([137, 177]).toContain(json.meta.total);
      }
      expect(await total()).toBe(137);
    }
  });

  test("lets no delivery of before arrive after it", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/threats", { count: 200 });
    await control("POST", "/reset");
    await control("POST", "/webhooks", { inbox: "soc" });
    const { data } = await control("POST", "/threats", {});
    await inbox("soc", "?wait=5s");
    await advance("3h");
    const arrived = (await inbox("soc")).data;
    expect(arrived.map(({ event }) => event.data.threat.id)).toEqual([data[0].id]);
  });

  test("does not wait for receivers that hang", async () => {
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { silence: true, times: 100 });
    await control("POST", "/threats", { count: 3 });
    await inbox("soc", "?wait=5s&count=3");
    const begun = performance.now();
    await control("POST", "/reset");
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect((await inbox("soc")).data).toEqual([]);
  });
});

describe("snapshots", () => {
  test("bring back data, clock, webhooks and inboxes, also what is still to be retried", async () => {
    await advance("10m");
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { status: 500, times: 2 });
    await control("POST", "/threats", {});
    await inbox("soc", "?wait=5s");
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
    // Its second attempt fails as was asked for before the snapshot; the third one does not.
    await advance("10m");
    expect((await inbox("soc")).data.map(({ answered }) => answered)).toEqual([500, 500, 200]);
  });

  test("are kept through a reset, and one that is not there is told", async () => {
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
  test("says of paths, methods, bodies and parameters what is wrong, in the form of the API", async () => {
    const refusals: [string, string, unknown, number, string][] = [
      ["GET", "/sandbox/nothing", undefined, 404, "No route for this method and path"],
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
    for (const [method, path, body, status, message] of refusals) {
      const answer = await call(method, path, body === undefined ? {} : { body });
      expect([path, answer.status]).toEqual([path, status]);
      expect(Object.keys(answer.json)).toEqual(["error"]);
      expect(answer.json.error.message).toContain(message);
    }
  });

  test("is described by a document that has each operation and nothing else", async () => {
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

  test("is not for pages of other origins, nor are the console's forms; pictures and traps are", async () => {
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

  test("is not for a page whose name was made to lead here", async () => {
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

describe("the rest of the server", () => {
  test("is the real one: health, document, pictures, console", async () => {
    expect((await call("GET", "/readyz")).json).toMatchObject({ status: "ready" });
    expect((await call("GET", "/openapi.json")).json.openapi).toBe("3.1.0");
    const [threat] = (await api("GET", "/v1/threats?per_page=1")).json.data;
    expect(threat.screenshot_url).toStartWith(`${ready.url}/screenshots/`);
    const picture = await fetch(threat.screenshot_url);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect((await fetch(`${ready.url}/console`)).status).toBe(200);
  });

  test("refuses the keys that are no good, and each scope what it is not for", async () => {
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
