import { expect, test } from "bun:test";
import { severityFactsOf } from "../../../src/facts/enrichment/facts/facts.ts";
import { createRandom } from "../../../src/sandbox/world/random.ts";
import { defaultSeed, defaultStart } from "../../../src/sandbox/world/samples.ts";
import { makeWorld } from "../../../scripts/sandbox/world/world.ts";
import { severityOf } from "../../../src/threats/threats/severity/severity.ts";

const world = makeWorld(defaultStart, createRandom(defaultSeed));

test("the latest facts of every sample threat give exactly its severity and reasons", () => {
  for (const threat of world) {
    const { domain, severity, severityReasons, ipAddress, checks } = threat;
    const { at, facts } = checks.at(-1)!;
    const scored = severityOf(threat, { facts: severityFactsOf(facts, at) });
    expect({ domain, severity: scored.severity }).toEqual({ domain, severity });
    expect(scored.reasons).toEqual(severityReasons);
    expect(facts.existence?.addresses[0] ?? null).toBe(ipAddress);
  }
});

test("a sample threat is verified exactly if its name was found or a copy was seen", () => {
  for (const { type, checks, verified } of world)
    expect(verified).toBe(checks.at(-1)!.facts.existence?.exists === "yes" || type === "cloned_site");
});
