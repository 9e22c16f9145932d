import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { openSandbox } from "../support/sandbox.ts";

const sandbox = await openSandbox();
afterAll(sandbox.stop);
const { advance, api, call, control, inbox, ready } = sandbox;
beforeEach(async () => {
  await control("POST", "/reset");
  await control("POST", "/webhooks", { inbox: "soc" });
});

const types = (messages: { type: string }[]) => messages.map(({ type }) => type);

describe("threats", () => {
  test("get the type and similarity that detection computes, and send threat.created", async () => {
    const { data } = await control("POST", "/threats", { domain: "Example-Bank-Portal.com" });
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^thr_/),
        domain: "example-bank-portal.com",
        protected_domain: "example-bank.com",
        type: "combosquatting",
        severity: "medium",
        status: "active",
        similarity: 0.96,
        outcome: "created",
      },
    ]);
    const { data: arrived } = await inbox("soc", "?wait=20s&type=threat.created");
    expect(arrived).toHaveLength(1);
    const { id, domain, type, severity, similarity } = data[0];
    expect(arrived[0]!.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: "threat.created",
      created_at: ready.time,
      data: { threat: { id, domain, type, severity, similarity } },
    });
    expect((await api("GET", `/v1/threats/${id}`)).json.data.domain).toBe("example-bank-portal.com");
  });

  test("are found by an inspection of a page whose name resembles nothing", async () => {
    const page = { host: "cheap-shoes.example", protected_domain: "example-shop.com" };
    expect((await control("POST", "/pages", page)).data).toEqual({ ...page, imitates: true });
    const domains = ["https://cheap-shoes.example/login", "weather.example"];
    const { json } = await api("POST", "/v1/candidates", { domains, inspect: true });
    expect(json).toMatchObject({ data: [], meta: { inspections: { queued: 2, known: 0, refused: 0 } } });
    const { data: arrived } = await inbox("soc", "?wait=20s&type=threat.created");
    expect(arrived).toMatchObject([
      {
        event: { data: { threat: { domain: "cheap-shoes.example", type: "cloned_site", severity: "high" } } },
      },
    ]);
  });

  test("can be created in any number with given values", async () => {
    const { data } = await control("POST", "/threats", {
      count: 3,
      protected_domain: "samplix.org",
      type: "soundsquatting",
      similarity: 0.9,
      source: "feed",
      first_seen: "2026-01-01T00:00:00Z",
    });
    expect(data).toHaveLength(3);
    expect(new Set(data.map(({ domain }: { domain: string }) => domain)).size).toBe(3);
    const { json } = await api("GET", `/v1/threats?domain=samplix.org&per_page=100`);
    const shown = json.data.find(({ id }: { id: string }) => id === data[0].id);
    expect(shown).toMatchObject({
      type: "soundsquatting",
      similarity: 0.9,
      severity: "medium",
      source: "feed",
      first_seen: "2026-01-01T00:00:00.000Z",
    });
  });

  test("with generated names have the match that detection computes", async () => {
    const { data } = await control("POST", "/threats", { protected_domain: "example-shop.com" });
    const { json } = await api("POST", "/v1/candidates", { domains: [data[0].domain] });
    const said = (await control("POST", "/threats", { domain: "example-shop-login2.com" })).data[0];
    expect(json.data[0].matches).toMatchObject([{ threat_id: data[0].id, outcome: "known" }]);
    expect([said.type, said.similarity]).toEqual([data[0].type, data[0].similarity]);
  });

  test("that are known can be seen again, which reactivates a resolved one", async () => {
    const [{ id, domain }] = (await api("GET", "/v1/threats?status=resolved&per_page=1")).json.data;
    const { data } = await control("POST", "/threats", { domain });
    expect(data[0]).toMatchObject({ id, outcome: "known", status: "active" });
    expect(types((await inbox("soc", "?wait=20s")).data)).toEqual(["threat.updated"]);
  });

  test.each([
    [{ domain: "unlike.org" }, "enough to be a threat"],
    [{ domain: "not a name" }, "is not a domain name"],
    [{ count: 0 }, '"count" is not an allowed value; send a whole number from 1 to 1000.'],
    [{ count: "3" }, '"count"'],
    [{ domain: "a.com", count: 2 }, "not both"],
    [{ type: "phishing" }, "allowed: typosquatting"],
    [{ similarity: 2 }, '"similarity"'],
    [{ protected_domain: "other.com" }, "is not a protected domain; there are example-bank.com"],
    [{ domian: "x" }, 'There is no field "domian"'],
  ])("%j is rejected with a message that states what to change", async (body, message) => {
    const { status, json } = await call("POST", "/sandbox/threats", { body });
    expect(status).toBe("protected_domain" in body ? 404 : 400);
    expect(json.error.message).toContain(message);
    expect((await api("GET", "/v1/threats")).json.meta.total).toBe(137);
  });

  test("send events in order when the API changes them", async () => {
    const [{ id }] = (await api("GET", "/v1/threats?status=active&per_page=1")).json.data;
    await api("PATCH", `/v1/threats/${id}`, { status: "resolved" });
    const { data, meta } = await inbox("soc", "?wait=20s&count=2");
    expect(types(data)).toEqual(["threat.updated", "threat.resolved"]);
    expect(meta).toEqual({ total: 2, complete: true });
  });
});

describe("scans", () => {
  test("run to the end and find the requested number of look-alikes", async () => {
    const { data } = await control("POST", "/scans", { finds: 2, protected_domains: ["samplix.org"] });
    expect(data).toMatchObject({ status: "completed", trigger: "cli", threats_created: 2 });
    const { data: arrived } = await inbox("soc", "?wait=20s&count=4");
    expect(types(arrived).toSorted()).toEqual([
      "scan.completed",
      "scan.started",
      "threat.created",
      "threat.created",
    ]);
    expect(arrived.find(({ type }) => type === "scan.completed")!.event.data.scan).toEqual(data);
    expect((await api("GET", "/v1/threats")).json.meta.total).toBe(139);
  });

  test("fail if requested", async () => {
    const { data } = await control("POST", "/scans", { fails: true });
    expect(data).toMatchObject({ status: "failed", threats_created: 0 });
    expect(data.error).toContain("no resolver responds");
    const { data: arrived } = await inbox("soc", "?wait=20s&count=2");
    expect(types(arrived)).toEqual(["scan.started", "scan.completed"]);
  });
});

describe("traps", () => {
  test("a beacon on a copied page sends beacon.triggered and creates a threat", async () => {
    const { data } = await control("POST", "/beacon-hits", { hostname: "stolen-page.example" });
    expect(data).toMatchObject({ name: "example-bank.com", class: "foreign" });
    const { data: arrived } = await inbox("soc", "?wait=20s&count=2");
    expect(types(arrived).toSorted()).toEqual(["beacon.triggered", "threat.created"]);
    const event = arrived.find(({ type }) => type === "beacon.triggered")!.event;
    expect(event.id).toBe(data.event_id);
    expect(event.data).toEqual({
      beacon: { id: data.id, name: "example-bank.com", protected_domain: "example-bank.com" },
      hit: {
        hostname: "stolen-page.example",
        url: "https://stolen-page.example/",
        referrer: null,
        ip_address: expect.stringMatching(/^2001:db8:/),
        user_agent: expect.stringContaining("Firefox"),
        at: ready.time,
      },
      threat: { id: data.threat_id },
    });
    expect((await api("GET", `/v1/threats/${data.threat_id}`)).json.data).toMatchObject({
      domain: "stolen-page.example",
      type: "cloned_site",
      source: "beacon",
    });
  });

  test("a visit to the protected site and a repeated visit within the hour send nothing", async () => {
    expect(
      (await control("POST", "/beacon-hits", { hostname: "www.example-bank.com" })).data.event_id,
    ).toBeNull();
    const again = { hostname: "copy.example", ip_address: "198.51.100.7" };
    const first = (await control("POST", "/beacon-hits", again)).data;
    expect(first.event_id).toMatch(/^evt_/);
    expect((await control("POST", "/beacon-hits", again)).data.event_id).toBeNull();
    await advance("61m");
    expect((await control("POST", "/beacon-hits", again)).data.event_id).toMatch(/^evt_/);
  });

  test("a honeytoken sends token.accessed with the visitor", async () => {
    const { data } = await control("POST", "/token-accesses", {
      token: "payroll",
      ip_address: "198.51.100.9",
      user_agent: "curl/8.1",
      referrer: "https://chat.example/",
    });
    const { data: arrived } = await inbox("soc", "?wait=20s");
    expect(arrived[0]!.event).toMatchObject({
      id: data.event_id,
      type: "token.accessed",
      data: {
        token: { id: data.id, name: "payroll", kind: "url" },
        access: {
          ip_address: "198.51.100.9",
          user_agent: "curl/8.1",
          referrer: "https://chat.example/",
          at: ready.time,
        },
      },
    });
  });

  test("a honeytoken can also be visited with a real HTTP request", async () => {
    const { url } = (await control("POST", "/token-accesses", { token: "payroll" })).data;
    await inbox("soc", "?wait=20s");
    expect((await fetch(url, { headers: { "user-agent": "visitor/1.0" } })).status).toBe(404);
    const { data } = await inbox("soc", "?wait=20s&count=2");
    expect(data[1]!.event.data.access).toMatchObject({ ip_address: "127.0.0.1", user_agent: "visitor/1.0" });
  });

  test("values that are not valid in a header or as an address are rejected", async () => {
    for (const body of [{ ip_address: "localhost" }, { user_agent: "a\nb" }, { kind: "letter" }])
      expect((await call("POST", "/sandbox/token-accesses", { body })).status).toBe(400);
  });
});
