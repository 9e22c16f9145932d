import { describe, expect, test } from "bun:test";
import { threatTypes } from "../../src/platform/vocabulary/threats.ts";
import { createMatcher } from "../../src/engines/detection/match/matcher.ts";
import { isGeneratedKey } from "../../src/access/keys/key-format.ts";
import { plans, scopes } from "../../src/platform/vocabulary/keys.ts";
import { createRandom } from "../../src/sandbox/world/random.ts";
import { defaultSeed, defaultStart, sandboxKeys, worldDomains } from "../../src/sandbox/world/samples.ts";
import { worldEntries } from "../../scripts/sandbox/world/entries.ts";
import { makeWorld } from "../../scripts/sandbox/world/world.ts";
import { severities, threatSources, statuses } from "../../src/platform/vocabulary/threats.ts";
import { openSandbox } from "../support/sandbox.ts";

const world = (seed: number, start = defaultStart) => makeWorld(start, createRandom(seed));

describe("the sample data", () => {
  test("is determined by seed and start time", () => {
    expect(world(7)).toEqual(world(7));
    expect(world(7).map(({ id }) => id)).not.toEqual(world(8).map(({ id }) => id));
    expect(world(7, defaultStart + 1)).not.toEqual(world(7));
  });

  test.each([1, 2, 3, 4_294_967_295])(
    "of seed %d covers every value of every field and is sorted by time",
    (seed) => {
      const threats = world(seed);
      expect(threats).toHaveLength(137);
      const values = <Name extends "status" | "severity" | "type" | "source" | "protectedDomain">(
        name: Name,
      ) => [...new Set(threats.map((threat) => threat[name] as string))].toSorted();
      expect(values("status")).toEqual([...statuses].toSorted());
      expect(values("severity")).toEqual([...severities].toSorted());
      expect(values("type")).toEqual([...threatTypes].toSorted());
      expect(values("source")).toEqual([...threatSources].toSorted());
      expect(values("protectedDomain")).toEqual([...worldDomains].toSorted());
      const ids = threats.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(137);
      for (const { firstSeen, createdAt, statusChangedAt } of threats) {
        expect(firstSeen).toBeLessThanOrEqual(createdAt);
        expect(createdAt).toBeLessThanOrEqual(statusChangedAt);
        expect(statusChangedAt).toBeLessThan(defaultStart);
      }
      expect(threats.filter(({ registrar }) => registrar === null)).toHaveLength(34);
    },
  );

  test("agrees with detection (run scripts/generate-sandbox-names.ts)", () => {
    const matcher = createMatcher(
      worldDomains.map((domain) => ({ domain, keywords: [], allow: [] })),
      { minSimilarity: 0.75 },
    );
    for (const { domain, protectedDomain, type, similarity, reasons } of worldEntries()) {
      const said: unknown = matcher
        .match(domain)
        .map((match) => [match.protectedDomain, match.type, match.similarity, match.reasons]);
      expect([domain, said]).toEqual([
        domain,
        type === "cloned_site" ? [] : [[protectedDomain, type, similarity, reasons]],
      ]);
    }
  });

  test("is returned by the API unchanged", async () => {
    const sandbox = await openSandbox();
    try {
      const all = await Promise.all(
        [1, 2].map(
          async (page) => (await sandbox.api("GET", `/v1/threats?per_page=100&page=${page}`)).json.data,
        ),
      );
      const made = new Map(world(defaultSeed).map((threat) => [threat.id, threat]));
      expect(all.flat()).toHaveLength(137);
      for (const shown of all.flat()) {
        const threat = made.get(shown.id)!;
        expect(shown).toMatchObject({
          domain: threat.domain,
          status: threat.status,
          severity: threat.severity,
        });
      }
      const [one] = all.flat();
      const { data } = (await sandbox.api("GET", `/v1/threats/${one.id}`)).json;
      expect(data.whois).toEqual(made.get(one.id)!.whois);
    } finally {
      sandbox.stop();
    }
  });

  test("is left out with `empty: true`", async () => {
    const sandbox = await openSandbox({ empty: true });
    expect((await sandbox.api("GET", "/v1/threats")).json.meta.total).toBe(0);
    sandbox.stop();
  });
});

test("the public keys have a valid form and are distinct", () => {
  const keys = Object.values(sandboxKeys).map(({ key }) => key);
  expect(keys.filter((key) => !isGeneratedKey(key))).toEqual([]);
  expect(new Set(keys.map((key) => key.slice(0, 8))).size).toBe(keys.length);
  for (const { domains, plan, scopes: granted } of Object.values(sandboxKeys)) {
    expect(plans).toContain(plan);
    expect(scopes).toEqual(expect.arrayContaining([...granted]));
    expect(worldDomains).toEqual(expect.arrayContaining([...domains]));
  }
});
