import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { MispEvent } from "../../../src/response/outputs/exports/misp.ts";
import { mispEventsOf, mispHashes, nextMispEvent } from "../../../src/response/outputs/exports/misp.ts";
import type { ExportedThreat } from "../../../src/response/outputs/exports/threat-reader.ts";
import { listFiles } from "../../../src/intake/sources/feeds/feed-folder.ts";
import { openNameList } from "../../../src/intake/sources/name-files/name-list.ts";
import type { SearchFilter } from "../../../src/threats/index/filter.ts";
import type { Sighting } from "../../../src/threats/threats/record.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { openApi, type Api } from "../../support/api.ts";
import { analyst } from "../../support/stores.ts";

const dayMs = 86_400_000;
let api: Api;
let temporary: ReturnType<typeof temporaryFolder>;
let folder: string;
beforeEach(() => {
  api = openApi();
  temporary = temporaryFolder();
  folder = join(temporary.path, "misp");
});
afterEach(() => {
  api.dispose();
  temporary.dispose();
});

const write = (filter: SearchFilter = {}) => api.exports.writeMispFeed(filter, { folder, tlp: "amber" });

/** Adds a threat that was first seen some days ago. */
function add(domain: string, daysAgo: number, change: Partial<Sighting["match"]> = {}): string {
  const match = {
    protectedDomain: "example-bank.com",
    type: "homograph" as const,
    similarity: 0.99,
    reasons: [],
    ...change,
  };
  return api.sight({ domain, match, seenAt: api.clock.now() - daysAgo * dayMs })[0]!;
}

const read = (name: string) => readFileSync(join(folder, name), "utf8");
const manifest = () => JSON.parse(read("manifest.json")) as Record<string, object & { timestamp: string }>;
const events = () =>
  Object.keys(manifest())
    .map((uuid) => (JSON.parse(read(`${uuid}.json`)) as { Event: MispEvent }).Event)
    .sort((a, b) => (a.date < b.date ? -1 : 1));
const eventOf = (date: string) => events().find((event) => event.date === date)!;
const attribute = (date: string, value: string) =>
  eventOf(date).Attribute.find((one) => one.value === value)!;
const md5 = (text: string) => new Bun.CryptoHasher("md5").update(text).digest("hex");

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("a MISP feed", () => {
  test("has one event for each day on which threats were first seen, a manifest and hashes", async () => {
    const id = add("examp1e-bank.com", 1);
    add("exampie-bank.com", 1, { similarity: 0.8 });
    add("example-banc.com", 0);
    expect(await write()).toEqual({ events: 2, changed: 2, threats: 3 });
    const [first, second] = events();
    expect(first).toEqual({
      uuid: expect.stringMatching(uuid),
      info: "Look-alike domains first seen on 2026-01-14",
      date: "2026-01-14",
      analysis: "2",
      threat_level_id: "1",
      timestamp: expect.stringMatching(/^\d{10}$/),
      publish_timestamp: first!.timestamp,
      published: true,
      Orgc: { name: "phishwatch", uuid: expect.stringMatching(uuid) },
      Tag: [
        { name: "tlp:amber", colour: "#ffc000" },
        { name: "phishing", colour: expect.stringMatching(/^#[0-9a-f]{6}$/) },
      ],
      Attribute: [
        {
          uuid: expect.stringMatching(uuid),
          type: "domain",
          category: "Network activity",
          value: "examp1e-bank.com",
          comment: `homograph of example-bank.com, severity high, active (${id})`,
          to_ids: true,
          deleted: false,
          disable_correlation: false,
          timestamp: expect.stringMatching(/^\d{10}$/),
        },
        expect.objectContaining({ value: "exampie-bank.com", to_ids: true }),
      ],
    });
    const { uuid: _, publish_timestamp: _1, published: _2, Attribute: _3, ...entry } = first!;
    expect(manifest()[first!.uuid]).toEqual(entry);
    expect(read("hashes.csv").split("\n").sort()).toEqual(
      [
        "",
        `${md5("examp1e-bank.com")},${first!.uuid}`,
        `${md5("exampie-bank.com")},${first!.uuid}`,
        `${md5("example-banc.com")},${second!.uuid}`,
      ].sort(),
    );
    expect(readdirSync(folder).sort()).toEqual(
      ["hashes.csv", "manifest.json", `${first!.uuid}.json`, `${second!.uuid}.json`].sort(),
    );
  });

  test("has events that are valid by the schema of PyMISP, which rejects others", async () => {
    const ids = [add("examp1e-bank.com", 0), add("exampie-bank.com", 0), add("example-banc.com", 3)];
    api.threats.changeStatus([ids[0]!], "false_positive", { by: analyst });
    await write();
    // The schema is older than the keyword $id.
    const withoutIds = (_: string, value: unknown) =>
      typeof value === "object" && value !== null && "$schema" in value
        ? { ...value, $schema: undefined, id: undefined }
        : value;
    const schema = join(import.meta.dir, "../../fixtures/misp-schema/event.json");
    const validate = new Ajv({ strict: false, allErrors: true }).compile(
      JSON.parse(readFileSync(schema, "utf8"), withoutIds) as object,
    );
    for (const event of events()) expect([validate({ Event: event }), validate.errors]).toEqual([true, null]);
    expect(validate({ Event: { ...events()[0]!, info: 5 } })).toBe(false);
    expect(validate({ Event: { ...events()[0]!, unknown: "" } })).toBe(false);
  });

  test("can be read as a feed by another phishwatch, without what was withdrawn", async () => {
    const id = add("examp1e-bank.com", 1);
    add("exampie-bank.com", 0);
    api.threats.changeStatus([id], "false_positive", { by: analyst });
    await write();
    const listing = await listFiles(folder);
    if ("missing" in listing) throw new Error(listing.missing);
    const names: string[] = [];
    for (const { path } of listing.files) {
      const list = await openNameList(path);
      for await (const batch of list.batches())
        for (let i = 0; i < batch.count; i++) names.push(batch.name(i));
      await list.close();
    }
    expect(listing.files).toHaveLength(2);
    expect(names).toEqual(["exampie-bank.com"]);
  });

  test("is left alone when nothing has changed, and only the days that changed are written again", async () => {
    add("examp1e-bank.com", 1);
    const today = add("example-banc.com", 0);
    await write();
    const before = events();
    const modified = before.map((event) => statSync(join(folder, `${event.uuid}.json`)).ino);
    api.clock.advance(dayMs);
    expect(await write()).toEqual({ events: 2, changed: 0, threats: 2 });
    expect(events()).toEqual(before);
    api.threats.changeStatus([today], "resolved", { by: analyst });
    expect(await write()).toEqual({ events: 2, changed: 1, threats: 2 });
    const after = events();
    expect(after[0]).toEqual(before[0]!);
    expect(statSync(join(folder, `${before[0]!.uuid}.json`)).ino).toBe(modified[0]!);
    expect(after[1]!.uuid).toBe(before[1]!.uuid);
    expect(Number(after[1]!.timestamp)).toBeGreaterThan(Number(before[1]!.timestamp));
    expect(manifest()[after[1]!.uuid]!.timestamp).toBe(after[1]!.timestamp);
  });

  test("a resolved threat no longer blocks, a false positive is withdrawn, and each can come back", async () => {
    const id = add("examp1e-bank.com", 0);
    await write();
    const stamps = [Number(attribute("2026-01-15", "examp1e-bank.com").timestamp)];
    for (const [status, expected] of [
      ["resolved", { to_ids: false, deleted: false }],
      ["false_positive", { to_ids: false, deleted: true }],
      ["active", { to_ids: true, deleted: false }],
    ] as const) {
      // Within the same second.
      api.threats.changeStatus([id], status, { by: analyst });
      await write();
      const now = attribute("2026-01-15", "examp1e-bank.com");
      expect(now).toMatchObject(expected);
      expect(read("hashes.csv").includes(md5("examp1e-bank.com"))).toBe(!expected.deleted);
      stamps.push(Number(now.timestamp));
    }
    expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => a - b));
    expect(Number(eventOf("2026-01-15").timestamp)).toBeGreaterThanOrEqual(stamps.at(-1)!);
  });

  test("moves a threat whose first sighting turns out to be earlier: withdrawn in one event, new in the other", async () => {
    add("examp1e-bank.com", 0);
    await write();
    const before = attribute("2026-01-15", "examp1e-bank.com");
    add("examp1e-bank.com", 2);
    expect(await write()).toMatchObject({ events: 2, changed: 2, threats: 1 });
    expect(attribute("2026-01-15", "examp1e-bank.com")).toMatchObject({
      uuid: before.uuid,
      deleted: true,
      to_ids: false,
    });
    const moved = attribute("2026-01-13", "examp1e-bank.com");
    expect([moved.deleted, moved.uuid === before.uuid]).toEqual([false, false]);
    expect(read("hashes.csv")).toBe(`${md5("examp1e-bank.com")},${eventOf("2026-01-13").uuid}\n`);
  });

  test("withdraws threats that a narrower filter leaves out", async () => {
    add("examp1e-bank.com", 1, { similarity: 0.8 });
    add("exampie-bank.com", 0);
    await write();
    expect(await write({ severity: "high" })).toEqual({ events: 2, changed: 1, threats: 1 });
    expect(attribute("2026-01-14", "examp1e-bank.com").deleted).toBe(true);
    expect(await write({ severity: "high" })).toMatchObject({ changed: 0 });
  });

  test("names a domain once, if it resembles two protected domains", async () => {
    const [bank] = [add("examp1e.com", 0), add("examp1e.com", 0, { protectedDomain: "example-shop.com" })];
    await write();
    expect(eventOf("2026-01-15").Attribute.map(({ value }) => value)).toEqual(["examp1e.com"]);
    expect(attribute("2026-01-15", "examp1e.com").comment).toMatch(
      /of example-bank\.com, .*; homograph of example-shop/,
    );
    api.threats.changeStatus([bank], "false_positive", { by: analyst });
    await write();
    expect(attribute("2026-01-15", "examp1e.com")).toMatchObject({ to_ids: true, deleted: false });
  });

  test("is not written over the feed of somebody else, and a damaged event is written again", async () => {
    add("examp1e-bank.com", 0);
    await write();
    const [event] = events();
    writeFileSync(join(folder, `${event!.uuid}.json`), "{");
    expect(await write()).toMatchObject({ changed: 1 });
    expect(events()).toEqual([event!]);
    const other = join(temporary.path, "other");
    mkdirSync(other);
    writeFileSync(join(other, "manifest.json"), JSON.stringify({ [event!.uuid]: { Orgc: { uuid: "x" } } }));
    await expect(api.exports.writeMispFeed({}, { folder: other, tlp: "red" })).rejects.toThrow(
      "contains a feed that is not from this installation",
    );
  });

  test("marks a host that only a beacon reported as nothing to block, because anyone can forge a report", async () => {
    add("docs.partner.example", 0, { type: "cloned_site", similarity: 0 });
    add("examp1e-bank.com", 0, { type: "cloned_site", similarity: 0.9 });
    await write();
    expect(attribute("2026-01-15", "docs.partner.example").to_ids).toBe(false);
    expect(attribute("2026-01-15", "examp1e-bank.com").to_ids).toBe(true);
  });

  test("contains the addresses of pages on a host that strangers share, and never the host", async () => {
    const match = {
      protectedDomain: "example-bank.com",
      type: "cloned_site" as const,
      similarity: 0.97,
      reasons: [],
    };
    const page = { score: 0.97, signals: [] };
    const see = (url: string) => api.sight({ domain: "docs.google.com", url, match, page });
    see("https://docs.google.com/forms/d/1");
    await write();
    expect(await write()).toMatchObject({ changed: 0 });
    see("https://docs.google.com/forms/d/2?to=ann@example-bank.com");
    expect(await write()).toMatchObject({ changed: 1 });
    const [event] = events();
    expect(event!.Attribute.map(({ type, value, to_ids }) => [type, value, to_ids])).toEqual([
      ["url", "https://docs.google.com/forms/d/2", true],
      ["url", "https://docs.google.com/forms/d/1", true],
    ]);
  });

  test("writes through no link and to no path outside of its folder, whatever the folder contains", async () => {
    add("examp1e-bank.com", 0);
    await write();
    const victim = join(temporary.path, "victim.json");
    writeFileSync(victim, "untouched");
    symlinkSync(victim, join(folder, ".manifest.json.part"));
    await write();
    expect(readFileSync(victim, "utf8")).toBe("untouched");
    const [[id, entry] = ["", {}]] = Object.entries(manifest());
    writeFileSync(join(folder, `${id}.json`), JSON.stringify({ Event: { uuid: "../victim", Attribute: 1 } }));
    await write();
    expect(events()).toHaveLength(1);
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ "../victim": entry }));
    await expect(write()).rejects.toThrow("not from this installation");
    expect(readFileSync(victim, "utf8")).toBe("untouched");
  });

  test("splits a day with very many names into parts, which stay what they are while names are added", () => {
    const threat = (index: number) =>
      ({
        domain: `name-${index}.com`,
        protectedDomain: "example-bank.com",
        type: "homograph",
        severity: "low",
        status: "active",
        id: `thr_${index}`,
        changedAt: 1_700_000_000_000,
        urls: [] as string[],
      }) as ExportedThreat;
    const threats = Array.from({ length: 10_001 }, (_, index) => threat(index));
    const options = { instanceId: "1", tlp: "green" } as const;
    const parts = mispEventsOf(0, threats, options);
    expect(parts.map(({ Attribute, info }) => [Attribute.length, info])).toEqual([
      [10_000, "Look-alike domains first seen on 1970-01-01"],
      [1, "Look-alike domains first seen on 1970-01-01, part 2"],
    ]);
    const [first, second] = mispEventsOf(0, [...threats, threat(10_001)], options);
    expect(nextMispEvent(parts[0]!, first!, 1)).toBe(parts[0]!);
    expect(nextMispEvent(parts[1]!, second!, 1).Attribute.length).toBe(2);
    expect(mispHashes(second!).split("\n").length).toBe(3);
  });
});
