import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { asc, eq } from "drizzle-orm";
import { demoPages } from "../../scripts/demo/pages.ts";
import { deliveries, deliveryAttempts, recipients } from "../../src/messaging/deliveries/store/tables.ts";
import { protectedDomains } from "../../src/threats/domains/tables.ts";
import { hasPage } from "../../src/facts/enrichment/facts/facts.ts";
import { events } from "../../src/threats/events/tables.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { grayPixels } from "../../src/facts/lookups/page/gray-pixels.ts";
import { readPage } from "../../src/facts/lookups/page/page-content.ts";
import { asksFor } from "../../src/facts/lookups/page/page-indicators.ts";
import { hashSide, perceptualHash } from "../../src/facts/lookups/page/perceptual-hash.ts";
import { createTurns } from "../../src/platform/network/turns.ts";
import { readImage } from "../../src/sandbox/images.ts";
import { openInstance, type Instance } from "../../src/sandbox/instance/instance.ts";
import { pictures, pictureWith } from "../../src/sandbox/pictures/pictures.ts";
import { defaultConfig, inSandbox } from "../../src/sandbox/settings.ts";
import { defaultStart, demonstrationSeed, worldDomains } from "../../src/sandbox/world/samples.ts";
import { scans } from "../../src/intake/scans/tables.ts";
import { listImports } from "../../src/intake/sources/imports/tables.ts";
import { sourceActivity } from "../../src/intake/sources/activity/tables.ts";
import { describeSeverityReason } from "../../src/threats/threats/severity/severity-reasons.ts";
import { threatHistory, threats } from "../../src/threats/threats/store/tables.ts";
import { statuses } from "../../src/platform/vocabulary/threats.ts";
import { until } from "../support/until.ts";
import { createVisitor, type PageResponse, type Visitor } from "../support/visitor.ts";

/** A Wednesday in the morning. */
const start = Date.UTC(2026, 0, 14, 9, 41);
/** Pages that differ only in an identifier or in values of the query are visited this often. */
const visitsOfShape = 3;
const password = "a password for tests";
const dayMs = 86_400_000;
/** The history moves by whole days, and only its last day to exactly the start. */
const gapMs = (((start - defaultStart) % dayMs) + dayMs) % dayMs;
const eventsKeptMs = 30 * dayMs + gapMs;
/** Hundreds of pages are read first, which takes seconds of CPU time. */
const readingTimeoutMs = 120_000;

function open(port: number): Promise<Instance> {
  const config = defaultConfig();
  return openInstance({
    config: inSandbox({ ...config, console: { ...config.console, password } }, port, { looksUp: true }),
    scanSchedule: null,
    log: createLog({
      level: "error",
      format: "json",
      clock: systemClock,
      write: (line) => process.stderr.write(line),
    }),
    // Time stands still, so that ages on pages can be compared with it.
    monotonicMs: () => 0,
    realNow: () => start,
    image: readImage("demonstration", { seed: demonstrationSeed, start }),
    seed: demonstrationSeed,
    start,
    isDemonstration: true,
  });
}

describe("in the demonstration,", () => {
  let instance: Instance;
  let visitor: Visitor;
  let server: Bun.Server<undefined>;
  /** Pages of the console by address. */
  const pages = new Map<string, PageResponse>();
  const all = () =>
    instance.app.database.query
      .select()
      .from(threats)
      .orderBy(asc(threats.seq))
      .all()
      .map((threat) => ({ ...threat, facts: instance.app.enrichment.factsOf(threat.id)!.facts }));

  beforeAll(async () => {
    server = Bun.serve({ port: 0, fetch: (request) => instance.app.server.handle(request, "127.0.0.1") });
    instance = await open(server.port!);
    visitor = createVisitor(`http://127.0.0.1:${server.port}`);
    await visitor.post("/console/sign-in", { password });
    const seen = new Map<string, number>();
    const waiting = ["/console"];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const shape = shapeOf(path);
      const visits = seen.get(shape) ?? 0;
      if (pages.has(path) || visits >= visitsOfShape) continue;
      seen.set(shape, visits + 1);
      const page = await visitor.get(path);
      pages.set(path, page);
      waiting.push(...linksOf(page.html));
    }
    for (const { id } of all()) {
      const path = `/console/threats/${id}`;
      if (!pages.has(path)) pages.set(path, await visitor.get(path));
    }
  }, readingTimeoutMs);
  afterAll(async () => {
    await server.stop(true);
    await instance.quiesce();
    await instance.end();
  });

  test("every link of the console leads to a page, and no page shows a missing value", () => {
    expect(pages.size).toBeGreaterThan(137 + 40);
    const wrong = [...pages].filter(
      ([, { status, text }]) =>
        (status !== 200 && status !== 303) || /undefined|NaN|Invalid Date|\[object/.test(text),
    );
    expect(wrong.map(([path, { status, text }]) => [path, status, text.slice(0, 300)])).toEqual([]);
  });

  test("every relative time agrees with the time that it stands for", () => {
    let compared = 0;
    for (const [path, { html }] of pages)
      for (const [, datetime = "", text = ""] of html.matchAll(
        /<time datetime="([^"]+)"[^>]*>([^<]*)<\/time>/g,
      )) {
        const said = spanOf(text);
        if (said === undefined) continue;
        const actual = (Date.parse(datetime) - start) / said.unitMs;
        compared++;
        expect([path, text, Math.trunc(actual)]).toEqual([path, text, said.count]);
      }
    expect(compared).toBeGreaterThan(100);
  });

  test("no page says that a threat with facts was not checked, and no threat is without facts", () => {
    for (const { id, facts } of all()) {
      expect(facts.existence !== undefined || facts.unknown.existence !== undefined).toBe(true);
      const { text } = pages.get(`/console/threats/${id}`)!;
      expect([id, /not checked yet|has not been checked|lookups are off/i.test(text)]).toEqual([id, false]);
    }
  });

  test("the page of every threat gives the reasons that its facts support, and no others", () => {
    for (const { domain, facts, id, severityReasons, whois } of all()) {
      const { text } = pages.get(`/console/threats/${id}`)!;
      const said = new Map(
        severityReasons.map((reason) => [reason.code, reason.params as Record<string, unknown>]),
      );
      for (const reason of severityReasons)
        expect([domain, text.toLowerCase()]).toEqual([
          domain,
          expect.stringContaining(describeSeverityReason(reason).toLowerCase()),
        ]);
      const { page, screenshot, existence } = facts;
      const shown = hasPage(facts) ? page : undefined;
      expect([domain, said.get("asks_for_secrets")]).toEqual([
        domain,
        shown?.asksForPassword || shown?.asksForCard
          ? { password: shown.asksForPassword, card: shown.asksForCard }
          : undefined,
      ]);
      expect([domain, said.has("receives_mail")]).toEqual([domain, (existence?.mailServers.length ?? 0) > 0]);
      expect([domain, said.has("not_in_dns")]).toEqual([domain, existence?.exists === "no"]);
      expect([domain, said.has("looks_like_original")]).toEqual([
        domain,
        shown !== undefined && (screenshot?.visualSimilarity ?? 0) >= 0.75,
      ]);
      for (const code of ["newly_registered", "long_registered"] as const)
        if (said.has(code)) expect(said.get(code)!["on"]).toBe(whois.created_at!.slice(0, 10));
    }
  });

  test("a threat has a screenshot exactly if its facts say so, and it is the picture of the page in its facts", async () => {
    for (const { domain, facts, id } of all()) {
      const found = await instance.app.enrichment.screenshotOf(id);
      expect([domain, "webp" in found]).toEqual([domain, facts.screenshot !== undefined]);
      if (facts.page !== undefined)
        expect([domain, facts.screenshot?.at]).toEqual([domain, expect.any(Number)]);
      if (facts.page === undefined || facts.screenshot === undefined) continue;
      const { title, asksForCard, asksForPassword } =
        pictures[pictureWith(facts.screenshot.hash)! as "empty"];
      expect(facts.page).toMatchObject({ title, asksForCard, asksForPassword });
    }
    const { originalOf } = instance.app.enrichment;
    for (const { seq } of instance.app.database.query.select().from(protectedDomains).all()) {
      const { id } = all().find(({ protectedDomainSeq }) => protectedDomainSeq === seq)!;
      expect(await originalOf(id)).toBeInstanceOf(Uint8Array);
    }
  });

  test("the list shows as many threats as the API, the domains, the scans and the imports count", async () => {
    const counted = async (query: string) => {
      const ids = new Set<string>();
      for (let page = 1; page <= 4; page++) {
        const { html } = await visitor.get(`/console/threats?${query}&group=none&page=${page}`);
        const before = ids.size;
        for (const [id] of html.matchAll(/thr_[0-9a-z]{26}/g)) ids.add(id);
        if (ids.size === before) break;
      }
      return ids.size;
    };
    const rows = all();
    for (const status of statuses)
      expect(await counted(`status=${status}`)).toBe(
        rows.filter((threat) => threat.status === status).length,
      );
    for (const domain of worldDomains)
      expect(await counted(`status=all&domain=${domain}`)).toBe(
        { "example-bank.com": 62, "example-shop.com": 45, "samplix.org": 30 }[domain],
      );
    const { query } = instance.app.database;
    for (const { seq, threatsCreated } of query
      .select()
      .from(scans)
      .where(eq(scans.threatsCreated, 1))
      .all()
      .slice(0, 3))
      expect(await counted(`status=all&scan=${seq}`)).toBe(threatsCreated);
    for (const { seq, created } of query.select().from(listImports).all())
      expect(await counted(`status=all&import=${seq}`)).toBe(created);
  });

  test("each source created the threats that are on record from it", () => {
    const { query } = instance.app.database;
    const totals = query.select().from(sourceActivity).where(eq(sourceActivity.day, 0)).all();
    const created = (wanted: string) => totals.find(({ kind }) => kind === wanted)!.created;
    const from = (source: string) => all().filter((threat) => threat.source === source).length;
    expect(created("scan")).toBe(from("scan"));
    expect(created("feed") + created("import")).toBe(from("feed"));
    expect(created("certificate logs")).toBe(from("certificate_transparency"));
    expect(created("submission")).toBe(from("submission"));
    expect(created("beacon")).toBe(from("beacon"));
  });

  test("the history of every threat ends with its present status and severity, and nothing lies ahead", () => {
    const rows = instance.app.database.query
      .select()
      .from(threatHistory)
      .orderBy(asc(threatHistory.seq))
      .all();
    for (const { createdAt, decidedAt, id, seq, severity, status, statusChangedAt } of all()) {
      const own = rows.filter(({ threatSeq }) => threatSeq === seq);
      const last = (field: string) => own.findLast((row) => row.field === field);
      expect([id, last("status")?.after ?? "active"]).toEqual([id, status]);
      expect(last("status")?.at ?? createdAt).toBe(statusChangedAt);
      if (last("severity") !== undefined) expect(last("severity")!.after).toBe(severity);
      if (status !== "active") expect(decidedAt).toBe(own.find(({ field }) => field === "status")!.at);
      expect(own.every(({ at }) => at >= createdAt && at < start)).toBe(true);
    }
  });

  test("every event of the last month was delivered, or failed for the stated cause after all attempts", () => {
    const { query } = instance.app.database;
    const sent = query
      .select({ delivery: deliveries, event: events, recipient: recipients })
      .from(events)
      .leftJoin(deliveries, eq(deliveries.eventSeq, events.seq))
      .leftJoin(recipients, eq(deliveries.recipientSeq, recipients.seq))
      .all();
    const attempts = Map.groupBy(
      query.select().from(deliveryAttempts).all(),
      ({ deliverySeq }) => deliverySeq,
    );
    for (const { delivery, event, recipient } of sent) {
      expect(recipient!.channel).toBe(event.type === "message" ? "teams" : "webhook");
      const own = attempts.get(delivery!.seq)!;
      expect(own).toHaveLength(delivery!.attempts);
      expect(own.at(-1)!.failure).toBe(delivery!.status === "succeeded" ? null : "status");
      expect(own.slice(0, -1).every(({ failure }) => failure === "status")).toBe(true);
      if (delivery!.status === "failed") expect(own).toHaveLength(5);
    }
    const types = Map.groupBy(sent, ({ event }) => event.type);
    const recent = all().filter(({ createdAt }) => createdAt >= start - eventsKeptMs);
    expect(types.get("threat.created")).toHaveLength(recent.length);
    expect(sent.some(({ delivery }) => delivery!.status === "failed")).toBe(true);
    expect(types.get("message")!.length).toBeGreaterThan(2);
  });

  test("a decision can be made and undone, and a check of a threat finds the same facts", async () => {
    const { id, severity } = all().findLast(
      ({ facts, status }) => status === "active" && facts.page !== undefined,
    )!;
    const { triage } = instance.app.threats;
    const by = { channel: "console", name: null, address: null } as const;
    const { batch } = triage.change([id], "resolved", { by });
    expect(instance.app.threats.get(id)!.status).toBe("resolved");
    expect(triage.undo(batch!, { by }).outcome).toBe("undone");
    expect(instance.app.threats.get(id)).toMatchObject({ status: "active", severity });

    const changes = () => instance.app.threats.history(id).filter((change) => change.by === null);
    const before = changes();
    instance.app.enrichment.request(id);
    await until(async () => {
      await instance.clock.advance(1_000);
      return instance.app.enrichment.factsOf(id)!.checkedAt! > start;
    }, "the threat was checked");
    expect(changes()).toEqual(before);
  });

  test("an endpoint that somebody adds is sent nothing unless it is on this machine", async () => {
    const path = "/console/settings/webhooks/add";
    const named = await visitor.submit(path, { name: "Named", url: "https://hooks.example.com/soc" });
    expect(named.text).toContain("hooks.example.com cannot be resolved (messages stay on this machine)");
    const numbered = await visitor.post(path, { name: "Numbered", url: "https://9.9.9.9/" });
    expect(numbered.status).toBe(400);
    expect(numbered.text).toContain("9.9.9.9 is a global address, which is never connected to");
    const local = await visitor.post(path, { name: "Local", url: "http://127.0.0.1:9/" });
    expect(local.status).toBe(303);
  });

  test("new look-alikes arrive after some minutes, are looked up, and are announced", async () => {
    const find = () => all().find(({ domain }) => domain === "example-bank-verify.com");
    await until(async () => {
      await instance.clock.advance(10_000);
      return find()?.verified === true;
    }, "the look-alike was recorded and looked up");
    expect(find()).toMatchObject({ severity: "high", source: "certificate_transparency" });
    const sent = instance.app.deliveries.log.list({ threat: find()!.id }, 9);
    expect(sent.map(({ recipientName }) => recipientName)).toContain("SIEM connector");
  });
});

test("the same seed and start give the same demonstration", async () => {
  const images = await Promise.all(
    [1, 2].map(async () => {
      const instance = await open(1);
      const { image } = instance.save();
      await instance.quiesce();
      await instance.end();
      return new Bun.CryptoHasher("sha256").update(image).digest("hex");
    }),
  );
  expect(images[0]).toBe(images[1]!);
});

test("the sample screenshots are those of the sample pages, which ask for what the facts say", async () => {
  expect(Object.keys(pictures)).toEqual(Object.keys(demoPages));
  for (const [name, { html }] of Object.entries(demoPages)) {
    const { asksForCard, asksForPassword, hash, title } = pictures[name as "empty"];
    const content = await readPage([html], createTurns());
    expect([name, asksFor("password", content), asksFor("card", content), content.title]).toEqual([
      name,
      asksForPassword,
      asksForCard,
      title,
    ]);
    const file = Bun.file(join(import.meta.dir, `../../src/sandbox/screenshots/${name}.webp`));
    const webp = await file.bytes();
    expect(webp.length).toBeLessThan(15_000);
    expect([name, perceptualHash(await grayPixels(webp, hashSide))]).toEqual([name, hash]);
  }
});

/** Returns the pages of the console that a page links to, each list only with its first page. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/<a\b[^>]*\bhref="(\/console[^"#]*)/g)]
    .map(([, path = ""]) => path.replaceAll("&amp;", "&"))
    .filter(
      (path) =>
        !/\/(sign-out|evidence|export|registration|backup|document|download|original)\b|[?&](page|sort|order|at|before)=/.test(
          path,
        ),
    );
}

/** Returns the address without identifiers and without its query. */
function shapeOf(path: string): string {
  return path.replace(/\?.*/, "").replace(/\b[a-z]{3}_[0-9a-z]{26}|\b\d+|[^/]*\.(com|org)\b/g, "*");
}

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `3 hours ago`, `in 2 days`, `12 min` or `5 h`; undefined for an absolute time. */
function spanOf(text: string): { count: number; unitMs: number } | undefined {
  const match = /^(in )?(\d+) (second|minute|min|hour|h|day|d)s?( ago)?$/.exec(text.trim());
  if (match === null) return undefined;
  const count = Number(match[2]);
  return { count: match[1] === undefined ? -count : count, unitMs: unitsMs[match[3]![0]!]! };
}
