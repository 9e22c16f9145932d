import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { system } from "../../src/access/audit/actor.ts";
import type { Match } from "../../src/detection/types.ts";
import { createHitStore, rowsPerTrapMax, type NewHit } from "../../src/traps/hits.ts";
import { trapHits } from "../../src/traps/tables.ts";
import type { TrapSettings } from "../../src/traps/traps.ts";
import type { HitClass } from "../../src/vocabulary/traps.ts";
import { openStores, type Stores } from "../support/stores.ts";
import { openTraps } from "../support/traps.ts";

let stores: Stores;
let traps: ReturnType<typeof openTraps>;
beforeEach(() => {
  stores = openStores();
  traps = openTraps(stores);
});
afterEach(async () => {
  await traps.stop();
  stores.dispose();
});

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";

/** Traps that start anew over the same database, as after the end of a process. */
async function restart(settings: Partial<TrapSettings> = {}): Promise<void> {
  await traps.stop();
  traps = openTraps(stores, settings);
}

function ask(
  path: string,
  { from = "192.0.2.7", method = "GET", headers = {} as Record<string, string> } = {},
): Response {
  const request = new Request(`http://traps.test${path}`, {
    method,
    headers: { "user-agent": firefox, ...headers },
  });
  return traps.front.answer(request, from);
}

/** Waits until what came in is written. */
async function written(): Promise<void> {
  await restart();
}

/** As the script asks. */
function show(
  address: string,
  url: string,
  { referrer = "", headers = {}, ...options }: Parameters<typeof ask>[1] & { referrer?: string } = {},
): Response {
  const query = new URLSearchParams({ u: url, r: referrer });
  const origin: Record<string, string> = /^https?:/.test(url) ? { referer: url } : {};
  return ask(`/b/${address}?${query}`, { ...options, headers: { ...origin, ...headers } });
}

const eventsOf = (type: string) => stores.events().filter((event) => event.type === type);
const beacon = (more: { allow?: string[] } = {}) =>
  traps.beacons.create({ protectedDomain: "example-bank.com", ...more }, system);

describe("a page with a beacon that is shown on a foreign host", () => {
  test("raises a threat of high severity with its evidence, and both events name it", async () => {
    const { id, address } = beacon();
    const url = "https://evil.top/login?step=2";
    show(address, url, { referrer: "https://mail.evil.top/", from: "192.0.2.7" });
    await written();
    const [threat] = stores.threats.list({}, { page: 1, perPage: 9 }).threats;
    expect(threat).toMatchObject({
      domain: "evil.top",
      protectedDomain: "example-bank.com",
      type: "cloned_site",
      status: "active",
      severity: "high",
      similarity: 0,
      source: "beacon",
    });
    expect(stores.threats.get(threat!.id)!.reasons).toEqual([
      { code: "beacon_reported", params: { beacon: "example-bank.com" } },
    ]);
    expect(stores.events().map(({ type }) => type)).toEqual(["threat.created", "beacon.triggered"]);
    expect(eventsOf("beacon.triggered")[0]!.data).toEqual({
      beacon: { id, name: "example-bank.com", protected_domain: "example-bank.com" },
      hit: {
        hostname: "evil.top",
        url,
        referrer: "https://mail.evil.top/",
        ip_address: "192.0.2.7",
        user_agent: firefox,
        at: "2026-01-15T12:00:00.000Z",
      },
      threat: { id: threat!.id },
    });
    expect(traps.hits.list(id, { limit: 9 })).toMatchObject([{ class: "foreign", count: 1, url }]);
  });

  test("finds the threat that its name raised before, and lifts its severity", async () => {
    const match: Match = {
      protectedDomain: "example-bank.com",
      type: "combosquatting",
      similarity: 0.8,
      reasons: [],
    };
    const seenAt = stores.clock.now();
    const seen = { domain: "example-bank-login.top", match, source: "feed" as const, seenAt };
    const [{ threatId } = { threatId: "" }] = stores.threats.record([seen]);
    expect(stores.threats.get(threatId)!.severity).toBe("low");
    show(beacon().address, "https://example-bank-login.top/");
    await written();
    expect(stores.threats.get(threatId)).toMatchObject({ type: "combosquatting", severity: "high" });
    expect(eventsOf("threat.created")).toHaveLength(1);
    expect(eventsOf("beacon.triggered")[0]!.data["threat"]).toEqual({ id: threatId });
  });

  test("stays high for a week whatever a look from here finds, and is judged by that afterwards", async () => {
    show(beacon().address, "https://evil.top/");
    await written();
    const { id } = stores.threats.list({}, { page: 1, perPage: 1 }).threats[0]!;
    const gone = { ipAddress: null, registrar: null, whois: {}, evidence: { exists: "no" as const } };
    expect(stores.threats.updateFacts(id, gone, [])!.severity).toBe("high");
    stores.clock.advance(8 * 86_400_000);
    expect(stores.threats.updateFacts(id, gone, [])!.severity).toBe("low");
  });

  test("is an alarm but no threat where the host is a bare address", async () => {
    show(beacon().address, "http://8.8.8.8/login");
    await written();
    expect(stores.events().map(({ type, data }) => [type, data["threat"]])).toEqual([
      ["beacon.triggered", null],
    ]);
  });

  test("is told once an hour for each host, network and browser; a new process keeps count", async () => {
    const { id, address } = beacon();
    const visit = (host: string, from: string, agent = firefox) =>
      show(address, `https://${host}/`, { from, headers: { "user-agent": agent } });
    visit("evil.top", "192.0.2.7");
    await restart();
    visit("evil.top", "192.0.2.200");
    visit("evil.top", "192.0.2.201");
    await restart();
    expect(eventsOf("beacon.triggered")).toHaveLength(1);
    visit("evil.top", "198.51.100.1");
    visit("evil.top", "192.0.2.7", "other");
    visit("login.evil.top", "192.0.2.7");
    visit("evil.top", "2001:db8:1:2::1");
    visit("evil.top", "2001:db8:1:3::1");
    visit("evil.top", "2001:db8:2::1");
    await restart();
    expect(eventsOf("beacon.triggered")).toHaveLength(6);
    expect(eventsOf("threat.created")).toHaveLength(2);
    stores.clock.advance(3_600_001);
    visit("evil.top", "192.0.2.7");
    await restart();
    expect(eventsOf("beacon.triggered")).toHaveLength(7);
    const counts = traps.hits.list(id, { limit: 20 }).map(({ count }) => count);
    expect(counts.toSorted()).toEqual([1, 1, 1, 1, 1, 2, 3]);
    expect(traps.hits.counts(id)).toMatchObject([{ class: "foreign", total: 10 }]);
  });

  test("raises only so many threats an hour, for anybody can forge reports", async () => {
    await restart({ hostsPerHour: 3 });
    const { id, address } = beacon();
    for (let host = 0; host < 10; host += 1) show(address, `https://forged-${host}.top/`);
    await written();
    expect(eventsOf("threat.created")).toHaveLength(3);
    expect(eventsOf("beacon.triggered")).toHaveLength(3);
    expect(traps.hits.list(id, { limit: 20 })).toHaveLength(10);
    // Another victim of a host that is known is told all the same.
    await restart({ hostsPerHour: 3 });
    show(address, "https://forged-0.top/", { from: "198.51.100.1" });
    await written();
    expect(eventsOf("beacon.triggered")).toHaveLength(4);
  });
});

describe("a page with a beacon that is shown elsewhere", () => {
  test.each([
    ["https://www.example-bank.com/", "own", 0],
    ["https://cdn.partner.test.example.net/", "own", 0],
    // Another protected domain.
    ["https://www.example-shop.com/", "own", 0],
    ["https://www-example--bank-com.translate.goog/", "translation_proxy", 1],
    ["https://web.archive.org/web/2026/https://example-bank.com/", "web_archive", 1],
    ["https://webcache.googleusercontent.com/search?q=x", "search_cache", 1],
    ["file:///home/me/saved.html", "local_file", 1],
    ["data:text/html,x", "no_host", 1],
    ["http://localhost:3000/", "local_network", 1],
  ] as [string, HitClass, number][])("%s is %s, without an event", async (url, hitClass, rows) => {
    const { id, address } = beacon({ allow: ["partner.test.example.net"] });
    show(address, url);
    await written();
    expect(stores.events()).toEqual([]);
    expect(traps.hits.counts(id)).toMatchObject([{ class: hitClass, total: 1 }]);
    expect(traps.hits.list(id, { limit: 9 })).toHaveLength(rows);
  });

  test("sends an event for a class that the settings name, without a threat", async () => {
    await restart({ alarmClasses: ["local_file"] });
    show(beacon().address, "file:///home/me/saved.html");
    await written();
    expect(stores.events()).toMatchObject([
      {
        type: "beacon.triggered",
        data: { hit: { hostname: "", url: "file:///home/me/saved.html" }, threat: null },
      },
    ]);
  });

  test("a style sheet that does not say from where is counted apart; one that says so alarms", async () => {
    const { id, address } = beacon();
    ask(`/b/${address}.gif`);
    ask(`/b/${address}.gif`, { headers: { referer: "https://evil.top/" } });
    await written();
    expect(
      traps.hits
        .counts(id)
        .map((row) => row.class)
        .toSorted(),
    ).toEqual(["foreign", "unknown"]);
    expect(eventsOf("beacon.triggered")).toMatchObject([{ data: { hit: { url: "https://evil.top/" } } }]);
  });

  test("the answer is the same for good and bad hosts", async () => {
    const { address } = beacon();
    const answers = await Promise.all(
      [
        show(address, "https://www.example-bank.com/"),
        show(address, "https://evil.top/"),
        show(address, "null"),
        ask(`/b/${address}`),
      ].map(async (answer) => [answer.status, [...answer.headers], await answer.text()]),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]!);
    expect(answers[0]![0]).toBe(200);
  });
});

describe("addresses", () => {
  test("everything that is not a live trap answers the same 404", async () => {
    const { id, address } = beacon();
    const token = traps.tokens.create({ kind: "pixel" }, system);
    const expired = traps.tokens.create({ kind: "pixel", expiresAt: stores.clock.now() + 1_000 }, system);
    const plain = traps.tokens.create({ kind: "url" }, system);
    traps.beacons.setEnabled(id, false, system);
    traps.tokens.setEnabled(token.id, false, system);
    stores.clock.advance(1_000);
    const unknown = "abcdefghijklmnopqrstuvwxyz";
    const paths = [
      "/b",
      "/t",
      "/b/",
      "/t/",
      "/b/x",
      "/t/x",
      `/b/${unknown}`,
      `/t/${unknown}`,
      `/b/${address}`,
    ];
    const more = [
      `/t/${token.address}`,
      `/t/${expired.address}`,
      `/b/${token.address}`,
      `/t/${address}`,
      "/t/%zz",
    ];
    const live = `/t/${plain.address}`;
    const answers = await Promise.all(
      [...paths, ...more, live]
        .flatMap((path) => [ask(path), ask(path, { method: "POST" })])
        .map(async (answer) => [answer.status, [...answer.headers], await answer.text()]),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]!);
    expect(answers[0]![0]).toBe(404);
    await written();
    // Only the bait that pretends not to be there has noticed anything.
    expect(stores.database.query.select().from(trapHits).all()).toMatchObject([
      { trapId: plain.id, count: 2 },
    ]);
  });

  test("have 128 random bits", () => {
    const addresses = Array.from({ length: 200 }, () => traps.tokens.create({ kind: "url" }, system).address);
    expect(new Set(addresses).size).toBe(200);
    for (const address of addresses) expect(address).toMatch(/^[a-z2-7]{26}$/);
    for (let place = 0; place < 25; place += 1)
      expect(new Set(addresses.map((address) => address[place])).size).toBeGreaterThan(16);
  });
});

describe("a honeytoken", () => {
  const take = (address: string, options: Parameters<typeof ask>[1] = {}) =>
    ask(`/t/${address}/salaries.xlsx?year=2026`, options);

  test("tells of its access, with the headers but no secret of the visitor", async () => {
    const { id, name, address } = traps.tokens.create(
      { kind: "url", name: "wiki", memo: "in the wiki" },
      system,
    );
    const headers = {
      referer: "https://wiki.example-bank.com/",
      "accept-language": "de",
      cookie: "session=hunter2",
      authorization: "Bearer hunter2",
      "x-api-key": "hunter2",
      "x-long": "a".repeat(10_000),
    };
    take(address, { headers });
    await written();
    expect(stores.events()).toMatchObject([{ type: "token.accessed" }]);
    expect(eventsOf("token.accessed")[0]!.data).toEqual({
      token: { id, name, kind: "url" },
      access: {
        ip_address: "192.0.2.7",
        user_agent: firefox,
        referrer: "https://wiki.example-bank.com/",
        at: "2026-01-15T12:00:00.000Z",
      },
    });
    const [hit] = traps.hits.list(id, { limit: 9 });
    expect(hit).toMatchObject({ method: "GET", url: `/t/${address}/salaries.xlsx?year=2026` });
    expect(hit!.headers).toContainEqual(["accept-language", "de"]);
    expect(JSON.stringify(hit)).not.toContain("hunter2");
    expect(JSON.stringify(hit!.headers).length).toBeLessThan(6_000);
  });

  test("answers as was chosen", async () => {
    const page = { kind: "page", title: "Sign <in>", text: "One\n\nTwo & three" } as const;
    const url = traps.tokens.create({ kind: "url", answer: page }, system);
    expect(await take(url.address).text()).toContain(
      "<h1>Sign &lt;in&gt;</h1>\n<p>One</p>\n<p>Two &amp; three</p>",
    );
    const away = traps.tokens.create(
      {
        kind: "url",
        answer: { kind: "redirect", url: "https://example-bank.com/" },
      },
      system,
    );
    const answer = take(away.address);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://example-bank.com/"]);
    const pixel = ask(`/t/${traps.tokens.create({ kind: "pixel" }, system).address}.gif`);
    expect(pixel.headers.get("cache-control")).toBe("no-store");
    const { width, height } = await new Bun.Image(await pixel.bytes()).metadata();
    expect([width, height]).toEqual([1, 1]);
    for (const bad of ["javascript:alert(1)", "/relative", "https://a b/"])
      expect(() =>
        traps.tokens.create({ kind: "url", answer: { kind: "redirect", url: bad } }, system),
      ).toThrow("redirect to");
    expect(() => traps.tokens.create({ kind: "pixel", answer: page }, system)).toThrow("kind url");
  });

  test.each([
    ["Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "link_preview"],
    ["facebookexternalhit/1.1", "link_preview"],
    ["Mozilla/5.0 (compatible; BarracudaCentral/1.0)", "mail_scanner"],
  ] as [string, HitClass][])("%s is %s: counted, without an event", async (agent, hitClass) => {
    const { id, address } = traps.tokens.create({ kind: "url" }, system);
    take(address, { headers: { "user-agent": agent } });
    await written();
    expect(stores.events()).toEqual([]);
    expect(traps.hits.list(id, { limit: 9 })).toMatchObject([{ class: hitClass, userAgent: agent }]);
  });

  test("has another address once it is rotated; the old one is watched as long as one likes", async () => {
    const { id, address: first } = traps.tokens.create({ kind: "pixel" }, system);
    const { address: second, oldAddresses } = traps.tokens.rotate(id, { watchOld: true }, system);
    expect(second).not.toBe(first);
    expect(oldAddresses).toEqual([first]);
    expect([take(first).status, take(second).status]).toEqual([200, 200]);
    const { address: third } = traps.tokens.rotate(id, { watchOld: false }, system);
    expect([take(first).status, take(second).status, take(third).status]).toEqual([404, 404, 200]);
    await written();
    expect(traps.hits.counts(id)).toMatchObject([{ total: 3 }]);
  });

  test("is removed with its visits", async () => {
    const { id, address } = traps.tokens.create({ kind: "pixel" }, system);
    take(address);
    await written();
    traps.tokens.remove(id, system);
    expect(take(address).status).toBe(404);
    expect(stores.database.query.select().from(trapHits).all()).toEqual([]);
    expect(() => traps.tokens.get(id)).toThrow("no honeytoken");
  });
});

describe("many visits", () => {
  test("of one network are recorded up to the limit of a minute, and answered beyond it", async () => {
    await restart({ hitsPerMinute: 5 });
    const { id, address } = traps.tokens.create({ kind: "pixel" }, system);
    const statuses = Array.from({ length: 20 }, () => ask(`/t/${address}.gif`).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    ask(`/t/${address}.gif`, { from: "198.51.100.1" });
    expect(traps.totals().limited).toBe(15);
    await written();
    expect(traps.hits.counts(id)).toMatchObject([{ total: 6 }]);
  });

  test("that cannot be held are counted as dropped and never block", async () => {
    await restart({ hitsPerMinute: 1_000_000 });
    const { id, address } = traps.tokens.create({ kind: "pixel" }, system);
    for (let visit = 0; visit < 20_100; visit += 1) ask(`/t/${address}.gif`);
    expect(traps.totals()).toEqual({ recorded: 0, limited: 0, dropped: 100 });
    await written();
    expect(traps.hits.counts(id)).toMatchObject([{ total: 20_000 }]);
  });

  test("send so many events an hour at most, and are recorded beyond that", async () => {
    await restart({ eventsPerHour: 3 });
    const { id, address } = traps.tokens.create({ kind: "pixel" }, system);
    for (let visitor = 0; visitor < 5; visitor += 1) ask(`/t/${address}.gif`, { from: `10.1.${visitor}.1` });
    await traps.stop();
    expect([eventsOf("token.accessed").length, traps.hits.rows(id)]).toEqual([3, 5]);
    stores.clock.advance(3_600_000);
    ask(`/t/${address}.gif`, { from: "10.2.1.1" });
    expect(eventsOf("token.accessed")).toHaveLength(4);
  });

  test("that come while the appliance stops are written still", async () => {
    const { id, address } = traps.tokens.create({ kind: "pixel" }, system);
    await traps.stop();
    ask(`/t/${address}.gif`);
    expect(traps.hits.rows(id)).toBe(1);
  });

  test("of one trap are kept up to ten thousand rows, the newest", () => {
    const store = createHitStore(stores.database);
    const nothing = { host: null, referrer: null, claimedUrl: null, ipAddress: null, userAgent: null };
    const told = { eventId: null, threatId: null };
    const row: Omit<NewHit, "visitor" | "firstAt" | "lastAt"> = {
      trapId: "tok_1",
      class: "visit",
      url: "/",
      headers: [],
      method: "GET",
      count: 1,
      ...nothing,
      ...told,
    };
    stores.database.transaction(() => {
      for (let visit = 0; visit < rowsPerTrapMax + 10; visit += 1)
        store.insert({ ...row, visitor: `${visit}`, firstAt: visit, lastAt: visit });
      store.trim("tok_1");
    });
    expect(store.rows("tok_1")).toBe(rowsPerTrapMax);
    expect(store.list("tok_1", { limit: 1 })[0]!.visitor).toBe(`${rowsPerTrapMax + 9}`);
  });

  test("are forgotten after retention.hits", async () => {
    const { id, address } = traps.tokens.create({ kind: "pixel" }, system);
    ask(`/t/${address}.gif`);
    await restart({ hitsKeptMs: 86_400_000 });
    traps.start();
    expect(traps.hits.list(id, { limit: 9 })).toHaveLength(1);
    stores.clock.jump(2 * 86_400_000);
    expect(traps.hits.list(id, { limit: 9 })).toEqual([]);
    expect(traps.hits.counts(id)).toMatchObject([{ total: 1 }]);
  });
});

describe("beacons", () => {
  test("belong to a protected domain, and their script is small and names no name", () => {
    expect(() => traps.beacons.create({ protectedDomain: "other.com" }, system)).toThrow(
      "not a protected domain",
    );
    const made = beacon({ allow: ["Bücher.example", "partner.test"] });
    expect(made.own).toEqual(["example-bank.com", "xn--bcher-kva.example", "partner.test"]);
    expect(beacon().name).toBe("example-bank.com 2");
    const { script, style } = traps.beacons.snippets(made, "https://traps.test");
    expect(script.length).toBeLessThan(1_024);
    for (const name of [...made.own, "example-bank"]) expect(script + style).not.toContain(name);
    const many = beacon({ allow: Array.from({ length: 40 }, (_, index) => `partner-${index}.example`) });
    expect(traps.beacons.snippets(many, `https://${"a".repeat(60)}.test`).script.length).toBeLessThan(1_024);
  });
});
