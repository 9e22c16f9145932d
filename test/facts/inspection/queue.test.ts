import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  createInspections,
  type Inspection,
  type Inspections,
  type RequestOptions,
} from "../../../src/facts/inspection/inspections.ts";
import type { InspectionResult } from "../../../src/facts/inspection/model/inspector.ts";
import { createCleanup } from "../../../src/facts/inspection/queue/list.ts";
import { createInspectionStore } from "../../../src/facts/inspection/queue/store.ts";
import type { InspectedThreat } from "../../../src/facts/inspection/queue/record-result.ts";
import type { Existence } from "../../../src/facts/lookups/dns/existence.ts";
import type { Page } from "../../../src/facts/lookups/page/page-lookup.ts";
import { analyst, openStores } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
const feed: RequestOptions = { priority: "feed", source: "feed", origin: { kind: "feed", name: "bad-urls" } };
const person: RequestOptions = {
  priority: "person",
  source: "submission",
  origin: { kind: "console", name: "ada" },
  requestedBy: analyst,
};
const page: Page = {
  firstUrl: "https://evil.example/",
  finalUrl: "https://evil.example/",
  redirects: [],
  status: 200,
  title: "Sign in",
  asksForPassword: true,
  asksForCard: false,
  namesBrand: true,
  redirectsToProtected: false,
};
const signals = [{ code: "title", strength: 0.9, points: 2.5, params: { title: "Sign in" } }];
const here: Existence = {
  exists: "yes",
  addresses: ["192.0.2.7"],
  mailServers: [],
  nameServers: [],
  wildcard: false,
};

let stores: ReturnType<typeof openStores>;
let inspections: Inspections;
let config: Parameters<typeof createInspections>[0]["config"];
let inspected: string[];
let urgent: string[];
let saved: InspectedThreat[];
let respond: (address: string, signal: AbortSignal) => Promise<InspectionResult> | InspectionResult;
let existenceOf: (name: string) => Existence;

beforeEach(() => {
  stores = openStores();
  config = {
    inspection: { perMinute: 6_000, perDay: 100_000, browser: "never" },
    lookups: { enabled: true },
    retention: {
      eventsMs: hourMs,
      deliveriesMs: hourMs,
      hitsMs: hourMs,
      inspectionsMs: 24 * hourMs,
      falsePositivesMs: null,
      resolvedMs: null,
      screenshotsMs: null,
      auditMs: null,
    },
  };
  inspected = [];
  urgent = [];
  saved = [];
  respond = () => resultWith(0.01);
  existenceOf = () => here;
  inspections = open();
});
afterEach(async () => {
  await inspections.stop();
  stores.dispose();
});

function open(): Inspections {
  return createInspections({
    ...stores,
    config,
    inspector: {
      inspect: async ({ address, isUrgent = false, onBrowser }, signal) => {
        inspected.push(address);
        if (address.includes("picture")) onBrowser?.();
        if (isUrgent) urgent.push(address);
        const result = await respond(address, signal);
        const finalUrl = address.includes("://") ? address : `https://${address}/`;
        return result.ok && result.page === page ? { ...result, page: { ...page, finalUrl } } : result;
      },
    },
    lookUpExistence: async (name) => existenceOf(name),
    onConfigChange: () => {},
    saveFacts: async (found) => void saved.push(...found),
  });
}

function resultWith(score: number, protectedDomain = "example-bank.com"): InspectionResult {
  const verdict = { protectedDomain, score, imitates: score > 0.5, original: null, signals };
  return {
    ok: true,
    page,
    fingerprint: {} as Extract<InspectionResult, { ok: true }>["fingerprint"],
    verdicts: [verdict],
  };
}

/** Lets the queue work until `condition` holds. */
async function work(condition: () => boolean): Promise<void> {
  await until(() => {
    stores.clock.advance(1_000);
    return condition();
  }, "the queue to work");
}

const only = (): Inspection => inspections.list({}, { page: 1, perPage: 9 }).inspections[0]!;

test("a page that imitates a brand becomes a threat of its own, with its event in the same transaction", async () => {
  inspections.start();
  respond = () => resultWith(0.97);
  await inspections.request(["https://evil.example/login"], feed);
  await work(() => only().state === "done");
  const [threat] = stores.threats.list({}, { page: 1, perPage: 9 }).threats;
  expect(threat).toMatchObject({
    domain: "evil.example",
    type: "cloned_site",
    similarity: 0.97,
    source: "feed",
  });
  expect(stores.threats.origins(threat!.id).urls).toMatchObject([{ url: "https://evil.example/login" }]);
  expect(stores.events()).toMatchObject([{ type: "threat.created" }]);
  expect(only()).toMatchObject({
    state: "done",
    imitates: true,
    protectedDomain: "example-bank.com",
    score: 0.97,
    threatId: threat!.id,
    page: { title: "Sign in", status: 200 },
  });
  expect(saved).toMatchObject([
    { threatId: threat!.id, existence: here, page: { imitation: { score: 0.97, imitates: true } } },
  ]);
  expect(inspections.status().totals).toMatchObject({ started: 1, imitation: 1, harmless: 0 });
});

test("a page behind an open redirect is a threat of the host that shows it, and a framed one of the host around it", async () => {
  inspections.start();
  const there = { ...here, addresses: ["192.0.2.99"] };
  existenceOf = (name) => (name === "evil.example" ? there : here);
  const redirects = ["https://evil.example/kit/"];
  respond = (address) => {
    const result = resultWith(0.97) as Extract<InspectionResult, { ok: true }>;
    const finalUrl = redirects[0]!;
    const framed = address.includes("frame") ? { framedBy: address } : {};
    return { ...result, page: { ...page, firstUrl: address, finalUrl, redirects, ...framed } };
  };
  const first = "https://travel.example/out?to=evil.example";
  await inspections.request([first, "https://example-bank-frame.example/"], feed);
  await work(() => inspections.status().totals.imitation === 2);
  const list = stores.threats.list({}, { page: 1, perPage: 9 }).threats;
  expect(list.map(({ domain }) => domain).sort()).toEqual(["evil.example", "example-bank-frame.example"]);
  const kit = list.find(({ domain }) => domain === "evil.example")!;
  expect(stores.threats.origins(kit.id).urls).toMatchObject([{ url: "https://evil.example/kit/" }]);
  const facts = saved.filter(({ threatId }) => threatId === kit.id);
  expect(facts).toMatchObject([{ existence: there, page: { firstUrl: first, redirects } }]);
  expect(inspections.of("travel.example")[0]).toMatchObject({
    address: first,
    threatId: kit.id,
    page: { redirects },
  });
});

test("a harmless page becomes no threat, but is news for a threat that is on record by its name", async () => {
  const match = {
    protectedDomain: "example-bank.com",
    type: "homograph" as const,
    similarity: 0.97,
    reasons: [],
  };
  const [known] = stores.threats.record([
    { domain: "examp1e-bank.com", match, source: "feed", seenAt: stores.clock.now() },
  ]);
  inspections.start();
  await inspections.request(["examp1e-bank.com", "weather.example"], person);
  await work(() => inspections.status().totals.harmless === 2);
  expect(stores.threats.list({}, { page: 1, perPage: 9 }).total).toBe(1);
  expect(saved).toMatchObject([
    { threatId: known!.threatId, page: { imitation: { imitates: false, score: 0.01 } } },
  ]);
  expect(stores.auditLog.list({}, { limit: 1, offset: 0 })).toMatchObject([
    { action: "inspection.request", detail: { count: 2 } },
  ]);
});

test("an error page and an empty page say why nothing was compared", async () => {
  inspections.start();
  const found = resultWith(0.01) as Extract<InspectionResult, { ok: true }>;
  const empty = { words: [], forms: [], pictures: [] } as unknown as typeof found.fingerprint;
  respond = (address) => ({
    ...found,
    fingerprint: empty,
    page: { ...page, title: "", status: address.includes("gone") ? 404 : 200 },
  });
  await inspections.request(["gone.example", "empty.example"], person);
  await work(() => inspections.status().totals.harmless === 2);
  expect(inspections.of("gone.example")[0]!.reason).toBe(
    "the server responds with an error (404), so there is no page to compare",
  );
  expect(inspections.of("empty.example")[0]!.reason).toBe(
    "the page is empty, also for other browsers and languages",
  );
});

test("an address of which only a redirect to a page that cannot be opened was seen was not opened, and is tried again", async () => {
  const referring: Page = { ...page, finalUrl: "https://10.0.0.2/", unseen: "10.0.0.2 is a private address" };
  respond = () => ({ ...resultWith(0.01), page: referring, isMereRedirect: true }) as InspectionResult;
  inspections.start();
  await inspections.request(["evil.example"], feed);
  await work(() => only().state === "queued" && only().attempts === 1);
  stores.clock.advance(hourMs);
  await work(() => only().state === "failed");
  expect(only()).toMatchObject({
    imitates: null,
    reason: "only a redirect was seen: 10.0.0.2 is a private address (https://10.0.0.2/)",
  });
});

test("a threat that was marked as a false positive stays one", async () => {
  inspections.start();
  respond = () => resultWith(0.97);
  await inspections.request(["evil.example"], person);
  await work(() => only().state === "done");
  const { threatId } = only();
  stores.threats.changeStatus([threatId!], "false_positive", { by: analyst });
  stores.clock.advance(2 * hourMs);
  await inspections.request(["evil.example"], person);
  await work(() => inspections.status().totals.imitation === 2);
  expect(stores.threats.get(threatId!)!.status).toBe("false_positive");
});

test("a name without an address is finished without a request, and an unclear one is tried again", async () => {
  existenceOf = (name) => ({
    ...here,
    exists: name === "gone.example" ? "no" : "unknown",
    addresses: [],
  });
  inspections.start();
  await inspections.request(["gone.example", "unclear.example"], person);
  const stateOf = (host: string) => inspections.of(host)[0]!.state;
  await work(() => stateOf("gone.example") === "failed" && stateOf("unclear.example") === "queued");
  expect(inspections.of("gone.example")).toMatchObject([
    { state: "failed", reason: "the name does not exist in DNS", imitates: null },
  ]);
  existenceOf = () => here;
  stores.clock.advance(minuteMs);
  await work(() => inspections.of("unclear.example")[0]!.state === "done");
  expect(inspected).toEqual(["unclear.example"]);
});

test("a page that cannot be fetched is tried again, and then fails with the reason", async () => {
  respond = () => ({ ok: false, reason: "connection refused" });
  inspections.start();
  await inspections.request(["evil.example"], feed);
  await work(() => only().state === "queued" && only().attempts === 1);
  expect(only().reason).toBe("connection refused");
  stores.clock.advance(hourMs);
  await work(() => only().state === "failed");
  expect(only()).toMatchObject({ attempts: 2, reason: "connection refused" });
  expect(inspected).toHaveLength(2);
});

test("a host is inspected once an hour, however many of its addresses wait, unless a person asks again", async () => {
  inspections.start();
  await inspections.request(["https://evil.example/a", "https://evil.example/b"], person);
  await work(() => inspections.status().totals.harmless === 1);
  expect(inspected).toHaveLength(1);
  expect(inspections.list({ states: ["queued"] }, { page: 1, perPage: 9 }).total).toBe(1);
  stores.clock.advance(hourMs);
  await work(() => inspections.status().totals.harmless === 2);
  expect(inspected.toSorted()).toEqual(["https://evil.example/a", "https://evil.example/b"]);
  await inspections.request(["https://evil.example/c"], person);
  await inspections.request(["https://evil.example/a"], { ...person, again: true });
  await work(() => inspections.status().totals.harmless === 3);
  expect(inspected.at(-1)).toBe("https://evil.example/a");
});

test("what a killed process was inspecting is inspected by the next one, without being doubled", async () => {
  const { promise, resolve } = Promise.withResolvers<InspectionResult>();
  respond = () => promise;
  inspections.start();
  await inspections.request(["evil.example"], person);
  await work(() => inspected.length === 1);
  const next = open();
  next.start();
  respond = () => resultWith(0.01);
  await work(() => next.status().totals.harmless === 1);
  expect(next.list({}, { page: 1, perPage: 9 })).toMatchObject({
    total: 1,
    inspections: [{ state: "done" }],
  });
  await next.stop();
  resolve(resultWith(0.01));
});

const untilAborted = (_address: string, signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

test("what could not be saved because the database failed does not stay marked as running", async () => {
  const { sqlite } = stores.database;
  sqlite.run(
    "create trigger refused before update on inspections when new.state <> 'running' begin select raise(abort, 'no'); end",
  );
  inspections.start();
  await inspections.request(["evil.example"], person);
  await work(() => inspected.length === 1);
  await until(() => inspections.status().running === 0, "the result to be refused");
  expect(only().state).toBe("running");
  sqlite.run("drop trigger refused");
  await work(() => only().state === "done");
});

test("an inspection that never ends is given up, and tried again", async () => {
  respond = untilAborted;
  inspections.start();
  await inspections.request(["evil.example"], person);
  await work(() => inspected.length === 1);
  stores.clock.advance(15 * minuteMs);
  await until(() => only().state === "queued", "it is given up");
  expect(only()).toMatchObject({ reason: "not finished within 15 minutes", attempts: 1 });
});

test("addresses that were interrupted again and again are not given up within minutes", async () => {
  respond = () => new Promise(() => {});
  await inspections.request(["evil.example"], person);
  const { sqlite } = stores.database;
  for (let kills = 1; kills <= 3; kills += 1) {
    sqlite.run("update inspections set state = 'running', attempts = ?", [kills]);
    const next = open();
    next.start();
    await until(() => only().attempts > kills || only().state === "queued", "what was running is queued");
    await until(() => only().dueAt > stores.clock.now() || inspected.length > 0, "it waits, or is inspected");
    expect(Math.max(0, only().dueAt - stores.clock.now())).toBe([0, minuteMs, 4 * minuteMs][kills - 1]!);
    void next.stop();
  }
});

test("due times follow a clock that is set back, and results from the future are no results of the last hour", async () => {
  await inspections.request(["one.example", "two.example"], person);
  inspections.start();
  await work(() => inspections.status().totals.harmless === 2);
  stores.clock.advance(2 * hourMs);
  await inspections.request(["three.example"], person);
  stores.clock.setBy(-3 * hourMs);
  await work(() => inspections.status().totals.harmless === 3);
  expect(await inspections.request(["one.example"], person)).toMatchObject([{ outcome: "queued" }]);
});

test("addresses of one host, or of one server, hold nothing else up and use nothing of the day's budget", async () => {
  config.inspection.perMinute = 60;
  await inspections.request(["other.example"], feed);
  stores.clock.advance(1);
  await inspections.request(
    Array.from({ length: 9 }, (_, index) => `https://crowded.example/${index}`),
    feed,
  );
  inspections.start();
  // Within the second in which two may start.
  await until(() => inspected.length === 2, "both hosts are inspected");
  await until(() => inspections.status().running === 0, "both end");

  config.inspection.perMinute = 6_000;
  respond = untilAborted;
  await inspections.request(
    Array.from({ length: 14 }, (_, index) => `name${index}.example`),
    feed,
  );
  await work(() =>
    inspections
      .list({ text: "name" }, { page: 1, perPage: 20 })
      .inspections.some(({ reason }) => reason?.startsWith("other pages of its server") === true),
  );
  await until(() => inspections.status().running === 10, "the others wait in the queue");
  const { day, minute } = inspections.status().budget;
  expect(day.used).toBe(2 + 10);
  expect(minute.used).toBeLessThanOrEqual(2 + 10);
  const late = inspections
    .list({ text: "name", states: ["queued"] }, { page: 1, perPage: 20 })
    .inspections.map(({ dueAt }) => dueAt);
  expect(new Set(late).size).toBe(4);
});

test("stopping puts what is running back into the queue", async () => {
  respond = untilAborted;
  inspections.start();
  await inspections.request(["evil.example"], person);
  await work(() => inspected.length === 1);
  await inspections.stop();
  expect(only()).toMatchObject({ state: "queued", attempts: 0 });
});

test("a daily budget that is used up holds feeds back, and not people", async () => {
  config.inspection.perDay = 1;
  inspections.start();
  await inspections.request(["one.example", "two.example"], feed);
  await work(() => inspections.status().totals.harmless === 1);
  await inspections.request(["three.example"], person);
  await work(() => inspections.status().totals.harmless === 2);
  expect(inspected).toHaveLength(2);
  expect(inspected).toContain("three.example");
  expect(inspections.status()).toMatchObject({ waiting: { feed: 1 }, budget: { day: { used: 2, max: 1 } } });
  stores.clock.advance(24 * hourMs);
  await work(() => inspections.status().totals.harmless === 3);
});

test("lists neither occupy every place nor close a host to people", async () => {
  const { promise, resolve } = Promise.withResolvers<InspectionResult>();
  respond = (address) => (address.includes("slow") ? promise : resultWith(0));
  existenceOf = (name) => ({ ...here, addresses: [`server of ${name}`] });
  inspections.start();
  await inspections.request(
    Array.from({ length: 60 }, (_, index) => `slow${index}.example`),
    feed,
  );
  await work(() => inspections.status().running === 28);
  await inspections.request(["one.example"], person);
  await work(() => inspections.status().totals.harmless === 1);
  expect(urgent).toEqual(["one.example"]);
  const pages = Array.from({ length: 12 }, (_, index) => `https://docs.example/${index}`);
  const outcomes = await inspections.request(pages, feed);
  expect(outcomes.filter(({ outcome }) => outcome === "refused")).toHaveLength(2);
  const [first] = await inspections.request(["https://docs.example/mine"], person);
  expect(first?.outcome).toBe("queued");
  resolve(resultWith(0));
});

test("pages that wait for the browser hold up nothing else", async () => {
  respond = (address, signal) =>
    address.includes("picture") ? untilAborted(address, signal) : resultWith(0);
  inspections.start();
  await inspections.request(
    Array.from({ length: 40 }, (_, index) => `picture${index}.example`),
    feed,
  );
  await work(() => inspections.status().running === 40);
  await inspections.request(["one.example"], feed);
  await work(() => inspections.status().totals.harmless === 1);
});

test("nothing is fetched while lookups are disabled, and what waits goes on afterward", async () => {
  await inspections.request(["evil.example"], feed);
  config.lookups.enabled = false;
  inspections.start();
  expect(await inspections.request(["other.example"], person)).toMatchObject([{ outcome: "refused" }]);
  await inspections.idle();
  expect(inspections.status()).toMatchObject({
    disabled: "pages are not fetched because lookups.enabled is false",
    waiting: { feed: 1 },
  });
  expect(inspected).toEqual([]);
  config.lookups.enabled = true;
  await work(() => only().state === "done");
});

test("an inspection of a command is recorded, and within an hour its result is returned and its host waits", async () => {
  respond = () => resultWith(0.97);
  const options = {
    source: "submission",
    origin: { kind: "command_line", name: "ada" },
    browser: "never",
    record: true,
    signal: new AbortController().signal,
  } as const;
  const first = await inspections.inspectNow("hxxps://evil[.]example/login", options);
  expect(first).toMatchObject({
    outcome: "inspected",
    inspection: { address: "https://evil.example/login", state: "done", imitates: true },
  });
  expect(await inspections.inspectNow("https://evil.example/login", options)).toMatchObject({
    outcome: "known",
  });
  const other = "https://evil.example/other";
  expect(await inspections.inspectNow(other, { ...options, record: false })).toMatchObject({
    outcome: "refused",
    reason: "is not inspected: its host was inspected less than an hour ago",
  });
  expect(await inspections.inspectNow(other, options)).toMatchObject({
    outcome: "queued",
    inspection: { address: other, state: "queued" },
  });
  expect(await inspections.inspectNow(other, { ...options, again: true })).toMatchObject({
    outcome: "inspected",
  });
  const both = ["https://twice.example/one", "https://twice.example/two"].map((address) =>
    inspections.inspectNow(address, options),
  );
  expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual(["inspected", "queued"]);
  expect(await inspections.inspectNow("https://192.0.2.7/", options)).toMatchObject({ outcome: "refused" });
  const tried = await inspections.inspectNow("dry.example", { ...options, record: false });
  expect(tried).toMatchObject({ outcome: "inspected", inspection: { host: "dry.example", threatId: null } });
  expect(inspections.of("dry.example")).toEqual([]);
  expect(stores.threats.list({}, { page: 1, perPage: 9 }).total).toBe(2);
});

test("old results are deleted, and addresses of feeds that waited for days are dropped and counted", async () => {
  inspections.start();
  await inspections.request(["old.example"], person);
  await work(() => only().state === "done");
  config.lookups.enabled = false;
  await inspections.stop();
  config.lookups.enabled = true;
  await inspections.request(["waiting.example"], feed);
  await inspections.request(["person.example"], person);
  stores.clock.advance(4 * 24 * hourMs);
  const { clock, database, log } = stores;
  const store = createInspectionStore(database);
  const cleanup = createCleanup({ clock, config, database, log, store });
  expect(await cleanup.run()).toBe(1);
  expect(inspections.of("old.example")).toEqual([]);
  expect(inspections.of("waiting.example")).toMatchObject([{ state: "skipped" }]);
  expect(inspections.of("person.example")).toMatchObject([{ state: "queued" }]);
  expect(store.totals().dropped).toBe(1);
});
